"""The table: the only reader of the intake queue and the only writer of records.

Each fact is checked at once, the dealer's display told, and the record handed to the journal without waiting; once it
is on disk the device gets its acknowledgement and the bus the record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from controller.journal import Journal
from controller.journal_file import Row
from controller.ledger import Ledger
from firmware_bridge.arrival import Arrival, Intake
from protocols.verdicts import Verdict

Display = Callable[[Verdict, tuple[str, ...]], None]
Committed = Callable[[Sequence[Row]], None]


class Table:
    """`display` gets each verdict and what is due next, at once; `committed` gets records once they are on disk."""

    def __init__(self, ledger: Ledger, journal: Journal, display: Display, committed: Committed) -> None:
        self._ledger = ledger
        self._journal = journal
        self._display = display
        self._committed = committed
        self._storing: asyncio.Queue[tuple[Arrival, Sequence[Row], asyncio.Future[None]]] = asyncio.Queue()

    async def run(self, intake: Intake) -> None:
        """Take arrivals until cancelled; JournalError where a record cannot be stored."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._settle())
            while True:
                self._take(await intake.get())
                intake.task_done()

    async def stored(self) -> None:
        """Wait until everything that was taken is on disk and handed on."""
        await self._storing.join()

    def _take(self, arrival: Arrival) -> None:
        rows: list[Row] = []
        snapshot = None
        for fact in arrival.facts:
            entry = self._ledger.enter(fact, arrival.mono_ns)
            rows += entry.rows
            snapshot = entry.snapshot or snapshot
            if entry.verdict is not None:
                self._display(entry.verdict, self._ledger.due())
        self._storing.put_nowait((arrival, rows, self._journal.append(rows, snapshot)))

    async def _settle(self) -> None:
        """Once a record is on disk: the acknowledgement to its device, the record to the bus."""
        while True:
            arrival, rows, on_disk = await self._storing.get()
            await on_disk
            if arrival.stored is not None:
                arrival.stored()
            self._committed(rows)
            self._storing.task_done()
