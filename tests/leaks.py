"""A detector for what lies face down: everything that can be seen of a table from outside, and what to look for."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command import shoewatch
from mqtt_table import Listener, until
from own_table import OwnTable
from proxy import Proxy

WATCHED = (sys.executable, str(Path(__file__).with_name("watched_daemon.py")))
OBJECTS = "objects.json"

_FORMS = ((), ("--json",), ("--html", "-"))
_OF_JOURNAL = (
    ("export",),
    ("export", "--format", "jsonl"),
    ("export", "--format", "csv"),
    ("replay",),
    ("replay", "--option", "soft_17=hit"),
)

Seen = Mapping[str, Sequence[str | bytes]]
"""By channel: `records`, `journal`, `log`, `panel`, `messages`, `traffic`, `objects`, `read`: what is read of the
journal afterwards."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A value in every form in which it can be written: as a text in words, and among bytes that are no text."""

    words: re.Pattern[str]
    raw: re.Pattern[bytes]

    def channels(self, seen: Seen) -> set[str]:
        """Where it was found."""
        return {channel for channel, told in seen.items() if any(map(self._is_in, told))}

    def _is_in(self, told: str | bytes) -> bool:
        pattern = self.raw if isinstance(told, bytes) else self.words
        return pattern.search(told) is not None  # type: ignore[arg-type]


def card_secret(card: str) -> Secret:
    """A card with a suit that no hexadecimal number has."""
    rank, suit = card[0], card[1]
    forms = (
        rf"(?<![A-Za-z0-9]){card}(?![A-Za-z0-9])",
        rf"rank\W+{rank}\W+suit\W+{suit}\b",
        rf"(?<![A-Za-z0-9]){rank}['\", ]+{suit}(?![A-Za-z0-9])",
    )
    raw = rf"[\"'\s:=,\[(]{card}[\"'\s,\])}}]|rank\W+{rank}\W+suit\W+{suit}\b"
    return Secret(re.compile("|".join(forms)), re.compile(raw.encode()))


def peek_secret() -> Secret:
    """What a reader says, as a value: names of rules and fields have the word in them too."""
    return Secret(re.compile(r"(?<![a-z_])(no_)?natural(?![a-z_=])"), re.compile(rb"[\"'](no_)?natural[\"']"))


def everything_read(journal: Path, rounds: Iterable[int | None]) -> list[str]:
    """All that the commands tell of these rounds and of the whole, in every form."""
    about = [("rounds", "list"), ("rounds", "list", "--json"), *(("journal", *words) for words in _OF_JOURNAL)]
    read = [shoewatch(*words, str(journal)) for words in about]
    numbers = sorted({number for number in rounds if number is not None})
    show = [("rounds", "show", str(number), str(journal), *form) for number in numbers for form in _FORMS]
    return [each.stdout + each.stderr for each in (*read, *(shoewatch(*words) for words in show))]


class Watch:
    """Whoever listens at a table: to its messages, and to its line to the broker (None: there is no broker)."""

    def __init__(self, table: OwnTable, listener: Listener | None = None, proxy: Proxy | None = None) -> None:
        self._table = table
        self._listener = listener
        self._proxy = proxy
        self._before: Counter[str] = Counter()

    async def begin(self) -> None:
        """What objects tell that are there before any card is, such as the list of all cards, tells of none."""
        self._before = await self._objects()

    async def seen(self) -> Seen:
        """Everything that can be seen now; the messages are those of all records on disk."""
        last, listener = self._table.journal.rows()[-1].seq, self._listener
        await until(lambda: listener is None or max(listener.ids, default=0) >= last)
        await until(lambda: listener is None or any(state["seq"] >= last for state in self.states))
        return {**self.left(), "objects": list(await self._objects() - self._before)}

    def left(self) -> Seen:
        """What a daemon has left that has ended."""
        folder, table = self._table.folder, self._table
        messages = self._listener.messages if self._listener else []
        return {
            "records": [row.body.decode() for row in table.journal.rows()],
            "journal": [(folder / name).read_bytes() for name in ("journal.db", "journal.db-wal")],
            "log": [(folder / "daemon.log").read_text()],
            "panel": [line.decode() for line in table.display.lines] + list(map(json.dumps, table.answers)),
            "messages": [f"{each.topic} {each.payload.decode()}" for each in messages],
            "traffic": [bytes(self._proxy.traffic)] if self._proxy else [],
            "read": everything_read(folder / "journal.db", [row.round for row in table.journal.rows()]),
        }

    @property
    def states(self) -> list[dict[str, Any]]:
        """What stood on the broker, one after the other."""
        messages = self._listener.messages if self._listener else []
        return [json.loads(each.payload) for each in messages if each.topic.endswith("/state")]

    @property
    def topics(self) -> list[str]:
        """Of the records' messages, in order."""
        messages = self._listener.messages if self._listener else []
        return [each.topic for each in messages if "/evt/" in each.topic]

    async def _objects(self) -> Counter[str]:
        file = self._table.folder / OBJECTS
        file.unlink(missing_ok=True)
        self._table.daemon.signal(signal.SIGUSR1)
        await until(file.exists)
        return Counter(json.loads(file.read_text()))
