"""A running table whose reader a story lets fail, with what the stories have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from daemon import BY_OURS, HASTY
from own_table import OwnTable, own_table

from protocols.events import MethodSelected

DEADLINE_S = 60.0
NO_HOLE = '{ fallback = "nd-no-hole" }'
STAND = ["player.acted box:1"]
AFTER_A_PEEK = ["hole.revealed", "player.acted"]
TO_DEALER = "card.drawn to dealer"
Story = Callable[[OwnTable], Awaitable[None]]


def at_table(
    folder: Path,
    story: Story,
    *,
    procedure: str = BY_OURS,
    options: str = "{}",
    restore: str = "supervisor",
    within_s: float = DEADLINE_S,
) -> None:
    """The story, told to a hasty daemon that ends well."""

    async def told() -> None:
        at = own_table(folder, procedure=procedure, options=options, restore=restore, command=HASTY)
        async with asyncio.timeout(within_s), at as table:
            await story(table)
            assert await table.stop() == 0

    asyncio.run(told())


async def select(table: OwnTable, procedure: str) -> str | None:
    """A supervisor chooses a method; the code of what is wrong with that."""
    answer = await table.say(MethodSelected(procedure=procedure), supervisor=True)
    assert answer["ok"]
    code: str | None = answer["verdict"]["code"]
    return code


async def deal_armed(table: OwnTable) -> None:
    """A deal with a king up, for which the reader is armed."""
    await table.deal()
    assert await table.ordered(1) == [("peek_arm", 1, "ok")]


def seat(table: OwnTable) -> bool:
    """The dealer's cards, which are no natural, go into the reader; whether it will answer."""
    return table.reader.do(lambda now: table.reader.device.seat(now, natural=False))


def seat_too_late(table: OwnTable) -> None:
    """The same once the reader waits no longer, which refuses them."""
    device = table.reader.device
    assert device._peek is not None
    device._peek.until = 0
    assert not seat(table)


async def finish_peeked(table: OwnTable) -> None:
    """The round is played to its end, in which the reader told its answer once and was never out."""
    await table.finish()
    assert len(table.events("reader.peeked")) == 1
    assert table.events("reader.faulted") == []
    assert table.codes() == []


async def finish_unpeeked(table: OwnTable) -> None:
    """The round is played to its end without an answer of the reader."""
    await play_without_peek(table)
    assert table.events("reader.peeked") == []
    assert table.codes() == []


async def play_without_hole(table: OwnTable) -> None:
    """From a deal that ended with one dealer's card: the second comes after the players."""
    assert await table.due() == STAND
    await table.stand()
    assert await table.due() == [f"{TO_DEALER} up"]
    await table.card("7c", "dealer", "up")
    await table.pay()


async def play_without_peek(table: OwnTable) -> None:
    """From a deal with a hole card under a king, which nobody looks at."""
    assert await table.due() == STAND
    await table.finish()
