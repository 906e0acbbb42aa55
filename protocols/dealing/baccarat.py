"""The baccarat tableau, and a coup judged on every reading of the cards whose value is not known.

A coup whose cards are withheld is legal as long as one reading of them is. Two-card totals, the player's third and,
once there is a result, the banker's third are all that a reading needs: at most ten values each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from protocols.cards import RANKS, Card
from protocols.events import Winner

Side = Literal["player", "banker"]
BreachCode = Literal["bac_draw_on_natural", "bac_draw", "bac_missing_third", "result_mismatch"]

_TENS: Final = "TJQK"
_DRAWS_ON: Final = {3: range(10), 4: range(2, 8), 5: range(4, 8), 6: range(6, 8)}


def points(card: Card) -> int:
    """What a card counts in a hand: pictures and tens nothing."""
    return 0 if card.rank in _TENS else 1 if card.rank == "A" else int(card.rank)


def burn_points(card: Card) -> int:
    """How many further cards the first burned card asks for: pictures and tens ten."""
    return points(card) or 10


def banker_draws(total: int, third: int | None) -> bool:
    """Whether a banker's two-card total draws against the player's third card (None: the player stood)."""
    if third is None or total <= 2:
        return total <= 5
    return third in _DRAWS_ON.get(total, ()) and not (total == 3 and third == 8)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One card of a coup: the side it went to (None: not observed), its points (None: not known), its event."""

    side: Side | None
    points: int | None
    event: int


@dataclass(frozen=True, slots=True)
class Coup:
    """The cards of a coup in the order of drawing, and what was said of it."""

    cards: tuple[Drawn, ...] = ()
    finished: bool = False
    winner: Winner | None = None

    def dealt(self, side: Side) -> tuple[Drawn, ...]:
        """The first two cards of a side."""
        return tuple(card for card in self.placed if card.side == side)[:2]

    @property
    def placed(self) -> tuple[Drawn, ...]:
        """The cards with the sides of the deal filled in where they were not observed."""
        cards: list[Drawn] = []
        for card in self.cards:
            side = card.side or next_of_deal(cards)
            cards.append(Drawn(side, card.points, card.event))
        return tuple(cards)

    @property
    def complete(self) -> bool:
        """Whether both sides have their two cards."""
        return len(self.dealt("player")) == len(self.dealt("banker")) == 2

    @property
    def thirds(self) -> tuple[Drawn, ...]:
        """What was drawn beyond the four cards."""
        deal = {card.event for side in _SIDES for card in self.dealt(side)}
        return tuple(card for card in self.cards if card.event not in deal)


_SIDES: Final[tuple[Side, Side]] = ("player", "banker")


def next_of_deal(cards: list[Drawn] | tuple[Drawn, ...]) -> Side | None:
    """The side that the deal's next card goes to, None when both have two."""
    player, banker = (sum(card.side == side for card in cards) for side in _SIDES)
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
    """What a reading makes wrong, and the event of the card that is wrong (None: no card is)."""

    code: BreachCode
    event: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How many readings, each weighed by how many ranks make it, are legal, and what the others break.

    `due`: the sides that may be due next on a legal reading, None among them where the coup may be complete."""

    legal: int
    breaches: tuple[tuple[Breach, int], ...]
    due: frozenset[Side | None]

    @property
    def likeliest(self) -> Breach:
        """The breach that asks least of the unknown cards."""
        return max(self.breaches, key=lambda item: item[1])[0]


@lru_cache(maxsize=256)
def judge(coup: Coup) -> Judgement:
    """Judge a coup whose four cards are dealt on every reading of it."""
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
    for card in coup.thirds:
        due = reading.due(drawn)
        if due is None or (card.side or due) != due:
            return drawn, Breach("bac_draw_on_natural" if reading.natural else "bac_draw", card.event)
        drawn = (*drawn, due)
    if coup.finished and reading.due(drawn):
        return drawn, Breach("bac_missing_third")
    if coup.winner and reading.winner(drawn) != coup.winner:
        return drawn, Breach("result_mismatch")
    return drawn, None


def _readings(coup: Coup) -> Iterator[tuple[Reading, int]]:
    thirds = coup.thirds
    for player, player_weight in _total(coup.dealt("player")).items():
        for banker, banker_weight in _total(coup.dealt("banker")).items():
            weight = player_weight * banker_weight
            for first, first_weight in _third(thirds, 0).items():
                for second, second_weight in _third(thirds, 1, coup.winner is not None).items():
                    yield (
                        _reading(player, banker, first, second, thirds),
                        weight * first_weight * second_weight,
                    )


def _reading(player: int, banker: int, first: int, second: int, thirds: tuple[Drawn, ...]) -> Reading:
    """The reading in which the first and second card beyond the deal have these points."""
    players = player <= 5 if thirds and thirds[0].side is None else bool(thirds) and thirds[0].side == "player"
    return Reading(player, banker, first, second) if players else Reading(player, banker, second, first)


def _third(thirds: tuple[Drawn, ...], position: int, needed: bool = True) -> Counter[int]:
    if position >= len(thirds) or not needed:
        return Counter({0: 1})
    return _values(thirds[position].points)


def _total(cards: tuple[Drawn, ...]) -> Counter[int]:
    first, second = (_values(card.points) for card in cards)
    totals: Counter[int] = Counter()
    for value, weight in first.items():
        for other, other_weight in second.items():
            totals[(value + other) % 10] += weight * other_weight
    return totals


def _values(known: int | None) -> Counter[int]:
    return _ANY if known is None else Counter({known: 1})


_ANY: Final = Counter(points(Card(rank)) for rank in RANKS)
