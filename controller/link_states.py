"""How the links of a table's devices stand, from what its journal holds since the daemon last began."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from controller.journal_file import Row, last_start, read_kinds
from firmware_bridge.node import locked_by
from protocols.records import AWAY, FLOOR, Kind, LinkChanged, LinkState, LossKind

LINK_KINDS: Final[tuple[Kind, ...]] = ("link", "device", "security")


@dataclass(frozen=True, slots=True)
class LinkStanding:
    """One device. `since`: when it came to this state, RFC 3339. `loss`, `detail`: why the link is not up, or was not
    when it last was not. `ready`, `losses`: how often it was up, and was lost. `unused`: what its line brought that was
    of no use, by counter. `alarm`: the last security event, as code and detail, unless it was ready since."""

    state: LinkState
    since: str
    loss: LossKind | None = None
    detail: str | None = None
    ready: int = 0
    losses: int = 0
    unused: Mapping[str, int] = field(default_factory=dict)
    alarm: tuple[str, str] | None = None


Links = Mapping[str, LinkStanding]


@dataclass(frozen=True, slots=True)
class TableLinks:
    """`pid`: of the daemon that runs, None where none does; `began`: when it, or the last one, did; `seq`: the last
    record that was taken in."""

    pid: int | None
    began: str | None
    links: Links
    seq: int


def read_links(journal: Path, lock: Path) -> TableLinks:
    """How the links stand; JournalError where the journal cannot be read."""
    pid = locked_by(lock)
    start = last_start(journal)
    rows = list(read_kinds(journal, ("system", *LINK_KINDS), start - 1 if start else 0))
    began = rows[0].wall if start else None
    return TableLinks(pid, began, links_after({}, rows), rows[-1].seq if rows else start)


def links_after(links: Links, rows: Iterable[Row]) -> Links:
    """The links after these records too."""
    found = dict(links)
    for row in rows:
        if row.kind in LINK_KINDS:
            data = json.loads(row.body)["data"]
            device = str(data["device"])
            if device != FLOOR:
                before = found.get(device, LinkStanding("absent", row.wall))
                found[device] = _after(before, row.kind, data, row.wall)
    return found


def _after(link: LinkStanding, kind: str, data: Mapping[str, Any], wall: str) -> LinkStanding:
    match kind:
        case "link":
            change = LinkChanged(data["device"], data["from"], data["to"], data["loss"], data["detail"])
            return _moved(link, change, wall)
        case "security":
            return replace(link, alarm=(str(data["code"]), str(data["detail"])))
        case "device" if data["report"] == "counters":
            counted = {name: link.unused.get(name, 0) + count for name, count in data["data"].items()}
            return replace(link, unused={**link.unused, **counted})
    return link


def _moved(link: LinkStanding, change: LinkChanged, wall: str) -> LinkStanding:
    now = change.now
    since = link.since if now == link.state else wall
    if now == "ready":
        return replace(link, state=now, since=since, ready=link.ready + (link.state != "stalled"), alarm=None)
    loss, detail = (change.loss, change.detail) if now in AWAY else (link.loss, link.detail)
    return replace(link, state=now, since=since, loss=loss, detail=detail, losses=link.losses + change.is_loss)
