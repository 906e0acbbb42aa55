"""What must hold of commands of the floor: whatever stands in one, signed or not, it is done or refused in words."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from controller.answers import Recalled
from controller.command_names import WORDS, acting_role, read_input
from controller.inputs import Inputs, Refused
from controller.standing import Standing
from firmware_bridge.arrival import Asked, Signed
from protocols.dealing.catalog import procedure_named
from protocols.dealing.check import Check
from protocols.events import LogHeader
from protocols.floor.checkpoints import Signer
from protocols.floor.commands import Command, Void, read_body, read_command, sign, verify
from protocols.keys import KnownKey
from protocols.records import NO_HASH
from protocols.tablelog import dump

_TABLE: Final = "/riverside/bj-07"
_TIME: Final = "2026-11-30T07:00:00Z"
_SIGNER: Final = Signer(bytes(32))
_KEY: Final = KnownKey("F. Person", ("supervisor", "dealer", "console", "archive"), _SIGNER.public_key, _TIME)
_HEADER: Final = LogHeader(procedure="us-card-reader")
_STANDING: Final = Standing(0, NO_HASH, _HEADER, Check.start(_HEADER, procedure_named("us-card-reader")), 1)


def check_command(data: bytes) -> None:
    """A payload as it is; and a name and a body, in two lines, as a key that is known would sign them."""
    with suppress(Void):
        _asked(data, "lock")
    name, _, body = data.decode(errors="replace").partition("\n")
    with suppress(Void):
        _asked(sign(Command("1", _TABLE, name, _TIME, _TIME, body), _SIGNER), name)


def _asked(payload: bytes, name: str) -> None:
    command = read_command(payload, name, _TABLE)
    verify(command, {_SIGNER.key_id: _KEY})
    body = read_body(command)
    fields = read_input(command, body, _KEY)
    role = acting_role(name, _KEY.roles)
    assert role in WORDS[name].roles
    asked = Asked(command.id, role, fields, lambda _: None, 0, Signed(command.key, _KEY.name, body.based_on))
    judged = Inputs(frozenset(), Recalled()).judge(asked, _STANDING.check, standing=_STANDING)
    if isinstance(judged, Refused):
        dump([judged.type, judged.why, judged.code]).encode()
