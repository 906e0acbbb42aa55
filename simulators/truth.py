"""The ground truth of a simulated table as JSON Lines: what happened, whatever came through."""

from __future__ import annotations

import json
import os
import re
import time
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from protocols.cards import Card
from simulators.table import Moment
from simulators.texts import unwritten_told


class TruthFile:
    """One line an act, on disk before the act's bytes are sent. Values lie open in it, so only its owner may read it.

    `n` counts acts from 1, `mono_ns` is the monotonic clock, `heard` whether a host had the line open; `line` names
    the line fault, `code` what the check must say. A line `{"n": 7, "lost": true}` follows where the line then did not
    take all bytes of act 7; `{"finished": true}` is the last."""

    def __init__(self, path: Path) -> None:
        """ShoewatchError where there can be no such file; so from whatever is written to it later."""
        self._path = path
        self._count = 0
        with unwritten_told(path):
            self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w")

    def tell(self, moment: Moment, *, heard: bool, line: str | None) -> int:
        """Write a moment of an Angel Eye table down; its number."""
        return self.note(moment.round, moment.act, heard=heard, sent=moment.sent.hex(), code=moment.code, line=line)

    def note(self, number: int, act: object, **told: Any) -> int:
        """Write an act of the round `number` down, with what else is told of it; its own number."""
        self._count += 1
        first = {"n": self._count, "mono_ns": time.monotonic_ns(), "round": number}
        self._write({**first, **act_fields(act), **{key: item for key, item in told.items() if item is not None}})
        return self._count

    def refused(self, why: str) -> None:
        """The daemon did not take what a person said of the last act."""
        self._write({"n": self._count, "refused": why})

    def lost(self, number: int) -> None:
        """The bytes of this act did not all go out."""
        self._write({"n": number, "lost": True})

    def finished(self) -> None:
        """The last round is over and sent."""
        self._write({"finished": True})

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()

    def _write(self, told: dict[str, Any]) -> None:
        with unwritten_told(self._path):
            self._file.write(json.dumps(told) + "\n")
            self._file.flush()


def act_fields(act: Any) -> dict[str, Any]:
    """`{"act": "burn_counted", "card": "Kh", "left": 2}`."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(act).__name__).lower()
    values = {field.name: getattr(act, field.name) for field in fields(act)}
    return {"act": name, **{key: str(item) if isinstance(item, Card) else item for key, item in values.items()}}
