"""Deals round after round of blackjack by any procedure, legal or with one named misdeal in a round.

Written from the texts (procedures 1 to 5, 7 and 11) and from nothing of the check, so that a test never confirms
itself."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Final

from simulators.blackjack.acts import Act, ReaderRestored
from simulators.blackjack.between import Between
from simulators.blackjack.gate import Gate, Steps
from simulators.blackjack.layout import Layout
from simulators.blackjack.misdeals import ALL, Misdeal, possible
from simulators.blackjack.play import Moment, RoundInPlay
from simulators.blackjack.player import Player
from simulators.blackjack.rules import BlackjackRules
from simulators.boxes.dealer import Dealer
from simulators.boxes.gate import Step

_REPAIRED: Final = 0.5


class BlackjackDealer(Dealer[Act, Misdeal]):
    """Deals shoe after shoe. `reader_faults` is the share of rounds without a misdeal (0-1) in which the reader fails,
    `boxed` the share of cards that are found face up in the shoe."""

    def __init__(
        self,
        rules: BlackjackRules,
        seed: int,
        rate: float = 0.0,
        misdeals: Collection[Misdeal] = ALL,
        *,
        reader_faults: float = 0.0,
        boxed: float = 0.0,
    ) -> None:
        rng = random.Random(seed)
        super().__init__(rng, rate, possible(rules) & frozenset(misdeals))
        self._reader_faults = reader_faults if rules.uses_reader else 0.0
        self._player = Player(rules, rng)
        self._gate = Gate(rules, rng, boxed)
        self._between = Between(self._gate)

    def _round(self) -> Steps:
        self._gate.layout, self._gate.boxes = Layout(), self._player.wagers()
        fails_at = self._plan()
        yield from self._restore_reader()
        yield from self._between.steps()
        yield from RoundInPlay(self._gate, self._player, self._between, fails_at).steps()

    def reader_is_out(self) -> None:
        """The table cannot use its reader from here on; a peek that was under way gave nothing."""
        self._gate.reader_out = True
        if self._gate.layout.peek is not None and not self._gate.layout.played:
            self._gate.layout.peek = "error"

    def reader_is_back(self) -> None:
        """The reader is in use again; told between rounds."""
        self._gate.reader_out, self._gate.selected = False, None

    def _plan(self) -> Moment | None:
        """Choose the misdeal of the round, or the moment at which its reader fails."""
        self._gate.plan = None
        if self._errs():
            self._gate.plan = self._rng.choice(self._misdeals)
            return None
        fails = self._rng.random() < self._reader_faults and not self._gate.reader_out
        return self._rng.choice(list(Moment)) if fails else None

    def _restore_reader(self) -> Steps:
        if self._gate.reader_out and self._rng.random() < _REPAIRED:
            self.reader_is_back()
            yield Step(ReaderRestored())
