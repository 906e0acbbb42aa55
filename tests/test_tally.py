"""What is counted of a table's records, how long its cards took, and how a scraper gets it."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from kept_rounds import dealt, kept
from mqtt_table import opened
from test_health import Daemon
from test_ledger import START
from told_journal import tell

from controller.journal_file import Row, read_all
from controller.listen_address import ListenAddress
from controller.metric import Metric
from controller.openmetrics import OpenMetrics, exposition
from controller.tally import Tally
from protocols.errors import ShoewatchError
from protocols.records import LinkChanged, SecurityNoted

NS = 1_000_000_000
SAMPLE = [
    Metric("events", "Events", 12, counts=True),
    Metric("link-losses", "Losses", 2, counts=True, device="reader"),
    Metric("link-losses", "Losses", 3, counts=True, device="shoe"),
    Metric("commit-p99-seconds", "Time", 0.0125),
]


def counted(rows: Iterable[Row], now_ns: int = 0) -> dict[str, float]:
    tally = Tally()
    for row in rows:
        tally.take(row, now_ns)
    return {metric.level: metric.value for metric in tally.metrics(now_ns)}


def test_what_is_dealt_is_counted(tmp_path: Path) -> None:
    log = dealt("nd-card-reader", 3, 12, 0.5)
    rows = list(read_all(kept(tmp_path / "journal.db", log)))
    found = counted(rows)
    names = [event.name for event in log.events]
    outcomes = [row.body.count(b'"outcome":"violation"') for row in rows]
    assert found["events"] == len(names)
    assert found["draws"] == names.count("card.drawn")
    assert found["rounds"] == names.count("round.opened") == 12
    assert found["peeks"] == names.count("reader.peeked") > 0
    assert found["violations"] == sum(outcomes) > 0
    assert found["security"] == 0


def test_losses_are_those_of_a_link_that_was_up(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    lost = LinkChanged("reader", "ready", "lost", "gone")
    tell(
        path, [START, LinkChanged("shoe", "opening", "absent", "absent"), lost, lost, SecurityNoted("odd", "shoe", "")]
    )
    found = counted(read_all(path))
    assert (found["link-losses-shoe"], found["link-losses-reader"], found["security"]) == (0, 2, 1)


def test_times_are_those_of_the_last_minute(tmp_path: Path) -> None:
    rows = [row for row in read_all(kept(tmp_path / "journal.db", dealt("pb-fr", 3, 40))) if b"card.drawn" in row.body]
    tally = Tally()
    tally.take(rows[0], 5 * NS)
    for number, row in enumerate(rows[1:101], start=1):
        tally.take(row, number * NS // 1000)

    def times(now_ns: int) -> list[float]:
        return [each.value for each in tally.metrics(now_ns) if each.name.startswith("commit")]

    assert times(6 * NS) == pytest.approx([0.051, 5.0], abs=0.002)
    assert times(61 * NS) == [5.0, 5.0]
    assert times(66 * NS) == []


def families(text: bytes) -> dict[str, dict[str, float]]:
    """By family the values, by name and device."""
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    found: dict[str, dict[str, float]] = {}
    for family in parser.text_string_to_metric_families(text.decode()):
        samples = found.setdefault(family.name, {})
        for sample in family.samples:
            assert {sample.labels["site"], sample.labels["table"]} == {"riverside", "bj-07"}
            name = f"{sample.name.removeprefix('shoewatch_')} {sample.labels.get('device', '')}".strip()
            samples[name] = sample.value
    return found


def test_the_text_is_what_a_scraper_reads() -> None:
    pytest.importorskip("prometheus_client")
    kind, text = exposition(SAMPLE, {"site": "riverside", "table": "bj-07"})
    assert kind.startswith("application/openmetrics-text; version=1.0.0")
    assert families(text) == {
        "shoewatch_events": {"events_total": 12},
        "shoewatch_link_losses": {"link_losses_total reader": 2, "link_losses_total shoe": 3},
        "shoewatch_commit_p99_seconds": {"commit_p99_seconds": 0.0125},
    }
    assert text.endswith(b"# EOF\n")


def served() -> OpenMetrics:
    pytest.importorskip("prometheus_client")
    return OpenMetrics(ListenAddress("127.0.0.1", free_port()), lambda: SAMPLE, "riverside", "bj-07")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def asked(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(
    ("request_line", "status", "content"),
    [
        (b"GET /metrics HTTP/1.1", b"200 OK", True),
        (b"GET /metrics?x=1 HTTP/1.0", b"200 OK", True),
        (b"HEAD /metrics HTTP/1.1", b"200 OK", False),
        (b"GET / HTTP/1.1", b"404 Not Found", True),
        (b"POST /metrics HTTP/1.1", b"405 Method Not Allowed", True),
        (b"\xff\xfe \x00", b"405 Method Not Allowed", True),
    ],
)
def test_answers(request_line: bytes, status: bytes, content: bool) -> None:
    async def scenario() -> None:
        async with served().serving() as port:
            answer = await asked(port, request_line + b"\r\nHost: here\r\n\r\n")
            head, _, body = answer.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 " + status)
            assert bool(body) == content
            if status == b"200 OK" and content:
                assert families(body)["shoewatch_events"]

    asyncio.run(scenario())


def hostile() -> Iterator[bytes]:
    yield b""
    yield b"GET /metrics HTTP/1.1\r\n"
    yield b"x" * 100_000
    yield b"GET /" + b"m" * 20_000 + b" HTTP/1.1\r\n\r\n"


def test_whoever_is_slow_or_comes_too_often_is_hung_up_on_and_others_are_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("controller.openmetrics._WITHIN_S", 0.3)

    async def scenario() -> None:
        async with served().serving() as port:
            lines = [await asyncio.open_connection("127.0.0.1", port) for _ in range(40)]
            for (_, writer), text in zip(lines, [*hostile()] * 10, strict=True):
                writer.write(text)
            async with asyncio.timeout(5 * 0.3):
                for reader, writer in lines:
                    with suppress(ConnectionResetError):
                        assert b"200 OK" not in await reader.read()
                    writer.close()
            assert b"200 OK" in await asked(port, b"GET /metrics HTTP/1.1\r\n\r\n")

    asyncio.run(scenario())


def test_a_scraper_that_does_not_read_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.openmetrics._WITHIN_S", 0.3)
    pytest.importorskip("prometheus_client")
    many = [Metric(f"number-{number}", "x" * 1000, number) for number in range(8000)]

    async def scenario() -> None:
        metrics = OpenMetrics(ListenAddress("127.0.0.1", free_port()), lambda: many, "riverside", "bj-07")
        async with metrics.serving() as port:
            deaf = socket.socket()
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.setblocking(False)
            await asyncio.get_running_loop().sock_connect(deaf, ("127.0.0.1", port))
            await asyncio.get_running_loop().sock_sendall(deaf, b"GET /metrics HTTP/1.1\r\n\r\n")
            begun = time.monotonic()
            while metrics.open_lines or time.monotonic() < begun + 0.1:
                await asyncio.sleep(0.01)
                assert time.monotonic() < begun + 20
            deaf.close()

    asyncio.run(scenario())


def test_the_library_is_there_before_anybody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading it from a slow disk takes as long as many cards do."""
    pytest.importorskip("prometheus_client")
    for name in [name for name in sys.modules if name.startswith("prometheus_client")]:
        monkeypatch.delitem(sys.modules, name)
    OpenMetrics(ListenAddress("127.0.0.1", 9464), lambda: SAMPLE, "riverside", "bj-07")
    assert "prometheus_client.openmetrics.exposition" in sys.modules


def test_a_port_in_use_is_told() -> None:
    async def scenario() -> None:
        first = served()
        async with first.serving() as port:
            second = OpenMetrics(ListenAddress("127.0.0.1", port), lambda: (), "riverside", "bj-07")
            with pytest.raises(ShoewatchError, match=rf"metrics.listen: cannot listen on 127.0.0.1:{port}: .*in use"):
                async with second.serving():
                    pass

    asyncio.run(scenario())


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client.openmetrics.exposition", None)
    with pytest.raises(ShoewatchError, match=r'pip install "shoewatch\[metrics\]"'):
        OpenMetrics(ListenAddress("127.0.0.1", 9464), lambda: (), "riverside", "bj-07")


def test_the_docs_name_every_number(tmp_path: Path) -> None:
    async def names() -> set[str]:
        async with opened(tmp_path / "journal.db") as journal:
            return {metric.level for metric in Daemon(journal).vitals.metrics()}

    path = tmp_path / "told.db"
    tell(path, [START, *(LinkChanged(device, "ready", "lost", "gone") for device in ("shoe", "reader"))])
    timed = {"commit-p50-seconds", "commit-p99-seconds"}
    text = (Path(__file__).parent.parent / "docs" / "dashboards.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \|", text, re.MULTILINE)
    told = {name for cell in numbers for name in re.findall(r"[a-z0-9-]+", cell)}
    assert told == asyncio.run(names()) | {*counted(read_all(path))} | timed | {"archive-lag"}
