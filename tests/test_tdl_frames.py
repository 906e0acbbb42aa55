"""TDL/1 on the line: the published vectors, any split, garbage, limits, and the packets of USB."""

from __future__ import annotations

from itertools import pairwise

import pytest
import tdl_device as device
from hypothesis import given
from hypothesis import strategies as st

from protocols.wire.tdl.frame import (
    MAX_RAW,
    Frame,
    FrameCounters,
    LineDecoder,
    cobs,
    on_line,
    raw_frame,
    read_raw,
    uncobs,
)
from protocols.wire.tdl.packets import PACKET_BYTES, PacketDecoder, in_packets

KEY = b"k" * 32
HELLO_WIRE = "0310400101011f010111111111111111111111111111111111484f5354303030316bc4f6ae00"
CARD_WIRE = (
    "04111001010103e90301020701010440e2010303050101020c02ff1f0164"
    "cd797dcc6f47e02e710192f283b561b7d1a279684efe16f2d18b798e00"
)
ACK_WIRE = "04115001010103e903010d8c93dc3e5b9bb1d376f25ca000"
D2H = bytes.fromhex("55e83df03569f54657b196e25cdc7f90d407839a9c438a351ee5c6e4ea4fa7a6")
H2D = bytes.fromhex("532b8b8d6c458aabd3630ff621f3d77e2769054c166b8e25d220c23a51bca569")

bodies = st.binary(max_size=160)
frames = st.tuples(st.integers(0, 255), st.integers(0, 2**32 - 1), bodies, st.sampled_from([None, KEY]))


def heard(found: tuple[Frame, ...]) -> list[tuple[int, int, bytes]]:
    return [(frame.type, frame.counter, frame.body) for frame in found]


@pytest.mark.parametrize(("data", "coded"), [("", "01"), ("00", "0101"), ("11000022", "0211010222")])
def test_the_vectors_of_cobs(data: str, coded: str) -> None:
    assert cobs(bytes.fromhex(data)).hex() == coded
    assert uncobs(bytes.fromhex(coded)) == bytes.fromhex(data)


def test_the_vector_of_hello() -> None:
    body = b"\x01\x01" + device.NONCE_H + device.HOST
    assert on_line(raw_frame(0x40, 0, body)).hex() == "00" + HELLO_WIRE
    assert heard(LineDecoder().feed(bytes.fromhex(HELLO_WIRE))) == [(0x40, 0, body)]


def test_the_vector_of_a_sealed_event() -> None:
    (frame,) = LineDecoder().feed(bytes.fromhex(CARD_WIRE))
    assert (frame.type, frame.counter) == (0x10, 1)
    assert frame.is_from(D2H)
    assert not frame.is_from(H2D)
    assert on_line(raw_frame(0x10, 1, frame.body, D2H)).hex() == "00" + CARD_WIRE


def test_the_vector_of_an_acknowledgement() -> None:
    assert on_line(raw_frame(0x50, 1, (1001).to_bytes(4, "little"), H2D)).hex() == "00" + ACK_WIRE


@given(st.binary(max_size=253))
def test_cobs_has_no_zero_and_comes_back(data: bytes) -> None:
    coded = cobs(data)
    assert coded == device.stuffed(data)
    assert 0 not in coded
    assert len(coded) == len(data) + 1
    assert uncobs(coded) == data


@given(st.binary(max_size=200))
def test_uncobs_takes_anything(data: bytes) -> None:
    decoded = uncobs(data)
    assert decoded is None or b"\0" in data or cobs(decoded) == data


@given(st.lists(frames, max_size=4), st.lists(st.integers(0, 900), max_size=6))
def test_any_split_gives_the_same_frames(sent: list[tuple[int, int, bytes, bytes | None]], cuts: list[int]) -> None:
    line = b"".join(on_line(raw_frame(*frame)) for frame in sent)
    edges = [0, *sorted(min(cut, len(line)) for cut in cuts), len(line)]
    decoder = LineDecoder()
    found = [frame for a, b in pairwise(edges) for frame in decoder.feed(line[a:b])]
    assert heard(tuple(found)) == [frame[:3] for frame in sent]
    assert decoder.counters == FrameCounters()


@given(st.binary(max_size=600), st.integers(0, 60))
def test_garbage_costs_at_most_the_frame_it_falls_into(garbage: bytes, at: int) -> None:
    decoder = LineDecoder()
    spoiled, good = on_line(raw_frame(1, 1, b"spoiled")), on_line(raw_frame(2, 2, b"good"))
    found = decoder.feed(spoiled[:at] + garbage + spoiled[at:] + good)
    assert heard(found)[-1] == (2, 2, b"good")
    kept = sum(len(cobs(raw_frame(frame.type, frame.counter, frame.body))) for frame in found[:-1])
    nothing = (spoiled[:at] + garbage + spoiled[at:]).count(0)
    assert decoder.counters.discarded + kept + nothing == len(spoiled) + len(garbage)


@given(frames, st.integers(0, 8 * 20))
def test_a_flipped_bit_is_found(frame: tuple[int, int, bytes, bytes | None], bit: int) -> None:
    raw = bytearray(raw_frame(*frame))
    raw[bit // 8 % len(raw)] ^= 1 << bit % 8
    assert read_raw(bytes(raw)) is None


def test_a_flood_without_delimiter_is_dropped_as_it_comes() -> None:
    decoder = LineDecoder()
    for _ in range(1000):
        decoder.feed(b"\x55" * 1000)
    assert len(decoder._rest) <= MAX_RAW + 2
    assert heard(decoder.feed(on_line(raw_frame(1, 0, b"")))) == [(1, 0, b"")]
    assert decoder.counters == FrameCounters(discarded=1_000_000, damaged=0, oversize=1)


def test_the_longest_frame_and_one_byte_more() -> None:
    longest = raw_frame(1, 0, b"x" * 160, KEY)
    assert len(longest) == MAX_RAW
    assert len(LineDecoder().feed(on_line(longest))) == 1
    with pytest.raises(ValueError, match="161"):
        raw_frame(1, 0, b"x" * 161)
    decoder = LineDecoder()
    assert decoder.feed(b"\0" + device.stuffed(longest + b"x") + b"\0") == ()
    assert decoder.counters.oversize == 1


@pytest.mark.parametrize("first", [0x00, 0x20, 0xF0])
def test_another_version_is_dropped(first: int) -> None:
    decoder = LineDecoder()
    assert decoder.feed(device.wire(0x01, 0, b"12345", first=first)) == ()
    assert decoder.counters.damaged == 1


def test_the_retransmission_flag_changes_nothing() -> None:
    (frame,) = LineDecoder().feed(device.wire(0x10, 9, b"body", KEY, first=0x12))
    assert frame.body == b"body"
    assert frame.is_from(KEY)


def test_a_frame_never_shows_its_body() -> None:
    (frame,) = LineDecoder().feed(device.wire(0x10, 9, b"secret", KEY))
    assert "secret" not in repr(frame)


def packets(raw: bytes) -> list[bytes]:
    sent = in_packets(raw)
    assert len(sent) % PACKET_BYTES == 0
    return [sent[at : at + PACKET_BYTES] for at in range(0, len(sent), PACKET_BYTES)]


@given(st.lists(frames, max_size=4), st.integers(1, 5))
def test_packets_come_back(sent: list[tuple[int, int, bytes, bytes | None]], at_once: int) -> None:
    decoder = PacketDecoder()
    all_packets = [packet for frame in sent for packet in packets(raw_frame(*frame))]
    found: list[Frame] = []
    for at in range(0, len(all_packets), at_once):
        found += decoder.feed(b"".join(all_packets[at : at + at_once]))
    assert heard(tuple(found)) == [frame[:3] for frame in sent]
    assert decoder.counters == FrameCounters()


def test_a_packet_may_end_where_its_part_of_the_frame_ends() -> None:
    decoder = PacketDecoder()
    *whole, last = packets(raw_frame(1, 0, b"x" * 100))
    assert heard(decoder.feed(b"".join(whole) + last[: 1 + (last[0] & 63)])) == [(1, 0, b"x" * 100)]


def test_a_first_packet_throws_away_what_was_unfinished() -> None:
    decoder = PacketDecoder()
    long, short = packets(raw_frame(1, 0, b"x" * 100)), packets(raw_frame(2, 0, b""))
    assert decoder.feed(long[0]) == ()
    assert heard(decoder.feed(short[0])) == [(2, 0, b"")]
    assert decoder.feed(long[1]) == ()
    assert decoder.counters == FrameCounters(discarded=63 + 47, damaged=2, oversize=0)


@given(st.lists(st.binary(max_size=64), max_size=20))
def test_packets_of_garbage_are_counted(received: list[bytes]) -> None:
    decoder = PacketDecoder()
    for packet in received:
        assert decoder.feed(packet) == ()
    good = packets(raw_frame(3, 0, b"good"))
    assert heard(decoder.feed(good[0])) == [(3, 0, b"good")]


def test_a_packet_stream_that_never_ends_is_cut() -> None:
    decoder = PacketDecoder()
    decoder.feed(bytes([0x80 | 63]) + b"x" * 63)
    for _ in range(100):
        decoder.feed(bytes([63]) + b"x" * 63)
    assert decoder.counters.oversize == 1
    assert decoder.counters.discarded == 63 * 101
