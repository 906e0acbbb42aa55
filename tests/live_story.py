"""A live table within this process, with a daemon that the test writes, and the story that it must get."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from table_daemon import Daemon, TdlHost

from firmware_bridge.transport import Transport
from protocols.events import written
from simulators.acts import CuttingCard, ShoeLoaded
from simulators.blackjack import acts as blackjack
from simulators.boxes import acts as common
from simulators.live.acts import Act, said, teller
from simulators.live.lines import InnerLine
from simulators.live.play import READER_SERIAL, SHOE_SERIAL, TablePlay
from simulators.live.setting import Equipment, set_up
from simulators.port import open_sim
from simulators.stud import acts as stud
from simulators.tdl.shoe import slot
from simulators.tdl.shoe import written as byte
from simulators.truth import TruthFile

T = TypeVar("T")
DEADLINE_S = 60.0
BLACKJACK = {"procedure": "nd-card-reader", "hurry": "100"}
STUD = {"procedure": "nj-ms-shoe"}


def run(main: Coroutine[None, None, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(DEADLINE_S):
            return await main

    return asyncio.run(bounded())


@asynccontextmanager
async def at_table(
    folder: Path, game: Mapping[str, str] = BLACKJACK, **params: str
) -> AsyncIterator[tuple[Daemon, asyncio.Task[None]]]:
    """A daemon at a new table, at one of blackjack with a reader; the task ends with the last round."""
    daemon = Daemon(folder / "panel")
    shoe_params = {**game, "pace": "0", "panel": str(daemon.panel), **params}

    async def shoe() -> Transport:
        return await open_sim("t1", shoe_params)

    async def reader() -> Transport:
        return await open_sim("t1", {"device": "reader"})

    daemon.shoe = TdlHost(shoe, SHOE_SERIAL, daemon.shoe_told)
    if game is BLACKJACK:
        daemon.reader = TdlHost(reader, READER_SERIAL, daemon.reader_told, daemon.reader_lost)
    async with asyncio.TaskGroup() as group:
        over = group.create_task(daemon.shoe.run())
        tasks = [over, *([group.create_task(daemon.reader.run())] if daemon.reader else [])]
        async with daemon.open():
            yield daemon, over
        for task in tasks:
            task.cancel()


async def played(folder: Path, game: Mapping[str, str] = BLACKJACK, **params: str) -> Daemon:
    async with at_table(folder, game, **params) as (daemon, over):
        await over
    return daemon


async def played_at(folder: Path, play: TablePlay) -> Daemon:
    """The same at a table of which a port cannot say all that is played there; without a reader."""
    daemon, line = Daemon(folder / "panel"), InnerLine()
    truth = TruthFile(folder / "truth")
    setting = set_up(play, Equipment(line, None, SHOE_SERIAL, READER_SERIAL, daemon.panel), truth)

    async def opened() -> Transport:
        return line.opened(setting.shoe_hears)

    host = TdlHost(opened, SHOE_SERIAL, daemon.shoe_told)
    async with daemon.open():
        tasks = [asyncio.create_task(setting.run()), asyncio.create_task(host.run())]
        await setting.table.is_over.wait()
        for task in tasks:
            task.cancel()
    truth.close()
    return daemon


def expected(play: TablePlay) -> list[tuple[str, Any]]:
    """The story that a daemon must get of this play."""
    dealer, story = play.dealer(), []
    for _ in range(play.rounds or 0):
        for step in dealer.steps():
            story += told(step.act, play)
    return story


def told(act: Act, play: TablePlay) -> list[tuple[str, Any]]:
    match act:
        case ShoeLoaded():
            return [("shoe", 0x02)]
        case CuttingCard():
            return [("shoe", 0x06)]
        case stud.TakenToHand():
            return [("shoe", 0x07)]
        case stud.ShoeFaulted():
            return [("shoe", 0x08)]
        case stud.ShoeRestored():
            return [("shoe", 0x09)]
        case common.Burned():
            return [("card", {"slot": slot("burn"), "card": byte(act.card), "flags": 0})]
        case common.Stray():
            return [("card", {"slot": 0xFF, "card": byte(act.card), "flags": 8})]
        case common.Drawn():
            return [("card", card_told(act, play))]
        case common.Peeked():
            return [("verdict", {"no_natural": 0, "natural": 1, "error": 2}[act.result])]
    event = said(act)
    assert event
    reveals = [("shoe", 0x04)] if play.withhold and isinstance(act, blackjack.HoleTurned) else []
    return [*reveals, (teller(act), written(event))]


def card_told(act: common.Drawn, play: TablePlay) -> dict[str, Any]:
    hidden = play.withhold and act.face == "down"
    usual = "down" if play.procedure.startswith("nj-ms") else "up"
    face = {"face": act.face} if act.to == "dealer" or act.face != usual else {}
    return {"slot": slot(act.to), "card": 0 if hidden else byte(act.card), "flags": int(hidden), **face}


def without_boot(story: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [entry for entry in story if entry != ("shoe", 0x01)]
