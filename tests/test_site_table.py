"""A running daemon at a table of the site's own procedure: its options, its paragraphs, its fallback, its journal."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from daemon import check_export
from own_table import OwnTable, own_table

from protocols.events import HandSettled, HoleRevealed, MethodSelected, PlayerActed

ROOT = Path(__file__).parent.parent
GAME = 'procedure = "riverside-21"\nprocedures = "procedures.d"'
DEADLINE_S = 60.0


async def split(table: OwnTable) -> str | None:
    """A ten and a jack are split, which `pair = "rank"` does not allow; the code of the verdict."""
    await table.open_round()
    await table.card("Ts", "box:1")
    await table.card("6h", "dealer", "up")
    await table.card("Jd", "box:1")
    await table.card("Tc", "dealer", "down")
    answer = await table.say(PlayerActed(box=1, action="split"))
    assert (await table.say(PlayerActed(box=1, action="stand")))["ok"]
    code: str | None = answer["verdict"]["code"]
    return code


async def play(table: OwnTable) -> None:
    assert await split(table) == "split_not_pair"
    table.kill()
    await table.start()
    assert (await table.say(HoleRevealed()))["ok"]
    await table.card("9h", "dealer")
    assert (await table.say(HandSettled(box=1, result="win")))["ok"]
    await table.lose_reader()
    chosen = MethodSelected(procedure="riverside-21-no-reader")
    assert (await table.say(chosen, supervisor=True))["verdict"]["code"] is None
    assert await table.stop() == 0


def test_a_daemon_checks_by_a_sites_document_and_its_journal_is_checked_again(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "procedures.d", tmp_path / "procedures.d")

    async def told() -> None:
        async with asyncio.timeout(DEADLINE_S), own_table(tmp_path, procedure=GAME) as table:
            await play(table)

    asyncio.run(told())
    check_export(tmp_path, "--procedures", str(tmp_path / "procedures.d"))
