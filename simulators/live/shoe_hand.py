"""The dealer's hand at the shoe: what happens there, and which cards lie face down since."""

from __future__ import annotations

from functools import partial
from typing import Final

from simulators.acts import CuttingCard, ShoeLoaded
from simulators.blackjack import acts as blackjack
from simulators.boxes import acts as common
from simulators.faults.menu import at
from simulators.faults.schedule import Schedule
from simulators.live.acts import CARD_LEAVES_SHOE, Act
from simulators.live.power import Power
from simulators.live.shoe_faults import another, as_read, failing, is_double
from simulators.live.station import Station
from simulators.stud import acts as stud
from simulators.tdl import codes
from simulators.tdl.shoe import TdlShoe, has_slot

_JAM: Final = 0x09
_MISSED: Final = frozenset({"cut-card-missed"})
_OF_CARDS: Final = at("shoe") - _MISSED


class ShoeHand:
    """`places`: the shoe senses where a card goes; `withhold`: it tells what lies face down as that is turned."""

    def __init__(self, station: Station[TdlShoe], schedule: Schedule, *, places: bool, withhold: bool) -> None:
        self._station = station
        self._schedule = schedule
        self._power = Power(station, schedule)
        self._places = places
        self._withhold = withhold
        self._down: dict[str, list[int]] = {}

    @property
    def next_event(self) -> int:
        """The number that the shoe's next event gets."""
        return self._station.device.last_event + 1

    async def greeted(self) -> None:
        """Wait for a host."""
        await self._station.until(lambda: self._station.device.in_session)

    async def stored(self) -> None:
        """Wait until the host has on disk what the shoe has told."""
        await self._station.until(lambda: self._station.is_stored)

    @property
    def is_stored(self) -> bool:
        """Whether the host has on disk what the shoe has told."""
        return self._station.is_stored

    def senses(self, place: str) -> bool:
        """Whether the shoe tells by itself that a card went there."""
        return self._places and has_slot(place)

    async def do(self, act: Act) -> None:
        """What the shoe senses of an act happens to it; a card comes out once it is not locked."""
        await self._power.fail()
        if isinstance(act, CARD_LEAVES_SHOE):
            await self._station.until(lambda: not self._station.device.is_shut)
        self._station.do(lambda now: self._do(act, now))

    async def turn(self, act: Act) -> None:
        """What the shoe withheld of a card is told before people speak of it."""
        match act:
            case common.RoundOpened():
                self._down.clear()
            case blackjack.HoleTurned():
                await self._tell("dealer")
            case stud.Turned():
                await self._tell(f"community:{act.street}")

    async def show(self, act: Act) -> None:
        """A hand that stayed lies open once it is settled; a folded one never does."""
        match act:
            case stud.Acted(box=box, action="fold"):
                self._down.pop(f"box:{box}", None)
            case common.Settled():
                await self._tell(f"box:{act.box}")

    async def _tell(self, place: str) -> None:
        for draw_no in self._down.pop(place, ()):
            self._station.do(partial(self._station.device.turn, draw_no))
        await self.stored()

    def _do(self, act: Act, now: float) -> None:
        shoe = self._station.device
        match act:
            case ShoeLoaded():
                shoe.load(act.decks, now)
            case CuttingCard():
                if not self._schedule.take(_MISSED):
                    shoe.show_cutting_card(now)
            case blackjack.ShoeEmptied() | stud.TakenToHand():
                shoe.end(now)
            case stud.ShoeFaulted():
                shoe.fail(_JAM, codes.FAULT, now)
            case stud.ShoeRestored():
                shoe.recover(_JAM, now)
            case common.Stray():
                shoe.draw(act.card, now, outside=True)
            case common.Burned():
                shoe.draw(act.card, now, place=self._sensed("burn"))
            case common.Drawn():
                self._draw(act, now)

    def _draw(self, act: common.Drawn, now: float) -> None:
        shoe, is_down = self._station.device, act.face == "down"
        fault = self._schedule.take(_OF_CARDS)
        with failing(shoe, fault, act.card, now):
            withhold = is_down and self._withhold
            card, doubled = as_read(act.card, fault), is_double(fault)
            shoe.draw(card, now, place=self._sensed(act.to), withhold=withhold, doubled=doubled)
            if withhold and fault and fault.name == "other-value":
                shoe.turn_as(shoe.draw_no, another(act.card))
            if is_down:
                self._down.setdefault(act.to, []).append(shoe.draw_no)

    def _sensed(self, place: str) -> str | None:
        return place if self.senses(place) else None
