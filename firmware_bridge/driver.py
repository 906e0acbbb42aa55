"""The driver of a device, whatever it speaks: line, session and intake, joined into arrivals for the table.

Everything that the session wants done is done by one task, in order. Acknowledgements and orders come from elsewhere:
they are noted in the session and wake that task."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, NoReturn, Protocol, TypeVar

from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.held_up import CATCH_UP_S, held_up
from firmware_bridge.link import Backoff, LinkSupervisor, Opener
from firmware_bridge.tally import Tally
from firmware_bridge.threads import settle
from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.device_session import Answered, Ended, Heard, LinkIs, Output, Send
from protocols.orders import Answer, Order
from protocols.records import Fact, LinkChanged, LinkState, SecurityNoted

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
R_contra = TypeVar("R_contra", contravariant=True)

PATIENT: Final = Backoff(first_s=0.5, cap_s=10.0)
"""For a device that takes a handshake to be asked again."""

_FRESH_BYTES: Final = 32
_NS: Final = 1e-9
_COUNTERS_NS: Final = 60_000_000_000


class HostSession(Protocol[R_co]):
    """A session, sans-I/O; it outlives the single line. Times are the monotonic clock in ns."""

    @property
    def greets(self) -> bool:
        """Whether a handshake comes before it is ready."""

    @property
    def is_ready(self) -> bool:
        """Whether the device takes orders."""

    @property
    def counters(self) -> DataclassInstance:
        """Whole numbers since the line was opened."""

    @property
    def deadline(self) -> int:
        """When to call `tick` next, at the latest."""

    def connect(self, fresh: bytes, now: int, /) -> tuple[Output[R_co], ...]: ...

    def disconnect(self, now: int, /) -> tuple[Output[R_co], ...]: ...

    def feed(self, data: bytes, now: int, /) -> tuple[Output[R_co], ...]: ...

    def tick(self, now: int, /) -> tuple[Output[R_co], ...]: ...

    def stored(self, number: int, /) -> None: ...

    def command(self, order: Order, /) -> int: ...


class SessionIntake(Protocol[R_contra]):
    """What a session hears in, facts out."""

    def take(self, heard: Heard[R_contra], /) -> tuple[Fact, ...]: ...

    def has_done(self, order: Order, /) -> bool: ...


class SessionDriver(Generic[R]):
    """Feeds the queue from one device and gives it orders; `on_report` gets the monotonic time of each report. Counters
    go out when a line is lost, and at most once a minute before."""

    def __init__(
        self,
        device: str,
        opener: Opener,
        session: HostSession[R],
        intake: SessionIntake[R],
        queue: Intake,
        backoff: Backoff | None = None,
        on_report: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._opener = opener
        self._session = session
        self._intake = intake
        self._queue = queue
        self._on_report = on_report
        self._link = LinkSupervisor(device, self._opened, self._link_changed, backoff)
        self._tally = Tally(device)
        self._answers: dict[int, asyncio.Future[Answer]] = {}
        self._waiting: asyncio.Timeout | None = None
        self._not_before = 0
        self._serving = False
        self._turned = asyncio.Event()

    @property
    def state(self) -> LinkState:
        return self._link.state

    async def answer(self) -> None:
        """Once the link has come round and, where the line is open, the session on it."""
        await self._link.answer()
        if self._serving:
            self._turned.clear()
            self._wake()
            await self._turned.wait()

    async def run(self) -> None:
        """Until cancelled, or until the transport `ended`; ShoewatchError where only a person can help."""
        await self._link.run(self._serve)

    def hurry(self) -> None:
        """Something was plugged in: do not wait for the next try."""
        self._link.hurry()

    async def command(self, order: Order) -> Answer:
        """Give an order and wait for the answer, about a second at most. An order that the device refuses because it
        has carried it out already, before a restart of ours, is `ok`."""
        if not self._session.is_ready:
            return "no_link"
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        cid = self._session.command(order)
        self._answers[cid] = answered
        self._wake()
        try:
            answer = await answered
        finally:
            self._answers.pop(cid, None)
        return "ok" if answer in ("busy", "wrong_state") and self._intake.has_done(order) else answer

    async def _opened(self) -> Transport:
        """A device that was refused is left alone for a while."""
        await asyncio.sleep(max(0, self._not_before - time.monotonic_ns()) * _NS)
        return await self._opener()

    async def _serve(self, transport: Transport) -> NoReturn:
        now = time.monotonic_ns()
        self._tally.begin(now)
        self._serving = True
        try:
            if self._session.greets and self._link.state == "opening":
                await self._link.enter("handshake")
            await self._carry_out(self._session.connect(secrets.token_bytes(_FRESH_BYTES), now), transport, now)
            while True:
                await self._turn(transport)
        finally:
            self._serving = False
            self._turned.set()
            for output in self._session.disconnect(time.monotonic_ns()):
                self._answer(output)

    async def _turn(self, transport: Transport) -> None:
        """What came in, or, where nothing did in time, what time brings."""
        self._turned.set()
        chunk = await self._heard(transport)
        now = chunk.mono_ns if chunk else time.monotonic_ns()
        fed = self._session.feed(chunk.data, now) if chunk else ()
        await self._carry_out((*fed, *self._session.tick(now)), transport, now)
        if self._tally.is_due(time.monotonic_ns(), _COUNTERS_NS):
            await self._put(self._counters())

    async def _heard(self, transport: Transport) -> Chunk | None:
        """What came in, None where nothing did in time. Where this program was itself held up over that time, what
        came meanwhile is read before anybody is judged by it."""
        clock = asyncio.get_running_loop().time
        due = max(clock(), self._due())
        try:
            async with asyncio.timeout_at(due) as self._waiting:
                return await transport.read()
        except TimeoutError:
            if not held_up(clock() - due):
                return None
        finally:
            self._waiting = None
        with suppress(TimeoutError):
            async with asyncio.timeout(CATCH_UP_S):
                return await transport.read()
        return None

    def _due(self) -> float:
        """The session's deadline on the loop's clock."""
        return asyncio.get_running_loop().time() + (self._session.deadline - time.monotonic_ns()) * _NS

    def _wake(self) -> None:
        """Have the session's task look at the time now."""
        if self._waiting is not None and not self._waiting.expired():
            self._waiting.reschedule(asyncio.get_running_loop().time())

    async def _carry_out(self, outputs: tuple[Output[R], ...], transport: Transport, now: int) -> None:
        """Take in first, then send: a line that fails at the sending takes nothing away that was heard."""
        for output in outputs:
            match output:
                case Heard():
                    await self._take(output, now)
                case SecurityNoted():
                    await self._put((output,))
                case LinkIs():
                    await self._link.enter(output.state)
                case Answered():
                    self._answer(output)
                case Ended():
                    self._not_before = output.again
                    raise LinkLost(output.kind, output.detail)
        if data := b"".join(output.data for output in outputs if isinstance(output, Send)):
            await transport.write(data)

    async def _take(self, heard: Heard[R], now: int) -> None:
        self._on_report(now)
        facts = self._intake.take(heard)
        stored = None if heard.number is None else partial(self._stored, heard.number)
        if facts:
            await self._queue.put(Arrival(facts, now, stored, heard.replayed, heard.age_s))

    def _stored(self, number: int) -> None:
        self._session.stored(number)
        self._wake()

    def _answer(self, output: Output[R]) -> None:
        if isinstance(output, Answered) and output.cid in self._answers:
            settle(self._answers[output.cid], output.answer)

    async def _link_changed(self, change: LinkChanged) -> None:
        await self._put((*(self._counters() if change.is_loss else ()), change))

    def _counters(self) -> tuple[Fact, ...]:
        return self._tally.told(self._session.counters, time.monotonic_ns())

    async def _put(self, facts: tuple[Fact, ...]) -> None:
        if facts:
            await self._queue.put(Arrival(facts, time.monotonic_ns()))
