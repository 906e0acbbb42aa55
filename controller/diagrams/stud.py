"""A round of stud with community cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.diagrams.chart import Arrow, Line, State, path
from controller.diagrams.shoe import between_rounds
from protocols.dealing.model import Procedure, StudDeal

_PATTERN: Final = {
    "pairs": "all at once",
    "passes": "one at a time",
    "either": "all at once or one at a time",
}


def round_of(procedure: Procedure) -> Iterator[Line]:
    """The round by the document's defaults."""
    deal = procedure.stud
    assert deal is not None
    opening = list(_opening(procedure, deal))
    yield from between_rounds(procedure, opening[0].name)
    yield from path(*opening, *_streets(deal), *_end(procedure))
    yield Arrow("StubDiscarded", "Between", "round closed")
    for street in deal.streets:
        yield Arrow(f"Street{street}", "Settle", "all folded")
    if deal.boxes_from == "shoe":
        yield State("Void", "the round is void")
        yield Arrow("Boxes", "Void", "the shoe fails between two boxes")
        yield Arrow("Void", "Between")


def _opening(procedure: Procedure, deal: StudDeal) -> Iterator[State]:
    if deal.shuffler:
        yield State("Shuffler", "cards from a shuffling device")
    if "no_more_bets" in procedure.calls.required:
        yield State("Bets", "no more bets called")
    pattern = _PATTERN[str(procedure.options["deal_pattern"].default)]
    yield State("Boxes", f"{deal.hand_cards} cards to each box with a wager, face {deal.face}, {pattern}")
    if deal.boxes_from == "shoe":
        yield State("InHand", "the rest is taken out of the shoe into the hand")
    yield State("Community", f"{len(deal.streets)} community cards, face {deal.face}")


def _streets(deal: StudDeal) -> Iterator[State]:
    bets = f"bets {min(deal.multiples)} to {max(deal.multiples)} times the ante or folds"
    for street in deal.streets:
        yield State(f"Street{street}", f"each hand from the dealer's left {bets}")
        yield State(f"Turned{street}", f"community card {street} is turned")


def _end(procedure: Procedure) -> Iterator[State]:
    yield State("Settle", "settle every hand")
    rounds = procedure.options["stub_count_rounds"].default
    yield State("StubDiscarded", f"the stub is discarded unseen, and counted at least every {rounds} rounds")
