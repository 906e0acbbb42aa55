"""The round of a procedure as a Mermaid state diagram, drawn from its document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from controller.diagrams import baccarat, blackjack, stud
from controller.diagrams.chart import Line
from protocols.dealing.model import Procedure

_ROUND_OF: Final[Mapping[str, Callable[[Procedure], Iterator[Line]]]] = {
    "baccarat": baccarat.round_of,
    "blackjack": blackjack.round_of,
    "stud": stud.round_of,
}


def diagram(procedure: Procedure) -> Iterator[str]:
    """The lines of a `stateDiagram-v2` with the procedure's defaults."""
    yield from ("---", f"title: {json.dumps(f'{procedure.id}: {procedure.title}')}", "---", "stateDiagram-v2")
    for line in _ROUND_OF[procedure.family](procedure):
        yield from line.written()
