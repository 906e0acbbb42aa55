"""One supervisor for every device's link: open, serve, and after each loss open again.

Its state is the one last reported, and only what a person would want to read in the journal is reported: `opening`
at the start, `ready`, the loss of a link that was up, and the reason why it cannot be opened, each time that reason
changes. Retries that fail for the same reason are no news, so a device that is away for a week writes one record.

    absent --> opening --> [handshake -->] ready <--> stalled
       ^          |                          |
       |          v                          v
       +--- absent, refused or lost <--------+      retried with back-off, which `hurry` cuts; `ended` is not

`absent`: the line is not there. `refused`: it is there, but another program or a permission keeps us out, which a
person has to mend. `lost`: everything else."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final, NoReturn

from firmware_bridge.transport import LinkLost, Transport
from protocols.errors import ShoewatchError
from protocols.records import LinkChanged, LinkState, LossKind

Opener = Callable[[], Awaitable[Transport]]
Session = Callable[[Transport], Awaitable[NoReturn]]
Report = Callable[[LinkChanged], Awaitable[None]]

_STATES: Final[Mapping[LossKind, LinkState]] = {"absent": "absent", "busy": "refused", "denied": "refused"}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses between attempts: doubling from `first_s` to `cap_s`, and short again after `steady_s` of ready."""

    first_s: float = 0.1
    cap_s: float = 2.0
    steady_s: float = 5.0

    def pause_s(self, attempt: int) -> float:
        """The pause after `attempt` (from 0), jittered so that the devices of a floor do not come in step."""
        whole = min(self.cap_s, self.first_s * 2.0 ** min(attempt, 32))
        return whole * random.uniform(0.5, 1.0)  # noqa: S311


class LinkSupervisor:
    """Keeps one device's link up. A session serves one open transport until LinkLost, and says `enter("ready")`
    (before it `handshake`, later `stalled`) as it learns."""

    def __init__(self, device: str, opener: Opener, report: Report, backoff: Backoff | None = None) -> None:
        self._device = device
        self._opener = opener
        self._report = report
        self._backoff = backoff or Backoff()
        self._state: LinkState = "absent"
        self._loss: LossKind | None = None
        self._failures = 0
        self._away_since: float | None = None
        self._attempt = 0
        self._ready_since: float | None = None
        self._at_rest = asyncio.Event()
        self._hurried = asyncio.Event()

    @property
    def state(self) -> LinkState:
        return self._state

    async def answer(self) -> None:
        """Once the line is being served, or the next attempt waited for: whatever else is done takes a short time."""
        await self._at_rest.wait()

    async def run(self, session: Session) -> None:
        """Until cancelled; returns where the stream `ended`, raises ShoewatchError where only a person can help."""
        await self.enter("opening")
        while True:
            self._hurried.clear()
            lost = await self._live(session)
            await self._note(lost)
            if lost.kind == "ended":
                self._at_rest.set()
                return
            with self._resting():
                await self._pause()

    def hurry(self) -> None:
        """Something was plugged in: try again now, if this waits for another try, or after the one under way."""
        self._attempt = 0
        self._hurried.set()

    async def enter(self, now: LinkState, loss: LossKind | None = None, detail: str | None = None) -> None:
        """Report a state, unless it is the one reported last for the same reason."""
        if (now, loss) == (self._state, self._loss):
            return
        if now == "ready":
            detail = self._note_ready() or detail
        change = LinkChanged(self._device, self._state, now, loss, detail)
        self._state, self._loss = now, loss
        await self._report(change)

    @contextmanager
    def _resting(self) -> Iterator[None]:
        self._at_rest.set()
        try:
            yield
        finally:
            self._at_rest.clear()

    async def _live(self, session: Session) -> LinkLost:
        """One life of the line: how it was lost, once its descriptor is free."""
        try:
            transport = await self._opener()
            try:
                with self._resting():
                    await session(transport)
            finally:
                await transport.close()
        except LinkLost as lost:
            return lost
        except OSError as fault:
            return LinkLost("gone", str(fault))
        except ShoewatchError as wrong:
            await self.enter("refused", detail=str(wrong))
            raise

    async def _note(self, lost: LinkLost) -> None:
        now = _STATES.get(lost.kind, "lost")
        news = (now, lost.kind) != (self._state, self._loss)
        self._failures += 1
        self._away_since = self._away_since or time.monotonic()
        level = logging.WARNING if news and lost.kind != "ended" else logging.DEBUG
        _log.log(level, "%s: link %s", self._device, lost)
        await self.enter(now, lost.kind, lost.detail)

    def _note_ready(self) -> str | None:
        """What there is to tell of a recovery."""
        now = time.monotonic()
        self._ready_since = self._ready_since or now
        failures, since = self._failures, self._away_since
        self._failures, self._away_since = 0, None
        if since is None:
            return None
        told = f"after {failures} failure{'s' if failures > 1 else ''} in {now - since:.1f} s"
        _log.info("%s: link ready again %s", self._device, told)
        return told

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._next_pause_s()):
                await self._hurried.wait()

    def _next_pause_s(self) -> float:
        since, self._ready_since = self._ready_since, None
        if since is not None and time.monotonic() - since >= self._backoff.steady_s:
            self._attempt = 0
        self._attempt += 1
        return self._backoff.pause_s(self._attempt - 1)
