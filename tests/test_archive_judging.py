"""The decision about one message against the end of its chain, case by case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from archived import bodies
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.archive.columns import LONGEST, Course, columns_of
from controller.archive.judging import Commits, Judged, Mark, Refused, arrived, judge, opens
from protocols.floor.chain import START, Link
from protocols.floor.evidence import Message, read_message

THERE = "11" * 32
"""The hash of record 10, where the chain ends."""
OTHER = "22" * 32
END = Mark(1, Link(10, THERE), 8, "0123456789abcdef")
PRUNED = Mark(6, Link(10, THERE))


def message(seq: int, prev: str = THERE, **data: Any) -> Message:
    """A record with this hash before it; its own hash is that of its number."""
    said = {"kind": "link", **data}
    return Message("/riverside/bj-07", "e1", seq, prev, "2026-11-30T07:03:48.143Z", None, said, hash_of(seq))


def hash_of(seq: int) -> str:
    return f"{seq:064x}"


def opening(seq: Any, name: str = "card", nonce: str = "00" * 32) -> dict[str, Any]:
    return {"disclosed": [{"seq": seq, "field": name, "value": "Kh", "nonce": nonce}]}


def stored(seq: int, first: int = 1, missing: tuple[int, int] | None = None) -> Judged:
    return Judged("stored", Mark(first, Link(seq, hash_of(seq)), END.signed, END.signer), missing=missing)


CASES: dict[str, tuple[Message, Mark, str | None, Commits, int, Judged | str]] = {
    "the first": (message(1, START.hash), Mark(), None, {}, 1, Judged("stored", Mark(1, Link(1, hash_of(1))))),
    "the first behind something": (message(1), Mark(), None, {}, 1, "fork"),
    "the second first": (message(2), Mark(), None, {}, 1, "gap"),
    "the oldest there is": (
        *(message(7, OTHER), Mark(), None, {}, 7),
        Judged("stored", Mark(7, Link(7, hash_of(7))), missing=(1, 6)),
    ),
    "younger than the oldest": (message(8, OTHER), Mark(), None, {}, 7, "gap"),
    "the next": (message(11), END, None, {}, 1, stored(11)),
    "the next behind another": (message(11, OTHER), END, None, {}, 1, "fork"),
    "the one after": (message(12, OTHER), END, None, {}, 1, "gap"),
    "far ahead": (message(2**62, OTHER), END, None, {}, 1, "gap"),
    "the oldest, far ahead": (message(40, OTHER), END, None, {}, 40, stored(40, missing=(11, 39))),
    "kept when others went": (message(30, OTHER), END, None, {}, 40, stored(30, missing=(11, 29))),
    "the next, though older ones went": (message(11), END, None, {}, 40, stored(11)),
    "the last again": (message(10, OTHER), END, hash_of(10), {}, 1, "repeat"),
    "one of before again": (message(4, OTHER), END, hash_of(4), {}, 1, "repeat"),
    "another in its place": (message(4, OTHER), END, OTHER, {}, 1, "fork"),
    "one that is missing": (message(4, OTHER), PRUNED, None, {}, 1, "late"),
    "opens what was made too early": (message(11, **opening(5)), PRUNED, None, {}, 1, "stored"),
    "opens another value": (message(11, **opening(5)), END, None, {5: {"card": OTHER}}, 1, "unsound"),
    "opens what holds nothing": (message(11, **opening(5)), END, None, {5: {}}, 1, "unsound"),
    "opens another field": (message(11, **opening(5, "peek")), END, None, {5: {"card": OTHER}}, 1, "unsound"),
    "opens itself": (message(11, **opening(11)), END, None, {}, 1, "unsound"),
    "opens what comes": (message(11, **opening(12)), END, None, {}, 1, "unsound"),
    "opens a half": (message(11, **opening(5.0)), END, None, {5: {"card": OTHER}}, 1, "unsound"),
    "opens without a nonce": (message(11, **opening(5, nonce="x")), END, None, {5: {"card": OTHER}}, 1, "unsound"),
    "opens in no form": (message(11, disclosed=7), END, None, {}, 1, "unsound"),
    "commits in no form": (message(11, commit=[1]), END, None, {}, 1, "unsound"),
    "a system that says nothing": (message(11, kind="system"), END, None, {}, 1, "unsound"),
    "a key that is none": (
        *(message(11, kind="system", what="key.changed", data={"to": "\0"}), END, None, {}, 1),
        "unsound",
    ),
    "a checkpoint of nothing": (message(11, kind="system", what="checkpoint", data={}), END, None, {}, 1, "unsound"),
}


@pytest.mark.parametrize(("came", "mark", "there", "commits", "oldest", "expected"), CASES.values(), ids=CASES)
def test_one_message(
    came: Message, mark: Mark, there: str | None, commits: Commits, oldest: int, expected: Judged | str
) -> None:
    judged = judge(mark, came, there, commits, oldest)
    if isinstance(expected, Judged):
        assert judged == expected
    else:
        assert judged.outcome == expected
        assert (judged.why is not None) == (expected in ("fork", "unsound"))
        assert expected == "stored" or judged.mark == mark


def test_a_whole_chain(tmp_path: Path) -> None:
    """Signed and with openings, as a table makes it: each record follows on the one before."""
    mark, commits = Mark(), dict[int, Mapping[str, str]]()
    opened = 0
    for body in bodies(tmp_path, "journal"):
        came = read_message(body)
        wanted = {seq: commits[seq] for seq in opens(came)}
        opened += len(wanted)
        judged = judge(mark, came, None, wanted, 1)
        assert (judged.outcome, judged.mark.last) == ("stored", Link(came.seq, came.hash))
        mark, commits[came.seq] = judged.mark, json.loads(body)["data"].get("commit", {})
    assert (mark.signed, mark.first, opened) == (27, 1, 2)


TEXTS = st.sampled_from(["", "\0", "x" * 300, "2c"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
FIELDS = st.sampled_from(["seq", "field", "type", "card"])
ODD = st.recursive(
    LEAVES, lambda each: st.lists(each, max_size=2) | st.dictionaries(FIELDS, each, max_size=2), max_leaves=4
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where something stands in this JSON."""
    for name, within in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, name)
        if isinstance(within, dict | list):
            yield from paths(within, (*path, name))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return bodies(tmp_path_factory.mktemp("whole"), "journal")


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whatever_a_message_says_it_is_judged(whole: list[bytes], data: st.DataObject) -> None:
    fields = json.loads(data.draw(st.sampled_from(whole)))
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(list(paths(fields))))
        at = reduce(lambda value, name: value[name], way, fields)
        at[last] = data.draw(ODD)
    payload = json.dumps(fields).encode()
    try:
        came = arrived("riverside", "bj-07", payload)
    except Refused:
        return
    end = Mark(1, Link(came.seq - 1, came.prev))
    judged = judge(end, came, None, {seq: {"card": OTHER} for seq in opens(came)})
    assert judged.outcome in ("stored", "unsound")
    columns, course = columns_of(came, payload, Course(1, None))
    for value in (*asdict(columns).values(), *asdict(course).values()):
        assert not isinstance(value, int) or -(2**63) <= value < 2**63
        assert not isinstance(value, str) or ("\0" not in value and len(value) <= LONGEST)
    assert judged.mark.signer is None or len(judged.mark.signer) == 16
