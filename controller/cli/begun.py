"""The check at the beginning of a log, with a procedure and options as they are given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protocols.dealing.catalog import Catalog
from protocols.dealing.check import Check
from protocols.dealing.options import read_option
from protocols.errors import LogError, ProcedureError
from protocols.events import LogHeader
from protocols.tablelog import TableLog


def begun(log: TableLog, catalog: Catalog, name: str | None, options: Sequence[str]) -> Check:
    """The check at the beginning of the log; what the header has wrong is an error of its line."""
    header = log.header or LogHeader()
    if name is None and header.procedure is None:
        raise LogError("no header names the procedure: give it with --procedure", log.header_line)
    chosen = dict(map(_option, options))
    if name is not None:
        catalog.named(name).choose(chosen)
    try:
        procedure = catalog.named(name or header.procedure or "")
        procedure.choose({key: value for key, value in header.options.items() if key not in chosen})
    except ProcedureError as error:
        raise LogError(f"log.header: {error}", log.header_line) from None
    return Check.start(header, procedure, chosen)


def _option(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator:
        raise ProcedureError(f"--option {text!r}: an option is given as name=value")
    return name, read_option(name, value)
