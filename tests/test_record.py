"""Recording a line: what is in the file, how it ends, what is refused, and that a replay is the line again."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from command import shoewatch
from daemon import COMMAND_S, Journal, Process, configure, configure_table, daemon, running
from mqtt_table import until

from controller.cli import record
from controller.config_reading import load_config
from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.recorder import Recorder, free_name, tapped
from firmware_bridge.transport import Chunk, LineSettings, LinkLost, Transport
from protocols.errors import ConfigError, ShoewatchError
from protocols.recording import Recording, parse_recording
from simulators.pty_line import PtyLine

NOWHERE = "mqtt://127.0.0.1:1"
FRAME = bytes.fromhex("053053033630")
_RUN = "from controller.cli.main import app_for; app_for(sys.argv[1:])(sys.argv[1:])"


def recorded(path: Path) -> Recording:
    return parse_recording(path.read_text())


class Silent:
    """A line that says what it is given, one chunk a read."""

    def __init__(self, *chunks: bytes) -> None:
        self._chunks = list(chunks)
        self.written = b""

    async def read(self) -> Chunk:
        if not self._chunks:
            raise LinkLost("gone", "pulled")
        return Chunk(self._chunks.pop(0), 0)

    async def write(self, data: bytes) -> None:
        self.written += data

    async def close(self) -> None:
        self._chunks.clear()


def test_a_tap_writes_both_ways_and_changes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        recorder = Recorder(tmp_path / "line.log", {"device": "shoe", "note": "a: b"})
        lines = iter([Silent(b"\x05", FRAME), Silent(b"\x06")])

        async def opener() -> Transport:
            return next(lines)

        line = await tapped(opener, recorder)()
        assert (await line.read()).data == b"\x05"
        await line.write(b"\x06")
        assert (await line.read()).data == FRAME
        with pytest.raises(LinkLost):
            await line.read()
        await line.close()
        assert (await (await tapped(opener, recorder)()).read()).data == b"\x06"
        recorder.close()

    asyncio.run(scenario())
    found = recorded(tmp_path / "line.log")
    assert found.header == {"device": "shoe", "note": "a: b"}
    assert [(read.direction, read.data) for read in found.reads] == [
        ("<", b"\x05"),
        (">", b"\x06"),
        ("<", FRAME),
        ("<", b"\x06"),
    ]
    text = (tmp_path / "line.log").read_text()
    assert text.count("# (the line was opened)\n") == 2
    assert (tmp_path / "line.log").stat().st_mode & 0o777 == 0o600


def test_a_file_that_takes_no_more_ends_the_recording_after_its_last_whole_read(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "line.log", {"device": "shoe"})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        for _ in range(20):
            recorder.note("<", FRAME, 0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    recorder.note("<", FRAME, 0)
    recorder.close()
    assert recorder.failed == f"{tmp_path}/line.log takes no more: File too large"
    assert 0 < len(recorded(tmp_path / "line.log").reads) == recorder.reads < 20
    assert (tmp_path / "line.log").read_text().endswith("\n")


def test_a_name_or_note_that_is_no_utf_8_is_written_down_escaped(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "line.log", {"line": "serial:/dev/\udcff"})
    recorder.note("<", FRAME, 0)
    recorder.close()
    assert recorder.failed is None
    assert recorded(tmp_path / "line.log").header["line"] == "serial:/dev/\\udcff"


def test_a_line_that_does_not_open_can_be_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def open_port(*_: object) -> Transport:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(3600)
        raise AssertionError

    monkeypatch.setattr(record, "open_port", open_port)
    assert shoewatch("record", "tcp:192.0.2.7:4001", "--out", str(tmp_path / "line.log")).status == 0
    assert not (tmp_path / "line.log").exists()


def test_no_recording_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "line.log"
    assert free_name(path) == path
    path.write_text("evidence")
    (tmp_path / "line-2.log").touch()
    assert free_name(path) == tmp_path / "line-3.log"
    with pytest.raises(ShoewatchError, match="never written over"):
        Recorder(path, {})
    refused = shoewatch("record", "tcp:127.0.0.1:1", "--out", str(path))
    assert (refused.status, "never written over" in refused.stderr) == (2, True)
    assert path.read_text() == "evidence"


@asynccontextmanager
async def tcp_server(tell: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> AsyncIterator[tuple[int, bytearray]]:
    """A serial device server on loopback, and what it was sent."""
    heard = bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await tell(writer)
        heard.extend(await reader.read())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heard


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_ends_it_well_and_nothing_was_written_to_the_line(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "line.log"

    async def tell(writer: asyncio.StreamWriter) -> None:
        writer.write(FRAME)

    async def scenario() -> bytes:
        async with tcp_server(tell) as (port, heard):
            process = Process(
                tmp_path / "said",
                *("record", f"tcp:127.0.0.1:{port}", "--protocol", "angel-eye"),
                *("--out", str(out), "--note", "table 7\nlid open"),
            )
            with running(process):
                await until(lambda: out.exists() and FRAME.hex() in out.read_text(), COMMAND_S)
                process.signal(number)
                assert await process.ended() == 0, process.log
                assert "1 reads, 6 bytes" in process.log
                return bytes(heard)

    assert asyncio.run(scenario()) == b""
    found = recorded(out)
    assert [read.data for read in found.reads] == [FRAME]
    assert found.header["note"] == "table 7 lid open"
    assert (found.header["protocol"], found.header["line"][:13]) == ("angel-eye", "tcp:127.0.0.1")
    assert "in clear" in found.header["secret"]
    assert {"device", "recorded", "by"} <= found.header.keys()


def test_a_line_that_is_lost_ends_it_with_what_came_before(tmp_path: Path) -> None:
    out = tmp_path / "line.log"

    async def scenario() -> None:
        line = PtyLine(tmp_path / "tty")
        line.plug_in()
        process = Process(tmp_path / "said", "record", f"serial:{tmp_path}/tty?baud=4800", "--out", str(out))
        with running(process):
            await until(out.exists, COMMAND_S)
            await line.send(FRAME)
            await until(lambda: FRAME.hex() in out.read_text(), COMMAND_S)
            line.unplug()
            assert await process.ended() == 1
            assert "gone: " in process.log

    asyncio.run(scenario())
    assert b"".join(read.data for read in recorded(out).reads) == FRAME


def test_a_full_disk_ends_it_with_what_is_in_the_file(tmp_path: Path) -> None:
    out = tmp_path / "line.log"
    code = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); {_RUN}"
    process = Process(
        tmp_path / "said",
        *("record", "sim:a?pace=0&rounds=9", "--out", str(out)),
        command=[sys.executable, "-c", code],
    )
    with running(process):
        assert asyncio.run(process.ended()) == 1
    assert "takes no more: File too large" in process.log
    assert recorded(out).reads


def test_what_was_recorded_is_played_again(tmp_path: Path) -> None:
    out = tmp_path / "line.log"
    done = shoewatch("record", "sim:a?rounds=2&pace=0", "--protocol", "angel-eye", "--out", str(out))
    assert (done.status, out.stat().st_mode & 0o777) == (0, 0o600), done.stderr

    async def played() -> list[bytes]:
        line = await open_port(parse_port(f"replay:{out}?pace=0"), LineSettings(4800))
        chunks = []
        try:
            while True:
                chunks.append((await line.read()).data)
        except LinkLost as end:
            return [*chunks, end.kind.encode()]

    assert asyncio.run(played()) == [*(read.data for read in recorded(out).reads), b"ended"]


@pytest.mark.parametrize(
    ("arguments", "status", "why"),
    [
        (["serial:/dev/ttyS0"], 2, "the speed of serial:/dev/ttyS0 is not known: --protocol"),
        (["serial:/dev/nonesuch", "--protocol", "tdl"], 2, "absent: /dev/nonesuch is not there"),
        (["serial:/dev/ttyS0", "--protocol", "tdk"], 2, 'did you mean "tdl"'),
        (["nonesuch:1"], 2, "there is no scheme"),
        ([], 2, "one of the two says which line"),
        (["tcp:127.0.0.1:1", "--config", "table.toml"], 2, "one of the two says which line"),
    ],
)
def test_what_cannot_be_recorded(tmp_path: Path, arguments: list[str], status: int, why: str) -> None:
    out = tmp_path / "line.log"
    refused = shoewatch("record", *arguments, "--out", str(out))
    assert (refused.status, out.exists()) == (status, False)
    assert why in " ".join(refused.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "hints"),
    [
        (["sim:a?rounds=1&pace=0"], ["made for the recording alone"]),
        (["tcp:127.0.0.1:1", "--protocol", "tdl"], ['record = "FILE" in [shoe] of table.toml, then shoewatch run']),
        (["tcp:127.0.0.1:1", "--protocol", "tdl", "--device", "reader"], ['record = "FILE" in [reader] of table.toml']),
        (["tcp:127.0.0.1:1", "--protocol", "bee-tek"], []),
    ],
)
def test_what_a_recording_will_not_have_in_it_is_said_before(
    tmp_path: Path, arguments: list[str], hints: list[str]
) -> None:
    told = shoewatch("record", *arguments, "--out", str(tmp_path / "line.log"))
    for hint in hints:
        assert hint in told.stderr
    assert hints or "record = " not in told.stderr


def test_a_simulated_table_of_tdl_is_recorded_by_its_daemon(tmp_path: Path) -> None:
    config = configure_table(tmp_path, "sim:a?rounds=1&pace=0&hurry=100", "sim:a", NOWHERE)
    line = record._line(None, None, config, "reader")
    said = list(record._hints(line, config))
    assert ["made for the recording alone" in said[0], "nothing of the game" in said[1]] == [True, True]
    assert said[2].endswith(f'record = "FILE" in [reader] of {config}, then shoewatch run --config {config}')


def test_nothing_is_recorded_where_a_production_table_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.toml").write_text('profile = "production"\n')
    out = tmp_path / "line.log"
    refused = shoewatch("record", "sim:a?rounds=1&pace=0", "--out", str(out))
    assert (refused.status, out.exists()) == (2, False)
    assert "nothing is recorded here" in refused.stderr


def test_the_daemon_does_not_record_in_production(tmp_path: Path) -> None:
    config = configure(tmp_path, "serial:/dev/ttyS0", NOWHERE)
    recording = config.read_text().replace('protocol = "angel-eye"', 'protocol = "angel-eye"\nrecord = "line.log"')
    config.write_text(recording)
    assert load_config(config).shoe.record == tmp_path / "line.log"
    config.write_text(recording.replace("bench", "production"))
    with pytest.raises(ConfigError, match=r"shoe.record: is refused where profile"):
        load_config(config)


def test_the_daemon_records_a_session_in_which_both_speak(tmp_path: Path) -> None:
    """What a host says to a TDL/1 device is in it too; a second start takes another file."""
    config = configure_table(tmp_path, "sim:a?rounds=1&pace=0&hurry=100", "sim:a", NOWHERE)
    config.write_text(config.read_text().replace("[reader]\n", '[reader]\nrecord = "reader.log"\n'))
    journal = Journal(tmp_path)

    async def scenario() -> None:
        for number in (1, 2):
            with running(daemon(config)) as process:
                await until(lambda: journal.count(kind="link", device="reader", to="ready") == number, COMMAND_S)  # noqa: B023
                process.signal(signal.SIGTERM)
                assert await process.ended() == 0, process.log
                assert "the line of the reader is recorded in" in process.log

    asyncio.run(scenario())
    for name in ("reader.log", "reader-2.log"):
        found = recorded(tmp_path / name)
        assert {read.direction for read in found.reads} == {"<", ">"}
        assert found.header["device"] == "reader of bac-01"
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
