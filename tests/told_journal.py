"""A journal of a table that has dealt: coups with withheld cards, each round under a checkpoint of the table."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from test_ledger import HEADER, VAULT, dealt

from controller.clock import Clock
from controller.journal import Journal
from controller.journal_file import Row, read_all
from controller.ledger import Ledger
from controller.recovery import fresh, recovered
from protocols.cards import Card
from protocols.dealing.catalog import procedure_named
from protocols.events import HoleRevealed, PlayerActed, RoundClosed, RoundVoided
from protocols.floor.checkpoints import Signer
from protocols.records import Fact, LinkChanged, SystemNoted

SIGNER = Signer(bytes(range(32)))
STRANGER = Signer(bytes(32))
PROCEDURE = procedure_named(HEADER.procedure or "")


def round_of(card: str, *, voided: bool = False) -> tuple[Fact, ...]:
    """One box against a hole card that is turned, unless the round is voided."""
    if voided:
        return (*dealt(card), RoundVoided())
    return (*dealt(card), PlayerActed(box=1, action="stand"), HoleRevealed(card=Card.parse(card)), RoundClosed())


FACTS: tuple[Fact, ...] = (
    SystemNoted("start"),
    LinkChanged("shoe", "opening", "ready"),
    *round_of("Kh"),
    *round_of("4c", voided=True),
    *round_of("Td"),
    LinkChanged("shoe", "ready", "lost", "gone"),
)


def ledger_at(path: Path, journal: Journal, signer: Signer, clock: Clock) -> Ledger:
    """The ledger where the journal ends."""
    found = recovered(path, journal.epoch, procedure_named, VAULT)
    standing = (found or fresh(HEADER, PROCEDURE)).standing
    return Ledger(journal.source, standing, HEADER, PROCEDURE, VAULT, clock, signer)


async def _tell(path: Path, facts: Sequence[Fact], signer: Signer, *, delivered: bool, clock: Clock) -> None:
    journal = Journal.open(path, "riverside", "bj-07")
    ledger = ledger_at(path, journal, signer, clock)
    if not journal.last_seq:
        await journal.append([ledger.header(0)])
    for number, fact in enumerate(facts):
        entry = ledger.enter(fact, number)
        snapshot, checkpoints = entry.snapshot, [entry.checkpoint] if entry.checkpoint else []
        await journal.append(entry.rows, snapshot, checkpoints)
    if delivered:
        await journal.move_cursor("mqtt", journal.last_seq)
    await journal.close()


def tell(
    path: Path,
    facts: Sequence[Fact] = FACTS,
    signer: Signer = SIGNER,
    *,
    delivered: bool = False,
    clock: Clock | None = None,
) -> None:
    """Have the table go on where its journal ends, which is made where there is none."""
    asyncio.run(_tell(path, facts, signer, delivered=delivered, clock=clock or Clock("boot")))


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as anybody can change it who may write it."""
    with closing(sqlite3.connect(path)) as file, file:
        yield file


def rewritten(path: Path, rows: Sequence[Row]) -> None:
    """Put these rows in place of all that are there."""
    columns = ("seq", "boot", "mono_ns", "wall", "kind", "n", "round", "body", "sealed", "hash")
    with changing(path) as file:
        file.execute("DELETE FROM record")
        marks = ", ".join("?" * len(columns))
        for row in rows:
            file.execute(f"INSERT INTO record VALUES({marks})", [getattr(row, name) for name in columns])


def rechained(rows: Sequence[Row], first: int = 1, prev: str = "0" * 64) -> list[Row]:
    """The rows numbered and chained anew, as somebody does who knows how but has no key."""
    made = []
    for seq, row in enumerate(rows, start=first):
        fields: dict[str, Any] = json.loads(row.body) | {"seq": seq, "prev": prev}
        fields["id"] = f"{fields['epoch']}-{seq}"
        body = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        made.append(replace(row, seq=seq, body=body, hash=hashlib.sha256(body).digest()))
        prev = made[-1].hash.hex()
    return made


def found(path: Path) -> list[Row]:
    return list(read_all(path))
