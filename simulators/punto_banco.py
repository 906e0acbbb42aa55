"""Deals coup after coup of punto banco, legal or with one named misdeal in a coup.

Written from the texts (procedures 8) and from nothing of the check, so that a test never confirms itself."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final, get_args

from protocols.cards import Card
from simulators.acts import (
    Act,
    BetsClosed,
    BurnCounted,
    BurnFirst,
    CardBurned,
    Carried,
    CoupClosed,
    CoupOpened,
    CuttingCard,
    Dealt,
    Face,
    Result,
    ShoeLoaded,
    Side,
    StandBy,
    Started,
    Surplus,
    SurplusCleared,
    SurplusShown,
    Turned,
    Winner,
)
from simulators.misdeals import ALL, AROUND_THE_BURN, CODES, SHOWN_BY_FIRST_CARD, Misdeal
from simulators.rounds import Round
from simulators.rules import Rules
from simulators.stock import Stock
from simulators.tableau import is_natural, is_pair, pips, thirds_due, winner

_DEAL: Final[tuple[Side, ...]] = ("player", "banker", "player", "banker")
_FALSE_DEAL: Final[tuple[Side, ...]] = ("player", "player", "banker", "banker")
_CARDS_OF_COUP: Final = 6


@dataclass(slots=True)
class _Sheet:
    acts: list[Act] = field(default_factory=list)
    misdeal: Misdeal | None = None
    blamed: int | None = None

    def add(self, *acts: Act) -> None:
        self.acts.extend(acts)

    def blame_last(self, misdeal: Misdeal) -> None:
        self.misdeal, self.blamed = misdeal, len(self.acts) - 1

    def round(self) -> Round[Act]:
        code = CODES[self.misdeal] if self.misdeal else None
        return Round(tuple(self.acts), self.misdeal, self.blamed, code)


class PuntoBancoDealer:
    """Deals coup after coup, shoe after shoe, without end; the same seed deals the same cards in the same way.

    `rate` is the share of rounds (0-1) in which the dealer tries one of `misdeals`, as far as the cards allow one."""

    def __init__(self, rules: Rules, seed: int, rate: float = 0.0, misdeals: Collection[Misdeal] = ALL) -> None:
        self._rules = rules
        self._rng = random.Random(seed)
        self._rate = rate
        self._misdeals = misdeals
        self._stock = Stock(self._rng, decks=0, behind=0)
        self._coups_left: int | None = 0
        self._sheet = _Sheet()
        self._hands: dict[Side, list[Card]] = {}
        self._plan: Misdeal | None = None
        self._carried: Card | None = None

    def __iter__(self) -> Iterator[Round[Act]]:
        return self

    def __next__(self) -> Round[Act]:
        self._sheet = _Sheet()
        self._hands = {"player": [], "banker": []}
        tempted = self._rng.random() < self._rate
        self._plan = self._pick(self._possible_around_shoe()) if tempted else None
        if self._coups_left == 0 and self._plan is not Misdeal.EXTRA_COUP:
            self._load()
        if tempted and self._plan is None:
            self._plan = self._pick(self._possible_in_coup())
        self._coup()
        return self._sheet.round()

    def _pick(self, possible: set[Misdeal]) -> Misdeal | None:
        choices = [misdeal for misdeal in Misdeal if misdeal in possible and misdeal in self._misdeals]
        return self._rng.choice(choices) if choices else None

    def _possible_around_shoe(self) -> set[Misdeal]:
        if self._coups_left != 0:
            return set()
        extra = {Misdeal.EXTRA_COUP} if len(self._stock) >= _CARDS_OF_COUP else set()
        return extra | AROUND_THE_BURN

    def _possible_in_coup(self) -> set[Misdeal]:
        carried = [self._carried] if self._carried else []
        p1, b1, p2, b2, following = [*carried, *self._stock.next_cards(5 - len(carried))]
        player, banker = (p1, p2), (b1, b2)
        due = thirds_due(player, banker, following)
        possible = {Misdeal.ORDER, Misdeal.WRONG_RESULT}
        if not self._stock.cutting_card_follows(4 + len(due) - len(carried)):
            possible.add(Misdeal.OVER_DRAW)
        if is_natural(player, banker):
            return possible | {Misdeal.THIRD_ON_NATURAL}
        if due:
            possible.add(Misdeal.MISSING_THIRD)
        if "player" not in due:
            possible.add(Misdeal.PLAYER_THIRD)
        if "banker" not in due:
            possible.add(Misdeal.BANKER_THIRD)
        return possible

    def _load(self) -> None:
        self._stock = Stock(self._rng, self._rules.decks, self._rules.cards_behind)
        self._coups_left = None
        self._sheet.add(ShoeLoaded(self._rules.decks))
        if self._plan is not Misdeal.BURN_MISSING:
            self._burn()

    def _burn(self) -> None:
        first = self._stock.draw()
        self._sheet.add(BurnFirst(first))
        due = pips(first)
        burned = self._rng.randrange(due) if self._plan is Misdeal.BURN_SHORT else due
        for left in range(due - 1, due - 1 - burned, -1):
            self._sheet.add(BurnCounted(self._stock.draw(), left))
        if self._plan is Misdeal.BURN_SHORT:
            self._sheet.add(Started())
        if self._plan is Misdeal.BURN_LONG:
            self._sheet.add(BurnCounted(self._stock.draw(), -1))
            self._sheet.blame_last(Misdeal.BURN_LONG)

    def _coup(self) -> None:
        if self._coups_left:
            self._coups_left -= 1
        self._sheet.add(CoupOpened(), BetsClosed())
        self._first_four()
        self._third_cards()
        if self._plan is Misdeal.OVER_DRAW:
            self._over_draw()
        self._result()
        self._sheet.add(CoupClosed(), StandBy())

    def _first_four(self) -> None:
        face = self._face()
        for number, side in enumerate(_FALSE_DEAL if self._plan is Misdeal.ORDER else _DEAL, start=1):
            self._deal(side, face)
            if number == 1 and self._plan in SHOWN_BY_FIRST_CARD:
                self._sheet.blame_last(self._plan)
            if number == 2 and self._plan is Misdeal.ORDER:
                self._sheet.blame_last(self._plan)
        if face == "down":
            self._sheet.add(Turned())

    def _face(self) -> Face:
        if self._rules.deal_faces == "either":
            return self._rng.choice(get_args(Face))
        return self._rules.deal_faces

    def _deal(self, side: Side, face: Face) -> None:
        if self._carried:
            card, self._carried = self._carried, None
            self._sheet.add(Carried(card))
        else:
            card = self._draw()
            self._sheet.add(Dealt(side, len(self._hands[side]) + 1, card, face))
        self._hands[side].append(card)

    def _draw(self) -> Card:
        if self._stock.cutting_card_follows():
            self._stock.take_cutting_card()
            self._sheet.add(CuttingCard())
            one_more = self._rules.last_coup == "one_more" and bool(self._hands["player"])
            self._coups_left = 1 if one_more else 0
        return self._stock.draw()

    def _third_cards(self) -> None:
        [following] = self._stock.next_cards(1)
        due = thirds_due(self._hands["player"], self._hands["banker"], following)
        if self._plan in (Misdeal.PLAYER_THIRD, Misdeal.THIRD_ON_NATURAL):
            self._false_third("player", self._plan)
        missing = self._rng.choice(due) if self._plan is Misdeal.MISSING_THIRD else None
        for side in due:
            if side == missing:
                break
            self._deal(side, "up")
        if self._plan is Misdeal.BANKER_THIRD:
            self._false_third("banker", self._plan)

    def _false_third(self, side: Side, misdeal: Misdeal) -> None:
        self._sheet.add(Dealt(side, 3, self._draw(), "up"))
        self._sheet.blame_last(misdeal)
        self._sheet.add(CardBurned(side))

    def _over_draw(self) -> None:
        card = self._draw()
        self._sheet.add(Surplus(card))
        self._sheet.blame_last(Misdeal.OVER_DRAW)
        seen = self._rng.random() < 0.5
        if self._rules.error_card == "next_hand" and not seen and self._next_coup_may_begin_with_it():
            self._carried = card
        elif seen or self._rules.error_card == "next_hand":
            self._sheet.add(SurplusShown(card))
        self._sheet.add(SurplusCleared())

    def _next_coup_may_begin_with_it(self) -> bool:
        return self._coups_left != 0 and not self._stock.cutting_card_follows()

    def _result(self) -> None:
        player, banker = self._hands["player"], self._hands["banker"]
        told = true = winner(player, banker)
        if self._plan is Misdeal.WRONG_RESULT:
            told = self._rng.choice([other for other in get_args(Winner) if other != true])
        self._sheet.add(Result(told, is_pair(player), is_pair(banker)))
        if self._plan in (Misdeal.WRONG_RESULT, Misdeal.MISSING_THIRD):
            self._sheet.blame_last(self._plan)
