"""One legal round of North Dakota twenty-one, in its stations (procedures 2.1 to 2.4)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, get_args

from simulators.acts import Face
from simulators.blackjack.acts import (
    Acted,
    Collected,
    HoleTurned,
    InsuranceClosed,
    InsuranceOpened,
    Outcome,
    Peeked,
    PeekResult,
    RoundClosed,
    RoundOpened,
    Settled,
    Trouble,
    UpcardCalled,
)
from simulators.blackjack.gate import Gate, Step
from simulators.blackjack.hands import dealer_draws, is_natural, total
from simulators.blackjack.layout import Hand
from simulators.blackjack.player import Player

Steps = Iterator[Step]
_TURNED_OVER: Final[dict[Face, Face]] = {"up": "down", "down": "up"}
_ERRORS: Final = frozenset[Trouble]({"unreadable", "not_seated"})


class Moment(Enum):
    """When in a round the reader fails: the rows of procedures 2.4."""

    BEFORE_DEAL = "before the first card"
    AFTER_FIRST = "after the dealer's first card"
    AFTER_SECOND = "after the dealer's second card"
    DURING_PEEK = "during the peek"
    AFTER_PEEK = "after a completed peek"


class RoundInPlay:
    """A round from its wagers to its end; `fails_at` says when the reader fails."""

    def __init__(self, gate: Gate, player: Player, fails_at: Moment | None) -> None:
        self._gate = gate
        self._player = player
        self._rules = gate.rules
        self._layout = gate.layout
        self._fails_at = fails_at

    def steps(self) -> Steps:
        """Everything, in order."""
        yield from self._fail(Moment.BEFORE_DEAL)
        yield from self._gate.do(RoundOpened(self._gate.boxes))
        yield from self._deal()
        yield from self._gate.do(UpcardCalled())
        yield from self._surrender_early()
        yield from self._insure()
        yield from self._peek()
        if self._layout.peek != "natural":
            for box in self._layout.boxes:
                yield from self._play_box(box)
        yield from self._play_dealer()
        yield from self._pay()
        yield from self._gate.do(RoundClosed())

    def _fail(self, moment: Moment) -> Steps:
        if self._fails_at is moment and not self._gate.reader_out:
            trouble = self._gate.rng.choice(get_args(Trouble)[:3])
            yield from self._gate.lose_reader(trouble, choose=self._gate.rng.random() < 0.5)

    def _deal(self) -> Steps:
        places = [f"box:{box}" for box in self._layout.boxes]
        self._layout.due_in_deal = [*places, "dealer", *places, *self._hole_place()]
        for place in places:
            yield from self._gate.draw(place)
        yield from self._gate.draw("dealer", self._first_face())
        yield from self._fail(Moment.AFTER_FIRST)
        self._layout.due_in_deal = [*places, *self._hole_place()]
        for place in places:
            yield from self._gate.draw(place)
        if self._hole_place():
            [(_, first)] = self._layout.dealer
            yield from self._gate.draw("dealer", _TURNED_OVER[first])
        self._layout.due_in_deal = []
        yield from self._fail(Moment.AFTER_SECOND)

    def _hole_place(self) -> list[str]:
        return [] if self._gate.method == "nd-no-hole" else ["dealer"]

    def _first_face(self) -> Face:
        return "up" if self._gate.method == "nd-no-hole" else self._gate.rng.choice(get_args(Face))

    def _surrender_early(self) -> Steps:
        if self._rules.surrender != "early":
            return
        for hand in self._layout.in_play_order():
            if self._player.surrenders(hand):
                yield from self._gate.do(Acted(hand.box, "surrender"))

    def _insure(self) -> Steps:
        if self._rules.insurance != "pre_peek_round" or not self._layout.has_ace_up:
            return
        yield from self._gate.do(InsuranceOpened())
        for box in self._layout.boxes:
            if self._player.insures() and not self._layout.hands[box][0].surrendered:
                yield from self._gate.do(Acted(box, "insure"))
        yield from self._gate.do(InsuranceClosed())

    def _peek(self) -> Steps:
        if self._gate.method != "nd-card-reader" or not self._layout.upcard_may_be_natural:
            return
        if self._fails_at is Moment.DURING_PEEK:
            yield from self._fail_in_peek()
            return
        if self._gate.rng.random() < 0.1:
            yield from self._gate.do(Peeked("error"))
        if not self._gate.reader_out:
            result: PeekResult = "natural" if is_natural(self._layout.dealer_cards) else "no_natural"
            yield from self._gate.do(Peeked(result))
            yield from self._fail(Moment.AFTER_PEEK)

    def _fail_in_peek(self) -> Steps:
        trouble = self._gate.rng.choice(get_args(Trouble))
        if trouble in _ERRORS:
            yield from self._gate.do(Peeked("error"))
        yield from self._gate.lose_reader(trouble, choose=self._gate.rng.random() < 0.5)

    def _play_box(self, box: int) -> Steps:
        if self._rules.insurance == "at_turn" and self._layout.has_ace_up and self._player.insures():
            yield from self._gate.do(Acted(box, "insure"))
        hands, played = self._layout.hands[box], 0
        while played < len(hands):
            yield from self._play_hand(hands[played])
            played += 1
        yield from self._take_bust(hands)

    def _play_hand(self, hand: Hand) -> Steps:
        yield from self._second_card(hand)
        while self._player.splits_again(self._layout, hand):
            yield from self._split(hand)
        while not hand.is_finished:
            action = self._player.choose(self._layout, hand)
            if action == "split":
                yield from self._split(hand)
                continue
            yield from self._gate.do(Acted(hand.box, action, hand.letter))
            if action in ("hit", "double"):
                yield from self._gate.draw(hand.place)

    def _split(self, hand: Hand) -> Steps:
        yield from self._gate.do(Acted(hand.box, "split", hand.letter))
        yield from self._second_card(hand)
        if self._rules.split_second_card == "at_split":
            hands = self._layout.hands[hand.box]
            yield from self._second_card(hands[hands.index(hand) + 1])

    def _second_card(self, hand: Hand) -> Steps:
        if len(hand.cards) == 1:
            yield from self._gate.draw(hand.place)

    def _take_bust(self, hands: list[Hand]) -> Steps:
        [first, *others] = hands
        if first.is_bust and not first.doubled and not others and first.box not in self._layout.insured:
            yield from self._gate.do(Settled(first.box, "lose"))
            yield from self._gate.do(Collected(first.place))

    def _play_dealer(self) -> Steps:
        hole = self._layout.hole
        if hole:
            yield from self._gate.do(HoleTurned(hole))
        elif self._second_card_matters():
            yield from self._gate.draw("dealer")
        while self._has_live_hands() and dealer_draws(self._layout.dealer_cards, self._rules.soft_17):
            yield from self._gate.draw("dealer")

    def _second_card_matters(self) -> bool:
        naturals = any(hand.is_natural for hand in self._layout.in_play_order())
        return self._has_live_hands() or (naturals and self._layout.upcard_may_be_natural)

    def _has_live_hands(self) -> bool:
        return any(hand.is_live for hand in self._layout.in_play_order())

    def _pay(self) -> Steps:
        for box in reversed(self._layout.boxes):
            hands = self._layout.hands[box]
            if not hands[0].settled:
                for hand in hands:
                    yield from self._gate.do(Settled(box, self._outcome(hand), hand.letter))
                yield from self._gate.do(Collected(f"box:{box}"))
        yield from self._gate.do(Collected("dealer"))

    def _outcome(self, hand: Hand) -> Outcome:
        dealer = self._layout.dealer_cards
        if hand.surrendered:
            return "surrender"
        if hand.is_bust:
            return "lose"
        if hand.is_natural or is_natural(dealer):
            return _of_naturals(hand, dealer_has_one=is_natural(dealer))
        difference = hand.total - total(dealer)
        return "win" if total(dealer) > 21 or difference > 0 else "push" if difference == 0 else "lose"


def _of_naturals(hand: Hand, *, dealer_has_one: bool) -> Outcome:
    if not hand.is_natural:
        return "lose"
    return "push" if dealer_has_one else "natural"
