"""How old what a device tells is: told once when it is too old, and once when there is something new."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from device_lines import until

from firmware_bridge.freshness import Freshness
from protocols.records import DeviceReported
from protocols.wire.tdl.device_clock import DeviceClock

MS = 1_000_000
MAX_AGE_S = 0.3


class Ear:
    """What is told of a reader's data."""

    def __init__(self) -> None:
        self.told: list[DeviceReported] = []
        self.freshness = Freshness("reader", MAX_AGE_S, self._hear)

    async def _hear(self, fact: DeviceReported) -> None:
        self.told.append(fact)

    @property
    def names(self) -> list[str]:
        return [fact.report for fact in self.told]

    def report(self) -> None:
        self.freshness.heard(time.monotonic_ns())


def listening(story: Callable[[Ear], Awaitable[None]]) -> Ear:
    async def main() -> Ear:
        ear = Ear()
        task = asyncio.create_task(ear.freshness.run())
        await story(ear)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return ear

    return asyncio.run(main())


def test_nothing_grows_old_before_it_is_there() -> None:
    async def story(ear: Ear) -> None:
        await asyncio.sleep(MAX_AGE_S * 4)

    assert listening(story).told == []


def test_each_change_is_told_once_with_the_age() -> None:
    async def story(ear: Ear) -> None:
        ear.report()
        await until(lambda: len(ear.told) == 1)
        assert ear.freshness.is_stale
        await asyncio.sleep(MAX_AGE_S * 2)
        assert len(ear.told) == 1
        ear.report()
        await until(lambda: len(ear.told) == 2)
        assert not ear.freshness.is_stale
        await until(lambda: len(ear.told) == 3)

    ear = listening(story)
    assert ear.names == ["stale", "fresh", "stale"]
    assert ear.told[0].data["max_age_s"] == MAX_AGE_S
    assert ear.told[0].data["age_s"] >= MAX_AGE_S
    assert ear.told[1].data["away_s"] >= MAX_AGE_S * 3


def test_a_device_that_goes_on_telling_stays_fresh() -> None:
    async def story(ear: Ear) -> None:
        for _ in range(30):
            ear.report()
            await asyncio.sleep(MAX_AGE_S / 10)

    assert listening(story).told == []


def test_whoever_was_held_up_itself_listens_before_it_judges() -> None:
    async def story(ear: Ear) -> None:
        ear.report()
        await asyncio.sleep(0)
        time.sleep(MAX_AGE_S * 4)  # noqa: ASYNC251
        await asyncio.sleep(MAX_AGE_S / 5)
        ear.report()
        await asyncio.sleep(MAX_AGE_S / 5)

    assert listening(story).told == []


KNOWN = DeviceClock(boot=7).told(1000, 50 * MS)


@pytest.mark.parametrize(
    ("clock", "boot", "t_ms", "now", "age"),
    [
        (KNOWN, 7, 1000, 50 * MS, 0),
        (KNOWN, 7, 400, 50 * MS, 600 * MS),
        (KNOWN, 7, 1200, 300 * MS, 50 * MS),
        (KNOWN, 7, 1200, 60 * MS, 0),
        (KNOWN, 6, 1000, 50 * MS, None),
        (DeviceClock(boot=7), 7, 1000, 50 * MS, None),
        (DeviceClock(boot=7).told(5, 0), 7, (1 << 32) - 5, 0, 10 * MS),
        (KNOWN.told(1100, 250 * MS), 7, 1000, 250 * MS, 200 * MS),
        (KNOWN.told(1300, 250 * MS), 7, 1000, 250 * MS, 300 * MS),
        (KNOWN.told(1000, 90_000 * MS), 7, 1000, 90_000 * MS, 0),
    ],
    ids=["now", "before", "since", "ahead", "another start", "not told", "wrapped", "late", "early", "drifted"],
)
def test_the_age_of_an_event_by_the_devices_clock(
    clock: DeviceClock, boot: int, t_ms: int, now: int, age: int | None
) -> None:
    assert clock.age_ns(boot, t_ms, now) == age
