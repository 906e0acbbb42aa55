"""Where the journal stands with a device that numbers its events, however long ago it last said something."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from controller.journal_file import read_back
from controller.recovery import event_of
from protocols.records import DeviceReported, Fact, Kind

_NUMBERED: Final[tuple[Kind, ...]] = ("table", "device")
_OF_DEVICES: Final[tuple[Kind, ...]] = ("device",)


def last_numbered(path: Path, device: str) -> tuple[Fact, ...]:
    """The device's last fact with a number, as everybody could see it; nothing where the journal has none.

    To be put before the facts of the last rounds: those may not reach back to it."""
    for fields in backwards(path, _NUMBERED, f'"actor":"{device}"', f'"device":"{device}"'):
        if fields["kind"] == "device" and fields["device"] == device and "eseq" in fields["data"]:
            return (DeviceReported(device, fields["report"], fields["data"]),)
        if fields["kind"] == "table" and fields["event"].get("actor") == device and "seq" in fields["event"]:
            return (event_of(fields),)
    return ()


def standing_errors(path: Path, device: str) -> tuple[Fact, ...]:
    """The device's errors that it has not cleared since, nor has it started anew.

    To be put before the device's other facts: those may have some of them again."""
    found: dict[str, Fact | None] = {}
    for fields in backwards(path, _OF_DEVICES, '"report":"error', '"report":"boot"'):
        report, data = fields["report"], fields["data"]
        if fields["device"] != device:
            continue
        if report == "boot":
            break
        if report in ("error", "error-cleared") and "code" in data:
            found.setdefault(data["code"], DeviceReported(device, report, data) if report == "error" else None)
    return tuple(fact for fact in reversed(found.values()) if fact)


def last_attested(path: Path, device: str) -> tuple[Fact, ...]:
    """What the device last attested, unless it told since that its settings were changed.

    To be put before the device's other facts."""
    for fields in backwards(path, _OF_DEVICES, '"report":"attested"', '"report":"setting"'):
        if fields["device"] == device and fields["report"] in ("attested", "setting"):
            found = fields["report"] == "attested"
            return (DeviceReported(device, "attested", fields["data"]),) if found else ()
    return ()


def backwards(path: Path, kinds: Sequence[Kind], *texts: str) -> Iterator[Mapping[str, Any]]:
    """The data of the records that hold one of the texts, the newest first."""
    for row in read_back(path, kinds, texts):
        yield json.loads(row.body)["data"]
