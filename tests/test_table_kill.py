"""The daemon ended at random moments while blackjack is dealt: the shoe keeps each card until it is acknowledged, so
that every card is in the journal once, and each round goes on where it was."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from daemon import check_chain, configure_table, live_table
from lives import (
    Endings,
    Evening,
    check_proof,
    check_published,
    check_round_numbers,
    evening,
    is_open,
    table_records,
    truth_of,
)
from replay import check_replay

from controller.broker import EmbeddedBroker

Fields = dict[str, Any]

OPTIONS = ("--pace", "0.03", "--hurry", "10", "--faults", "0.6", "--reader-faults", "0.6")
CARDS = ("drawn", "burned", "stray")
NEEDS_THE_READER = {"peek_missing", "reader_mismatch", "draw_after_dealer_natural"}
"""What the dealer meant to do wrongly, and could not while the table did not use its reader."""


def played(folder: Path, broker: EmbeddedBroker, kills: Endings, *options: str, rounds: int = 24) -> Evening:
    """An evening of so many rounds, in which the daemon is killed."""
    config = configure_table(folder, f"serial:{folder}/shoe", f"serial:{folder}/reader", broker.url)
    given = ("--seed", str(kills.seed), "--rounds", str(rounds), *OPTIONS, *options)
    truth = folder / "truth.jsonl"
    over = '{"finished": true}'
    return evening(
        config, broker, lambda: live_table(folder, *given), folder / "shoe", kills, lambda _: over in truth.read_text()
    )


def check_cards(lives: Sequence[Sequence[Fields]], truth: Sequence[Fields]) -> None:
    """Every card that left the shoe is in the journal once, in order, by the shoe's own number and name of it; its
    value is that of the truth or is not told."""
    acts = [act for act in truth if act.get("act") in CARDS]
    drawn = [data["event"] for life in lives for data in life if data["event"]["type"] == "card.drawn"]
    assert [event["seq"] for event in drawn] == [act["event"] for act in acts]
    assert [event["ref"] for event in drawn] == names_of_cards(truth)
    assert all(event.get("card") in (None, act["card"]) for event, act in zip(drawn, acts, strict=True))
    disclosed = [
        each for life in lives for data in life for each in data.get("disclosed", ()) if each["field"] == "card"
    ]
    assert disclosed


def names_of_cards(truth: Sequence[Fields]) -> list[str]:
    """`LOAD/CARD` of every card, as the shoe counts."""
    names, load, card = [], 0, 0
    for act in truth:
        if act.get("act") == "shoe_loaded":
            load, card = load + 1, 0
        if act.get("act") in CARDS:
            card += 1
            names.append(f"{load}/{card}")
    return names


def check_rounds(lives: Sequence[Sequence[Fields]], truth: Sequence[Fields]) -> None:
    """Rounds are those that were dealt, some of them across an end of the daemon; nothing in them was missed."""
    check_round_numbers(lives)
    events = [data["event"]["type"] for life in lives for data in life]
    assert events.count("round.opened") == sum(act.get("act") == "round_opened" for act in truth)
    assert "log.gap" not in events
    across, open_now = 0, False
    for life in lives:
        open_now = is_open(life, open_now)
        across += open_now
    assert across > 3


def check_codes(lives: Sequence[Sequence[Fields]], truth: Sequence[Fields]) -> None:
    """The violations are those that were made, in order; excused is what needs a reader that the table had put out."""
    made, without_reader = [], rounds_without_reader(lives)
    for act in truth:
        excused = act.get("code") in NEEDS_THE_READER and round_of(act, truth) in without_reader
        made += [act["code"]] if "code" in act and not excused else []
    verdicts = [data["verdict"] for life in lives for data in life]
    assert [verdict["code"] for verdict in verdicts if verdict["outcome"] == "violation"] == made


def round_of(act: Fields, truth: Sequence[Fields]) -> int:
    """The number of the act's round as the journal counts: by rounds that were opened."""
    return sum(each.get("act") == "round_opened" and each["n"] <= act["n"] for each in truth)


def rounds_without_reader(lives: Sequence[Sequence[Fields]]) -> set[int]:
    """The rounds in which the reader was out at some time."""
    rounds, out = set(), False
    for data in (data for life in lives for data in life):
        out = data["event"]["type"] == "reader.faulted" or (out and data["event"]["type"] != "reader.restored")
        if out:
            rounds.add(data["round"])
    return rounds


def check_what_was_dealt(truth: Sequence[Fields], rare: bool) -> None:
    """The evening had what it is here for."""
    assert any("code" in act for act in truth)
    assert any(act.get("act") == "reader_failed" for act in truth)
    actions = {act["action"] for act in truth if act.get("act") == "acted"}
    assert actions >= ({"split", "double", "insure"} if rare else {"hit", "stand"})


def check_evening(folder: Path, broker: EmbeddedBroker, kills: Endings, *options: str, rare: bool = False) -> None:
    left = played(folder, broker, kills, *options)
    lives, truth = table_records(left.rows), truth_of(folder)
    check_chain(left.rows)
    check_proof(folder / "journal.db")
    check_published(left)
    check_cards(lives, truth)
    check_rounds(lives, truth)
    check_codes(lives, truth)
    check_what_was_dealt(truth, rare)
    check_replay(folder)
    assert "answered differently" not in (folder / "daemon.log").read_text()


def killed(times: int, seed: int, *, inside: bool = False) -> Endings:
    return Endings(signal.SIGKILL, times, seed, inside)


def test_twenty_kills(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_evening(tmp_path, mosquitto, killed(20, 11), rare=True)


def test_eight_kills_inside_writes(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_evening(tmp_path, mosquitto, killed(8, 11, inside=True), rare=True)


@pytest.mark.soak
@pytest.mark.parametrize("inside", [False, True], ids=["anywhere", "inside writes"])
@pytest.mark.parametrize("values", ["--disclose", "--withhold"])
@pytest.mark.parametrize("seed", range(3, 9))
def test_twenty_kills_soak(mosquitto: EmbeddedBroker, tmp_path: Path, seed: int, values: str, inside: bool) -> None:
    check_evening(tmp_path, mosquitto, killed(20, seed, inside=inside), values)
