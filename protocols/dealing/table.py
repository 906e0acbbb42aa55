"""What lies where: the bookkeeping that all games share. Immutable; nothing here judges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from operator import is_
from typing import Final

from protocols.cards import Card
from protocols.dealing.blackjack.play import Play, Reader
from protocols.dealing.cutting import Cutting
from protocols.dealing.frozen import derived, replace
from protocols.dealing.lying import Lying, lying
from protocols.dealing.setting import Setting
from protocols.dealing.shoe import Shoe
from protocols.dealing.stock import Stock
from protocols.dealing.stud.play import Stud
from protocols.events import (
    CardBurned,
    CardDrawn,
    CardField,
    CardRevealed,
    CardsCollected,
    CutCardReached,
    Face,
    TableEvent,
    Winner,
)
from protocols.hidden import Hidden, opened


@dataclass(frozen=True)
class Draw:
    """One card on the table. `event`: number of its event; `number`: in its round, None for a card that moved here;
    `origin`: the event with which it left the shoe.

    `card`: Hidden while it lies face down, None where it was not read; `outside`: it belongs to no hand;
    `shown`: its face was seen; `false`: it should not have been drawn; `gone`: burned or moved elsewhere;
    `uncounted`: the stock has begun anew since, its value does not count in it."""

    event: int
    origin: int
    number: int | None
    place: str | None
    card: CardField | None
    face: Face | None = None
    ref: str | None = None
    outside: bool = False
    boxed: bool = False
    shown: bool = False
    false: bool = False
    gone: bool = False
    uncounted: bool = False

    @property
    def to_hand(self) -> bool:
        """Whether it came to a hand."""
        return not (self.outside or self.boxed or self.place == "burn")


@dataclass(frozen=True)
class Round:
    """One round and what was seen in it; what comes before it is opened belongs to it too.

    `called`: whether no more bets was called, None where nobody said; `boxes`: those with a wager, None where that
    was not observed; `finished`: something came that only follows a complete deal; `voided`: it ended so, what lay
    face down stays closed; `disputed`: what is right is no longer certain; `lost`: where its cards went is not known;
    `manifold`: more histories of it are possible than can be followed; `blind`: the log has a gap in it; `unverified`:
    a card of it came from a shoe in error; `reported`: the codes of its violations; `play`: the hands, in blackjack;
    `stud`: the boxes and the community cards, in stud."""

    number: int
    opened: bool = False
    opened_faulted: bool = False
    draws: tuple[Draw, ...] = ()
    called: bool | None = None
    boxes: frozenset[int] | None = None
    turned: bool = False
    winner: Winner | None = None
    finished: bool = False
    voided: bool = False
    disputed: bool = False
    lost: bool = False
    manifold: bool = False
    blind: bool = False
    unverified: bool = False
    reported: frozenset[str] = frozenset()
    play: Play | None = None
    stud: Stud | None = None

    @property
    def unjudged(self) -> bool:
        """Whether nothing in it is judged any more, for what was told of it is not enough."""
        return self.blind or self.unverified

    @derived("draws")
    def lying(self) -> Lying:
        """The cards by the place where they lie."""
        return lying(self.draws)

    @property
    def hands(self) -> tuple[Draw, ...]:
        """The cards that lie in hands, in the order in which they came there."""
        return self.lying.hands

    @property
    def first_card(self) -> Draw | None:
        """The first card that went to a hand, wherever it is now."""
        return self.lying.first

    @property
    def begun(self) -> bool:
        """Whether the first card of the round is out."""
        return self.lying.first is not None

    @property
    def next_number(self) -> int:
        return 1 + self.lying.numbered

    def with_card(self, draw: Draw) -> Round:
        """The round with one more card on the table."""
        before = self.lying
        new = replace(self, draws=(*self.draws, draw))
        new.__dict__["lying"] = before.plus(draw)
        return new

    def with_draws(self, change: Callable[[Draw], Draw]) -> Round:
        draws = tuple([change(draw) for draw in self.draws])
        return self if all(map(is_, draws, self.draws)) else replace(self, draws=draws)


@dataclass(frozen=True)
class State:
    """Everything that the check knows: the shoe, the reader, the round, and the round before (some values come late).

    `cutting`: what tells who has to be offered the cut; `gapped`: the log had a gap somewhere, so that it may name
    cards that it does not hold."""

    shoe: Shoe
    round: Round
    previous: Round | None = None
    reader: Reader = field(default_factory=Reader)
    cutting: Cutting = field(default_factory=Cutting)
    gapped: bool = False

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The cards of the round before and of this one."""
        return (*(self.previous.draws if self.previous else ()), *self.round.draws)

    def round_of(self, draw: Draw) -> Round:
        """The round in which one of these cards was drawn."""
        return self.round if self.previous is None or draw in self.round.draws else self.previous

    def with_draws(self, change: Callable[[Draw], Draw]) -> State:
        """The state with every card of the two rounds changed."""
        previous = self.previous.with_draws(change) if self.previous else None
        return replace(self, round=self.round.with_draws(change), previous=previous)


def find_draw(state: State, revealed: CardRevealed) -> Draw | None:
    """The draw that a `card.revealed` names: in this round, else in the round before."""
    for draw in _newest_round_first(state):
        if revealed.draw is not None and draw.number == revealed.draw:
            return draw
        if revealed.draw is None and draw.ref is not None and draw.ref == revealed.ref:
            return draw
    return None


def find_moved(state: State, event: CardDrawn) -> Draw | None:
    """The draw that `moved` names: of this round if it has that number, else of the round before."""
    return next((draw for draw in _newest_round_first(state) if draw.number == event.moved), None)


def _newest_round_first(state: State) -> Iterator[Draw]:
    """In a round with a gap a name that is not known may be that of a card which was not seen."""
    yield from reversed(state.round.draws)
    if state.previous and not state.round.blind:
        yield from reversed(state.previous.draws)


def see(state: State, draw: Draw, card: Card) -> State:
    """The value of a card on the table is known to all, and counted."""
    known = draw.card if isinstance(draw.card, Card) else None
    better = known if known is not None and card.suit is None and known.could_be(card) else card
    state = state.with_draws(lambda old: replace(old, card=better) if old.origin == draw.origin else old)
    if draw.uncounted:
        return state
    return replace(state, shoe=replace(state.shoe, stock=state.shoe.stock.see(better, known)))


def count_anew(state: State, kept: Collection[Draw] = ()) -> State:
    """The stock begins anew, with the `kept` cards counted in it."""
    stock = Stock(drawn=len(kept))
    for draw in kept:
        stock = stock.see(draw.card) if isinstance(draw.card, Card) else stock
    state = replace(state, shoe=replace(state.shoe, stock=stock))
    return state.with_draws(lambda old: old if old in kept else replace(old, uncounted=True))


def turn_hands(state: State) -> State:
    """Every card that lies face down in a hand is turned."""
    lying = [draw for draw in state.round.hands if isinstance(draw.card, Hidden)]
    values = {draw.origin: opened(draw.card) for draw in lying if isinstance(draw.card, Hidden)}
    if not lying:
        return state
    state = state.with_draws(lambda old: replace(old, card=values[old.origin]) if old.origin in values else old)
    stock = state.shoe.stock
    for draw in lying:
        stock = stock if draw.uncounted else stock.see(values[draw.origin])
    return replace(state, shoe=replace(state.shoe, stock=stock))


def place_named(event: TableEvent) -> tuple[str | None, str | None]:
    """The field in which an event names a place, and the place."""
    attribute = _NAMES_PLACE.get(type(event))
    return (attribute.rstrip("_"), getattr(event, attribute)) if attribute else (None, None)


_NAMES_PLACE: Final[Mapping[type[TableEvent], str]] = {
    CardDrawn: "to",
    CardBurned: "from_",
    CardsCollected: "from_",
    CutCardReached: "at",
}
"""The attribute in which an event names a place."""


def goes_to_hand(setting: Setting, state: State, event: TableEvent) -> bool:
    """Whether the event brings a card to a hand of the round."""
    if not isinstance(event, CardDrawn) or event.outside or event.boxed or not state.round.opened:
        return False
    return (event.to or setting.game.place_due(setting, state, event.face)) != "burn"
