"""The session with a shoe that greets nobody and acknowledges nothing, sans-I/O: its line is ready once it has stood.

A subclass may know orders; here every order is `unsupported`, and nothing is ever written to the line. Times are the
monotonic clock in ns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from protocols.device_session import NEVER, Answered, Heard, LinkIs, Output
from protocols.orders import Order

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_SETTLE: Final = 250_000_000


@dataclass(frozen=True, slots=True)
class Returned:
    """The line is ready again; it was away for `away` ns."""

    away: int


class Decoder(Protocol[R_co]):
    """Bytes of one open line in, whole reports out; what it could not use is counted, never raised."""

    @property
    def counters(self) -> Any:
        """A dataclass of whole numbers since the decoder was made, such as discarded bytes."""

    def feed(self, data: bytes) -> tuple[R_co, ...]: ...


class LineSession(Generic[R]):
    """A line that opens and falls at once was never ready: its first bytes or a short silence make it so."""

    greets: ClassVar[bool] = False

    def __init__(self, new_decoder: Callable[[], Decoder[R]]) -> None:
        self._new_decoder = new_decoder
        self._decoder = new_decoder()
        self._open = False
        self._ready = False
        self._settled_at = NEVER
        self._lost_at: int | None = None
        self._last_cid = 0
        self._unsupported: list[int] = []

    @property
    def is_ready(self) -> bool:
        return self._ready

    @property
    def counters(self) -> Any:
        """Since the line was opened."""
        return self._decoder.counters

    @property
    def deadline(self) -> int:
        """When to call `tick` next, at the latest."""
        if self._unsupported:
            return 0
        return NEVER if self._ready else self._settled_at

    def connect(self, fresh: bytes, now: int) -> tuple[Output[R | Returned], ...]:  # noqa: ARG002 (nothing to prove)
        """A line was opened."""
        self._decoder = self._new_decoder()
        self._open, self._settled_at = True, now + _SETTLE
        return ()

    def disconnect(self, now: int) -> tuple[Output[R | Returned], ...]:
        """The line is gone."""
        if self._ready:
            self._lost_at = now
        self._open = self._ready = False
        return tuple(self._refused())

    def feed(self, data: bytes, now: int) -> tuple[Output[R | Returned], ...]:
        """Bytes came in."""
        return (*self._settled(now), *self._fed(data))

    def tick(self, now: int) -> tuple[Output[R | Returned], ...]:
        """Time has passed: to be called at the deadline, and after `command`."""
        settled = self._settled(now) if self._open and now >= self._settled_at else ()
        return (*settled, *self._refused())

    def stored(self, number: int) -> None:
        """Nothing waits for it."""

    def command(self, order: Order) -> int:  # noqa: ARG002 (whatever it is)
        """Give an order: the number under which its answer will come. Only while `is_ready`."""
        cid = self._next_cid()
        self._unsupported.append(cid)
        return cid

    def _next_cid(self) -> int:
        self._last_cid += 1
        return self._last_cid

    def _fed(self, data: bytes) -> Iterator[Output[R | Returned]]:
        for report in self._decoder.feed(data):
            yield Heard(report)

    def _settled(self, now: int) -> Iterator[Output[R | Returned]]:
        if self._ready:
            return
        self._ready = True
        if self._lost_at is not None:
            yield Heard(Returned(now - self._lost_at))
            self._lost_at = None
        yield LinkIs("ready")

    def _refused(self) -> Iterator[Output[R | Returned]]:
        for cid in self._unsupported:
            yield Answered(cid, "unsupported")
        self._unsupported = []
