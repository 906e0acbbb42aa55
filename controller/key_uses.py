"""What a file with secret keys is used for. A key for a vault and one that signs look alike, and neither may do the
work of the other: who rotated or published it would destroy what the first one is for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from controller.config import Config
from controller.journal_care import sealed_by
from controller.journal_file import JournalError, reading
from controller.key_files import KeyFileError, read_key, read_key_ring
from controller.vault import vault_key_id
from protocols.errors import ShoewatchError
from protocols.floor.checkpoints import Signer

Use = Literal["vault", "signing"]

_NAMED: Final[dict[Use, str]] = {"vault": "-vault-key", "signing": "-signing-key"}
_READ: Final[dict[Use, Callable[[Path], object]]] = {"vault": read_key_ring, "signing": read_key}
_USES: Final[tuple[Use, ...]] = ("vault", "signing")
_IS: Final[dict[Use, str]] = {"vault": "a key of a vault", "signing": "a key that signs"}


def refuse_unless(use: Use, path: Path, tables: Iterable[Config]) -> None:
    """ShoewatchError where the file is known to be used for the other thing: by one of these tables, by a journal that
    lies beside it, or by its name."""
    other: Use = "signing" if use == "vault" else "vault"
    known = list(tables)
    journals = [*sorted(path.resolve().parent.glob("*.db")), *(each.journal.path for each in known)]
    found = [*_of_journals(other, path, journals), *_of_tables(other, path, known)]
    if path.name.endswith(_NAMED[other]):
        found.append("by its name")
    if found:
        raise ShoewatchError(f"{path}: is {_IS[other]}, {found[0]}; it is left alone")


def key_problems(used: Config) -> list[str]:
    """What is wrong with the files of the table's keys, as far as they are there and may be read by who asks."""
    files = {use: file for use in _USES if (file := _file(used, use)) is not None and os.access(file, os.R_OK)}
    if len(files) == len(_USES) and files["vault"].samefile(files["signing"]):
        return ["journal.vault_key, journal.signing_key: are one file, and each needs its own"]
    problems = []
    for use, file in files.items():
        try:
            _READ[use](file)
            refuse_unless(use, file, [used])
        except ShoewatchError as error:
            problems.append(f"journal.{use}_key: {error}")
    return problems


def _file(used: Config, use: Use) -> Path | None:
    """Where the table has it; None where systemd has not handed it over."""
    configured, own = {
        "vault": (used.journal.vault_key, used.journal.own_key),
        "signing": (used.journal.signing_key, used.journal.own_signing_key),
    }[use]
    return own if configured is None else configured.path


def _of_tables(use: Use, path: Path, tables: Iterable[Config]) -> Iterator[str]:
    for table in tables:
        file = _file(table, use)
        if file is not None and file.exists() and path.exists() and file.samefile(path):
            yield f"of table {table.site}/{table.table}"


def _of_journals(use: Use, path: Path, journals: Iterable[Path]) -> Iterator[str]:
    try:
        keys = read_key_ring(path)
    except KeyFileError:
        return
    names = {vault_key_id(key) if use == "vault" else Signer(key).key_id for key in keys}
    for journal in journals:
        with suppress(JournalError, ValueError, LookupError, TypeError):
            if names & _used_by(journal, use):
                yield f"of the journal {journal}"


def _used_by(journal: Path, use: Use) -> set[str | None]:
    if use == "vault":
        return {sealed_by(journal)}
    with reading(journal) as connection:
        return {name for (name,) in connection.execute("SELECT DISTINCT key_id FROM checkpoint")}
