"""What lies face down is told by nobody before it is turned: not by messages, logs, journal or panel, not by any
object of ours, and not by whatever goes wrong; and where something tells it, that is found."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from leaks import WATCHED, Secret, Watch, card_secret, peek_secret
from look import Look, look
from mqtt_table import TOPICS, listening
from own_table import OwnTable, own_table
from proxy import Proxy

from controller.broker import EmbeddedBroker
from protocols.events import HoleRevealed, InsuranceClosed, PlayerActed, RoundVoided
from simulators.tdl.reader import Fault

DEADLINE_S = 60.0
HOLE = "Jh"
CARD, PEEK = card_secret(HOLE), peek_secret()
EVERYWHERE = {"records", "journal", "panel", "messages", "traffic", "objects", "read"}

Story = Callable[[OwnTable, Watch], Awaitable[None]]


def watched(folder: Path, story: Story, *spoils: str, broker: EmbeddedBroker | None = None) -> None:
    """A table whose daemon can be looked into, with a subscriber where there is a broker."""

    async def told() -> None:
        command = (*WATCHED, *spoils, "--")
        async with asyncio.timeout(DEADLINE_S):
            if broker is None:
                async with own_table(folder, command=command) as table:
                    await begun(story, table, Watch(table))
                return
            async with (
                Proxy(broker.port) as proxy,
                listening(broker.url, f"{TOPICS.base}/#") as listener,
                own_table(folder, url=proxy.url, command=command) as table,
            ):
                await begun(story, table, Watch(table, listener, proxy))

    asyncio.run(told())


async def begun(story: Story, table: OwnTable, watch: Watch) -> None:
    await watch.begin()
    await story(table, watch)


async def dealt(table: OwnTable, *, hole: str = HOLE, first: str = "up", withhold: bool = False) -> None:
    """A round up to the peek; the hole card is the first or the second of the dealer's cards."""
    await table.open_round()
    await table.card("9s", "box:1")
    for card, face in (("As", "up"), (hole, "down")) if first == "up" else ((hole, "down"), ("As", "up")):
        await table.card(card, "dealer", face, withhold=withhold and face == "down")
        if face == first:
            await table.card("9d", "box:1")
    assert (await table.say(InsuranceClosed()))["ok"]


async def check_hidden(watch: Watch, *secrets: Secret) -> None:
    seen = await watch.seen()
    assert seen["objects"]
    for secret in secrets:
        assert secret.channels(seen) == set()


async def shown_early(table: OwnTable, draw: int) -> None:
    """The shoe tells the value of a card that it withheld, before anybody has turned it."""
    table.shoe.do(lambda now: table.shoe.device.turn(draw, now))
    await table.shoe.until(lambda: table.shoe.is_stored)
    assert table.journal.count(kind="device", report="reveal") == 1


@pytest.mark.parametrize("first", ["up", "down"])
@pytest.mark.parametrize("withhold", [False, True], ids=["value at once", "value late"])
def test_a_hole_card_and_what_the_reader_says(
    mosquitto: EmbeddedBroker, tmp_path: Path, first: str, withhold: bool
) -> None:
    async def story(table: OwnTable, watch: Watch) -> None:
        await dealt(table, first=first, withhold=withhold)
        assert await table.due() == ["reader.peeked"]
        await check_hidden(watch, CARD, PEEK)
        await table.peek(natural=True)
        assert await table.due() == ["hole.revealed", "player.acted"]
        await check_hidden(watch, CARD, PEEK)
        if withhold:
            await shown_early(table, 4 if first == "up" else 2)
            await check_hidden(watch, CARD, PEEK)
        assert (await table.say(HoleRevealed()))["ok"]
        assert await table.due() == ["hand.settled", "round.closed"]
        seen = await watch.seen()
        assert CARD.channels(seen) >= EVERYWHERE
        assert PEEK.channels(seen) >= EVERYWHERE

    watched(tmp_path, story, broker=mosquitto)


def test_a_card_under_a_doubled_wager(tmp_path: Path) -> None:
    async def story(table: OwnTable, watch: Watch) -> None:
        await table.deal("6s", "7c")
        assert (await table.say(PlayerActed(box=1, action="double")))["ok"]
        await table.card(HOLE, "box:1", "down")
        await check_hidden(watch, CARD)

    watched(tmp_path, story)


def test_a_voided_round_stays_closed(tmp_path: Path) -> None:
    async def story(table: OwnTable, watch: Watch) -> None:
        await dealt(table)
        await table.peek(natural=True)
        assert (await table.say(RoundVoided(reason="misdeal"), supervisor=True))["ok"]
        await check_hidden(watch, CARD, PEEK)
        await table.deal("9c", "7c")
        await check_hidden(watch, CARD, PEEK)

    watched(tmp_path, story)


@pytest.mark.parametrize("withhold", [False, True], ids=["value at once", "value late"])
def test_a_restart_brings_what_was_sealed_back_as_it_was(tmp_path: Path, withhold: bool) -> None:
    async def story(table: OwnTable, watch: Watch) -> None:
        await dealt(table, withhold=withhold)
        await table.peek(natural=True)
        if withhold:
            await shown_early(table, 4)
        table.kill()
        await table.start()
        await check_hidden(watch, CARD, PEEK)
        turned = await table.say(HoleRevealed())
        assert turned["verdict"]["outcome"] == "ok"
        assert await table.due() == ["hand.settled", "round.closed"]
        assert CARD.channels(await watch.seen()) >= {"records"}

    watched(tmp_path, story)


AT_HOLE = {
    "decoder": "draw_no=4",
    "intake": "draw_no=4",
    "check": "ref='0/4'",
    "ledger": "ref='0/4'",
    "vault": "face down",
    "journal": '"ref":"0/4"',
    "outbox": '"ref":"0/4"',
    "panel": "draw=4",
}
"""What the arguments of each station hold when the hole card comes to it."""

AT_PEEK = {
    "decoder": "VerdictGiven",
    "intake": "VerdictGiven",
    "check": "ReaderPeeked",
    "ledger": "ReaderPeeked",
    "journal": '"reader.peeked","seq"',
    "outbox": '"reader.peeked","seq"',
    "panel": "event=7",
}


async def break_down(table: OwnTable, watch: Watch, station: str, *, peek: bool) -> None:
    """Deal until the station breaks, and look at what is left."""
    dealing = asyncio.create_task(dealt(table))
    if peek:
        await dealing
        dealing = asyncio.create_task(table.peek(natural=True))
    assert await table.daemon.ended() == 1
    dealing.cancel()
    await asyncio.wait([dealing])
    left = watch.left()
    assert f"{station} is broken" in table.daemon.log
    assert "Traceback" in table.daemon.log
    assert CARD.channels(left) == set()
    assert PEEK.channels(left) == set()


@pytest.mark.parametrize("station", AT_HOLE)
def test_a_station_that_breaks_on_the_hole_card(mosquitto: EmbeddedBroker, tmp_path: Path, station: str) -> None:
    async def story(table: OwnTable, watch: Watch) -> None:
        await break_down(table, watch, station, peek=False)

    watched(tmp_path, story, f"break:{station}:{AT_HOLE[station]}", broker=mosquitto)


@pytest.mark.parametrize("station", AT_PEEK)
def test_a_station_that_breaks_on_the_peek(mosquitto: EmbeddedBroker, tmp_path: Path, station: str) -> None:
    async def story(table: OwnTable, watch: Watch) -> None:
        await break_down(table, watch, station, peek=True)

    watched(tmp_path, story, f"break:{station}:{AT_PEEK[station]}", broker=mosquitto)


@pytest.mark.parametrize(
    ("leak", "of_card", "of_peek"),
    [
        ("repr", {"objects"}, {"objects"}),
        ("pickle", {"objects"}, {"objects"}),
        ("log", {"log"}, {"log"}),
        ("object", {"objects"}, set()),
        ("record", EVERYWHERE - {"objects"}, EVERYWHERE - {"objects"}),
    ],
)
def test_a_planted_leak_is_found(
    mosquitto: EmbeddedBroker, tmp_path: Path, leak: str, of_card: set[str], of_peek: set[str]
) -> None:
    async def story(table: OwnTable, watch: Watch) -> None:
        await dealt(table)
        await table.peek(natural=True)
        seen = await watch.seen()
        assert CARD.channels(seen) >= of_card
        assert PEEK.channels(seen) >= of_peek

    watched(tmp_path, story, f"plant:{leak}", broker=mosquitto)


def test_two_rounds_that_differ_in_the_hole_card_alone_look_alike(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    def looks(hole: str, result: str, *spoils: str) -> Look:
        folder = tmp_path / f"{hole}{len(spoils)}"
        folder.mkdir()
        looked: list[Look] = []

        async def story(table: OwnTable, watch: Watch) -> None:
            await dealt(table, hole=hole)
            if result == "error":
                table.reader.device.fault = Fault.UNREADABLE
            await table.peek(natural=result == "natural")
            await watch.seen()
            looked.append(look(table, watch))

        watched(folder, story, *spoils, broker=mosquitto)
        return looked[0]

    first = looks("Jh", "natural")
    assert (len(first.table), len(first.sealed)) == (7, 2)
    assert first == looks("7c", "no_natural")
    assert first == looks("Td", "error")
    assert looks("Jh", "natural", "plant:log").log != looks("7c", "no_natural", "plant:log").log
