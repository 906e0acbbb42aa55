"""Somebody who may say anything on the broker: what is stored stays as it is, and both sides count and tell it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from archive_floor import CATCH_UP_S, archive_floor
from daemon import data_of
from mqtt_table import SITE
from test_chaos import wait_for

from controller.archive.database import parse_database
from controller.broker import EmbeddedBroker
from controller.mqtt import Dialer, Rejected
from controller.mqtt_address import parse_address
from protocols.floor.topics import ROOT, Topics

NAME = "bac-01"
TOPICS = Topics(SITE, NAME)
EVENTS = f"{TOPICS.base}/evt/link"


def say(url: str, said: Sequence[tuple[str, bytes]], *, retain: bool = False) -> None:
    async def scenario() -> None:
        async with Dialer(parse_address(url)).connect() as session:
            for topic, payload in said:
                with suppress(Rejected):
                    await session.publish(topic, payload, retain=retain)

    asyncio.run(scenario())


def changed(body: bytes, **fields: object) -> bytes:
    return json.dumps({**json.loads(body), **fields}, separators=(",", ":")).encode()


def test_whatever_is_said_what_is_stored_is_what_the_table_wrote(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    database = parse_database(str(tmp_path / "archive.db"))
    with archive_floor(tmp_path, mosquitto, database, 1, [NAME]) as floor:
        wait_for(lambda: floor.count() > 20 and floor.has_most(), CATCH_UP_S)
        [table] = floor.tables
        bodies = [row.body for row in table.rows()]
        epoch = json.loads(bodies[0])["epoch"]
        messages = [
            *((EVENTS, body) for body in reversed(bodies)),
            (EVENTS, changed(bodies[5], data={**json.loads(bodies[5])["data"], "more": 1})),
            (EVENTS, changed(bodies[5], source="/riverside/bac-02")),
            (EVENTS, changed(bodies[5], seq=2**62)),
            (EVENTS, changed(bodies[5], epoch="another", seq=7)),
            (EVENTS, b"\xff\x00"),
            (EVENTS, b"[" * 10_000),
            (EVENTS, b"x" * 300_000),
            (f"{ROOT}/{SITE}/bac-02/evt/link", bodies[0]),
            (f"{ROOT}/elsewhere/{NAME}/evt/link", bodies[0]),
            (f"{ROOT}/{SITE}/No Table/evt/link", bodies[0]),
            (TOPICS.health, b"{"),
            (TOPICS.health, b'{"source":"/riverside/bac-01","epoch":7,"journal":[]}'),
        ]
        last = 10**9
        answers = [
            (TOPICS.archive_ack, b""),
            (TOPICS.archive_ack, b"{}"),
            (TOPICS.archive_ack, b"null"),
            (TOPICS.archive_ack, json.dumps({"epoch": epoch, "seq": last}).encode()),
            (TOPICS.archive_ack, json.dumps({"epoch": epoch, "nak": last}).encode()),
            (TOPICS.archive_ack, json.dumps({"epoch": epoch, "seq": True}).encode()),
            (TOPICS.archive_ack, json.dumps({"epoch": epoch, "seq": 1, "nak": 1}).encode()),
            (TOPICS.archive_ack, json.dumps({"epoch": "another", "seq": 5}).encode()),
            (TOPICS.archive_ack, b"x" * 5000),
            (TOPICS.archive_hello, b"x"),
            *[(TOPICS.archive_ack, json.dumps({"epoch": epoch, "nak": 1}).encode())] * 50,
            *[(TOPICS.archive_hello, b"{}")] * 50,
        ]
        say(mosquitto.url, [*messages, *answers])
        say(mosquitto.url, [(EVENTS, bodies[3]), (TOPICS.archive_ack, b'{"epoch":"x","seq":1}')], retain=True)
        wait_for(lambda: "messages for the archive that came to nothing" in floor.archives["main"].log, CATCH_UP_S)
        wait_for(lambda: refusals(table.rows()) != [], CATCH_UP_S)
        floor.check()
        assert len(refusals(table.rows())) < 5
        assert "Traceback" not in floor.logs()


def refusals(rows: Sequence[object]) -> list[str]:
    """What the table wrote of confirmations that it refused."""
    found = [data_of(row) for row in rows]  # type: ignore[arg-type]
    return [each["detail"] for each in found if each.get("code") == "confirmation_rejected"]
