"""The archive's tables, as the newest version of the schema has them; `migrations` brings older ones here.

All but the bytes of a message is derived from them, and is there to be searched."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)

_NOT_OK: Final = "outcome <> 'ok'"
_DEALT_BY: Final = "dealer IS NOT NULL"
_FAULTY: Final = "type IN ('shoe.faulted', 'reader.faulted', 'reader.restored', 'method.selected', 'lost')"

METADATA: Final = MetaData()

CHAIN: Final = Table(
    "chain",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("epoch", Text, nullable=False),
    Column("first", BigInteger, nullable=False),
    Column("mark", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
    Column("signed", BigInteger, nullable=False),
    Column("signer", Text),
    Column("round", BigInteger),
    Column("dealer", Text),
    UniqueConstraint("source", "epoch", name="chain_source"),
)
"""An epoch of a source: its first record and its last one, the `mark`, with that one's hash; `signed`: the last record
under a checkpoint, `signer` whose; the round and the dealer of the next record. A later epoch has a higher id."""

RECORD: Final = Table(
    "record",
    METADATA,
    Column("chain", Integer, ForeignKey("chain.id"), primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("type", Text),
    Column("n", BigInteger),
    Column("round", BigInteger),
    Column("outcome", Text),
    Column("code", Text),
    Column("rule", Text),
    Column("dealer", Text),
    Column("outlasts", Boolean, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""A record: `body` as it was published, `hash` its SHA-256 (32 bytes), `time` in milliseconds of UTC since 1970;
`outlasts`: it tells of more than its own round."""

INCIDENT: Final = Table(
    "incident",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("source", Text, nullable=False),
    Column("epoch", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("through", BigInteger, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("what", Text, nullable=False),
    Column("why", Text, nullable=False),
    UniqueConstraint("source", "epoch", "what", "seq", name="incident_of"),
)
"""What was refused or is missing, from record `seq` to `through`, and when the archive found it; told once each."""


def _index(name: str, *columns: str, where: str | None = None) -> Index:
    kept: dict[str, Any] = {} if where is None else {"sqlite_where": text(where), "postgresql_where": text(where)}
    return Index(name, *(RECORD.c[each] for each in columns), **kept)


NOT_OK: Final[ColumnElement[bool]] = literal_column(_NOT_OK)
FAULTY: Final[ColumnElement[bool]] = literal_column(_FAULTY)
"""A query that says it in these words reads no other records."""
OUTLASTS: Final[ColumnElement[bool]] = literal_column("outlasts")
INDEXES: Final = (
    _index("record_round", "chain", "round", "seq"),
    _index("record_time", "chain", "time", "round"),
    _index("record_kind", "chain", "kind", "seq"),
    _index("record_outlasts", "chain", "seq", where="outlasts"),
    _index("record_outcome", "outcome", "time", "code", "chain", where=_NOT_OK),
    _index("record_code", "code", "time", "chain", "round", where=_NOT_OK),
    _index("record_rule", "rule", "time", "chain", "round", where=_NOT_OK),
    _index("record_dealer", "dealer", "time", "outcome", "chain", "round", where=_DEALT_BY),
    _index("record_found", "chain", "outcome", "time", where=_NOT_OK),
    _index("record_faulty", "time", "type", "chain", where=_FAULTY),
    Index("incident_time", INCIDENT.c.time),
)
