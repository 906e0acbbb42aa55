"""Commands that must come to nothing, by a seed: what somebody may send who has a broker, keys of the wrong kind, or
messages that were good elsewhere or at another time. Pure; it knows the form of commands, not what reads them."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocols.floor.checkpoints import key_id

ROLES = ("dealer", "supervisor", "console", "archive", "table")
DEALERS = ("round-opened", "player-acted", "round-closed", "insurance-opened", "call-made", "next")
SUPERVISORS = ("round-voided", "reader-restored", "method-selected", "lock", "unlock", "self-test")
SIGNED = ("id", "table", "name", "issued", "not_after", "body")
ORDER_OF_THE_CURVE = 2**252 + 27742317777372353535851937790883648493
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hostile:
    """`codes`: with which it may be answered; `must`: whether it has to be, unless there are too many at once."""

    kind: str
    topic: str
    payload: bytes = field(repr=False)
    codes: frozenset[str]
    must: bool = False
    retain: bool = False


@dataclass(frozen=True, slots=True)
class Aim:
    """The table that it goes to, and what everybody knows of it; `now`: when it is sent."""

    site: str
    table: str
    epoch: str
    seq: int
    now: datetime

    @property
    def base(self) -> str:
        return f"casino/v1/{self.site}/{self.table}"


def key(name: str) -> Ed25519PrivateKey:
    """Of a role, of one who was revoked, or of a stranger."""
    return Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b"."))


def public(name: str) -> bytes:
    return key(name).public_key().public_bytes_raw()


class Attacker:
    def __init__(self, aim: Aim, seed: int) -> None:
        self._aim = aim
        self._dice = random.Random(seed)
        self._count = 0

    def commands(self, number: int) -> Iterator[Hostile]:
        """So many, of all kinds in turn."""
        kinds = list(KINDS.items())
        for index in range(number):
            name, make = kinds[index % len(kinds)]
            yield make(self, name)

    def kept_by_the_broker(self) -> Iterator[Hostile]:
        """Good ones, one of each name, that whoever subscribes later is given."""
        for name in SUPERVISORS:
            yield self.said("kept", self.fields(name=name), "retained", must=True, retain=True)

    def fields(self, by: str = "supervisor", body: Any = None, **changes: Any) -> Fields:
        """A command that would be good, but for `changes`, and its signature."""
        self._count += 1
        name = changes.get("name") or self._dice.choice(SUPERVISORS if by == "supervisor" else DEALERS)
        said = {"epoch": self._aim.epoch, "based_on": self._aim.seq, **body_of(name)} if body is None else body
        made = {
            "id": f"h-{self._count}",
            "table": f"/{self._aim.site}/{self._aim.table}",
            "name": name,
            "issued": self.moment(0),
            "not_after": self.moment(30),
            "body": said if isinstance(said, str) else json.dumps(said),
            **changes,
        }
        return {**made, "key": key_id(public(by)), "signature": self.signature(made, by)}

    def signature(self, made: Fields, by: str) -> str:
        text = "\n".join(str(made[name]) for name in SIGNED)
        return key(by).sign(text.encode("utf-8", "surrogatepass")).hex()

    def moment(self, seconds: float) -> str:
        at = self._aim.now.astimezone(UTC) + timedelta(seconds=seconds)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def good_but(self, kind: str, codes: str, by: str = "supervisor", *, must: bool = True, **changes: Any) -> Hostile:
        """Signed, and in order but for these fields."""
        return self.said(kind, self.fields(by, **changes), codes, must=must)

    def said(self, kind: str, made: Fields, codes: str, *, must: bool = False, retain: bool = False) -> Hostile:
        payload = json.dumps(made, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return self.raw(kind, payload, codes, name=str(made.get("name")), must=must, retain=retain)

    def raw(
        self, kind: str, payload: bytes, codes: str, name: str = "lock", *, must: bool = False, retain: bool = False
    ) -> Hostile:
        return Hostile(kind, f"{self._aim.base}/cmd/{name}", payload, frozenset(codes.split()), must, retain)

    def text(self, **changes: Any) -> bytes:
        return json.dumps(self.fields(**changes)).encode()

    @property
    def dice(self) -> random.Random:
        return self._dice

    @property
    def aim(self) -> Aim:
        return self._aim


def body_of(name: str) -> Fields:
    """What such a command says when it is in order."""
    bodies: Mapping[str, Fields] = {
        "round-opened": {"boxes": [1, 2]},
        "player-acted": {"box": 1, "action": "hit"},
        "call-made": {"call": "no_more_bets"},
        "next": {"next": {"to": "dealer"}},
        "round-voided": {"reason": "misdeal"},
        "method-selected": {"method": "no-hole"},
        "lock": {"device": "shoe"},
        "unlock": {"device": "shoe"},
        "self-test": {"device": "shoe"},
    }
    return bodies.get(name, {})


def _no_json(a: Attacker, kind: str) -> Hostile:
    text = a.text()
    cut = a.dice.randrange(1, len(text))
    forms = (b"", text[:cut], text[cut:], a.dice.randbytes(200), b"[" * 9000, b"\xef\xbb\xbf" + text, text + text)
    return a.raw(kind, a.dice.choice([*forms, b"NaN", b"null", b"7", b'"lock"', b"[%s]" % text]), "malformed")


def _megabyte(a: Attacker, kind: str) -> Hostile:
    return a.raw(kind, a.text(id="x" * 1_000_000), "too_large")


def _wrong_type(a: Attacker, kind: str) -> Hostile:
    name = a.dice.choice([*SIGNED, "key", "signature"])
    wrong = a.dice.choice([7, None, True, [], {}, [a.fields()], 1e308, -1, 10**40, {"$ne": ""}])
    return a.raw(kind, json.dumps({**a.fields(), name: wrong}).encode(), "malformed other_name")


def _missing(a: Attacker, kind: str) -> Hostile:
    made = a.fields()
    del made[a.dice.choice([*SIGNED, "key", "signature"])]
    return a.raw(kind, json.dumps(made).encode(), "malformed other_name", name="lock")


def _unknown_field(a: Attacker, kind: str) -> Hostile:
    name = a.dice.choice(["role", "admin", "ID", "body ", "__proto__", "actor", "retain"])
    return a.said(kind, {**a.fields(), name: "supervisor"}, "malformed")


def _twice(a: Attacker, kind: str) -> Hostile:
    made = a.fields()
    text = json.dumps(made).replace('{"id"', '{"name": "unlock", "id"', 1)
    return a.raw(kind, text.encode(), "malformed", name=made["name"])


def _signature(a: Attacker, kind: str) -> Hostile:
    made = a.fields()
    good: str = made["signature"]
    place = a.dice.randrange(128)
    flipped = f"{int(good[place], 16) ^ 1:x}"
    scalar = int.from_bytes(bytes.fromhex(good)[32:], "little") + ORDER_OF_THE_CURVE
    forms = [
        good[: a.dice.randrange(128)],
        good + "00",
        good[:place] + flipped + good[place + 1 :],
        "0" * 128,
        good.upper() if good != good.upper() else "",
        good[:64] + scalar.to_bytes(32, "little").hex(),
        f" {good[1:]}",
        "\uff10" * 128,
    ]
    return a.said(kind, {**made, "signature": a.dice.choice(forms)}, "malformed bad_signature")


def _changed(a: Attacker, kind: str) -> Hostile:
    """Something was put into a command after it was signed."""
    made = a.fields(name="lock")
    name = a.dice.choice(["id", "not_after", "body"])
    other = {"id": "h-other", "not_after": a.moment(3000), "body": made["body"].replace("shoe", "reader")}
    return a.said(kind, {**made, name: other[name]}, "bad_signature lifetime")


def _stranger(a: Attacker, kind: str) -> Hostile:
    return a.said(kind, a.fields("stranger"), "unknown_key")


def _borrowed(a: Attacker, kind: str) -> Hostile:
    """A stranger's signature under the name of a key that is known."""
    return a.said(kind, {**a.fields("stranger"), "key": key_id(public("supervisor"))}, "bad_signature")


def _revoked(a: Attacker, kind: str) -> Hostile:
    return a.said(kind, a.fields("revoked"), "revoked_key")


def _wrong_role(a: Attacker, kind: str) -> Hostile:
    by = a.dice.choice(["console", "archive", "table", "dealer"])
    may = [name for name in SUPERVISORS if by != "console" or name != "self-test"]
    name = a.dice.choice(may if by == "dealer" else [*may, *DEALERS])
    return a.good_but(kind, "not_permitted", by, name=name)


def _expired(a: Attacker, kind: str) -> Hostile:
    over = a.dice.choice([1, 30, 3000, 10**8])
    return a.good_but(kind, "expired", issued=a.moment(-over - 30), not_after=a.moment(-over))


def _future(a: Attacker, kind: str) -> Hostile:
    ahead = a.dice.choice([120, 4000, 10**8])
    return a.good_but(kind, "not_yet", issued=a.moment(ahead), not_after=a.moment(ahead + 30))


def _lifetime(a: Attacker, kind: str) -> Hostile:
    return a.good_but(kind, "lifetime", not_after=a.moment(a.dice.choice([3700, 10**7, -30])))


def _no_time(a: Attacker, kind: str) -> Hostile:
    wrong = a.dice.choice(["now", "", "2026-02-30T00:00:00Z", "2026-11-30", "1e9", "9999-99-99T99:99:99Z", "0"])
    return a.good_but(kind, "malformed", must=False, **{a.dice.choice(["issued", "not_after"]): wrong})


def _other_table(a: Attacker, kind: str) -> Hostile:
    table = a.dice.choice(
        ["/riverside/bac-02", "/elsewhere/bac-01", "/riverside/bac-01/", "//bac-01", "riverside/bac-01"]
    )
    return a.good_but(kind, "other_table malformed", must=False, table=table)


def _other_name(a: Attacker, kind: str) -> Hostile:
    """Signed as one command, sent as another."""
    made = a.fields(name="self-test")
    return a.raw(kind, json.dumps(made).encode(), "other_name", name=a.dice.choice(["unlock", "clear-error"]))


def _other_epoch(a: Attacker, kind: str) -> Hostile:
    body = {"epoch": a.dice.choice(["", "0", a.aim.epoch.upper(), a.aim.epoch + " "]), "based_on": a.aim.seq}
    return a.good_but(kind, "other_epoch malformed", body=body)


def _based_on(a: Attacker, kind: str) -> Hostile:
    wrong = a.dice.choice([10**9, 2**63, 10**40, -1, 1.5, True, None, "7", [7]])
    return a.good_but(kind, "no_such_record malformed", body={"epoch": a.aim.epoch, "based_on": wrong})


def _body(a: Attacker, kind: str) -> Hostile:
    """In order but for what it wants."""
    known = {"epoch": a.aim.epoch, "based_on": a.aim.seq}
    deep: Any = {}
    for _ in range(200):
        deep = {"device": deep}
    wrong = a.dice.choice(
        [
            *("", "{", "[]", "7", "null", '{"epoch":', '{"epoch":"x","epoch":"y"}', "NaN"),
            *({**known, "device": each} for each in ("roulette", 7, None, ["shoe"], deep, "shoe\0", "../shoe")),
            {**known, "device": "shoe", "actor": "supervisor"},
            {**known, "device": "shoe", "order": "unlock"},
        ]
    )
    return a.good_but(kind, "malformed refused", name="lock", body=wrong)


def _unicode_id(a: Attacker, kind: str) -> Hostile:
    wrong = a.dice.choice(
        [
            *("h\u200b-1", "h\u202e-1", "h\x00", "h\n1", "h\ud800", "h\ue000", "h\ufeff", "x" * 65, "", "h\u2028"),
            unicodedata.normalize("NFD", "Ö-1"),
        ]
    )
    return a.said(kind, a.fields(id=wrong), "malformed")


def _confusable(a: Attacker, kind: str) -> Hostile:
    """A name that looks like another's, on the topic of its own."""
    name = a.dice.choice(
        ["l\u043eck", "lock\u200b", "LOCK", "lo\u0441k", "un\u2010lock", "lock ", "lock.", "card.drawn"]
    )
    return a.said(kind, a.fields(name=name), "malformed unknown_name other_name")


def _unknown_name(a: Attacker, kind: str) -> Hostile:
    return a.good_but(kind, "unknown_name", must=False, name=a.dice.choice(["open", "shutdown", "evt", "card-drawn-2"]))


def _odd_topic(a: Attacker, kind: str) -> Hostile:
    made = a.fields(name="lock")
    levels = ["", "/", "lock/", "/lock", "lock/ack", "lock/lock", "ack", "x" * 300, "l\u043eck", "$lock", "lock\u00a0"]
    payload = json.dumps(made).encode()
    return a.raw(kind, payload, "other_name unknown_name malformed", name=a.dice.choice(levels))


KINDS: Mapping[str, Callable[[Attacker, str], Hostile]] = {
    make.__name__.strip("_").replace("_", " "): make
    for make in (
        *(_no_json, _megabyte, _wrong_type, _missing, _unknown_field, _twice, _signature, _changed, _stranger),
        *(_borrowed, _revoked, _wrong_role, _expired, _future, _lifetime, _no_time, _other_table),
        *(_other_name, _other_epoch, _based_on, _body, _unicode_id, _confusable, _unknown_name, _odd_topic),
    )
}
