"""The first version: chains, their records, and what went wrong."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_NOT_OK = "outcome <> 'ok'"
_DEALT_BY = "dealer IS NOT NULL"
_FAULTY = "type IN ('shoe.faulted', 'reader.faulted', 'reader.restored', 'method.selected', 'lost')"
_INDEXES: tuple[tuple[str, tuple[str, ...], str | None], ...] = (
    ("record_round", ("chain", "round", "seq"), None),
    ("record_time", ("chain", "time", "round"), None),
    ("record_kind", ("chain", "kind", "seq"), None),
    ("record_outlasts", ("chain", "seq"), "outlasts"),
    ("record_outcome", ("outcome", "time", "code", "chain"), _NOT_OK),
    ("record_code", ("code", "time", "chain", "round"), _NOT_OK),
    ("record_rule", ("rule", "time", "chain", "round"), _NOT_OK),
    ("record_dealer", ("dealer", "time", "outcome", "chain", "round"), _DEALT_BY),
    ("record_found", ("chain", "outcome", "time"), _NOT_OK),
    ("record_faulty", ("time", "type", "chain"), _FAULTY),
)


def upgrade() -> None:
    op.create_table(
        "chain",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("epoch", sa.Text, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("mark", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("signed", sa.BigInteger, nullable=False),
        sa.Column("signer", sa.Text),
        sa.Column("round", sa.BigInteger),
        sa.Column("dealer", sa.Text),
        sa.UniqueConstraint("source", "epoch", name="chain_source"),
    )
    op.create_table(
        "record",
        sa.Column("chain", sa.Integer, sa.ForeignKey("chain.id"), primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("type", sa.Text),
        sa.Column("n", sa.BigInteger),
        sa.Column("round", sa.BigInteger),
        sa.Column("outcome", sa.Text),
        sa.Column("code", sa.Text),
        sa.Column("rule", sa.Text),
        sa.Column("dealer", sa.Text),
        sa.Column("outlasts", sa.Boolean, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "incident",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("epoch", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("through", sa.BigInteger, nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.UniqueConstraint("source", "epoch", "what", "seq", name="incident_of"),
    )
    for name, columns, where in _INDEXES:
        kept = None if where is None else sa.text(where)
        op.create_index(name, "record", list(columns), sqlite_where=kept, postgresql_where=kept)
    op.create_index("incident_time", "incident", ["time"])
