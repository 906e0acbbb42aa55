"""docs/table-log.md says of the table log what the code reads, and its example is judged as it says."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin

import pytest
from command import shoewatch
from doc_tables import DOCS, Row, table

from protocols.events import EVENT_MODELS, LogHeader, Observed, PeekResult, TableEvent
from protocols.verdicts import Outcome, Verdict

EVENTS = {row["event"]: row for row in table("table-log.md", "event", "its fields")}
PEEK = set(get_args(PeekResult))
COMMON = set(TableEvent.model_fields) | {"type"}
_FIELD = re.compile(r"(?P<name>\w+)(?P<may_lack>\??)(?: = (?P<values>.*))?.*")


def words(text: str) -> set[str]:
    return {word.strip() for word in text.split(",")}


def literals(annotation: Any) -> set[str]:
    """The words or numbers that the annotation allows, if it is such a one."""
    if get_origin(annotation) is Literal:
        return set(map(str, get_args(annotation)))
    return {word for each in get_args(annotation) if not isinstance(each, str) for word in literals(each)}


def told(row: Row) -> dict[str, tuple[bool, set[str]]]:
    """By field: whether it may be left out, and its values where they are listed."""
    found = {}
    for part in filter(None, row["its fields"].split("; ")):
        match = _FIELD.fullmatch(part)
        assert match is not None, part
        found[match["name"]] = (bool(match["may_lack"]), words(match["values"] or "") - {""})
    return found


def test_every_event_is_told_of_in_the_order_of_the_code() -> None:
    assert list(EVENTS) == list(EVENT_MODELS)


@pytest.mark.parametrize("name", EVENT_MODELS)
def test_the_fields_of_an_event(name: str) -> None:
    model = EVENT_MODELS[name]
    read = {field.alias or key: field for key, field in model.model_fields.items() if key not in COMMON}
    assert told(EVENTS[name]) == {
        key: (
            not field.is_required(),
            PEEK if key == "result" and name == "reader.peeked" else literals(field.annotation),
        )
        for key, field in read.items()
    }


def test_the_fields_of_every_event() -> None:
    text = (DOCS / "table-log.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"^Every event may have .*$", text, re.MULTILINE)
    assert set(re.findall(r"`(\w+)\?`", sentence)) == set(TableEvent.model_fields) - {"type"}


def test_the_header() -> None:
    rows = {row["header field"]: row["values"] for row in table("table-log.md", "header field")}
    assert list(rows) == [name for name in LogHeader.model_fields if name != "type"]
    for name, field in LogHeader.model_fields.items():
        if allowed := literals(field.annotation) if name != "type" else set():
            assert words(rows[name]) == allowed, name


def test_what_can_be_observed() -> None:
    rows = table("table-log.md", "input", "covers")
    assert {word for row in rows for word in words(row["input"])} == set(get_args(Observed))
    covered = {word for row in rows for word in words(row["covers"]) if "." in word and " " not in word}
    assert covered <= set(EVENT_MODELS)
    assert {"player.acted", "cards.cut", "stub.counted", "call.missed"} <= covered


def test_the_verdict() -> None:
    assert [row["key"] for row in table("table-log.md", "key", "says")] == [field.name for field in fields(Verdict)]
    assert [row["outcome"] for row in table("table-log.md", "outcome", "means")] == list(get_args(Outcome))


def test_the_example_is_judged_as_it_says() -> None:
    text = (DOCS / "table-log.md").read_text(encoding="utf-8")
    (log,) = re.findall(r"```jsonl\n(.*?)```", text, re.DOTALL)
    (verdict,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    result = shoewatch("check", "-", "--violations", given=log.encode())
    assert (result.status, result.stdout) == (1, verdict)
    statuses = {row["status"] for row in table("table-log.md", "status", "means")}
    wrong = shoewatch("check", "-", given=log.replace('"boxes"', '"boxs"').encode())
    right = shoewatch("check", "-", given="".join(log.splitlines(keepends=True)[:-1]).encode())
    assert {str(each.status) for each in (result, wrong, right)} == statuses
    assert (wrong.stdout, "unknown field 'boxs' (did you mean \"boxes\"?)" in wrong.stderr) == ("", True)
