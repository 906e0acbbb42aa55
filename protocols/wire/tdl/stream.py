"""The numbered events of one device, taken in order, each once.

    waiting --STATUS--> [based --GET_INFO-->] catching up --last event of that STATUS--> online

Where the host does not know the chain of events up to where it stands, GET_INFO may tell the base of it, and where the
device has nothing left of what the host knows, it tells whether the two agree; no event is taken before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from protocols.device_session import Heard, LinkIs
from protocols.records import SecurityNoted
from protocols.wire.tdl.attestation import Attested
from protocols.wire.tdl.device_clock import DeviceClock
from protocols.wire.tdl.events import Event
from protocols.wire.tdl.handshake import Refused
from protocols.wire.tdl.messages import Ack, Info, Resend, Status
from protocols.wire.tdl.position import BEGINNING, Position, Rebased

TdlReport = Event | Status | Rebased | Attested

_ASK_AGAIN_NS: Final = 250_000_000
_LAST_NUMBER: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class AskInfo:
    """The base of the chain is wanted: `EventStream.based` is to be told."""


Step = Heard[TdlReport] | Resend | AskInfo | LinkIs | SecurityNoted | Refused


class EventStream:
    """Outlives the single line. `repeated`, `early` count events of this line that were taken already, and that came
    before their turn."""

    def __init__(self, device: str, position: Position | None) -> None:
        self._device = device
        self._position = position
        self._stored = position.eseq if position else 0
        self.begin()

    def begin(self) -> None:
        """A new line: nothing is taken until the device has told how it stands."""
        self._phase: Literal["waiting", "based", "catching_up", "online"] = "waiting"
        self._goal = 0
        self._oldest = 1
        self._clock = DeviceClock()
        self._asked: tuple[int, int] = (0, 0)
        self._behind_at = 0
        self._ack_due = False
        self.repeated = 0
        self.early = 0

    def greeted(self, boot_id: int) -> None:
        """Which of its starts the device is in."""
        self._clock = DeviceClock(boot_id)

    @property
    def online(self) -> bool:
        return self._phase == "online"

    @property
    def next(self) -> int:
        """The number of the event that is taken next."""
        return self._position.eseq + 1 if self._position else 1

    @property
    def resume(self) -> Resend:
        """From where on the device is to tell its events; there are none behind the last number."""
        return Resend(min(self.next, _LAST_NUMBER))

    @property
    def ack_due(self) -> bool:
        return self._ack_due and self._phase in ("catching_up", "online")

    def stored(self, number: int) -> None:
        """Everything up to this event is on disk."""
        self._stored = max(self._stored, number)
        self._ack_due = True

    def ack(self) -> Ack:
        """What is due where `ack_due`."""
        self._ack_due = False
        return Ack(self._stored)

    def status(self, status: Status, now: int) -> Iterator[Step]:
        """How the device stands; Refused where its numbers went back."""
        self._clock = self._clock.told(status.uptime_ms, now)
        position = self._position
        if position and status.last_eseq < position.eseq:
            yield Refused("rollback", f"its events went back from number {position.eseq} to {status.last_eseq}")
            return
        if position and not position.agrees(status.last_eseq, status.head):
            yield self._other_chain(position.eseq)
            self._position = Position(position.eseq)
        yield Heard(status)
        if self._phase == "waiting" or (self._phase != "based" and status.oldest_eseq > self.next):
            yield from self._begin_at(status)
        elif self._phase != "based" and status.last_eseq >= self.next:
            yield from self._standing_still(now)

    def based(self, info: Info | None) -> Iterator[Step]:
        """What GET_INFO answered; None where it did not."""
        yield from self._rebase(info or Info(self._oldest, b""))
        yield self.resume
        yield from self._catch_up()

    def event(self, event: Event, body: bytes, now: int) -> Iterator[Step]:
        """One event; `body` is all of it, as sent."""
        if self._position is None or self._phase in ("waiting", "based"):
            self.early += 1
        elif event.eseq > self.next:
            self.early += 1
            yield from self._ask_again(now)
        elif event.eseq < self.next:
            self.repeated += 1
            self._ack_due |= self._stored > 0
        else:
            self._position = self._position.after(body)
            age = self._clock.age_ns(event.boot_id, event.t_ms, now)
            yield Heard(event, event.eseq, replayed=not self.online, age_ns=age)
            yield from self._arrived()

    def _other_chain(self, eseq: int) -> SecurityNoted:
        return SecurityNoted("head_mismatch", self._device, f"its chain of events is another one at {eseq}")

    def _begin_at(self, status: Status) -> Iterator[Step]:
        self._goal, self._oldest = status.last_eseq, max(status.oldest_eseq, 1)
        self._ack_due |= self._stored > 0
        if self._position is None and self._oldest == 1:
            yield from self._rebase(Info(1, BEGINNING))
            yield from self._catch_up()
        elif self._position and self._position.head is not None and self._oldest <= max(self.next - 1, 1):
            yield from self._catch_up()
        else:
            self._phase = "based"
            yield AskInfo()

    def _rebase(self, info: Info) -> Iterator[Step]:
        """Go on behind what the device still has, if that is not behind us."""
        base = max(info.oldest_eseq, 1) - 1
        position = Position(base, BEGINNING if base == 0 else info.head_before_oldest or None)
        if self._position is None or base > self._position.eseq:
            lost = None if self._position is None else base - self._position.eseq
            self._position = position
            yield Heard(Rebased(base, lost, position.head))
        elif base == self._position.eseq:
            if position.head and not self._position.agrees(base, position.head[:8]):
                yield self._other_chain(base)
            self._position = position

    def _catch_up(self) -> Iterator[Step]:
        self._phase = "catching_up"
        yield from self._arrived()

    def _arrived(self) -> Iterator[Step]:
        if self._phase == "catching_up" and self.next > self._goal:
            self._phase = "online"
            yield LinkIs("ready")

    def _standing_still(self, now: int) -> Iterator[Step]:
        """Behind at the same event as a status before: the device may not know that it is waited for."""
        if self._behind_at == self.next:
            yield from self._ask_again(now)
        self._behind_at = self.next

    def _ask_again(self, now: int) -> Iterator[Step]:
        """One question for one gap: everything behind it comes early too."""
        number, at = self._asked
        if number != self.next or now - at >= _ASK_AGAIN_NS:
            self._asked = (self.next, now)
            yield self.resume
