"""`state`, retained: how the table stands, for whoever comes late. Pure; nothing in it tells what lies face down."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from controller.link_states import LinkStanding
from controller.reconcile import remarks
from controller.shown import Found, Shown, round_shown
from protocols.dealing.blackjack.method import method_at_opening
from protocols.dealing.check import Check
from protocols.dealing.laid_out import Hand, hands, shown_round
from protocols.dealing.outlook import outlook
from protocols.dealing.shoe import Shoe
from protocols.dealing.table import Round
from protocols.events import ReaderFaulted
from protocols.floor.messages import Source

SCHEMA: Final = "urn:shoewatch:state:1"


def state_message(shown: Shown, source: Source, time: str, *, reader: bool, alarms: Sequence[str]) -> bytes:
    """The payload. `time`: when it is made, RFC 3339; `reader`: the table has one; `alarms`: what is wrong with the
    daemon itself."""
    standing = shown.standing
    check, now = standing.check, outlook(standing.check)
    setting, seen, number = check.setting, shown_round(check.state), round_shown(standing)
    fields = {
        "dataschema": SCHEMA,
        "source": source.path,
        "epoch": source.epoch,
        "seq": standing.seq,
        "time": time,
        "procedure": setting.procedure.id,
        "family": setting.procedure.family,
        "options": dict(setting.options),
        "method": _method(check, seen),
        "round": {
            "number": number,
            "open": bool(seen and seen.opened and seen is check.state.round),
            "disputed": bool(seen and seen.disputed),
            "judged": not (seen and (seen.unjudged or seen.manifold)),
        },
        "hands": [_hand(hand) for hand in hands(check.state)],
        "shoe": _shoe(check.state.shoe),
        "reader": _reader(shown) if reader else None,
        "due": list(now.due),
        "remarks": [*now.remarks, *remarks(standing.entered), *shown.of_lock],
        "last": _last(shown.last) if shown.last and shown.last.round >= number else None,
        "links": {device: _link(link) for device, link in shown.links.items()},
        "alarms": list(alarms),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _method(check: Check, seen: Round | None) -> str | None:
    """How the round is dealt, as everybody at the table knows it; before the first one, how that will be."""
    if check.setting.procedure.deal is None:
        return None
    if seen is None or seen.play is None:
        return method_at_opening(check.setting, check.state.reader)
    return seen.play.as_seen().method


def _hand(hand: Hand) -> dict[str, Any]:
    return {"place": hand.place, "cards": [None if card is None else str(card) for card in hand.cards]}


def _shoe(shoe: Shoe) -> dict[str, Any]:
    """What nobody can be sure of is null: after a gap, or where the daemon came to a shoe in use."""
    shows = shoe.cutting_card.shown or shoe.cutting_card.last_round is not None
    return {
        "faulted": shoe.faulted,
        "cutting_card": True if shows else False if shoe.counted else None,
        "drawn": shoe.stock.drawn if shoe.counted else None,
    }


def _reader(shown: Shown) -> dict[str, Any]:
    fault = shown.standing.lasting.get("reader")
    out = shown.standing.check.state.reader.faulted
    return {"out": out, "code": fault.code if out and isinstance(fault, ReaderFaulted) else None}


def _last(found: Found) -> dict[str, Any]:
    verdict = found.verdict
    return {
        "seq": found.seq,
        "outcome": verdict.outcome,
        "code": verdict.code,
        "rule": verdict.rule,
        "detail": verdict.detail,
    }


def _link(link: LinkStanding) -> dict[str, Any]:
    return {"state": link.state, "since": link.since, "loss": link.loss, "losses": link.losses}
