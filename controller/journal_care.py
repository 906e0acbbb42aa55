"""What the daemon does for its journal besides writing it: says when the disk takes nothing, lets old records go, and
notes that another key signs than before."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from controller import config
from controller.ages import now, older_than
from controller.config import Config
from controller.config_values import KeyFile
from controller.journal import Journal, Trouble
from controller.journal_file import JournalError, last_start, read_all, signed_by
from controller.key_files import make_key, read_key, read_key_ring
from controller.recovery import Recovered
from controller.retention import planned
from controller.vault import Vault, VaultError
from firmware_bridge.threads import in_own_thread
from protocols.floor.checkpoints import Signer
from protocols.floor.evidence import KEY_CHANGED
from protocols.records import SystemNoted

_A_DAY_S: Final = 24 * 60 * 60.0
_log: Final = logging.getLogger(__name__)

Note = Callable[[SystemNoted], Awaitable[None]]
"""Have it recorded; done once it is on disk."""


class JournalCare:
    """`tell` gets what is wrong with the journal now, nothing once all is well."""

    def __init__(
        self, journal: Journal, settings: config.Journal, note: Note, tell: Callable[[Sequence[str]], None]
    ) -> None:
        self._journal = journal
        self._path = settings.path
        self._keep_days = settings.keep_days
        self._note = note
        self._tell = tell
        self._over: asyncio.Queue[Trouble] = asyncio.Queue()
        journal.on_trouble = self._on_trouble

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tell_what_was())
            if self._keep_days is not None:
                group.create_task(self._prune_daily(self._keep_days))

    def _on_trouble(self, trouble: Trouble) -> None:
        if trouble.until is None:
            _log.error("the journal cannot be written: %s; records wait in memory", trouble.why)
            self._tell([f"the journal cannot be written: {trouble.why}"])
        else:
            _log.warning("the journal is written again; %d records had waited since %s", trouble.waited, trouble.since)
            self._tell([])
            self._over.put_nowait(trouble)

    async def _tell_what_was(self) -> None:
        while True:
            was = await self._over.get()
            data = {"why": was.why, "from": was.since, "to": was.until, "waited": was.waited}
            await self._note(SystemNoted("disk.full", data))

    async def _prune_daily(self, keep_days: int) -> None:
        while True:
            try:
                await self._prune(keep_days)
            except JournalError as error:
                _log.warning("old records stay for now: %s", error)
            await asyncio.sleep(_A_DAY_S)

    async def _prune(self, keep_days: int) -> None:
        pruning = await in_own_thread(lambda: planned(self._path, older_than(keep_days, now())), "pruning")
        if pruning is not None:
            await self._note(pruning.note())
            removed = await self._journal.prune(pruning.through, [*pruning.kept])
            _log.info("%d records up to %d are gone, %d of them stay", removed, pruning.through, len(pruning.kept))


def open_vault(used: Config, journal: Journal) -> Vault:
    """The vault of the configured keys, else of those beside the journal."""
    lost = "what older records hold sealed cannot be opened without it"
    return Vault(*read_key_ring(_key_file(used.journal.vault_key, used.journal.own_key, lost, journal)))


def find_signer(used: Config, journal: Journal) -> Signer:
    """Who signs with the configured key, else with the one beside the journal."""
    lost = "who checks the journal has to trust the new one too"
    return Signer(read_key(_key_file(used.journal.signing_key, used.journal.own_signing_key, lost, journal)))


def key_changed(path: Path, signer: Signer) -> SystemNoted | None:
    """What is to be noted where another key than this one made the journal's last checkpoint."""
    before = signed_by(path)
    if before is None or before == signer.key_id:
        return None
    _log.warning("key %s signs the journal from now on; it was %s", signer.key_id, before)
    data = {"from": before, "to": signer.key_id, "public_key": signer.public_key.hex()}
    return SystemNoted(KEY_CHANGED, data)


def vault_key_changed(path: Path, vault: Vault) -> SystemNoted | None:
    """What is to be noted where another key than this vault's sealed before the last start."""
    before, now = sealed_by(path), vault.key_ids[0]
    if before is None or before == now:
        return None
    _log.warning("vault key %s seals from now on; it was %s", now, before)
    return SystemNoted("vault_key.changed", {"from": before, "to": now})


def sealed_by(path: Path) -> str | None:
    """The id of the key that sealed since the last start; None where that is not known."""
    start = last_start(path)
    row = next(read_all(path, start - 1)) if start else None
    named: str | None = json.loads(row.body)["data"]["data"].get("vault_key") if row else None
    return named


def refuse_sealed(found: Recovered, path: Path, vault: Vault) -> None:
    """VaultError where the round that is open holds what this vault cannot open."""
    if found.unopened is None:
        return
    used = sealed_by(path)
    raise VaultError(
        f"{path}: record {found.unopened} holds what lies face down in the round that is open, and the vault's "
        f"{'key' if len(vault.key_ids) == 1 else 'keys'} {', '.join(vault.key_ids)} cannot open it. "
        f"Give back the key{f' {used}' if used else ''} that sealed it, or start once with --without-sealed: "
        "the round is then not judged"
    )


def _key_file(configured: KeyFile | None, own: Path, lost: str, journal: Journal) -> Path:
    """The configured file; without one that of a key beside the journal, made when it is not there."""
    if configured is not None:
        return configured.file()
    if not own.exists() and journal.last_seq:
        _log.warning("%s is not there: %s; a new key is made", own, lost)
    make_key(own)
    return own
