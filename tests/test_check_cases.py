"""The cases that came with the task, of every procedure there is, through the real command; skipped where absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import shoewatch

from protocols.dealing.catalog import procedures

CASES = Path(__file__).parent.parent.parent / "shared" / "cases" / "procedures.jsonl"


def cases() -> list[Any]:
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="../shared/cases/procedures.jsonl is not here"))]
    found = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [pytest.param(case, id=case["id"]) for case in found if case["procedure"] in procedures()]


@pytest.mark.parametrize("case", cases())
def test_a_case_gets_the_verdict_that_it_names(case: dict[str, Any]) -> None:
    log = "".join(json.dumps(event) + "\n" for event in case["events"])
    result = shoewatch("check", "-", given=log.encode())
    verdicts = [json.loads(line) for line in result.stdout.splitlines()]
    expect = case["expect"]
    violations = [verdict for verdict in verdicts if verdict["outcome"] == "violation"]
    if expect["outcome"] == "ok":
        assert (violations, result.status) == ([], 0)
        return
    first = next(verdict for verdict in verdicts if verdict["outcome"] not in ("ok", "unobservable"))
    assert {key: first[key] for key in ("outcome", "code", "event", "round", "draw")} == {
        key: expect[key] for key in ("outcome", "code", "event", "round", "draw")
    }
    assert result.status == (1 if violations else 0)
    assert len(violations) == 1 or not expect.get("exactly_one")
