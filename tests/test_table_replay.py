"""The journal of a blackjack table read again gives the live verdicts and the live state, record by record."""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from daemon import AT_ONCE, Journal, configure_table, daemon, live_table, running
from mqtt_table import until
from own_table import NOWHERE
from replay import check_replay, read_again, without_snapshot

OPTIONS = ("--rounds", "8", "--pace", "0", "--hurry", "50", "--faults", "0.4", "--reader-faults", "0.4")


def played(folder: Path, options: str, *given: str) -> None:
    """A few rounds with misdeals and reader faults."""
    truth = folder / "truth.jsonl"

    async def play() -> None:
        config = configure_table(folder, f"serial:{folder}/shoe", f"serial:{folder}/reader", NOWHERE, options=options)
        with running(live_table(folder, *OPTIONS, *given)):
            await until((folder / "shoe").is_symlink)
            with running(daemon(config, command=AT_ONCE)) as process:
                await until(lambda: '{"finished": true}' in truth.read_text(), 60)
                process.signal(signal.SIGTERM)
                assert await process.ended() == 0

    asyncio.run(play())


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("{}", ("--seed", "5", "--withhold")),
        ('{ fallback = "nd-no-hole" }', ("--seed", "6", "--option", "fallback=nd-no-hole")),
    ],
    ids=["values late", "no hole card"],
)
def test_a_journal_gives_the_live_verdicts_and_states(tmp_path: Path, options: str, given: tuple[str, ...]) -> None:
    played(tmp_path, options, *given)
    events = [data["event"]["type"] for data in Journal(tmp_path).records() if data["kind"] == "table"]
    assert {"reader.peeked", "reader.faulted", "hole.revealed"} <= set(events)
    check_replay(tmp_path)
    change_state(without_snapshot(tmp_path), "hole.revealed")


def change_state(journal: Path, event: str) -> None:
    """A record whose state is another one is found."""
    with closing(sqlite3.connect(journal)) as file:
        select = "SELECT seq, body FROM record WHERE instr(body, ?) LIMIT 1"
        seq, body = file.execute(select, (f'"type":"{event}"'.encode(),)).fetchone()
        message = json.loads(body)
        message["data"]["state"] = "0" * 64
        changed = json.dumps(message).encode()
        hashed = hashlib.sha256(changed).digest()
        file.execute("UPDATE record SET body = ?, hash = ? WHERE seq = ?", (changed, hashed, seq))
        file.commit()
    assert read_again(journal.parent, journal).differs == seq
