"""Line faults do to the bytes what their names say."""

from __future__ import annotations

import pytest
from line_noise import SPOILERS, noisy_line

from simulators.faults.baud import heard_at
from simulators.faults.menu import parse_fault
from simulators.faults.noise import NoisyLine, Part, Pause, Silence, Unplugged
from simulators.faults.schedule import Progress, Schedule

DATA = bytes(range(24))


def line_with(text: str, seed: int = 1) -> NoisyLine:
    return NoisyLine(Schedule([parse_fault(text)], Progress(), seed), seed)


def carried(text: str, seed: int = 1) -> list[Part]:
    fault, parts = line_with(text, seed).carry(DATA)
    assert fault == text.partition(":")[0]
    return parts


def joined(parts: list[Part]) -> bytes:
    return b"".join(part for part in parts if isinstance(part, bytes))


def differing_bits(one: bytes, other: bytes) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("bits", [1, 7])
def test_so_many_bits_are_flipped(seed: int, bits: int) -> None:
    assert differing_bits(joined(carried(f"corrupt:{bits}", seed)), DATA) == bits


@pytest.mark.parametrize("seed", range(20))
def test_a_report_is_torn_by_a_split_and_by_an_unplugging(seed: int) -> None:
    first, pause, second = carried("split:0.3", seed)
    assert pause == Pause(0.3)
    assert isinstance(first, bytes)
    assert isinstance(second, bytes)
    assert first + second == DATA
    assert first
    assert second
    begun, unplugged = carried("unplug:0.7", seed)
    assert isinstance(begun, bytes)
    assert DATA.startswith(begun)
    assert begun != DATA
    assert unplugged == Unplugged(0.7)


@pytest.mark.parametrize("seed", range(20))
def test_a_report_that_is_too_long_is_so_within(seed: int) -> None:
    [stretched] = carried("oversize:300", seed)
    assert isinstance(stretched, bytes)
    assert len(stretched) == len(DATA) + 300
    assert (stretched[0], stretched[-1]) == (DATA[0], DATA[-1])
    assert stretched.replace(b"U" * 300, b"") == DATA


def test_what_comes_twice_late_or_not_for_a_while() -> None:
    assert carried("dup") == [DATA, DATA]
    assert carried("late:0.2") == [Pause(0.2), DATA]
    assert carried("stall:4") == [Pause(4, deaf=True), DATA]
    assert carried("awol") == [Silence("plugged in")]
    assert carried("wedge") == [Silence("opened")]
    noise, data = carried("noise:5")
    assert isinstance(noise, bytes)
    assert len(noise) == 5
    assert data == DATA


def test_as_many_reports_are_dropped_as_it_says() -> None:
    line = line_with("drop:3")
    assert [line.carry(DATA) for _ in range(4)] == [*[("drop", [])] * 3, (None, [DATA])]


def test_glued_bytes_come_out_with_the_next() -> None:
    line = line_with("glue@p=1")
    assert line.carry(b"one") == ("glue", [])
    assert line.carry(b"two") == ("glue", [])
    assert line.rest() == b"onetwo"
    assert line.rest() == b""


def test_at_the_wrong_speed_neither_end_understands_the_other() -> None:
    line = line_with("wrong-baud:2")
    assert line.heard(DATA) == DATA
    heard = joined(line.carry(DATA)[1])
    assert heard not in (b"", DATA)
    assert joined(line.carry(DATA)[1]) == heard
    assert line.heard(DATA) not in (b"", DATA)


@pytest.mark.parametrize(("ratio", "same"), [(1.0, True), (1.03, True), (0.97, True), (1.2, False), (0.5, False)])
def test_a_receiver_stands_a_small_difference_of_speed(ratio: float, same: bool) -> None:
    data = bytes([0x55, 0x00, 0xFF, 0x31])
    assert (heard_at(data, ratio) == data) is same


def test_half_the_speed_hears_each_bit_twice() -> None:
    assert heard_at(b"\x35", 0.5)[:1] == bytes([0b0110_0110])


def test_a_quiet_line_changes_nothing() -> None:
    line = noisy_line(1, 0.0)
    assert [line.carry(DATA) for _ in range(100)] == [(None, [DATA])] * 100


def test_the_rate_and_the_seed() -> None:
    lines = [noisy_line(seed, 0.2) for seed in (1, 1, 2)]
    runs = [[line.carry(DATA) for _ in range(2000)] for line in lines]
    assert runs[0] == runs[1] != runs[2]
    faults = [fault for fault, _ in runs[0]]
    assert 300 < len(faults) - faults.count(None) < 500
    assert set(faults) == {None, *(text.partition(":")[0] for text in SPOILERS)}
