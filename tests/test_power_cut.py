"""The power fails at any call that the journal makes, and what was not synced may be lost or torn: what was said to be
on disk is there, and the journal goes on behind it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from daemon import check_chain
from mqtt_table import add, opened
from power import Call, calls_of, lay_out, left_on_disk

from controller.journal_file import Row, read_all

WRITER = Path(__file__).with_name("journal_writer.py")


def cut(path: Path, calls: Sequence[Call], whole: Sequence[Row]) -> int:
    """The journal opened after such a cut; how many records it then had."""
    said = [int(word) for call in calls if call.name == "said" for word in call.data.split()]

    async def go_on() -> int:
        async with opened(path) as journal:
            count = journal.last_seq
            await add(journal, 2)
        return count

    count = asyncio.run(go_on())
    assert count >= max(said, default=0)
    rows = list(read_all(path))
    check_chain(rows)
    assert rows[:count] == whole[:count]
    assert len(rows) == count + 2
    return count


def check_cuts(folder: Path, records: int, cuts: int, seed: int) -> None:
    file, dice = folder / "journal.db", random.Random(seed)
    calls = calls_of(str(WRITER), str(file), str(records), folder=folder)
    whole = list(read_all(file))
    names = [str(file), f"{file}-wal", f"{file}-journal"]
    counts = set()
    for number in range(cuts):
        image = folder / str(number)
        image.mkdir()
        before = calls[: dice.randint(0, len(calls))]
        lay_out(image, left_on_disk(before, names, dice))
        counts.add(cut(image / file.name, before, whole))
    assert len(counts) > cuts // 6
    assert any(call.name == "write" and call.path == str(file) for call in calls)


def test_the_power_fails(tmp_path: Path) -> None:
    check_cuts(tmp_path, 15, 120, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_the_power_fails_soak(tmp_path: Path, seed: int) -> None:
    check_cuts(tmp_path, 60, 400, seed)
