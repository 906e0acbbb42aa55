"""A dealer's acts as the table log that a table with given inputs would write, with what the check must say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import get_args

from protocols import events
from protocols.cards import Card
from protocols.events import Event, Observed
from simulators.acts import CuttingCard, Face, ShoeLoaded
from simulators.blackjack import acts
from simulators.blackjack.misdeals import expressible
from simulators.blackjack.rules import BlackjackRules
from simulators.boxes import acts as common
from simulators.boxes.table_log import Said
from simulators.boxes.table_log import said as said_in_any_game
from simulators.dealt_log import DealtLog, header_of, log_of
from simulators.rounds import Round


def as_table_log(
    rules: BlackjackRules,
    rounds: Iterable[Round[acts.Act]],
    observes: Sequence[Observed] | None = None,
    *,
    withhold: bool = False,
) -> DealtLog:
    """The log of `rounds`; with `withhold` the value of a card that lies face down comes when it is turned.

    ValueError where a round has a misdeal that is not `expressible` here."""
    inputs = frozenset(get_args(Observed) if observes is None else observes)
    header, tellable = header_of(rules, observes), expressible(observes)
    return log_of(header, rounds, tellable, lambda: EventWriter(inputs, withhold=withhold).events)


class EventWriter:
    """The events of one round's acts, as a table with `inputs` tells them."""

    def __init__(self, inputs: Collection[str], *, withhold: bool) -> None:
        self._inputs = inputs
        self._withhold = withhold
        self._withheld: str | None = None

    def events(self, act: acts.Act) -> Sequence[Event]:
        """What the table learns of an act; nothing where it lacks the input."""
        match act:
            case ShoeLoaded() | CuttingCard() | acts.ShoeEmptied():
                return [self._of_shoe(act)]
            case acts.Boxed() | common.Burned() | common.Stray() | common.Drawn():
                return [self._card(act)]
            case common.Peeked():
                return [events.ReaderPeeked(result=act.result)]
            case acts.ReaderFailed():
                return [events.ReaderFaulted(code=act.trouble)]
            case common.RoundOpened():
                return [events.RoundOpened(boxes=act.boxes if "wagers" in self._inputs else None)]
            case acts.HoleTurned():
                return [*self._reveals(act.card), events.HoleRevealed(card=act.card)]
            case _:
                found = said(act)
                return [found[1]] if found and found[0] in {None, *self._inputs} else []

    def _of_shoe(self, act: ShoeLoaded | CuttingCard | acts.ShoeEmptied) -> Event:
        match act:
            case ShoeLoaded():
                return events.ShoeLoaded(decks=act.decks)
            case CuttingCard():
                return events.CutCardReached(at=act.at if "positions" in self._inputs else None)
            case acts.ShoeEmptied():
                return events.ShoeEmptied(reason="ran_out")

    def _card(self, act: acts.Boxed | common.Burned | common.Stray | common.Drawn) -> Event:
        match act:
            case acts.Boxed():
                return events.CardDrawn(card=act.card, to=self._place("burn"), face="up", boxed=True)
            case common.Burned():
                return self._drawn(act.card, "burn", "down")
            case common.Stray():
                return events.CardDrawn(card=act.card, outside=True)
            case common.Drawn():
                return self._drawn(act.card, act.to, act.face)

    def _drawn(self, card: Card, place: str, face: Face) -> Event:
        hidden = self._withhold and face == "down"
        if hidden and place == "dealer":
            self._withheld = "hole"
        return events.CardDrawn(
            card=None if hidden else card,
            to=self._place(place),
            face=face if "faces" in self._inputs else None,
            ref="hole" if hidden and place == "dealer" else None,
        )

    def _place(self, place: str) -> str | None:
        return place if "positions" in self._inputs else None

    def _reveals(self, card: Card) -> Sequence[Event]:
        ref, self._withheld = self._withheld, None
        return [events.CardRevealed(ref=ref, card=card)] if ref else []


def said(act: object) -> Said | None:
    """What people key in for an act, and by which input (None: any table has it); None for what devices tell."""
    match act:
        case acts.InsuranceClosed():
            return None, events.InsuranceClosed()
        case acts.HoleTurned():
            return None, events.HoleRevealed()
        case acts.HoleLooked():
            return None, events.HoleLooked()
        case acts.ReaderRestored():
            return None, events.ReaderRestored()
        case acts.Shuffled() | acts.Cut() | acts.CutCardPlaced():
            return _shoe_work(act)
        case acts.Called():
            told = events.CallMade if act.made else events.CallMissed
            return "calls", told(call=act.call, box=act.box)
        case acts.Acted():
            return "signals", events.PlayerActed(box=act.box, hand=act.hand, action=act.action)
        case _:
            return said_in_any_game(act)


def _shoe_work(act: acts.Shuffled | acts.Cut | acts.CutCardPlaced) -> Said:
    match act:
        case acts.Shuffled():
            return "shuffle", events.CardsShuffled(by="hand", cards=act.cards)
        case acts.Cut():
            occupied = act.occupied if act.tells_occupied else None
            return "cut", events.CardsCut(by=act.by, refused=act.unwilling, occupied=occupied)
        case acts.CutCardPlaced():
            return "cut", events.CutCardPlaced(
                decks_from_back=act.decks_from_back,
                decks=act.decks,
                directed_by="manager" if act.directed else None,
                inspector_notified=act.inspector_notified,
            )
