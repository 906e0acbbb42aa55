"""`shoewatch sim floor`: many complete tables, each with its simulated devices, its people and its real daemon.

What it takes to run them is loaded when it is called: other commands of `sim` do without."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def floor(
    tables: Annotated[int, typer.Option(min=1, max=999, help="How many tables.")] = 5,
    rate: Annotated[float, typer.Option(min=0.01, max=1000, help="Events a second at each.")] = 2.0,
    procedures: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Dealt in turn, table after table; all without it.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, max=64, help="As many as there are processors without it.")
    ] = None,
    broker: Annotated[str | None, typer.Option(metavar="URL", help="Without it one is started for the floor.")] = None,
    site: Annotated[str, typer.Option(help="The site's name in topics.")] = "floor",
    seconds: Annotated[float | None, typer.Option(min=0, help="Stop so long after all tables have come up.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Stop after so many rounds at each table.")] = None,
    faults: Annotated[float, typer.Option(min=0, max=1, help="Share of rounds in which a misdeal is tried.")] = 0.0,
    seed: Annotated[int, typer.Option(help="The same seed deals the same cards.")] = 1,
    folder: Annotated[Path | None, typer.Option(help="For journals and keys, which stay there.")] = None,
) -> None:
    """Run tables t-001, t-002, ... with simulated shoes, readers and people and the real daemon, until Ctrl-C.

    Status 0: no table failed, and they told every misdeal and nothing else."""
    if seconds is not None and rounds is not None:
        raise typer.BadParameter("one of the two", param_hint="--seconds, --rounds")
    from controller.cli.floor_run import FloorOrder, run_floor

    chosen = None if procedures is None else tuple(procedures.split(","))
    run_floor(FloorOrder(tables, rate, chosen, processes, broker, site, seconds, rounds, faults, seed, folder))


def floor_part(
    configs: Annotated[list[Path], typer.Argument(help="The configurations of its tables.")],
    until_drained: Annotated[
        bool, typer.Option("--until-drained", help="Stop each table after its last round.")
    ] = False,
) -> None:
    """Run the daemons of these tables in one process until SIGTERM."""
    from controller.cli.floor_part import run_part

    run_part(configs, until_drained=until_drained)
