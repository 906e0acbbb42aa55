"""Takes what tables published: each record once, in its order, by what is stored of its chain. Blocking.

Any number of stores may work on one database: the end of a chain is read and moved in the transaction that stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from controller.archive.database import Database, opened_to_write, reading, writing
from controller.archive.judging import Refused, arrived
from controller.archive.taking import Came, Chain, Of, known_chains, locked_chains, take_chain, tell
from protocols.keys import KeyRegistry


@dataclass(frozen=True, slots=True)
class Received:
    """What came on a topic `casino/v1/SITE/TABLE/evt/...`."""

    site: str
    table: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a batch. `stored` records are on disk; `repeats` were stored before.

    `marks`: by source and epoch the last record of the batch that is stored as it came: so far the table may be told
    that the archive has all that it sent. `gaps`: the record to ask for. `refused`: how many, by reason."""

    stored: int = 0
    repeats: int = 0
    marks: Mapping[Of, int] = field(default_factory=dict)
    gaps: Mapping[Of, int] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)


class Store:
    """An archive's database, ready to take. `keys`: whose signatures are trusted, None where any signature is."""

    def __init__(self, database: Database, keys: KeyRegistry | None = None) -> None:
        self._database = database
        self._engine = opened_to_write(database)
        self._keys = keys

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._engine.dispose()

    def take(self, batch: Sequence[Received], oldest: Mapping[Of, int]) -> Taken:
        """Store what follows; once this returns, it is on disk. `oldest`: where it is known, the record from which on a
        table still has all. ArchiveError where the database takes nothing: then nothing of the batch is stored."""
        came, refused = _sorted_out(batch)
        if not came:
            return Taken(refused=refused)
        with writing(self._engine, self._database) as connection:
            chains = locked_chains(connection, {of: _may_begin(each, oldest.get(of, 1)) for of, each in came.items()})
            parts = {
                of: take_chain(connection, chain, came[of], oldest.get(of, 1), self._keys)
                for of, chain in chains.items()
            }
            tell(connection, [incident for part in parts.values() for incident in part.incidents])
        outcomes = sum((part.outcomes for part in parts.values()), Counter[str]())
        return Taken(
            stored=outcomes.pop("stored", 0),
            repeats=outcomes.pop("repeat", 0),
            marks={of: part.confirmed for of, part in parts.items() if part.confirmed},
            gaps={of: parts[of].gap if of in parts else 1 for of in came if of not in parts or parts[of].gap},
            refused=refused + Counter({name: outcomes[name] for name in outcomes if name != "gap"}),
        )

    def sources(self) -> Sequence[Chain]:
        """Every epoch of every source that there are records of, as they began."""
        with reading(self._engine, self._database) as connection:
            return known_chains(connection)


def _sorted_out(batch: Sequence[Received]) -> tuple[dict[Of, list[Came]], Counter[str]]:
    """What came of each epoch of each source, in order; and how much of the batch is none of any, by reason."""
    came: dict[Of, list[Came]] = {}
    refused: Counter[str] = Counter()
    for each in batch:
        try:
            message = arrived(each.site, each.table, each.payload)
        except Refused as error:
            refused[error.code] += 1
        else:
            came.setdefault((message.source, message.epoch), []).append(Came(message, each.payload))
    for messages in came.values():
        messages.sort(key=lambda each: each.message.seq)
    return came, refused


def _may_begin(came: Sequence[Came], oldest: int) -> bool:
    """Whether an epoch that nothing is stored of may begin with one of these."""
    return came[0].message.seq <= max(1, oldest)
