"""What people say: who may, when, and once only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b, sha256
from typing import Any

import pytest

from controller.answers import REMEMBERED, Recalled, input_of
from controller.inputs import MAY_SAY, Accepted, Inputs, Judged, Refused, Repeated, Word
from controller.spoken_orders import ToOrder
from firmware_bridge.arrival import Asked, Role
from protocols.cards import Card
from protocols.dealing.catalog import procedure_named
from protocols.dealing.check import Check
from protocols.events import (
    EVENT_MODELS,
    CallMade,
    CardDrawn,
    HandsTurned,
    HoleRevealed,
    LogHeader,
    ReaderFaulted,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    TableEvent,
)
from protocols.hidden import Hidden, hide, opened
from protocols.orders import Attest, ClearError, ConfirmGame, Lock, Order, SelfTest

HEADER = LogHeader(procedure="pb-fr", observes=("positions", "signals", "calls"))
PROCEDURE = procedure_named("pb-fr")
OF_THE_SHOE = frozenset({"shoe.loaded", "round.opened", "round.closed"})
CALL = {"type": "call.made", "call": "no_more_bets"}
TURNED = {"type": "hands.turned"}
DOWN = {"next": {"face": "down"}}
SIDES = ("player", "banker", "player", "banker")
ILLEGIBLE = "10h"


def check_after(*events: TableEvent) -> Check:
    check = Check.start(HEADER, PROCEDURE)
    for event in events:
        check, _ = check.step(event)
    return check


BETWEEN = check_after()
IN_A_COUP = check_after(RoundOpened(boxes=()), *(CardDrawn(to=side) for side in SIDES))


def asked(fields: Mapping[str, Any], role: Role = "dealer", name: str = "1") -> Asked:
    return Asked(name, role, fields, lambda _: None, 0)


def judged(fields: Mapping[str, Any], role: Role = "dealer", check: Check = IN_A_COUP) -> Judged:
    return Inputs(OF_THE_SHOE, Recalled()).judge(asked(fields, role), check)


def event_of(fields: Mapping[str, Any], role: Role = "dealer", check: Check = IN_A_COUP) -> TableEvent:
    found = judged(fields, role, check)
    assert isinstance(found, Accepted), found
    return found.event


def why(fields: Mapping[str, Any], role: Role = "dealer", check: Check = IN_A_COUP) -> str:
    found = judged(fields, role, check)
    assert isinstance(found, Refused), found
    return found.why


def test_who_says_what_is_one_list_and_names_real_events() -> None:
    assert MAY_SAY["supervisor"] <= EVENT_MODELS.keys()
    assert MAY_SAY["supervisor"] - MAY_SAY["dealer"] == {
        *("method.selected", "round.voided", "reader.faulted", "reader.restored", "card.drawn", "card.revealed")
    }
    assert EVENT_MODELS.keys() - MAY_SAY["supervisor"] == {
        *("shoe.faulted", "shoe.restored", "result.reported", "cut_card.reached", "reader.peeked", "log.gap")
    }


def test_an_input_is_the_event_with_who_said_it() -> None:
    assert event_of(CALL) == CallMade(call="no_more_bets", actor="dealer")
    assert event_of({**TURNED, "actor": "K7"}, "supervisor") == HandsTurned(actor="supervisor:K7")
    assert event_of({**TURNED, "actor": "supervisor"}).actor == "dealer:supervisor"


@pytest.mark.parametrize("name", sorted(MAY_SAY["supervisor"] - MAY_SAY["dealer"]))
def test_a_dealer_does_not_say_what_only_a_supervisor_does(name: str) -> None:
    assert why({"type": name}) == f"{name}: only a supervisor says this"


@pytest.mark.parametrize("role", ["dealer", "supervisor"])
def test_nobody_says_what_devices_tell(role: Role) -> None:
    assert (
        why({"type": "result.reported", "winner": "tie"}, role) == "result.reported: devices tell this, people do not"
    )
    assert why({"type": "round.closed"}, role) == "round.closed: the shoe of this table tells it"
    assert "unknown event type 'log.header'" in why({"type": "log.header"}, role)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, 'field "type"'),
        ({"type": 5}, 'field "type"'),
        ({"type": "call.mad"}, 'did you mean "call.made"'),
        ({"type": "call.made"}, "field 'call' is missing"),
        ({**CALL, "bocks": 1}, "unknown field 'bocks' (did you mean \"box\"?)"),
        ({**CALL, "call": float("nan")}, "call.made: field 'call'"),
        ({**CALL, "actor": 7}, "field 'actor'"),
        ({**CALL, "seq": 3}, "'seq' is the devices' own"),
        ({"type": "card.burned", "from": "box:3"}, "has no 'box:3'"),
        ({"type": "player.acted", "box": 1, "action": "hit"}, "does not have this act"),
        ({"type": "round.closed", "reason": "\ud800"}, "the shoe of this table tells it"),
        ({"type": "cards.cut", "by": "\ud800"}, "half a character"),
        ({"next": None}, "next: where"),
        ({"next": {}}, "next: where"),
        ({"next": {"face": None}}, "next: where"),
        ({"next": {"face": "sideways"}}, "field 'face'"),
        ({"next": {"to": "box:3"}}, "has no 'box:3'"),
        ({"next": {"fase": "up"}}, "unknown field 'fase' (did you mean \"face\"?)"),
        ({"next": {"to": "player", "card": "Kh"}}, "unknown field 'card'"),
        ({**DOWN, "type": "call.made"}, "next: stands alone with its id, without 'type'"),
    ],
)
def test_what_is_wrong_is_told_with_what_would_be_right(fields: Mapping[str, Any], told: str) -> None:
    assert told in why(fields)


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ({"order": "lock"}, Lock(locked=True)),
        ({"order": "unlock", "device": "shoe"}, Lock(locked=False)),
        ({"order": "clear_error", "error": 0}, ClearError(0)),
        ({"order": "confirm_game"}, ConfirmGame()),
        ({"order": "self_test"}, SelfTest()),
        ({"order": "attest"}, Attest()),
    ],
)
def test_an_order_of_a_supervisor(fields: Mapping[str, Any], order: Order) -> None:
    assert judged(fields, "supervisor") == ToOrder("shoe", order)
    assert why(fields) == "order: only a supervisor gives one"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"order": None}, "order: names an order and a device"),
        ({"order": "lock", "device": []}, "order: names an order and a device"),
        ({"order": "loc"}, "order: 'loc' is none (did you mean \"lock\"?)"),
        ({"order": "lock", "device": "reader"}, "order: this table has no device 'reader' (it has: shoe)"),
        ({"order": "lock", "error": 2}, "order: lock has no field 'error'"),
        ({"order": "lock", "typ": 2}, "order: unknown field 'typ'"),
        *(({"order": "clear_error", **error}, "clear_error needs") for error in ({}, {"error": True}, {"error": 256})),
    ],
)
def test_what_is_wrong_with_an_order(fields: Mapping[str, Any], told: str) -> None:
    assert told in why(fields, "supervisor")


def test_an_order_is_given_once_whatever_became_of_it() -> None:
    inputs, lock = Inputs(OF_THE_SHOE, Recalled()), asked({"order": "lock"}, "supervisor")
    inputs.under_way(lock)
    assert inputs.judge(lock, BETWEEN) == Repeated(
        {"id": "1", "ok": False, "why": "order: the device has not answered yet", "code": "under_way"}
    )
    inputs.settled(lock, {"id": "1", "ok": True, "seq": 7})
    assert inputs.judge(lock, BETWEEN) == Repeated({"id": "1", "ok": True, "seq": 7})
    other = inputs.judge(asked({"order": "unlock"}, "supervisor"), BETWEEN)
    assert isinstance(other, Refused)
    assert "another input had this id" in other.why


def test_what_is_nested_without_end_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert why({**CALL, "box": deep}) == "no event: nested too deeply"
    while deep:
        deep = deep.pop()


@pytest.mark.parametrize("name", ["hands.turned", "round.voided"])
def test_what_belongs_to_a_round_needs_one(name: str) -> None:
    assert why({"type": name}, "supervisor", BETWEEN) == f"{name}: no round is open"
    assert event_of({"type": name}, "supervisor").name == name


def test_a_call_may_come_before_the_round() -> None:
    assert event_of(CALL, "dealer", BETWEEN).name == "call.made"


def test_a_card_by_hand_is_marked_and_out_of_sight() -> None:
    drawn = event_of({"type": "card.drawn", "to": "player", "card": "Kh", "manual": False}, "supervisor")
    assert isinstance(drawn, CardDrawn)
    assert isinstance(drawn.card, Hidden)
    assert (opened(drawn.card), drawn.manual, drawn.actor) == (Card("K", "h"), True, "supervisor")
    shown = event_of({"type": "card.revealed", "draw": 1, "card": "9s"}, "supervisor")
    assert shown.manual is True
    assert "no card 9 was drawn" in why({"type": "card.revealed", "draw": 9, "card": "9s"}, "supervisor")


@pytest.mark.parametrize("card", [ILLEGIBLE, 10, ["K", "h"], {"K": "h"}])
def test_a_wrong_card_is_refused_without_telling_it(card: object) -> None:
    told = why({"type": "card.drawn", "card": card, "face": "down"}, "supervisor")
    assert told.startswith("card.drawn: field 'card': no card")
    assert ILLEGIBLE not in told
    told = why({"type": "card.drawn", "card": "Kh", "face": "dwn"}, "supervisor")
    assert "Kh" not in told


def test_a_table_without_reader_has_nothing_to_put_out_of_use() -> None:
    assert why({"type": "reader.faulted"}, "supervisor") == "reader.faulted: this table has no reader"


def test_the_fallback_decides_about_the_reader() -> None:
    seen: list[Word] = []

    def fallback(event: Word, check: Check) -> Accepted:
        assert check == IN_A_COUP
        assert isinstance(event, ReaderFaulted)
        seen.append(event)
        return Accepted(event.model_copy(update={"code": "doubtful"}))

    inputs = Inputs(OF_THE_SHOE, Recalled(), fallback)
    found = inputs.judge(asked({"type": "reader.faulted"}, "supervisor"), IN_A_COUP)
    assert seen == [ReaderFaulted(actor="supervisor")]
    assert found == Accepted(ReaderFaulted(actor="supervisor", code="doubtful"))


def test_an_id_is_judged_once_for_each_role_and_forgotten_after_a_thousand() -> None:
    inputs = Inputs(OF_THE_SHOE, Recalled())
    answer = {"id": "1", "ok": True, "seq": 5}
    inputs.answered(asked(CALL), answer)
    assert inputs.judge(asked(dict(reversed(CALL.items()))), BETWEEN) == Repeated(answer)
    assert isinstance(inputs.judge(asked(CALL, "supervisor"), BETWEEN), Accepted)
    for number in range(REMEMBERED):
        inputs.answered(asked(CALL, "supervisor", name=f"another's-{number}"), {})
    assert inputs.judge(asked(CALL), BETWEEN) == Repeated(answer)
    for number in range(REMEMBERED):
        inputs.answered(asked(CALL, name=f"later-{number}"), {})
    assert isinstance(inputs.judge(asked(CALL), BETWEEN), Accepted)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (CALL, TURNED),
        (CALL, {**CALL, "box": 1}),
        (DOWN, {"next": {"face": "up"}}),
        ({"type": "card.drawn", "card": "Kh"}, {"type": "card.drawn", "card": "Qh"}),
    ],
)
def test_another_input_under_an_id_that_was_used_is_refused(first: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    inputs = Inputs(OF_THE_SHOE, Recalled())
    answer = {"id": "1", "ok": True, "seq": 5}
    inputs.answered(asked(first, "supervisor"), answer)
    refused = inputs.judge(asked(other, "supervisor"), IN_A_COUP)
    assert isinstance(refused, Refused)
    assert refused.why == "field 'id': another input had this id before, each needs one of its own"
    inputs.answered(asked(other, "supervisor"), {"id": "1", "ok": False, "why": refused.why})
    assert inputs.judge(asked(first, "supervisor"), IN_A_COUP) == Repeated(answer)


def test_what_is_known_of_an_input_does_not_tell_a_card() -> None:
    fields = {"type": "card.drawn", "card": "Kh"}
    known = input_of(fields)
    assert "Kh" not in repr(known)
    text = json.dumps(fields, sort_keys=True).encode()
    assert known.digest not in (None, sha256(text).digest(), blake2b(text).digest())


LONG = "x" * 3000


@pytest.mark.parametrize(
    "fields",
    [
        {"type": LONG},
        {**CALL, LONG: 1},
        {**CALL, "call": LONG},
        {**CALL, "box": [LONG]},
        {**CALL, "t": LONG},
        {**CALL, "actor": [LONG] * 5},
        {"next": {LONG: 1}},
        {"next": {"face": LONG}},
        {"next": {"to": LONG}},
        {**DOWN, LONG: 1},
        {"type": "card.drawn", "card": LONG},
        {"type": "card.revealed", "draw": 1, "card": LONG},
        {"type": "card.revealed", "draw": 1, "card": [LONG]},
        {"type": "card.revealed", "ref": LONG, "card": "Kh"},
        {"type": "cards.cut", "by": LONG},
        {"type": "card.burned", "from": LONG},
    ],
)
def test_a_refusal_repeats_no_more_than_the_beginning_of_what_was_given(fields: Mapping[str, Any]) -> None:
    told = why(fields, "supervisor")
    assert "x" * 41 not in told
    assert len(told) < 1000


def test_a_card_that_lies_face_down_is_not_told_by_hand() -> None:
    check = Check.start(LogHeader(procedure="nd-card-reader", observes=("positions", "faces", "signals")))
    for event in (
        RoundOpened(boxes=(1,)),
        CardDrawn(to="box:1", card=Card("9", "s"), face="up"),
        CardDrawn(to="dealer", card=Card("6", "s"), face="up"),
        CardDrawn(to="box:1", face="up"),
        CardDrawn(to="dealer", card=hide(Card("7", "c")), face="down"),
    ):
        check, _ = check.step(event)
    shown = {"type": "card.revealed", "card": "7c"}
    reason = "card.revealed: this card lies face down, its value is told once it is turned"
    assert why({**shown, "draw": 4}, "supervisor", check) == reason
    assert event_of({**shown, "draw": 3}, "supervisor", check).name == "card.revealed"
    turned, _ = check.step(HoleRevealed())
    assert event_of({**shown, "draw": 4}, "supervisor", turned).name == "card.revealed"
    for end in (RoundClosed(), RoundVoided()):
        ended, _ = check.step(end)
        assert why({**shown, "draw": 4}, "supervisor", ended) == reason
        assert event_of({**shown, "draw": 3}, "supervisor", ended).name == "card.revealed"
