"""The supervisor: what it reports, what it logs, and that it always goes on, or ends at once when told."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import NoReturn

import pytest
from device_lines import until

from firmware_bridge.link import Backoff, LinkSupervisor
from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.errors import ShoewatchError
from protocols.records import LinkChanged, LinkState, LossKind

QUICK = Backoff(first_s=0.001, cap_s=0.002)
Step = Callable[[], Awaitable[None]]


def fails(fault: Exception) -> Step:
    async def step() -> None:
        raise fault

    return step


async def holds() -> None:
    await asyncio.Event().wait()


async def passes() -> None:
    await asyncio.sleep(0)


class Line:
    """A transport that does what it is told at each of its await points."""

    def __init__(self, reading: Step = holds, closing: Step = passes) -> None:
        self._reading = reading
        self._closing = closing
        self.open = True

    async def read(self) -> Chunk:
        await self._reading()
        return Chunk(b"\x06", time.monotonic_ns())

    async def write(self, data: bytes) -> None: ...

    async def close(self) -> None:
        self.open = False
        await self._closing()


class Desk:
    """A supervisor with its openings in order (the last one for ever) and what it reported."""

    def __init__(self, *openings: Step | Line, reporting: Step = passes, backoff: Backoff = QUICK) -> None:
        self._openings = list(openings)
        self._reporting = reporting
        self.opened = 0
        self.line: Line | None = None
        self.changes: list[LinkChanged] = []
        self.supervisor = LinkSupervisor("shoe", self._open, self._report, backoff)

    async def run(self) -> None:
        await self.supervisor.run(self._session)

    async def run_until_ready(self) -> None:
        task = asyncio.create_task(self.run())
        await until(lambda: self.supervisor.state == "ready")
        await cancelled(task)

    def told(self) -> list[tuple[LinkState, LossKind | None]]:
        return [(change.now, change.loss) for change in self.changes]

    async def _open(self) -> Transport:
        opening = self._openings[min(self.opened, len(self._openings) - 1)]
        self.opened += 1
        if isinstance(opening, Line):
            self.line = opening
            return opening
        await opening()
        return Line()

    async def _session(self, transport: Transport) -> NoReturn:
        await asyncio.sleep(0)
        await self.supervisor.enter("ready")
        while True:
            await transport.read()

    async def _report(self, change: LinkChanged) -> None:
        assert change.loss is None or self.line is None or not self.line.open
        self.changes.append(change)
        await self._reporting()


async def cancelled(task: asyncio.Task[None]) -> None:
    """Cancel, and see it end at once."""
    task.cancel()
    async with asyncio.timeout(1):
        with pytest.raises(asyncio.CancelledError):
            await task


def lost(*kinds: LossKind) -> Iterable[Step]:
    return (fails(LinkLost(kind, "seen so")) for kind in kinds)


def test_failures_for_the_same_reason_are_told_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "firmware_bridge.link")
    desk = Desk(*[step for _ in range(30) for step in lost("absent")], passes)
    asyncio.run(desk.run_until_ready())
    assert desk.told() == [("opening", None), ("absent", "absent"), ("ready", None)]
    levels = [record.levelname for record in caplog.records]
    assert levels == ["WARNING", *["DEBUG"] * 29, "INFO"]
    assert desk.changes[-1].detail is not None
    assert re.fullmatch(r"after 30 failures in \d+\.\d s", desk.changes[-1].detail)
    assert caplog.messages[-1] == f"shoe: link ready again {desk.changes[-1].detail}"


def test_a_new_reason_is_news() -> None:
    desk = Desk(*lost("absent", "denied", "denied", "busy", "wedged", "gone"), passes)
    asyncio.run(desk.run_until_ready())
    assert desk.told() == [
        ("opening", None),
        ("absent", "absent"),
        ("refused", "denied"),
        ("refused", "busy"),
        ("lost", "wedged"),
        ("lost", "gone"),
        ("ready", None),
    ]


def test_the_states_join() -> None:
    desk = Desk(*lost("absent", "gone"), passes)
    asyncio.run(desk.run_until_ready())
    assert desk.changes[0].was == "absent"
    assert [change.was for change in desk.changes[1:]] == [change.now for change in desk.changes[:-1]]


def test_a_loss_is_told_each_time_and_with_its_detail() -> None:
    desk = Desk(Line(fails(LinkLost("gone", "cable"))), Line(fails(LinkLost("gone", "cable"))), passes)
    asyncio.run(_until_opened(desk, 3))
    assert desk.told()[1:5] == [("ready", None), ("lost", "gone"), ("ready", None), ("lost", "gone")]
    assert desk.changes[2].detail == "cable"


async def _until_opened(desk: Desk, times: int) -> None:
    task = asyncio.create_task(desk.run())
    await until(lambda: desk.opened == times and desk.supervisor.state == "ready")
    await cancelled(task)


def test_the_end_of_a_recording_is_not_retried() -> None:
    desk = Desk(Line(fails(LinkLost("ended", "the recording is over"))))
    asyncio.run(desk.run())
    assert desk.opened == 1
    assert desk.told() == [("opening", None), ("ready", None), ("lost", "ended")]


def test_what_only_a_person_can_mend_is_refused_and_raised() -> None:
    desk = Desk(fails(ShoewatchError("replay:x: line 3: no read")))
    with pytest.raises(ShoewatchError, match="line 3"):
        asyncio.run(desk.run())
    assert desk.opened == 1
    assert desk.told() == [("opening", None), ("refused", None)]
    assert desk.changes[-1].detail == "replay:x: line 3: no read"


FAULTS = [LinkLost("gone", "cable"), LinkLost("wedged", "full"), OSError(5, "Input/output error"), TimeoutError()]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
@pytest.mark.parametrize("where", ["opening", "reading", "closing"])
def test_a_fault_at_any_point_is_followed_by_a_retry(where: str, fault: Exception) -> None:
    step = fails(fault)
    firsts: dict[str, Step | Line] = {
        "opening": step,
        "reading": Line(step),
        "closing": Line(fails(LinkLost("gone", "")), step),
    }
    desk = Desk(firsts[where], passes)
    asyncio.run(_until_opened(desk, 2))


def test_a_defect_of_ours_ends_the_supervisor_with_the_line_closed() -> None:
    line = Line(fails(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(Desk(line).run())
    assert not line.open


@pytest.mark.parametrize(
    "desk",
    [
        pytest.param(lambda: Desk(holds), id="opening"),
        pytest.param(lambda: Desk(Line()), id="reading"),
        pytest.param(lambda: Desk(Line(), reporting=holds), id="reporting"),
        pytest.param(lambda: Desk(Line(fails(LinkLost("gone", "")), holds)), id="closing"),
        pytest.param(lambda: Desk(*lost("absent"), backoff=Backoff(3600, 3600)), id="pausing"),
    ],
)
def test_a_cancellation_ends_it_at_once(desk: Callable[[], Desk]) -> None:
    async def main() -> None:
        running = desk()
        task = asyncio.create_task(running.run())
        await asyncio.sleep(0.02)
        assert not task.done()
        await cancelled(task)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())


def test_a_line_that_falls_before_it_is_ready_is_no_news_each_time() -> None:
    async def main() -> int:
        told: list[LinkChanged] = []

        async def opener() -> Transport:
            return Line()

        async def report(change: LinkChanged) -> None:
            told.append(change)

        async def session(_: Transport) -> NoReturn:
            lives.append(1)
            raise LinkLost("gone", "closed by the other side")

        lives: list[int] = []
        task = asyncio.create_task(LinkSupervisor("shoe", opener, report, QUICK).run(session))
        await until(lambda: len(lives) > 20)
        await cancelled(task)
        return len(told)

    assert asyncio.run(main()) == 2


def test_pauses_double_up_to_a_cap() -> None:
    backoff = Backoff(first_s=0.1, cap_s=2.0)
    for attempt, whole in enumerate([0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]):
        pauses = [backoff.pause_s(attempt) for _ in range(200)]
        assert whole / 2 <= min(pauses) < max(pauses) <= whole
    assert backoff.pause_s(10**6) <= 2.0


def test_only_a_steady_link_is_retried_quickly_again() -> None:
    assert asyncio.run(_lives_of_a_flapping_line(Backoff(first_s=0.001, cap_s=3600, steady_s=3600))) < 20
    assert asyncio.run(_lives_of_a_flapping_line(Backoff(first_s=0.001, cap_s=3600, steady_s=0))) == 20


async def _lives_of_a_flapping_line(backoff: Backoff) -> int:
    """How often it came up until it was 20 times, or a second was over."""
    desk = Desk(*[Line(fails(LinkLost("gone", "flapping")))] * 19, Line(), backoff=backoff)
    task = asyncio.create_task(desk.run())
    with suppress(AssertionError):
        await until(lambda: desk.opened == 20, 1.0)
    await cancelled(task)
    return desk.opened


def test_an_arrival_cuts_the_pause_short() -> None:
    async def main() -> None:
        desk = Desk(*lost("absent", "absent"), Line(), backoff=Backoff(3600, 3600))
        task = asyncio.create_task(desk.run())
        for tries in (1, 2):
            await until(lambda: desk.opened == tries and desk.supervisor.state == "absent")  # noqa: B023
            await asyncio.sleep(0.02)
            assert desk.opened == tries
            desk.supervisor.hurry()
        await until(lambda: desk.supervisor.state == "ready")
        await cancelled(task)

    asyncio.run(main())


def test_an_arrival_during_a_try_is_not_missed() -> None:
    async def main() -> None:
        async def too_early() -> None:
            desk.supervisor.hurry()
            raise LinkLost("absent", "not yet")

        desk = Desk(too_early, Line(), backoff=Backoff(3600, 3600))
        await desk.run_until_ready()

    asyncio.run(main())


def test_an_arrival_while_the_link_is_up_changes_nothing() -> None:
    async def main() -> None:
        desk = Desk(Line())
        task = asyncio.create_task(desk.run())
        await until(lambda: desk.supervisor.state == "ready")
        desk.supervisor.hurry()
        await asyncio.sleep(0.02)
        assert (desk.opened, desk.told()) == (1, [("opening", None), ("ready", None)])
        await cancelled(task)

    asyncio.run(main())
