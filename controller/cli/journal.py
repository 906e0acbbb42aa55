"""`shoewatch journal`: a table's journal: proved, copied, read, checked again, relieved of what is old."""

from __future__ import annotations

import typer

from controller.cli.exporting import export
from controller.cli.journal_upkeep import backup, prune, verify
from controller.cli.replaying import replay

app = typer.Typer(help="Read a table's journal.", no_args_is_help=True)


@app.callback()
def journal() -> None:
    """Read a table's journal."""


for command in (verify, backup, prune, export, replay):
    app.command()(command)
