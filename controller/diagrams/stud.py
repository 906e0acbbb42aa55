"""A round of stud with community cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.diagrams.chart import Line, arrow, path, state
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
    yield arrow("StubDiscarded", "Between", "round closed")
    for street in deal.streets:
        yield arrow(f"Street{street}", "Settle", "all folded")
    if deal.boxes_from == "shoe":
        yield state("Void", "the round is void")
        yield arrow("Boxes", "Void", "the shoe fails between two boxes")
        yield arrow("Void", "Between")


def _opening(procedure: Procedure, deal: StudDeal) -> Iterator[Line]:
    if deal.shuffler:
        yield state("Shuffler", "cards from a shuffling device")
    if "no_more_bets" in procedure.calls.required:
        yield state("Bets", "no more bets called")
    pattern = _PATTERN[str(procedure.options["deal_pattern"].default)]
    yield state("Boxes", f"{deal.hand_cards} cards to each box with a wager, face {deal.face}, {pattern}")
    if deal.boxes_from == "shoe":
        yield state("InHand", "the rest is taken out of the shoe into the hand")
    yield state("Community", f"{len(deal.streets)} community cards, face {deal.face}")


def _streets(deal: StudDeal) -> Iterator[Line]:
    bets = f"bets {min(deal.multiples)} to {max(deal.multiples)} times the ante or folds"
    for street in deal.streets:
        yield state(f"Street{street}", f"each hand from the dealer's left {bets}")
        yield state(f"Turned{street}", f"community card {street} is turned")


def _end(procedure: Procedure) -> Iterator[Line]:
    yield state("Settle", "settle every hand")
    rounds = procedure.options["stub_count_rounds"].default
    yield state("StubDiscarded", f"the stub is discarded unseen, and counted at least every {rounds} rounds")
