"""`shoewatch sim`: simulated devices, each in a process of its own."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from protocols.errors import ShoewatchError, did_you_mean

app = typer.Typer(help="Simulated devices.", no_args_is_help=True)


@app.callback()
def sim() -> None:
    """Simulated devices."""


@app.command()
def shoe(
    link: Annotated[Path, typer.Option(help="Symbolic link to make; a host opens the shoe's line by it.")],
    protocol: Annotated[str, typer.Option(help="What the shoe speaks.")] = "angel-eye",
    procedure: Annotated[str, typer.Option(help="What is dealt: pb-nj or pb-fr.")] = "pb-nj",
    rounds: Annotated[int | None, typer.Option(min=1, help="How many coups; without it there is no end.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed deals the same cards.")] = 1,
    pace: Annotated[float, typer.Option(min=0, help="Seconds before each card.")] = 1.0,
    real_baud: Annotated[bool, typer.Option("--baud-real/--no-baud-real", help="No faster than 4800 baud.")] = True,
    faults: Annotated[float, typer.Option(min=0, max=1, help="Share of coups with a misdeal.")] = 0.0,
    line_faults: Annotated[float, typer.Option(min=0, max=1, help="Share of reports spoiled on the line.")] = 0.0,
    withhold: Annotated[bool, typer.Option("--withhold/--disclose", help="Values with the result, or at once.")] = True,
    truth: Annotated[Path, typer.Option(help="File for what really happened, as JSON Lines.")] = Path(os.devnull),
) -> None:
    """A shoe behind a pty, until SIGTERM; it deals once a host has opened the line.

    SIGUSR1 unplugs the line, SIGUSR2 plugs it in again."""
    from simulators.shoe import Place, stand_at_table
    from simulators.table import Play

    if protocol != "angel-eye":
        raise typer.BadParameter(f"no shoe speaks {protocol!r}{did_you_mean(protocol, ['angel-eye'])}")
    play = Play(procedure, seed, rounds, pace, faults, withhold)
    try:
        asyncio.run(stand_at_table(play, Place(link, truth, line_faults, real_baud)))
    except ShoewatchError as error:
        raise typer.BadParameter(str(error)) from None
