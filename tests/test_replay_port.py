"""Recordings as ports: their pace, their end, and what is wrong with them."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from device_lines import read_to_the_end

from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings
from protocols.errors import ShoewatchError
from protocols.recording import parse_recording

RECORDING = "# device: example\n0.000 053053\n0.100 >06\n0.200 <0336\n30\n0.400 05\n"
DEVICE_SAID = bytes.fromhex("05305303363005")
SHARED = Path(__file__).parents[2] / "shared" / "data" / "angel-eye" / "recording-1.txt"


def play(path: Path, query: str = "") -> tuple[bytes, str, float]:
    """All bytes, the kind of the end, and the seconds that it took."""

    async def main() -> tuple[bytes, str]:
        transport = await open_port(parse_port(f"replay:{path}{query}"), LineSettings(4800))
        data, lost = await read_to_the_end(transport)
        return data, lost.kind

    before = time.monotonic()
    data, kind = asyncio.run(main())
    return data, kind, time.monotonic() - before


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "recording.txt"
    path.write_text(RECORDING)
    return path


@pytest.mark.parametrize(("query", "recorded_s"), [("", 0.4), ("?pace=2", 0.2), ("?pace=0.5", 0.8)])
def test_pace(recording: Path, query: str, recorded_s: float) -> None:
    data, kind, taken = play(recording, query)
    assert (data, kind) == (DEVICE_SAID, "ended")
    assert recorded_s <= taken < 5 * recorded_s


def test_pace_0_waits_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "slow.txt").write_text("3600 05\n7200 06\n")
    data, kind, taken = play(tmp_path / "slow.txt", "?pace=0")
    assert (data, kind) == (b"\x05\x06", "ended")
    assert taken < 5


def test_reads_without_times_follow_at_once() -> None:
    if not SHARED.exists():
        pytest.skip("no shared data beside the repository")
    recorded = b"".join(read.data for read in parse_recording(SHARED.read_text()).reads)
    data, kind, taken = play(SHARED)
    assert (data, kind) == (recorded, "ended")
    assert taken < 5


def test_a_close_ends_a_long_wait(tmp_path: Path) -> None:
    (tmp_path / "slow.txt").write_text("3600 05\n")

    async def main() -> str:
        transport = await open_port(parse_port(f"replay:{tmp_path}/slow.txt"), LineSettings(4800))
        reading = asyncio.create_task(read_to_the_end(transport))
        await asyncio.sleep(0.02)
        await transport.close()
        async with asyncio.timeout(1):
            return (await reading)[1].kind

    assert asyncio.run(main()) == "gone"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.txt", None, "No such file"),
        ("folder", "", "is no file"),
        ("null\0.txt", None, "cannot be read"),
        ("bad.txt", b"# a: b\n05\n0.1 zz\n", "line 3:"),
        ("binary.txt", b"\xff\xfe", "cannot be read"),
    ],
)
def test_what_cannot_be_played_says_why(tmp_path: Path, name: str, content: bytes | str | None, said: str) -> None:
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.mkdir()
    with pytest.raises(ShoewatchError, match=said) as caught:
        play(path)
    assert str(path) in str(caught.value)


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ShoewatchError, match=f"{path} is no file"):
            play(path)
