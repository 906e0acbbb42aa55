"""The dealer's hand at the reader: wait for the arm, seat the cards, go by the verdict; and what a fault leads to."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from protocols.events import ReaderFaulted, ReaderRestored
from simulators.blackjack.acts import Trouble as Failure
from simulators.boxes.acts import PeekResult
from simulators.faults.menu import Fault, at
from simulators.faults.schedule import Schedule
from simulators.live.people import People
from simulators.live.power import Power
from simulators.live.station import Station
from simulators.tdl.reader import Fault as Trouble
from simulators.tdl.reader import TdlReader

_ARMED_S: Final = 15.0
_VERDICT_S: Final = 3.0
_NOTICED_S: Final = 8.0
_TORN_S: Final = 0.3
_NOT_YET_S: Final = 1.5
_BACK_S: Final = 20.0
_AGAIN_S: Final = 0.25
_PATIENCE: Final = 4
_INSPECTED: Final = {"by": "F. Person"}
_IN_USE: Final = "in use"
_ON_TRIAL: Final = "to be sound for a while"
_UNASKED: Final = frozenset({"unarmed-peek"})
_FAULTS: Final = at("reader") - _UNASKED
_TROUBLES: Final[dict[Failure, Trouble]] = {"unreadable": Trouble.UNREADABLE, "not_seated": Trouble.NOT_SEATED}


class ReaderHand:
    """Without `people` nobody tells whether the host trusts the reader. `has_lied`: its last answer was wrong."""

    def __init__(self, station: Station[TdlReader], people: People | None, schedule: Schedule) -> None:
        self._station = station
        self._schedule = schedule
        self._power = Power(station, schedule)
        self.has_lied = False
        self._has_told = False
        self._people = people
        if people:
            people.watcher.on_news = station.notify

    @property
    def is_known_to_be_out(self) -> bool:
        """Whether the host has said that it does not use the reader."""
        return self._people is not None and self._people.watcher.reader_out is True

    async def peek(self, result: PeekResult) -> bool:
        """Use the reader, which tells `result`; whether the host has heard it."""
        self.has_lied = self._has_told = False
        if not await self._is_armed() or (await self._power.fail() and not await self._is_armed()):
            await self._put_out()
            return False
        self._station.device.fault = Trouble.UNREADABLE if result == "error" else None
        await self._show(self._schedule.take(_FAULTS), natural=result == "natural")
        if self.is_known_to_be_out and not self._has_told:
            return False
        self._station.device.fault = None
        return True

    async def be_inspected(self) -> None:
        """Where the house does not use the reader because nobody has inspected it, a floorperson does, and it comes
        back once it was sound for a while."""
        people = self._people
        if people is None or not people.watcher.inspection_missing:
            return
        people.watcher.inspection_missing = False
        with suppress(TimeoutError):
            async with asyncio.timeout(_BACK_S):
                while not (await people.supervisor.inspect(_INSPECTED))["ok"]:
                    await self._station.until(lambda: not self.is_known_to_be_out, _AGAIN_S)
                await self._station.until(lambda: not self.is_known_to_be_out)

    async def disturb(self) -> None:
        """What goes wrong at the reader before anybody needs it."""
        if self._schedule.take(_UNASKED):
            self._station.do(lambda now: self._station.device.seat(now, natural=False))
            await self._station.until(lambda: self._station.is_stored)

    async def _is_armed(self) -> bool:
        """Whether the reader shows that it is: armed by a host that has heard so, and that trusts it."""
        station = self._station

        def is_armed() -> bool:
            return station.device.armed_for is not None and station.is_stored

        armed = await station.until(lambda: is_armed() or self.is_known_to_be_out, _ARMED_S)
        return armed and not self.is_known_to_be_out

    async def _show(self, fault: Fault | None, *, natural: bool) -> None:
        """The cards go into the reader, where this may fail."""
        device = self._station.device
        match fault:
            case None:
                await self._seat(natural=natural)
            case Fault(name="left-in-slot"):
                await self._seat(natural=natural, leave=True)
            case Fault(name="wrong-result"):
                self.has_lied = True
                await self._seat(natural=not natural)
            case Fault(name="late-verdict"):
                device.lag = fault.amount
                await self._seat(natural=natural)
                device.lag = 0.0
            case Fault(name="torn"):
                await self._be_torn(str(fault.value), natural=natural)
            case Fault(name="removed-early" | "skewed" | "second-peek"):
                await self._seat_first(fault.name, natural=natural)
                await self._seat(natural=natural)
            case _:
                await self._break_down(fault.name, natural=natural)
                await self._noticed()

    async def _seat_first(self, fault: str, *, natural: bool) -> None:
        """What the dealer does with the cards before he puts them in as he should."""
        station, device = self._station, self._station.device
        if fault == "removed-early":
            station.do(lambda now: device.seat(now, natural=natural))
            station.do(device.remove)
            return
        device.fault = Trouble.NOT_SEATED if fault == "skewed" else None
        await self._seat(natural=natural)
        device.fault = None

    async def _break_down(self, fault: str, *, natural: bool) -> None:
        """From now on nothing is to be had from the reader."""
        station, device = self._station, self._station.device
        match fault:
            case "never-seated":
                await self._try_in_vain(Trouble.NOT_SEATED)
            case "hang-after-seated":
                device.fault = Trouble.HANGS
                station.do(lambda now: device.seat(now, natural=natural))
            case "light":
                station.do(device.dazzle)
            case "lamp":
                station.do(device.lose_lamp)

    async def _be_torn(self, step: str, *, natural: bool) -> None:
        """The line is torn at this step, and there again after a while, with the cards still in the reader."""
        station, device = self._station, self._station.device
        device.lag = _NOT_YET_S if step == "seated" else 0.0
        if step != "armed":
            station.do(lambda now: device.seat(now, natural=natural))
        if step == "verdict":
            await station.until(lambda: not device.timers(), _VERDICT_S)
            self._has_told = True
        await station.until(lambda: station.is_stored)
        station.line.unplug()
        await asyncio.sleep(_TORN_S)
        station.line.plug_in()
        await self._noticed()
        station.do(device.remove)
        device.lag = 0.0

    async def fail(self, trouble: Failure) -> None:
        """The reader fails; the host knows it when this returns."""
        match trouble:
            case "dead":
                self._station.line.unplug()
            case "stalled":
                self._station.is_mute = True
            case "light":
                self._station.do(self._station.device.dazzle)
            case "unreadable" | "not_seated":
                await self._try_in_vain(_TROUBLES[trouble])
        await self._noticed(0.0 if trouble == "light" else _NOTICED_S)

    async def restore(self) -> bool:
        """The reader is repaired and a supervisor trusts it again; whether the host does, which may want to see it
        sound for longer than a table waits."""
        self._station.line.plug_in()
        self._station.is_mute = False
        self._station.do(self._station.device.mend)
        if self._people is None:
            return await self._station.until(lambda: self._station.device.in_session, _BACK_S)
        try:
            async with asyncio.timeout(_BACK_S):
                return await self._trust_again(self._people)
        except TimeoutError:
            return False

    async def _trust_again(self, people: People) -> bool:
        """What the watcher missed while the host was away, the answer tells."""
        patience = _PATIENCE
        while self.is_known_to_be_out:
            answer = await people.supervisor.say(ReaderRestored())
            if answer["ok"] or _IN_USE in answer["why"]:
                people.watcher.reader_out = False
                break
            patience -= _ON_TRIAL in answer["why"]
            if not patience:
                return False
            await self._station.until(lambda: not self.is_known_to_be_out, _AGAIN_S)
        return True

    async def _noticed(self, within: float = _NOTICED_S) -> None:
        """The host knows that the reader is out, by itself within so many seconds or because it is told."""
        if self._people is None:
            await asyncio.sleep(_NOTICED_S / 2)
        elif not await self._station.until(lambda: self.is_known_to_be_out, within):
            await self._put_out()

    async def _seat(self, *, natural: bool, leave: bool = False) -> None:
        station, device = self._station, self._station.device
        if station.do(lambda now: device.seat(now, natural=natural)):
            await station.until(lambda: not device.timers(), _VERDICT_S)
            station.do(device.block if leave else device.remove)
        await station.until(lambda: station.is_stored or self.is_known_to_be_out)

    async def _try_in_vain(self, trouble: Trouble) -> None:
        self._station.device.fault = trouble
        while self._station.device.armed_for is not None and not self.is_known_to_be_out:
            await self._seat(natural=False)

    async def _put_out(self) -> None:
        """A supervisor does not trust the reader, where the host does not know it by itself; it is out with either
        answer, for a host refuses only what it knows already."""
        if self._people and not self.is_known_to_be_out:
            await self._people.supervisor.say(ReaderFaulted())
            self._people.watcher.reader_out = True
