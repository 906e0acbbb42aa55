"""A table that is killed after every record answers everything as one that never was, in every procedure."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from dealt_anywhere import as_told_by_devices, dealt_log

from controller.clock import Clock
from controller.export import table_log
from controller.journal import Journal
from controller.journal_file import read_all, read_snapshot
from controller.ledger import Entry, Ledger
from controller.recovery import fresh, recovered
from controller.standing import Standing
from controller.vault import Vault
from protocols.dealing.catalog import procedure_named, procedures
from protocols.dealing.check import Check
from protocols.dealing.digest import digest
from protocols.events import Event, LogHeader
from protocols.floor.messages import Source
from protocols.verdicts import Verdict
from simulators.dealt_log import DealtLog

VAULT = Vault(bytes(32))


@dataclass(frozen=True, slots=True)
class Said:
    """What a table says once it has entered an event, without what is drawn by lot: nonces and what they change."""

    verdict: Verdict | None
    state: str
    due: Sequence[str]
    withheld: frozenset[tuple[int, str]]
    round: int


def said(entry: Entry, standing: Standing) -> Said:
    withheld = frozenset((n, each.name) for n, each in standing.withheld.items())
    check = standing.check
    return Said(entry.verdict, digest(check.histories, {}), check.due(), withheld, standing.round)


def table(source: Source, standing: Standing, header: LogHeader) -> Ledger:
    return Ledger(source, standing, header, procedure_named(header.procedure or ""), VAULT, Clock("boot"))


def never_killed(source: Source, log: DealtLog) -> Iterator[Said]:
    ledger = table(source, fresh(log.header, procedure_named(log.header.procedure or "")).standing, log.header)
    ledger.header(0)
    for event in map(as_told_by_devices, log.events):
        entry = ledger.enter(event, 0)
        yield said(entry, ledger.standing)


class Killed:
    """A table that is read from its journal for each event; with `quick` it may begin where the last round ended."""

    def __init__(self, path: Path, header: LogHeader, *, quick: bool) -> None:
        self._path = path
        self._header = header
        self._quick = quick
        self._journal = Journal.open(path, "riverside", "bj-01")

    async def begin(self) -> None:
        standing = fresh(self._header, procedure_named(self._header.procedure or "")).standing
        await self._journal.append([table(self._journal.source, standing, self._header).header(0)])

    async def says(self, event: Event) -> Said:
        found = recovered(self._path, self._journal.epoch, procedure_named, VAULT)
        assert found is not None
        assert found.differs is None
        ledger = table(self._journal.source, found.standing, self._header)
        entry = ledger.enter(event, 0)
        await self._journal.append(list(entry.rows), entry.snapshot if self._quick else None)
        return said(entry, ledger.standing)

    async def end(self) -> None:
        await self._journal.close()


def check_resumed(path: Path, log: DealtLog, *, quick: bool) -> None:
    async def dealt() -> list[Said]:
        killed = Killed(path, log.header, quick=quick)
        await killed.begin()
        found = [await killed.says(event) for event in map(as_told_by_devices, log.events)]
        await killed.end()
        return found

    found = asyncio.run(dealt())
    source = Source("riverside", "bj-01", "0" * 32)
    for number, (each, expected) in enumerate(zip(found, never_killed(source, log), strict=True), start=1):
        assert each == expected, f"event {number} of {log.header.procedure}: {log.events[number - 1]}"
    assert (read_snapshot(path) is not None) == quick
    check_exported_twice(path, [each.verdict for each in found if each.verdict])


def check_exported_twice(path: Path, live: Sequence[Verdict]) -> None:
    """The log that the journal exports is answered as it was at the table, each time it is checked."""
    exported = table_log(read_all(path))
    states = set()
    for _ in range(2):
        assert exported.header is not None
        check, verdicts = Check.start(exported.header), list[Verdict]()
        for event in exported.events:
            check, verdict = check.step(event)
            verdicts.append(verdict)
        assert verdicts == list(live)
        states.add(digest(check.histories, {}))
    assert len(states) == 1


@pytest.mark.parametrize("quick", [True, False], ids=["from the last round", "from the header"])
@pytest.mark.parametrize("procedure", procedures())
def test_a_table_killed_after_every_record(tmp_path: Path, procedure: str, quick: bool) -> None:
    log = dealt_log(procedure, seed=7, rounds=2, withhold=quick)
    check_resumed(tmp_path / "journal.db", log, quick=quick)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("withhold", [True, False])
@pytest.mark.parametrize("procedure", procedures())
def test_a_table_killed_after_every_record_soak(tmp_path: Path, procedure: str, withhold: bool, seed: int) -> None:
    log = dealt_log(procedure, seed, rounds=8, rate=0.6, withhold=withhold)
    check_resumed(tmp_path / "journal.db", log, quick=seed % 2 == 0)
