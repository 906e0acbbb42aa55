"""Whether the records of each table come without gap and unchanged, as a reader of MQTT can tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocols.floor.following import Broken, Following, Gap, NotOurs, Repeat


class Chains:
    """Where every table stands of which a record was seen."""

    def __init__(self) -> None:
        self._tables: dict[str, Following] = {}

    def take(self, message: Mapping[str, Any], body: bytes) -> str | None:
        """What is wrong between this record and the one before it, None where nothing is."""
        source = message.get("source")
        if not isinstance(source, str):
            return "a record without source"
        before = self._tables.get(source, Following(source, anywhere=True))
        after, heard = before.take(body)
        table = source[1:]
        problem: str | None = None
        match heard:
            case NotOurs(why):
                return f"{table}: {why}"
            case Repeat(seq):
                last = after.place.link.seq if after.place else 0
                return f"{table} #{seq} is repeated (last was #{last})"
            case Gap(_, first, last):
                problem = f"{table}: records {first} to {last} are missing"
            case Broken(_, why):
                problem = f"{table}: {why}"
        self._tables[source] = after.skip_to(body)
        return problem
