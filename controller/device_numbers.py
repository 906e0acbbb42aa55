"""Where the journal stands with a device that numbers its events, however long ago it last said something."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from controller.recovery import event_of
from protocols.records import DeviceReported, Fact


def last_numbered(path: Path, device: str) -> tuple[Fact, ...]:
    """The device's last fact with a number, as everybody could see it; nothing where the journal has none.

    To be put before the facts of the last rounds: those may not reach back to it."""
    for fields in _backwards(path, device):
        if fields["kind"] == "device" and fields["device"] == device and "eseq" in fields["data"]:
            return (DeviceReported(device, fields["report"], fields["data"]),)
        if fields["kind"] == "table" and fields["event"].get("actor") == device and "seq" in fields["event"]:
            return (event_of(fields),)
    return ()


def _backwards(path: Path, device: str) -> Iterator[Mapping[str, Any]]:
    """The data of the records that may be of this device, the newest first."""
    select = (
        "SELECT body FROM record WHERE kind IN ('table', 'device') AND (instr(body, ?) OR instr(body, ?))"
        " ORDER BY seq DESC"
    )
    named = [f'"{name}":"{device}"'.encode() for name in ("actor", "device")]
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        for (body,) in connection.execute(select, named):
            yield json.loads(body)["data"]
