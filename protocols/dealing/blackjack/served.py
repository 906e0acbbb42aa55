"""Whether one more card may come to a hand, on every reading of those in it that are not read.

A reading on which a card came before although it might not is out, as long as another is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from protocols.cards import RANKS
from protocols.dealing.blackjack.totals import TWENTY_ONE, Read, best, value

Breach = Literal["draw_after_bust", "draw_on_blackjack", "draw_on_21"]
_BY_PRECEDENCE: Final[tuple[Breach, ...]] = ("draw_after_bust", "draw_on_blackjack", "draw_on_21")


@dataclass(frozen=True, slots=True)
class OneMore:
    """On how many readings, each weighed by how many ranks make it, a further card is sound; what the others break.

    `now`: what it breaks itself, apart from the cards before it."""

    sound: int
    broken: Mapping[Breach, int]
    now: frozenset[Breach]

    def breaks(self, code: Breach) -> bool | None:
        """Whether this is what the card breaks, of several the one of most readings; None where it may be sound."""
        if self.sound:
            return None if code in self.now else False
        return code == self._likeliest

    def breaks_or_waited(self, code: Breach | None) -> bool:
        """The same of a hand that was passed over, so that no reading is sound: one on which a card might come was
        wrongly passed over, which `code` None stands for."""
        broken = self.broken.get(self._likeliest, 0)
        return code is None if self.sound >= broken else code == self._likeliest

    @property
    def _likeliest(self) -> Breach:
        return max(_BY_PRECEDENCE, key=lambda each: self.broken.get(each, 0))


@lru_cache(maxsize=4096)
def one_more(cards: tuple[Read, ...], *, split: bool, stops_on_21: bool) -> OneMore:
    """A further card for these; `split`: they come from a split, `stops_on_21`: 21 gets no card."""
    readings = Counter({(0, False): 1})
    broken: Counter[Breach] = Counter()
    for held, card in enumerate(cards):
        sound, breaches = _parted(readings, held, split=split, stops_on_21=stops_on_21)
        if sound:
            readings, broken = sound, broken + breaches
        readings = _with_card(readings, card)
        broken = Counter({code: weight * (1 if card else len(RANKS)) for code, weight in broken.items()})
    sound, now = _parted(readings, len(cards), split=split, stops_on_21=stops_on_21)
    return OneMore(sound.total(), broken + now, frozenset(now))


def _with_card(readings: Counter[tuple[int, bool]], card: Read) -> Counter[tuple[int, bool]]:
    """The sums, and whether an ace is in them, with one more card."""
    after: Counter[tuple[int, bool]] = Counter()
    for (points, ace), weight in readings.items():
        for rank in RANKS if card is None else card.rank:
            after[points + value(rank), ace or rank == "A"] += weight
    return after


def _parted(
    readings: Counter[tuple[int, bool]], held: int, *, split: bool, stops_on_21: bool
) -> tuple[Counter[tuple[int, bool]], Counter[Breach]]:
    """The readings on which a card may come to a hand of so many, and what it breaks on the others."""
    sound: Counter[tuple[int, bool]] = Counter()
    broken: Counter[Breach] = Counter()
    for reading, weight in readings.items():
        points = best(*reading).points
        if points > TWENTY_ONE:
            broken["draw_after_bust"] += weight
        elif points == TWENTY_ONE and held == 2 and not split:
            broken["draw_on_blackjack"] += weight
        elif points == TWENTY_ONE and held >= 2 and stops_on_21:
            broken["draw_on_21"] += weight
        else:
            sound[reading] += weight
    return sound, broken
