"""What people are answered, and how a journal gives the same answers again. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from controller.journal_file import Row
from controller.pending import Told
from protocols.records import NextCard

REMEMBERED: Final = 1000
"""How many inputs are known again by their ids."""

_MARK: Final = b'"input":{'

Answer = Mapping[str, Any]
Answers = dict[tuple[str, str], Answer]
"""By role and id, oldest first."""


@dataclass(slots=True)
class Recalled:
    """What a journal holds of inputs: the last answers, and the last `next` where it has not met its card."""

    answers: Answers = field(default_factory=dict)
    told: Told | None = None


def accepted(name: str, seq: int, verdict: Mapping[str, Any]) -> Answer:
    """To an input that became the event of record `seq`."""
    return {"id": name, "ok": True, "seq": seq, "verdict": verdict}


def noted(name: str, seq: int) -> Answer:
    """To a `next`, which is kept in record `seq`."""
    return {"id": name, "ok": True, "seq": seq}


def refused(name: str, why: str) -> Answer:
    return {"id": name, "ok": False, "why": why}


def remember(answers: Answers, role: str, name: str, answer: Answer) -> None:
    """Keep an answer, at the cost of the oldest; the first answer to an input holds."""
    answers.setdefault((role, name), answer)
    if len(answers) > REMEMBERED:
        del answers[next(iter(answers))]


def recalled(rows: Iterable[Row]) -> Recalled:
    """What these records, in their order, hold of inputs."""
    found = Recalled()
    for row in rows:
        if row.kind == "input" or (row.kind == "table" and _MARK in row.body):
            _recall(found, row, json.loads(row.body)["data"])
    return found


def _recall(found: Recalled, row: Row, data: Mapping[str, Any]) -> None:
    given = data if row.kind == "input" else data["input"]
    remember(found.answers, given["role"], given["id"], _answer(row, data, given["id"]))
    if "next" in data:
        found.told = Told(NextCard(given["id"], given["role"], **data["next"]), row.round or 0)
    elif found.told is not None and (found.told.card.role, found.told.card.id) == (given["role"], given["id"]):
        found.told = None


def _answer(row: Row, data: Mapping[str, Any], name: str) -> Answer:
    if row.kind == "table":
        return accepted(name, row.seq, data["verdict"])
    return noted(name, row.seq) if "next" in data else refused(name, data["why"])
