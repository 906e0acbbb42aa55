"""The driver of a shoe that only talks: transport, wire protocol and intake, joined into arrivals for the table."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, NoReturn, Protocol, TypeVar

from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.link import Backoff, LinkSupervisor, Opener
from firmware_bridge.tally import Tally
from firmware_bridge.transport import Chunk, Transport
from protocols.records import Fact, LinkChanged, LinkState

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R")
R_out = TypeVar("R_out", covariant=True)
R_in = TypeVar("R_in", contravariant=True)

_SETTLE_S: Final = 0.25
_COUNTERS_NS: Final = 60_000_000_000


class WireDecoder(Protocol[R_out]):
    """Bytes of one open line in, whole reports out; what it could not use is counted, never raised."""

    @property
    def counters(self) -> DataclassInstance:
        """Whole numbers since the decoder was made, such as discarded bytes."""

    def feed(self, data: bytes) -> tuple[R_out, ...]: ...


class ReportIntake(Protocol[R_in]):
    """Reports in, facts out; it outlives the single line. Times are the monotonic clock in ns."""

    def take(self, report: R_in, mono_ns: int, /) -> tuple[Fact, ...]: ...

    def link_lost(self, mono_ns: int, /) -> None: ...

    def link_ready(self, mono_ns: int, /) -> None: ...


class ShoeDriver(Generic[R]):
    """Feeds the queue from one shoe. Counters go out when a line is lost, and at most once a minute before."""

    def __init__(
        self,
        device: str,
        opener: Opener,
        new_decoder: Callable[[], WireDecoder[R]],
        intake: ReportIntake[R],
        queue: Intake,
        backoff: Backoff | None = None,
    ) -> None:
        self._new_decoder = new_decoder
        self._decoder = new_decoder()
        self._tally = Tally(device)
        self._intake = intake
        self._queue = queue
        self._link = LinkSupervisor(device, opener, self._link_changed, backoff)

    @property
    def state(self) -> LinkState:
        return self._link.state

    async def answer(self) -> None:
        """Once the link has come round."""
        await self._link.answer()

    async def run(self) -> None:
        """Until cancelled, or until the transport `ended`; ShoewatchError where only a person can help."""
        await self._link.run(self._session)

    def hurry(self) -> None:
        """Something was plugged in: do not wait for the next try."""
        self._link.hurry()

    async def _session(self, transport: Transport) -> NoReturn:
        self._decoder = self._new_decoder()
        self._tally.begin(time.monotonic_ns())
        first = await _first_chunk(transport)
        await self._link.enter("ready")
        if first:
            await self._take(first)
        while True:
            await self._take(await transport.read())

    async def _take(self, chunk: Chunk) -> None:
        for report in self._decoder.feed(chunk.data):
            await self._put(self._intake.take(report, chunk.mono_ns), chunk.mono_ns)
        if self._tally.is_due(chunk.mono_ns, _COUNTERS_NS):
            await self._put(self._counters(chunk.mono_ns), chunk.mono_ns)

    async def _link_changed(self, change: LinkChanged) -> None:
        now = time.monotonic_ns()
        counters: tuple[Fact, ...] = ()
        if change.now == "ready":
            self._intake.link_ready(now)
        elif change.was == "ready":
            self._intake.link_lost(now)
            counters = self._counters(now)
        await self._put((*counters, change), now)

    def _counters(self, now: int) -> tuple[Fact, ...]:
        return self._tally.told(self._decoder.counters, now)

    async def _put(self, facts: tuple[Fact, ...], mono_ns: int) -> None:
        if facts:
            await self._queue.put(Arrival(facts, mono_ns))


async def _first_chunk(transport: Transport) -> Chunk | None:
    """A line that opens and falls at once was never ready: wait for its first bytes or a short silence."""
    try:
        async with asyncio.timeout(_SETTLE_S):
            return await transport.read()
    except TimeoutError:
        return None
