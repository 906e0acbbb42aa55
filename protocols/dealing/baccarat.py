"""The baccarat tableau, and a coup judged on every reading of the cards whose value is not known.

A coup whose cards are withheld is legal as long as one reading of them is. Two-card totals, the player's third and,
once there is a result, the banker's third are all that a reading needs: at most ten values each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, Literal, NamedTuple

from protocols.cards import RANKS, Card
from protocols.dealing.frozen import derived
from protocols.events import Winner

Side = Literal["player", "banker"]
BreachCode = Literal["bac_draw_on_natural", "bac_draw", "bac_missing_third", "result_mismatch"]

_POINTS: Final = {rank: min(count, 10) % 10 for count, rank in enumerate(RANKS, start=1)}
_DRAWS_ON: Final = {3: range(10), 4: range(2, 8), 5: range(4, 8), 6: range(6, 8)}


def points(card: Card) -> int:
    """What a card counts in a hand: pictures and tens nothing."""
    return _POINTS[card.rank]


def burn_points(card: Card) -> int:
    """How many further cards the first burned card asks for: pictures and tens ten."""
    return points(card) or 10


def banker_draws(total: int, third: int | None) -> bool:
    """Whether a banker's two-card total draws against the player's third card (None: the player stood)."""
    if third is None or total <= 2:
        return total <= 5
    return third in _DRAWS_ON.get(total, ()) and not (total == 3 and third == 8)


class Drawn(NamedTuple):
    """One card of a coup: the side it went to (None: not observed), its points (None: not known)."""

    side: Side | None
    points: int | None


@dataclass(frozen=True)
class Coup:
    """The cards of a coup in the order of drawing, and what was said of it."""

    cards: tuple[Drawn, ...] = ()
    finished: bool = False
    winner: Winner | None = None

    @derived("cards")
    def sides(self) -> tuple[Side | None, ...]:
        """Where each card went, with the deal filled in where it was not observed."""
        sides: list[Side | None] = [card.side for card in self.cards]
        if None not in sides:
            return tuple(sides)
        sides = []
        for card in self.cards:
            sides.append(card.side or next_of_deal(sides))
        return tuple(sides)

    def dealt(self, side: Side) -> tuple[int, ...]:
        """The positions of the first two cards of a side."""
        return self._dealt[side]

    @derived("cards")
    def _dealt(self) -> Mapping[Side, tuple[int, ...]]:
        sides = list(enumerate(self.sides))
        return {side: tuple([position for position, where in sides if where == side][:2]) for side in _SIDES}

    @derived("cards")
    def complete(self) -> bool:
        """Whether both sides have their two cards."""
        sides = self.sides
        return sides.count("player") >= 2 and sides.count("banker") >= 2

    @derived("cards")
    def thirds(self) -> tuple[int, ...]:
        """The positions of what was drawn beyond the four cards."""
        deal = {*self.dealt("player"), *self.dealt("banker")}
        return tuple(position for position in range(len(self.cards)) if position not in deal)


_SIDES: Final[tuple[Side, Side]] = ("player", "banker")


def next_of_deal(sides: Sequence[Side | None]) -> Side | None:
    """The side that the deal's next card goes to, None when both have two."""
    player, banker = (sides.count(side) for side in _SIDES)
    if player < 2 and player <= banker:
        return "player"
    return "banker" if banker < 2 else "player" if player < 2 else None


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which the unknown cards may read."""

    player: int
    banker: int
    player_third: int
    banker_third: int

    @property
    def natural(self) -> bool:
        return self.player >= 8 or self.banker >= 8

    def due(self, drawn: tuple[Side, ...]) -> Side | None:
        """The side that draws next when these sides have drawn a third card, None when nobody does."""
        if self.natural or "banker" in drawn:
            return None
        if "player" not in drawn and self.player <= 5:
            return "player"
        third = self.player_third if "player" in drawn else None
        return "banker" if banker_draws(self.banker, third) else None

    def winner(self, drawn: tuple[Side, ...]) -> Winner:
        """Who wins once these sides have drawn."""
        player = (self.player + (self.player_third if "player" in drawn else 0)) % 10
        banker = (self.banker + (self.banker_third if "banker" in drawn else 0)) % 10
        return "tie" if player == banker else "player" if player > banker else "banker"


@dataclass(frozen=True, slots=True)
class Breach:
    """What a reading makes wrong, and the position of the card that is wrong (None: no card is)."""

    code: BreachCode
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How many readings, each weighed by how many ranks make it, are legal, and what the others break.

    `due`: the sides that may be due next on a legal reading, None among them where the coup may be complete."""

    legal: int
    breaches: tuple[tuple[Breach, int], ...]
    due: frozenset[Side | None]

    @property
    def likeliest(self) -> Breach:
        """The breach that asks least of the unknown cards: of the code that most readings make."""
        codes: Counter[BreachCode] = Counter()
        for breach, weight in self.breaches:
            codes[breach.code] += weight
        code = max(codes, key=lambda code: codes[code])
        return max((item for item in self.breaches if item[0].code == code), key=lambda item: item[1])[0]


def judge(coup: Coup) -> Judgement:
    """Judge a coup whose four cards are dealt on every reading of it."""
    return _judge(_by_totals(coup))


def _by_totals(coup: Coup) -> Coup:
    """A coup that is judged alike: of two cards that are known only what they make together counts."""
    cards = list(coup.cards)
    for side in _SIDES:
        first, second = coup.dealt(side)
        a, b = cards[first].points, cards[second].points
        if a is not None and b is not None:
            cards[first], cards[second] = cards[first]._replace(points=0), cards[second]._replace(points=(a + b) % 10)
    return Coup(tuple(cards), coup.finished, coup.winner)


@lru_cache(maxsize=1 << 16)
def _judge(coup: Coup) -> Judgement:
    breaches: Counter[Breach] = Counter()
    legal = 0
    due: set[Side | None] = set()
    for reading, weight in _readings(coup):
        drawn, breach = _played(coup, reading)
        if breach:
            breaches[breach] += weight
        else:
            legal += weight
            due.add(reading.due(drawn))
    return Judgement(legal, tuple(breaches.items()), frozenset(due))


def _played(coup: Coup, reading: Reading) -> tuple[tuple[Side, ...], Breach | None]:
    """The sides that drew a third card, and the first breach."""
    drawn: tuple[Side, ...] = ()
    for position in coup.thirds:
        due = reading.due(drawn)
        if due is None or (coup.cards[position].side or due) != due:
            return drawn, Breach("bac_draw_on_natural" if reading.natural else "bac_draw", position)
        drawn = (*drawn, due)
    if coup.finished and reading.due(drawn):
        return drawn, Breach("bac_missing_third")
    if coup.winner and reading.winner(drawn) != coup.winner:
        return drawn, Breach("result_mismatch")
    return drawn, None


def _readings(coup: Coup) -> Iterator[tuple[Reading, int]]:
    totals = product(_total(coup, "player").items(), _total(coup, "banker").items())
    thirds = tuple(product(_third(coup, 0).items(), _third(coup, 1, coup.winner is not None).items()))
    for ((player, a), (banker, b)), ((first, c), (second, d)) in product(totals, thirds):
        yield _reading(coup, player, banker, first, second), a * b * c * d


def _reading(coup: Coup, player: int, banker: int, first: int, second: int) -> Reading:
    """The reading in which the first and second card beyond the deal have these points."""
    side = coup.cards[coup.thirds[0]].side if coup.thirds else None
    to_player = player <= 5 if side is None else side == "player"
    return Reading(player, banker, first, second) if to_player else Reading(player, banker, second, first)


def _third(coup: Coup, number: int, needed: bool = True) -> Counter[int]:
    if number >= len(coup.thirds) or not needed:
        return Counter({0: 1})
    return _values(coup.cards[coup.thirds[number]].points)


def _total(coup: Coup, side: Side) -> Counter[int]:
    first, second = (_values(coup.cards[position].points) for position in coup.dealt(side))
    totals: Counter[int] = Counter()
    for (value, weight), (other, other_weight) in product(first.items(), second.items()):
        totals[(value + other) % 10] += weight * other_weight
    return totals


def _values(known: int | None) -> Counter[int]:
    return _ANY if known is None else Counter({known: 1})


_ANY: Final = Counter(points(Card(rank)) for rank in RANKS)
