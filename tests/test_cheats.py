"""Ends that cheat: refused, named, and told as a `security` record to whoever listens at a real broker."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from mqtt_table import Listener, listening, until
from scenario_run import Played, be_hasty, differences, play

from controller.broker import EmbeddedBroker
from simulators.scenario import read_scenario

CHEATS = {
    "tdl-clone-serial": "auth_failed",
    "tdl-old-firmware": "unapproved_firmware",
    "tdl-swap-device": "unknown_serial",
    "tdl-replayed-session": "auth_failed",
    "tdl-downgrade": "version",
    "tdl-downgrade-caps": "auth_failed",
    "tdl-inject": "forged_frames",
    "reader-clone-serial": "auth_failed",
}


def security(listener: Listener) -> list[dict[str, str]]:
    """What was published of it."""
    bodies = [json.loads(each.payload) for each in listener.messages if each.topic.endswith("/evt/security")]
    assert {body["type"] for body in bodies} <= {"shoewatch.security"}
    return [body["data"] for body in bodies]


@pytest.mark.parametrize("name", CHEATS)
def test_a_subscriber_hears_of_it(
    name: str, mosquitto: EmbeddedBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_hasty(monkeypatch)
    scenario = read_scenario(Path(__file__).with_name("scenarios") / f"{name}.toml")

    async def told() -> tuple[Played, list[dict[str, str]]]:
        async with listening(mosquitto.url) as listener:
            played = await play(scenario, tmp_path, url=mosquitto.url)
            await until(lambda: bool(security(listener)))
            return played, security(listener)

    played, [record] = asyncio.run(told())
    assert differences(scenario, played) == []
    assert record["code"] == CHEATS[name]
    assert record["device"] == ("reader" if name.startswith("reader") else "shoe")
    assert record["detail"]
