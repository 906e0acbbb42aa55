"""Counts of what a table has recorded since its daemon began, and how long its cards took to the disk. Pure."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from controller.journal_file import Row
from controller.metric import Metric
from protocols.records import LinkChanged

_MINUTE_NS: Final = 60 * 1_000_000_000
_MOST: Final = 10_000
_NS: Final = 1e-9
_OF_EVENTS: Final = {"card.drawn": "draws", "round.opened": "rounds", "reader.peeked": "peeks"}
_OF_OUTCOMES: Final = {"violation": "violations", "unobservable": "unobservable"}
_SAID: Final[Mapping[str, str]] = {
    "events": "Table events that were judged",
    "draws": "Cards that left the shoe, or were moved",
    "rounds": "Rounds that were opened",
    "peeks": "Answers of the hole-card reader",
    "violations": "Events that broke the dealing procedure",
    "unobservable": "Events that could not be judged",
    "security": "What looked like an attack, or like another device",
}


class Tally:
    """Takes records once they are on disk, in their order."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self._took: deque[tuple[int, int]] = deque(maxlen=_MOST)

    def take(self, row: Row, now_ns: int) -> None:
        """`now_ns`: the monotonic clock once the record is on disk."""
        data = json.loads(row.body)["data"]
        match row.kind:
            case "table":
                self._take_event(data, row, now_ns)
            case "security":
                self._counts["security"] += 1
            case "link":
                change = LinkChanged(data["device"], data["from"], data["to"], data["loss"], data["detail"])
                self._losses[change.device] += change.is_loss

    def metrics(self, now_ns: int) -> Iterator[Metric]:
        """What was counted; the times are those of the last minute's cards, left out where there were none."""
        for name, said in _SAID.items():
            yield Metric(name, said, self._counts[name], counts=True)
        for device, losses in sorted(self._losses.items()):
            yield Metric("link-losses", "Links that were up and were lost", losses, counts=True, device=device)
        took = sorted(took for at, took in self._took if at > now_ns - _MINUTE_NS)
        for percent in (50, 99):
            if took:
                slowest = took[min(len(took) - 1, len(took) * percent // 100)] * _NS
                said = (
                    f"From a card's last byte until its record was on disk, {percent} of 100 cards of the last minute"
                )
                yield Metric(f"commit-p{percent}-seconds", said, slowest)

    def _take_event(self, data: Mapping[str, Any], row: Row, now_ns: int) -> None:
        kind = data["event"]["type"]
        named = (_OF_EVENTS.get(kind), _OF_OUTCOMES.get(data["verdict"]["outcome"]))
        self._counts.update(["events", *filter(None, named)])
        if kind == "card.drawn":
            self._took.append((now_ns, now_ns - row.mono_ns))
