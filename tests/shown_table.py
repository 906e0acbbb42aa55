"""What the floor is shown of a table, record by record, without a journal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from kept_rounds import VAULT, as_told_by_devices

from controller.clock import Clock
from controller.ledger import Ledger
from controller.recovery import fresh
from controller.shown import Shown
from controller.table_state import state_of
from protocols.dealing.catalog import procedure_named
from protocols.events import LogHeader
from protocols.floor.contract.state import State
from protocols.floor.messages import Source
from protocols.records import Fact

SOURCE = Source("riverside", "bj-07", "epoch")
TIME = "2026-11-30T07:03:48.143Z"

Fields = dict[str, Any]


def message_of(shown: Shown, *, reader: bool = True, alarms: tuple[str, ...] = ()) -> bytes:
    """The payload, which can be read again as what it was made from."""
    made = state_of(shown, SOURCE, TIME, reader=reader, alarms=alarms)
    payload = made.message()
    assert State.read(payload) == made
    return payload


def read(payload: bytes) -> Fields:
    fields: Fields = json.loads(payload)
    return fields


def messages(*parts: tuple[LogHeader, Iterable[Fact]]) -> Iterator[bytes]:
    """The state at the beginning and after each fact, part by part each under its header."""
    shown: Shown | None = None
    for header, facts in parts:
        procedure = procedure_named(header.procedure or "")
        standing = fresh(header, procedure).standing if shown is None else shown.standing
        ledger = Ledger(SOURCE, standing, header, procedure, VAULT, Clock("boot"))
        if shown is None:
            ledger.header(0)
            shown = Shown(ledger.standing)
            yield message_of(shown)
        for fact in facts:
            shown = shown.after([ledger.enter(as_told_by_devices(fact), 0)], ledger.standing, ())
            yield message_of(shown)


def states(*parts: tuple[LogHeader, Iterable[Fact]]) -> list[Fields]:
    return [read(each) for each in messages(*parts)]
