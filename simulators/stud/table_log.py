"""A dealer's acts as the table log that a table with given inputs would write, with what the check must say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import get_args

from protocols import events
from protocols.cards import Card
from protocols.events import CardDrawn, Event, Observed
from simulators.acts import Face, ShoeLoaded
from simulators.boxes import acts as common
from simulators.boxes.table_log import Said
from simulators.boxes.table_log import said as said_in_any_game
from simulators.dealt_log import DealtLog, header_of, log_of
from simulators.rounds import Round
from simulators.stud import acts
from simulators.stud.misdeals import expressible
from simulators.stud.rules import StudRules


def as_table_log(
    rules: StudRules,
    rounds: Iterable[Round[acts.Act]],
    observes: Sequence[Observed] | None = None,
    *,
    withhold: bool = False,
    suits: bool = True,
    uncounted: int | None = None,
) -> DealtLog:
    """The log of `rounds`, without `suits` in ranks alone; with `withhold` the value of a card that lies face down
    comes when it is turned. `uncounted` is what the header says of the rounds since the last count of the stub.

    ValueError where a round has a misdeal that is not `expressible` here."""
    tellable = expressible(observes, withhold=withhold, suits=suits)
    header = header_of(rules, observes, uncounted)
    return log_of(header, rounds, tellable, lambda: EventWriter(observes, withhold=withhold, suits=suits).events)


class EventWriter:
    """The events of one round's acts, as a table with these inputs (None: all) tells them."""

    def __init__(self, observes: Collection[Observed] | None, *, withhold: bool, suits: bool) -> None:
        self._inputs = frozenset(get_args(Observed) if observes is None else observes)
        self._missed_calls_show_by_themselves = observes is not None
        self._withhold = withhold
        self._suits = suits
        self._withheld: dict[str, list[events.CardRevealed]] = {}
        self._draws = 0

    def events(self, act: acts.Act) -> Sequence[Event]:
        """What the table learns of an act; nothing where it lacks the input."""
        match act:
            case common.Burned() | common.Stray() | acts.Boxed() | common.Drawn():
                return [self._card(act)]
            case common.RoundOpened():
                return [events.RoundOpened(boxes=act.boxes if "wagers" in self._inputs else None)]
            case acts.NoMoreBets(made=False) if self._missed_calls_show_by_themselves:
                return []
            case acts.Turned():
                return self._turned(act)
            case acts.Acted(action="fold"):
                self._reveals(f"box:{act.box}")
                return self._if_observed(act)
            case common.Settled():
                return [*self._reveals(f"box:{act.box}"), *self._if_observed(act)]
            case _:
                return self._if_observed(act)

    def _if_observed(self, act: acts.Act) -> Sequence[Event]:
        found = said(act)
        return [found[1]] if found and found[0] in {None, *self._inputs} else []

    def _card(self, act: common.Burned | common.Stray | acts.Boxed | common.Drawn) -> Event:
        match act:
            case common.Burned():
                return self._drawn("burn", act.card, "down")
            case common.Stray():
                return events.CardDrawn(card=self._value(act.card), outside=True)
            case acts.Boxed():
                face = self._drawn(act.place, act.card, "up")
                return face.model_copy(update={"boxed": True})
            case common.Drawn():
                return self._drawn(act.to, act.card, act.face)

    def _drawn(self, place: str, card: Card, face: Face) -> CardDrawn:
        self._draws += 1
        hidden = self._withhold and face == "down"
        ref = f"{place} {self._draws}" if hidden else None
        if hidden:
            revealed = events.CardRevealed(ref=ref, card=self._value(card))
            self._withheld.setdefault(place, []).append(revealed)
        return events.CardDrawn(
            card=None if hidden else self._value(card),
            to=place if "positions" in self._inputs else None,
            face=face if "faces" in self._inputs else None,
            ref=ref,
        )

    def _turned(self, act: acts.Turned) -> Sequence[Event]:
        shown = self._value(act.card) if act.told or self._withhold else None
        return [events.CommunityRevealed(street=act.street, card=shown)]

    def _reveals(self, place: str) -> Sequence[Event]:
        return self._withheld.pop(place, [])

    def _value(self, card: Card) -> Card:
        return card if self._suits else Card(card.rank)


def said(act: object) -> Said | None:
    """What is told of an act, and by which input (None: any table has it); None for what `EventWriter` tells alone."""
    match act:
        case acts.TakenToHand():
            return None, events.ShoeEmptied(reason="to_hand" if act.told else None)
        case acts.ShoeFaulted():
            return None, events.ShoeFaulted()
        case acts.ShoeRestored():
            return None, events.ShoeRestored()
        case ShoeLoaded():
            return None, events.ShoeLoaded(decks=act.decks)
        case common.Peeked():
            return None, events.ReaderPeeked(result=act.result)
        case acts.Turned():
            return None, events.CommunityRevealed(street=act.street, card=act.card if act.told else None)
        case acts.Acted():
            return "signals", events.PlayerActed(
                box=act.box, action=act.action, street=act.street, multiple=act.multiple
            )
        case acts.NoMoreBets():
            told = events.CallMade if act.made else events.CallMissed
            return "calls", told(call="no_more_bets")
        case _:
            return _of_the_deck(act) or said_in_any_game(act)


def _of_the_deck(act: object) -> Said | None:
    match act:
        case acts.Shuffled():
            return "shuffle", events.CardsShuffled(by=act.by, cards="all")
        case acts.Cut():
            return "cut", events.CardsCut(by="dealer")
        case acts.StubCounted():
            return "stub", events.StubCounted(count=act.count)
        case acts.StubDiscarded():
            return "stub", events.StubDiscarded(exposed=act.exposed)
        case _:
            return None
