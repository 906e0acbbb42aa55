"""A round of blackjack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from controller.diagrams.chart import ENDS, Arrow, Choice, Group, Line, State, path
from controller.diagrams.shoe import between_rounds
from protocols.dealing.model import Deal, Procedure

_FACES: Final = {
    "up_down": ("one card to the dealer, face up", "second card to the dealer, face down"),
    "either": ("one card to the dealer, face up or down", "second card to the dealer, the other way than the first"),
    "up": ("one card to the dealer, face up", ""),
}
_REPORTED: Final = {"violation": "none may be drawn", "warn": "one drawn is a warning", "allow": "one may be drawn"}


def round_of(procedure: Procedure) -> Iterator[Line]:
    """The round by the document's defaults."""
    deal = procedure.deal
    assert deal is not None
    options = {name: option.default for name, option in procedure.options.items()}
    opening = list(_opening(procedure, deal))
    yield from between_rounds(procedure, opening[0].name)
    yield from path(*opening, Choice("Upcard"))
    yield Group(
        "Play",
        f"hands from the dealer's left, in at most {options['max_boxes']} boxes",
        tuple(_play(procedure, options)),
    )
    yield from _before_play(deal, options)
    yield from _dealer(deal, options)


def _opening(procedure: Procedure, deal: Deal) -> Iterator[State]:
    first, second = _FACES[deal.dealer_faces]
    if "no_more_bets" in procedure.calls.required:
        yield State("Bets", "no more bets called")
    yield State("FirstCards", "one card up to each wagered box")
    yield State("DealerFirst", first)
    yield State("SecondCards", "second card up to each wagered box")
    if second:
        yield State("DealerSecond", second)
    if "upcard" in procedure.calls.required:
        yield State("UpcardCalled", "the upcard is called")


def _before_play(deal: Deal, options: dict[str, Any]) -> Iterator[Line]:
    """From the choice by the upcard to the play of the hands."""
    reader = deal.method == "peek"
    if options["insurance"] == "pre_peek_round":
        yield State("Insurance", "insurance for all boxes")
        yield Arrow("Upcard", "Insurance", "ace")
        yield Arrow("Insurance", "Peek" if reader else "Play", "insurance closed")
    elif reader:
        yield Arrow("Upcard", "Peek", "ace")
    yield Arrow("Upcard", "Play", "any other card" if reader or options["insurance"] == "pre_peek_round" else "")
    if reader:
        yield from _peek(options)


def _peek(options: dict[str, Any]) -> Iterator[Line]:
    fallback = options["fallback"]
    yield State("Peek", "both dealer cards into the reader")
    yield State("Fallback", f"the round goes on as {fallback}")
    yield Arrow("Upcard", "Peek", "ten")
    if options["peek"] == "allowed":
        yield Arrow("Upcard", "Play", "ten, reader not used")
        if options["insurance"] == "pre_peek_round":
            yield Arrow("Insurance", "Play", "closed, reader not used")
    yield Arrow("Peek", "Natural", "natural")
    yield Arrow("Peek", "Play", "no natural")
    yield Arrow("Peek", "Fallback", "reader fails")
    yield Arrow("Fallback", "Play")
    yield State("Natural", "hole card turned, no further card")
    yield Arrow("Natural", "Settle")


def _play(procedure: Procedure, options: dict[str, Any]) -> Iterator[Line]:
    turn = [State("Turn", "the hand whose turn it is")]
    if "total" in procedure.calls.required:
        turn.append(State("Total", "its total is called"))
    decide = Choice("Decision")
    yield Arrow(ENDS, "Turn")
    yield from path(*turn, decide)
    yield from _decisions(options)


def _decisions(options: dict[str, Any]) -> Iterator[Line]:
    by = "asked by a hand signal" if options["signal"] == "required" else "asked for"
    hands = "any number of hands" if options["max_hands"] == "none" else f"up to {options['max_hands']} hands"
    aces = "split again" if options["resplit_aces"] else "not split again"
    when = "each when its turn comes" if options["split_second_card"] == "when_played" else "at once to both"
    after = "" if options["double_after_split"] else ", not after a split"
    yield State("Card", f"one card {by}")
    yield State("Split", f"two hands of one, second card {when}, aces one card each and {aces}")
    yield State("Double", "one card, the last of the hand")
    yield State("Over", "the hand is finished")
    yield Arrow("Decision", "Card", f"hit, on 21 {_REPORTED[options['draw_on_21']]}")
    yield Arrow("Card", "Turn")
    yield Arrow("Card", "Over", "over 21")
    yield Arrow("Decision", "Split", f"pair by {options['pair']}, {hands}")
    yield Arrow("Split", "Turn")
    yield Arrow("Decision", "Double", f"double on two cards{after}")
    yield Arrow("Double", "Over")
    yield Arrow("Decision", "Over", "stand")
    if options["surrender"] != "none":
        yield Arrow("Decision", "Over", f"{options['surrender']} surrender on two cards")
    if options["insurance"] == "at_turn":
        yield State("InsuranceInTurn", "insurance of this box")
        yield Arrow("Decision", "InsuranceInTurn", "ace up, box has not drawn")
        yield Arrow("InsuranceInTurn", "Decision")
    yield Arrow("Over", "Turn", "next hand")
    yield Arrow("Over", ENDS, "all hands finished")


def _dealer(deal: Deal, options: dict[str, Any]) -> Iterator[Line]:
    soft = "stands on 17" if options["soft_17"] == "stand" else "stands on a hard 17, draws on a soft one"
    order = "settle from right to left, dealer's cards last" if options["pickup"] == "checked" else "settle every hand"
    yield State("DealerDraws", f"dealer draws to 16, {soft}")
    yield State("Settle", order)
    if deal.method == "no-hole":
        yield State("DealerSecond", "second card to the dealer, face up")
        yield from (Arrow("Play", "DealerSecond"), Arrow("DealerSecond", "DealerDraws"))
    else:
        yield State("HoleTurned", "hole card turned")
        yield from (Arrow("Play", "HoleTurned"), Arrow("HoleTurned", "DealerDraws"))
    yield Arrow("DealerDraws", "DealerDraws", "below 17, one card up")
    yield Arrow("DealerDraws", "Settle", f"no hand is left, {_REPORTED[options['dealer_draw_no_live_hands']]}")
    yield Arrow("DealerDraws", "Settle", "17 or more")
    yield Arrow("Settle", "Between", "round closed")
