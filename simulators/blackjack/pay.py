"""Paying and taking in."""

from __future__ import annotations

from typing import Final

from simulators.blackjack.gate import Gate, Steps
from simulators.blackjack.hands import is_natural, total
from simulators.blackjack.layout import Hand
from simulators.boxes.acts import Collected, Outcome, Settled

_SETTLED_AT_ONCE: Final = 0.4


class Pay:
    """The wagers of one round."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._layout = gate.layout

    def early(self, box: int) -> Steps:
        """What nothing of the dealer's can change any more, after the box was played: always a bust, sometimes a hand
        given up, or a natural against an upcard that cannot make one."""
        [first, *others] = self._layout.hands[box]
        if others or first.doubled or box in self._layout.insured:
            return
        is_over = first.surrendered or (first.is_natural and not self._layout.upcard_may_be_natural)
        if first.is_bust or (is_over and self._gate.chance(_SETTLED_AT_ONCE)):
            yield from self._settle([first])

    def all(self) -> Steps:
        """From the right to the left, the dealer's cards last."""
        for box in reversed(self._layout.boxes):
            hands = self._layout.hands[box]
            if not hands[0].settled:
                yield from self._settle(hands)
        yield from self._gate.do(Collected("dealer"))

    def _settle(self, hands: list[Hand]) -> Steps:
        for hand in hands:
            yield from self._gate.do(Settled(hand.box, self._outcome(hand), hand.letter))
        yield from self._gate.do(Collected(f"box:{hands[0].box}"))

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
