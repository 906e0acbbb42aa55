"""A disk that is full: the table goes on, everybody can see it, and nothing is lost, claimed or torn."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from command import shoewatch
from daemon import Journal, Process, check_chain, configure, daemon, running
from daemon import shoe as dealt_shoe
from manager import Manager
from mqtt_table import SITE, TABLE, TOPICS, Listener, add, in_order_without_gap, listening, opened, rows, until
from panel_client import Client, connected
from small_disk import SmallDisk, small_disk
from test_doctor_findings import RULES
from told_journal import FACTS, round_of, tell

from controller import journal as journal_module
from controller.broker import EmbeddedBroker
from controller.disk import disk_trouble
from controller.doctor.facts import Computer
from controller.doctor.finding import Finding
from controller.doctor.findings import findings
from controller.doctor.gather import gather_table
from controller.journal import Journal as Opened
from controller.journal_file import JournalError, read_all
from controller.journal_verify import verify_journal
from firmware_bridge.plugged import Plugged
from protocols.floor.contract.state import State


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as mounted:
        yield mounted


def test_what_the_disk_does_not_take_waits_in_its_order(disk: SmallDisk) -> None:
    async def scenario() -> None:
        path = disk.path / "journal.db"
        async with opened(path) as journal:
            told: list[journal_module.Trouble] = []
            journal.on_trouble = told.append
            await add(journal, 3)
            disk.fill()
            pending = []
            ledger = Numbers(journal)
            while not journal.trouble:
                pending.append(ledger.add(20))
                await asyncio.sleep(0.01)
            pending += [ledger.add(1) for _ in range(50)]
            stuck = [each for each in pending if not each.done()]
            assert len(stuck) >= 50
            assert "full" in journal.trouble.why
            on_disk = journal.last_seq
            assert [row.seq for row in await journal.rows(0, 10_000)] == list(range(1, on_disk + 1))
            with pytest.raises(JournalError):
                await journal.move_cursor("mqtt", 1)
            disk.empty()
            await asyncio.gather(*pending)
            assert journal.trouble is None
            assert [each.until is None for each in told] == [True, False]
            assert told[1].waited == ledger.last - on_disk
            assert [row.seq for row in read_all(path)] == list(range(1, ledger.last + 1))
        check_chain(list(read_all(path)))

    asyncio.run(scenario())


def test_who_looks_from_outside_sees_it_too(disk: SmallDisk, tmp_path: Path) -> None:
    path = disk.path / "journal.db"
    assert disk_trouble(tmp_path / "journal.db") is None
    assert disk_trouble(tmp_path / "nowhere" / "journal.db") is None
    assert "KiB left" in str(disk_trouble(path))
    disk.fill()
    assert "has 0 KiB left" in str(disk_trouble(path))
    config = configure(tmp_path, "sim:x", "mqtt://127.0.0.1:9")
    config.write_text(config.read_text().replace('"journal.db"', '"disk/journal.db"'))
    [found] = [each for each in diagnosis(config) if each.code == "disk"]
    assert (found.where, found.what) == (TABLE, str(disk_trouble(path)))
    disk.freeze()
    [found] = [each for each in diagnosis(config) if each.code == "disk"]
    assert found.mend == f"sudo mount -o remount,rw {disk.path}"
    assert "mounted read only" in found.what


def diagnosis(config: Path) -> Sequence[Finding]:
    computer = Computer(Plugged(()), RULES)
    return findings(computer, [asyncio.run(gather_table(config, None, None))])


def test_a_stop_while_the_disk_is_full_tells_what_is_lost(disk: SmallDisk) -> None:
    async def scenario() -> None:
        path = disk.path / "journal.db"
        stuck = Opened.open(path, SITE, TABLE)
        ledger = Numbers(stuck)
        disk.fill()
        while not stuck.trouble:
            ledger.add(20)
            await asyncio.sleep(0.01)
        with pytest.raises(JournalError, match="still took nothing"):
            await stuck.close()
        disk.empty()
        async with opened(path) as journal:
            assert [row.seq for row in read_all(path)] == list(range(1, journal.last_seq + 1))

    asyncio.run(scenario())


def test_the_table_waits_once_there_is_no_room_in_memory(disk: SmallDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "HELD_ROWS", 60)

    async def scenario() -> None:
        async with opened(disk.path / "journal.db") as journal:
            ledger = Numbers(journal)
            disk.fill()
            while not journal.trouble:
                ledger.add(20)
                await asyncio.sleep(0.01)
            ledger.add(60)
            room = asyncio.create_task(journal.room())
            await asyncio.sleep(0.3)
            assert not room.done()
            disk.empty()
            async with asyncio.timeout(15):
                await room

    asyncio.run(scenario())


class Numbers:
    """Appends rows one behind the other, whether those before are on disk or not."""

    def __init__(self, journal: journal_module.Journal) -> None:
        self._journal = journal
        self.last, self._prev = journal.last_seq, journal.last_hash

    def add(self, count: int) -> asyncio.Future[None]:
        made = rows(self._journal.source, self.last + 1, count, self._prev)
        self.last, self._prev = made[-1].seq, made[-1].hash.hex()
        return self._journal.append(made)


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    with Manager(tmp_path / "notify") as told:
        yield told


@asynccontextmanager
async def table(folder: Path, broker: EmbeddedBroker, manager: Manager) -> AsyncIterator[tuple[Process, Journal]]:
    """A daemon whose journal is on the small disk, with a panel, and a shoe that deals to it."""
    config = configure(folder, f"serial:{folder}/shoe", broker.url)
    text = config.read_text().replace('"journal.db"', '"disk/journal.db"')
    config.write_text(f'{text}\n[panel]\ndirectory = "panel"\n')
    with running(dealt_shoe(folder, "--procedure", "pb-nj", "--pace", "0.05", "--seed", "3")):
        await until((folder / "shoe").exists)
        environment = {**os.environ, "NOTIFY_SOCKET": manager.address}
        with running(daemon(config, environment=environment)) as process:
            yield process, Journal(folder / "disk")


async def alarm(panel: Client) -> list[str]:
    """What the panel says is wrong, once it says anything of the kind."""
    said = await panel.hear_until(lambda said: "alarms" in said)
    alarms: list[str] = said["alarms"]
    return alarms


async def goes_on(panel: Client, events: int) -> None:
    """The table judges on."""
    for _ in range(events):
        await panel.hear_until(lambda said: bool(said.get("verdict")))


def alarms_published(listener: Listener) -> list[list[str]]:
    return [json.loads(each.payload)["alarms"] for each in listener.messages if each.topic.endswith("/status")]


def states(listener: Listener) -> list[State]:
    return [State.read(each.payload) for each in listener.messages if each.topic.endswith("/state")]


def test_the_daemon_outlives_a_full_disk(
    disk: SmallDisk, tmp_path: Path, mosquitto: EmbeddedBroker, manager: Manager
) -> None:
    async def scenario() -> None:
        topics = (TOPICS.all_events, TOPICS.status, TOPICS.state)
        async with (
            listening(mosquitto.url, *topics) as listener,
            table(tmp_path, mosquitto, manager) as (process, journal),
        ):
            await until(lambda: journal.count(kind="table") > 20)
            async with connected(tmp_path / "panel" / "dealer.sock") as panel:
                panel.tell({"watch": True})
                disk.fill()
                [why] = await alarm(panel)
                assert "the journal cannot be written" in why
                on_disk = len(journal.rows())
                await goes_on(panel, 30)
                assert len(journal.rows()) == on_disk
                await until(lambda: alarms_published(listener)[-1:] == [[why]])
                await until(lambda: states(listener)[-1].alarms == (why,))
                assert on_disk - 20 < states(listener)[-1].seq <= on_disk
                await until(lambda: any("STATUS=the journal cannot be written" in said for said in manager.heard()))
                async with connected(tmp_path / "panel" / "supervisor.sock") as supervisor:
                    refused = await supervisor.ask("note-1", type_="stub.counted", cards=3)
                    assert refused["ok"] is False
                    assert "cannot be written" in refused["why"]
                    disk.empty()
                    assert await alarm(panel) == []
                    assert (
                        "cannot be written"
                        not in (await supervisor.ask("note-1", type_="stub.counted", cards=3))["why"]
                    )
            await until(lambda: journal.count(kind="system", what="disk.full") == 1)
            [told] = [each["data"] for each in journal.records() if each.get("what") == "disk.full"]
            assert told["waited"] >= 30
            assert told["from"] < told["to"]
            await until(lambda: alarms_published(listener)[-1] == [])
            await until(lambda: in_order_without_gap(listener.ids, len(journal.rows())))
            assert not process.has_ended
            check_chain(journal.rows())
        assert verify_journal(tmp_path / "disk" / "journal.db").problem is None

    asyncio.run(scenario())


@pytest.mark.parametrize("room", [0, 4, 8, 16, 24, 32], ids="{} KiB".format)
def test_a_command_ends_where_the_disk_takes_nothing(disk: SmallDisk, room: int) -> None:
    """Nothing half made stays that would fill it still more, and what was there is as it was."""
    path, key = disk.path / "journal.db", disk.path / "journal.db-signing-key"
    tell(path, (*FACTS, *round_of("9h"), *round_of("5d")), delivered=True)
    key.write_text(bytes(range(32)).hex())
    key.chmod(0o600)
    disk.fill()
    disk.leave(room)
    there = {each.name for each in disk.path.iterdir()}
    pruned = shoewatch("journal", "prune", str(path), "--before", "2999-01-01")
    assert pruned.status in (0, 2)
    assert "Traceback" not in pruned.stderr
    made = [shoewatch("journal", "backup", str(path), str(disk.path / "copy.db")),
            shoewatch("keys", "new", str(disk.path / "new.key"))]  # fmt: skip
    kept = {name for name, each in zip(("copy.db", "new.key"), made, strict=True) if each.status == 0}
    left = {each.name for each in disk.path.iterdir() if not each.name.startswith("journal.db-")}
    assert left <= there | kept
    disk.empty()
    assert verify_journal(path).problem is None
