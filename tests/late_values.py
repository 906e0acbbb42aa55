"""Dealt logs in which single cards are not read when they are drawn, but shown later."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from protocols.cards import Card
from protocols.events import CardDrawn, CardRevealed, Event, LogHeader, RoundClosed, RoundVoided
from simulators.dealt_log import DealtLog


@dataclass(frozen=True, slots=True)
class LateLog:
    """A log with what the check must say: each violation on its event, or on one of those that show a card late."""

    header: LogHeader
    events: tuple[Event, ...]
    expected: tuple[tuple[int, str, frozenset[int]], ...]


@dataclass(frozen=True, slots=True)
class Late:
    """A card that is not read at event `drawn` and is shown just after event `shown`, both counted from 0."""

    drawn: int
    shown: int


def rounds_of(events: Sequence[Event]) -> Iterator[range]:
    """The events of each round, with those between it and the round before."""
    start = 0
    for number, event in enumerate(events):
        if isinstance(event, RoundClosed | RoundVoided):
            yield range(start, number + 1)
            start = number + 1


def some_late(events: Sequence[Event], chance: random.Random, cards: int) -> list[Late]:
    """In each round some cards that lie open, each shown before its round is voided or the next one is over."""
    found: list[Late] = []
    rounds = list(rounds_of(events))
    for seen, following in zip(rounds, [*rounds[1:], None], strict=True):
        open_cards = [number for number in seen if _lies_open(events[number])]
        for drawn in chance.sample(open_cards, min(cards, len(open_cards))):
            voided = isinstance(events[seen[-1]], RoundVoided)
            last = seen[-1] - 1 if voided else following[-1] - 1 if following else len(events) - 1
            found.append(Late(drawn, chance.randint(drawn, chance.choice((seen[-1] - 1, last)))))
    return found


def _lies_open(event: Event) -> bool:
    if not isinstance(event, CardDrawn) or event.face != "up":
        return False
    return isinstance(event.card, Card) and not event.boxed and not event.outside and event.moved is None


def with_late(log: DealtLog, late: Sequence[Late]) -> LateLog:
    """The log with these cards shown late."""
    events: list[Event] = []
    at: dict[int, int] = {}
    shown: set[int] = set()
    withheld = {each.drawn for each in late}
    for number, event in enumerate(log.events):
        events.append(_unread(event, number) if number in withheld else event)
        at[number] = len(events)
        for each in (each for each in late if each.shown == number):
            drawn = log.events[each.drawn]
            assert isinstance(drawn, CardDrawn)
            assert drawn.card is not None
            events.append(CardRevealed(ref=f"late-{each.drawn}", card=drawn.card))
            shown.add(len(events))
    expected = tuple((at[each.event - 1], each.code, frozenset(shown)) for each in log.expected)
    return LateLog(log.header, tuple(events), expected)


def _unread(event: Event, number: int) -> Event:
    return event.model_copy(update={"card": None, "ref": f"late-{number}"})
