"""What is right next after each act of a round, told in `due_rounds/`, one file a family.

A story begins with what a header says of its table, then comes an act a line in the words of `blackjack_log`,
`stud_log` or `coup_log`, with what the check has to object to it. After the colon: all that is right next, `>box:1 up`
for `card.drawn to box:1 up`; nothing where nobody can say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coup_log
import pytest
from blackjack_log import event_of, header_of
from stud_log import stud_event

from protocols.dealing.check import Check
from protocols.events import EVENT, TableEvent

_STORIES = Path(__file__).parent / "due_rounds"
_SIGNS = {"violation": "!", "warning": "~", "unobservable": "?"}


def _told(family: str) -> list[str]:
    return (_STORIES / f"{family}.txt").read_text().strip().split("\n\n")


def _follow(text: str, start: Callable[[str], Check], read: Callable[[str], TableEvent]) -> None:
    """Asserts each line of a story."""
    head, *acts = text.splitlines()
    check = start(head.partition(":")[0])
    assert _line(head.partition(":")[0], check) == head
    for told in acts:
        word = told.split(":")[0].split()[0]
        check, verdict = check.step(read(word))
        objection = f" {_SIGNS[verdict.outcome]}{verdict.code}" if verdict.code else ""
        assert _line(f"  {word}{objection}", check) == told


def _line(act: str, check: Check) -> str:
    return f"{act}: {', '.join(check.due())}".replace("card.drawn to ", ">").rstrip()


def _table(head: str) -> Check:
    return Check.start(header_of(head))


def _coups(head: str) -> Check:
    procedure, *fields = head.split()
    header: dict[str, Any] = dict(field.split("=") for field in fields)
    if "observes" in header:
        header["observes"] = header["observes"].split(",")
    return coup_log.start(procedure, **header)


def _coup_event(word: str) -> TableEvent:
    return EVENT.validate_json(json.dumps(coup_log.fields(word)))


@pytest.mark.parametrize("text", _told("blackjack"))
def test_blackjack(text: str) -> None:
    _follow(text, _table, event_of)


@pytest.mark.parametrize("text", _told("stud"))
def test_stud(text: str) -> None:
    _follow(text, _table, stud_event)


@pytest.mark.parametrize("text", _told("baccarat"))
def test_baccarat(text: str) -> None:
    _follow(text, _coups, _coup_event)
