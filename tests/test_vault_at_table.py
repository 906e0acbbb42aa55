"""A vault's keys at a running table: another one from a start on, and one that is gone while a hole card lies there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from daemon import check_chain, check_export, command, daemon, running
from own_table import OwnTable, own_table
from reader_table import AFTER_A_PEEK
from replay import read_again

from controller.journal_verify import verify_journal
from controller.key_files import read_key_ring
from controller.vault import vault_key_id
from protocols.events import HandSettled, HoleRevealed, InsuranceClosed, RoundClosed

DEADLINE_S = 60.0


def at_table(folder: Path, story: Callable[[OwnTable], Awaitable[None]]) -> None:
    async def told() -> None:
        async with asyncio.timeout(DEADLINE_S), own_table(folder) as table:
            await story(table)
            assert await table.stop() == 0
            check_chain(table.journal.rows())

    asyncio.run(told())
    assert verify_journal(folder / "journal.db").problem is None
    check_export(folder)


async def refused(table: OwnTable) -> str:
    """What a start says that does not come about."""
    count, log = len(table.journal.rows()), table.folder / "daemon.log"
    before = len(log.read_text())
    with running(daemon(table.folder / "table.toml")) as process:
        assert await process.ended() == 1
    assert len(table.journal.rows()) == count
    return log.read_text()[before:]


def test_another_key_from_a_start_on(tmp_path: Path) -> None:
    ring = tmp_path / "journal.db-vault-key"

    async def story(table: OwnTable) -> None:
        await table.deal("As", "7c")
        assert (await table.say(InsuranceClosed()))["ok"]
        table.kill()
        told = command("keys", "rotate-vault", str(ring))
        newer, older = map(vault_key_id, read_key_ring(ring))
        assert told.stdout == f"{newer} seals from the daemon's next start on; older keys that open: {older}\n"
        shown = command("keys", "show", "--vault", str(ring))
        assert shown.stdout == f"{newer}  seals, and opens\n{older}  opens\n"
        await table.start()
        changes = [data["data"] for data in table.journal.records() if data.get("what") == "vault_key.changed"]
        assert changes == [{"from": older, "to": newer}]
        await table.peek(natural=False)
        table.kill()
        await table.start()
        assert await table.due() == AFTER_A_PEEK
        assert table.journal.count(what="vault_key.changed") == 1
        await table.stand()
        turned = await table.say(HoleRevealed())
        assert turned["verdict"]["outcome"] == "ok"
        assert [each["value"] for each in table.last("hole.revealed")["disclosed"]] == ["7c"]
        assert [each["value"] for each in table.last("player.acted")["disclosed"]] == ["no_natural"]
        assert (await table.say(HandSettled(box=1, result="push")))["ok"]
        assert (await table.say(RoundClosed()))["ok"]
        assert table.codes() == []
        assert table.events("log.gap") == []
        command("keys", "rotate-vault", str(ring), "--forget")
        table.kill()
        await table.start()
        await table.deal()

    at_table(tmp_path, story)


def test_a_key_that_is_gone_while_a_hole_card_lies_there(tmp_path: Path) -> None:
    key = tmp_path / "journal.db-vault-key"

    async def story(table: OwnTable) -> None:
        await table.deal()
        sealed = table.last("card.drawn")
        table.kill()
        lost = key.rename(tmp_path / "lost")
        [used] = map(vault_key_id, read_key_ring(lost))
        seq = next(row.seq for row in table.journal.rows() if row.sealed)
        for _ in range(2):
            told = await refused(table)
            assert f"record {seq} holds what lies face down in the round that is open" in told
            assert f"Give back the key {used} that sealed it, or start once with --without-sealed" in told
            assert "Traceback" not in told
        await table.start("--without-sealed")
        gap = table.last("log.gap")
        assert (gap["event"]["reason"], gap["round"]) == ("sealed values cannot be opened", sealed["round"])
        table.kill()
        await table.start()
        assert len(table.events("log.gap")) == 1
        await table.card("2h", "dealer", "up")
        assert (await table.say(HoleRevealed()))["verdict"]["outcome"] == "unobservable"
        assert (await table.say(RoundClosed()))["ok"]
        assert table.codes() == []
        assert all("disclosed" not in data for data in table.journal.records())
        await table.deal()
        await table.peek(natural=True)
        assert (await table.say(HoleRevealed()))["verdict"]["code"] == "reader_mismatch"

    at_table(tmp_path, story)
    assert read_again(tmp_path, tmp_path / "journal.db").differs is None


def test_a_key_that_is_given_back(tmp_path: Path) -> None:
    key = tmp_path / "journal.db-vault-key"

    async def story(table: OwnTable) -> None:
        await table.deal()
        table.kill()
        lost = key.rename(tmp_path / "lost")
        await refused(table)
        lost.rename(key)
        await table.start()
        await table.peek(natural=False)
        await table.finish()
        assert table.codes() == []
        assert table.events("log.gap") == []

    at_table(tmp_path, story)
