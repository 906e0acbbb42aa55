"""The examples of the contract: what simulated tables publish, one message of each sort; and, of the kinds that no such
evening brings, messages made by their models. `make contract` writes them anew."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from heard import EVENINGS, Heard, evening

import controller.contract
from controller import app
from controller.broker import EmbeddedBroker
from controller.clock import Clock
from controller.contract.asyncapi import EXAMPLES
from protocols.floor.checkpoints import key_id
from protocols.floor.contract.archive import ArchiveHello, Stored, Wanted
from protocols.floor.contract.commands import Ack, Command, CommandBody
from protocols.floor.contract.health import ClockHealth, Component, Health, JournalHealth
from protocols.floor.contract.state import (
    HandStanding,
    LastFinding,
    LinkStanding,
    ReaderStanding,
    RoundStanding,
    ShoeStanding,
    State,
)
from protocols.floor.contract.wire import Wire
from protocols.floor.messages import digest

PATH = Path(controller.contract.__file__).with_name(EXAMPLES)
_SOURCE, _EPOCH, _TIME = "/riverside/bj-07", "8f3c1d5e90ab42c7", "2026-11-30T07:03:48.143Z"
_BOOT = "5f0c9e2a-7d41-4b8e-9a36-1c2d3e4f5a6b"
_LATER = "2026-11-30T07:04:03.143Z"

Example = dict[str, Any]


def sort_of(heard: Heard) -> str:
    """What tells one example of a kind of message from the others."""
    value = heard.value
    match heard.name, value:
        case "record", {"data": {"kind": "table", "event": {"type": event}}}:
            return str(event)
        case "record", {"data": {"kind": "system", "what": what}}:
            return f"system: {what}"
        case "record", {"data": {"kind": "device", "report": report}}:
            return f"device: {report}"
        case "record", {"data": {"kind": "input"} as data}:
            return f"input: {next(name for name in ('next', 'inspected', 'resolution', 'why') if name in data)}"
        case "record", {"data": {"kind": kind}}:
            return str(kind)
        case "status", {"status": status}:
            return str(status)
        case "state", {"round": {"open": True}, "hands": [_, _, *_]}:
            return "in the middle of a round"
        case "state", {"round": {"open": False}}:
            return "between rounds"
        case "metric", _:
            return heard.topic.rpartition("/")[2]
    return heard.name


def examples(heard: Iterable[Heard]) -> dict[str, list[Example]]:
    """The first message of each sort, and those that are made, by kind."""
    found: dict[str, dict[str, Any]] = {}
    for each in heard:
        found.setdefault(each.name, {}).setdefault(sort_of(each), each.value)
    told = {
        name: [{"name": sort, "payload": payload} for sort, payload in sorted(sorts.items())]
        for name, sorts in found.items()
    }
    return {**dict(_made()), **told}


def all_heard() -> Iterator[Heard]:
    for name in EVENINGS:
        with (
            tempfile.TemporaryDirectory() as folder,
            pytest.MonkeyPatch.context() as monkeypatch,
            EmbeddedBroker() as broker,
        ):
            monkeypatch.setattr(app, "Clock", partial(Clock, _BOOT))
            yield from evening(name, Path(folder), monkeypatch, broker)


def _made() -> Iterator[tuple[str, list[Example]]]:
    yield "state", [_example("in the middle of a round", _state())]
    yield "health", [_example("all is well", _health())]
    yield "metric", [{"name": "a number", "payload": 1184}]
    command, answer = _command()
    yield "command", [_example("round-opened", command)]
    refused = answer.model_copy(update={"ok": False, "seq": None, "why": "it came too late", "code": "expired"})
    yield "ack", [_example("done", answer), _example("refused", refused)]
    stored, wanted = Stored(epoch=_EPOCH, seq=131), Wanted(epoch=_EPOCH, nak=120)
    yield "archive-ack", [_example("stored", stored), _example("wanted again", wanted)]
    yield "archive-hello", [_example("hello", ArchiveHello())]


def _example(name: str, message: Wire) -> Example:
    return {"name": name, "payload": json.loads(message.message())}


def _state() -> State:
    links = {
        "shoe": LinkStanding(state="ready", since=_TIME, loss=None, losses=0),
        "reader": LinkStanding(state="ready", since=_LATER, loss="gone", losses=1),
    }
    return State(
        source=_SOURCE,
        epoch=_EPOCH,
        seq=131,
        time=_LATER,
        procedure="nd-card-reader",
        family="blackjack",
        options={"decks": 6, "peek": "required"},
        method="peek",
        round=RoundStanding(number=12, open=True, disputed=False, judged=True),
        hands=(HandStanding(place="box:1", cards=("9h", "2c")), HandStanding(place="dealer", cards=("Kh", None))),
        shoe=ShoeStanding(faulted=False, cutting_card=False, drawn=57),
        reader=ReaderStanding(out=False, code=None),
        due=("player.acted",),
        remarks=(),
        last=LastFinding(seq=129, outcome="warning", code="call_missing", rule="6.4", detail="No call was made."),
        links=links,
        alarms=(),
    )


def _health() -> Health:
    return Health(
        source=_SOURCE,
        epoch=_EPOCH,
        time=_LATER,
        version="0.1.0",
        uptime_s=5310.2,
        ok=True,
        components={"the table": Component(ok=True, waits_s=0.0)},
        journal=JournalHealth(last_seq=131, published_seq=131, confirmed_seq=131, first_seq=1, parked=0, trouble=None),
        links={"shoe": "ready", "reader": "ready"},
        clock=ClockHealth(synchronised=True),
        memory_bytes=48_000_000,
        alarms=(),
    )


def _command() -> tuple[Command, Ack]:
    private = Ed25519PrivateKey.generate()
    body = CommandBody.model_validate({"epoch": _EPOCH, "based_on": 131, "boxes": [1, 3]}, strict=False)
    unsigned = Command(
        id="pit-3-0412",
        table=_SOURCE,
        name="round-opened",
        issued=_TIME,
        not_after=_LATER,
        key=key_id(private.public_key().public_bytes_raw()),
        body=body.message().decode(),
        signature="0" * 128,
    )
    command = unsigned.model_copy(update={"signature": private.sign(unsigned.signed()).hex()})
    return command, Ack(id=command.id, ok=True, seq=132, command=digest(command.message()))


def main(found: Mapping[str, list[Example]]) -> None:
    PATH.write_text(json.dumps(dict(sorted(found.items())), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(examples(all_heard()))
