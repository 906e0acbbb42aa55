"""A command as bytes: what is read of it, what is signed, and everything that makes it void."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from doc_tables import table
from floor_console import KEYS, SOURCE

from protocols.floor.commands import (
    MAX_BYTES,
    Body,
    Command,
    Objection,
    Void,
    foreign,
    late,
    read_body,
    read_command,
    sign,
    untimely,
    verify,
)
from protocols.floor.contract import commands as contract
from protocols.keys import KeyRegistry, KnownKey

ADDED = "2026-11-30T00:00:00.000Z"
REGISTRY: KeyRegistry = {
    KEYS[name].key_id: KnownKey(f"F. {name}", (name,), KEYS[name].public_key, ADDED)
    for name in ("dealer", "supervisor")
}
BODY = '{"epoch":"e-1","based_on":7,"box":1,"action":"stand"}'
GOOD = Command("c-1", SOURCE, "player-acted", "2026-11-30T07:00:00.000Z", "2026-11-30T07:00:30Z", BODY)
ORDER_OF_THE_CURVE = 2**252 + 27742317777372353535851937790883648493

_CODE = re.compile(r"(?:Objection|Void)\(\s*\"(\w+)\"")

Fields = dict[str, Any]


def payload(by: str = "dealer", **changes: Any) -> bytes:
    return sign(replace(GOOD, **changes), KEYS[by])


def fields(**changes: Any) -> Fields:
    """A good command's fields, some of them others."""
    return {**json.loads(payload()), **changes}


def written(**changes: Any) -> bytes:
    return json.dumps(fields(**changes)).encode()


def void(given: bytes, name: str = GOOD.name, registry: KeyRegistry = REGISTRY) -> tuple[str, str | None]:
    """Code and id of what speaks against it."""
    with pytest.raises(Void) as caught:
        _read(given, name, registry)
    assert str(caught.value) == caught.value.objection.why
    return caught.value.objection.code, caught.value.id


def _read(given: bytes, name: str, registry: KeyRegistry) -> Body:
    command = read_command(given, name, SOURCE)
    verify(command, registry)
    return read_body(command)


def test_what_is_signed_is_these_six_texts_in_lines() -> None:
    lines = ["c-1", "/riverside/bac-01", "player-acted", GOOD.issued, GOOD.not_after, BODY]
    private = Ed25519PrivateKey.from_private_bytes(b"\1" * 32)
    said = fields()
    assert said.pop("signature") == private.sign("\n".join(lines).encode()).hex()
    names = ("id", "table", "name", "issued", "not_after", "body")
    assert said == {**dict(zip(names, lines, strict=True)), "key": KEYS["dealer"].key_id}


def test_a_good_command_is_read_as_it_was_signed() -> None:
    command = read_command(payload(), GOOD.name, SOURCE)
    assert verify(command, REGISTRY).name == "F. dealer"
    body = read_body(command)
    assert (body.epoch, body.based_on, body.fields) == ("e-1", 7, {"box": 1, "action": "stand"})
    assert "stand" not in repr(command) + repr(body)
    assert contract.Command.read(payload()).model_dump() == fields()
    assert contract.CommandBody.read(BODY.encode()).fields == body.fields


def test_a_text_may_hold_what_people_write() -> None:
    """Characters beyond ASCII, in one form; a line feed between the fields of the body."""
    body = '{"epoch":"e-1",\n"based_on":0,"reason":"Zoë Ünal 😀"}'
    command = read_command(payload(id="Ö-1", body=body), GOOD.name, SOURCE)
    verify(command, REGISTRY)
    assert read_body(command).fields == {"reason": "Zoë Ünal 😀"}


NFD = unicodedata.normalize("NFD", "Ö-1")
MALFORMED: Mapping[str, bytes] = {
    "nothing": b"",
    "no JSON": b"stand",
    "half": payload()[:-1],
    "two": payload() * 2,
    "not UTF-8": payload().replace(b"c-1", b"c-\xff"),
    "UTF-16": payload().decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + payload(),
    "a NUL behind it": payload() + b"\0",
    "a list": b"[" + payload() + b"]",
    "a text": json.dumps(payload().decode()).encode(),
    "a number": b"7",
    "NaN": b"NaN",
    "an id twice": payload().replace(b'{"id"', b'{"id":"c-2","id"'),
    "deep": b"[" * (MAX_BYTES - 1),
    "deep within": b'{"id":' + b"[" * 9000,
    "a huge number": b'{"id":' + b"9" * 9000 + b"}",
    "no id": json.dumps({name: value for name, value in fields().items() if name != "id"}).encode(),
    "an empty id": written(id=""),
    "a long id": written(id="c" * 65),
    "an id that is a number": written(id=1),
    "an id that is NaN": payload().replace(b'"c-1"', b"NaN"),
    "an id of a list": written(id=["c-1"]),
    "a line feed in the id": written(id="c\n1"),
    "an id that turns around": written(id="c-1\u202e"),
    "an id with nothing in it": written(id="c-1\u200b"),
    "an id with a byte order mark": written(id="\ufeffc-1"),
    "half a character": payload().replace(b"c-1", b"\\ud83d"),
    "an id in parts": written(id=NFD),
}
"""What has no id that could be answered."""


@pytest.mark.parametrize("given", MALFORMED.values(), ids=MALFORMED)
def test_what_has_no_id_is_void(given: bytes) -> None:
    assert void(given) == ("malformed", None)


@pytest.mark.parametrize("name", sorted(set(fields()) - {"id"}))
@pytest.mark.parametrize("value", [None, 7, 1e999, True, [], {}, ["x"], ""], ids=repr)
def test_every_field_is_a_text(name: str, value: object) -> None:
    if (name, value) != ("body", ""):
        assert void(written(**{name: value})) == ("malformed", "c-1")


@pytest.mark.parametrize("name", sorted(set(fields()) - {"id"}))
def test_no_field_may_be_missing(name: str) -> None:
    given = {each: value for each, value in fields().items() if each != name}
    assert void(json.dumps(given).encode()) == ("malformed", "c-1")


OTHERWISE: Mapping[str, Fields] = {
    "an unknown field": {"role": "supervisor"},
    "a field in capitals": {"ID": "c-2"},
    "a table without a slash": {"table": SOURCE[1:]},
    "a table in capitals": {"table": SOURCE.upper()},
    "a table with a line feed": {"table": SOURCE + "\n"},
    "a table for all": {"table": "/+/+"},
    "a name in capitals": {"name": "Player-acted"},
    "a name with a dot": {"name": "player.acted"},
    "a name with a letter that looks alike": {"name": "pl\u0430yer-acted"},
    "a name with a soft hyphen": {"name": "player\u00ad-acted"},
    "a name with a line feed": {"name": "player-acted\n"},
    "a time without a zone": {"issued": "2026-11-30T07:00:00"},
    "a time in words": {"issued": "now"},
    "a time of numbers": {"issued": "1796022000"},
    "a time of another script": {"issued": "\u0662026-11-30T07:00:00Z"},
    "a time that never was": {"issued": "2026-02-30T07:00:00Z"},
    "an hour too many": {"not_after": "2026-11-30T24:00:01Z"},
    "before all time": {"issued": "0001-01-01T00:00:00+23:59"},
    "after all time": {"not_after": "9999-12-31T23:59:59-23:59"},
    "a space in a time": {"issued": "2026-11-30 07:00:00Z"},
    "a key in capitals": {"key": KEYS["dealer"].key_id.upper()},
    "a short key": {"key": "1234"},
    "a short signature": {"signature": "00" * 63},
    "a long signature": {"signature": "00" * 65},
    "a signature in base64": {"signature": "A" * 86 + "=="},
    "a signature in capitals": {"signature": fields()["signature"].upper()},
    "a signature with spaces": {"signature": "00 " * 64},
}


@pytest.mark.parametrize("changes", OTHERWISE.values(), ids=OTHERWISE)
def test_a_field_in_another_form_is_void(changes: Fields) -> None:
    assert void(written(**changes)) == ("malformed", "c-1")


BODIES: Mapping[str, str] = {
    "nothing": "",
    "no JSON": "stand",
    "a list": "[]",
    "a number": "7",
    "no epoch": '{"based_on":7}',
    "an epoch that is a number": '{"epoch":1,"based_on":7}',
    "no record": '{"epoch":"e-1"}',
    "null": '{"epoch":"e-1","based_on":null}',
    "a number as text": '{"epoch":"e-1","based_on":"7"}',
    "a fraction": '{"epoch":"e-1","based_on":7.0}',
    "a power": '{"epoch":"e-1","based_on":1e1}',
    "true": '{"epoch":"e-1","based_on":true}',
    "less than nothing": '{"epoch":"e-1","based_on":-1}',
    "NaN": '{"epoch":"e-1","based_on":NaN}',
    "NaN elsewhere": '{"epoch":"e-1","based_on":7,"bet":NaN}',
    "endless": '{"epoch":"e-1","based_on":7,"bet":-Infinity}',
    "too large to be a number": '{"epoch":"e-1","based_on":7,"bet":1e999}',
    "a huge number": '{"epoch":"e-1","based_on":' + "9" * 5000 + "}",
    "a number that not all read alike": '{"epoch":"e-1","based_on":9007199254740993}',
    "another one": '{"epoch":"e-1","based_on":7,"box":[-9007199254740993]}',
    "a field twice": '{"epoch":"e-1","based_on":7,"based_on":8}',
    "a field twice within": '{"epoch":"e-1","based_on":7,"next":{"to":"a","to":"b"}}',
    "a byte order mark": "\ufeff" + BODY,
    "half a character": '{"epoch":"e-1","based_on":7,"x":"\\ud83d"}',
    "a control character": '{"epoch":"e-1","based_on":7,"x":"a\\u0007"}',
    "one in a name": '{"epoch":"e-1","based_on":7,"x\\u0000":1}',
    "text that turns around": '{"epoch":"e-1","based_on":7,"x":["\u202e"]}',
    "text in parts": f'{{"epoch":"e-1","based_on":7,"x":"{NFD}"}}',
    "deep": '{"epoch":"e-1","based_on":7,"x":' + "[" * 9 + "]" * 9 + "}",
    "very deep": '{"epoch":"e-1","based_on":7,"x":' + "[" * 7000 + "]" * 7000 + "}",
    "something behind it": BODY + "{}",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_signed_body_that_cannot_be_read_is_void(body: str) -> None:
    assert void(payload(body=body)) == ("malformed", "c-1")


def test_what_is_longer_than_any_command_is_not_read() -> None:
    room = MAX_BYTES - len(payload(body=""))
    assert void(payload(body=" " * room)) == ("malformed", "c-1")
    assert void(payload(body=" " * (room + 1))) == ("too_large", None)


def test_a_command_counts_on_its_own_topic_at_its_own_table() -> None:
    assert void(payload(), name="unlock") == ("other_name", "c-1")
    assert void(payload(table="/riverside/bac-02")) == ("other_table", "c-1")
    assert void(payload(table="/other/bac-01")) == ("other_table", "c-1")


@pytest.mark.parametrize("name", ["id", "issued", "not_after", "body", "key"])
def test_whatever_is_changed_the_signature_is_none_of_it(name: str) -> None:
    others = {"id": "c-2", "issued": GOOD.not_after, "not_after": "2026-11-30T07:00:31Z", "body": BODY + " "}
    others["key"] = KEYS["supervisor"].key_id
    assert void(written(**{name: others[name]}))[0] == "bad_signature"


def _malleable(signature: str) -> str:
    """The other number that fits the same equation."""
    raw = bytes.fromhex(signature)
    other = int.from_bytes(raw[32:], "little") + ORDER_OF_THE_CURVE
    return (raw[:32] + other.to_bytes(32, "little")).hex()


FORGED: Mapping[str, Callable[[str], str]] = {
    "another number of the curve": _malleable,
    "nought": lambda _: "00" * 64,
    "the point that is none": lambda signature: "01" + "00" * 31 + signature[64:],
    "one bit": lambda signature: f"{int(signature[0], 16) ^ 1:x}{signature[1:]}",
    "halves exchanged": lambda signature: signature[64:] + signature[:64],
    "another command's": lambda _: str(json.loads(payload(id="c-2"))["signature"]),
    "another key's": lambda _: str(json.loads(payload(by="supervisor"))["signature"]),
    "a checkpoint's": lambda _: KEYS["dealer"].checkpoint("c-1", 1, "0" * 64).signature.hex(),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_signature_is_the_one_and_only(forge: Callable[[str], str]) -> None:
    said = fields()
    assert void(json.dumps({**said, "signature": forge(said["signature"])}).encode()) == ("bad_signature", "c-1")


def test_only_a_key_that_is_known_and_was_not_revoked_signs() -> None:
    key = KEYS["dealer"].key_id
    assert void(payload(by="stranger")) == ("unknown_key", "c-1")
    assert void(payload(), registry={}) == ("unknown_key", "c-1")
    later = replace(REGISTRY[key], revoked="2030-01-01T00:00:00.000Z")
    assert void(payload(), registry={key: later}) == ("revoked_key", "c-1")


TIMES: Mapping[str, tuple[str, str, str | None]] = {
    "now": ("07:00:00Z", "07:00:30Z", None),
    "a minute ahead": ("07:01:05Z", "07:02:00Z", None),
    "more than a minute ahead": ("07:01:06Z", "07:02:00Z", "not_yet"),
    "its last moment": ("06:59:00Z", "07:00:05Z", None),
    "a moment later": ("06:59:00Z", "07:00:04.999Z", "expired"),
    "an hour long": ("06:30:00Z", "07:30:00Z", None),
    "longer": ("06:30:00Z", "07:30:00.001Z", "lifetime"),
    "backwards": ("07:00:30Z", "07:00:00Z", "lifetime"),
    "elsewhere on earth": ("09:00:00+02:00", "02:00:30-05:00", None),
}


@pytest.mark.parametrize(("issued", "not_after", "code"), TIMES.values(), ids=TIMES)
def test_a_command_has_its_time(issued: str, not_after: str, code: str | None) -> None:
    command = replace(GOOD, issued=f"2026-11-30T{issued}", not_after=f"2026-11-30T{not_after}")
    found = untimely(command, datetime(2026, 11, 30, 7, 0, 5, tzinfo=UTC))
    assert (found and found.code) == code


@pytest.mark.parametrize(
    ("based_on", "code"),
    [(0, "round_over"), (18, "round_over"), (19, None), (20, None), (25, None), (26, "no_such_record")],
)
def test_a_command_is_of_the_round_that_its_sender_knew(based_on: int, code: str | None) -> None:
    """The round of record 20 is on; 19 is the end of the one before."""
    found = late(based_on, 25, 20)
    assert (found and found.code) == code


def test_a_command_is_of_one_epoch() -> None:
    body = read_body(GOOD)
    assert foreign(body, "e-1") is None
    assert isinstance(found := foreign(body, "e-2"), Objection)
    assert found.code == "other_epoch"


def test_the_document_has_every_code() -> None:
    top = Path(__file__).parents[1]
    sources = ("protocols/floor/commands.py", "controller/command_names.py", "controller/command_desk.py")
    made = {code for source in sources for code in _CODE.findall((top / source).read_text(encoding="utf-8"))}
    told = {code for row in table("commands.md", "code") for code in row["code"].split(", ")}
    assert told == {*made, "too_large", "refused", "under_way", "not_on_disk"}
