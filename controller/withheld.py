"""What an event withholds until it is turned, and what opens its commitment then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from controller.vault import Secret
from protocols.cards import Card
from protocols.dealing.check import Check
from protocols.events import CardDrawn, CardRevealed, ReaderPeeked, RoundVoided, TableEvent
from protocols.hidden import Hidden, hide_text, opened, opened_text


@dataclass(frozen=True, slots=True)
class Committed:
    """What was withheld and committed to in record `seq`: the event's field `name`."""

    seq: int
    name: Literal["card", "result"]
    commit: str
    secret: Secret


def record_context(epoch: str, seq: int) -> str:
    """What a sealed value is bound to."""
    return f"{epoch}\n{seq}"


def as_shown(event: TableEvent, check: Check) -> TableEvent:
    """The event as everybody may see it."""
    if isinstance(event, ReaderPeeked):
        return event.model_copy(update={"result": None})
    if isinstance(event, CardRevealed) and isinstance(event.card, Hidden):
        return event.model_copy(update={"card": opened(event.card)})
    if not isinstance(event, CardDrawn) or event.card is None:
        return event
    draw = check.state.round.draws[-1]
    return event.model_copy(update={"card": draw.card if isinstance(draw.card, Card) else None})


def origin(check: Check, event: TableEvent) -> int:
    """Under which number what this event withholds is kept."""
    return check.state.round.draws[-1].origin if isinstance(event, CardDrawn) else check.events


def secret_of(
    check: Check, event: TableEvent, withheld: Mapping[int, Committed]
) -> tuple[Literal["card", "result"], Hidden] | None:
    if isinstance(event, ReaderPeeked) and event.result is not None:
        return "result", event.result if isinstance(event.result, Hidden) else hide_text(event.result)
    if not isinstance(event, CardDrawn):
        return None
    draw = check.state.round.draws[-1]
    known = draw.origin in withheld
    return ("card", draw.card) if isinstance(draw.card, Hidden) and not known else None


def still_withheld(withheld: Mapping[int, Committed], check: Check, event: TableEvent) -> dict[int, Committed]:
    """What is withheld after the event; `check` the check after it."""
    if isinstance(event, RoundVoided):
        return {}
    values = check.values()
    return {
        n: each
        for n, each in withheld.items()
        if (check.withholds_peek if each.name == "result" else isinstance(values.get(n), Hidden))
    }


def turned_by(withheld: Mapping[int, Committed], check: Check, event: TableEvent) -> list[Committed]:
    """What became public with the event; what nobody can turn any more, and a voided round, stays closed."""
    if isinstance(event, RoundVoided):
        return []
    values = check.values()
    return [
        each
        for n, each in withheld.items()
        if (not check.withholds_peek if each.name == "result" else isinstance(values.get(n), Card))
    ]


def opening(each: Committed) -> dict[str, Any]:
    """What opens the commitment of an earlier record."""
    value, nonce = opened_text(each.secret.value), each.secret.nonce.hex()
    return {"seq": each.seq, "field": each.name, "value": value, "nonce": nonce}
