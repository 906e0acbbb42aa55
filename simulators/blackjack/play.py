"""One legal round of blackjack, in its stations (procedures 1 to 5)."""

from __future__ import annotations

from enum import Enum
from typing import Final, get_args

from simulators.blackjack.acts import Acted, Called, HoleLooked, HoleTurned, InsuranceClosed, Trouble
from simulators.blackjack.between import Between
from simulators.blackjack.deal import Deal
from simulators.blackjack.gate import Gate, Steps
from simulators.blackjack.hands import dealer_draws, is_natural
from simulators.blackjack.layout import Hand
from simulators.blackjack.pay import Pay
from simulators.blackjack.player import Player
from simulators.boxes.acts import (
    DealerChanged,
    InsuranceOpened,
    Peeked,
    PeekResult,
    RoundClosed,
    RoundOpened,
    WagerChanged,
)

_ERRORS: Final = frozenset[Trouble]({"unreadable", "not_seated"})
_LATE_WAGER: Final = 0.05
_TALKATIVE: Final = 0.2
_INSURANCE_UNSAID: Final = 0.15
_OPENED_AT_TURN: Final = 0.5
_PEEKS_WHERE_FREE: Final = 0.6
_FALSE_START: Final = 0.1
_HIT_UNSAID: Final = 0.25
_STANDS_UNSAID: Final = 0.5
_LOOKS: Final = 0.05
_DEALER_CHANGES: Final = 0.01
_DRAWS_FOR_NOBODY: Final = 0.3


class Moment(Enum):
    """When in a round the reader fails: the rows of procedures 2.4."""

    BEFORE_DEAL = "before the first card"
    AFTER_FIRST = "after the dealer's first card"
    AFTER_SECOND = "after the dealer's second card"
    DURING_PEEK = "during the peek"
    AFTER_PEEK = "after a completed peek"


class RoundInPlay:
    """A round from its wagers to its end; `fails_at` says when the reader fails."""

    def __init__(self, gate: Gate, player: Player, between: Between, fails_at: Moment | None) -> None:
        self._gate = gate
        self._player = player
        self._between = between
        self._rules = gate.rules
        self._layout = gate.layout
        self._fails_at = fails_at
        self._pay = Pay(gate)
        self._talks = gate.chance(_TALKATIVE)

    def steps(self) -> Steps:
        """Everything, in order."""
        yield from self._fail(Moment.BEFORE_DEAL)
        yield from self._take_wagers()
        if self._between.cutting_card_comes_first:
            yield from self._between.load()
        yield from Deal(self._gate, lambda: self._fail(Moment.AFTER_FIRST)).steps()
        yield from self._fail(Moment.AFTER_SECOND)
        if self._rules.demands("upcard"):
            yield from self._gate.do(Called("upcard"))
        yield from self._surrender_early()
        yield from self._insure()
        yield from self._peek()
        yield from self._play()
        yield from self._play_dealer()
        yield from self._pay.all()
        yield from self._gate.do(RoundClosed())

    def _fail(self, moment: Moment) -> Steps:
        if self._fails_at is moment and not self._gate.reader_out:
            trouble = self._gate.rng.choice(get_args(Trouble)[:3])
            yield from self._gate.lose_reader(trouble, choose=self._gate.chance(0.5))

    def _take_wagers(self) -> Steps:
        boxes = self._gate.boxes
        if len(boxes) > 1 and self._gate.chance(_LATE_WAGER):
            late = self._gate.rng.choice(boxes)
            yield from self._gate.do(RoundOpened(tuple(box for box in boxes if box != late)))
            yield from self._gate.do(WagerChanged(late, "made"))
        else:
            yield from self._gate.do(RoundOpened(boxes))
        if self._talks or self._rules.demands("no_more_bets"):
            yield from self._gate.do(Called("no_more_bets"))

    def _surrender_early(self) -> Steps:
        if self._rules.surrender != "early":
            return
        for hand in self._layout.in_play_order():
            if self._player.surrenders(hand):
                yield from self._gate.do(Acted(hand.box, "surrender"))

    def _insure(self) -> Steps:
        """All boxes in one round of insurance; with `at_turn` those that do not wait for their turn."""
        if self._rules.insurance == "none" or not self._layout.has_ace_up:
            return
        if self._rules.insurance == "at_turn":
            if self._gate.chance(_OPENED_AT_TURN):
                yield from self._gate.do(InsuranceOpened())
            yield from self._take_insurance()
        elif self._gate.chance(_INSURANCE_UNSAID):
            yield from self._gate.do(InsuranceClosed())
        else:
            yield from self._gate.do(InsuranceOpened())
            yield from self._take_insurance()
            yield from self._gate.do(InsuranceClosed())

    def _take_insurance(self) -> Steps:
        for box in self._layout.boxes:
            if self._player.insures() and not self._layout.hands[box][0].surrendered:
                yield from self._gate.do(Acted(box, "insure"))

    def _peek(self) -> Steps:
        if not (self._gate.may_peek and self._layout.upcard_may_be_natural):
            return
        if self._fails_at is Moment.DURING_PEEK:
            yield from self._fail_in_peek()
            return
        if self._rules.peek == "allowed" and not self._gate.chance(_PEEKS_WHERE_FREE):
            return
        if self._gate.chance(_FALSE_START):
            yield from self._gate.do(Peeked("error"))
        if not self._gate.reader_out:
            result: PeekResult = "natural" if is_natural(self._layout.dealer_cards) else "no_natural"
            yield from self._gate.do(Peeked(result))
            yield from self._fail(Moment.AFTER_PEEK)

    def _fail_in_peek(self) -> Steps:
        trouble = self._gate.rng.choice(get_args(Trouble))
        if trouble in _ERRORS:
            yield from self._gate.do(Peeked("error"))
        yield from self._gate.lose_reader(trouble, choose=self._gate.chance(0.5))

    def _play(self) -> Steps:
        if self._layout.peek == "natural":
            return
        self._layout.in_play = True
        for box in self._layout.boxes:
            yield from self._play_box(box)
            yield from self._pay.early(box)
            if self._gate.chance(_DEALER_CHANGES):
                yield from self._gate.do(DealerChanged())

    def _play_box(self, box: int) -> Steps:
        yield from self._call_total(box)
        yield from self._insure_at_turn(box)
        hands, played = self._layout.hands[box], 0
        while played < len(hands):
            yield from self._play_hand(hands[played])
            played += 1

    def _insure_at_turn(self, box: int) -> Steps:
        layout = self._layout
        offered = self._rules.insurance == "at_turn" and layout.has_ace_up and layout.peek != "no_natural"
        free = box not in layout.insured and not layout.hands[box][0].surrendered
        if offered and free and self._player.insures():
            yield from self._gate.do(Acted(box, "insure"))

    def _call_total(self, box: int) -> Steps:
        if self._talks or self._rules.demands("total"):
            yield from self._gate.do(Called("total", box))

    def _play_hand(self, hand: Hand) -> Steps:
        yield from self._second_card(hand)
        while self._player.splits_again(self._layout, hand):
            yield from self._split(hand)
        while not (hand.is_finished or self._stands_unsaid(hand)):
            action = self._player.choose(self._layout, hand)
            if action == "split":
                yield from self._split(hand)
                continue
            unsaid = action == "hit" and self._rules.signal == "optional" and self._gate.chance(_HIT_UNSAID)
            if not unsaid:
                yield from self._gate.do(Acted(hand.box, action, hand.letter))
            if action in ("hit", "double"):
                yield from self._card(hand)

    def _stands_unsaid(self, hand: Hand) -> bool:
        """Whether the hand is left at 21 without a word, where it may not draw on it."""
        forbidden = hand.total == 21 and self._rules.draw_on_21 == "violation"
        hand.stood = forbidden and self._gate.chance(_STANDS_UNSAID)
        return hand.stood

    def _split(self, hand: Hand) -> Steps:
        yield from self._gate.do(Acted(hand.box, "split", hand.letter))
        yield from self._second_card(hand)
        if self._rules.split_second_card == "at_split":
            hands = self._layout.hands[hand.box]
            yield from self._second_card(hands[hands.index(hand) + 1])

    def _second_card(self, hand: Hand) -> Steps:
        if len(hand.cards) == 1:
            yield from self._card(hand)

    def _card(self, hand: Hand) -> Steps:
        yield from self._gate.draw(hand.place)
        yield from self._call_total(hand.box)

    def _play_dealer(self) -> Steps:
        hole = self._layout.hole
        if hole:
            if self._may_look() and self._gate.chance(_LOOKS):
                yield from self._gate.do(HoleLooked())
            yield from self._gate.do(HoleTurned(hole))
        elif self._second_card_matters():
            yield from self._gate.draw("dealer")
        for_nobody = self._rules.dealer_draw_no_live_hands == "allow" and self._gate.chance(_DRAWS_FOR_NOBODY)
        draws = self._layout.has_live_hands or (for_nobody and self._layout.peek != "natural")
        while draws and dealer_draws(self._layout.dealer_cards, self._rules.soft_17):
            yield from self._gate.draw("dealer")

    def _may_look(self) -> bool:
        return self._rules.custom.looks and self._layout.peek != "natural"

    def _second_card_matters(self) -> bool:
        naturals = any(hand.is_natural for hand in self._layout.in_play_order())
        return self._layout.has_live_hands or (naturals and self._layout.upcard_may_be_natural)
