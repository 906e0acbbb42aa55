"""A copy of a journal, taken while its daemon writes on; it is to be read, never to be continued."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from controller.clock import Clock
from controller.journal_file import reading
from controller.journal_schema import JournalError
from controller.journal_verify import Verified, verify_journal
from protocols.keys import KeyRegistry

_PAGES: Final = 1000


def back_up(journal: Path, out: Path, keys: KeyRegistry | None = None) -> Verified:
    """Copy the journal to a file that is not there yet, for its owner alone, and verify the copy. JournalError where
    it cannot be made; a copy that is not sound stays, as evidence."""
    made = out.with_name(f"{out.name}-new")
    try:
        if out.exists():
            raise JournalError(f"{out}: is there already; a backup is never overwritten")
        with suppress(FileNotFoundError):
            made.unlink()
        os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        _copy(journal, made, out)
        made.rename(out)
        _sync(out)
    except OSError as error:
        raise JournalError(f"{out}: the backup cannot be made: {error.strerror}") from None
    finally:
        with suppress(OSError):
            made.unlink()
    return verify_journal(out, keys)


def _copy(journal: Path, made: Path, out: Path) -> None:
    with reading(journal) as source, closing(sqlite3.connect(made, isolation_level=None)) as copy:
        try:
            source.backup(copy, pages=_PAGES)
            copy.execute("PRAGMA journal_mode = DELETE")
            last = copy.execute("SELECT coalesce(max(seq), 0) FROM record").fetchone()[0]
            note = json.dumps({"seq": last, "taken": Clock().wall()})
            copy.execute("INSERT OR REPLACE INTO meta VALUES('backup', ?)", (note,))
        except sqlite3.Error as error:
            raise JournalError(f"{out}: the backup cannot be made: {error}") from None


def _sync(path: Path) -> None:
    for each, flags in ((path, os.O_RDWR), (path.parent, os.O_RDONLY)):
        descriptor = os.open(each, flags)
        os.fsync(descriptor)
        os.close(descriptor)
