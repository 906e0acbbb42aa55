"""Whatever is done to an archive's rows is found, and the first record named that is not what was published."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from archived import bodies, changing, of, proved, received
from command import shoewatch
from postgres import Postgres
from sqlalchemy import Connection, LargeBinary, bindparam, text
from told_journal import SIGNER, STRANGER

from controller.archive.database import Database, parse_database
from controller.archive.store import Store
from protocols.floor.messages import digest
from protocols.keys import KnownKey, with_key, write_keys

TRUSTED = with_key({}, KnownKey("bj-07", ("table",), SIGNER.public_key, "2026-01-01T00:00:00Z"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return bodies(tmp_path_factory.mktemp("whole"), "journal")


def run(statement: str) -> Callable[[Connection], None]:
    def apply(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return apply


def rewritten(seq: int, change: Callable[[Any], Any], *, rehashed: bool) -> Callable[[Connection], None]:
    """The record's message changed, its hash made to fit or not."""

    def apply(connection: Connection) -> None:
        body = bytes(connection.scalar(text("SELECT body FROM record WHERE seq = :seq"), {"seq": seq}))
        made = json.dumps(change(json.loads(body)), ensure_ascii=False, separators=(",", ":")).encode()
        hash_ = bytes.fromhex(digest(made if rehashed else body))
        update = text("UPDATE record SET body = :body, hash = :hash WHERE seq = :seq").bindparams(
            bindparam("body", type_=LargeBinary), bindparam("hash", type_=LargeBinary)
        )
        connection.execute(update, {"body": made, "hash": hash_, "seq": seq})

    return apply


def with_more(fields: Any) -> Any:
    return fields | {"more": 1}


def of_clubs(fields: Any) -> Any:
    fields["data"]["event"]["card"] = "2c"
    return fields


TAMPERED: dict[str, tuple[Callable[[Connection], None], int, str]] = {
    "a body": (rewritten(7, with_more, rehashed=False), 7, "its bytes do not match its hash"),
    "a body and its hash": (rewritten(7, of_clubs, rehashed=True), 8, "the chain is broken"),
    "the last one and its hash": (rewritten(29, with_more, rehashed=True), 29, "the hash of the epoch is"),
    "one taken out": (run("DELETE FROM record WHERE seq = 9"), 10, "records 9 to 9 are missing"),
    "the first taken out": (run("DELETE FROM record WHERE seq = 1"), 2, "records 1 to 1 are missing"),
    "the end cut off": (run("DELETE FROM record WHERE seq > 25"), 26, "it is missing: 29 was stored"),
    "a code hidden": (run("UPDATE record SET outcome = 'violation' WHERE seq = 5"), 5, "its outcome is 'violation'"),
    "a time": (run("UPDATE record SET time = time + 1 WHERE seq = 12"), 12, "its time is"),
    "a round": (run("UPDATE record SET round = 9 WHERE seq = 14"), 14, "its round is 9 in the archive and 2"),
    "a dealer": (run("UPDATE record SET dealer = 'eve' WHERE seq = 14"), 14, "its dealer is 'eve'"),
    "what outlasts": (run("UPDATE record SET outlasts = true WHERE seq = 4"), 4, "its outlasts is"),
    "a number": (run("UPDATE record SET seq = 90 WHERE seq = 29"), 90, "its seq is 90 in the archive and 29"),
    "another source": (
        run("UPDATE chain SET source = '/riverside/bj-08'"),
        1,
        "its source is '/riverside/bj-08'",
    ),
    "the mark": (run("UPDATE chain SET mark = 40"), 30, "it is missing: 40 was stored"),
    "who signed": (run("UPDATE chain SET signer = 'eve'"), 29, "the signer of the epoch is 'eve'"),
}


@pytest.mark.parametrize(("change", "seq", "why"), TAMPERED.values(), ids=TAMPERED)
def test_what_is_done_to_it_is_found(
    tmp_path: Path, whole: list[bytes], change: Callable[[Connection], None], seq: int, why: str
) -> None:
    check_found(filled(parse_database(str(tmp_path / "archive.db")), whole), change, seq, why)


@pytest.mark.parametrize("name", ["a body and its hash", "one taken out", "a dealer"])
def test_it_is_found_in_postgresql(postgresql: Postgres, whole: list[bytes], name: str) -> None:
    check_found(filled(postgresql.database(), whole), *TAMPERED[name])


def check_found(database: Database, change: Callable[[Connection], None], seq: int, why: str) -> None:
    with changing(database) as connection:
        change(connection)
    [found] = proved(database)
    assert found.problem is not None
    assert (found.problem.seq, why in found.problem.why) == (seq, True), found.problem


def test_records_of_no_epoch_are_found(tmp_path: Path, whole: list[bytes]) -> None:
    database = filled(parse_database(str(tmp_path / "archive.db")), whole)
    with changing(database) as connection:
        connection.exec_driver_sql("UPDATE chain SET id = 7")
    first, second = proved(database)
    assert (first.problem and first.problem.seq) == 1
    assert (second.problem and second.problem.why) == "its epoch is not among those that the archive knows"


def test_the_command(tmp_path: Path, whole: list[bytes]) -> None:
    database = filled(parse_database(str(tmp_path / "archive.db")), whole)
    source, epoch = of(whole[0])
    keys = tmp_path / "keys.toml"
    keys.write_text(write_keys(TRUSTED))
    found = shoewatch("archive", "verify", "--db", str(database), "--keys", str(keys))
    assert (found.status, found.stderr) == (0, "")
    assert found.stdout.splitlines() == [
        f"{source[1:]}, epoch {epoch}: 29 records, 1 to 29",
        f"  3 checkpoints by key {SIGNER.key_id}, of bj-07",
        "  the records from 28 on are under no checkpoint yet",
        "  2 commitments opened as they were made",
        "  sound",
    ]
    with Store(database) as store:
        store.take(received([whole[3].replace(b"round.opened", b"round.closed")]), {})
    keys.write_text(
        write_keys(with_key({}, KnownKey("other", ("table",), STRANGER.public_key, "2026-01-01T00:00:00Z")))
    )
    found = shoewatch("archive", "verify", "--db", str(database), "--keys", str(keys))
    assert found.status == 1
    *_, unsound, incident = found.stdout.splitlines()
    assert unsound == (
        f"  NOT SOUND: record 12: the checkpoint is signed by key {SIGNER.key_id}, which is not in the registry"
    )
    assert f"{source[1:]} {epoch} #4: fork: another record 4 is stored" in incident
    found = shoewatch("archive", "verify", "--db", str(database), "--json")
    one, other = map(json.loads, found.stdout.splitlines())
    assert (found.status, one["problem"], other["incident"]["what"]) == (0, None, "fork")


def test_two_archives_are_compared(tmp_path: Path, whole: list[bytes]) -> None:
    one, name = parse_database(str(tmp_path / "archive.db")), f"{tmp_path}/other.db"
    source, epoch = of(whole[0])
    filled(one, whole)
    filled(parse_database(name), whole[:20])
    where = ("archive", "verify", "--db", str(one))
    told = shoewatch(*where, "--against", name)
    ends = "here it ends with 29, there with 20"
    assert told.status == 0
    assert told.stdout.splitlines()[-1] == f"{source[1:]} {epoch}: the same up to record 20; {ends}"
    with changing(parse_database(name)) as connection:
        rewritten(20, with_more, rehashed=True)(connection)
    told = shoewatch(*where, "--against", name)
    assert told.status == 1
    assert told.stdout.splitlines()[-1] == f"{source[1:]} {epoch}: NOT THE SAME: record 20 is another one there; {ends}"
    filled(parse_database(f"{tmp_path}/none.db"), [])
    told = shoewatch(*where, "--against", f"{tmp_path}/none.db", "--json")
    last = json.loads(told.stdout.splitlines()[-1])["compared"]
    assert (told.status, last["same"], last["here"], last["there"]) == (0, None, 29, 0)


def filled(database: Database, whole: list[bytes]) -> Database:
    with Store(database, TRUSTED) as store:
        store.take(received(whole), {})
    return database
