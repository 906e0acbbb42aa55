"""The recording format: what is read, what is written, and what is refused by its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.recording import Direction, Read, Recording, RecordingError, format_recording, parse_recording

RECORDING_1 = Path(__file__).parents[2] / "shared/data/angel-eye/recording-1.txt"

DIRECTIONS: tuple[Direction, ...] = ("<", ">")
reads = st.builds(
    Read,
    st.none() | st.integers(0, 10**9).map(lambda micros: micros / 10**6),
    st.sampled_from(DIRECTIONS),
    st.binary(min_size=1, max_size=40),
)
headers = st.dictionaries(st.from_regex(r"[A-Za-z][a-z0-9-]{0,9}", fullmatch=True), st.sampled_from(["8N1", "a: b"]))


def test_every_form_of_line() -> None:
    text = "# device: angel-eye\n# just a remark\n\n053053033630\n1.250 <0531\r\n 2 >06\n#x\n3.0 0A0b\n"
    assert parse_recording(text) == Recording(
        {"device": "angel-eye"},
        (
            Read(None, "<", bytes.fromhex("053053033630")),
            Read(1.25, "<", b"\x051"),
            Read(2.0, ">", b"\x06"),
            Read(3.0, "<", b"\n\x0b"),
        ),
    )


@pytest.mark.parametrize(
    "line", ["05305", "053x", "hello", "-1 05", "1.5", "<", "1.5 <", "05 30 53", "1,5 05", "> 06", "1000000000 05"]
)
def test_a_wrong_line_is_named(line: str) -> None:
    with pytest.raises(RecordingError, match=r"^line 3: .* is no read") as caught:
        parse_recording(f"# a: b\n0530\n{line}\n0531\n")
    assert caught.value.line == 3


def test_a_comment_with_a_colon_in_its_prose_is_no_header() -> None:
    assert parse_recording("# from the table: one evening\n# http://example.org\n").header == {}


@given(headers, st.lists(reads).map(tuple))
def test_what_is_written_is_read_back(header: dict[str, str], some_reads: tuple[Read, ...]) -> None:
    recording = Recording(header, some_reads)
    assert parse_recording(format_recording(recording)) == recording


def test_the_recording_of_a_real_shoe() -> None:
    if not RECORDING_1.exists():
        pytest.skip(f"no recording of a real shoe at {RECORDING_1}")
    recording = parse_recording(RECORDING_1.read_text())
    assert len(recording.reads) == 280
    assert {read.direction for read in recording.reads} == {"<"}
    assert list(recording.header) == ["Origin"]
