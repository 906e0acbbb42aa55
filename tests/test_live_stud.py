"""The live table at Mississippi stud: a shoe and people, no reader; with a daemon that the test writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_story import STUD, expected, played, played_at, run, without_boot

from protocols.errors import ProcedureError, ShoewatchError
from simulators.live.play import TablePlay
from simulators.port import open_sim
from simulators.stud.misdeals import Misdeal
from simulators.tdl.shoe import slot

REVEAL = ("shoe", 0x04)
UNSEEN = 0xFF


@pytest.mark.parametrize("procedure", ["nj-ms-shoe", "nj-ms-hand"])
def test_cards_and_words_come_in_the_order_in_which_they_happen(tmp_path: Path, procedure: str) -> None:
    game = {"procedure": procedure, "shoe_faults": "0.3"}
    daemon = run(played(tmp_path, game, rounds="25", seed="5", faults="0.4"))
    play = TablePlay(procedure, rounds=25, seed=5, misdeals=0.4, shoe_faults=0.3)
    assert without_boot(daemon.story) == expected(play)
    told = {entry[1] for entry in daemon.story if entry[0] == "shoe"}
    assert told == ({0x01, 0x02, 0x07, 0x08, 0x09} if procedure == "nj-ms-shoe" else {0x01})
    assert {entry[1]["type"] for entry in daemon.story if entry[0] == "dealer"} >= {
        *("cards.shuffled", "round.opened", "call.made", "player.acted", "community.revealed", "stub.counted"),
        *("stub.discarded", "hand.settled", "cards.collected", "round.closed"),
    }


def by_round(story: list[tuple[str, Any]]) -> Iterator[list[tuple[str, Any]]]:
    dealt: list[tuple[str, Any]] = []
    for entry in story:
        dealt.append(entry)
        if entry == ("dealer", {"type": "round.closed"}):
            yield dealt
            dealt = []


def said_to(kind: str, entry: tuple[str, Any]) -> bool:
    return entry[0] == "dealer" and entry[1]["type"] == kind


def test_a_withheld_card_is_told_as_it_is_turned_and_that_of_a_folded_hand_never(tmp_path: Path) -> None:
    daemon = run(played(tmp_path, STUD, rounds="25", seed="6", withhold="1"))
    rounds = list(by_round(daemon.story))
    assert len(rounds) == 25
    for dealt in rounds:
        cards = [entry[1] for entry in dealt if entry[0] == "card"]
        assert {(card["card"], card["flags"]) for card in cards} == {(0, 1)}
        turned = [at for at, entry in enumerate(dealt) if said_to("community.revealed", entry)]
        assert all(dealt[at - 1] == REVEAL for at in turned)
        folded = {entry[1]["box"] for entry in dealt if entry[0] == "dealer" and entry[1].get("action") == "fold"}
        settled = {entry[1]["box"] for entry in dealt if said_to("hand.settled", entry)}
        assert dealt.count(REVEAL) == len(turned) + 2 * len(settled - folded)
    assert any(said_to("hand.settled", entry) for entry in daemon.story)


def test_a_place_that_the_protocol_cannot_name_is_said_before_the_card(tmp_path: Path) -> None:
    play = TablePlay("nj-ms-hand", {"max_boxes": 9}, rounds=6, seed=3, pace=0)
    cards = [entry[1] for entry in run(played_at(tmp_path, play)).story if entry[0] == "card"]
    unseen = [card for card in cards if card["slot"] == UNSEEN]
    assert {card["to"] for card in unseen} == {"box:8", "box:9"}
    assert all("to" not in card for card in cards if card["slot"] != UNSEEN)
    assert {card["slot"] for card in cards} > {slot("community:3"), slot("box:1")}


@pytest.mark.parametrize("withhold", [False, True])
def test_what_such_a_table_cannot_tell_is_not_done_wrongly(withhold: bool) -> None:
    play = TablePlay("nj-ms-shoe", seed=2, misdeals=1.0, withhold=withhold)
    dealer = play.dealer()
    done = {step.misdeal for _ in range(1500) for step in dealer.steps() if step.misdeal}
    untold = {Misdeal.PEEK_IN_NO_PEEK_MODE, Misdeal.MISSING_CARD}
    assert not done & untold
    assert (Misdeal.READER_MISMATCH in done) is not withhold
    assert len(done) > 20


def test_there_is_no_reader_at_such_a_table() -> None:
    async def asked() -> None:
        await open_sim("t1", STUD)
        with pytest.raises(ShoewatchError, match="nj-ms-shoe is dealt without a reader"):
            await open_sim("t1", {"device": "reader"})

    run(asked())


def test_punto_banco_is_no_game_of_this_table() -> None:
    with pytest.raises(ProcedureError, match="pb-nj is not dealt to boxes"):
        TablePlay("pb-nj").dealer()
