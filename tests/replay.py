"""A table's journal read again: it gives the state in which the live table was left, and the live digests."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from daemon import check_export

from controller.journal_file import read_all
from controller.key_files import read_key
from controller.recovery import Recovered, recovered
from controller.vault import Vault
from protocols.dealing.catalog import procedure_named


def check_replay(folder: Path) -> None:
    """`folder/journal.db` gives, exported and checked, the live verdicts, and read again the live state after each
    record: from its beginning as from where it last stood between two rounds."""
    check_export(folder)
    for journal in (folder / "journal.db", without_snapshot(folder)):
        assert read_again(folder, journal).differs is None


def read_again(folder: Path, journal: Path) -> Recovered:
    """The table that left this journal, or this copy of it."""
    vault = Vault(read_key(folder / "journal.db-vault-key"))
    epoch = json.loads(next(read_all(journal)).body)["epoch"]
    found = recovered(journal, epoch, procedure_named, vault)
    assert found is not None
    return found


def without_snapshot(folder: Path) -> Path:
    """A copy of the journal that has to be read from its header on."""
    copy = folder / "copy.db"
    with closing(sqlite3.connect(folder / "journal.db")) as journal, closing(sqlite3.connect(copy)) as other:
        journal.backup(other)
        other.execute("DELETE FROM meta WHERE key = 'snapshot'")
        other.commit()
    return copy
