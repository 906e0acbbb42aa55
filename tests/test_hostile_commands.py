"""A thousand hostile commands while blackjack is dealt: each comes to nothing, and the dealer notices none of
them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from daemon import Journal, Process, check_chain, configure_table, daemon, live_table, running
from hostile import KINDS, ROLES, Aim, Attacker, Hostile, public
from lives import table_records, truth_of
from mqtt_table import SITE, TABLE, TOPICS, until
from panel_client import Client, connected
from proxy import Proxy
from test_table_kill import check_cards, check_codes

from controller.broker import EmbeddedBroker
from controller.clock import Clock
from controller.keys_file import change_keys
from controller.mqtt import Dialer, Session
from controller.mqtt_address import parse_address
from protocols.floor.checkpoints import key_id
from protocols.keys import KnownKey, with_key, without_key

pytest.importorskip("controller.command_desk")

PER_SECOND = 120
PROBES = 25
ANSWERED_S = 5.0
BOUND_S = 0.1
GROWTH_BYTES = 12 << 20
CLOCKED = [sys.executable, str(Path(__file__).with_name("clocked_daemon.py"))]
MEANWHILE = ("too_many", "round_over")
"""What a command may also come to: others were quicker, or the round that it was for has ended."""
DEALT = ("--pace", "0.1", "--hurry", "10", "--seed", "5", "--faults", "0.3")


@dataclass
class Floor:
    """A table that is dealt at, and all answers to commands by the hash of what they answer."""

    folder: Path
    session: Session
    proxy: Proxy
    daemon: Process
    journal: Journal
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def listen(self) -> None:
        async for message in self.session.messages():
            if message.topic.endswith("/ack") and message.payload.startswith(b'{"dataschema":"urn:shoewatch:ack:1"'):
                said = json.loads(message.payload)
                self.answers[said["command"]] = said

    def answer_to(self, command: Hostile) -> dict[str, Any] | None:
        return self.answers.get(hashlib.sha256(command.payload).hexdigest())

    def aim(self) -> Aim:
        records = self.journal.rows()
        epoch = json.loads(records[0].body)["epoch"]
        return Aim(SITE, TABLE, epoch, records[-1].seq, datetime.now(UTC))

    @property
    def memory(self) -> int:
        return int(psutil.Process(self.daemon.pid).memory_info().rss)


def trust(path: Path) -> None:
    for role in (*ROLES, "revoked"):
        held = ("supervisor",) if role == "revoked" else (role,)
        known = KnownKey(f"F. {role}", held, public(role), Clock().wall())  # type: ignore[arg-type]
        change_keys(path, lambda keys, known=known: with_key(keys, known))  # type: ignore[misc]
    change_keys(path, lambda keys: without_key(keys, key_id(public("revoked")), Clock().wall()))


@asynccontextmanager
async def floor(folder: Path, broker: EmbeddedBroker, rounds: int) -> AsyncIterator[Floor]:
    async with Proxy(broker.port) as proxy:
        config = configure_table(folder, f"serial:{folder}/shoe", f"serial:{folder}/reader", proxy.url)
        text = config.read_text().replace('"devices.toml"', '"devices.toml"\nallow_commands = true')
        config.write_text(text + '\n[keys]\nregistry = "keys.toml"\n')
        trust(folder / "keys.toml")
        async with Dialer(parse_address(broker.url)).connect() as session:
            await session.subscribe(f"{TOPICS.base}/cmd/+/ack")
            with running(live_table(folder, *DEALT, "--rounds", str(rounds))):
                await until((folder / "shoe").is_symlink)
                with running(daemon(config, command=CLOCKED)) as process:
                    here = Floor(folder, session, proxy, process, Journal(folder))
                    listening = asyncio.create_task(here.listen())
                    yield here
                    listening.cancel()


async def flood(here: Floor, commands: Sequence[Hostile]) -> None:
    begun = time.monotonic()
    for number, command in enumerate(commands):
        here.session.publish(command.topic, command.payload, retain=command.retain)
        await asyncio.sleep(begun + number / PER_SECOND - time.monotonic())


async def kept_by_the_broker(here: Floor, seed: int) -> list[Hostile]:
    """Sent while the daemon is away, so that it finds them when it comes."""
    commands = list(Attacker(here.aim(), seed).kept_by_the_broker())
    here.proxy.cut()
    await flood(here, commands)
    here.proxy.restore()
    await until(lambda: all(map(here.answer_to, commands)), 30)
    return commands


async def asked_again(here: Floor, commands: Sequence[Hostile]) -> None:
    """What was dropped because there was too much at once is answered when it comes again."""
    for _ in range(3):
        with suppress(TimeoutError):
            await until(lambda: all(here.answer_to(each) for each in commands if each.must), ANSWERED_S)
        await flood(here, [each for each in commands if each.must and here.answer_to(each) is None])


async def probe(panel: Client, name: str) -> float:
    """How long the dealer waits for the median answer: to words that are a supervisor's, so that nothing changes."""
    waits = []
    for number in range(PROBES):
        begun = time.monotonic()
        said = await panel.ask(f"{name}-{number}", type_="round.voided", reason="misdeal")
        assert not said["ok"]
        waits.append(time.monotonic() - begun)
        await asyncio.sleep(0.05)
    return statistics.median(waits)


def check_answers(here: Floor, commands: Sequence[Hostile]) -> Counter[str]:
    told = Counter[str]()
    for command in commands:
        answer = here.answer_to(command)
        about = (command.kind, command.topic, command.payload[:300], answer)
        if answer is None:
            told[f"{command.kind} unanswered" if command.must else "dropped"] += 1
            continue
        assert answer["ok"] is False, about
        assert answer["why"], about
        assert answer["code"] in {*command.codes, *MEANWHILE}, about
        told[answer["code"]] += 1
    assert not any("unanswered" in each for each in told), told
    return told


def check_table(here: Floor) -> None:
    """What is recorded of the game is what the dealer did; no device was told anything by a stranger."""
    rows = here.journal.rows()
    check_chain(rows)
    lives, truth = table_records(rows), truth_of(here.folder)
    check_cards(lives, truth)
    check_codes(lives, truth)
    opened = [data for life in lives for data in life if data["event"]["type"] == "round.opened"]
    assert len(opened) == sum(act.get("act") == "round_opened" for act in truth)
    assert not any("key" in data.get("input", {}) for life in lives for data in life)
    assert {data["order"] for data in here.journal.records() if data["kind"] == "order"} <= {"peek_arm"}
    assert "Traceback" not in here.daemon.log


def hostile(folder: Path, broker: EmbeddedBroker, seed: int, number: int, rounds: int, *leave_out: str) -> None:
    async def scenario() -> None:
        async with floor(folder, broker, rounds) as here, connected(folder / "panel" / "dealer.sock") as panel:
            await until(lambda: here.journal.count(kind="table") > 5)
            usual = await probe(panel, "before")
            commands = await kept_by_the_broker(here, seed)
            dealt = here.journal.count(kind="table")
            more = [each for each in Attacker(here.aim(), seed).commands(number) if each.kind not in leave_out]
            third = len(more) // 3
            await flood(here, more[:third])
            memory = here.memory
            flooding = asyncio.create_task(flood(here, more[third:]))
            meanwhile = await probe(panel, "during")
            await flooding
            await asked_again(here, more)
            assert here.journal.count(kind="table") > dealt
            grown = here.memory - memory
            told = check_answers(here, [*commands, *more])
            await until(lambda: '{"finished": true}' in (folder / "truth.jsonl").read_text(), 120)
            await asyncio.sleep(0.5)
            check_table(here)
            print(f"hostile {seed}: {dict(told)}; {usual * 1000:.1f} ms, then {meanwhile * 1000:.1f}; {grown} bytes")
            assert meanwhile <= max(5 * usual, 5 * BOUND_S)
            assert grown < GROWTH_BYTES

    asyncio.run(scenario())


@pytest.mark.parametrize(("number", "rounds"), [(400, 7), pytest.param(1000, 14, marks=pytest.mark.soak)])
def test_hostile_commands(mosquitto: EmbeddedBroker, tmp_path: Path, number: int, rounds: int) -> None:
    hostile(tmp_path, mosquitto, seed=1, number=number, rounds=rounds)


def test_there_are_all_kinds_and_the_same_again() -> None:
    aim = Aim(SITE, TABLE, "8f3c", 10, datetime(2026, 11, 30, tzinfo=UTC))
    commands = list(Attacker(aim, 1).commands(1000))
    assert commands == list(Attacker(aim, 1).commands(1000))
    assert {each.kind for each in commands} == set(KINDS)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
def test_five_thousand_hostile_commands_soak(any_broker: EmbeddedBroker, tmp_path: Path, seed: int) -> None:
    leave_out = ("megabyte", "odd topic", "confusable") if any_broker.engine.name == "nats-server" else ()
    hostile(tmp_path, any_broker, seed, 5000, 80, *leave_out)
