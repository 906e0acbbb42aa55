"""The procedures that a table can be put on: those that shoewatch brings, and the site's own documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from protocols.dealing.model import Procedure, procedures, read_procedure
from protocols.errors import ProcedureError, did_you_mean


def find_procedure(name: str, folder: Path | None) -> Procedure:
    """The procedure of this id, `folder` holding the site's own; ProcedureError where it or a document is wrong."""
    known = {**procedures(), **_own(folder)} if folder else procedures()
    if name not in known:
        raise ProcedureError(f"unknown procedure {name!r}{did_you_mean(name, known)}")
    return known[name]


def _own(folder: Path) -> Mapping[str, Procedure]:
    found: dict[str, Procedure] = {}
    for file in sorted(folder.glob("*.toml")):
        procedure = _read(file)
        if procedure.id in found or procedure.id in procedures():
            raise ProcedureError(f"{file}: there is a procedure {procedure.id!r} already, give it an id of its own")
        found[procedure.id] = procedure
    return found


def _read(file: Path) -> Procedure:
    try:
        return read_procedure(file.read_text(encoding="utf-8"), str(file))
    except OSError as error:
        raise ProcedureError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ProcedureError(f"{file} is no UTF-8 text: {error}") from None
