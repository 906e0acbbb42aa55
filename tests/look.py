"""What a table looks like from outside, without what differs from table to table for no reason of the cards."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from leaks import Watch
from own_table import OwnTable

_VOLATILE: Final = {"id", "epoch", "prev", "time", "sealed", "commit", "state", "t_ms", "age_s", "vault_key"}
"""Names, times, and what depends on them or on random numbers."""
_RANDOM: Final = re.compile(r"sim-[0-9a-f]{8}|127\.0\.0\.1:\d+")
_STAMP: Final = len("2026-11-30 10:42:28,342")


@dataclass(frozen=True, slots=True)
class Look:
    """`table`, `others`: the records of the table, and of all else in no order; `sizes` of the former's messages,
    `sealed` of what is sealed with them; `panel`: verdicts and what is due; `state`: what stands on the broker;
    `log`: its lines, each once."""

    table: tuple[str, ...]
    others: tuple[str, ...]
    sizes: tuple[int, ...]
    sealed: tuple[int, ...]
    panel: tuple[str, ...]
    topics: tuple[str, ...]
    state: str
    log: frozenset[str]


def look(table: OwnTable, watch: Watch) -> Look:
    """How a table looks by now."""
    rows = table.journal.rows()
    of_table = [row for row in rows if row.kind == "table"]
    return Look(
        table=tuple(_record(row.body, table) for row in of_table),
        others=tuple(sorted(_record(row.body, table) for row in rows if row.kind != "table")),
        sizes=tuple(len(row.body) for row in of_table),
        sealed=tuple(len(row.sealed) for row in rows if row.sealed),
        panel=tuple(line.decode() for line in table.display.lines if b'"due"' in line),
        topics=tuple(sorted(watch.topics)),
        state=_state(watch, table),
        log=frozenset(_steady(line[_STAMP:], table) for line in table.daemon.log.splitlines()),
    )


def _state(watch: Watch, table: OwnTable) -> str:
    last = watch.states[-1]
    links = {device: {**link, "since": ""} for device, link in sorted(last["links"].items())}
    return _steady(json.dumps(_lasting({**last, "seq": 0, "links": links})), table)


def _record(body: bytes, table: OwnTable) -> str:
    return _steady(json.dumps(_lasting({**json.loads(body), "seq": 0})), table)


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _lasting(item) for name, item in value.items() if name not in _VOLATILE}
    return [_lasting(item) for item in value] if isinstance(value, list) else value


def _steady(text: str, table: OwnTable) -> str:
    return _RANDOM.sub("-", text.replace(str(table.folder), "-"))
