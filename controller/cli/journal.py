"""`shoewatch journal`: a table's journal, read without touching it."""

from __future__ import annotations

import typer

from controller.cli.exporting import export
from controller.cli.journal_upkeep import backup, prune, verify
from controller.cli.replaying import replay

app = typer.Typer(help="Read a table's journal.", no_args_is_help=True)
for upkeep in (verify, backup, prune):
    app.command()(upkeep)


@app.callback()
def journal() -> None:
    """Read a table's journal."""


app.command()(export)
app.command()(replay)
