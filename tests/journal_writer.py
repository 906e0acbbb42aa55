"""Fills a journal record by record, twice over: `journal_writer.py FILE COUNT`; says what is on disk as it is told."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from mqtt_table import add, opened


async def write(path: Path, count: int) -> None:
    for _ in range(2):
        async with opened(path) as journal:
            for number in range(count):
                await add(journal, 1 + number % 3)
                print(journal.last_seq, flush=True)
                if number % 5 == 0:
                    await journal.move_cursor("mqtt", journal.last_seq)


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2])))
