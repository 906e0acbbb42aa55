"""What a dealer does with the cards between rounds: shuffle, cut, cutting card, load, burn (procedures 1, 3 to 5)."""

from __future__ import annotations

import math
from typing import Final

from simulators.acts import ShoeLoaded
from simulators.blackjack.acts import Cut, CutCardPlaced, Shuffled
from simulators.blackjack.gate import Gate, Steps
from simulators.boxes.acts import CardsReplaced, DealerChanged
from simulators.stock import Stock

_CARDS_IN_DECK: Final = 52
_DEALER_CHANGES: Final = 0.04
_CARDS_REPLACED: Final = 0.01
_LOOKS_BEFORE_WAGERS: Final = 0.5
_DIRECTED: Final = 0.2
_TELLS_OCCUPIED: Final = 0.5
_REFUSES: Final = 0.2
_TELLS_REFUSALS: Final = 0.7


class Between:
    """The work at the shoe between two rounds of one dealer."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._rules = gate.rules
        self._custom = gate.rules.custom
        self._rng = gate.rng

    def steps(self) -> Steps:
        """Everything before the wagers of the next round."""
        if self._gate.chance(_DEALER_CHANGES):
            yield from self._gate.do(DealerChanged())
        replaced = self._wants_other_cards()
        if replaced:
            yield from self._gate.do(CardsReplaced())
        if replaced or self._shuffles_now():
            yield from self.load(replaced=replaced)
            if self._gate.chance(_DEALER_CHANGES):
                yield from self._gate.do(DealerChanged())
        yield from self._burn()

    @property
    def cutting_card_comes_first(self) -> bool:
        """Whether it shows before the next card and the house does not deal a round with it."""
        comes = not self._gate.cut_card_out and self._gate.stock.cutting_card_follows()
        return comes and self._rules.cut_card_first == "reshuffle"

    def load(self, *, replaced: bool = False) -> Steps:
        """Shuffle, cut, cutting card and burn, after the cutting card where it still is in the shoe."""
        gate = self._gate
        if self.cutting_card_comes_first and not replaced:
            yield from gate.show_cutting_card(f"box:{gate.boxes[0]}" if gate.layout.is_open else None)
        yield from gate.do(Shuffled())
        yield from gate.do(self._cut(replaced=replaced))
        placed, behind = self._placed()
        gate.stock, gate.cut_card_out = Stock(self._rng, self._rules.decks, behind), False
        yield from gate.do(placed)
        yield from gate.do(ShoeLoaded(self._rules.decks))
        yield from self._burn()

    def _wants_other_cards(self) -> bool:
        wanted = self._gate.book.spoiled or (self._gate.book.loads > 0 and self._gate.chance(_CARDS_REPLACED))
        return wanted and not self._gate.cut_card_out

    def _shuffles_now(self) -> bool:
        if self._gate.cut_card_out:
            return True
        seen_early = self._gate.book.new_dealers > 0 or self._gate.chance(_LOOKS_BEFORE_WAGERS)
        return self.cutting_card_comes_first and seen_early

    def _burn(self) -> Steps:
        book = self._gate.book
        count = self._rng.randint(book.fewest_burns(self._rules), book.most_burns(self._rules))
        while book.burned < count:
            yield from self._gate.burn()

    def _placed(self) -> tuple[CutCardPlaced, int]:
        """Where the cutting card goes, and how many cards then lie behind it."""
        decks = self._rules.decks
        least, most = self._custom.cut_card or (decks / 4, decks / 2)
        directed = self._custom.by_direction and decks / 2 > most and self._gate.chance(_DIRECTED)
        if directed:
            least, most = most, decks / 2
        behind = self._rng.randint(math.ceil(least * _CARDS_IN_DECK), math.floor(most * _CARDS_IN_DECK))
        return CutCardPlaced(behind / _CARDS_IN_DECK, decks, directed, directed or None), behind

    def _cut(self, *, replaced: bool) -> Cut:
        book = self._gate.book
        tells = not book.seated or book.cut_at is None or self._gate.chance(_TELLS_OCCUPIED)
        occupied = self._gate.boxes if tells else book.seated
        claim = self._claim(occupied, replaced=replaced)
        first = occupied[0] if claim is None else claim
        asked = [box for box in occupied if box >= first] + [box for box in occupied if box < first]
        unwilling = self._unwilling(len(asked))
        if unwilling == len(asked):
            return Cut("supervisor", tuple(asked), occupied, claim, tells)
        refused = tuple(asked[:unwilling]) if unwilling or self._gate.chance(_TELLS_REFUSALS) else None
        return Cut(f"box:{asked[unwilling]}", refused, occupied, claim, tells)

    def _claim(self, occupied: tuple[int, ...], *, replaced: bool) -> int | None:
        """The box that is asked first; None where the text leaves it open or nobody can know."""
        newly, shown_at = self._custom.new_cards_cut_by, self._gate.book.cut_at
        if newly is None or not (replaced or shown_at):
            return None
        if replaced:
            return occupied[0] if newly == "left" else occupied[-1]
        if shown_at == "dealer":
            return occupied[-1]
        box = int(str(shown_at)[4:].split("/")[0])
        return next((other for other in occupied if other >= box), occupied[0])

    def _unwilling(self, asked: int) -> int:
        """How many of those asked in turn do not want to cut."""
        most = asked if self._custom.supervisor_cuts else asked - 1
        count = 0
        while count < most and self._gate.chance(_REFUSES):
            count += 1
        return count
