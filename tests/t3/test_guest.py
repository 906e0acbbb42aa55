"""What a machine tells of its cases, without a machine."""

from __future__ import annotations

import os

import pytest
from guest import outcome
from machine import Told


async def fine(bench: object) -> None:
    assert bench == "bench"


async def wrong(_: object) -> None:
    raise AssertionError("that is wrong")


async def dying(_: object) -> None:
    os._exit(3)


def test_a_case_that_is_fine_a_wrong_one_and_one_that_dies() -> None:
    assert outcome(fine, "bench") == ""
    assert "AssertionError: that is wrong" in outcome(wrong, "bench")
    assert outcome(dying, "bench") == "its process ended with 3"


def test_a_case_that_nothing_was_told_of_has_failed() -> None:
    told = Told({"fine": "", "wrong": "that is wrong"}, "it had not ended after 120 s", "the last words")
    told.check("fine")
    for case, says in (("wrong", "that is wrong"), ("another", "nothing was told of it; it had not ended")):
        with pytest.raises(AssertionError, match=says):
            told.check(case)
    with pytest.raises(AssertionError, match="the last words"):
        told.check_end()
