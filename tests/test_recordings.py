"""Every recording gives the table events that stand beside it."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from daemon import COMMAND_S, Journal, configure_table, daemon, running
from mqtt_table import until
from replayed import RECORDINGS, events, expectation, lines

from protocols.device_session import Ended, Heard
from protocols.recording import Direction, Read, Recording, format_recording, parse_recording
from protocols.records import SecurityNoted
from protocols.registry import parse_registry
from protocols.wire.tdl.frame import uncobs
from protocols.wire.tdl.handshake import Expected
from protocols.wire.tdl.packets import in_packets
from protocols.wire.tdl.recorded import RecordedSession

PUBLIC = Path(__file__).parents[2] / "shared/data/angel-eye/recording-1.txt"


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_gives_its_events(path: Path) -> None:
    assert lines(path) == expectation(path).read_text()


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_says_where_it_comes_from(path: Path) -> None:
    header = parse_recording(path.read_text()).header
    assert {"device", "protocol", "line", "recorded", "by", "secret", "note"} <= header.keys()
    assert json.loads(expectation(path).read_text().splitlines()[0])["type"]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_it_does_not_depend_on_how_the_reads_fell(path: Path) -> None:
    """One byte a read, for what comes over a line of bytes."""
    recording = parse_recording(path.read_text())
    if recording.header["line"].startswith("usb:"):
        pytest.skip("packets are read whole")
    single = [type(read)(read.seconds, read.direction, bytes([byte])) for read in recording.reads for byte in read.data]
    assert events(Recording(recording.header, tuple(single))) == events(recording)


def test_there_is_one_of_each_protocol() -> None:
    protocols = {parse_recording(path.read_text()).header["protocol"] for path in RECORDINGS}
    assert protocols >= {"angel-eye", "bee-tek", "tdl"}


@pytest.mark.skipif(not PUBLIC.exists(), reason="the public recording is not here")
def test_the_public_recording() -> None:
    recording = parse_recording(PUBLIC.read_text())
    header = {**recording.header, "protocol": "angel-eye"}
    found = [event["type"] for event in events(Recording(header, recording.reads))]
    assert found.count("round.opened") == 9
    assert "log.gap" not in found[3:]
    assert parse_recording(format_recording(recording)) == recording


def test_the_daemon_plays_a_recorded_session_of_another_table(tmp_path: Path) -> None:
    """Whose device it is, the recording proves by itself; the journal then holds its events."""
    recording = RECORDINGS[0].parent / "tdl-shoe-replugged.log"
    config = configure_table(tmp_path, f"replay:{recording}?pace=0", "serial:reader", "mqtt://127.0.0.1:1")
    journal = Journal(tmp_path)

    async def scenario() -> None:
        with running(daemon(config)) as process:
            await until(lambda: journal.count(kind="link", device="shoe", loss="ended") == 1, COMMAND_S)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log

    asyncio.run(scenario())
    assert journal.count(kind="link", device="shoe", to="ready") >= 1
    types = [data["event"]["type"] for data in journal.records() if data["kind"] == "table"]
    expected = [json.loads(line)["type"] for line in expectation(recording).read_text().splitlines()]
    assert [each for each in types if not each.startswith("reader.")] == expected


def test_a_session_whose_device_is_not_trusted_proves_nothing(tmp_path: Path) -> None:
    recording = parse_recording((RECORDINGS[0].parent / "tdl-shoe-replugged.log").read_text())
    session = RecordedSession("shoe", Expected(b"", "shoe", parse_registry("", "")), None, recording)
    session.connect(b"", 0)
    outputs = [out for read in recording.reads if read.direction == "<" for out in session.feed(read.data, 0)]
    assert not any(isinstance(out, Heard) for out in outputs)
    assert next(out.code for out in outputs if isinstance(out, SecurityNoted)) == "unknown_serial"
    assert any(isinstance(out, Ended) and out.kind == "denied" for out in outputs)


def test_a_frame_that_was_changed_in_the_file_is_counted_and_left_out() -> None:
    recording = parse_recording((RECORDINGS[0].parent / "tdl-shoe-replugged.log").read_text())
    reads = [read for read in recording.reads if read.direction == "<"]
    whole = events(recording)
    spoilt = [replace(read, data=read.data[:-3] + bytes([read.data[-3] ^ 1]) + read.data[-2:]) for read in reads[3:]]
    kept = [read for read in recording.reads if read.direction == ">"]
    assert events(Recording(recording.header, (*kept, *reads[:3], *spoilt))) != whole


def test_a_session_in_packets() -> None:
    """The same frames as they would have come over USB."""
    recording = parse_recording((RECORDINGS[0].parent / "tdl-reader.log").read_text())
    reads = [Read(None, way, in_packets(raw)) for way, raw in raw_frames(recording)]
    assert events(Recording({**recording.header, "line": "usb:HCR-0007"}, tuple(reads))) == events(recording)


def raw_frames(recording: Recording) -> Iterator[tuple[Direction, bytes]]:
    """Every frame, from the read that ends it on."""
    rest: dict[Direction, bytes] = {"<": b"", ">": b""}
    for read in recording.reads:
        *runs, rest[read.direction] = (rest[read.direction] + read.data).split(b"\0")
        for raw in map(uncobs, filter(None, runs)):
            assert raw is not None
            yield read.direction, raw
