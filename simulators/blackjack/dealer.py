"""Deals round after round of blackjack by any procedure, legal or with one named misdeal in a round.

Written from the texts (procedures 1 to 5, 7 and 11) and from nothing of the check, so that a test never confirms
itself."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from typing import Final

from simulators.blackjack.acts import Act, ReaderRestored
from simulators.blackjack.between import Between
from simulators.blackjack.gate import Gate, RoundOver, Step
from simulators.blackjack.layout import Layout
from simulators.blackjack.misdeals import ALL, CODES, Misdeal, named, possible
from simulators.blackjack.play import Moment, RoundInPlay
from simulators.blackjack.player import Player
from simulators.blackjack.rules import BlackjackRules
from simulators.rounds import Round
from simulators.stock import Stock

_REPAIRED: Final = 0.5


class BlackjackDealer:
    """Deals round after round, shoe after shoe, without end; the same seed deals the same cards in the same way.

    `rate` is the share of rounds (0-1) in which the dealer tries one of `misdeals`, as far as the cards allow one;
    `reader_faults` the share of the others in which the reader fails, `boxed` the share of cards that are found face
    up in the shoe."""

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
        self._rng = rng
        self._rate = rate
        self._misdeals = named(possible(rules) & frozenset(misdeals))
        self._reader_faults = reader_faults if rules.uses_reader else 0.0
        self._player = Player(rules, rng)
        self._gate = Gate(rules, rng, Stock(rng, decks=0, behind=0), Layout(), boxed, cut_card_out=True)
        self._between = Between(self._gate)

    def __iter__(self) -> Iterator[Round[Act]]:
        return self

    def __next__(self) -> Round[Act]:
        steps = list(self.steps())
        acts = tuple(step.act for step in steps)
        for number, step in enumerate(steps):
            if step.misdeal:
                return Round(acts, step.misdeal, number, CODES[step.misdeal])
        return Round(acts)

    def steps(self) -> Iterator[Step]:
        """The next round, act by act as it is asked for; `reader_is_out` may be told between two."""
        layout = Layout()
        self._gate.layout, self._gate.boxes = layout, self._player.wagers()
        fails_at = self._plan()
        try:
            yield from self._restore_reader()
            yield from self._between.steps()
            yield from RoundInPlay(self._gate, self._player, self._between, fails_at).steps()
        except RoundOver:
            return

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
        if self._misdeals and self._rng.random() < self._rate:
            self._gate.plan = self._rng.choice(self._misdeals)
            return None
        fails = self._rng.random() < self._reader_faults and not self._gate.reader_out
        return self._rng.choice(list(Moment)) if fails else None

    def _restore_reader(self) -> Iterator[Step]:
        if self._gate.reader_out and self._rng.random() < _REPAIRED:
            self.reader_is_back()
            yield Step(ReaderRestored())
