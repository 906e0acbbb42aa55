"""A floor of simulated tables: what it publishes is what its journals hold, and no table brings down another."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from command import shoewatch

from controller.broker import EmbeddedBroker
from controller.cli.chain import Chains
from controller.cli.floor_counts import PART, FloorCounts, PartCounts, TableCounts
from controller.cli.floor_tables import TRUTH, FloorPlay, dealt_procedures, set_up_floor
from controller.cli.simulated_table import misdeals
from controller.config_reading import load_config
from controller.journal_file import read_all
from controller.mqtt import Dialer
from controller.mqtt_address import parse_address
from simulators.dealer import house_rules
from simulators.punto_banco import PuntoBancoDealer
from simulators.rules import Rules
from simulators.table_log import as_table_log
from simulators.tempo import events_per_card, pace_of

FLOOR = [sys.executable, "-m", "controller", "sim", "floor"]
PART_OF_FLOOR = [sys.executable, "-m", "controller", "sim", "floor-part"]
NOBODY = "mqtt://127.0.0.1:9"
PATIENCE_S = 60.0
GAMES = "nd-card-reader,nj-ms-shoe,pb-nj"


@contextmanager
def running(*arguments: str, command: list[str] = FLOOR) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until_line(process: subprocess.Popen[str], *words: str) -> str:
    """The next line with all these words in it."""
    assert process.stdout is not None
    for line in process.stdout:
        if all(word in line for word in words):
            return line
    raise AssertionError(process.stderr and process.stderr.read())


def bodies(table: Path) -> list[bytes]:
    return [row.body for row in read_all(table / "journal.db")]


def heard_while(url: str, *arguments: str) -> tuple[dict[str, list[bytes]], Chains, list[str], int, str]:
    """What a subscriber got of each table while a floor ran, what was wrong with its order, the status, the output."""

    async def both() -> tuple[int, str]:
        async with Dialer(parse_address(url)).connect() as session:
            await session.subscribe("casino/v1/floor/+/evt/#")

            async def listen() -> None:
                async for message in session.messages():
                    table = message.topic.split("/")[3]
                    heard[table].append(message.payload)
                    problem = chains.take(json.loads(message.payload), message.payload) if table != "end" else None
                    problems.extend([problem] if problem else [])

            listening = asyncio.create_task(listen())
            floor = await asyncio.create_subprocess_exec(
                *FLOOR, *arguments, "--broker", url, stdout=asyncio.subprocess.PIPE
            )
            out, _ = await floor.communicate()
            await session.publish("casino/v1/floor/end/evt/x", b"the end")
            async with asyncio.timeout(PATIENCE_S):
                while "end" not in heard:  # noqa: ASYNC110 (what came sets no event)
                    await asyncio.sleep(0.05)
            listening.cancel()
            return floor.returncode or 0, out.decode()

    heard, chains, problems = defaultdict[str, list[bytes]](list), Chains(), list[str]()
    status, out = asyncio.run(both())
    del heard["end"]
    return heard, chains, problems, status, out


def test_every_record_of_every_table_arrives_once_and_in_order(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    play = ("--rate", "100", "--rounds", "2", "--faults", "0.5", "--seed", "2", "--procedures", GAMES)
    heard, _, problems, status, out = heard_while(mosquitto.url, "--tables", "5", *play, "--folder", str(tmp_path))
    assert (problems, status) == ([], 0), out
    assert {name: bodies(tmp_path / name) for name in heard} == heard
    assert sorted(heard) == [f"t-00{number}" for number in range(1, 6)]
    judged = {name: [data["verdict"] for data in table_records(heard[name])] for name in heard}
    told = {name: Counter(each["code"] for each in judged[name] if each["outcome"] == "violation") for name in judged}
    made = {name: misdeals(tmp_path / name / TRUTH) for name in judged}
    assert told == made
    assert sum(made.values(), Counter[str]()).total() >= 2
    assert f"{sum(map(len, judged.values()))} events" in out.splitlines()[-3]
    assert f"{sum(map(len, heard.values()))} records published, 0 behind" in out.splitlines()[-3]


def table_records(payloads: list[bytes]) -> list[dict[str, Any]]:
    found = [json.loads(payload)["data"] for payload in payloads]
    return [data for data in found if data["kind"] == "table"]


def test_a_stop_is_clean(tmp_path: Path) -> None:
    with running("--tables", "3", "--rate", "20", "--processes", "2", "--folder", str(tmp_path)) as floor:
        until_line(floor, "3 of 3 tables", "records published")
        until_line(floor, "3 of 3 tables", "records published")
        floor.send_signal(signal.SIGINT)
        until_line(floor, "after", "0 of 3 tables", "0 behind")
        assert floor.wait(PATIENCE_S) == 0
    for number in (1, 2, 3):
        last = [json.loads(body)["data"].get("what") for body in bodies(tmp_path / f"t-00{number}")[-2:]]
        assert last == ["stop", "checkpoint"]


def test_the_time_is_up(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = shoewatch_floor("--tables", "1", "--seconds", "1", "--rate", "50", "--folder", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - begun >= 1
    assert table_records(bodies(tmp_path / "t-001"))


def shoewatch_floor(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*FLOOR, *arguments], capture_output=True, text=True, timeout=PATIENCE_S)


def test_a_table_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    one, two, three = set_up_floor(tmp_path, "floor", 3, FloorPlay(("pb-nj",), 100.0, rounds=1), NOBODY)
    one.write_text(one.read_text().replace("pb-nj", "pb-nk"))
    two.with_name("journal.db").write_text("no journal at all, but some text instead of one\n" * 100)
    with running(str(one), str(two), str(three), command=PART_OF_FLOOR) as part:
        assert part.stdout is not None
        for line in part.stdout:
            told = PART.validate_json(line).tables
            if told["t-003"].records > 10:
                break
        part.terminate()
        told = PART.validate_json(part.stdout.read().splitlines()[-1]).tables
    assert {name: table.state for name, table in told.items()} == {
        "t-001": "failed",
        "t-002": "failed",
        "t-003": "over",
    }
    assert "pb-nk" in told["t-001"].why
    assert "journal.db" in told["t-002"].why


def test_a_process_that_dies_takes_only_its_own_tables(tmp_path: Path) -> None:
    with running("--tables", "4", "--rate", "20", "--processes", "2", "--folder", str(tmp_path)) as floor:
        until_line(floor, "4 of 4 tables", "records published")
        os.kill(part_with("t-002", floor.pid), signal.SIGKILL)
        until_line(floor, " 2 of 4 tables")
        floor.send_signal(signal.SIGTERM)
        out = floor.communicate(timeout=PATIENCE_S)[0]
        assert floor.returncode == 1
    failed = [line for line in out.splitlines() if "has failed" in line]
    assert failed == [f"{name} has failed: its process ended with status -9" for name in ("t-002", "t-004")]


def part_with(table: str, parent: int) -> int:
    """The process of the floor in which this table is."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    (found,) = [pid for pid in children if f"/{table}/" in Path(f"/proc/{pid}/cmdline").read_text()]
    return int(found)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--procedures", "pb-nk"], 'did you mean "pb-nj"'),
        (["--seconds", "3", "--rounds", "3"], "one of the two"),
        (["--broker", "127.0.0.1:1883"], "has no scheme"),
        (["--broker", "mqtt://broker.example:1883"], "plain text beyond this computer"),
        (["--site", "The Floor"], "names no site"),
        (["--tables", "0"], "--tables"),
        (["--rate", "0"], "--rate"),
    ],
)
def test_what_is_asked_for_wrongly_is_told(arguments: list[str], why: str, tmp_path: Path) -> None:
    done = shoewatch("sim", "floor", "--folder", str(tmp_path), *arguments)
    assert done.status == 2
    assert why in " ".join(done.stderr.replace("│", " ").split())


def test_the_folder_of_an_earlier_floor_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "t-001").mkdir()
    done = shoewatch("sim", "floor", "--tables", "1", "--broker", NOBODY, "--folder", str(tmp_path))
    assert done.status == 2
    assert "is there already" in " ".join(done.stderr.replace("│", " ").split())


def test_a_limit_of_open_files_is_raised_as_far_as_it_may_be() -> None:
    def few(hard: int) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))

    arguments = [*FLOOR, "--tables", "8", "--processes", "1", "--seconds", "0"]
    for hard, status, said in ((4096, 0, "8 tables of"), (128, 2, "need 256 open files, and it may have 128")):
        done = subprocess.run(
            arguments, capture_output=True, text=True, timeout=PATIENCE_S, preexec_fn=partial(few, hard)
        )
        assert (done.returncode, said in " ".join((done.stdout + done.stderr).replace("│", " ").split())) == (
            status,
            True,
        )


def test_a_table_has_a_reader_where_its_procedure_peeks_even_if_it_need_not(tmp_path: Path) -> None:
    dealt = dealt_procedures()
    files = set_up_floor(tmp_path, "floor", len(dealt), FloorPlay(dealt, 2.0), NOBODY)
    configs = {name: load_config(file) for name, file in zip(dealt, files, strict=True)}
    assert {name for name in dealt if configs[name].reader} == {"nd-card-reader", "pa", "sl", "us-card-reader"}
    assert {name for name in dealt if not configs[name].panel} == {"pb-fr", "pb-nj"}


def test_every_procedure_that_is_dealt_has_a_pace() -> None:
    assert {"nd-card-reader", "nj-ms-shoe", "pb-nj"} <= set(dealt_procedures())
    for name in dealt_procedures():
        assert pace_of(name, 4.0) == pytest.approx(pace_of(name, 2.0) / 2)
        assert 1.2 < events_per_card(name) < 4.0


def test_the_events_a_card_are_those_of_a_log() -> None:
    rules = house_rules("pb-nj")
    assert isinstance(rules, Rules)
    log = as_table_log(rules, islice(PuntoBancoDealer(rules, seed=1), 60), observes=("positions",))
    told = [event.type for event in log.events]
    assert events_per_card("pb-nj") == pytest.approx(len(told) / told.count("card.drawn"), rel=0.05)


def test_counts_are_added_up() -> None:
    now = FloorCounts(
        (
            PartCounts({"t-001": TableCounts("playing", 10, 14, 12, {"order": 1})}, 1.5, 3 << 20),
            PartCounts({"t-002": TableCounts("failed", 5, 7, 7, {"order": 2}, "no disk")}, 0.5, 1 << 20),
        ),
        12.0,
    )
    begun = FloorCounts((PartCounts({"t-001": TableCounts("playing", 5)}, 1.0), PartCounts({}, 0.5)), 2.0)
    assert list(now.summary(begun, Counter(order=3))) == [
        "after 10.0 s: 1 of 2 tables, 15 events (1.0/s), 19 records published, 2 behind (worst table 2), "
        "a table 2.50 % CPU and 2.0 MiB",
        "misdeals that the simulated dealers made: 3 order",
        "violations that the tables told: 3 order",
        "t-002 has failed: no disk",
    ]
