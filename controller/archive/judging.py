"""What becomes of a message that came for the archive: pure, from where its chain ends and what is stored of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from controller.export import is_table_record
from protocols.floor.chain import START, Link
from protocols.floor.evidence import Evidence, Message, Unsound, read_message
from protocols.keys import KeyRegistry

Foreign = Literal["too_large", "no_record", "other_source"]
"""Why a message is none that the archive could store, whatever is in it."""
Outcome = Literal["stored", "repeat", "gap", "late", "fork", "unsound"]
"""`late`: it is one of those that are known to be missing; `unsound`: a signature or an opening does not hold."""

Commits = Mapping[int, Mapping[str, str]]
"""By record and field, what its message commits to."""

MOST_BYTES: Final = 1 << 20
MOST: Final = 2**63 - 2
_EPOCH: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEY: Final = re.compile(r"[0-9a-f]{16}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class Refused(Exception):
    """The message is no record of this table."""

    def __init__(self, code: Foreign) -> None:
        super().__init__(code)
        self.code: Foreign = code


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a chain ends: its `first` record, 0 where none is stored yet, and its last one.

    `signed`: the last record under a checkpoint, `signer`: the id of the key that made it."""

    first: int = 0
    last: Link = START
    signed: int = 0
    signer: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcome and where the chain ends after it; `why`: what is wrong, in words; `missing`: the first and the last
    of the records that this one comes behind and that nobody has any more."""

    outcome: Outcome
    mark: Mark
    why: str | None = None
    missing: tuple[int, int] | None = None


def arrived(site: str, table: str, payload: bytes) -> Message:
    """The record's message that came on a topic of this table; Refused where it is none of its."""
    if len(payload) > MOST_BYTES:
        raise Refused("too_large")
    try:
        found = read_message(payload)
    except Unsound:
        raise Refused("no_record") from None
    if not _is_whole(found):
        raise Refused("no_record")
    if found.source != f"/{site}/{table}":
        raise Refused("other_source")
    return found


def opens(message: Message) -> frozenset[int]:
    """The records of which it opens something, as far as it says so in the right form."""
    openings = message.data.get("disclosed", ())
    named = (each.get("seq") for each in openings if isinstance(each, dict)) if isinstance(openings, list) else ()
    return frozenset(seq for seq in named if type(seq) is int and 1 <= seq < message.seq)


def judge(
    mark: Mark,
    message: Message,
    stored: str | None,
    commits: Commits,
    oldest: int = 1,
    keys: KeyRegistry | None = None,
) -> Judged:
    """What becomes of the next message of the chain that ends at `mark`. `stored`: the hash of what is stored as this
    record; `commits`: of the stored records that the message opens something of; `oldest`: the first record from which
    on the table has all; `keys`: whose signatures are trusted, None where any is."""
    following = mark.last.seq + 1
    if message.seq < following:
        return _again(mark, message, stored)
    if message.seq > max(following, oldest):
        return Judged("gap", mark)
    last, missing = mark.last, None
    if message.seq > following:
        last, missing = Link(message.seq - 1, message.prev), (following, message.seq - 1)
    if message.prev != last.hash:
        return Judged("fork", mark, f"it follows on another record {last.seq} than the one that is stored")
    made = {(seq, name): value for seq, names in commits.items() for name, value in names.items()}
    evidence = Evidence(keys, last, mark.signed, signer=mark.signer, commits=made)
    try:
        evidence.take(message)
        _none_invented(message, commits)
        _names_a_key(evidence.signer)
    except Unsound as error:
        return Judged("unsound", mark, str(error))
    after = Mark(mark.first or message.seq, evidence.last, evidence.signed, evidence.signer)
    return Judged("stored", after, missing=missing)


def _again(mark: Mark, message: Message, stored: str | None) -> Judged:
    if stored == message.hash:
        return Judged("repeat", mark)
    if stored is None:
        return Judged("late", mark)
    return Judged("fork", mark, f"another record {message.seq} is stored: {stored}, and this is {message.hash}")


def _none_invented(message: Message, commits: Commits) -> None:
    named = opens(message)
    for each in message.data.get("disclosed", ()):
        if type(each["seq"]) is not int or each["seq"] not in named:
            raise Unsound("it opens something of a record that cannot be before it")
        if each["field"] not in commits.get(each["seq"], {each["field"]}):
            raise Unsound(f"it opens the {each['field']} of record {each['seq']}, which is committed to none")


def _names_a_key(signer: str | None) -> None:
    if signer is not None and not _KEY.fullmatch(signer):
        raise Unsound("it names no key that signs from now on")


def _is_whole(message: Message) -> bool:
    """Whether every part that the archive goes by has the form that a table gives it."""
    try:
        at = datetime.fromisoformat(message.time)
        table = message.data["kind"] != "table" or is_table_record(message.data)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False
    texts = isinstance(message.data["kind"], str) and isinstance(message.prev, str)
    sound = table and texts and at.tzinfo is not None and 1971 <= at.year < 9999 and 1 <= message.seq <= MOST
    return bool(sound and _EPOCH.fullmatch(message.epoch) and _HASH.fullmatch(message.prev))
