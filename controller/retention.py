"""How long records are kept: which ones may go, and what has to stay of those.

Whole rounds go, up to a checkpoint, and a record of the pruning says so with the hash of the last one: the chain is
checked from there on. What a start still needs of the older ones stays, each named by its hash in that record."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.ages import Old
from controller.enforcement import changes_lock
from controller.journal_file import Row, reading, select_after
from controller.standing import read_standing
from protocols.records import PRUNED, SystemNoted


@dataclass(frozen=True, slots=True)
class Pruning:
    """The records up to `through`, a checkpoint's, whose hash is `hash`, go; of them stay those in `kept`, by number
    and hash."""

    through: int
    hash: str
    kept: Mapping[int, str]

    def note(self) -> SystemNoted:
        """What its record says."""
        kept = [{"seq": seq, "hash": hash_} for seq, hash_ in self.kept.items()]
        return SystemNoted(PRUNED, {"through": self.through, "hash": self.hash, "kept": kept})

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Pruning:
        """What a record of a pruning says; LookupError, TypeError or ValueError where it is none."""
        kept = {int(each["seq"]): str(each["hash"]) for each in data["kept"]}
        return cls(int(data["through"]), str(data["hash"]), kept)


def planned(path: Path, old: Old) -> Pruning | None:
    """What can go of that which is old; None where nothing can.

    Nothing goes that the broker has not acknowledged, that the running round or the one before needs, or that no
    checkpoint covers."""
    with reading(path) as connection:
        last = min(old(connection), _last_delivered(connection), _last_settled(connection))
        found = connection.execute(
            "SELECT seq, hash FROM record WHERE seq = (SELECT max(seq) FROM checkpoint WHERE seq <= ?)", (last,)
        ).fetchone()
        if found is None:
            return None
        through, hash_ = found
        kept = {row.seq: row.hash.hex() for row in _needed(select_after(connection, 0, through))}
        kept |= dict(_parked(connection, through))
        total = connection.execute("SELECT count(*) FROM record WHERE seq <= ?", (through,)).fetchone()[0]
    return Pruning(through, hash_.hex(), dict(sorted(kept.items()))) if total > len(kept) else None


def _last_delivered(connection: sqlite3.Connection) -> int:
    """The last record that everybody who reads the journal is done with."""
    found: int | None = connection.execute("SELECT min(seq) FROM cursor").fetchone()[0]
    return found or 0


def _last_settled(connection: sqlite3.Connection) -> int:
    """The last record that a start does not read any more."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'snapshot'").fetchone()
    header: int = connection.execute("SELECT coalesce(max(seq), 0) FROM record WHERE kind = 'header'").fetchone()[0]
    quick = read_standing(found[0] if found else None)
    return int(quick["facts_from"] if quick and quick["seq"] > header else header) - 1


def _parked(connection: sqlite3.Connection, through: int) -> Iterable[tuple[int, str]]:
    """Those that the broker refused: nobody has them but the journal."""
    select = "SELECT seq, lower(hex(hash)) FROM record JOIN parked USING(seq) WHERE seq <= ?"
    yield from connection.execute(select, (through,))


def _needed(rows: Iterable[Row]) -> Iterable[Row]:
    """Of these the last ones of each kind that a start looks for, however old they are."""
    last: dict[tuple[str, ...], Row] = {}
    for row in rows:
        for key in _keys(row.kind, json.loads(row.body)["data"]):
            last[key] = row
    return {row.seq: row for row in last.values()}.values()


def _keys(kind: str, data: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """As what a record may be looked for: the header; the start; how a device's link stands, what it attested, which
    errors it has, which event number was its last; when the reader was inspected; whether the shoe is locked."""
    match kind:
        case "header":
            return [("header",)]
        case "link" | "security":
            return [(kind, str(data["device"]))]
        case "system" if data["what"] == "start":
            return [("start",)]
        case "order" if changes_lock(data):
            return [("lock",)]
        case "input" if "inspected" in data:
            return [("inspected",)]
        case "device":
            told = data["data"]
            numbered = [("numbered", str(data["device"]))] if "eseq" in told else []
            return [("device", str(data["device"]), data["report"], str(told.get("code"))), *numbered]
        case "table" if "actor" in data["event"] and "seq" in data["event"]:
            return [("numbered", str(data["event"]["actor"]))]
    return []
