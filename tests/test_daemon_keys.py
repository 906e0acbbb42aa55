"""The key with which a daemon signs: one of its own, the configured one, and that a change of it is told."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from daemon import Journal, configure, daemon, running
from mqtt_table import until

from controller.journal_verify import verify_journal
from controller.key_files import make_key, read_key
from protocols.floor.checkpoints import Signer
from protocols.keys import KnownKey, with_key

NOBODY = "mqtt://127.0.0.1:9"


def test_each_key_signs_and_a_change_is_told(tmp_path: Path) -> None:
    async def life(config: Path) -> None:
        journal = Journal(tmp_path)
        starts = journal.count(what="start")
        with running(daemon(config)) as process:
            await until(lambda: journal.count(what="start") > starts)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log

    config, journal = configure(tmp_path, "sim:x", NOBODY), tmp_path / "journal.db"
    own, other = tmp_path / "journal.db-signing-key", tmp_path / "other.key"
    asyncio.run(life(config))
    asyncio.run(life(config))
    first = Signer(read_key(own))
    assert own.stat().st_mode & 0o777 == 0o600
    assert verify_journal(journal).checkpoints == {first.key_id: 2}
    make_key(other)
    second = Signer(read_key(other))
    config.write_text(config.read_text().replace('"journal.db"', '"journal.db"\nsigning_key = "other.key"'))
    asyncio.run(life(config))
    asyncio.run(life(config))
    told = [data["data"] for data in Journal(tmp_path).records() if data.get("what") == "key.changed"]
    assert told == [{"from": first.key_id, "to": second.key_id, "public_key": second.public_key.hex()}]
    known = with_key({}, KnownKey("before", ("table",), first.public_key, "2026-01-01T00:00:00Z"))
    both = with_key(known, KnownKey("after", ("table",), second.public_key, "2026-01-01T00:00:00Z"))
    found = verify_journal(journal, both)
    assert (found.problem, found.checkpoints) == (None, {first.key_id: 2, second.key_id: 2})
    strange = verify_journal(journal, known).problem
    assert strange is not None
    assert second.key_id in strange.why
