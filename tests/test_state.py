"""The state that stands on the broker: it shows what the records show, and nothing of what lies face down."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from blackjack_log import story
from coup_log import events as coup_events
from kept_rounds import VAULT, dealt, keep, kept, shown
from shown_table import Fields, messages, states
from stud_log import stud_story
from test_rounds_leaks import CLUB, VOIDED, in_suit, kept_twice
from told_journal import changing

from controller.journal_file import read_all
from controller.recovery import recovered
from controller.rounds.model import Reconstruction
from controller.shown import recalled
from protocols.dealing.catalog import procedure_named
from protocols.events import LogHeader, ReaderFaulted, ShoeFaulted
from protocols.records import Fact, LinkChanged

GAMES = ["nd-card-reader", "nd-no-hole", "pa", "nj-ms-hand", "nj-ms-shoe", "pb-fr", "pb-nj"]
PB = LogHeader(procedure="pb-fr")
ROUNDS = 6


def hands(state: Fields) -> dict[str, list[str | None]]:
    return {hand["place"]: hand["cards"] for hand in state["hands"]}


def lying(found: Reconstruction) -> dict[str, list[str | None]]:
    """The cards that still lie there, by place."""
    places = {hand.place: [card.value for card in hand.cards if not card.gone] for hand in found.hands}
    return {place: cards for place, cards in places.items() if cards}


@pytest.mark.parametrize("procedure", GAMES)
def test_the_hands_at_the_end_of_a_round_are_those_of_its_reconstruction(tmp_path: Path, procedure: str) -> None:
    log = dealt(procedure, 3, ROUNDS, 0.5)
    path = kept(tmp_path / "journal.db", log)
    at_the_end = {state["round"]["number"]: state for state in states((log.header, log.events))}
    assert [*at_the_end] == [*range(ROUNDS + 1)]
    for number in range(ROUNDS, 0, -1):
        state = at_the_end[number]
        with changing(path) as file:
            file.execute("DELETE FROM record WHERE seq > ?", (state["seq"],))
        found = shown(path, number)
        assert (hands(state), [*hands(state)]) == (lying(found), [*lying(found)])
        assert state["round"]["open"] == (found.ended == "open")
        assert state["options"] == found.options


@pytest.mark.parametrize("procedure", ["nd-card-reader", "nj-ms-hand", "pb-nj"])
def test_what_is_found_last_in_a_round_stands_there(tmp_path: Path, procedure: str) -> None:
    log = dealt(procedure, 5, ROUNDS, 0.7)
    path = kept(tmp_path / "journal.db", log)
    at_the_end: dict[int, Fields | None] = {}
    for state in states((log.header, log.events)):
        if not state["round"]["open"]:
            at_the_end.setdefault(state["round"]["number"], state["last"])
    said = Counter[bool]()
    for number in range(1, ROUNDS + 1):
        last = [(each.seq, each.outcome, each.code, each.rule, each.detail) for each in shown(path, number).findings][
            -1:
        ]
        told = at_the_end[number]
        said[bool(last)] += 1
        assert ([tuple(told.values())] if told else []) == last
    assert said[True]


R1 = "R1 9s>1 As>d 9d>1 Kh>d-"
STORIES: list[tuple[str, dict[str, Any]]] = [
    ("cr:", {"hands": {}, "number": 0, "open": False, "method": "peek", "due": ["round.opened"]}),
    ("cr: R1 9s>1 As>d", {"hands": {"dealer": ["As"], "box:1": ["9s"]}, "number": 1, "open": True}),
    (f"cr: {R1}", {"hands": {"dealer": ["As", None], "box:1": ["9s", "9d"]}, "judged": True, "last": None}),
    (f"cr: {R1} call ins- peek=natural", {"hands": {"dealer": ["As", None], "box:1": ["9s", "9d"]}, "method": "peek"}),
    (f"cr: {R1} call ins- peek=natural hole", {"hands": {"dealer": ["As", "Kh"], "box:1": ["9s", "9d"]}}),
    (
        f"cr: {R1} call ins- peek=natural hole settle1=lose close",
        {"hands": {"dealer": ["As", "Kh"], "box:1": ["9s", "9d"]}, "number": 1, "open": False},
    ),
    (f"cr: {R1} call ins- peek=natural hole settle1=lose close R1", {"hands": {}, "number": 2, "open": True}),
    (f"cr: {R1} void", {"hands": {"dealer": ["As", None], "box:1": ["9s", "9d"]}, "number": 1, "open": False}),
    ("cr: R1 9s>1 gap", {"judged": False, "open": True, "drawn": None, "outcome": "unobservable"}),
    ("cr: R1 9s>1 gap close", {"judged": False, "open": False}),
    ("cr: R1 9s>1 gap close R1", {"judged": True}),
    ("cr: R1 9s>1 fault", {"method": "no-peek", "out": True}),
    ("cr: R1 9s>1 fault restore", {"method": "no-peek", "out": False, "why_out": None}),
    ("cr fallback=nd-no-hole: fault", {"method": "no-hole", "out": True, "number": 0}),
    ("cr: R1 9s>1 6d>d 9d>1 7h>d- 1.stand 5h>1", {"disputed": True, "outcome": "violation"}),
    ("cr: R1 9s>1 6d>d 9d>1 7h>d- 1.stand 5h>1 close", {"disputed": True, "outcome": "violation", "open": False}),
    ("cr: R1 9s>1 6d>d 9d>1 7h>d- 1.stand 5h>1 close R1", {"disputed": False, "last": None}),
    ("cr: R1 9s>1 6d>d 9d>1 7h>d- 1.stand hole 4s>d close 5h>1", {"code": "draw_outside_round", "number": 1}),
    ("cr: R1 9s>1", {"cutting_card": None, "drawn": None}),
    ("cr shoe=fresh: R1 9s>1", {"cutting_card": False, "drawn": 1}),
    ("cr shoe=fresh: R1 9s>1 cutcard", {"cutting_card": True, "drawn": 1}),
    ("cr shoe=fresh: R1 9s>1 cutcard 6d>d", {"cutting_card": True, "drawn": 2}),
    (
        "cr: R1,2 8s>1 9s>2 6d>d- 8d>1 9d>2 As>d call ins- peek=no_natural 1.split 3c>1a 1a.hit Th>1a",
        {"hands": {"dealer": [None, "As"], "box:1/a": ["8s", "3c", "Th"], "box:1/b": ["8d"], "box:2": ["9s", "9d"]}},
    ),
    ("nh: R1 9s>1 ?>d 8s>1", {"hands": {"dealer": [None], "box:1": ["9s", "8s"]}, "method": "no-hole"}),
    ("cr: 2c>b R1 9s>1", {"hands": {"box:1": ["9s"], "burn": [None]}}),
]


def flat(state: Fields) -> dict[str, Any]:
    last, reader = state["last"] or {}, state["reader"]
    named = {**state["round"], **state["shoe"], "out": reader["out"], "why_out": reader["code"]}
    return {**state, **named, "hands": hands(state), "outcome": last.get("outcome"), "code": last.get("code")}


@pytest.mark.parametrize(("words", "expected"), STORIES, ids=[words for words, _ in STORIES])
def test_where_a_table_stands(words: str, expected: dict[str, Any]) -> None:
    told = story(words)
    found = flat(states((told.header, told.events))[-1])
    assert {name: found[name] for name in expected} == expected


def test_stud_lies_face_down_until_it_is_turned() -> None:
    told = stud_story("mh uncounted=1: go1,2 1.bet3x1 2.fold turn3")
    found = hands(states((told.header, told.events))[-1])
    assert [*found] == ["box:1", "box:2", "community:3", "community:4", "community:5"]
    assert found["box:1"] == found["box:2"] == [None, None]
    assert found["community:3"] != [None] == found["community:4"]


@pytest.mark.parametrize(
    ("coups", "lying"),
    [
        ("o n P9s_ B2h_ P9h_ B5d_", {"player": [None, None], "banker": [None, None]}),
        ("o n P9s_ B2h_ P9h_ B5d_ t", {"player": ["9s", "9h"], "banker": ["2h", "5d"]}),
        ("o n P9s_ B2h_ P9h_ B5d_ v", {"player": [None, None], "banker": [None, None]}),
        ("o n P9s_ B2h_ P9h_ B5d_ t B3s^ bB", {"player": ["9s", "9h"], "banker": ["2h", "5d"]}),
    ],
)
def test_punto_banco(coups: str, lying: dict[str, list[str | None]]) -> None:
    last = states((PB, coup_events(coups)))[-1]
    assert hands(last) == lying
    assert last["method"] is None


def test_other_rules_begin_an_empty_table_with_the_same_numbers() -> None:
    coup = coup_events("o n P9s^ B2h^ P9h^ B5d^ =p c")
    before, *_, after = states((PB, coup), (PB.model_copy(update={"options": {"decks": 6}}), coup[:1]))[len(coup) :]
    assert (before["round"]["number"], after["round"]["number"]) == (1, 2)
    assert hands(before)
    assert (hands(after), after["options"]["decks"]) == ({}, 6)


def test_what_was_found_is_recalled_at_a_start(tmp_path: Path) -> None:
    log = story("cr: R1 9s>1 6d>d 9d>1 7h>d- 1.stand 5h>1 close 5d>1")
    path = keep(tmp_path / "journal.db", (log.header, log.events))
    told = states((log.header, log.events))[-1]["last"]
    found = recovered(path, _epoch(path), procedure_named, VAULT)
    assert found
    last = recalled(path, found.standing).found
    assert last
    assert (last.seq, last.verdict.code) == (told["seq"], told["code"])
    assert told["code"] == "draw_outside_round"


def _epoch(path: Path) -> str:
    return str(json.loads(next(read_all(path)).body)["epoch"])


def test_what_lasts_and_how_the_links_stand() -> None:
    facts: list[Fact] = [
        LinkChanged("shoe", "handshake", "ready"),
        LinkChanged("reader", "ready", "lost", "gone", "ENODEV"),
        ReaderFaulted(code="link-lost"),
        ShoeFaulted(code="tdl-09"),
    ]
    state = states((LogHeader(procedure="nd-card-reader"), facts))[-1]
    assert state["reader"] == {"out": True, "code": "link-lost"}
    assert state["shoe"]["faulted"]
    assert [*state["links"]] == ["shoe", "reader"]
    assert {name: state["links"]["reader"][name] for name in ("state", "loss", "losses")} == {
        "state": "lost",
        "loss": "gone",
        "losses": 1,
    }
    assert "the reader is out of use: no peek in the next round" in state["remarks"]


@pytest.mark.parametrize("rounds", [6, pytest.param(120, marks=pytest.mark.soak)])
@pytest.mark.parametrize("procedure", VOIDED)
def test_nothing_tells_a_card_that_nobody_turned(tmp_path: Path, procedure: str, rounds: int) -> None:
    """Not by its value, and not by the size of a message: another card in its place changes no byte."""
    log = dealt(procedure, 11, rounds, 0.3)
    events, rounds = [*log.events, *VOIDED[procedure]], rounds + bool(VOIDED[procedure])
    path, closed = kept_twice(tmp_path, log.header, events, rounds)
    down = {
        card.seq
        for number in range(1, rounds + 1)
        for hand in shown(path, number).hands
        for card in hand.cards
        if card.lies == "down"
    }
    assert len(down) == closed > 1
    open_ones = [in_suit(event, None) for event in events]
    clubs = [in_suit(event, "c") if number in down else event for number, event in enumerate(open_ones, start=2)]
    told = list(messages((log.header, clubs)))
    assert [CLUB.findall(each.decode()) for each in told] == [[]] * len(told)
    assert told == list(messages((log.header, open_ones)))


@pytest.mark.parametrize("other", ["7h", "Kh", "2c", "A", None])
def test_another_hole_card_and_another_answer_change_nothing(other: str | None) -> None:
    def told(hole: str, answer: str) -> list[bytes]:
        log = story(f"cr: R1 9s>1 As>d 9d>1 {hole}>d- call ins- peek={answer}")
        return list(messages((log.header, log.events)))

    assert told("Th", "natural") == told(other or "?", "no_natural")


def test_a_club_that_is_turned_is_found() -> None:
    log = story("cr: R1 9s>1 As>d 9d>1 Kc>d- call ins- peek=natural hole")
    assert [bool(CLUB.search(each.decode())) for each in messages((log.header, log.events))][-2:] == [False, True]


def test_a_record_of_another_kind_changes_only_what_it_is_about(tmp_path: Path) -> None:
    log = story(f"cr: {R1}")
    path = keep(tmp_path / "journal.db", (log.header, log.events))
    assert hands(states((log.header, (*log.events, LinkChanged("shoe", "ready", "lost", "gone"))))[-1]) == lying(
        shown(path, 1)
    )
