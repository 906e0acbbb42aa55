"""Commands of the floor to a table: their strict form, the text that is signed, and what makes one void. Pure.

A command is a JSON object of eight texts. `body` is a JSON object as text, so that what was signed is what is read."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from protocols.errors import ShoewatchError, did_you_mean, quoted
from protocols.floor.checkpoints import Signer
from protocols.keys import KeyRegistry, KnownKey
from protocols.texts import TextError, read_json

MAX_BYTES: Final = 16 * 1024
ID_LENGTH: Final = 64
AHEAD: Final = timedelta(seconds=60)
LIFETIME: Final = timedelta(hours=1)

_SIGNED: Final = ("id", "table", "name", "issued", "not_after", "body")
_FIELDS: Final = (*_SIGNED, "key", "signature")
_LARGEST: Final = 2**53 - 1
_DEPTH: Final = 8
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_TEXTS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "table": (re.compile(r"/[a-z0-9-]{1,32}/[a-z0-9-]{1,32}"), 'a table is "/SITE/TABLE"'),
    "name": (re.compile(r"[a-z0-9]+(-[a-z0-9]+)*"), "a name is the last level of its topic"),
    "issued": (_TIME, 'a time is such as "2026-11-30T07:03:48.143Z"'),
    "not_after": (_TIME, 'a time is such as "2026-11-30T07:03:48.143Z"'),
    "key": (re.compile(r"[0-9a-f]{16}"), "a key is named by 16 hex digits, in small letters"),
    "signature": (re.compile(r"[0-9a-f]{128}"), "a signature is 128 hex digits, in small letters"),
}


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a command comes to nothing: one word for a program, one sentence for a person."""

    code: str
    why: str


class Void(ShoewatchError):
    """The command comes to nothing before anybody is asked; `id` where one could be read."""

    def __init__(self, code: str, why: str, name: str | None = None) -> None:
        super().__init__(why)
        self.objection = Objection(code, why)
        self.id = name


@dataclass(frozen=True, slots=True)
class Command:
    """What a payload says; whether its key has signed it is not known yet. `body` may hold a card's value."""

    id: str
    table: str
    name: str
    issued: str
    not_after: str
    body: str = field(repr=False)
    key: str = ""
    signature: bytes = b""

    @property
    def signed(self) -> bytes:
        """The text under the signature."""
        return "\n".join(getattr(self, name) for name in _SIGNED).encode()


@dataclass(frozen=True, slots=True)
class Body:
    """What a command wants: of which epoch its sender knows which last record, and the fields of the panel's input."""

    epoch: str
    based_on: int
    fields: Mapping[str, Any] = field(repr=False)


def read_command(payload: bytes, name: str, table: str) -> Command:
    """The command that came under this name to this table; Void where it is none."""
    if len(payload) > MAX_BYTES:
        raise Void("too_large", f"a command has at most {MAX_BYTES} bytes, this has {len(payload)}")
    fields = _object(payload)
    command_id = _id(fields.get("id"))
    objection = _wrong_in(fields) or _meant_for_another(fields, name, table)
    if objection is not None:
        raise Void(objection.code, objection.why, command_id)
    return Command(**{**fields, "signature": bytes.fromhex(fields["signature"])})


def sign(command: Command, signer: Signer) -> bytes:
    """The payload of the command under the signature of this key."""
    said = {name: getattr(command, name) for name in _SIGNED}
    fields = {**said, "key": signer.key_id, "signature": signer.sign(command.signed).hex()}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def verify(command: Command, registry: KeyRegistry) -> KnownKey:
    """Whose key has signed it; Void where none that is known has. A revoked key signs nothing, whatever time stands in
    the command."""
    key = registry.get(command.key)
    if key is None:
        raise Void("unknown_key", f"key {command.key} is not known here", command.id)
    try:
        Ed25519PublicKey.from_public_bytes(key.public_key).verify(command.signature, command.signed)
    except (InvalidSignature, ValueError):
        raise Void("bad_signature", f"the signature is not that of key {command.key}", command.id) from None
    if key.revoked is not None:
        raise Void("revoked_key", f"key {command.key} was revoked {key.revoked}", command.id)
    return key


def read_body(command: Command) -> Body:
    """What the command wants; Void where that cannot be read."""
    try:
        return _body(read_json(command.body))
    except TextError as error:
        raise Void("malformed", f"field 'body': {error}", command.id) from None


def untimely(command: Command, now: datetime) -> Objection | None:
    """What its times object to while the clock says `now`; to be asked only while the clock is synchronised."""
    issued, not_after = map(datetime.fromisoformat, (command.issued, command.not_after))
    if not_after - issued > LIFETIME or not_after < issued:
        return Objection("lifetime", "field 'not_after': follows on issued, by an hour at most")
    if issued - now > AHEAD:
        return Objection("not_yet", f"field 'issued': {command.issued} lies more than {AHEAD.seconds} s ahead")
    if now > not_after:
        return Objection("expired", f"field 'not_after': it was good until {command.not_after}")
    return None


def foreign(body: Body, epoch: str) -> Objection | None:
    """What speaks against it at a table of this epoch."""
    if body.epoch == epoch:
        return None
    return Objection("other_epoch", f"field 'epoch': this table's is {epoch}, {quoted(body.epoch)} is another one's")


def late(based_on: int, last_seq: int, round_from: int) -> Objection | None:
    """What speaks against a command of a sender who knew the record `based_on`, at a table whose current round begins
    with record `round_from`, the last one being `last_seq`."""
    if based_on > last_seq:
        return Objection("no_such_record", f"field 'based_on': there is no record {based_on} yet")
    if based_on < round_from - 1:
        return Objection("round_over", f"field 'based_on': that round is over, record {round_from} begins another")
    return None


def _object(payload: bytes) -> dict[str, Any]:
    try:
        fields = read_json(payload.decode())
    except UnicodeDecodeError:
        raise Void("malformed", "a command is UTF-8") from None
    except TextError as error:
        raise Void("malformed", f"a command is a JSON object: {error}") from None
    if not isinstance(fields, dict):
        raise Void("malformed", "a command is a JSON object")
    return fields


def _body(said: Any) -> Body:
    if not isinstance(said, dict):
        raise TextError("no JSON object")
    _check_values(said, _DEPTH)
    epoch, based_on = said.pop("epoch", None), said.pop("based_on", None)
    if not isinstance(epoch, str):
        raise TextError("field 'epoch': that of the table's records, from its state")
    if not isinstance(based_on, int) or isinstance(based_on, bool) or based_on < 0:
        raise TextError("field 'based_on': the seq of the last record that the sender knew, a whole number")
    return Body(epoch, based_on, said)


def _id(value: object) -> str:
    if isinstance(value, str) and 0 < len(value) <= ID_LENGTH and _is_plain(value):
        return value
    raise Void("malformed", f"field 'id': a text of 1 to {ID_LENGTH} printable characters (in NFC)")


def _wrong_in(fields: Mapping[str, Any]) -> Objection | None:
    problem = next(_problems(fields), None)
    return Objection("malformed", problem) if problem else None


def _problems(fields: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"field {name!r} is missing" for name in _FIELDS if name not in fields)
    for name, value in fields.items():
        if name not in _FIELDS:
            yield f"unknown field {quoted(name)}{did_you_mean(name, _FIELDS)}"
        if not isinstance(value, str):
            yield f"field {name!r}: a text"
    yield from (
        f"field {name!r}: {right}" for name, (form, right) in _TEXTS.items() if not form.fullmatch(fields[name])
    )
    for name in ("issued", "not_after"):
        try:
            datetime.fromisoformat(fields[name]).astimezone(UTC)
        except (ValueError, OverflowError):
            yield f"field {name!r}: there is no such time"


def _meant_for_another(fields: Mapping[str, Any], name: str, table: str) -> Objection | None:
    if fields["name"] != name:
        return Objection("other_name", f"field 'name': {quoted(fields['name'])} came on the topic of {quoted(name)}")
    if fields["table"] != table:
        return Objection("other_table", f"field 'table': this is {table}, not {fields['table']}")
    return None


def _check_values(value: object, depth: int) -> None:
    """TextError where a value is none that a person could have meant, and no two programs need read alike."""
    match value:
        case str():
            if not _is_plain(value):
                raise TextError(f"{quoted(value)}: only printable characters, in NFC")
        case dict() | list():
            if not depth:
                raise TextError("nested too deeply")
            for each in (*value, *value.values()) if isinstance(value, dict) else value:
                _check_values(each, depth - 1)
        case float() if not isfinite(value):
            raise TextError("a number that is none")
        case int() | float() if abs(value) > _LARGEST:
            raise TextError(f"a number beyond {_LARGEST}")


def _is_plain(text: str) -> bool:
    return text.isprintable() and unicodedata.is_normalized("NFC", text)
