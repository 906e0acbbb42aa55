"""Faults of an Angel Eye shoe: what it sends where it fails, in place of what it should."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from protocols.cards import Card
from simulators import acts
from simulators.angel_shoe import AngelShoe
from simulators.faults.menu import Fault, at
from simulators.faults.schedule import Schedule

_OF_CARDS: Final = frozenset({"misread", "reverse"})
_OF_POWER: Final = frozenset({"reboot", "brownout", "swap-device"})
_MISSED: Final = frozenset({"cut-card-missed"})
KNOWN: Final = at("line") | _OF_CARDS | _OF_POWER | _MISSED
"""What can go wrong with this shoe: it has no lid that it tells of, notices no second card, and proves to nobody who
it is."""

_UNREADABLE: Final = 1
_REVERSE_AT_EXIT: Final = 4
_SWAPPED_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Sent:
    """Bytes that the shoe sends at an act, or at a trouble; for `away` seconds before them its line is unplugged."""

    act: acts.Act | acts.Trouble
    data: bytes
    away: float = 0.0


class FaultyAngelShoe:
    """A shoe that fails as its schedule says, and the one that is put in its place."""

    def __init__(self, schedule: Schedule, *, withhold: bool) -> None:
        self._schedule = schedule
        self._withhold = withhold
        self._shoe = AngelShoe(withhold=withhold)

    @property
    def is_shut(self) -> bool:
        """Whether it is locked, so that no card comes out but by force."""
        return self._shoe.locked

    def restarts(self) -> Iterator[Sent]:
        """What is sent where the shoe loses its power now, or another one takes its place."""
        power = self._schedule.take(_OF_POWER)
        if power:
            yield self._started(power)

    def hear(self, data: bytes) -> bytes:
        """What the shoe sends when its host says something."""
        return self._shoe.hear(data)

    def sends(self, act: acts.Act) -> Iterator[Sent]:
        """What is sent when `act` happens, one thing after the other."""
        match act:
            case acts.CuttingCard() if self._schedule.take(_MISSED):
                yield Sent(act, b"")
            case acts.Dealt():
                yield from self._dealt(act)
            case _:
                yield self._sent(act)

    def _sent(self, act: acts.Act | acts.Trouble) -> Sent:
        return Sent(act, self._shoe.sends(act))

    def _started(self, power: Fault) -> Sent:
        """A shoe that was without power, or another one, knows nothing of the cards that it has not shown."""
        if power.name != "reboot":
            self._shoe = AngelShoe(withhold=self._withhold)
        away = {"reboot": 0.0, "swap-device": _SWAPPED_S}.get(power.name)
        return Sent(acts.Started(), self._shoe.sends(acts.Started()), power.amount if away is None else away)

    def _dealt(self, act: acts.Dealt) -> Iterator[Sent]:
        fault = self._schedule.take(_OF_CARDS)
        match fault:
            case None:
                yield self._sent(act)
            case Fault(name="reverse"):
                yield self._sent(acts.ErrorBegun(_REVERSE_AT_EXIT))
                yield self._sent(acts.ErrorOver(_REVERSE_AT_EXIT))
                yield self._sent(act)
            case Fault(value=Card() as other):
                yield Sent(act, self._shoe.sends(replace(act, card=other)))
            case _:
                yield self._sent(acts.ErrorBegun(_UNREADABLE))
                yield Sent(act, self._shoe.sends(acts.Unread(act.side, act.index)))
                yield self._sent(acts.ErrorOver(_UNREADABLE))
