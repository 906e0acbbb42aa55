"""What comes for the archive and waits to be stored: so much and no more; what does not fit is asked for again."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

from controller.archive.store import Received
from controller.archive.taking import Of
from controller.config_values import LEVEL
from controller.mqtt import Message
from protocols.floor.topics import ROOT

MOST: Final = 20_000
_MOST_BYTES: Final = 32 << 20
_BATCH: Final = 500
_BATCH_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class Told:
    """What a table says of its journal: its last record, and from which one on it has all."""

    of: Of
    last: int
    oldest: int


@dataclass(slots=True)
class Waiting:
    """In the order in which it came; `lost`: how much did not fit."""

    most: int = MOST
    lost: int = 0
    _messages: deque[Received] = field(default_factory=deque)
    _bytes: int = 0

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, received: Received) -> None:
        size = len(received.payload)
        if len(self._messages) >= self.most or self._bytes + size > _MOST_BYTES:
            self.lost += 1
            return
        self._messages.append(received)
        self._bytes += size

    def batch(self) -> list[Received]:
        """The next ones to be stored together; they are still waiting."""
        found, size = list[Received](), 0
        for each in self._messages:
            size += len(each.payload)
            if found and (len(found) == _BATCH or size > _BATCH_BYTES):
                break
            found.append(each)
        return found

    def took(self, batch: list[Received]) -> None:
        """These do not wait any more."""
        for _ in batch:
            self._bytes -= len(self._messages.popleft().payload)


def table_of(message: Message, site: str) -> tuple[str, str] | None:
    """The table on whose topic of this site it came and the first level below; None where there is no such table."""
    levels = message.topic.removeprefix(f"{ROOT}/{site}/").split("/")
    if not message.topic.startswith(f"{ROOT}/{site}/") or len(levels) < 2 or not LEVEL.fullmatch(levels[0]):
        return None
    return levels[0], levels[1]


def told_in(payload: bytes, source: str) -> Told | None:
    """What this `health` says; None where it is none of this table. A newer table may say more in it than is known."""
    try:
        fields = json.loads(payload)
        epoch, journal = fields["epoch"], fields["journal"]
        last, oldest = journal["last_seq"], journal.get("first_seq", 1)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    sound = fields.get("source") == source and isinstance(epoch, str) and len(epoch) <= 64
    return Told((source, epoch), last, oldest) if sound and _is_number(last) and _is_number(oldest) else None


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63
