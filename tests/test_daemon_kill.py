"""The daemon ended at random moments while the simulated shoe deals on: what was published is in the journal, what is
in the journal gets published, and a coup of which cards may have gone unseen is not judged."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from daemon import check_chain, check_export, configure, data_of, shoe
from lives import Endings, check_proof, check_published, check_round_numbers, evening, is_open, table_records, truth_of
from mqtt_table import listening, until

from controller.broker import EmbeddedBroker
from controller.journal_file import Row

ALLOWED_AFTER_A_GAP = {"draw_outside_round"}
"""A card drawn outside belongs to no coup."""
DRAWN = ("dealt", "carried", "surplus", "burn_first", "burn_counted")
OPTIONS = ["--procedure", "pb-nj", "--pace", "0.03", "--faults", "0.2"]


def check_rounds(lives: Sequence[Sequence[dict[str, Any]]]) -> int:
    """How many coups ran across an end of the daemon: each has its gap and is not judged."""
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


def check_codes(lives: Sequence[Sequence[dict[str, Any]]], truth: Sequence[dict[str, Any]]) -> None:
    """No violation but those that the dealer made."""
    records = [data for life in lives for data in life]
    told = Counter(data["verdict"]["code"] for data in records if data["verdict"]["outcome"] == "violation")
    assert told <= Counter(act["code"] for act in truth if "code" in act)


def check_evening(folder: Path, broker: EmbeddedBroker, endings: Endings, values: str) -> Sequence[Row]:
    config = configure(folder, f"serial:{folder}/shoe", broker.url)
    options = ("--seed", str(endings.seed), *OPTIONS, values)
    played = evening(config, broker, lambda: shoe(folder, *options), folder / "shoe", endings, lambda more: more > 20)
    lives, truth = table_records(played.rows), truth_of(folder)
    check_chain(played.rows)
    check_proof(folder / "journal.db")
    check_published(played)
    check_round_numbers(lives)
    assert check_rounds(lives) > endings.times // 10
    check_against_truth(lives, truth)
    check_codes(lives, truth)
    check_export(folder)
    return played.rows


def check_kills(
    folder: Path, broker: EmbeddedBroker, seed: int, values: str, times: int = 20, *, inside: bool = False
) -> None:
    check_evening(folder, broker, Endings(signal.SIGKILL, times, seed, inside), values)


def check_stops(folder: Path, broker: EmbeddedBroker, times: int, seed: int, values: str) -> None:
    rows = check_evening(folder, broker, Endings(signal.SIGTERM, times, seed), values)
    ends = [row.seq for row in rows if data_of(row).get("what") == "stop"]
    starts = [row.seq for row in rows if data_of(row).get("what") == "start"]
    assert starts[1:] == [signed + 1 for signed in (seq + 1 for seq in ends[:-1])]
    assert len(starts) == len(ends) == times + 1
    asyncio.run(check_retained(broker))


async def check_retained(broker: EmbeddedBroker) -> None:
    async with listening(broker.url) as late:
        await until(lambda: late.statuses == ["offline"])


def test_twenty_kills(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_kills(tmp_path, mosquitto, 1, "--disclose")


def test_eight_kills_inside_writes(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_kills(tmp_path, mosquitto, 1, "--withhold", 8, inside=True)


def test_stops(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_stops(tmp_path, mosquitto, 6, 2, "--withhold")


@pytest.mark.soak
@pytest.mark.parametrize("inside", [False, True], ids=["anywhere", "inside writes"])
@pytest.mark.parametrize("values", ["--disclose", "--withhold"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_twenty_kills_soak(mosquitto: EmbeddedBroker, tmp_path: Path, seed: int, values: str, inside: bool) -> None:
    check_kills(tmp_path, mosquitto, seed, values, inside=inside)


@pytest.mark.soak
@pytest.mark.parametrize("values", ["--disclose", "--withhold"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_twenty_stops_soak(mosquitto: EmbeddedBroker, tmp_path: Path, seed: int, values: str) -> None:
    check_stops(tmp_path, mosquitto, 20, seed, values)
