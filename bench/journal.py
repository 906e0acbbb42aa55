"""What the journal costs against the least that a durable record can cost: an append and `fdatasync`.

Both are measured in turns, on the same disk, with the same bytes; what counts are the ratios. Run it as
`python bench/journal.py [RECORDS] [FOLDER]`; FOLDER: on the disk that is meant."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.clock import Clock
from controller.journal import Journal
from controller.journal_file import Row
from controller.record_row import Place, record_row
from protocols.floor.checkpoints import Signer

_EVENT: Final = {"n": 57, "round": 12, "event": {"type": "card.drawn", "to": "dealer", "card": "Kh", "face": "up"}}
_VERDICT: Final = {"type": "verdict", "event": 57, "outcome": "ok", "expected": ["card.drawn to dealer up"] * 4}
_BURST: Final = 64


class Chain:
    """Records of the usual size, one behind the other."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._last: tuple[int, str] = (0, journal.last_hash)
        self._clock = Clock()

    def next(self) -> Row:
        seq, prev = self._last
        fields = {**_EVENT, "verdict": _VERDICT, "state": prev}
        place = Place(seq + 1, prev, 12)
        row = record_row(self._journal.source, place, "table", fields, self._clock, time.monotonic_ns(), n=57)
        self._last = row.seq, row.hash.hex()
        return row


async def main(number: int, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as name:
        journal = Journal.open(Path(name) / "journal.db", "bench", "bench")
        chain = Chain(journal)
        bare_file = os.open(Path(name) / "log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        bare, kept = [], []
        for _ in range(number):
            row = chain.next()
            begun = time.perf_counter()
            os.write(bare_file, row.body)
            os.fdatasync(bare_file)
            synced = time.perf_counter()
            await journal.append([row])
            bare.append(synced - begun)
            kept.append(time.perf_counter() - synced)
        bursts = [await _burst(journal, [chain.next() for _ in range(_BURST)]) for _ in range(max(1, number // _BURST))]
        os.close(bare_file)
        await journal.close()
    print(f"{number} records of {len(row.body)} bytes in {folder}; milliseconds: median / 95 % / worst")
    print(f"  append and fdatasync  {_times(bare)}")
    print(f"  the journal           {_times(kept)}   {_ratio(kept, bare):5.2f} times as long")
    print(f"  commits a second, one record each: {1 / statistics.mean(kept):8.0f}")
    print(f"  records a second, {_BURST} waiting:     {_BURST / statistics.mean(bursts):8.0f}")
    share = statistics.mean(bursts) / _BURST / statistics.median(bare)
    print(f"  a record among {_BURST} costs {share:5.2f} bare appends")
    print(f"  a checkpoint's signature: {1000 * _signing():.3f} ms")


async def _burst(journal: Journal, rows: Sequence[Row]) -> float:
    begun = time.perf_counter()
    await asyncio.gather(*(journal.append([row]) for row in rows))
    return time.perf_counter() - begun


def _signing() -> float:
    signer, begun = Signer(bytes(32)), time.perf_counter()
    for seq in range(200):
        signer.checkpoint("epoch", seq, "0" * 64)
    return (time.perf_counter() - begun) / 200


def _ratio(ours: Sequence[float], bare: Sequence[float]) -> float:
    return statistics.median(ours) / statistics.median(bare)


def _times(seconds: Sequence[float]) -> str:
    ordered = sorted(1000 * each for each in seconds)
    late = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"{statistics.median(ordered):7.3f} / {late:7.3f} / {ordered[-1]:7.3f}"


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, Path(sys.argv[2] if len(sys.argv) > 2 else ".")))
