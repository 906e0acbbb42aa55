"""Somebody between a TDL/1 device and its host: he hears everything, changes and adds what he can, and has no key."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from struct import pack, pack_into
from typing import Final

from simulators.faults.line import FaultyLine, Hear
from simulators.faults.menu import Fault, at
from simulators.faults.noise import Unplugged
from simulators.faults.schedule import Schedule
from simulators.tdl import codes
from simulators.tdl.frames import Deframer, frame, opened, uncobs

_BETWEEN: Final = at("between")
_RECORDED_MAX: Final = 65536
_TAKEN_OVER_S: Final = 0.3
_VERSION_AT, _CAPS_AT = 1, 6
_GREETING: Final = bytes([1, 1]) + bytes(16) + b"STRANGER"


class Between:
    """Stands before a device's line; without faults of his he passes everything on."""

    def __init__(self, line: FaultyLine, schedule: Schedule) -> None:
        self._line = line
        self._schedule = schedule
        self._recorded = bytearray()
        self._records = "replayed-session" in schedule.names()
        self._plays_back = False
        self._lie: Fault | None = None
        self._playing: asyncio.Task[bool] | None = None
        self._hear: Hear = lambda _: None

    def plug_in(self) -> None:
        self._line.plug_in()

    def unplug(self) -> None:
        self._line.unplug()

    def gated(self, hear: Hear) -> Hear:
        """What passes on to the device."""
        found = Deframer()
        self._hear = hear

        def passed(data: bytes) -> None:
            if not self._plays_back:
                hear(data)
            elif any(each.type == codes.HELLO for each in found.feed(data)):
                self._playing = asyncio.create_task(self._line.send(bytes(self._recorded)))

        return self._line.gated(passed)

    async def send(self, data: bytes) -> bool:
        """Whether what came of it went out."""
        if self._records and len(self._recorded) < _RECORDED_MAX:
            self._recorded += data
        match self._schedule.take(_BETWEEN):
            case Fault(name="replayed-session"):
                self._records, self._plays_back = False, True
                await self._line.pass_on([Unplugged(_TAKEN_OVER_S)])
            case Fault(name="downgrade") as lie:
                self._lie = lie
            case Fault(name="inject") as fault:
                data += b"".join(_forged(int(fault.amount)))
            case Fault(name="second-host"):
                self._hear(frame(codes.HELLO, 0, _GREETING))
        if self._plays_back:
            return True
        return await self._line.send(_changed(data, self._lie) if self._lie else data)


def _forged(count: int) -> Iterator[bytes]:
    """Cards that never left the shoe, under the next numbers and with a key that is not the session's."""
    for number in range(count):
        card = pack("<IIIBIHBBBB16s", 1 << 16 | number, 1, 0, codes.CARD, 1, number + 1, 1, 0x31, 0, 100, bytes(16))
        yield frame(codes.EVENT, 1 << 20 | number, card, secrets.token_bytes(32))


def _changed(data: bytes, lie: Fault) -> bytes:
    """Each IDENT says something else of the device."""
    return b"".join(_changed_frame(part, lie) for part in data.split(b"\0") if part)


def _changed_frame(coded: bytes, lie: Fault) -> bytes:
    raw = uncobs(coded)
    found = opened(raw) if raw else None
    if found is None or found.type != codes.IDENT:
        return b"\0" + coded + b"\0"
    body = bytearray(found.body)
    if lie.value == "caps":
        pack_into("<I", body, _CAPS_AT, 0)
    else:
        body[_VERSION_AT] = 0
    return frame(codes.IDENT, 0, bytes(body))
