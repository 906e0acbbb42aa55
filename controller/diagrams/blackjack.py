"""A round of blackjack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from controller.diagrams.chart import ENDS, Line, arrow, choice, path, state
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
    yield from path(*opening, choice("Upcard"))
    play = f"hands from the dealer's left, in at most {options['max_boxes']} boxes"
    yield state("Play", play, *_play(procedure, options))
    yield from _before_play(deal, options)
    yield from _dealer(deal, options)


def _opening(procedure: Procedure, deal: Deal) -> Iterator[Line]:
    first, second = _FACES[deal.dealer_faces]
    if "no_more_bets" in procedure.calls.required:
        yield state("Bets", "no more bets called")
    yield state("FirstCards", "one card up to each wagered box")
    yield state("DealerFirst", first)
    yield state("SecondCards", "second card up to each wagered box")
    if second:
        yield state("DealerSecond", second)
    if "upcard" in procedure.calls.required:
        yield state("UpcardCalled", "the upcard is called")


def _before_play(deal: Deal, options: dict[str, Any]) -> Iterator[Line]:
    """From the choice by the upcard to the play of the hands."""
    reader = deal.method == "peek"
    if options["insurance"] == "pre_peek_round":
        yield state("Insurance", "insurance for all boxes")
        yield arrow("Upcard", "Insurance", "ace")
        yield arrow("Insurance", "Peek" if reader else "Play", "insurance closed")
    elif reader:
        yield arrow("Upcard", "Peek", "ace")
    yield arrow("Upcard", "Play", "any other card" if reader or options["insurance"] == "pre_peek_round" else "")
    if reader:
        yield from _peek(options)


def _peek(options: dict[str, Any]) -> Iterator[Line]:
    fallback = options["fallback"]
    yield state("Peek", "both dealer cards into the reader")
    yield state("Fallback", f"the round goes on as {fallback}")
    yield arrow("Upcard", "Peek", "ten")
    if options["peek"] == "allowed":
        yield arrow("Upcard", "Play", "ten, reader not used")
        if options["insurance"] == "pre_peek_round":
            yield arrow("Insurance", "Play", "closed, reader not used")
    yield arrow("Peek", "Natural", "natural")
    yield arrow("Peek", "Play", "no natural")
    yield arrow("Peek", "Fallback", "reader fails")
    yield arrow("Fallback", "Play")
    yield state("Natural", "hole card turned, no further card")
    yield arrow("Natural", "Settle")


def _play(procedure: Procedure, options: dict[str, Any]) -> Iterator[Line]:
    turn = [state("Turn", "the hand whose turn it is")]
    if "total" in procedure.calls.required:
        turn.append(state("Total", "its total is called"))
    decide = choice("Decision")
    yield arrow(ENDS, "Turn")
    yield from path(*turn, decide)
    yield from _decisions(options)


def _decisions(options: dict[str, Any]) -> Iterator[Line]:
    by = "asked by a hand signal" if options["signal"] == "required" else "asked for"
    hands = "any number of hands" if options["max_hands"] == "none" else f"up to {options['max_hands']} hands"
    aces = "split again" if options["resplit_aces"] else "not split again"
    when = "each when its turn comes" if options["split_second_card"] == "when_played" else "at once to both"
    after = "" if options["double_after_split"] else ", not after a split"
    yield state("Card", f"one card {by}")
    yield state("Split", f"two hands of one, second card {when}, aces one card each and {aces}")
    yield state("Double", "one card, the last of the hand")
    yield state("Over", "the hand is finished")
    yield arrow("Decision", "Card", f"hit, on 21 {_REPORTED[options['draw_on_21']]}")
    yield arrow("Card", "Turn")
    yield arrow("Card", "Over", "over 21")
    yield arrow("Decision", "Split", f"pair by {options['pair']}, {hands}")
    yield arrow("Split", "Turn")
    yield arrow("Decision", "Double", f"double on two cards{after}")
    yield arrow("Double", "Over")
    yield arrow("Decision", "Over", "stand")
    if options["surrender"] != "none":
        yield arrow("Decision", "Over", f"{options['surrender']} surrender on two cards")
    if options["insurance"] == "at_turn":
        yield state("InsuranceInTurn", "insurance of this box")
        yield arrow("Decision", "InsuranceInTurn", "ace up, box has not drawn")
        yield arrow("InsuranceInTurn", "Decision")
    yield arrow("Over", "Turn", "next hand")
    yield arrow("Over", ENDS, "all hands finished")


def _dealer(deal: Deal, options: dict[str, Any]) -> Iterator[Line]:
    soft = "stands on 17" if options["soft_17"] == "stand" else "stands on a hard 17, draws on a soft one"
    order = "settle from right to left, dealer's cards last" if options["pickup"] == "checked" else "settle every hand"
    yield state("DealerDraws", f"dealer draws to 16, {soft}")
    yield state("Settle", order)
    if deal.method == "no-hole":
        yield state("DealerSecond", "second card to the dealer, face up")
        yield from (arrow("Play", "DealerSecond"), arrow("DealerSecond", "DealerDraws"))
    else:
        yield state("HoleTurned", "hole card turned")
        yield from (arrow("Play", "HoleTurned"), arrow("HoleTurned", "DealerDraws"))
    yield arrow("DealerDraws", "DealerDraws", "below 17, one card up")
    yield arrow("DealerDraws", "Settle", f"no hand is left, {_REPORTED[options['dealer_draw_no_live_hands']]}")
    yield arrow("DealerDraws", "Settle", "17 or more")
    yield arrow("Settle", "Between", "round closed")
