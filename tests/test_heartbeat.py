"""Who owes an answer, what the log and the service manager hear of it, and what follows when work ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from manager import Manager
from mqtt_table import until

from controller.beside import beside
from controller.heartbeat import Component, Deadlines, Heartbeat
from controller.notify import ServiceManager
from protocols.errors import ShoewatchError


@pytest.mark.parametrize(
    ("asked", "answered", "now", "overdue"),
    [
        ([], [], 1000.0, {}),
        ([("journal", 0.0)], [], 2.0, {}),
        ([("journal", 0.0)], [], 2.5, {"journal": 2.5}),
        ([("journal", 0.0)], ["journal"], 1000.0, {}),
        ([("journal", 0.0), ("journal", 2.0)], [], 3.0, {"journal": 3.0}),
        ([("journal", 0.0), ("link", 0.0)], [], 9.0, {"journal": 9.0}),
        ([("journal", 0.0), ("link", 0.0)], ["journal"], 60.5, {"link": 60.5}),
        ([("journal", 0.0), ("link", 0.0)], [], 60.5, {"journal": 60.5, "link": 60.5}),
    ],
)
def test_each_has_its_own_time(
    asked: list[tuple[str, float]], answered: list[str], now: float, overdue: dict[str, float]
) -> None:
    book = Deadlines({"journal": 2.0, "link": 60.0})
    for name, when in asked:
        book.asked(name, when)
    for name in answered:
        book.answered(name)
    assert book.overdue(now) == overdue


class Part:
    """A component that can be held up."""

    def __init__(self) -> None:
        self.moves = asyncio.Event()
        self.moves.set()
        self.fault: Exception | None = None
        self.asked = 0

    async def answer(self) -> None:
        self.asked += 1
        if self.fault:
            raise self.fault
        await self.moves.wait()


@asynccontextmanager
async def beating(manager: Manager, **parts: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    components = [Component(name, 0.05, answer) for name, answer in parts.items()]
    told = ServiceManager(manager.address, 0.02)
    task = asyncio.create_task(Heartbeat(components, told, lambda: "shoe ready").run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def test_one_that_hangs_is_named_and_the_signs_of_life_end_until_it_answers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        journal, table = Part(), Part()
        with Manager(tmp_path / "notify") as manager:
            async with beating(manager, journal=journal.answer, table=table.answer):
                await until(lambda: manager.heard().count("WATCHDOG=1") > 3)
                assert caplog.messages == []
                journal.moves.clear()
                await until(lambda: "STATUS=no answer from journal; shoe ready" in manager.heard())
                assert [message.partition(" for ")[0] for message in caplog.messages] == ["journal has not answered"]
                before, asked = manager.heard(), table.asked
                await until(lambda: table.asked > asked + 5)
                assert manager.heard() == before
                journal.moves.set()
                await until(lambda: manager.heard()[-1] == "WATCHDOG=1" and len(manager.heard()) > len(before) + 1)
        assert caplog.messages[1:] == ["journal answers again"]
        assert manager.heard()[len(before)] == "STATUS=shoe ready"

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())


@pytest.mark.parametrize("fault", [FileNotFoundError("dealer.sock"), ShoewatchError("dealer.sock")])
def test_one_that_cannot_answer_says_why(tmp_path: Path, caplog: pytest.LogCaptureFixture, fault: Exception) -> None:
    async def scenario() -> None:
        panel = Part()
        panel.fault = fault
        with Manager(tmp_path / "notify") as manager:
            async with beating(manager, panel=panel.answer):
                await until(lambda: bool(caplog.messages))
                panel.fault = None
                await until(
                    lambda: manager.heard()[-1] == "WATCHDOG=1" and caplog.messages[-1] == "panel answers again"
                )
        assert caplog.messages[0].endswith(" (dealer.sock)")
        assert caplog.messages[1] == "panel answers again"

    asyncio.run(scenario())


async def ends() -> None:
    await asyncio.sleep(0)


async def fails() -> None:
    raise KeyError("no such box")


async def errs() -> None:
    raise ShoewatchError("the disk is full")


async def fails_within() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(fails())


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (ends, "the table has ended by itself"),
        (fails, "the table has failed: KeyError('no such box')"),
        (fails_within, "the table has failed: KeyError('no such box')"),
        (errs, "the disk is full"),
    ],
)
def test_work_that_ends_ends_everything_with_a_reason(work: Callable[[], Awaitable[None]], reason: str) -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with beside({"the table": work(), "the outbox": forever()}):  # type: ignore[dict-item]
            await forever()

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(scenario())
    assert leaves(caught.value) == [reason]


def leaves(error: BaseException) -> list[str]:
    if isinstance(error, BaseExceptionGroup):
        return [text for each in error.exceptions for text in leaves(each)]
    assert isinstance(error, ShoewatchError)
    return [str(error)]


def test_work_ends_with_the_body() -> None:
    ended = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    async def scenario() -> None:
        async with beside({"the table": work()}):
            await asyncio.sleep(0)

    asyncio.run(scenario())
    assert ended == ["work"]
