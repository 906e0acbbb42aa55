"""`shoewatch watch` as a person runs it, and the lines it prints."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from command import shoewatch
from mqtt_table import TOPICS, rows

from controller.broker import EmbeddedBroker
from controller.cli.chain import Chains
from controller.cli.lines import data_words, parse, printable, record_line, status_line, verdict_words
from controller.mqtt import Dialer, Session
from controller.mqtt_address import parse_address
from protocols.floor.messages import Source, digest, message
from protocols.records import NO_HASH

SOURCE = Source("riverside", "bac-01", "8f3c")
VERDICT = {"type": "verdict", "event": 5, "round": 2, "draw": 5, "code": None, "to": "player", "face": None}
OK = {**VERDICT, "outcome": "ok", "expected": ["card.drawn to player"], "rule": None, "detail": None}
WRONG = {
    **VERDICT,
    "outcome": "violation",
    "code": "bac_draw",
    "expected": ["round.closed"],
    "rule": "13:69D-2.5",
    "detail": "the player drew on 7",
}


def record(seq: int, prev: str, verdict: dict[str, object] = OK) -> bytes:
    event = {"type": "card.drawn", "card": "7h", "to": "player", "ref": "P3"}
    data = {"n": seq, "round": 2, "event": event, "verdict": verdict}
    return message(SOURCE, seq, prev, "2026-11-30T07:03:48.143Z", "table", data)


def test_a_record_is_one_line() -> None:
    assert record_line(json.loads(record(9, NO_HASH))) == (
        "07:03:48.143 riverside/bac-01 #9 round 2 card.drawn 7h to player ref=P3: ok"
    )
    assert record_line(json.loads(record(9, NO_HASH, WRONG))).endswith(
        ": VIOLATION bac_draw: the player drew on 7 (13:69D-2.5)"
    )


def test_every_outcome_has_words() -> None:
    said = [verdict_words({"outcome": outcome, "code": "face"}) for outcome in ("warning", "unobservable")]
    assert said == ["WARNING face", "unobservable face"]


def test_other_kinds_show_their_fields() -> None:
    body = message(SOURCE, 3, NO_HASH, "2026-11-30T07:03:48Z", "link", {"from": "opening", "to": "ready", "loss": None})
    assert record_line(json.loads(body)) == "07:03:48 riverside/bac-01 #3 link: from=opening to=ready"


def test_a_card_that_is_not_known_says_so() -> None:
    data = {"n": 1, "round": 1, "event": {"type": "card.drawn", "to": "banker"}, "verdict": OK}
    line = record_line(json.loads(message(SOURCE, 1, NO_HASH, "2026-11-30T07:03:48Z", "table", data)))
    assert "card.drawn (not read) to banker: ok" in line


def test_a_card_that_lies_face_down_shows_its_value_when_it_is_turned() -> None:
    drawn = {
        "n": 1,
        "round": 1,
        "event": {"type": "card.drawn", "to": "banker"},
        "verdict": OK,
        "commit": {"card": "ab"},
    }
    turned = {**drawn, "event": {"type": "hands.turned"}, "disclosed": [{"seq": 7, "field": "card", "value": "Kh"}]}
    assert data_words({"kind": "table", **drawn}) == "round 1 card.drawn (face down) to banker: ok"
    assert data_words({"kind": "table", **turned}) == "round 1 hands.turned: ok; opened: #7 Kh"


def test_a_status_is_one_line() -> None:
    payload = b'{"status":"online","epoch":"8f3c","boot":"17","insecure":true}'
    assert status_line(TOPICS.status, payload) == (
        "riverside/bac-01 is online (epoch 8f3c, boot 17, in plain text over the network)"
    )
    assert status_line(TOPICS.status, b"") == "riverside/bac-01 has no status that can be read"


@pytest.mark.parametrize("payload", [b"", b"7", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_message_is_none(payload: bytes) -> None:
    assert parse(payload) is None


@pytest.mark.parametrize("fields", [{}, {"data": 7}, {"data": {"kind": "table", "event": [], "verdict": 3}}])
def test_a_message_that_is_none_of_ours_gives_a_line(fields: dict[str, object]) -> None:
    assert record_line(fields)


def test_a_message_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2Jb\r\nc") == "a\ufffd[2Jb\ufffd\ufffdc"


def taken(bodies: list[bytes]) -> list[str | None]:
    chains = Chains()
    return [chains.take(json.loads(body), body) for body in bodies]


def test_a_sound_chain_is_silent() -> None:
    bodies = [row.body for row in rows(SOURCE, 1, 20, NO_HASH)]
    assert taken(bodies) == [None] * 20
    assert taken(bodies[7:]) == [None] * 13


def test_gaps_repeats_and_breaks_are_told() -> None:
    bodies = [row.body for row in rows(SOURCE, 1, 9, NO_HASH)]
    assert taken([bodies[0], bodies[3], bodies[4]]) == [None, "riverside/bac-01: records 2 to 3 are missing", None]
    assert taken([bodies[1], bodies[0], bodies[2]])[1:] == ["riverside/bac-01 #1 is repeated (last was #2)", None]
    forged = record(2, digest(b"something else"))
    [_, told] = taken([bodies[0], forged])
    assert told is not None
    assert "chain is broken" in told


def test_a_new_epoch_starts_at_one() -> None:
    old, new = rows(SOURCE, 1, 5, NO_HASH), rows(Source("riverside", "bac-01", "9999"), 1, 5, NO_HASH)
    assert taken([old[4].body, new[0].body]) == [None, None]
    assert taken([old[4].body, new[2].body]) == [None, "riverside/bac-01: records 1 to 2 are missing"]


class Watching:
    """The command in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def line(self) -> str:
        assert self.process.stdout
        async with asyncio.timeout(15):
            return (await self.process.stdout.readline()).decode().rstrip("\n")

    async def remark(self) -> str:
        assert self.process.stderr
        async with asyncio.timeout(15):
            return (await self.process.stderr.readline()).decode().rstrip("\n")

    async def interrupt(self, by: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(by)
        async with asyncio.timeout(15):
            return await self.process.wait()


@asynccontextmanager
async def watching(*arguments: str) -> AsyncIterator[Watching]:
    command = [sys.executable, "-c", "from controller.cli.main import run; run()", "watch", *arguments]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    try:
        yield Watching(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def tell(session: Session, bodies: list[bytes]) -> None:
    for body in bodies:
        await session.publish(TOPICS.event(json.loads(body)["data"]), body)


def test_it_shows_records_and_status_and_ends_on_ctrl_c(any_broker: EmbeddedBroker) -> None:
    async def scenario() -> None:
        first = record(1, NO_HASH)
        late = record(4, digest(first), WRONG)
        online = b'{"status":"online","epoch":"8f3c","boot":"17","insecure":false}'
        async with watching(any_broker.url) as watch, Dialer(parse_address(any_broker.url)).connect() as session:
            assert "watching mqtt://127.0.0.1" in await watch.remark()
            await session.publish(TOPICS.status, online, retain=True)
            assert await watch.line() == "riverside/bac-01 is online (epoch 8f3c, boot 17)"
            await tell(session, [first, late])
            assert await watch.line() == record_line(json.loads(first))
            assert await watch.line() == "! riverside/bac-01: records 2 to 3 are missing"
            assert await watch.line() == record_line(json.loads(late))
            assert await watch.interrupt() == 0
            assert await watch.remark() == "stopped"

    asyncio.run(scenario())


def test_json_prints_the_messages_as_they_are_of_the_table_asked_for(mosquitto: EmbeddedBroker) -> None:
    async def scenario() -> None:
        body = record(1, NO_HASH)
        url = mosquitto.url
        async with watching(url, "--json", "--table", "bac-01") as watch, Dialer(parse_address(url)).connect() as floor:
            await watch.remark()
            await floor.publish("casino/v1/riverside/bac-02/evt/link", b"another table's")
            await tell(floor, [body])
            assert await watch.line() == body.decode()

    asyncio.run(scenario())


def test_it_waits_for_the_broker_and_comes_back(mosquitto: EmbeddedBroker) -> None:
    async def scenario() -> None:
        mosquitto.kill()
        async with watching(mosquitto.url) as watch:
            said = await watch.remark()
            assert "Connection refused; trying again" in said
            assert said.count(mosquitto.url) == 1
            mosquitto.start()
            assert "watching" in await watch.remark()
            async with Dialer(parse_address(mosquitto.url)).connect() as session:
                await tell(session, [record(1, NO_HASH)])
            assert "#1 round 2 card.drawn" in await watch.line()

    asyncio.run(scenario())


def test_a_wrong_address_is_one_line_and_status_2() -> None:
    async def scenario() -> None:
        async with watching("mqt://127.0.0.1") as watch:
            assert 'did you mean "mqtt"' in await watch.remark()
            assert await watch.remark() == ""
            assert await watch.process.wait() == 2

    asyncio.run(scenario())


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_where_it_waits(by: signal.Signals) -> None:
    async def scenario() -> None:
        async with watching("mqtt://127.0.0.1:1") as watch:
            await watch.remark()
            assert await watch.interrupt(by) == 0
            assert await watch.remark() == "stopped"

    asyncio.run(scenario())


def test_plain_text_beyond_this_computer_is_refused() -> None:
    refused = shoewatch("watch", "mqtt://192.0.2.10")
    assert (refused.status, refused.stdout) == (2, "")
    assert "plain text beyond this computer: use mqtts://" in refused.stderr
