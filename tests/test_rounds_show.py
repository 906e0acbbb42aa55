"""A round as it lay on the table: the cards by place, what was done, what was wrong, how it ended."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from blackjack_log import story
from command import shoewatch
from coup_log import events as coup_events
from kept_rounds import Person, Said, dealt, keep, kept, shown
from stud_log import stud_story

from controller.rounds.model import RECONSTRUCTION, Reconstruction
from controller.rounds.page import as_page
from controller.rounds.text import as_text
from protocols.events import EVENT, Event, LogHeader, ReaderPeeked
from protocols.records import DeviceReported, Fact, InputRefused, LinkChanged

PB = LogHeader(procedure="pb-fr")


def hands(found: Reconstruction) -> list[str]:
    """The lines of the text that show the table, in single spaces."""
    text = as_text(found).split("\n\n")[1]
    return [" ".join(line.split()) for line in text.splitlines() if not line.strip().startswith("[")]


def in_journal(path: Path, words: str, more: Sequence[Fact] = ()) -> Path:
    log = stud_story(words) if words[:2] in ("mh", "ms") else story(words)
    return keep(path, (log.header, (*more, *log.events)))


BLACKJACK = [
    pytest.param(
        "cr: R1 9s>1 As>d 9d>1 Kh>d- call ins- peek=natural hole settle1=lose close",
        ["dealer As (Kh)", "box 1 9s 9d = lose"],
        "closed",
        id="the reader finds a natural",
    ),
    pytest.param(
        "cr: R1,2 8s>1 9s>2 6d>d- 8d>1 9d>2 As>d call ins- peek=no_natural 1.split 3c>1a 1a.hit Th>1a 1a.stand"
        " Kd>1b 1b.stand 2.stand hole settle2=win settle1b=win settle1a=win close",
        [
            "dealer (6d) As",
            "box 1, hand a 8s 3c Th split, hit, stand = win",
            "box 1, hand b 8d Kd stand = win",
            "box 2 9s 9d stand = win",
        ],
        "closed",
        id="a split, the hole card first",
    ),
    pytest.param(
        "cr: R1 6s>1 Ah>d 5d>1 9h>d- call ins+ 1.insure ins- peek=no_natural 1.double Td>1- hole settle1=win close",
        ["dealer Ah (9h)", "box 1 6s 5d (Td) insure, double = win"],
        "closed",
        id="insurance, a double face down",
    ),
    pytest.param(
        "cr: R1 6s>1 Ah>d 5d>1 9h>d- call ins- peek=natural void",
        ["dealer Ah ##", "box 1 6s 5d"],
        "voided",
        id="voided before anything is turned",
    ),
    pytest.param(
        "np: R1 9s>1 6h>d 8s>1 Th>d- 1.stand hole=Kh 5d>d settle1=lose close",
        ["dealer 6h (Kh)!1 5d", "box 1 9s 8s stand = lose"],
        "closed; 1 violation; disputed",
        id="the turned card is another one",
    ),
    pytest.param(
        "nh: R1 9s>1 6h>d 8s>1 1.stand Ts>d 4d>d 5c>2 close",
        ["dealer 6h Ts 4d", "box 1 9s 8s stand", "box 2 5c!1"],
        "closed; 1 violation; disputed",
        id="a box without a wager",
    ),
    pytest.param(
        "cr: R1,2 9s>1 9d>2 7s>1 As>d",
        ["dealer As", "box 1 9s 7s!1", "box 2 9d"],
        "still open; 1 violation",
        id="a round that is going on",
    ),
]


@pytest.mark.parametrize(("words", "lying", "outcome"), BLACKJACK)
def test_blackjack(tmp_path: Path, words: str, lying: list[str], outcome: str) -> None:
    found = shown(in_journal(tmp_path / "journal.db", words), 1)
    assert hands(found) == lying
    assert as_text(found).splitlines()[0] == f"riverside/bj-07 round 1: {outcome}"
    assert all(each.proved for each in found.openings)


@pytest.mark.parametrize(
    ("words", "methods"),
    [
        ("cr: R1 fault 9s>1 As>d 9d>1 Kh>d- 1.stand hole settle1=lose close", ["peek", "no-peek"]),
        ("cr fallback=nd-no-hole: R1 9s>1 As>d fault 9d>1 1.stand 7d>d settle1=push close", ["peek", "no-hole"]),
        ("cr: R1 9s>1 As>d fault method=nd-no-hole 9d>1 1.stand 7d>d close", ["peek", "no-peek", "no-hole"]),
        ("cr: R1 9s>1 As>d 9d>1 Kd>d- call ins- peek=no_natural fault 1.stand hole settle1=lose close", ["peek"]),
    ],
)
def test_the_method_is_that_of_the_moment(tmp_path: Path, words: str, methods: list[str]) -> None:
    path = in_journal(tmp_path / "journal.db", words, [LinkChanged("reader", "handshake", "ready")])
    found = shown(path, 1)
    assert [use.method for use in found.methods] == methods
    since = [use.seq for use in found.methods]
    events = {step.seq: step.event["type"] for step in found.steps if step.event}
    assert since[0] is None
    assert [events[seq] for seq in since[1:] if seq] == ["reader.faulted", "method.selected"][: len(since) - 1]


def test_a_fault_lasts_into_the_next_round(tmp_path: Path) -> None:
    words = "cr: R1 fault 9s>1 As>d 9d>1 Kh>d- 1.stand hole settle1=lose close cutcard R1 9s>1 7s>d"
    found = shown(in_journal(tmp_path / "journal.db", words, [LinkChanged("reader", "ready", "lost", "gone")]), 2)
    assert (found.before.links, found.before.faults) == ({"reader": "lost"}, {"reader": None})
    assert [use.method for use in found.methods] == ["no-peek"]
    assert found.steps[0].event == {"type": "cut_card.reached"}


def test_stud(tmp_path: Path) -> None:
    words = "mh uncounted=1: go1,2 1.bet3x1 2.fold turn3 1.bet4x2 turn4 1.betx3 turn5 settle2=lose settle1=win close"
    found = shown(in_journal(tmp_path / "journal.db", words), 1)
    lying = hands(found)
    assert lying[0].startswith("box 1 ")
    assert lying[1].startswith("box 2 ## ## fold")
    assert [line[:18] for line in lying[2:5]] == [f"community card {street} (" for street in (3, 4, 5)]
    assert "bet 1 times the ante on street 3, bet 2 times the ante on street 4, bet 3 times the ante" in lying[0]


@pytest.mark.parametrize(
    ("coups", "lying"),
    [
        ("o n P9s_ B2h_ P9h_ B5d_ t =p c", ["player (9s) (9h)", "banker (2h) (5d)", "reported player"]),
        ("o n P9s_ B2h_ P9h_ B5d_ v", ["player ## ##", "banker ## ##"]),
        ("o n P9s_ B2h_ P9h_ B5d_ t B3s^ bB =p c", ["player (9s) (9h)", "banker (2h) (5d) -3s-!1", "reported player"]),
        (
            "o n P_~P1 B_~B1 P_~P2 B_~B2 r~P1=9h r~B1=2s r~P2=9s r~B2=4d =p c",
            ["player (9h) (9s)", "banker (2s) (4d)", "reported player"],
        ),
    ],
    ids=["turned", "voided", "a false third card", "values late"],
)
def test_punto_banco(tmp_path: Path, coups: str, lying: list[str]) -> None:
    found = shown(keep(tmp_path / "journal.db", (PB, coup_events(coups))), 1)
    assert hands(found) == lying


def test_a_carried_card_lies_where_it_was_carried(tmp_path: Path) -> None:
    header = LogHeader(procedure="pb-nj", options={"error_card": "next_hand"})
    coups = "o n P9s^ B2h^ P9h^ B5d^ P4c^ =p c o n P^>5 B2h^ P9h^ B5d^ =p c"
    path = keep(tmp_path / "journal.db", (header, coup_events(coups)))
    first, second = shown(path, 1), shown(path, 2)
    assert hands(first)[0] == "player 9s 9h -4c-!1"
    assert hands(second)[0].startswith("player 4c")
    assert second.hands[0].cards[0].draw is None


def test_who_said_it_and_what_came_late(tmp_path: Path) -> None:
    deal = story("cr: R1 9s>1 6h>d 8s>1 Th>d-")
    by_hand = EVENT.validate_python({"type": "card.drawn", "card": "2d", "to": "box:1", "face": "up", "manual": True})
    facts: list[Fact | Said] = [
        LinkChanged("shoe", "handshake", "ready"),
        Said(deal.events[0], by=Person("a-1", "dealer")),
        *(Said(event, replayed=True) for event in deal.events[1:]),
        DeviceReported("shoe", "battery", {"percent": 80}),
        InputRefused("a-2", "dealer", "hole.revealed", "it is not your turn"),
        Said(by_hand, by=Person("b-1", "supervisor")),
    ]
    found = shown(keep(tmp_path / "journal.db", (deal.header, facts)), 1)
    assert [(step.who.role, step.who.manual) for step in found.steps[-1:]] == [("supervisor", True)]
    drawn = [card for hand in found.hands for card in hand.cards]
    assert [card.replayed for card in drawn] == [True, True, True, True, False]
    assert [card.manual for card in drawn].count(True) == 1
    text = as_text(found)
    for said in ("[dealer]", "(told late)", "battery", "it is not your turn", "[supervisor by hand]"):
        assert said in text


def test_a_gap_is_told_and_nothing_is_judged(tmp_path: Path) -> None:
    words = "cr: R1 9s>1 6h>d 8s>1 gap Th>d- 1.stand hole close"
    found = shown(in_journal(tmp_path / "journal.db", words), 1)
    assert found.gaps
    assert "it is not judged" in as_text(found).splitlines()[0]


GAMES = [
    ("nd-card-reader", 0.5),
    ("us-card-reader", 0.5),
    ("nd-no-hole", 0.5),
    ("pa", 0.5),
    ("nj-ms-hand", 0.5),
    ("nj-ms-shoe", 0.5),
    ("pb-fr", 0.5),
    ("pb-nj", 0.5),
]


@pytest.mark.parametrize(("procedure", "rate"), GAMES, ids=[name for name, _ in GAMES])
def test_every_card_and_every_verdict_of_what_is_dealt_is_there(tmp_path: Path, procedure: str, rate: float) -> None:
    log = dealt(procedure, 3, 25, rate)
    path = kept(tmp_path / "journal.db", log)
    found = [shown(path, number) for number in range(1, 26)]
    events = [event for event in log.events if event.name == "card.drawn"]
    cards = sorted((card for each in found for hand in each.hands for card in hand.cards), key=lambda card: card.seq)
    assert [card.seq for card in cards if card.draw] == [
        step.seq for each in found for step in each.steps if _is_new_card(step.event)
    ]
    drawn = dict(zip(_drawn_at(found), map(_value, events), strict=True))
    for card in cards:
        assert card.draw is None or card.value in (None, drawn[card.seq]) or drawn[card.seq] is None
    assert all(opening.proved for each in found for opening in each.openings)
    for each in found:
        _check_findings(each)


def _is_new_card(event: object) -> bool:
    return isinstance(event, dict) and event["type"] == "card.drawn" and "moved" not in event


def _drawn_at(found: Sequence[Reconstruction]) -> list[int]:
    return [step.seq for each in found for step in each.steps if step.event and step.event["type"] == "card.drawn"]


def _value(event: Event) -> str | None:
    card = getattr(event, "card", None)
    return None if card is None else str(card)


def _check_findings(found: Reconstruction) -> None:
    """Every verdict that is not ok is told in each form, at its card where it is about one."""
    page, text = as_page(found), as_text(found)
    told = [step for step in found.steps if step.verdict and step.verdict.outcome != "ok"]
    assert [finding.seq for finding in found.findings] == [step.seq for step in told]
    for finding in found.findings:
        assert f"<b>{finding.number}</b>" in page
        assert f"!{finding.number} record {finding.seq}" in text
        assert finding.code is None or finding.code in page
        drawn = next((step.verdict.draw for step in told if step.seq == finding.seq and step.verdict), None)
        if drawn is not None:
            marked = [card for hand in found.hands for card in hand.cards if finding.number in card.findings]
            assert drawn in [card.draw for card in marked]
            assert re.search(rf'aria-label="[^"]*finding {finding.number}\b', page)


def test_the_three_forms_of_the_command(tmp_path: Path) -> None:
    path = in_journal(tmp_path / "journal.db", "cr: R1 9s>1 As>d 9d>1 Kh>d- call ins- peek=natural hole close")
    text, as_json = shoewatch("rounds", "show", "1", str(path)), shoewatch("rounds", "show", "1", str(path), "--json")
    page = shoewatch("rounds", "show", "1", str(path), "--html", "-")
    written = shoewatch("rounds", "show", "1", str(path), "--html", str(tmp_path / "round.html"))
    assert [each.status for each in (text, as_json, page, written)] == [0, 0, 0, 0]
    found = RECONSTRUCTION.validate_json(as_json.stdout)
    assert as_text(found) == text.stdout
    assert re.search(r"card\.drawn Kh to dealer .*: ok, draw 4$", text.stdout, re.MULTILINE)
    assert page.stdout == as_page(found) == (tmp_path / "round.html").read_text()
    assert json.loads(as_json.stdout)["ended"] == "closed"


def test_nothing_that_somebody_wrote_is_taken_for_markup_or_steers_a_terminal(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\x1b[2J\u202e\"'&"
    header = LogHeader(procedure="nd-card-reader")
    events = [
        EVENT.validate_python({"type": "round.opened", "boxes": (1,)}),
        EVENT.validate_python({"type": "card.drawn", "to": "box:1", "ref": evil, "actor": evil}),
        EVENT.validate_python({"type": "reader.faulted", "code": evil}),
        EVENT.validate_python({"type": "round.voided", "reason": evil}),
    ]
    found = shown(keep(tmp_path / "journal.db", (header, events)), 1)
    for shape in (as_page(found), as_text(found)):
        assert "\x1b" not in shape
        assert "\u202e" not in shape
    assert "<script" not in as_page(found)
    assert "&lt;script&gt;" in as_page(found)


def test_what_the_reader_said_is_told_only_where_it_became_public(tmp_path: Path) -> None:
    deal = "cr: R1 9s>1 As>d 9d>1 Kh>d- call ins- peek=natural"
    for number, (end, said) in enumerate({" void": None, " hole close": "natural"}.items()):
        found = shown(in_journal(tmp_path / f"{number}.db", deal + end), 1)
        peek = next(step.event for step in found.steps if step.event and step.event["type"] == ReaderPeeked.name)
        assert peek.get("result") == said


def test_the_last_round_before_other_rules_is_shown_without_what_follows_them(tmp_path: Path) -> None:
    """The records of another header may speak of places that this procedure does not have."""
    deal, coups = dealt("nd-card-reader", 2, 3), dealt("pb-fr", 2, 2)
    path = keep(tmp_path / "journal.db", (deal.header, deal.events), (coups.header, coups.events))
    assert [shown(path, number).procedure for number in range(1, 6)] == ["nd-card-reader"] * 3 + ["pb-fr"] * 2
    assert shown(path, 3).last < shown(path, 4).header
