"""Our host and the simulated TDL/1 shoe at the two ends of a line that loses, doubles and changes what it likes.

Either end can start again at any time: the host from what its journal holds, the shoe from its lasting memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from random import Random
from struct import unpack_from

from protocols.cards import Card
from protocols.device_session import NEVER, Answered, Ended, Heard, Send
from protocols.events import CardDrawn, CardRevealed, TableEvent
from protocols.hidden import known_as
from protocols.intake.tdl import TdlIntake
from protocols.orders import SelfTest
from protocols.records import DeviceReported, Fact, SecurityNoted
from protocols.registry import Registry
from protocols.wire.tdl.handshake import Expected
from protocols.wire.tdl.session import HostSession, Outputs
from simulators.tdl import codes
from simulators.tdl.identity import FIRMWARE, simulated
from simulators.tdl.memory import Memory
from simulators.tdl.shoe import TdlShoe

MS = 1_000_000
MOMENT = 2 * MS
PAUSE = 500 * MS
"""Between two tries to open the line."""
SOON_S = 60
"""How long it may take on a sound line: three wrong proofs bar a device for half a minute."""

_SHOE = simulated("shoe", "SHOE-1", codes.CAP_LOCK)
EXPECTED = Expected(b"HOST", "shoe", Registry({_SHOE.serial: {FIRMWARE: _SHOE.key}}))
Spoiler = Callable[["Way", slice], None]

_OF_A_SPOILT_LINE = {"forged_frames"}


class Way:
    """One direction of a line: the bytes that are under way, in order."""

    def __init__(self) -> None:
        self.bytes = bytearray()

    def arrive(self, count: int) -> bytes:
        data = bytes(self.bytes[:count])
        del self.bytes[:count]
        return data

    def part(self, at: int, length: int, *, whole: bool) -> slice:
        """Bytes of it, or with `whole` the frame that this place falls into."""
        at %= max(len(self.bytes), 1)
        if not whole:
            return slice(at, at + length)
        return slice(self.bytes.rfind(b"\0\0", 0, at) + 1, self.bytes.find(b"\0\0", at) + 1 or len(self.bytes))


def _lose(way: Way, part: slice) -> None:
    del way.bytes[part]


def _double(way: Way, part: slice) -> None:
    way.bytes[part.start : part.start] = way.bytes[part]


def _flip(way: Way, part: slice) -> None:
    for at in range(len(way.bytes))[part][::50]:
        way.bytes[at] ^= 1 << at % 8


def _put_noise_in(way: Way, part: slice) -> None:
    way.bytes[part.start : part.start] = Random(part.start).randbytes(part.stop - part.start)


SPOILERS: tuple[Spoiler, ...] = (_lose, _double, _flip, _put_noise_in)


class BothEnds:
    """`journal` is on disk, `arrived` not yet: facts, and the number that is acknowledged once they are."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = Random(seed)
        self.now = 0
        self.memory = Memory()
        self.shoe = TdlShoe(_SHOE, self.memory, 0.0, random=self.rng.randbytes)
        self.to_host, self.to_shoe = Way(), Way()
        self.journal: list[Fact] = []
        self.arrived: list[tuple[tuple[Fact, ...], int | None]] = []
        self.alarms: list[str] = []
        self.orders = 0
        self.answered: list[int] = []
        self.not_before = 0
        self.is_open = False
        self.start_host()

    @property
    def seconds(self) -> float:
        return self.now / 1e9

    def start_host(self) -> None:
        """The daemon starts: it knows what its journal holds."""
        self.arrived.clear()
        self.intake = TdlIntake("shoe", "shoe")
        self.intake.resume(self.journal)
        self.host = self.new_host()
        self.cut()
        self.not_before = self.now

    def new_host(self) -> HostSession:
        return HostSession("shoe", EXPECTED, self.intake.position)

    def cut(self) -> None:
        """The line is closed; what was under way is lost, and the shoe notices nothing."""
        if self.is_open:
            self._carry_out(self.host.disconnect(self.now))
        self.is_open = False
        self.to_host.bytes.clear()
        self.to_shoe.bytes.clear()

    def connect(self) -> None:
        if not self.is_open and self.now >= self.not_before:
            self.is_open = True
            self._carry_out(self.host.connect(self.rng.randbytes(32), self.now))

    def power_cycle(self) -> None:
        """The shoe has only its memory left."""
        self.memory.restarted()
        self.shoe = TdlShoe(_SHOE, self.memory, self.seconds, random=self.rng.randbytes)
        self.hand_over()

    def hand_over(self) -> None:
        """What the shoe says goes onto the line, if there is one."""
        said = self.shoe.take()
        if self.is_open:
            self.to_host.bytes += said

    def arrive_at_host(self, count: int) -> None:
        if self.is_open:
            self._carry_out(self.host.feed(self.to_host.arrive(count), self.now))

    def arrive_at_shoe(self, count: int) -> None:
        self.shoe.hear(self.to_shoe.arrive(count), self.seconds)
        self.hand_over()

    def wait(self, until: int) -> None:
        """Time passes at both ends."""
        while self._next_deadline() <= until:
            self.now = max(self.now, self._next_deadline())
            self._tick()
        self.now = until
        self._tick()

    def store(self, count: int) -> None:
        """So many arrivals are on disk now."""
        for facts, number in self.arrived[:count]:
            self.journal += facts
            if number is not None:
                self.host.stored(number)
        del self.arrived[:count]
        self._tick()

    def took(self, number: int | None) -> None:
        """It is not on disk yet, so that nothing follows from it."""

    def order(self) -> None:
        """A self-test, which leaves a trace each time that it is carried out."""
        if self.is_open and self.host.is_ready:
            self.orders += 1
            self.host.command(SelfTest())
            self._tick()

    def flow(self, until: int) -> None:
        """Whatever is said arrives within a moment, until then; the host opens the line where it is closed."""
        while self.now < until:
            self.connect()
            self.arrive_at_shoe(len(self.to_shoe.bytes))
            self.arrive_at_host(len(self.to_host.bytes))
            quiet = not self.to_shoe.bytes and not self.to_host.bytes
            self.wait(max(self.now + MOMENT, min(self._next_deadline(), until) if quiet else 0))

    def settle(self) -> None:
        """The line is sound and the disk is quick from now on: everything arrives soon."""
        end = self.now + SOON_S * 1000 * MS
        while not self._is_settled():
            assert self.now < end, f"stuck: {self.numbers()[-3:]} of {self.memory.last}"
            self.flow(self.now + 20 * MS)
            self.store(len(self.arrived))

    def check(self) -> None:
        """No event is lost, doubled or out of order, each says what the shoe said, and none is acknowledged that is
        not on disk."""
        assert self.numbers() == list(range(1, len(self.numbers()) + 1))
        stored = max((number for fact in self.journal if (number := _number(fact)) is not None), default=0)
        assert self.shoe.last_event - self.shoe.unstored <= stored
        for fact in [*self.journal, *(fact for facts, _ in self.arrived for fact in facts)]:
            _check_content(fact, self.memory)
        assert set(self.alarms) <= _OF_A_SPOILT_LINE
        assert len(self.answered) == len(set(self.answered)) <= self.orders
        assert sum(self.memory.event(n)[12] == codes.SELFTEST for n in range(1, self.memory.last + 1)) <= self.orders

    def numbers(self) -> list[int]:
        """Of all events that the host has, in its order; what one event became stands together."""
        facts = [*self.journal, *(fact for facts, _ in self.arrived for fact in facts)]
        return [number for number, _ in groupby(filter(None, map(_number, facts)))]

    def _is_settled(self) -> bool:
        return self.host.is_ready and not self.arrived and self.shoe.unstored == 0 and not self.to_host.bytes

    def _next_deadline(self) -> int:
        return min(int(self.shoe.deadline * 1e9) + 1, self.host.deadline if self.is_open else NEVER)

    def _tick(self) -> None:
        self.shoe.tick(self.seconds)
        self.hand_over()
        if self.is_open:
            self._carry_out(self.host.tick(self.now))

    def _carry_out(self, outputs: Outputs) -> None:
        for output in outputs:
            match output:
                case Send(data):
                    self.to_shoe.bytes += data
                case Heard():
                    self.arrived.append((self.intake.take(output), output.number))
                    self.took(output.number)
                case SecurityNoted(code):
                    self.alarms.append(code)
                case Answered(cid):
                    self.answered.append(cid)
                case Ended():
                    self.not_before = max(output.again, self.now + PAUSE)
        if any(isinstance(output, Ended) for output in outputs):
            self.cut()


def _number(fact: Fact) -> int | None:
    match fact:
        case TableEvent(actor="shoe"):
            return fact.seq
        case DeviceReported() if fact.report not in ("paired", "events-lost"):
            return fact.data.get("eseq")
    return None


def _check_content(fact: Fact, memory: Memory) -> None:
    """What became of a card is what the shoe's memory holds under that number."""
    if isinstance(fact, CardDrawn | CardRevealed):
        assert fact.seq is not None
        body = memory.event(fact.seq)
        kind, ref, value = _said(body)
        assert (kind, ref) == (fact.type, fact.ref)
        told = known_as(fact.card)
        assert (str(told) if told else None) == value


def _said(body: bytes) -> tuple[str, str, str | None]:
    """Of an event that tells a card, read here."""
    kind, shoe_no, draw_no, first, second = unpack_from("<BIHBB", body, 12)
    value = second if kind == codes.CARD else first
    suit, rank = value >> 4, value & 15
    card = Card("A23456789TJQK"[rank - 1], " dcsh"[suit]) if 1 <= rank <= 13 and 1 <= suit <= 4 else None
    names = {codes.CARD: "card.drawn", codes.REVEAL: "card.revealed"}
    return names[kind], f"{shoe_no}/{draw_no}", str(card) if card else None


def every_card() -> Iterator[Card]:
    return (Card(rank, suit) for suit in "shdc" for rank in "A23456789TJQK")
