"""Two archives of the same tables against one another: where both have the same hash, all before it is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from controller.archive.schema import RECORD
from controller.archive.taking import Chain, Of, known_chains


@dataclass(frozen=True, slots=True)
class Compared:
    """An epoch of a table. `here`, `there`: the last record that each archive has, 0 where it has none; `same`: the
    last one that both have is one and the same, None where they have none in common."""

    source: str
    epoch: str
    here: int
    there: int
    same: bool | None


def compared(here: Connection, there: Connection) -> Iterator[Compared]:
    """Every epoch of every table that one of the two knows, in order."""
    ours, theirs = ({_of(each): each for each in known_chains(connection)} for connection in (here, there))
    for of in sorted(ours.keys() | theirs.keys()):
        one, other = ours.get(of), theirs.get(of)
        same = None if one is None or other is None else _same(here, one, there, other)
        yield Compared(*of, one.mark if one else 0, other.mark if other else 0, same)


def _same(here: Connection, one: Chain, there: Connection, other: Chain) -> bool | None:
    last = min(one.mark, other.mark)
    found, known = _hash(here, one, last), _hash(there, other, last)
    return None if found is None or known is None else found == known


def _hash(connection: Connection, chain: Chain, seq: int) -> bytes | None:
    wanted = select(RECORD.c.hash).where(RECORD.c.chain == chain.id, RECORD.c.seq == seq)
    found = connection.scalar(wanted)
    return None if found is None else bytes(found)


def _of(chain: Chain) -> Of:
    return chain.source, chain.epoch
