"""Old records are let go while no daemon runs, as the daemon does it itself."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from controller.ages import Old
from controller.clock import Clock
from controller.journal import Journal, Trouble
from controller.journal_file import JournalError, Row, reading, signed_by
from controller.journal_schema import stored_source
from controller.record_row import Place, record_row
from controller.retention import Pruning, planned
from protocols.floor.checkpoints import WHAT, Signer
from protocols.records import SystemNoted, body_of


async def prune_journal(path: Path, old: Old, signer: Signer) -> Pruning | None:
    """Let go what is old; None where nothing can. JournalError where a daemon uses the journal, or
    it cannot be written."""
    with reading(path) as connection:
        source = stored_source(connection, path)
    journal = Journal.open(path, source.site, source.table)
    try:
        _is_the_tables(signer, path)
        pruning = planned(path, old)
        if pruning is not None:
            await _note(journal, pruning, signer)
            await journal.prune(pruning.through, [*pruning.kept])
    except JournalError:
        with suppress(JournalError):
            await journal.close()
        raise
    await journal.close()
    return pruning


def _is_the_tables(signer: Signer, path: Path) -> None:
    """JournalError where another key signed last: a record of the change is written by the daemon alone."""
    before = signed_by(path)
    if before not in (None, signer.key_id):
        raise JournalError(
            f"{path}: key {before} signed last, and this is key {signer.key_id}: give the table's own, or have its "
            "daemon start once with the new one"
        )


async def _note(journal: Journal, pruning: Pruning, signer: Signer) -> None:
    clock, now = Clock(), time.monotonic_ns()

    def row(note: SystemNoted, after: int, prev: str) -> Row:
        kind, fields = body_of(note)
        return record_row(journal.source, Place(after + 1, prev, journal.last_round), kind, fields, clock, now)

    told = row(pruning.note(), journal.last_seq, journal.last_hash)
    checkpoint = signer.checkpoint(journal.epoch, told.seq, told.hash.hex())
    signed = row(SystemNoted(WHAT, checkpoint.data()), told.seq, told.hash.hex())
    await _on_disk(journal, journal.append([told, signed], checkpoints=[checkpoint]))


async def _on_disk(journal: Journal, writing: asyncio.Future[None]) -> None:
    """Until it is written; JournalError where the disk does not take it now: nobody waits here for room."""
    full = asyncio.get_running_loop().create_future()

    def tell(trouble: Trouble) -> None:
        if not full.done():
            full.set_result(trouble.why)

    journal.on_trouble = tell
    await asyncio.wait([writing, full], return_when=asyncio.FIRST_COMPLETED)
    if not writing.done():
        raise JournalError(f"{journal.path}: the disk takes nothing ({full.result()}), and nothing was let go")
    await writing
