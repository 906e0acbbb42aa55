"""Whose commands count at a running table: those of the keys that are known now, and nobody else's."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from command import shoewatch
from daemon import command
from floor_console import KEYS, moment
from floor_table import floor
from mqtt_table import TOPICS, listening, until

from controller.broker import EmbeddedBroker
from controller.clock import Clock
from controller.keys_file import change_keys
from protocols.events import CallMade
from protocols.keys import KnownKey, with_key, without_key


def test_the_registry_counts_as_it_is_now(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    path = tmp_path / "keys.toml"

    async def scenario() -> None:
        async with floor(tmp_path, mosquitto) as at, listening(mosquitto.url) as floor_hears:

            def alarms() -> list[str]:
                return [each for each in floor_hears.alarms[-1] if "keys" in each]

            assert (await at.ask("lock"))["ok"]
            change_keys(path, lambda known: without_key(known, KEYS["supervisor"].key_id, Clock().wall()))
            revoked = await at.ask("unlock")
            assert revoked["code"] == "revoked_key"
            assert at.of(revoked["id"]) == []
            new = KnownKey("F. Another", ("dealer", "supervisor"), KEYS["stranger"].public_key, Clock().wall())
            assert (await at.ask("unlock", "stranger"))["code"] == "unknown_key"
            change_keys(path, lambda known: with_key(known, new))
            assert (await at.ask("unlock", "stranger"))["ok"]
            good = path.read_text()
            path.write_text("[broken")
            opened = await at.ask("round-opened", "stranger", boxes=[1])
            assert at.of(opened["id"])[0]["event"]["actor"] == "dealer:F. Another"
            await until(lambda: bool(alarms()))
            path.unlink()
            assert (await at.ask("round-closed", "stranger"))["ok"]
            assert (await at.ask("lock"))["code"] == "revoked_key"
            path.write_text(good)
            assert (await at.ask("lock", "stranger"))["ok"]
            await until(lambda: not alarms())

    asyncio.run(scenario())


def test_whoever_has_the_broker_alone_orders_nothing(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    """All that can be put on a topic without a key; what others have signed, elsewhere and changed; far too much."""

    async def scenario() -> None:
        async with floor(tmp_path, mosquitto) as at:
            good = at.payload("lock")
            elsewhere = at.payload("lock", table="/riverside/bac-02")
            said = json.loads(at.payload("self-test", "console", {"device": "reader"}))
            forged = {
                "lock": [
                    good.replace(b"lock", b"LOCK"),
                    elsewhere,
                    at.payload("lock", "stranger"),
                    b"",
                    b"{}",
                    b"lock",
                ],
                "unlock": [good, json.dumps({**said, "name": "unlock"}).encode()],
                "self-test": [json.dumps({**said, "key": KEYS["supervisor"].key_id}).encode()],
                "round-opened": [b"[" * 16000, b"x" * 17_000, b"x" * 100_000, b"x" * 1_000_000],
                "next": [b'{"id":"c-9","next":{"face":"up"}}'],
            }
            before = len(at.table.journal.records())
            for name, payloads in forged.items():
                for payload in payloads:
                    at.said.put(name, payload)
            assert (await at.said.answer_to(elsewhere))["code"] == "other_table"
            assert (await at.said.answer_to(good))["code"] == "other_name"
            for number in range(600):
                at.said.put("lock", at.payload("lock", "stranger", id=f"s-{number}"))
            for _ in range(20):
                assert (await at.table.say(CallMade(call="no_more_bets")))["ok"]
            assert (await at.ask_until_heard("lock"))["ok"]
            begun = time.monotonic()
            old: dict[str, Any] = {"issued": moment(-100), "not_after": moment(-90)}
            captured = [at.payload("unlock", **old) for _ in range(150)]
            for payload in captured * 2:
                at.said.put("unlock", payload)
            assert (await at.ask_until_heard("confirm-game"))["code"] == "refused"
            told = at.table.journal.records()[before:]
            refused = [data["code"] for data in told if data["kind"] == "input"]
            assert refused == ["expired"] * len(refused)
            assert 100 <= len(refused) <= 101 + time.monotonic() - begun
            assert {data["kind"] for data in told} - {"link"} == {"table", "order", "device", "security", "input"}
            assert [data["order"] for data in told if data["kind"] == "order"] == ["lock", "confirm_game"]
            [summed_up] = [data for data in told if data["kind"] == "security"]
            assert (summed_up["code"], summed_up["device"]) == ("command_rejected", "floor")

    asyncio.run(scenario())


def test_the_command_sends_what_it_is_told_and_prints_the_answer(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    """Epoch and last record it finds in the table's state, unless they are given."""
    key, stranger = tmp_path / "own-key", tmp_path / "stranger-key"
    key.write_text((b"\2" * 32).hex())
    stranger.write_text((b"\6" * 32).hex())

    async def scenario() -> None:
        async with floor(tmp_path, mosquitto) as at:

            async def says(*said: str, by: Path = key) -> tuple[int, dict[str, Any], str]:
                """Status, answer and what was remarked."""
                place = (mosquitto.url, f"{TOPICS.site}/{TOPICS.table}")
                done = await asyncio.to_thread(command, "command", *place, *said, "--key", str(by))
                return done.returncode, json.loads(done.stdout or "{}"), done.stderr

            known = ("--epoch", at.said.epoch, "--based-on", str(at.seq))
            status, answer, _ = await says("round-opened", "boxes=[1]", "--id", "mine", *known)
            assert (status, answer["ok"], answer["id"]) == (0, True, "mine")
            assert at.record(answer["seq"])["event"]["boxes"] == [1]
            state = json.dumps({"epoch": at.said.epoch, "seq": at.seq}).encode()
            await at.said.tell(TOPICS.state, state)
            status, answer, _ = await says("player-acted", "--body", '{"box":1,"action":"stand"}')
            assert (status, answer["verdict"]["type"]) == (0, "verdict")
            assert at.record(answer["seq"])["event"]["action"] == "stand"
            assert (await says("lock", by=stranger))[1]["code"] == "unknown_key"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (("riverside/bac-01", "lock", "device"), "FIELD=VALUE"),
        (("riverside/bac-01", "lock", "=shoe"), "FIELD=VALUE"),
        (("riverside/bac-01", "lock", "--body", "[]"), "--body"),
        (("riverside/bac-01", "lock", "a=1", "--body", "{}"), "--body"),
        (("riverside/bac-01", "lock", "--epoch", "e-1"), "--based-on"),
        (("riverside/bac-01", "lock", "--based-on", "7"), "--epoch"),
        (("riverside", "lock"), "SITE/TABLE"),
        (("riverside/bac-01", "lock", "--valid-s", "3601"), "--valid-s"),
        (("riverside/bac-01", "lock", "--ca", "none.pem"), "mqtts://"),
        (("riverside/bac-01", "lock"), "127.0.0.1"),
    ],
)
def test_what_cannot_be_sent_is_told(said: tuple[str, ...], why: str, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("02" * 32)
    result = shoewatch("command", "mqtt://127.0.0.1:1", *said, "--key", str(key))
    assert (result.status, result.stdout) == (2, "")
    assert why in result.stderr
