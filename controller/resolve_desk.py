"""Supervisors' decisions on rounds, on their way from the panel to the table: each is held against the round as the
journal has it, beside the table, which goes on meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from controller.journal import Journal
from controller.resolving import objection
from controller.rounds.kept import InJournal
from controller.rounds.reconstruct import reconstructed
from controller.rounds.rows import round_records
from firmware_bridge.arrival import Arrival, Asked, Intake
from firmware_bridge.threads import in_own_thread
from protocols.dealing.catalog import Catalog
from protocols.errors import ShoewatchError
from protocols.records import InputRefused, Resolution


class ResolveDesk:
    """`catalog`: the procedures that the table knows."""

    def __init__(self, intake: Intake, journal: Journal, path: Path, catalog: Callable[[], Catalog]) -> None:
        self._intake = intake
        self._journal = journal
        self._path = path
        self._catalog = catalog
        self._asked: asyncio.Queue[tuple[Resolution, Asked]] = asyncio.Queue()

    def give(self, resolution: Resolution, asked: Asked) -> None:
        """Have a decision looked at; it comes back to the table, as it is or refused."""
        self._asked.put_nowait((resolution, asked))

    async def serve(self) -> None:
        """Look at one after the other, for ever."""
        while True:
            resolution, asked = await self._asked.get()
            await self._journal.answer()
            why = await in_own_thread(partial(self._objection, resolution), "a decision on a round")
            fact = refused(resolution, why) if why else resolution
            await self._intake.put(Arrival((fact,), time.monotonic_ns(), asked=asked))

    def _objection(self, resolution: Resolution) -> str | None:
        try:
            return objection(
                resolution, reconstructed(round_records(InJournal(self._path), resolution.round), self._catalog())
            )
        except ShoewatchError as error:
            return str(error).removeprefix(f"{self._path}: ")


def refused(resolution: Resolution, why: str) -> InputRefused:
    """The record of a decision that cannot be."""
    return InputRefused(resolution.id, resolution.role, resolution.name, f"{resolution.name}: {why}", resolution.key)
