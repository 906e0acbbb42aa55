"""What each command is at the table, who may say it, and that it says what the panel would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from floor_console import KEYS, command
from test_inputs import BETWEEN, HEADER, IN_A_COUP, OF_THE_SHOE

from controller.answers import Recalled
from controller.command_names import WORDS, acting_role, read_input
from controller.inputs import MAY_SAY, Accepted, Inputs, Judged, Refused
from controller.standing import Standing
from firmware_bridge.arrival import Asked, Signed
from firmware_bridge.panel import ROLES as AT_PANEL
from protocols.cards import Card
from protocols.dealing.check import Check
from protocols.events import CardDrawn
from protocols.floor.commands import Body, Void, read_body
from protocols.hidden import Hidden, opened
from protocols.keys import KnownKey, Role
from protocols.records import Resend

EVENTS = {name.replace(".", "-").replace("_", "-") for name in MAY_SAY["supervisor"]}
ORDERS = {"lock", "unlock", "clear-error", "confirm-game", "self-test", "attest"}
OF_SUPERVISORS = {
    *("card-drawn", "card-revealed", "method-selected", "round-voided", "reader-faulted", "reader-restored"),
    *("lock", "unlock", "clear-error", "confirm-game", "inspected", "resolution"),
}
SAID: Mapping[str, Mapping[str, Any]] = {
    "call-made": {"call": "no_more_bets"},
    "player-acted": {"box": 1, "action": "stand"},
    "round-voided": {"reason": "a box was passed over"},
    "card-drawn": {"to": "player", "card": "5h", "face": "up"},
    "card-revealed": {"draw": 1, "card": "5h"},
    "next": {"to": "player"},
    "inspected": {"by": "F. Person"},
    "resolution": {"round": 1, "what": "void", "who": "F. Person", "why": "a box was passed over"},
    "clear-error": {"error": 4},
}


def key(*roles: Role) -> KnownKey:
    return KnownKey("F. Person", roles, KEYS["dealer"].public_key, "2026-11-30T00:00:00.000Z")


def read(name: str, fields: Mapping[str, Any], *roles: Role) -> dict[str, Any]:
    made = command(name, {"epoch": "e-1", "based_on": 0, **fields})
    return read_input(made, read_body(made), key(*roles))


def judged(fields: Mapping[str, Any], role: Role, check: Check, signed: Signed | None) -> Judged:
    asked = Asked("1", role, fields, lambda _: None, 0, signed)
    standing = Standing(9, "", HEADER, check, 1)
    return Inputs(OF_THE_SHOE, Recalled()).judge(asked, check, standing=standing)


def test_there_is_a_command_for_whatever_people_say_at_the_panel() -> None:
    assert WORDS.keys() == {*EVENTS, *ORDERS, "next", "inspected", "resolution", "resend"}
    assert all(name == name.lower() and "." not in name and "_" not in name for name in WORDS)


@pytest.mark.parametrize("name", sorted(WORDS))
def test_who_may_say_it(name: str) -> None:
    alone = {role for role in get_args(Role) if acting_role(name, (role,)) == role}
    if name == "resend":
        assert alone == {"archive", "console", "supervisor"}
    elif name in ("self-test", "attest"):
        assert alone == {"console", "supervisor"}
    else:
        assert alone == ({"supervisor"} if name in OF_SUPERVISORS else {"dealer", "supervisor"})


@pytest.mark.parametrize(
    ("name", "held", "role"),
    [
        ("player-acted", ("supervisor", "dealer"), "dealer"),
        ("unlock", ("supervisor", "dealer"), "supervisor"),
        ("attest", ("supervisor", "console"), "console"),
        ("resend", ("supervisor", "console", "archive"), "archive"),
        ("unlock", ("dealer", "console", "archive", "table"), None),
        ("player-acted", (), None),
    ],
)
def test_of_several_roles_the_lowest_acts(name: str, held: tuple[Role, ...], role: Role | None) -> None:
    assert acting_role(name, held) == role


@pytest.mark.parametrize("check", [BETWEEN, IN_A_COUP], ids=["between rounds", "in a coup"])
@pytest.mark.parametrize("role", AT_PANEL)
@pytest.mark.parametrize("name", sorted(WORDS.keys() - {"resend"}))
def test_a_command_is_judged_as_the_same_at_the_panel(name: str, role: Role, check: Check) -> None:
    """But for the name of who said it, which the key gives."""
    said = read(name, SAID.get(name, {}), role)
    at_panel = judged({**said, "actor": "F. Person"} if "type" in said else said, role, check, None)
    found = judged(said, role, check, Signed("k", "F. Person", 0))
    assert repr(found).replace("'k'", "None") == repr(at_panel)
    if isinstance(found, Accepted) and isinstance(found.event, CardDrawn):
        assert isinstance(found.event.card, Hidden)
        assert opened(found.event.card) == Card.parse("5h")


def test_each_name_is_its_own_word() -> None:
    said = {name: json.dumps(read(name, {}, "supervisor"), sort_keys=True) for name in WORDS}
    assert len({*said.values()}) == len(WORDS)


@pytest.mark.parametrize(
    ("name", "fields", "code"),
    [
        ("card-peeked", {}, "unknown_name"),
        ("reader-peeked", {}, "unknown_name"),
        ("log-header", {}, "unknown_name"),
        ("player-acted", {"type": "round.voided"}, "malformed"),
        ("player-acted", {"actor": "somebody else"}, "malformed"),
        ("self-test", {"order": "unlock"}, "malformed"),
        ("card-drawn", {"to": "player", "card": "5h", "face": "down"}, "hidden_value"),
        ("card-drawn", {"to": "player", "card": "5h"}, "hidden_value"),
        ("card-drawn", {"to": "player", "card": 5}, "hidden_value"),
    ],
)
def test_what_no_command_says(name: str, fields: Mapping[str, Any], code: str) -> None:
    with pytest.raises(Void) as caught:
        read(name, fields, "supervisor")
    assert caught.value.objection.code == code
    assert "5h" not in str(caught.value)


@pytest.mark.parametrize("within", ["order", "resend", "resolution", "inspected", "next"])
@pytest.mark.parametrize("name", ["player-acted", "call-made", "next", "self-test"])
def test_no_word_hides_within_another(name: str, within: str) -> None:
    """A dealer's, or a console's, that is a supervisor's at the table."""
    hidden = {"order": "unlock", "resend": {"from": 1}, "next": {"face": "down"}, "inspected": {"by": "F. Person"}}
    value = hidden.get(within, SAID["resolution"])
    try:
        said = read(name, {**SAID.get(name, {}), within: value}, "dealer")
    except Void:
        return
    role: Role = "console" if name == "self-test" else "dealer"
    assert isinstance(judged(said, role, IN_A_COUP, Signed("k", "F. Person", 0)), Refused)


def test_who_decides_is_the_owner_of_the_key_unless_another_is_named() -> None:
    assert read("inspected", {}, "supervisor") == {"inspected": {"by": "F. Person"}}
    assert read("resolution", {"who": "Another"}, "supervisor") == {"resolution": {"who": "Another"}}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"from": 3, "to": 5}, (3, 5)),
        ({"from": 3}, (3, None)),
        ({}, None),
        ({"from": 0}, None),
        ({"from": "3"}, None),
        ({"from": 3, "to": True}, None),
        ({"from": 3, "to": None}, None),
        ({"from": 3, "until": 5}, None),
    ],
)
def test_which_records_are_wanted_again(said: Mapping[str, Any], found: tuple[int, int | None] | None) -> None:
    answer = judged(read("resend", said, "archive"), "archive", BETWEEN, Signed("k", "F. Person", 0))
    if found is None:
        assert isinstance(answer, Refused)
    else:
        assert answer == Resend("1", "archive", "k", *found)


def test_the_panel_has_no_resend() -> None:
    assert isinstance(judged({"resend": {"from": 3}}, "supervisor", BETWEEN, None), Refused)


def test_a_body_without_a_name_of_ours_is_none() -> None:
    with pytest.raises(Void):
        read_input(command("x", {}), Body("e-1", 0, {}), key("supervisor"))
