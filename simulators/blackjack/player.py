"""The players: whatever they may choose, they sometimes do."""

from __future__ import annotations

import random
from typing import Final

from simulators.blackjack.acts import Action
from simulators.blackjack.hands import is_pair, is_soft
from simulators.blackjack.layout import Hand, Layout
from simulators.blackjack.rules import BlackjackRules

_LETTERS: Final = 26
_ONCE_MORE_ON_21: Final = 0.15


class Player:
    """All players of a table; seeded."""

    def __init__(self, rules: BlackjackRules, rng: random.Random) -> None:
        self._rules = rules
        self._rng = rng

    def wagers(self) -> tuple[int, ...]:
        """The boxes of a round, in order; at least one."""
        boxes = range(1, self._rules.max_boxes + 1)
        count = min(self._rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 7)), len(boxes))
        return tuple(sorted(self._rng.sample(boxes, count)))

    def insures(self) -> bool:
        """Whether a box takes insurance."""
        return self._rng.random() < 0.3

    def surrenders(self, hand: Hand) -> bool:
        """Whether a hand of two cards is given up."""
        return 12 <= hand.total <= 16 and self._rng.random() < 0.3

    def choose(self, layout: Layout, hand: Hand) -> Action:
        """What the hand whose turn it is does; it has two cards or more and is not finished."""
        if self.may_split(layout, hand) and self._rng.random() < 0.6:
            return "split"
        if self._rules.surrender == "late" and self._has_first_two(hand) and self.surrenders(hand):
            return "surrender"
        if self._may_double(hand) and self._rng.random() < self._appetite_for_double(hand):
            return "double"
        return "hit" if self._rng.random() < self._appetite(hand) else "stand"

    def may_split(self, layout: Layout, hand: Hand) -> bool:
        """Whether the rules let the hand be split."""
        hands = len(layout.hands[hand.box]) + 1
        has_room = self._rules.may_become(hands) and hands <= _LETTERS
        ace_again = not hand.split_ace or self._rules.resplit_aces
        return is_pair(hand.cards, self._rules.pair) and has_room and ace_again

    def splits_again(self, layout: Layout, hand: Hand) -> bool:
        """Whether a split ace that got an ace is split once more."""
        return hand.split_ace and self.may_split(layout, hand) and self._rng.random() < 0.8

    def _has_first_two(self, hand: Hand) -> bool:
        return len(hand.cards) == 2 and hand.letter is None

    def _may_double(self, hand: Hand) -> bool:
        return len(hand.cards) == 2 and (hand.letter is None or self._rules.double_after_split)

    def _appetite_for_double(self, hand: Hand) -> float:
        return 0.5 if 8 <= hand.total <= 11 else 0.04 if hand.total < 19 else 0.0

    def _appetite(self, hand: Hand) -> float:
        if hand.total <= 11:
            return 1.0
        if hand.total == 21:
            return _ONCE_MORE_ON_21 if self._rules.draw_on_21 == "allow" else 0.0
        if is_soft(hand.cards):
            return 0.9 if hand.total < 18 else 0.1 if hand.total < 20 else 0.0
        return {12: 0.7, 13: 0.6, 14: 0.6, 15: 0.5, 16: 0.5, 17: 0.1, 18: 0.05}.get(hand.total, 0.0)
