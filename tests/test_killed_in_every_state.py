"""The daemon is killed in every state of a round, at each kind of device: it comes back into that round, and says that
it has missed something where the device cannot prove that it has not, and only there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from angel_frames import frame
from angel_story import DEAL, FIRST, SHOW, STAND_BY, START, Sent, decode, drawn, result, shown, taken
from daemon import Journal, check_chain, check_export, configure, daemon, running
from device_lines import PtyLine
from mqtt_table import until
from own_table import NOWHERE, OwnTable, own_table
from replay import check_replay

from protocols.events import (
    CallMade,
    CardsShuffled,
    CommunityRevealed,
    Event,
    HandSettled,
    HoleRevealed,
    InsuranceClosed,
    InsuranceOpened,
    PlayerActed,
    RoundClosed,
    RoundOpened,
    StubCounted,
    StubDiscarded,
    TableEvent,
)
from protocols.intake.angel_eye import AngelEyeIntake

DEADLINE_S = 240.0
Step = Callable[[OwnTable], Awaitable[object]]
Fields = dict[str, Any]


def says(*events: Event) -> list[Step]:
    async def say(table: OwnTable, event: Event) -> None:
        answer = await table.say(event)
        assert answer["ok"], answer

    return [lambda table, event=event: say(table, event) for event in events]  # type: ignore[misc]


def card(value: str, to: str, face: str | None = None, *, withhold: bool = False) -> Step:
    return lambda table: table.card(value, to, face, withhold=withhold)


def device(act: str, *args: Any) -> Step:
    """What is done at the shoe itself."""

    async def done(table: OwnTable) -> None:
        table.shoe.do(lambda now: getattr(table.shoe.device, act)(*args, now))
        await table.shoe.until(lambda: table.shoe.is_stored)

    return done


BLACKJACK: list[Step] = [
    *says(RoundOpened(boxes=(1,))),
    card("8s", "box:1"),
    card("As", "dealer", "up"),
    card("8d", "box:1"),
    card("5c", "dealer", "down", withhold=True),
    *says(InsuranceOpened(), PlayerActed(box=1, action="insure"), InsuranceClosed()),
    lambda table: table.peek(natural=False),
    *says(PlayerActed(box=1, action="split")),
    card("3h", "box:1/a"),
    *says(PlayerActed(box=1, hand="a", action="double")),
    card("9h", "box:1/a"),
    card("Th", "box:1/b"),
    *says(PlayerActed(box=1, hand="b", action="stand")),
    card("2d", "dealer", "up"),
]
BEFORE_THE_DEALER_DRAWS = len(BLACKJACK) - 1
AFTER_THE_DEALER = says(
    HandSettled(box=1, hand="a", result="win"), HandSettled(box=1, hand="b", result="push"), RoundClosed()
)

STUD: list[Step] = [
    device("load", 1),
    *says(CardsShuffled(by="hand"), RoundOpened(boxes=(1, 2)), CallMade(call="no_more_bets")),
    *[
        card(value, f"box:{box}", withhold=True)
        for box, values in ((1, "Js Jd"), (2, "4c 7h"))
        for value in values.split()
    ],
    device("end"),
    *[card(value, f"community:{street}") for street, value in ((3, "5s"), (4, "Jc"), (5, "2d"))],
    *says(StubCounted(count=45), StubDiscarded(exposed=False)),
    *says(PlayerActed(box=1, action="bet", multiple=3), PlayerActed(box=2, action="fold")),
    *says(CommunityRevealed(street=3), PlayerActed(box=1, action="bet", multiple=1)),
    *says(CommunityRevealed(street=4), PlayerActed(box=1, action="bet", multiple=1)),
    *says(CommunityRevealed(street=5), HandSettled(box=1, result="win"), RoundClosed()),
]


async def turned(table: OwnTable) -> None:
    """The hole card, which the shoe tells now."""
    table.shoe.do(lambda now: table.shoe.device.turn(4, now))
    await table.shoe.until(lambda: table.shoe.is_stored)
    assert (await table.say(HoleRevealed()))["ok"]


async def armed(table: OwnTable, round_number: int) -> None:
    assert await table.reader.until(lambda: table.reader.device.armed_for == round_number, 15)


async def killed_in_each(table: OwnTable, steps: Sequence[Step], every: int) -> None:
    """Killed after each step after which something else is due than before it, or after every so many of these."""
    due, states = list[str](), count()
    for step in steps:
        await step(table)
        before, due, opened = due, await table.due(), len(table.events("round.opened"))
        if due == before or next(states) % every:
            continue
        last = [data for data in table.journal.records() if data["kind"] == "table"][-1]
        table.kill()
        await table.start()
        assert await table.due() == due
        if due == ["reader.peeked"]:
            await armed(table, last["round"])
        records = [data for data in table.journal.records() if data["kind"] == "table"]
        assert records[-1] == last
        assert len(table.events("round.opened")) == opened


EVERY = pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.soak)])


def check_evening(folder: Path, steps: Sequence[Step], every: int, **game: str) -> None:
    async def told() -> None:
        async with asyncio.timeout(DEADLINE_S), own_table(folder, **game) as table:  # type: ignore[arg-type]
            await killed_in_each(table, steps, every)
            assert table.codes() == []
            assert table.events("log.gap") == []
            assert len(table.events("round.closed")) == 1
            assert await table.stop() == 0
            check_chain(table.journal.rows())

    asyncio.run(told())
    check_replay(folder)


@EVERY
def test_blackjack_with_a_reader(tmp_path: Path, every: int) -> None:
    steps = [*BLACKJACK[:BEFORE_THE_DEALER_DRAWS], turned, *BLACKJACK[BEFORE_THE_DEALER_DRAWS:], *AFTER_THE_DEALER]
    check_evening(tmp_path, steps, every)


@EVERY
def test_stud(tmp_path: Path, every: int) -> None:
    check_evening(tmp_path, STUD, every, procedure='procedure = "nj-ms-shoe"')


COUPS: list[Sent] = [
    *[START, FIRST, STAND_BY],
    *[*DEAL, drawn("P3"), drawn("B3"), *SHOW, shown("P3", "2s"), shown("B3", "3s"), result(1)],
    *[START, DEAL[0]],
]
LINES = ("[Game]<Card:4S>", "[Game]<Card:KH>", "[Game]<Game>", "[Manual Burn Cards]<Card:9D>")


def reports() -> list[bytes]:
    """The reports of `COUPS`, numbered as the shoe does."""
    frames, digit = list[bytes](), 0
    for code, payload in COUPS:
        digit = 0 if code == "S" else digit % 9 + 1
        frames.append(frame(digit, code, payload))
    return frames


def lives(folder: Path, protocol: str, told: Sequence[bytes]) -> list[list[Fields]]:
    """What the daemon records of its shoe in each of its lives, in which it hears one of these and is killed."""
    config, journal = configure(folder, f"serial:{folder}/shoe", NOWHERE), Journal(folder)
    config.write_text(config.read_text().replace("angel-eye", protocol))
    line = PtyLine(folder / "shoe")

    def heard(after: int) -> list[Fields]:
        return [data for data in journal.records()[after:] if data["kind"] in ("table", "device")]

    async def live(report: bytes) -> list[Fields]:
        before, ready = len(journal.records()), journal.count(kind="link", to="ready")
        with running(daemon(config)):
            await until(lambda: journal.count(kind="link", to="ready") > ready)
            line.send(report)
            await until(lambda: bool(heard(before)))
        return heard(before)

    async def scenario() -> list[list[Fields]]:
        return [await live(report) for report in told]

    found = asyncio.run(scenario())
    check_chain(journal.rows())
    check_export(folder)
    return found


def gap(life: Sequence[Fields]) -> str | None:
    """Why something may have been missed at the beginning of a life, None where nothing was."""
    first = life[0].get("event", {})
    assert [data for data in life[1:] if data.get("event", {}).get("type") == "log.gap"] == []
    return first["reason"] if first.get("type") == "log.gap" else None


def test_punto_banco_at_a_shoe_that_cannot_tell_what_was_missed(tmp_path: Path) -> None:
    found = lives(tmp_path, "angel-eye", reports())
    assert [gap(life) for life in found] == [None if sent == START else "daemon started" for sent in COUPS]
    whole = taken(AngelEyeIntake(), decode(reports()))
    records = [data for life in found for data in life if data["kind"] == "table"]
    events = [data["event"]["type"] for data in records if data["event"]["type"] != "log.gap"]
    assert events == [fact.name for fact in whole if isinstance(fact, TableEvent)]
    coups = [
        data["round"] for data in records if data["event"]["type"] in ("round.opened", "card.drawn", "round.closed")
    ]
    assert coups == sorted(coups)
    assert [data["round"] for data in records if data["event"]["type"] == "round.opened"] == [1, 2]
    assert {data["verdict"]["outcome"] for data in records} <= {"ok", "unobservable"}


def test_a_shoe_that_only_writes_lines(tmp_path: Path) -> None:
    found = lives(tmp_path, "bee-tek", [f"{line}\r\n".encode() for line in LINES])
    assert [gap(life) for life in found] == ["daemon started"] * len(LINES)
    assert [data["event"]["type"] for life in found for data in life if data["kind"] == "table"] == [
        *["log.gap", "card.drawn"] * len(LINES)
    ]
