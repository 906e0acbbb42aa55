"""The whole table with people at it: a shoe's line, the daemon in its own process, the panel, the journal."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from angel_frames import frame
from angel_story import CUT, DEAL, START, Sent, drawn, result
from device_lines import TcpLine
from panel_client import Client, Said, connected, record_of

from controller.answers import recalled
from controller.journal_file import read_all

CALL = {"type_": "call.made", "call": "no_more_bets"}
VALUES = {"P1": "9s", "B1": "7c", "P2": "Th", "B2": "Jd"}
TOLD_DEAL = [drawn(name, value) for name, value in VALUES.items()]
SECRETS = [f'"{value}"'.encode() for value in VALUES.values()]
_CONFIG = """\
site    = "riverside"
table   = "bac-01"
profile = "bench"

[game]
procedure = "pb-fr"

[shoe]
port     = "tcp:127.0.0.1:{port}"
protocol = "angel-eye"

[panel]
directory = "panel"

[journal]
path = "journal.db"

[mqtt]
url = "mqtt://127.0.0.1:1"
"""


class Table:
    """The daemon of one table, killed and started again as the test wants, and its shoe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._line = TcpLine()
        self._digit = 0

    async def lay(self) -> None:
        port = await self._line.start()
        (self.folder / "table.toml").write_text(_CONFIG.format(port=port))

    async def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._daemon = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "controller", "run", "--config", str(self.folder / "table.toml"), "--log-level", "debug"),
                stderr=log,
                stdout=log,
            )

    async def end(self, how: signal.Signals) -> int:
        """Its status."""
        if self._daemon.returncode is None:
            self._daemon.send_signal(how)
        self._line.hang_up()
        return await self._daemon.wait()

    async def connected(self) -> None:
        await self._line.connected()

    def send(self, *reports: Sent) -> None:
        """What the shoe reports, three times each."""
        for code, payload in reports:
            self._digit = 0 if code == "S" else self._digit % 9 + 1
            self._line.send(frame(self._digit, code, payload) * 3)

    def data(self) -> list[dict[str, Any]]:
        """The data of every record in the journal."""
        return [json.loads(row.body)["data"] for row in read_all(self.folder / "journal.db")]

    def log(self) -> bytes:
        return (self.folder / "log").read_bytes()


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Table]:
    table = Table(folder)
    await table.lay()
    await table.start()
    try:
        yield table
    finally:
        await table.end(signal.SIGKILL)


@asynccontextmanager
async def people(folder: Path) -> AsyncIterator[tuple[Client, Client, Client]]:
    """A dealer, a supervisor, and a watcher at the dealer's socket."""
    dealer, supervisor = folder / "panel" / "dealer.sock", folder / "panel" / "supervisor.sock"
    async with connected(dealer) as first, connected(supervisor) as second, connected(dealer) as watcher:
        watcher.tell({"watch": True})
        yield first, second, watcher


async def dealt(table: Table, watcher: Client, count: int = 1) -> Said:
    """The record of the last of so many cards."""
    for _ in range(count):
        said = await watcher.hear_until(record_of("card.drawn"))
    return said


async def begun(table: Table, dealer: Client, watcher: Client, deal: list[Sent]) -> None:
    """The shoe is up, bets are closed, four cards lie there."""
    await table.connected()
    table.send(START)
    await watcher.hear_until(lambda said: said.get("data", {}).get("report") == "start")
    assert (await dealer.ask("call-1", **CALL))["verdict"]["outcome"] == "ok"
    table.send(*deal)
    await dealt(table, watcher, 4)


def test_a_coup_with_a_dealer_at_the_panel(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(tmp_path) as table, people(tmp_path) as (dealer, _, watcher):
            await begun(table, dealer, watcher, TOLD_DEAL)
            early = [*watcher.heard, *dealer.heard, table.log(), *(json.dumps(d).encode() for d in table.data())]
            for secret in SECRETS:
                assert not any(secret in each for each in early)
            turned = await dealer.ask("turn-1", type_="hands.turned")
            assert turned["verdict"]["outcome"] == "ok"
            assert turned["verdict"]["expected"] == ["hands.turned"]
            record = await watcher.hear_until(record_of("hands.turned"))
            assert record["seq"] == turned["seq"]
            assert record["data"]["input"] == {"id": "turn-1", "role": "dealer"}
            assert record["data"]["event"]["actor"] == "dealer"
            assert [opening["value"] for opening in record["data"]["disclosed"]] == list(VALUES.values())
            table.send(result(1))
            closed = await watcher.hear_until(record_of("round.closed"))
            assert closed["data"]["verdict"]["outcome"] == "ok"
            assert await table.end(signal.SIGTERM) == 0
        verdicts = [data["verdict"]["code"] for data in table.data() if data["kind"] == "table"]
        assert set(verdicts) == {None}

    asyncio.run(scenario())


def test_a_missing_call_and_a_third_card_before_the_turning_are_seen(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(tmp_path) as table, people(tmp_path) as (_, _, watcher):
            await table.connected()
            table.send(START, *DEAL, drawn("P3"))
            first = await dealt(table, watcher)
            assert first["data"]["verdict"]["code"] == "nmb_missing"
            third = await dealt(table, watcher, 4)
            assert third["data"]["verdict"]["code"] == "reveal_order"

    asyncio.run(scenario())


def test_watchers_see_each_verdict_at_once_and_each_record_in_order(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(tmp_path) as table, people(tmp_path) as (dealer, _, watcher):
            await begun(table, dealer, watcher, TOLD_DEAL)
            heard = [json.loads(line) for line in watcher.heard]
            records = [said for said in heard if "data" in said]
            shown = [said for said in heard if "due" in said]
            first = records[0]["seq"]
            assert [said["seq"] for said in records] == list(range(first, first + len(records)))
            judged = [said["data"]["verdict"] for said in records if said["data"]["kind"] == "table"]
            assert shown[0] == {"verdict": None, "due": ["round.opened"], "remarks": []}
            assert [said["verdict"] for said in shown[1:]] == judged
            assert shown[-1]["due"] == ["hands.turned"]
            for verdict in judged:
                at_once = next(i for i, said in enumerate(heard) if said.get("verdict") == verdict)
                stored = next(i for i, said in enumerate(heard) if said.get("data", {}).get("verdict") == verdict)
                assert at_once < stored

    asyncio.run(scenario())


def test_who_may_not_say_it_is_refused_and_recorded(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(tmp_path) as table, people(tmp_path) as (dealer, supervisor, watcher):
            await begun(table, dealer, watcher, TOLD_DEAL)
            no = await dealer.ask("void-1", type_="round.voided", reason="misdeal")
            assert no == {"id": "void-1", "ok": False, "why": "round.voided: only a supervisor says this"}
            seen = await watcher.hear_until(lambda said: said.get("data", {}).get("kind") == "input")
            assert (seen["type"], seen["data"]["why"]) == ("shoewatch.input", no["why"])
            yes = await supervisor.ask("void-1", type_="round.voided", reason="misdeal")
            assert yes["verdict"]["outcome"] == "ok"
            voided = await watcher.hear_until(record_of("round.voided"))
            assert voided["data"]["event"]["actor"] == "supervisor"
            assert not any(secret in line for secret in SECRETS for line in watcher.heard)

    asyncio.run(scenario())


def test_an_id_gets_the_same_answer_after_a_kill_and_a_next_its_card(tmp_path: Path) -> None:
    inputs: dict[str, dict[str, Any]] = {
        "call-1": CALL,
        "no-1": {"type_": "round.voided"},
        "next-1": {"next_": {"face": "up"}},
    }

    async def scenario() -> None:
        async with running(tmp_path) as table:
            async with people(tmp_path) as (dealer, _, watcher):
                await table.connected()
                table.send(START)
                await watcher.hear_until(lambda said: said.get("data", {}).get("report") == "start")
                answers = {name: await dealer.ask(name, **said) for name, said in inputs.items()}
            await table.end(signal.SIGKILL)
            await table.start()
            async with people(tmp_path) as (dealer, _, watcher):
                await table.connected()
                assert {name: await dealer.ask(name, **said) for name, said in inputs.items()} == answers
                table.send(drawn("P1", "9s"))
                card = await dealt(table, watcher)
                assert card["data"]["event"]["face"] == "up"
                assert card["data"]["input"] == {"id": "next-1", "role": "dealer"}
            records = [data for data in table.data() if data["kind"] == "input"]
            assert [data["id"] for data in records] == ["no-1", "next-1"]
            assert len(recalled(read_all(tmp_path / "journal.db")).inputs["dealer"]) == 3

    asyncio.run(scenario())


def test_a_repeat_after_a_restart_is_known_though_a_person_told_its_face(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(tmp_path) as table:
            async with people(tmp_path) as (dealer, _, watcher):
                await table.connected()
                table.send(START)
                await watcher.hear_until(lambda said: said.get("data", {}).get("report") == "start")
                await dealer.ask("next-1", next_={"face": "down"})
                table.send(drawn("P1"))
                await dealt(table, watcher)
            await table.end(signal.SIGKILL)
            await table.start()
            async with people(tmp_path) as (_, _, watcher):
                await table.connected()
                table._digit -= 1
                table.send(drawn("P1"), CUT)
                await watcher.hear_until(record_of("cut_card.reached"))
            drawn_cards = [d for d in table.data() if d.get("event", {}).get("type") == "card.drawn"]
            assert len(drawn_cards) == 1

    asyncio.run(scenario())


def test_monitor_shows_records_and_what_is_due_across_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with running(tmp_path) as table, monitoring("--config", str(tmp_path / "table.toml")) as monitor:
            await _shown(monitor, "watching")
            await table.connected()
            table.send(START)
            await _shown(monitor, "device: device=shoe report=start")
            async with people(tmp_path) as (dealer, _, _):
                await dealer.ask("call-1", **CALL)
            await _shown(monitor, "event 1 ok; next: round.opened")
            line = await _shown(monitor, "call.made")
            assert line.endswith("round 1 call.made actor=dealer call=no_more_bets: ok")
            await table.end(signal.SIGKILL)
            await table.start()
            await _shown(monitor, "watching")
            async with people(tmp_path) as (dealer, _, _):
                await dealer.ask("call-2", **CALL)
            await _shown(monitor, "event 2 ok")
            monitor.send_signal(signal.SIGTERM)
            assert await monitor.wait() == 0

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        ([], "one of the two", 2),
        (["--config", "t", "--panel", "p"], "one of the two", 2),
        (["--config", "t"], "t: cannot be", os.EX_CONFIG),
    ],
)
def test_monitor_wants_one_table(arguments: list[str], said: str, status: int) -> None:
    async def scenario() -> None:
        async with monitoring(*arguments) as monitor:
            await _shown(monitor, said)
            assert await monitor.wait() == status

    asyncio.run(scenario())


@asynccontextmanager
async def monitoring(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """`shoewatch monitor` with everything that it says on its standard output."""
    monitor = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "monitor", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield monitor
    finally:
        if monitor.returncode is None:
            monitor.kill()
        await monitor.wait()


async def _shown(monitor: asyncio.subprocess.Process, words: str) -> str:
    """The next line with these words."""
    assert monitor.stdout is not None
    async with asyncio.timeout(15):
        while words not in (line := (await monitor.stdout.readline()).decode()):
            assert line, f"the monitor has ended without {words!r}"
    return line.rstrip()
