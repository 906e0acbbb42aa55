"""The daemon ended at random moments while the simulated shoe deals on: what was published is in the journal, what is
in the journal gets published, and a coup of which cards may have gone unseen is not judged."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from daemon import Journal, check_chain, check_export, configure, daemon, data_of, running, shoe
from mqtt_table import Listener, in_order_without_gap, listening, until

from controller.broker import EmbeddedBroker
from controller.journal_file import Row

ALLOWED_AFTER_A_GAP = {"draw_outside_round"}
"""A card drawn outside belongs to no coup."""
DRAWN = ("dealt", "carried", "surplus", "burn_first", "burn_counted")
OPTIONS = ["--procedure", "pb-nj", "--pace", "0.03", "--faults", "0.2"]


@dataclass(frozen=True, slots=True)
class Table:
    """A daemon that is started and ended again and again beside a shoe and a subscriber that stay."""

    config: Path
    journal: Journal
    listener: Listener

    async def life(self, ending: signal.Signals, moment_s: float, *, from_start: bool) -> None:
        """One run of the daemon, ended so many seconds after its launch, or (`from_start`) after its first record."""
        starts = self.journal.count(what="start")
        with running(daemon(self.config, "--log-level", "debug")) as process:
            if from_start:
                await until(lambda: self.journal.count(what="start") > starts)
            await asyncio.sleep(moment_s)
            process.signal(ending)
            status = await process.ended()
            assert status == (0 if ending is signal.SIGTERM else -signal.SIGKILL), process.log

    async def last_life(self) -> None:
        """A last run, in which cards come and all that was left is published."""
        events = self.journal.count(kind="table")
        with running(daemon(self.config, "--log-level", "debug")) as process:
            await until(lambda: self.journal.count(kind="table") > events + 20)
            last = self.journal.rows()[-1].seq
            await until(lambda: max(self.listener.ids) >= last, 30)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log


def interrupted(
    folder: Path, broker: EmbeddedBroker, ending: signal.Signals, times: int, seed: int, values: str
) -> tuple[Sequence[Row], Listener]:
    """The journal of an evening with so many ends of the daemon, and what a subscriber got."""

    async def scenario() -> tuple[Sequence[Row], Listener]:
        config, journal = configure(folder, f"serial:{folder}/shoe", broker.url), Journal(folder)
        async with listening(broker.url) as listener:
            with running(shoe(folder, "--seed", str(seed), *OPTIONS, values)):
                await until((folder / "shoe").is_symlink)
                await live(Table(config, journal, listener), ending, times, random.Random(seed))
        return journal.rows(), listener

    return asyncio.run(scenario())


async def live(table: Table, ending: signal.Signals, times: int, dice: random.Random) -> None:
    for _ in range(times):
        if ending is signal.SIGTERM:
            await table.life(ending, dice.uniform(0, 0.8), from_start=True)
            await until(lambda: table.listener.statuses[-1:] == ["offline"])
        else:
            await table.life(ending, dice.uniform(0, 1.0), from_start=dice.random() < 0.7)
    await table.last_life()


def check_published(rows: Sequence[Row], listener: Listener) -> None:
    """What was published is in the journal as it is; the subscriber missed no record, repeats allowed."""
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


def is_open(life: Sequence[dict[str, Any]], before: bool) -> bool:
    """Whether a round is open at the end of a life, given whether one was before it."""
    for data in life:
        kind = data["event"]["type"]
        before = kind == "round.opened" or (before and kind not in ("round.closed", "round.voided"))
    return before


def check_rounds(lives: Sequence[Sequence[dict[str, Any]]]) -> int:
    """How many coups ran across an end of the daemon: each has its gap and is not judged. Rounds are numbered on."""
    opened = [data["round"] for life in lives for data in life if data["event"]["type"] == "round.opened"]
    assert opened == list(range(1, len(opened) + 1))
    across, coup_open = 0, False
    for life in lives:
        if coup_open and life:
            across += 1
            check_not_judged(life)
        coup_open = is_open(life, coup_open)
    return across


def check_not_judged(life: Sequence[dict[str, Any]]) -> None:
    """The rest of the coup with which this life begins."""
    assert (life[0]["event"]["type"], life[0]["event"].get("reason")) == ("log.gap", "daemon started")
    coup = next(iter(groupby(life, lambda data: data["round"])))[1]
    codes = {data["verdict"]["code"] for data in coup if data["verdict"]["outcome"] == "violation"}
    assert codes <= ALLOWED_AFTER_A_GAP


def check_against_truth(lives: Sequence[Sequence[dict[str, Any]]], truth: Sequence[dict[str, Any]]) -> None:
    """Each card that was heard is drawn at most once, and none between two others of one life is missing.

    (The line may be opened between the telling of a card and its sending.)"""
    cards = [act for act in truth if act.get("act") in DRAWN]
    last = -1
    for life in lives:
        drawn = [which_card(data, cards) for data in life if data["event"]["type"] == "card.drawn"]
        if drawn:
            assert drawn == list(range(drawn[0], drawn[0] + len(drawn)))
            assert drawn[0] > last
            assert all(cards[number]["heard"] for number in drawn[1:])
            last = drawn[-1]


def which_card(data: dict[str, Any], cards: Sequence[dict[str, Any]]) -> int:
    """The last such card that was on the line when this record's report was read."""
    event = data["event"]
    number = max(
        number
        for number, act in enumerate(cards)
        if act["mono_ns"] <= data["mono_ns"] and ref(act) == event.get("ref") and event["seq"] in digits(act)
    )
    assert event.get("card") in (None, cards[number]["card"])
    return number


def ref(act: dict[str, Any]) -> str | None:
    """What the shoe calls a card."""
    match act["act"]:
        case "dealt":
            return f"{act['side'][0].upper()}{act['index']}"
        case "carried":
            return "P1"
        case "surplus":
            return "x"
        case _:
            return None


def digits(act: dict[str, Any]) -> set[int]:
    """The digits of the reports of an act."""
    return {report[0] - ord("0") for report in bytes.fromhex(act["sent"]).split(b"\x05")[1:]}


def truth_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "truth.jsonl").read_text().split("\n")[:-1]]


def check_codes(lives: Sequence[Sequence[dict[str, Any]]], truth: Sequence[dict[str, Any]]) -> None:
    """No violation but those that the dealer made."""
    records = [data for life in lives for data in life]
    told = Counter(data["verdict"]["code"] for data in records if data["verdict"]["outcome"] == "violation")
    assert told <= Counter(act["code"] for act in truth if "code" in act)


def check_evening(
    folder: Path, broker: EmbeddedBroker, ending: signal.Signals, times: int, seed: int, values: str
) -> Sequence[Row]:
    rows, listener = interrupted(folder, broker, ending, times, seed, values)
    lives, truth = table_records(rows), truth_of(folder)
    check_chain(rows)
    check_published(rows, listener)
    assert check_rounds(lives) > 2
    check_against_truth(lives, truth)
    check_codes(lives, truth)
    check_export(folder)
    return rows


def check_kills(folder: Path, broker: EmbeddedBroker, seed: int, values: str) -> None:
    check_evening(folder, broker, signal.SIGKILL, 20, seed, values)


def check_stops(folder: Path, broker: EmbeddedBroker, times: int, seed: int, values: str) -> None:
    rows = check_evening(folder, broker, signal.SIGTERM, times, seed, values)
    ends = [row.seq for row in rows if data_of(row).get("what") == "stop"]
    starts = [row.seq for row in rows if data_of(row).get("what") == "start"]
    assert starts[1:] == [seq + 1 for seq in ends[:-1]]
    assert len(starts) == len(ends) == times + 1
    asyncio.run(check_retained(broker))


async def check_retained(broker: EmbeddedBroker) -> None:
    async with listening(broker.url) as late:
        await until(lambda: late.statuses == ["offline"])


def test_twenty_kills(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_kills(tmp_path, mosquitto, 1, "--disclose")


def test_stops(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_stops(tmp_path, mosquitto, 6, 2, "--withhold")


@pytest.mark.soak
@pytest.mark.parametrize("values", ["--disclose", "--withhold"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_twenty_kills_soak(mosquitto: EmbeddedBroker, tmp_path: Path, seed: int, values: str) -> None:
    check_kills(tmp_path, mosquitto, seed, values)


@pytest.mark.soak
@pytest.mark.parametrize("values", ["--disclose", "--withhold"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_twenty_stops_soak(mosquitto: EmbeddedBroker, tmp_path: Path, seed: int, values: str) -> None:
    check_stops(tmp_path, mosquitto, 20, seed, values)
