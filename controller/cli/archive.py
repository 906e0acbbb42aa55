"""`shoewatch archive`: the records of all tables of a site, in a database of their own."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Final

import typer

app = typer.Typer(help="Keep, prove and search the records of all tables.", no_args_is_help=True)
_NEEDED: Final = ("alembic", "psycopg", "sqlalchemy")


@app.callback()
def archive() -> None:
    """Keep, prove and search the records of all tables."""


if all(map(find_spec, _NEEDED)):
    from controller.cli.archive_query import app as query
    from controller.cli.archive_run import run
    from controller.cli.archive_verify import verify

    app.command()(run)
    app.add_typer(query, name="query")
    app.command()(verify)
else:
    print('the archive needs what comes with: pip install "shoewatch[archive]"', file=sys.stderr)
    sys.exit(2)
