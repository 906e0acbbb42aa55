"""`shoewatch demo`: the real daemon, a simulated shoe behind a pty, a broker; every verdict as it comes."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from controller.broker import EmbeddedBroker
from controller.cli.chain import Chains
from controller.cli.demo_games import GAMES, TOPICS, Game
from controller.cli.lines import data_words, parse
from controller.cli.output import nobody_reads
from controller.cli.programs import program
from controller.cli.simulated_table import listed, misdeals
from controller.mqtt import Dialer, Message, Session
from controller.mqtt_address import parse_address
from controller.stopping import on_stop
from protocols.errors import ShoewatchError, did_you_mean

_END_S: Final = 10.0
_COUNTED: Final = {
    "round.opened": "rounds",
    "card.drawn": "cards",
    "split": "splits",
    "double": "doubles",
    "insure": "insurances",
    "bet": "bets",
    "fold": "folds",
    "community.revealed": "community cards turned",
    "stub.counted": "counts of the stub",
    "shoe.faulted": "shoe faults",
    "reader.peeked": "peeks",
    "reader.faulted": "reader faults",
}


def demo(
    game: Annotated[str, typer.Option(help="What is dealt: blackjack, stud or baccarat.")] = "blackjack",
    rounds: Annotated[int | None, typer.Option(min=1, help="How many rounds; without it until Ctrl-C.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed deals the same cards.")] = None,
    pace: Annotated[float | None, typer.Option(min=0, help="Seconds before each card.")] = None,
) -> None:
    """Deal on a simulated table and show each verdict, until the last round or Ctrl-C.

    Status 0: every misdeal was told, and nothing else."""
    if game not in GAMES:
        raise typer.BadParameter(f"{game!r}{did_you_mean(game, GAMES)}", param_hint="--game")
    played = GAMES[game]
    with tempfile.TemporaryDirectory(prefix="shoewatch-demo-") as name, EmbeddedBroker() as broker:
        folder = Path(name)
        played.set_up(folder, broker.url)
        told = asyncio.run(_demo(folder, broker, played, played.simulator(folder, rounds, seed, pace)))
    for line in told.summary():
        print(line)
    raise typer.Exit(0 if told.right else 1)


@dataclass(slots=True)
class Told:
    """What the messages told, beside what really happened."""

    records: int = 0
    events: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    misdeals: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    stopped: bool = False
    interrupted: bool = False

    def interrupt(self) -> None:
        """A person has seen enough."""
        self.interrupted = True

    def take(self, data: dict[str, Any]) -> None:
        """Count one record."""
        self.records += 1
        self.stopped |= data["kind"] == "system" and data["what"] == "stop"
        if data["kind"] == "table":
            verdict = data["verdict"]
            self.events[_act(data["event"])] += 1
            self.outcomes[verdict["outcome"]] += 1
            self.violations += Counter({verdict["code"]: 1} if verdict["outcome"] == "violation" else {})

    @property
    def right(self) -> bool:
        """Whether every misdeal was told; in a round that was broken off there may be one more."""
        told = self.violations <= self.misdeals if self.interrupted else self.violations == self.misdeals
        return told and not self.problems

    def summary(self) -> list[str]:
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.most_common())
        return [
            f"\n{self.records} records; verdicts: {outcomes}",
            f"of them: {', '.join(f'{self.events[act]} {name}' for act, name in _COUNTED.items() if self.events[act])}",
            f"misdeals that the simulated dealer made: {listed(self.misdeals)}",
            f"violations that shoewatch told:          {listed(self.violations)}",
            *self.problems,
        ]


def _act(event: dict[str, Any]) -> str:
    return str(event["action"] if event["type"] == "player.acted" else event["type"])


async def _demo(folder: Path, broker: EmbeddedBroker, game: Game, simulator: list[str]) -> Told:
    told, truth = Told(), folder / "truth.jsonl"
    on_stop(told.interrupt)
    shoewatch = _this_program()
    print(f"Broker: {broker.engine.name} at {broker.url}. In another terminal, the messages as the floor gets them:")
    print(f"    {shoewatch} watch {broker.url}")
    if game.hint:
        print(f"and the table's panel, with what is due:\n    {shoewatch} {game.hint.format(folder=folder)}")
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(Dialer(parse_address(broker.url)).connect())
        await session.subscribe(TOPICS.all_events)
        await stack.enter_async_context(program(*simulator))
        await _until(lambda: (folder / "shoe").exists())
        daemon = await stack.enter_async_context(
            program("run", "--config", str(folder / "table.toml"), "--log-level", "error")
        )
        await _show_all(session, told, truth, daemon)
    told.misdeals = misdeals(truth)
    return told


def _this_program() -> str:
    return os.path.abspath(f"{sys.argv[0]}/../shoewatch")


async def _show_all(session: Session, told: Told, truth: Path, daemon: asyncio.subprocess.Process) -> None:
    async with asyncio.TaskGroup() as group:
        shown = group.create_task(_show(session, told))
        await _until(lambda: told.interrupted or _finished(truth) or daemon.returncode is not None, None)
        await asyncio.sleep(0 if told.interrupted else 1.0)
        if daemon.returncode is None:
            daemon.terminate()
        if await daemon.wait() != 0:
            told.problems.append(f"the daemon ended with status {daemon.returncode}")
        await _until(lambda: told.stopped or bool(told.problems))
        shown.cancel()


async def _show(session: Session, told: Told) -> None:
    chains = Chains()
    async for message in session.messages():
        record = parse(message.payload)
        if record is None:
            continue
        problem = chains.take(record, message.payload)
        told.problems += [problem] if problem else []
        told.take(record["data"])
        print(_line(message, record["data"]), flush=True)
        if nobody_reads():
            told.interrupt()


def _line(message: Message, data: dict[str, Any]) -> str:
    mark = "  "
    if data["kind"] == "table" and data["verdict"]["outcome"] == "violation":
        mark = "! "
    blank = "\n" if message.topic.endswith("/round-opened") else ""
    return f"{blank}{mark}{data_words(data)}"


async def _until(condition: Any, seconds: float | None = _END_S) -> None:
    try:
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 (what other processes do sets no event)
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise ShoewatchError("the demo's table does not come up") from None


def _finished(truth: Path) -> bool:
    return truth.exists() and '"finished": true' in truth.read_text()
