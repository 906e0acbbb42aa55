"""Deals round after round of Mississippi stud, legal or with one named misdeal in a round.

Written from the texts (procedures 6, 7.4 and 11) and from nothing of the check, so that a test never confirms
itself."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Final

from simulators.acts import ShoeLoaded
from simulators.boxes.acts import Burned, CardsReplaced, DealerChanged
from simulators.boxes.dealer import Dealer
from simulators.stock import Stock
from simulators.stud.acts import Act, Cut, ShoeRestored, Shuffled
from simulators.stud.book import Book
from simulators.stud.gate import Gate, Steps
from simulators.stud.layout import Layout
from simulators.stud.misdeals import ALL, Misdeal, possible
from simulators.stud.play import Moment, RoundInPlay
from simulators.stud.rules import StudRules

_SELDOM: Final = 0.1
_ONE_OF_TWO: Final = 0.5
_OF_THE_COUNT: Final[tuple[Misdeal, ...]] = (Misdeal.STUB_COUNT_OVERDUE, Misdeal.STUB_COUNT_MISMATCH)


class StudDealer(Dealer[Act, Misdeal]):
    """`shoe_faults` is the share of rounds without a misdeal (0-1) in which the shoe fails, where there is one, `boxed`
    the share of cards that are found face up in the deck; `uncounted` rounds were dealt since the last count of the
    stub; where None, nobody knows how many, and the stub is counted in the first round."""

    def __init__(
        self,
        rules: StudRules,
        seed: int,
        rate: float = 0.0,
        misdeals: Collection[Misdeal] = ALL,
        *,
        shoe_faults: float = 0.0,
        boxed: float = 0.0,
        uncounted: int | None = 0,
    ) -> None:
        rng = random.Random(seed)
        super().__init__(rng, rate, possible(rules) & frozenset(misdeals))
        self._rules = rules
        self._shoe_faults = shoe_faults if rules.from_shoe else 0.0
        self._gate = Gate(rules, rng, self._gathered(), boxed, _book(rules, uncounted))

    def _round(self) -> Steps:
        self._gate.layout, self._gate.boxes = Layout(), self._wagers()
        self._gate.stock = self._gathered()
        fails_at = self._plan()
        yield from self._between()
        yield from RoundInPlay(self._gate, fails_at).steps()

    def _gathered(self) -> Stock:
        """All cards, for every round is dealt from the whole deck, even where nobody shuffles it."""
        return Stock(self._rng, self._rules.decks, behind=0)

    def _wagers(self) -> tuple[int, ...]:
        most = self._rules.max_boxes
        return tuple(sorted(self._rng.sample(range(1, most + 1), self._rng.randint(1, most))))

    def _plan(self) -> Moment | None:
        """Choose the misdeal of the round, or the moment at which its shoe fails."""
        gate = self._gate
        gate.plan = None
        if gate.pending and gate.pending[0] is Misdeal.STUB_COUNT_OVERDUE:
            return None
        gate.pending = None
        if self._errs():
            gate.plan = self._rng.choice(self._choices())
            return None
        fails = gate.chance(self._shoe_faults) and not gate.must_count
        return self._rng.choice(list(Moment)) if fails else None

    def _choices(self) -> list[Misdeal]:
        """A count that is due now is what is most often done wrongly."""
        of_the_count = [misdeal for misdeal in _OF_THE_COUNT if misdeal in self._misdeals]
        due = self._gate.must_count and of_the_count and self._gate.chance(_ONE_OF_TWO)
        return of_the_count if due else list(self._misdeals)

    def _between(self) -> Steps:
        gate = self._gate
        if gate.book.faulted:
            yield from gate.do(ShoeRestored())
        for act in (CardsReplaced(), DealerChanged()):
            if gate.chance(_SELDOM):
                yield from gate.do(act)
        yield from self._shuffle()
        if not gate.pending:
            yield from self._load()

    def _shuffle(self) -> Steps:
        gate = self._gate
        if gate.book.rounds == 0 and gate.chance(_ONE_OF_TWO):
            return
        device: Shuffled = Shuffled(None if gate.chance(_SELDOM) else "shuffler")
        by_hand = not self._rules.needs_shuffler and gate.chance(_ONE_OF_TWO)
        yield from gate.do(Shuffled("hand") if by_hand else device)
        if by_hand and not gate.pending:
            yield from gate.do(Cut())

    def _load(self) -> Steps:
        gate = self._gate
        may_load = self._rules.from_shoe or self._rules.most_burned
        if not (may_load and gate.chance(_ONE_OF_TWO)):
            return
        yield from gate.do(ShoeLoaded(self._rules.decks))
        for _ in range(self._rng.randint(self._rules.least_burned, self._rules.most_burned)):
            yield from gate.do(Burned(*gate.stock.next_cards(1)))
            if gate.pending:
                return


def _book(rules: StudRules, uncounted: int | None) -> Book:
    return Book(rules.stub_count_rounds - 1) if uncounted is None else Book(uncounted, uncounted)
