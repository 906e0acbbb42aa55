"""What a simulated floor has done so far: told by each of its processes, added up for the person who runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pydantic import TypeAdapter

from controller.cli.simulated_table import listed

State = Literal["starting", "playing", "over", "failed"]
_MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class TableCounts:
    """One table: its events, its records on disk and those that the broker has, violations by code; `why` it failed."""

    state: State = "starting"
    events: int = 0
    records: int = 0
    published: int = 0
    violations: dict[str, int] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class PartCounts:
    """One process: its tables by name, the processor time that it has used, in seconds, and its memory, in bytes."""

    tables: dict[str, TableCounts]
    cpu_s: float = 0.0
    memory: int = 0


PART: Final = TypeAdapter(PartCounts)


@dataclass(frozen=True, slots=True)
class FloorCounts:
    """All processes at one time, in seconds on any clock."""

    parts: tuple[PartCounts, ...]
    at_s: float

    @property
    def tables(self) -> Mapping[str, TableCounts]:
        return {name: table for part in self.parts for name, table in part.tables.items()}

    @property
    def has_begun(self) -> bool:
        """Whether no table is still to come."""
        return all(table.state != "starting" for table in self.tables.values())

    @property
    def is_over(self) -> bool:
        """Whether no table goes on."""
        return all(table.state in ("over", "failed") for table in self.tables.values())

    @property
    def violations(self) -> Counter[str]:
        return sum((Counter(table.violations) for table in self.tables.values()), Counter[str]())

    def line(self, before: FloorCounts) -> str:
        """What there is now, and how fast it went since `before`."""
        tables, seconds = self.tables, max(self.at_s - before.at_s, 1e-9)
        behind = [table.records - table.published for table in tables.values()]
        rate = (self.total("events") - before.total("events")) / seconds
        return (
            f"{self.playing} of {len(tables)} tables, {self.total('events')} events ({rate:.1f}/s), "
            f"{self.total('published')} records published, {sum(behind)} behind (worst table {max(behind)}), "
            f"a table {100 * self.cpu_since(before) / seconds / len(tables):.2f} % CPU and "
            f"{sum(part.memory for part in self.parts) / _MIB / len(tables):.1f} MiB"
        )

    @property
    def playing(self) -> int:
        return sum(table.state == "playing" for table in self.tables.values())

    def total(self, what: Literal["events", "records", "published"]) -> int:
        """The sum over all tables."""
        return sum(getattr(table, what) for table in self.tables.values())

    def cpu_since(self, before: FloorCounts) -> float:
        """Processor seconds of all processes since then."""
        return sum(part.cpu_s for part in self.parts) - sum(part.cpu_s for part in before.parts)

    def failures(self) -> Iterator[str]:
        """Every table that failed, and why."""
        for name, table in self.tables.items():
            if table.state == "failed":
                yield f"{name} has failed: {table.why}"

    def summary(self, begun: FloorCounts, made: Counter[str] | None) -> Iterator[str]:
        """What became of it; `begun`: when all tables had come up; `made`: the misdeals, where there may be some."""
        yield f"after {self.at_s - begun.at_s:.1f} s: {self.line(begun)}"
        if made is not None:
            yield f"misdeals that the simulated dealers made: {listed(made)}"
        yield f"violations that the tables told: {listed(self.violations)}"
        yield from self.failures()


def unheard(names: Iterable[str]) -> PartCounts:
    """A process that has told nothing yet."""
    return PartCounts({name: TableCounts() for name in names})
