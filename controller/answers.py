"""What people are answered, and how a journal gives the same answers again. Pure."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from controller.journal_file import Row
from controller.pending import Told
from protocols.records import NextCard, ReaderInspected, Resend, Resolution

REMEMBERED: Final = 1000
"""How many inputs of each sender are known again by their ids."""

ANSWERS: Final[Mapping[str, str]] = {
    "not_allowed": "this table may not tell its shoe anything (devices.allow_commands)",
    "no_link": "the device's link is not up",
    "no_answer": "the device did not answer",
    "unsupported": "the device has nothing like it",
    "busy": "the device is busy",
    "wrong_state": "the device cannot do it now",
    "denied": "the device does not let a host do it",
}
"""How an order came to nothing, where the device's own word for it says too little."""

_TYPE_LENGTH: Final = 64
_WORDS: Final = ("next", "order", ReaderInspected.name, Resolution.name, Resend.name)
_KEY: Final = os.urandom(32)
_MARK: Final = b'"input":{'

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Input:
    """What tells one input from another: the event's type, `next` or `inspected`, None where it named nothing of the
    kind, and a digest of the rest under a key of this process, for it may be a card that lies face down; None after a
    restart."""

    type: str | None
    digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """An input and what was answered."""

    input: Input
    answer: Answer

    def said(self, again: Input) -> bool:
        """Whether this is the same input, as far as it is still known."""
        if self.input.digest is None:
            return self.input.type in (None, again.type)
        return self.input == again


Inputs = dict[str, dict[str, Known]]
"""By role, or the key of a command, then by id, oldest first."""


@dataclass(slots=True)
class Recalled:
    """What a journal holds of inputs: the last ones, and the last `next` where it has not met its card."""

    inputs: Inputs = field(default_factory=dict)
    told: Told | None = None


def accepted(name: str, seq: int, verdict: Mapping[str, Any]) -> Answer:
    """To an input that became the event of record `seq`."""
    return {"id": name, "ok": True, "seq": seq, "verdict": verdict}


def noted(name: str, seq: int) -> Answer:
    """To an input that is kept in record `seq` and is no event."""
    return {"id": name, "ok": True, "seq": seq}


def to_come(name: str, seq: int, first: int, last: int) -> Answer:
    """To who wants records again: these will be sent."""
    return {"id": name, "ok": True, "seq": seq, Resend.name: {"from": first, "to": last}}


def not_kept(name: str, why: str) -> Answer:
    """To an input that the disk has not taken yet; its own answer is had by the same input again."""
    said = f"the journal cannot be written ({why}): this is not on disk yet; ask again with the same id"
    return refused(name, said, "not_on_disk")


def ordered(name: str, seq: int, order: str, answer: str) -> Answer:
    """To an order whose answer by the device is in record `seq`."""
    if answer == "ok":
        return {"id": name, "ok": True, "seq": seq}
    return {"id": name, "ok": False, "why": f"{order}: {ANSWERS.get(answer, answer)}"}


def under_way(name: str, word: str) -> Answer:
    """To an order that the device has not answered yet, or to another input that is still looked at."""
    why = "the device has not answered yet" if word == "order" else "this is still looked at, say it again"
    return refused(name, f"{word}: {why}", "under_way")


def refused(name: str, why: str, code: str | None = None) -> Answer:
    """`code`: the same as one word, where it comes to nothing as it is, whatever it wants."""
    return {"id": name, "ok": False, "why": why} | ({"code": code} if code else {})


def input_of(fields: Mapping[str, Any]) -> Input:
    """What a person entered under an id."""
    try:
        text = json.dumps(fields, sort_keys=True)
    except RecursionError:
        text = ""
    return Input(_type_of(fields), blake2b(text.encode(), key=_KEY).digest())


def _type_of(fields: Mapping[str, Any]) -> str | None:
    for word in _WORDS:
        if word in fields:
            return word
    name = fields.get("type")
    return name if isinstance(name, str) and name.isprintable() and len(name) <= _TYPE_LENGTH else None


def remember(inputs: Inputs, sender: str, name: str, known: Known, *, settled: bool = False) -> None:
    """Keep an input, at the cost of the oldest of the same sender: nobody makes others' inputs count twice. The first
    one of an id, with its answer, holds, unless it is `settled` only now."""
    own = inputs.setdefault(sender, {})
    if settled or name not in own:
        own[name] = known
    if len(own) > REMEMBERED:
        del own[next(iter(own))]


def recalled(rows: Iterable[Row]) -> Recalled:
    """What these records, in their order, hold of inputs."""
    found = Recalled()
    for row in rows:
        if row.kind == "order":
            _recall_order(found, row, json.loads(row.body)["data"])
        elif row.kind == "input" or (row.kind == "table" and _MARK in row.body):
            _recall(found, row, json.loads(row.body)["data"])
    return found


def _recall(found: Recalled, row: Row, data: Mapping[str, Any]) -> None:
    given = data if row.kind == "input" else data["input"]
    if "code" in given:
        return
    known = Known(Input(_type_in(data)), _answer(row, data, given["id"]))
    remember(found.inputs, _sender(given), given["id"], known)
    if "next" in data:
        said = NextCard(given["id"], given["role"], **data["next"], key=given.get("key"))
        found.told = Told(said, row.round or 0)
    elif row.kind == "table" and found.told is not None and ("instead" in data or _is_by(found.told.card, given)):
        found.told = None


def _recall_order(found: Recalled, row: Row, data: Mapping[str, Any]) -> None:
    if "by" in data:
        answer = ordered(data["id"], row.seq, data["order"], data["answer"])
        remember(found.inputs, data.get("key") or data["by"], data["id"], Known(Input("order"), answer))


def _sender(given: Mapping[str, Any]) -> str:
    """As `Asked.sender`."""
    return str(given.get("key") or given["role"])


def _is_by(card: NextCard, given: Mapping[str, Any]) -> bool:
    return (card.key or card.role, card.id) == (_sender(given), given["id"])


def _type_in(data: Mapping[str, Any]) -> str | None:
    for word in _WORDS:
        if word in data:
            return word
    name: str | None = data["event"]["type"] if "event" in data else data["type"]
    return name


def _answer(row: Row, data: Mapping[str, Any], name: str) -> Answer:
    if row.kind == "table":
        return accepted(name, row.seq, data["verdict"])
    if Resend.name in data:
        return to_come(name, row.seq, data[Resend.name]["from"], data[Resend.name]["to"])
    return refused(name, data["why"]) if "why" in data else noted(name, row.seq)
