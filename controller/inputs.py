"""What people may say, and when: role, state, idempotence. Pure; the table asks about each input as it takes it in."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from controller.answers import Answer, Known, Recalled, input_of, remember, under_way
from controller.pending import Pending
from controller.reconcile import AWAY, ShoeLine
from controller.resending import read_resend
from controller.resolving import read_resolution
from controller.spoken_orders import ToOrder, read_order
from controller.standing import Standing
from firmware_bridge.arrival import Asked, Signed
from protocols import keys
from protocols.cards import RANKS, SUITS, Card
from protocols.dealing.check import Check
from protocols.errors import LogError, ShoewatchError, did_you_mean, quoted
from protocols.events import (
    EVENT_MODELS,
    CardDrawn,
    CardRevealed,
    Event,
    LogHeader,
    ReaderFaulted,
    ReaderRestored,
    TableEvent,
)
from protocols.floor.commands import Objection, late
from protocols.hidden import Hidden, hide
from protocols.records import NextCard, ReaderInspected, Resend, Resolution
from protocols.tablelog import read_line

_DEALER: Final = frozenset(
    {
        *("round.opened", "round.closed", "wager.changed", "call.made", "call.missed", "player.acted"),
        *("insurance.opened", "insurance.closed", "hole.looked", "hole.revealed", "hands.turned"),
        *("community.revealed", "stub.discarded", "stub.counted", "hand.settled"),
        *("cards.replaced", "cards.shuffled", "cards.cut", "cards.collected", "card.burned", "cut_card.placed"),
        *("dealer.changed", "shoe.loaded", "shoe.emptied"),
    }
)
_BY_HAND: Final = frozenset({"card.drawn", "card.revealed"})
_SUPERVISOR: Final = _DEALER | _BY_HAND | {"method.selected", "round.voided", "reader.faulted", "reader.restored"}
MAY_SAY: Final[Mapping[keys.Role, frozenset[str]]] = {"dealer": _DEALER, "supervisor": _SUPERVISOR}

_IN_A_ROUND: Final = frozenset(
    {
        *("round.closed", "round.voided", "player.acted", "insurance.opened", "insurance.closed"),
        *("hole.looked", "hole.revealed", "hands.turned", "community.revealed"),
    }
)
_OF_NEXT: Final = ("to", "face")
_NAME_LENGTH: Final = 64


@dataclass(frozen=True, slots=True)
class Accepted:
    """The input is this event."""

    event: TableEvent


@dataclass(frozen=True, slots=True)
class Refused:
    """Not accepted, one sentence why; `type` what it was to be, None where it named nothing of the kind; `code` where
    that is said of the command as it is, whatever it wants."""

    type: str | None
    why: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """The input came before, and this was the answer."""

    answer: Answer


Word = ReaderFaulted | ReaderRestored | ReaderInspected
Judged = Accepted | NextCard | ReaderInspected | Resolution | Resend | ToOrder | Refused | Repeated
Fallback = Callable[[Word, Check], Accepted | ReaderInspected | Refused]
"""Decides what becomes of a supervisor's word on the reader."""


def no_reader(word: Word, check: Check) -> Refused:  # noqa: ARG001
    """The fallback of a table without a reader."""
    return Refused(word.name, f"{word.name}: this table has no reader")


class Inputs:
    """`told_by_devices`: events that a device of this table tells, so that nobody else does; `past`: before a restart;
    `devices`: those that somebody can have told something.

    `pending`: what was said of the next card."""

    def __init__(
        self,
        told_by_devices: frozenset[str],
        past: Recalled,
        fallback: Fallback = no_reader,
        devices: Collection[str] = ("shoe",),
    ) -> None:
        self._told_by_devices = told_by_devices
        self._devices = devices
        self._inputs = {sender: dict(known) for sender, known in past.inputs.items()}
        self._fallback = fallback
        self.pending = Pending(past.told)

    def judge(self, asked: Asked, check: Check, line: ShoeLine = AWAY, standing: Standing | None = None) -> Judged:
        """What becomes of an input that comes to this check while the shoe's line stands so; `standing`: the table's,
        which a command is held against."""
        before = self._inputs.get(asked.sender, {}).get(asked.id)
        if before is not None and before.said(input_of(asked.fields)):
            return Repeated(before.answer)
        objection = _objection(asked.signed, standing) if asked.signed and standing else None
        if objection is not None:
            return Refused(input_of(asked.fields).type, objection.why, objection.code)
        try:
            if before is not None:
                raise LogError("field 'id': another input had this id before, each needs one of its own")
            if "order" in asked.fields:
                return read_order(asked, self._devices)
            if ReaderInspected.name in asked.fields:
                return self._fallback(_inspected(asked), check)
            if Resolution.name in asked.fields:
                return read_resolution(asked.id, asked.role, _alone(asked, Resolution.name), asked.key)
            if Resend.name in asked.fields and asked.key:
                return read_resend(asked.id, asked.role, asked.key, _alone(asked, Resend.name))
            return _next(asked, check) if "next" in asked.fields else self._event(asked, check, line)
        except ShoewatchError as error:
            return Refused(input_of(asked.fields).type, str(error))

    def answered(self, asked: Asked, answer: Answer) -> None:
        """Keep the answer for the case that the input comes again."""
        remember(self._inputs, asked.sender, asked.id, Known(input_of(asked.fields), answer))

    def under_way(self, asked: Asked) -> None:
        """The input was passed on to who has to answer it first."""
        self.answered(asked, under_way(asked.id, input_of(asked.fields).type or ""))

    def settled(self, asked: Asked, answer: Answer) -> None:
        """The input that was passed on is answered."""
        remember(self._inputs, asked.sender, asked.id, Known(input_of(asked.fields), answer), settled=True)

    def _event(self, asked: Asked, check: Check, line: ShoeLine) -> Accepted | ReaderInspected | Refused:
        name = _allowed(asked)
        if name in self._told_by_devices:
            raise LogError(f"{name}: the shoe of this table tells it")
        if name in _IN_A_ROUND and not check.state.round.opened:
            raise LogError(f"{name}: no round is open")
        event = _entered(asked, name)
        if isinstance(event, CardDrawn) and event.moved is None and line.instead(check) is None:
            raise LogError(f"{name}: {line.objection}")
        if isinstance(event, CardRevealed) and check.stays_down(event):
            raise LogError(f"{name}: this card lies face down, its value is told once it is turned")
        if isinstance(event, ReaderFaulted | ReaderRestored):
            return self._fallback(event, check)
        check.step(event)
        return Accepted(event)


def _objection(signed: Signed, standing: Standing) -> Objection | None:
    if signed.objection is not None or signed.based_on is None:
        return signed.objection
    return late(signed.based_on, standing.seq, standing.round_from)


def _allowed(asked: Asked) -> str:
    """The event's type; LogError where this role does not say it."""
    name, may_say = asked.fields.get("type"), MAY_SAY.get(asked.role, frozenset())
    if not isinstance(name, str):
        raise LogError('field "type": an input names its event, such as "call.made", or says what is "next"')
    if name in may_say:
        return name
    if name in _SUPERVISOR:
        raise LogError(f"{name}: only a supervisor says this")
    if name in EVENT_MODELS:
        raise LogError(f"{name}: devices tell this, people do not")
    raise LogError(f"unknown event type {quoted(name)}{did_you_mean(name, may_say)}")


def _entered(asked: Asked, name: str) -> Event:
    """The event with who said it; a card that is entered as drawn is hidden until the check says how it lies."""
    fields = dict(asked.fields)
    if "seq" in fields:
        raise LogError(f"{name}: field 'seq' is the devices' own, an input has its id")
    fields["actor"] = _actor(asked, fields.get("actor"))
    if name in _BY_HAND:
        fields["manual"] = True
    card = _hidden(fields.pop("card")) if name == "card.drawn" and fields.get("card") is not None else None
    event = _read(fields)
    return event if card is None else event.model_copy(update={"card": card})


def _actor(asked: Asked, given: object) -> object:
    """`dealer`, or `dealer:NAME`: nobody speaks in another role, or under another name than that of the key."""
    if asked.signed:
        if given is not None:
            raise LogError("field 'actor': the key says who it was")
        return f"{asked.role}:{asked.signed.name}"
    if given is None:
        return asked.role
    return f"{asked.role}:{given}" if isinstance(given, str) else given


def _hidden(text: object) -> Hidden:
    """The card, out of sight; what is wrong with it is told without it."""
    card = None
    with suppress(ValueError):
        card = Card.parse(text) if isinstance(text, str) else None
    if card is None:
        raise LogError(
            f'card.drawn: field \'card\': no card (rank {RANKS}, then a suit {SUITS} where known: "Kh", "T")'
        )
    return hide(card)


def _read(fields: Mapping[str, Any]) -> Event:
    try:
        text = json.dumps(fields)
    except RecursionError:
        raise LogError("no event: nested too deeply") from None
    event = read_line(text)
    assert not isinstance(event, LogHeader)
    return event


def _alone(asked: Asked, name: str) -> object:
    """The field of this name; LogError where there are others."""
    others = asked.fields.keys() - {name}
    if others:
        raise LogError(f"{name}: stands alone with its id, without {quoted(min(others))}")
    return asked.fields[name]


def _inspected(asked: Asked) -> ReaderInspected:
    """A floorperson's word that the reader was inspected; LogError where it is no supervisor's, or nobody's."""
    said = _alone(asked, ReaderInspected.name)
    if asked.role != "supervisor":
        raise LogError("inspected: only a supervisor says this")
    by = said.get("by") if isinstance(said, dict) and len(said) == 1 else None
    if not isinstance(by, str) or not by.isprintable() or not 1 <= len(by.strip()) <= len(by) <= _NAME_LENGTH:
        raise LogError('inspected: who has inspected the reader, by name, such as {"by":"F. Person"}')
    return ReaderInspected(asked.id, asked.role, by, asked.key)


def _next(asked: Asked, check: Check) -> NextCard:
    """What is said of the next card; LogError where the procedure has no such place now."""
    said = _alone(asked, "next")
    if not isinstance(said, dict) or not any(value is not None for value in said.values()):
        raise LogError('next: where the next card goes or how it lies, such as {"to":"box:3","face":"up"}')
    for name in said.keys() - set(_OF_NEXT):
        raise LogError(f"next: unknown field {quoted(name)}{did_you_mean(name, _OF_NEXT)}")
    card = _read({"type": "card.drawn", **said})
    assert isinstance(card, CardDrawn)
    check.step(card)
    return NextCard(asked.id, asked.role, card.to, card.face, asked.key)
