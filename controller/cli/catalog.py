"""What commands have in common that take a site's own procedure documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.procedures import site_catalog
from protocols.dealing.catalog import Catalog
from protocols.errors import ProcedureError

WRONG_INPUT: Final = 2

Documents = Annotated[
    Path | None, typer.Option("--procedures", metavar="DIR", help="The folder of the site's own procedure documents.")
]


def catalog_with(documents: Path | None) -> Catalog:
    """Our procedures and the site's own; ends the command with status 2 and every mistake in the documents."""
    try:
        return site_catalog(documents)
    except ProcedureError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(WRONG_INPUT) from None
