"""A dealer's acts as the table log that a table with given inputs would write, with what the check must say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import get_args

from protocols import events
from protocols.cards import Card
from protocols.events import Event, LogHeader, Observed
from simulators.acts import CuttingCard, Face, ShoeLoaded
from simulators.blackjack import acts
from simulators.blackjack.misdeals import expressible
from simulators.blackjack.rules import BlackjackRules
from simulators.rounds import Round
from simulators.table_log import DealtLog, Expected


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
    allowed, told, expected = expressible(observes), list[Event](), list[Expected]()
    for dealt in rounds:
        if dealt.misdeal and dealt.misdeal not in allowed:
            raise ValueError(f"{dealt.misdeal.name} does not show in a table log of these inputs")
        writer = EventWriter(inputs, withhold=withhold)
        for number, act in enumerate(dealt.acts):
            told.extend(writer.events(act))
            if number == dealt.blamed and dealt.code:
                expected.append(Expected(len(told), dealt.code))
    header = LogHeader(
        procedure=rules.procedure,
        options=dict(rules.options),
        observes=None if observes is None else tuple(observes),
    )
    return DealtLog(header, tuple(told), tuple(expected))


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
            case acts.Boxed() | acts.Burned() | acts.Stray() | acts.Drawn():
                return [self._card(act)]
            case acts.Peeked():
                return [events.ReaderPeeked(result=act.result)]
            case acts.ReaderFailed():
                return [events.ReaderFaulted(code=act.trouble)]
            case acts.RoundOpened():
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

    def _card(self, act: acts.Boxed | acts.Burned | acts.Stray | acts.Drawn) -> Event:
        match act:
            case acts.Boxed():
                return events.CardDrawn(card=act.card, to=self._place("burn"), face="up", boxed=True)
            case acts.Burned():
                return self._drawn(act.card, "burn", "down")
            case acts.Stray():
                return events.CardDrawn(card=act.card, outside=True)
            case acts.Drawn():
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


def said(act: acts.Act) -> tuple[Observed | None, Event] | None:
    """What people key in for an act, and by which input (None: any table has it); None for what devices tell."""
    match act:
        case acts.RoundOpened():
            return None, events.RoundOpened(boxes=act.boxes)
        case acts.RoundClosed():
            return None, events.RoundClosed()
        case acts.RoundVoided():
            return None, events.RoundVoided(reason=act.reason)
        case acts.InsuranceOpened():
            return None, events.InsuranceOpened()
        case acts.InsuranceClosed():
            return None, events.InsuranceClosed()
        case acts.HoleTurned():
            return None, events.HoleRevealed()
        case acts.HoleLooked():
            return None, events.HoleLooked()
        case acts.MethodSelected() | acts.ReaderRestored() | acts.DealerChanged():
            return None, _of_supervisor(act)
        case _:
            return _keyed_in(act)


def _of_supervisor(act: acts.MethodSelected | acts.ReaderRestored | acts.DealerChanged) -> Event:
    match act:
        case acts.MethodSelected():
            return events.MethodSelected(procedure=act.procedure)
        case acts.ReaderRestored():
            return events.ReaderRestored()
        case acts.DealerChanged():
            return events.DealerChanged()


def _keyed_in(act: acts.Act) -> tuple[Observed, Event] | None:
    match act:
        case acts.CardsReplaced() | acts.Shuffled() | acts.Cut() | acts.CutCardPlaced():
            return _shoe_work(act)
        case acts.WagerChanged():
            return "wagers", events.WagerChanged(box=act.box, change=act.change)
        case acts.Called():
            told = events.CallMade if act.made else events.CallMissed
            return "calls", told(call=act.call, box=act.box)
        case acts.Acted():
            return "signals", events.PlayerActed(box=act.box, hand=act.hand, action=act.action)
        case acts.TakenAway():
            return "collection", events.CardBurned(from_=act.place)
        case acts.Settled():
            return "collection", events.HandSettled(box=act.box, hand=act.hand, result=act.result)
        case acts.Collected():
            return "collection", events.CardsCollected(from_=act.place)
    return None


def _shoe_work(act: acts.CardsReplaced | acts.Shuffled | acts.Cut | acts.CutCardPlaced) -> tuple[Observed, Event]:
    match act:
        case acts.CardsReplaced():
            return "shuffle", events.CardsReplaced()
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
                inspector_notified=act.inspector_notified if act.directed else None,
            )
