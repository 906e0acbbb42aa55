"""The dealer's hand at the reader: wait for the arm, seat the cards, go by the verdict; and what a fault leads to."""

from __future__ import annotations

import asyncio
from typing import Final

from protocols.events import ReaderFaulted, ReaderRestored
from simulators.blackjack.acts import Trouble
from simulators.boxes.acts import PeekResult
from simulators.live.people import People
from simulators.live.station import Station
from simulators.tdl.reader import Fault, TdlReader

_ARMED_S: Final = 15.0
_VERDICT_S: Final = 3.0
_NOTICED_S: Final = 8.0
_BACK_S: Final = 20.0
_AGAIN_S: Final = 0.25
_PATIENCE: Final = 4
_IN_USE: Final = "in use"
_ON_TRIAL: Final = "to be sound for a while"
_FAULTS: Final[dict[Trouble, Fault]] = {"unreadable": Fault.UNREADABLE, "not_seated": Fault.NOT_SEATED}


class ReaderHand:
    """Without `people` nobody tells whether the host trusts the reader."""

    def __init__(self, station: Station[TdlReader], people: People | None) -> None:
        self._station = station
        self._people = people
        if people:
            people.watcher.on_news = station.notify

    @property
    def is_known_to_be_out(self) -> bool:
        """Whether the host has said that it does not use the reader."""
        return self._people is not None and self._people.watcher.reader_out is True

    async def peek(self, result: PeekResult) -> bool:
        """Use the reader, which tells `result`; whether the host has heard it."""
        device = self._station.device
        device.fault = Fault.UNREADABLE if result == "error" else None
        armed = await self._station.until(lambda: device.armed_for is not None or self.is_known_to_be_out, _ARMED_S)
        if not armed or self.is_known_to_be_out:
            await self._put_out()
            return False
        await self._seat(natural=result == "natural")
        if self.is_known_to_be_out:
            return False
        device.fault = None
        return True

    async def fail(self, trouble: Trouble) -> None:
        """The reader fails; the host knows it when this returns."""
        match trouble:
            case "dead":
                self._station.line.unplug()
            case "stalled":
                self._station.is_mute = True
            case "light":
                self._station.do(self._station.device.dazzle)
            case "unreadable" | "not_seated":
                await self._try_in_vain(_FAULTS[trouble])
        if self._people is None:
            await asyncio.sleep(_NOTICED_S / 2)
        elif trouble == "light" or not await self._station.until(lambda: self.is_known_to_be_out, _NOTICED_S):
            await self._put_out()

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

    async def _seat(self, *, natural: bool) -> None:
        station, device = self._station, self._station.device
        if station.do(lambda now: device.seat(now, natural=natural)):
            await station.until(lambda: not device.timers(), _VERDICT_S)
            station.do(device.remove)
        await station.until(lambda: station.is_stored or self.is_known_to_be_out)

    async def _try_in_vain(self, fault: Fault) -> None:
        self._station.device.fault = fault
        while self._station.device.armed_for is not None and not self.is_known_to_be_out:
            await self._seat(natural=False)

    async def _put_out(self) -> None:
        """A supervisor does not trust the reader, where the host does not know it by itself; it is out with either
        answer, for a host refuses only what it knows already."""
        if self._people and not self.is_known_to_be_out:
            await self._people.supervisor.say(ReaderFaulted())
            self._people.watcher.reader_out = True
