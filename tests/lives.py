"""A daemon that is ended and started again and again beside devices and a subscriber that stay, and what must hold
whatever the game."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon import AT_ONCE, Journal, Process, daemon, data_of, running
from mqtt_table import Listener, in_order_without_gap, listening, until
from needs import missing

from controller.broker import EmbeddedBroker
from controller.journal_file import Row
from controller.journal_verify import verify_journal

LAST_LIFE_S = 120.0
WRITES = {"pwrite64": 90, "fdatasync": 30}
"""What SQLite writes its log with, and how often it may have done so when it is interrupted."""


@dataclass(frozen=True, slots=True)
class Endings:
    """So many ends of the daemon, each at a random moment (`seed`), `inside` one of SQLite's writes where that is."""

    ending: signal.Signals
    times: int
    seed: int
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Evening:
    """What is left of it: the journal, and what a subscriber got."""

    rows: Sequence[Row]
    listener: Listener


@dataclass(frozen=True, slots=True)
class Table:
    """A daemon's configuration and journal, and somebody who listens to its messages all the time."""

    config: Path
    journal: Journal
    listener: Listener

    async def life(self, ending: signal.Signals, moment_s: float, *, from_start: bool) -> None:
        """One run of the daemon, ended so many seconds after its launch, or (`from_start`) after its first record."""
        starts = self.journal.count(what="start")
        with running(daemon(self.config, "--log-level", "debug", command=AT_ONCE)) as process:
            if from_start:
                await until(lambda: self.journal.count(what="start") > starts)
            await asyncio.sleep(moment_s)
            process.signal(ending)
            status = await process.ended()
            assert status == (0 if ending is signal.SIGTERM else -signal.SIGKILL), process.log

    async def life_until(self, call: str, number: int) -> None:
        """One run of the daemon, killed as it enters this call to the kernel for the so manieth time."""
        with running(
            daemon(self.config, "--log-level", "debug", command=[*killing(call, number), *AT_ONCE])
        ) as process:
            assert await process.ended() == -signal.SIGKILL, process.log

    async def last_life(self, is_over: Callable[[int], bool]) -> None:
        """A last run, until the evening is over and all that was left is published."""
        before = self.journal.count(kind="table")
        with running(daemon(self.config, "--log-level", "debug", command=AT_ONCE)) as process:
            await until(lambda: is_over(self.journal.count(kind="table") - before), LAST_LIFE_S)
            last = self.journal.rows()[-1].seq
            await until(lambda: max(self.listener.ids) >= last, 30)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log


def killing(call: str, number: int) -> list[str]:
    """What runs a command and kills it, with all its threads, as one of them enters this call for that time."""
    strace = shutil.which("strace") or missing("strace (apt install strace)")
    inject = f"inject={call}:signal=SIGKILL:when={number}"
    return [strace, "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", inject]


def evening(
    config: Path,
    broker: EmbeddedBroker,
    devices: Callable[[], Process],
    stands: Path,
    endings: Endings,
    is_over: Callable[[int], bool],
) -> Evening:
    """An evening at a table whose `devices` are there once `stands` is.

    `is_over`: whether it may end, after so many table records of the last life."""

    async def scenario() -> Evening:
        journal = Journal(config.parent)
        async with listening(broker.url) as listener:
            with running(devices()):
                await until(stands.is_symlink)
                table = Table(config, journal, listener)
                await _live(table, endings)
                await table.last_life(is_over)
        return Evening(journal.rows(), listener)

    return asyncio.run(scenario())


async def _live(table: Table, endings: Endings) -> None:
    dice = random.Random(endings.seed)
    for _ in range(endings.times):
        if endings.inside:
            call = dice.choice(list(WRITES))
            await table.life_until(call, dice.randint(1, WRITES[call]))
        elif endings.ending is signal.SIGTERM:
            await table.life(endings.ending, dice.uniform(0, 0.8), from_start=True)
            await until(lambda: table.listener.statuses[-1:] == ["offline"])
        else:
            await table.life(endings.ending, dice.uniform(0, 1.0), from_start=dice.random() < 0.7)


def check_proof(journal: Path) -> None:
    """The journal proves itself, signed again and again."""
    found = verify_journal(journal)
    assert found.problem is None
    assert sum(found.checkpoints.values()) > 1


def check_published(played: Evening) -> None:
    """What was published is in the journal as it is; the subscriber missed no record, repeats allowed."""
    rows, listener = played.rows, played.listener
    messages = [each.payload for each in listener.messages if "/evt/" in each.topic]
    assert all(rows[json.loads(message)["seq"] - 1].body == message for message in messages)
    last_start = max(row.seq for row in rows if data_of(row).get("what") == "start")
    assert max(listener.ids) > last_start
    assert in_order_without_gap(listener.ids, max(listener.ids))


def table_records(rows: Sequence[Row]) -> list[list[dict[str, Any]]]:
    """The data of the table records, one list for each life of the daemon."""
    lives: list[list[dict[str, Any]]] = [[]]
    for row in rows:
        data = data_of(row)
        if data.get("what") == "start":
            lives.append([])
        if data["kind"] == "table":
            lives[-1].append({**data, "mono_ns": row.mono_ns})
    return lives[1:]


def check_round_numbers(lives: Sequence[Sequence[dict[str, Any]]]) -> None:
    """Rounds are numbered on, whatever ended between them."""
    opened = [data["round"] for life in lives for data in life if data["event"]["type"] == "round.opened"]
    assert opened == list(range(1, len(opened) + 1))


def is_open(life: Sequence[dict[str, Any]], before: bool) -> bool:
    """Whether a round is open at the end of a life, given whether one was before it."""
    for data in life:
        kind = data["event"]["type"]
        before = kind == "round.opened" or (before and kind not in ("round.closed", "round.voided"))
    return before


def truth_of(folder: Path) -> list[dict[str, Any]]:
    """What the simulated table has told of itself so far."""
    return [json.loads(line) for line in (folder / "truth.jsonl").read_text().split("\n")[:-1]]
