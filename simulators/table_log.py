"""A dealer's acts as the table log that a table with given inputs would write, with what the check must say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, get_args

from protocols import events
from protocols.cards import Card
from protocols.events import Event, Observed
from simulators import acts
from simulators.dealt_log import DealtLog, header_of, log_of
from simulators.misdeals import ALL, SHOE_CAN_TELL, Misdeal
from simulators.rounds import Round
from simulators.rules import Rules

_NEEDS_NO_POSITIONS: Final = frozenset({Misdeal.OVER_DRAW, Misdeal.EXTRA_COUP, Misdeal.WRONG_RESULT})


def expressible(observes: Sequence[Observed] | None = None, *, withhold: bool = False) -> frozenset[Misdeal]:
    """The misdeals that a table with these inputs (None: all) can tell, each by one code at one event."""
    by_position = ALL if observes is None or "positions" in observes else _NEEDS_NO_POSITIONS
    return by_position & SHOE_CAN_TELL if withhold else by_position


def as_table_log(
    rules: Rules,
    rounds: Iterable[Round[acts.Act]],
    observes: Sequence[Observed] | None = None,
    *,
    withhold: bool = False,
) -> DealtLog:
    """The log of `rounds`; with `withhold` the values of a coup come just before its result.

    ValueError where a round has a misdeal that is not `expressible` here."""
    writer = _Writer(frozenset(get_args(Observed) if observes is None else observes), withhold)
    tellable = expressible(observes, withhold=withhold)
    return log_of(header_of(rules, observes), rounds, tellable, lambda: writer.events)


class _Writer:
    def __init__(self, inputs: frozenset[str], withhold: bool) -> None:
        self._inputs = inputs
        self._withhold = withhold
        self._withheld: list[events.CardRevealed] = []
        self._draws = 0
        self._surplus_draw = 0

    def events(self, act: acts.Act) -> Iterable[Event]:
        """What the table learns of an act."""
        match act:
            case acts.ShoeLoaded() | acts.BurnFirst() | acts.BurnCounted() | acts.CuttingCard():
                return self._of_shoe(act)
            case acts.Dealt() | acts.Carried() | acts.Surplus():
                return [self._card(act)]
            case acts.SurplusShown():
                return [events.CardRevealed(ref="x", card=act.card)]
            case acts.Result():
                return [*self._reveals(), events.ResultReported(winner=act.winner)]
            case acts.CoupClosed():
                self._draws = 0
                return [events.RoundClosed()]
            case acts.CoupOpened():
                return [events.RoundOpened(boxes=())]
            case _:
                return self._of_people(act)

    def _of_shoe(self, act: acts.ShoeLoaded | acts.BurnFirst | acts.BurnCounted | acts.CuttingCard) -> Iterable[Event]:
        match act:
            case acts.ShoeLoaded():
                shuffled = self._if("shuffle", events.CardsShuffled(by="hand", cards="all"))
                return [*shuffled, events.ShoeLoaded(decks=act.decks)]
            case acts.BurnFirst():
                return [self._drawn(card=act.card, to=self._place("burn"), face="up")]
            case acts.BurnCounted():
                return [self._drawn(card=act.card, to=self._place("burn"), face=self._face("down"))]
            case acts.CuttingCard():
                return [events.CutCardReached()]

    def _of_people(self, act: acts.Act) -> Iterable[Event]:
        match act:
            case acts.BetsClosed():
                return self._if("calls", events.CallMade(call="no_more_bets"))
            case acts.Turned():
                return self._if("signals", events.HandsTurned())
            case acts.CardBurned():
                return self._if("collection", events.CardBurned(from_=act.side))
            case _:
                return []

    def _card(self, act: acts.Dealt | acts.Carried | acts.Surplus) -> Event:
        match act:
            case acts.Dealt():
                ref = f"{act.side[0].upper()}{act.index}"
                to, face = self._place(act.side), self._face(act.face)
                return self._drawn(card=self._value(act.card, ref), to=to, face=face, ref=ref)
            case acts.Carried():
                card = self._value(act.card, "P1")
                return events.CardDrawn(card=card, to="player", ref="P1", moved=self._surplus_draw)
            case acts.Surplus():
                self._surplus_draw = self._draws + 1
                return self._drawn(outside=True, ref="x")

    def _drawn(
        self,
        *,
        card: Card | None = None,
        to: str | None = None,
        face: acts.Face | None = None,
        ref: str | None = None,
        outside: bool | None = None,
    ) -> Event:
        self._draws += 1
        return events.CardDrawn(card=card, to=to, face=face, ref=ref, outside=outside)

    def _value(self, card: Card, ref: str) -> Card | None:
        if not self._withhold:
            return card
        self._withheld.append(events.CardRevealed(ref=ref, card=card))
        return None

    def _reveals(self) -> Iterable[Event]:
        shown, self._withheld = self._withheld, []
        return shown

    def _if(self, observed: str, event: Event) -> Iterable[Event]:
        return [event] if observed in self._inputs else []

    def _place(self, place: str) -> str | None:
        return place if "positions" in self._inputs else None

    def _face(self, face: acts.Face) -> acts.Face | None:
        return face if "faces" in self._inputs else None
