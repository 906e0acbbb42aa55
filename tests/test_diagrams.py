"""The round of every procedure as a state diagram: it can be read, hangs together, and says what the document says."""

from __future__ import annotations

import pytest
from mermaid import ENDS, Chart, parse

from controller.diagrams import diagram
from controller.diagrams.chart import arrow, state
from protocols.dealing.catalog import procedures
from protocols.dealing.model import Procedure

READER = 'id = "x"\nextends = "nd-card-reader"\n'


def chart_of(procedure: Procedure) -> Chart:
    return parse(list(diagram(procedure)))[1]


def changed(text: str) -> Chart:
    return chart_of(procedures().joined({"x.toml": text})["x"])


def ways(chart: Chart, start: str, end: str) -> list[str]:
    """What stands at the arrows between two states."""
    return [words for begin, to, words in chart.arrows if (begin, to) == (start, end)]


@pytest.mark.parametrize("name", procedures())
def test_every_state_is_reached_named_once_and_left(name: str) -> None:
    title, chart = parse(list(diagram(procedures()[name])))
    assert title == f"{name}: {procedures()[name].title}"
    for part in (chart, *chart.inside.values()):
        used = {end for start, end, _ in part.arrows} | {start for start, _, _ in part.arrows}
        assert used - {ENDS} == set(part.states)
        assert part.reached() >= set(part.states)
        assert {start for start, _, _ in part.arrows} >= set(part.states)
    assert set(chart.inside) | set(chart.notes) <= set(chart.states)
    assert "Between" in chart.reached("Between")


def test_different_procedures_have_different_diagrams() -> None:
    drawn = [tuple(list(diagram(procedure))[3:]) for procedure in procedures().values()]
    assert len(set(drawn)) == len(drawn) >= 5


def test_with_and_without_a_reader_and_a_hole_card() -> None:
    reader, no_peek, no_hole = (chart_of(procedures()[name]) for name in ("nd-card-reader", "nd-no-peek", "nd-no-hole"))
    assert ways(reader, "Upcard", "Peek") == ["ten"]
    assert ways(reader, "Insurance", "Peek") == ["insurance closed"]
    assert ways(reader, "Peek", "Fallback") == ["reader fails"]
    assert "nd-no-peek" in reader.states["Fallback"]
    assert "Peek" not in no_peek.states | no_hole.states
    assert "HoleTurned" in no_peek.states
    assert "HoleTurned" not in no_hole.states
    assert ways(no_hole, "Play", "DealerSecond") == [""]
    assert ways(no_peek, "SecondCards", "DealerSecond") == [""]


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ('options.soft_17 = "hit"', "DealerDraws", "dealer draws to 16, stands on a hard 17, draws on a soft one"),
        ("options.burn = 5", "Burn", "burn 5 cards"),
        ('options.fallback = "nd-no-hole"', "Fallback", "the round goes on as nd-no-hole"),
        ('calls.required = ["no_more_bets", "upcard"]', "Bets", "no more bets called"),
        ('options.pickup = "checked"', "Settle", "settle from right to left, dealer's cards last"),
        ('deal.dealer_faces = "up_down"', "DealerSecond", "second card to the dealer, face down"),
        ('cut.first = "far_left"', "Shuffle", "shuffle, cut offered first to the far left"),
        ("cutting_card.cards_from_back = 78", "Shuffle", "shuffle, cutting card 78 cards from the back"),
    ],
)
def test_what_the_document_states_is_drawn(text: str, state: str, words: str) -> None:
    assert changed(READER + text).states[state] == words
    assert chart_of(procedures()["nd-card-reader"]).states.get(state) != words


def test_what_the_text_settles_is_noted() -> None:
    notes = chart_of(procedures()["nd-card-reader"]).notes
    assert notes == {"Between": "settled by the text, not by the table - insurance, signal, peek"}
    free = "".join(f"options.{name}.settled = false\n" for name in ("insurance", "signal", "peek"))
    assert changed(READER + free).notes == {}


def test_what_is_not_there_is_not_drawn() -> None:
    assert "Burn" not in changed(READER + "options.burn = 0").states
    assert "UpcardCalled" not in changed(READER + "calls.required = []").states
    at_turn = changed(READER + 'options.insurance = "at_turn"')
    assert "Insurance" not in at_turn.states
    assert "InsuranceInTurn" in at_turn.inside["Play"].states
    allowed = changed(READER + 'options.peek = "allowed"')
    assert ways(allowed, "Upcard", "Play") == ["any other card", "ten, reader not used"]


def test_the_play_of_the_hands() -> None:
    play = chart_of(procedures()["nd-card-reader"]).inside["Play"]
    assert play.states["Card"] == "one card asked by a hand signal"
    assert ways(play, "Decision", "Split") == ["pair by value, up to 4 hands"]
    assert ways(play, "Decision", "Over") == ["stand"]
    house = changed(READER + '[options]\nsurrender = "late"\nmax_hands = "none"\ndouble_after_split = false').inside[
        "Play"
    ]
    assert ways(house, "Decision", "Split") == ["pair by value, any number of hands"]
    assert ways(house, "Decision", "Double") == ["double on two cards, not after a split"]
    assert ways(house, "Decision", "Over") == ["stand", "late surrender on two cards"]


def test_a_coup() -> None:
    french, jersey = (chart_of(procedures()[name]) for name in ("pb-fr", "pb-nj"))
    assert french.states["Deal"] == "four cards, player and banker in turn, face down"
    assert french.states["Error"] == "a card drawn in error is burned"
    assert jersey.states["Error"].endswith("is the first of the next coup unless it was seen")
    assert ways(jersey, "Between", "Shuffle") == ["one coup after the one with the cutting card"]
    up = changed('id = "x"\nextends = "pb-nj"\noptions.deal_faces = "up"')
    assert "Turn" not in up.states
    assert up.reached() >= set(up.states)


def test_a_round_of_stud() -> None:
    hand, shoe = (chart_of(procedures()[name]) for name in ("nj-ms-hand", "nj-ms-shoe"))
    assert ways(hand, "Boxes", "Community") == ways(shoe, "InHand", "Community") == [""]
    assert ways(shoe, "Boxes", "Void") == ["the shoe fails between two boxes"]
    assert hand.states["Boxes"].endswith("face down, all at once or one at a time")
    assert shoe.states["Boxes"].endswith("face down, all at once")
    assert ways(hand, "Between", "Shuffle") == ["after every round"]
    assert "Burn" not in hand.states
    two = changed('id = "x"\nextends = "nj-ms-hand"\nstud.streets = [3, 4]\nstud.multiples = [1, 2]')
    assert "Street5" not in two.states
    assert two.states["Street4"] == "each hand from the dealer's left bets 1 to 2 times the ante or folds"


def test_who_cuts_and_where_the_cutting_card_goes() -> None:
    shuffle = chart_of(procedures()["nz"]).states["Shuffle"]
    assert "the far left with new cards, that box when the cutting card showed at a box" in shuffle
    assert shuffle.endswith("cutting card 1.5 decks from the back")
    assert chart_of(procedures()["pa"]).states["Burn"] == "burn 1 card, the same at a new dealer"


def test_words_cannot_break_the_diagram() -> None:
    text = READER + 'title = "A \\"round\\"; # of: {two}\\nlines"'
    title, chart = parse(list(diagram(procedures().joined({"x.toml": text})["x"])))
    assert title == 'x: A "round"; # of: {two}\nlines'
    assert chart.states
    assert list(state("A", 'a "b" #c; {d}: <e>\nf').written()) == ['    state "a  b   c   d    e  f" as A']
    assert list(arrow("A", "B", "a: b").written()) == ["    A --> B : a  b"]


@pytest.mark.parametrize(
    "line", ["note right of : b", 'state "a" as', "A -> B", "state A {", "}", "A --> B : a : b", 'state "a" as A', "x"]
)
def test_the_reader_refuses_what_is_no_diagram(line: str) -> None:
    head = ["---", 'title: "t"', "---", "stateDiagram-v2", 'state "a" as A']
    assert parse(head)[0] == "t"
    with pytest.raises(ValueError, match=r".+"):
        parse([*head, line])
