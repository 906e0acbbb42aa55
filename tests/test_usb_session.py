"""A host's session and the simulated reader, joined by packets."""

from __future__ import annotations

from tdl_host import MS, Host, expecting

from protocols.device_session import Heard
from protocols.orders import PeekArm
from protocols.registry import Registry
from protocols.wire.tdl.events import Event
from protocols.wire.tdl.framing import IN_PACKETS
from protocols.wire.tdl.position import Position
from protocols.wire.tdl.reader_events import VerdictGiven
from protocols.wire.tdl.session import HostSession
from simulators.live.play import READER_SERIAL
from simulators.tdl.identity import simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader
from simulators.usb.packets import Assembler, to_packets

READER = simulated("reader", READER_SERIAL)
TRUSTED = Registry({READER_SERIAL: {READER.firmware: READER.key}})


class Joined:
    """Both ends of one USB line; every packet that crosses it is 64 bytes long."""

    def __init__(self) -> None:
        self.host = Host()
        expected = expecting(role="reader", registry=TRUSTED)
        self.host.session = HostSession("reader", expected, Position(0, bytes(32)), IN_PACKETS)
        self.reader = TdlReader(READER, Memory(), 0.0)
        self._assembler = Assembler()

    def talk(self, said: bytes) -> None:
        """Until nobody has anything more to say."""
        while True:
            assert len(said) % 64 == 0
            for at in range(0, len(said), 64):
                self.reader.hear(self._assembler.take(said[at : at + 64]), self.now)
            packets = to_packets(self.reader.take())
            if not packets:
                return
            said = b"".join(map(self.host.feed, packets))

    @property
    def now(self) -> float:
        return self.host.now / 1000 / MS

    def after(self, ms: int) -> None:
        said = self.host.after(ms)
        self.reader.tick(self.now)
        self.talk(said)


def test_both_trust_each_other_and_a_peek_is_told() -> None:
    line = Joined()
    line.reader.tick(0.0)
    line.talk(line.host.connect())
    assert line.host.states == ["handshake", "ready"]
    line.host.session.command(PeekArm(1, "ace"))
    line.after(10)
    assert line.host.answers[-1][1] == "ok"
    assert line.reader.seat(line.now, natural=True)
    line.after(500)
    told = [heard.report.told for heard in line.host.all(Heard) if isinstance(heard.report, Event)]
    verdict = told[-1]
    assert isinstance(verdict, VerdictGiven)
    assert (verdict.round, verdict.answer, verdict.tries) == (1, 1, 1)
    counters = line.host.session.counters
    assert (counters.discarded, counters.damaged, counters.oversize, counters.unauthenticated) == (0, 0, 0, 0)
