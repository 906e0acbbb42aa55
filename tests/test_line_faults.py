"""Line faults do to the bytes what their names say."""

from __future__ import annotations

import pytest

from simulators.faults import LineFault, NoisyLine, Part, Pause, Unplugged

DATA = bytes(range(24))


def carried(kind: LineFault, seed: int) -> list[Part]:
    fault, parts = NoisyLine(seed, 1.0, [kind]).carry(DATA)
    assert fault is kind
    return parts


def joined(parts: list[Part]) -> bytes:
    return b"".join(part for part in parts if isinstance(part, bytes))


def differing_bits(one: bytes, other: bytes) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("seed", range(50))
def test_each_fault(seed: int) -> None:
    lost = joined(carried(LineFault.LOST, seed))
    assert len(lost) < len(DATA)
    assert set(lost) < set(DATA)
    assert differing_bits(joined(carried(LineFault.FLIPPED, seed)), DATA) == 1
    torn = carried(LineFault.TORN, seed)
    assert [type(part) for part in torn] == [bytes, Pause, bytes]
    assert joined(torn) == DATA
    garbage = carried(LineFault.GARBAGE, seed)
    assert garbage[1:] == [DATA]
    assert garbage[0]
    late = carried(LineFault.LATE, seed)
    assert isinstance(late[0], Pause)
    assert late[1:] == [DATA]
    begun, unplugged = carried(LineFault.UNPLUGGED, seed)
    assert isinstance(begun, bytes)
    assert DATA.startswith(begun)
    assert begun != DATA
    assert isinstance(unplugged, Unplugged)


def test_joined_bytes_come_out_with_the_next() -> None:
    line = NoisyLine(1, 1.0, [LineFault.JOINED])
    assert line.carry(b"one") == (LineFault.JOINED, [])
    assert line.carry(b"two") == (LineFault.JOINED, [])
    assert line.rest() == b"onetwo"
    assert line.rest() == b""


def test_a_quiet_line_changes_nothing() -> None:
    line = NoisyLine(1, 0.0)
    assert [line.carry(DATA) for _ in range(100)] == [(None, [DATA])] * 100


def test_the_rate_and_the_seed() -> None:
    first, second, other = NoisyLine(1, 0.2), NoisyLine(1, 0.2), NoisyLine(2, 0.2)
    runs = [[line.carry(DATA) for _ in range(2000)] for line in (first, second, other)]
    assert runs[0] == runs[1] != runs[2]
    faults = [fault for fault, _ in runs[0]]
    assert 300 < len(faults) - faults.count(None) < 500
    assert set(faults) == {None, *LineFault}
