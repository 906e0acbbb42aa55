"""A host's session and a device of the tests, joined by a line that a test can cut, keep back and spoil."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import tdl_device as device
from tdl_device import Device

from protocols.device_session import Answered, Ended, Heard, LinkIs, Send
from protocols.records import SecurityNoted
from protocols.registry import Registry
from protocols.wire.tdl.events import Event
from protocols.wire.tdl.handshake import Expected
from protocols.wire.tdl.position import Position, Rebased
from protocols.wire.tdl.session import HostSession, Outputs

MS = 1_000_000
EXPECTED = Expected(device.HOST, "shoe", Registry({device.SERIAL: {device.FIRMWARE: device.KEY}}))
START = Position(0, bytes(32))

T = TypeVar("T")


def expecting(**changes: object) -> Expected:
    return replace(EXPECTED, **changes)  # type: ignore[arg-type]


def sent(outputs: Outputs) -> bytes:
    return b"".join(output.data for output in outputs if isinstance(output, Send))


class Host:
    """A session with a clock that a test turns; `outputs` is all that it gave but bytes, which are in `said`."""

    def __init__(self, position: Position | None = START, expected: Expected = EXPECTED) -> None:
        self.session = HostSession("shoe", expected, position)
        self.now = 0
        self.lines = 0
        self.outputs: list[object] = []
        self.said = b""
        self._begun = 0

    def connect(self, fresh: bytes | None = None) -> bytes:
        """A new line: what the host says first."""
        self.lines += 1
        self._begun = len(self.outputs)
        return self._note(self.session.connect(fresh or bytes([0x10 + self.lines]) * 16, self.now))

    def feed(self, data: bytes) -> bytes:
        return self._note(self.session.feed(data, self.now))

    def after(self, ms: int) -> bytes:
        """Time passes, in steps as the session wants them."""
        until, line = self.now + ms * MS, b""
        while self.session.deadline <= until and not self.ended:
            self.now = max(self.now, self.session.deadline)
            line += self._note(self.session.tick(self.now))
        self.now = until
        return line + self._note(self.session.tick(self.now))

    def store(self, number: int) -> bytes:
        self.session.stored(number)
        return self._note(self.session.tick(self.now))

    def talk(self, shoe: Device, line: bytes | None = None) -> None:
        """Begin, or go on with what the host said, until both have nothing more to say."""
        line = self.connect() if line is None else line
        while line and not self.ended:
            line = self.feed(shoe.hear(line))

    def all(self, kind: type[T]) -> list[T]:
        return [output for output in self.outputs if isinstance(output, kind)]

    @property
    def ended(self) -> bool:
        """Whether this line is given up."""
        return any(isinstance(output, Ended) for output in self.outputs[self._begun :])

    @property
    def numbers(self) -> list[int | None]:
        return [heard.number for heard in self.all(Heard) if isinstance(heard.report, Event)]

    @property
    def late(self) -> list[bool]:
        return [heard.replayed for heard in self.all(Heard) if isinstance(heard.report, Event)]

    @property
    def states(self) -> list[str]:
        return [link.state for link in self.all(LinkIs)]

    @property
    def alarms(self) -> list[str]:
        return [alarm.code for alarm in self.all(SecurityNoted)]

    @property
    def answers(self) -> list[tuple[int, str]]:
        return [(answered.cid, answered.answer) for answered in self.all(Answered)]

    @property
    def rebased(self) -> list[Rebased]:
        return [heard.report for heard in self.all(Heard) if isinstance(heard.report, Rebased)]

    def _note(self, outputs: Outputs) -> bytes:
        self.outputs += [output for output in outputs if not isinstance(output, Send)]
        self.said += sent(outputs)
        return sent(outputs)


def joined(shoe: Device, position: Position | None = START) -> Host:
    """Both, in session."""
    host = Host(position)
    host.talk(shoe)
    return host


def draws(shoe: Device, numbers: Iterable[int]) -> list[bytes]:
    return [shoe.note(device.CARD, device.card(number, device.WITHHELD)) for number in numbers]
