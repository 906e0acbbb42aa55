"""What tables published, as an archive receives it; and what it has of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, select
from told_journal import FACTS, SIGNER, found, tell

from controller.archive.database import ArchiveError, Database, opened_to_read, opened_to_write, reading, writing
from controller.archive.schema import CHAIN, RECORD
from controller.archive.store import Received, Store, Taken
from controller.archive.taking import Chain, Of, known_chains
from controller.archive.verify import verify_archive
from controller.journal_file import Row, read_all
from controller.journal_verify import Verified
from protocols.floor.checkpoints import Signer
from protocols.floor.evidence import read_message
from protocols.keys import KeyRegistry
from protocols.records import Fact

SITE, TABLE = "riverside", "bj-07"


def bodies(folder: Path, name: str, facts: Sequence[Fact] = FACTS, signer: Signer = SIGNER) -> list[bytes]:
    """What a table of an epoch of its own published: rounds with withheld cards, each under a checkpoint."""
    path = folder / f"{name}.db"
    tell(path, facts, signer)
    return [row.body for row in found(path)]


def received(messages: Sequence[bytes], table: str = TABLE) -> list[Received]:
    return [Received(SITE, table, each) for each in messages]


def of(body: bytes) -> Of:
    message = read_message(body)
    return message.source, message.epoch


def archive(path: Path, database: Database) -> Taken:
    """Everything that is in the journal, published in order."""
    rows: list[Row] = list(read_all(path))
    table = of(rows[0].body)[0].rpartition("/")[2]
    with Store(database) as store:
        return store.take(received([row.body for row in rows], table), {})


@contextmanager
def looking(database: Database) -> Iterator[Connection]:
    engine = opened_to_read(database)
    try:
        with reading(engine, database) as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def changing(database: Database) -> Iterator[Connection]:
    """The database as anybody can change it who may write it."""
    engine = opened_to_write(database)
    try:
        with writing(engine, database) as connection:
            yield connection
    finally:
        engine.dispose()


def kept(database: Database) -> dict[Of, list[bytes]]:
    """The messages that are stored, by source and epoch, in their order."""
    with looking(database) as connection:
        wanted = select(CHAIN.c.source, CHAIN.c.epoch, RECORD.c.body).join(RECORD, RECORD.c.chain == CHAIN.c.id)
        found: dict[Of, list[bytes]] = {}
        for source, epoch, body in connection.execute(wanted.order_by(CHAIN.c.id, RECORD.c.seq)):
            found.setdefault((source, epoch), []).append(bytes(body))
        return found


def chains(database: Database) -> list[Chain]:
    """Every epoch of every table, how far it is stored; nothing where there is no archive yet."""
    try:
        with looking(database) as connection:
            return known_chains(connection)
    except ArchiveError:
        return []


def proved(database: Database, keys: KeyRegistry | None = None) -> list[Verified]:
    with looking(database) as connection:
        return list(verify_archive(connection, keys))
