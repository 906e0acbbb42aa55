"""The check's answer to one event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import TypeAdapter

Outcome = Literal["ok", "warning", "violation", "unobservable"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """All eleven keys, always and in this order.

    `event`: number of the event in the log, from 1, header not counted. `round`: from 1. `draw`: number of the
    card in its round, None where the event is no draw. `to`, `face`: where the card went or should go.
    `expected`: what was right before the event. `rule`: the paragraph. `detail`: one sentence for a supervisor."""

    type: Literal["verdict"]
    event: int
    round: int
    draw: int | None
    outcome: Outcome
    code: str | None
    to: str | None
    face: str | None
    expected: tuple[str, ...]
    rule: str | None
    detail: str | None


VERDICT: Final[TypeAdapter[Verdict]] = TypeAdapter(Verdict)
