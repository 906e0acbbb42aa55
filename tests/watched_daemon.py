"""A daemon that can be looked into, and spoiled: `watched_daemon.py SPOIL... -- run --config FILE`.

On SIGUSR1 it writes down, beside its log, what all objects of our packages tell of themselves: in repr and str, in
JSON, pickled, and in the tracebacks of whatever does not let itself be written. `SPOIL` is `break:STATION:TEXT`, an
error at a station once a call of it has this text in its arguments, or `plant:LEAK`, a leak that has to be found."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import json
import logging
import pickle
import pickletools
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pydantic_core

from controller import ledger
from controller.cli.main import app_for
from controller.journal import Journal
from controller.ledger import Ledger
from controller.outbox import Outbox
from controller.vault import Vault
from firmware_bridge.panel import Panel
from protocols import hidden
from protocols.cards import RANKS, SUITS, Card
from protocols.dealing.check import Check
from protocols.dealing.model import Procedure
from protocols.events import CardDrawn, ReaderPeeked, TableEvent
from protocols.hidden import Hidden, opened, opened_text
from protocols.intake.tdl import TdlIntake
from protocols.wire.tdl.stream import EventStream

OBJECTS = "objects.json"
PACKAGES = ("protocols", "firmware_bridge", "controller")
STATIONS: dict[str, tuple[type, str]] = {
    "decoder": (EventStream, "event"),
    "intake": (TdlIntake, "take"),
    "check": (Check, "step"),
    "ledger": (Ledger, "enter"),
    "vault": (Vault, "seal"),
    "journal": (Journal, "append"),
    "outbox": (Outbox, "_publish"),
    "panel": (Panel, "show"),
}
_CARDS = {f"{rank}{suit}" for rank in RANKS for suit in SUITS}
_log = logging.getLogger("watched")


class Broken(Exception):
    """What a careless program would raise: everything that it was given stands in it."""


def objects() -> list[object]:
    """Every live object of our packages."""
    return [each for each in gc.get_objects() if type(each).__module__.partition(".")[0] in PACKAGES]


def tellings(thing: object) -> Iterator[str]:
    """All that an object tells of itself."""
    for write in (repr, str, _as_json, _as_fields, _pickled):
        try:
            yield write(thing)
        except Exception:
            yield traceback.format_exc()


def _as_json(thing: object) -> str:
    return pydantic_core.to_json(thing).decode()


def _itself(thing: object, memo: object) -> object:
    """A copy of an event loop would be a broken one, which complains when it goes."""
    return thing


setattr(asyncio.BaseEventLoop, "__deepcopy__", _itself)  # noqa: B010


def _as_fields(thing: object) -> str:
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return json.dumps(dataclasses.asdict(thing), default=repr)
    return ""


def _pickled(thing: object) -> str:
    """The values in the pickle, in order: its bytes themselves would be no text to search."""
    return repr([value for _, value, _ in pickletools.genops(pickle.dumps(thing)) if isinstance(value, str)])


def write_objects(folder: Path) -> None:
    """How often each thing is told. Procedures are left out wherever they stand: they are what everybody may read."""
    procedures = _procedures()
    told = Counter(_without(procedures, text) for thing in objects() for text in tellings(thing))
    fresh = folder / f".{OBJECTS}"
    fresh.write_text(json.dumps(told))
    fresh.replace(folder / OBJECTS)


def _procedures() -> list[str]:
    return [repr(thing) for thing in objects() if isinstance(thing, Procedure)]


def _without(parts: Sequence[str], text: str) -> str:
    for part in parts:
        text = text.replace(part, "")
    return text


def break_station(station: str, text: str) -> None:
    owner, name = STATIONS[station]
    original = getattr(owner, name)

    def broken(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        told = repr([each for each in (*args, *kwargs.values(), result) if not isinstance(each, bytes)])
        if text in told:
            raise Broken(f"{station} is broken: {_without(_procedures(), told)}")
        return result

    setattr(owner, name, broken)


def _value(event: TableEvent) -> str | None:
    """What the event withholds."""
    value = event.card if isinstance(event, CardDrawn) else event.result if isinstance(event, ReaderPeeked) else None
    return opened_text(value) if isinstance(value, Hidden) else None


def plant_repr() -> None:
    """A hidden value tells itself."""
    Hidden.__repr__ = opened_text  # type: ignore[method-assign]


def plant_pickle() -> None:
    """A hidden value lets itself be pickled."""
    Hidden.__reduce__ = _reduced  # type: ignore[method-assign,assignment]


def _reduced(self: Hidden) -> tuple[Any, ...]:
    return hidden.hide_text, (opened_text(self),)


def plant_log() -> None:
    """The ledger logs what it enters."""
    _after_enter(lambda event: _log.debug("entered: %s", _value(event)))


def plant_object() -> None:
    """A card is kept open somewhere."""
    kept: list[object] = []
    _after_enter(lambda event: kept.append(Card.parse(value)) if (value := _value(event)) in _CARDS else None)


def _after_enter(do: Callable[[TableEvent], object]) -> None:
    original = Ledger.enter

    def enter(self: Ledger, fact: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(fact, TableEvent):
            do(fact)
        return original(self, fact, *args, **kwargs)

    Ledger.enter = enter  # type: ignore[method-assign]


def plant_record() -> None:
    """The record shows what is withheld."""
    ledger.as_shown = _shown_whole  # type: ignore[assignment, attr-defined]


def _shown_whole(event: TableEvent, _: Check) -> TableEvent:
    match event:
        case CardDrawn(card=Hidden() as card):
            return event.model_copy(update={"card": opened(card)})
        case ReaderPeeked(result=Hidden() as result):
            return event.model_copy(update={"result": opened_text(result)})
        case _:
            return event


PLANTS: dict[str, Callable[[], None]] = {
    "repr": plant_repr,
    "pickle": plant_pickle,
    "log": plant_log,
    "object": plant_object,
    "record": plant_record,
}


def main(arguments: Sequence[str]) -> None:
    dashes = arguments.index("--")
    for spoil in arguments[:dashes]:
        kind, name, *text = spoil.split(":", 2)
        break_station(name, *text) if kind == "break" else PLANTS[name]()
    command = list(arguments[dashes + 1 :])
    folder = Path(command[command.index("--config") + 1]).parent
    signal.signal(signal.SIGUSR1, lambda *_: write_objects(folder))
    app_for(command)(command)


if __name__ == "__main__":
    main(sys.argv[1:])
