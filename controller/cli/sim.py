"""`shoewatch sim`: simulated devices, each in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from controller.cli.sim_floor import floor, floor_part
from protocols.errors import ShoewatchError

app = typer.Typer(help="Simulated devices.", no_args_is_help=True)
_FAULT = "A fault, NAME[:VALUE][@WHEN] (see `shoewatch sim faults`); may be repeated."


@app.callback()
def sim() -> None:
    """Simulated devices."""


@app.command()
def shoe(
    link: Annotated[Path | None, typer.Option(help="Symbolic link to make; a host opens the line by it.")] = None,
    tcp: Annotated[int | None, typer.Option(min=1, max=65535, help="Or a TCP port on loopback.")] = None,
    protocol: Annotated[str, typer.Option(help="What the shoe speaks: angel-eye or bee-tek.")] = "angel-eye",
    procedure: Annotated[str, typer.Option(help="What is dealt: pb-nj or pb-fr.")] = "pb-nj",
    rounds: Annotated[int | None, typer.Option(min=1, help="How many coups; without it there is no end.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed deals the same cards.")] = 1,
    pace: Annotated[float, typer.Option(min=0, max=3600, help="Seconds before each card.")] = 1.0,
    real_baud: Annotated[bool, typer.Option("--baud-real/--no-baud-real", help="No faster than its line.")] = True,
    faults: Annotated[float, typer.Option(min=0, max=1, help="Share of coups in which a misdeal is tried.")] = 0.0,
    fault: Annotated[list[str] | None, typer.Option(help=_FAULT)] = None,
    scenario: Annotated[Path | None, typer.Option(help="A scenario's file, which says what is played.")] = None,
    withhold: Annotated[bool, typer.Option("--withhold/--disclose", help="Values with the result, or at once.")] = True,
    misreads: Annotated[float, typer.Option(min=0, max=1, help="Share of cards that bee-tek cannot read.")] = 0.0,
    truth: Annotated[Path, typer.Option(help="File for what really happened, as JSON Lines.")] = Path(os.devnull),
) -> None:
    """A shoe behind a pty or TCP, until SIGTERM; it deals once a host has opened the line.

    SIGUSR1 unplugs the line, SIGUSR2 plugs it in again."""
    from simulators.faults.menu import parse_faults
    from simulators.scenario import read_scenario
    from simulators.shoe import Place, stand_at_table
    from simulators.table import SHOE_FAULTS, Play, shoe_protocol

    address = _one_of("--link", link, "--tcp", tcp)
    if address is None:
        raise typer.BadParameter("say where the shoe stands", param_hint="--link, --tcp")
    try:
        spoken = shoe_protocol(protocol)
        struck = parse_faults(fault or (), SHOE_FAULTS[spoken])
        play = Play(procedure, seed, rounds, pace, faults, withhold, spoken, misreads, struck)
        if scenario:
            play = read_scenario(scenario).of_shoe()
    except ShoewatchError as error:
        raise typer.BadParameter(str(error)) from None
    _run(stand_at_table(play, Place(address, truth, real_baud)))


@app.command()
def table(
    shoe_link: Annotated[Path | None, typer.Option(help="Symbolic link to make for the shoe's line.")] = None,
    shoe_tcp: Annotated[int | None, typer.Option(min=1, max=65535, help="Or a TCP port on loopback.")] = None,
    reader_link: Annotated[Path | None, typer.Option(help="The same for the reader; without it there is none.")] = None,
    reader_tcp: Annotated[int | None, typer.Option(min=1, max=65535, help="Or a TCP port on loopback.")] = None,
    panel: Annotated[Path | None, typer.Option(help="Folder of the daemon's panel; without it nobody speaks.")] = None,
    procedure: Annotated[str, typer.Option(help="How blackjack or stud is dealt.")] = "nd-card-reader",
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE of the procedure; may be repeated.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="How many rounds; without it there is no end.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed deals the same cards.")] = 1,
    pace: Annotated[float, typer.Option(min=0, max=3600, help="Seconds before each card.")] = 1.0,
    faults: Annotated[float, typer.Option(min=0, max=1, help="Share of rounds in which a misdeal is tried.")] = 0.0,
    reader_faults: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the others in which the reader fails, if it is in use.")
    ] = 0.0,
    shoe_faults: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the others in which the shoe of a game of stud fails.")
    ] = 0.0,
    withhold: Annotated[
        bool, typer.Option("--withhold/--disclose", help="Values of cards face down late, or at once.")
    ] = False,
    places: Annotated[bool, typer.Option(help="Whether the shoe senses where a card goes.")] = True,
    hurry: Annotated[float, typer.Option(min=1, max=1000, help="Divides the reader's 400 ms.")] = 1.0,
    memory: Annotated[Path | None, typer.Option(help="Folder in which the devices keep their events.")] = None,
    fault: Annotated[list[str] | None, typer.Option(help=_FAULT)] = None,
    reader_fault: Annotated[list[str] | None, typer.Option(help="The same, at the reader and its line.")] = None,
    scenario: Annotated[Path | None, typer.Option(help="A scenario's file, which says what is played.")] = None,
    truth: Annotated[Path, typer.Option(help="File for what really happened, as JSON Lines.")] = Path(os.devnull),
) -> None:
    """A table of blackjack or stud until SIGTERM: a TDL/1 shoe, a reader, and people at the daemon's panel.

    SIGUSR1 unplugs the shoe's line, SIGUSR2 plugs it in again."""
    from simulators.dealer import is_blackjack, is_stud
    from simulators.faults.menu import parse_faults
    from simulators.live.play import OF_READER, OF_SHOE, TablePlay
    from simulators.live.process import TablePlace, sit_at_table
    from simulators.scenario import read_scenario

    if not (is_blackjack(procedure) or is_stud(procedure)):
        raise typer.BadParameter(f"{procedure!r} is no blackjack and no stud", param_hint="--procedure")
    options = dict(_option(text) for text in option or ())
    try:
        play = TablePlay(
            procedure,
            options,
            seed,
            rounds,
            pace,
            misdeals=faults,
            reader_faults=reader_faults,
            shoe_faults=shoe_faults,
            withhold=withhold,
            places=places,
            hurry=hurry,
            faults=parse_faults(fault or (), OF_SHOE),
            reader_faulty=parse_faults(reader_fault or (), OF_READER),
        )
        if scenario:
            play = read_scenario(scenario).of_table()
    except ShoewatchError as error:
        raise typer.BadParameter(str(error)) from None
    shoe = _one_of("--shoe-link", shoe_link, "--shoe-tcp", shoe_tcp)
    if shoe is None:
        raise typer.BadParameter("say where the shoe stands", param_hint="--shoe-link, --shoe-tcp")
    reader = _one_of("--reader-link", reader_link, "--reader-tcp", reader_tcp)
    if reader is not None and not play.has_reader:
        raise typer.BadParameter(
            f"{play.procedure} is dealt without a reader", param_hint="--reader-link, --reader-tcp"
        )
    if reader == shoe:
        raise typer.BadParameter(
            "the reader cannot stand where the shoe does", param_hint="--reader-link, --reader-tcp"
        )
    _run(sit_at_table(play, TablePlace(shoe, truth, reader, panel, memory)))


@app.command()
def reader(
    link: Annotated[Path | None, typer.Option(help="Symbolic link to make; a host opens the line by it.")] = None,
    tcp: Annotated[int | None, typer.Option(min=1, max=65535, help="Or a TCP port on loopback.")] = None,
    naturals: Annotated[float, typer.Option(min=0, max=1, help="Share of the cards that are a natural.")] = 0.3,
    seed: Annotated[int, typer.Option(help="The same seed shows it the same cards.")] = 1,
    pace: Annotated[float, typer.Option(min=0, max=3600, help="Seconds from the arm to the cards.")] = 1.0,
    hurry: Annotated[float, typer.Option(min=1, max=1000, help="Divides the reader's 400 ms.")] = 1.0,
    fault: Annotated[list[str] | None, typer.Option(help=_FAULT)] = None,
) -> None:
    """A hole-card reader alone, until SIGTERM: whenever a host arms it, two cards go into it.

    SIGUSR1 unplugs the line, SIGUSR2 plugs it in again."""
    from simulators.faults.menu import parse_faults
    from simulators.live.play import OF_READER
    from simulators.live.reader_alone import ReaderPlay, stand_alone

    address = _one_of("--link", link, "--tcp", tcp)
    if address is None:
        raise typer.BadParameter("say where the reader stands", param_hint="--link, --tcp")
    try:
        play = ReaderPlay(naturals, seed, pace, hurry, parse_faults(fault or (), OF_READER))
    except ShoewatchError as error:
        raise typer.BadParameter(str(error)) from None
    _run(stand_alone(play, address))


@app.command("faults")
def menu() -> None:
    """Print the fault menu: what `--fault NAME[:VALUE][@WHEN]` can name."""
    from simulators.faults.menu import printed

    print("\n".join(printed()))


@app.command()
def registry() -> None:
    """Print the section of devices.toml (0600) by which a daemon trusts the simulated devices."""
    from controller.cli.simulated_table import registry_text

    print(registry_text(), end="")


app.command()(floor)
app.command(hidden=True)(floor_part)


def _run(play: Coroutine[Any, Any, None]) -> None:
    """To its end; what it cannot do where it was told to stand is told."""
    problems = list[str]()
    try:
        asyncio.run(play)
    except* ShoewatchError as group:
        problems += map(str, _leaves(group))
    if problems:
        raise typer.BadParameter("; ".join(problems))


def _leaves(group: BaseExceptionGroup[Any]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _one_of(one: str, link: Path | None, other: str, port: int | None) -> Path | int | None:
    if link is not None and port is not None:
        raise typer.BadParameter("one of the two", param_hint=f"{one}, {other}")
    return port if link is None else link


def _option(text: str) -> tuple[str, Any]:
    """`NAME=VALUE`; a number, true and false are read as such."""
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is no NAME=VALUE", param_hint="--option")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
