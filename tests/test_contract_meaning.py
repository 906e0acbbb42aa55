"""What counts as another meaning of a published field, each told by field and reason; and that nothing else does."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import shoewatch

from controller.contract.catalog import MESSAGES
from controller.contract.meaning import changes
from controller.contract.publishing import Breaks, broken, documents, write
from controller.contract.schemas import schema_of, schemas

PUBLISHED = Path(__file__).parent.parent / "docs" / "contract"
REWRITE = "run `shoewatch schema write docs/contract`"

Schema = dict[str, Any]


def test_no_published_field_means_something_else() -> None:
    found = [f"{urn}: {change}" for urn, change in broken(PUBLISHED, schemas())]
    assert found == [], "this needs a new version of the urn"


def test_the_published_documents_are_those_that_are_written_now() -> None:
    published = {path.name: path.read_text(encoding="utf-8") for path in PUBLISHED.iterdir()}
    assert published == documents(), REWRITE


def test_a_schema_is_compatible_with_itself() -> None:
    for schema in schemas().values():
        assert changes(schema, copy.deepcopy(schema)) == []


def field(schema: Schema, *names: str) -> Schema:
    """The schema of a field, in the part (`$defs`) that is named first or in the message itself."""
    for name in names:
        schema = schema["$defs"][name] if name in schema.get("$defs", ()) else schema["properties"][name]
    return schema


def drop(schema: Schema, part: tuple[str, ...], name: str) -> None:
    held = field(schema, *part)
    del held["properties"][name]
    held["required"] = [each for each in held.get("required", ()) if each != name]


def rename(schema: Schema, part: tuple[str, ...], name: str, other: str) -> None:
    told = field(schema, *part, name)
    always = name in field(schema, *part)["required"]
    drop(schema, part, name)
    add(schema, part, other, told, always=always)


def add(schema: Schema, part: tuple[str, ...], name: str, told: Schema, *, always: bool) -> None:
    held = field(schema, *part)
    held["properties"][name] = told
    if always:
        held.setdefault("required", []).append(name)


def loosen(schema: Schema, part: tuple[str, ...], name: str) -> None:
    field(schema, *part)["required"].remove(name)


def tighten(schema: Schema, part: tuple[str, ...], name: str) -> None:
    field(schema, *part)["required"].append(name)


def say(schema: Schema, place: tuple[str, ...], **words: Any) -> None:
    field(schema, *place).update(words)


def unsay(schema: Schema, place: tuple[str, ...], word: str) -> None:
    del field(schema, *place)[word]


def also(schema: Schema, place: tuple[str, ...], key: str, value: Any) -> None:
    field(schema, *place)[key].append(value)


def only(schema: Schema, place: tuple[str, ...], key: str, count: int) -> None:
    del field(schema, *place)[key][count:]


ANOTHER = {"type": "object", "title": "Another", "properties": {"type": {"const": "another"}}, "required": ["type"]}
TABLE = ("TableData",)

Change = Callable[[Schema], None]

OTHERWISE: dict[str, tuple[str, Change, str]] = {
    "removed": ("status", lambda s: drop(s, (), "boot"), "boot: it was removed, or has another name"),
    "removed below": ("record", lambda s: drop(s, TABLE, "n"), "data.n: it was removed, or has another name"),
    "an optional one removed": ("ack", lambda s: drop(s, (), "why"), "why: it was removed, or has another name"),
    "renamed": ("record", lambda s: rename(s, TABLE, "state", "digest"), "data.state: it was removed, or has an"),
    "the new name": (
        "record",
        lambda s: rename(s, TABLE, "state", "digest"),
        "data.digest: it is new and always there",
    ),
    "new and required": ("health", lambda s: add(s, (), "x", {}, always=True), "x: it is new and always there"),
    "may be absent": ("state", lambda s: loosen(s, ("RoundStanding",), "judged"), "round.judged: it may be absent now"),
    "never absent": ("ack", lambda s: tighten(s, (), "seq"), "seq: it is always there now"),
    "another type": (
        "record",
        lambda s: say(s, ("seq",), type="string"),
        'seq: its type was "integer" and is "string"',
    ),
    "may be null": (
        "status",
        lambda s: say(s, ("boot",), type=["string", "null"]),
        'boot: its type was "string" and is ["string", "null"]',
    ),
    "never null": ("state", lambda s: only(s, ("method",), "anyOf", 1), "method: it cannot be null any more"),
    "null too": (
        "state",
        lambda s: also(s, ("reader",), "anyOf", {"type": "string"}),
        "reader: it can be string now",
    ),
    "another constant": (
        "status",
        lambda s: say(s, ("dataschema",), const="urn:x"),
        'dataschema: its only value was "urn:shoewatch:status:1" and is "urn:x"',
    ),
    "one value fewer": ("status", lambda s: only(s, ("status",), "enum", 1), 'status: it cannot be "offline" any more'),
    "one value more": ("status", lambda s: also(s, ("status",), "enum", "away"), 'status: it can be "away" now'),
    "one in an event fewer": (
        "record",
        lambda s: only(s, ("CardDrawn", "face"), "enum", 1),
        'data.event.face: it cannot be "down" any more',
    ),
    "another pattern": (
        "record",
        lambda s: say(s, ("prev",), pattern="^[0-9A-F]{64}$"),
        'prev: what it may look like was "^[0-9a-f]{64}$" and is',
    ),
    "another limit": (
        "health",
        lambda s: say(s, ("uptime_s",), minimum=-1),
        "uptime_s: its least value was 0 and is -1",
    ),
    "a new limit": ("ack", lambda s: say(s, ("why",), maxLength=9), "why: its greatest length was not said and is 9"),
    "other words": (
        "health",
        lambda s: say(s, ("uptime_s",), description="Minutes."),
        'uptime_s: its description was "Seconds since the daemon began." and is "Minutes."',
    ),
    "no words": (
        "health",
        lambda s: unsay(s, ("uptime_s",), "description"),
        'uptime_s: its description was "Seconds since the daemon began." and is not said',
    ),
    "an event fewer": (
        "record",
        lambda s: only(s, (*TABLE, "event"), "oneOf", 35),
        "data.event: it cannot be LogGap any more",
    ),
    "a kind of record fewer": ("record", lambda s: only(s, ("data",), "oneOf", 7), "data: it cannot be"),
    "members of a list": (
        "state",
        lambda s: say(s, ("due",), items={"type": "integer"}),
        'due[]: its type was "string" and is "integer"',
    ),
    "fields of members": (
        "state",
        lambda s: drop(s, ("HandStanding",), "place"),
        "hands[].place: it was removed, or has",
    ),
    "values by any key": (
        "state",
        lambda s: drop(s, ("LinkStanding",), "since"),
        "links.*.since: it was removed, or has",
    ),
    "any values": (
        "state",
        lambda s: say(s, ("links",), additionalProperties=True),
        "links.*: what it holds was",
    ),
    "more fields refused": (
        "status",
        lambda s: s.update(additionalProperties=False),
        "*: what it holds was not said and is false",
    ),
    "a word that nobody compares": (
        "status",
        lambda s: say(s, ("boot",), multipleOf=2),
        "boot: multipleOf is compared by nobody",
    ),
}

THE_SAME: dict[str, tuple[str, Change]] = {
    "an optional field": ("status", lambda s: add(s, (), "version", {"type": "string"}, always=False)),
    "one below": ("record", lambda s: add(s, TABLE, "more", {"type": "string"}, always=False)),
    "one in an event": ("record", lambda s: add(s, ("CardDrawn",), "more", {"type": "string"}, always=False)),
    "another event": ("record", lambda s: also(s, (*TABLE, "event"), "oneOf", ANOTHER)),
    "another kind of record": ("record", lambda s: also(s, ("data",), "oneOf", ANOTHER)),
    "another order": ("status", lambda s: s["required"].reverse()),
    "another order of values": ("status", lambda s: field(s, "status")["enum"].reverse()),
    "another order of events": ("record", lambda s: field(s, *TABLE, "event")["oneOf"].reverse()),
    "another title": ("status", lambda s: s.update(title="Presence")),
    "examples": ("status", lambda s: say(s, ("boot",), examples=["1"])),
    "a part put in its place": ("state", lambda s: say(s, (), properties=in_place(s))),
}


def in_place(schema: Schema) -> Schema:
    return {**schema["properties"], "round": schema["$defs"]["RoundStanding"]}


def changed(name: str, change: Change) -> tuple[Schema, Schema]:
    before = schema_of(MESSAGES[name])
    after = copy.deepcopy(before)
    change(after)
    assert after != before
    return before, after


@pytest.mark.parametrize(("name", "change", "said"), OTHERWISE.values(), ids=OTHERWISE)
def test_another_meaning_is_told_by_field_and_reason(name: str, change: Change, said: str) -> None:
    found = [str(each) for each in changes(*changed(name, change))]
    assert [each for each in found if each.startswith(said)], found
    assert len(found) <= 2


@pytest.mark.parametrize(("name", "change"), THE_SAME.values(), ids=THE_SAME)
def test_what_a_reader_leaves_alone_is_no_other_meaning(name: str, change: Change) -> None:
    assert changes(*changed(name, change)) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    return tmp_path


def spoil(path: Path, change: Change) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    change(schema)
    path.write_text(json.dumps(schema), encoding="utf-8")


def test_a_folder_is_written_and_written_again(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = shoewatch("schema", "write", str(folder))
    assert (result.status, result.stderr) == (0, "")
    assert sorted(result.stdout.splitlines()) == sorted(str(folder / name) for name in before)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_would_mean_something_else_is_not_written_unless_it_is_wanted(folder: Path) -> None:
    path = folder / "status-1.json"
    right = path.read_bytes()
    spoil(path, lambda schema: say(schema, ("boot",), type="integer"))
    (folder / "asyncapi.json").unlink()
    result = shoewatch("schema", "write", str(folder))
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        'urn:shoewatch:status:1: boot: its type was "integer" and is "string"',
        "such a change needs a new version of the urn, or --anew where nobody reads it",
    ]
    assert not (folder / "asyncapi.json").exists()
    assert shoewatch("schema", "write", "--anew", str(folder)).status == 0
    assert path.read_bytes() == right


def test_descriptions_are_written_anew_on_purpose(folder: Path) -> None:
    path = folder / "health-1.json"
    right = path.read_bytes()
    spoil(path, lambda schema: say(schema, ("uptime_s",), description="Minutes."))
    assert [str(change.field) for _, change in broken(folder, schemas())] == ["uptime_s"]
    write(folder)
    assert path.read_bytes() == right


def test_a_new_version_stands_beside_the_published_one(folder: Path) -> None:
    present = schemas()
    present["status"] = {**changed("status", lambda s: drop(s, (), "boot"))[1], "$id": "urn:shoewatch:status:2"}
    assert list(broken(folder, present)) == []


def test_a_message_that_is_gone_is_missed(folder: Path) -> None:
    present = schemas()
    del present["health"]
    assert [(urn, str(change)) for urn, change in broken(folder, present)] == [
        ("urn:shoewatch:health:1", "the message: nothing has this name any more")
    ]


@pytest.mark.parametrize("text", ["", "{", "3", '{"$id":3}', '{"$id":"urn:else:1"}', '{"$id":"urn:shoewatch:a"}'])
def test_what_is_no_schema_of_ours_is_told(text: str, folder: Path) -> None:
    (folder / "note-1.json").write_text(text)
    with pytest.raises(Breaks, match=r"note-1\.json: this is no schema of a message"):
        write(folder)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = shoewatch("schema", "write", str(tmp_path / "file"))
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path / 'file'}: cannot be written: File exists\n"


def test_list_names_each_message_with_its_urn_and_topics() -> None:
    lines = shoewatch("schema", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(MESSAGES)
    assert lines[0].split() == ["record", "urn:shoewatch:record:1", "casino/v1/{site}/{table}/evt/{kind}"]


@pytest.mark.parametrize("name", MESSAGES)
def test_show_prints_what_is_published(name: str) -> None:
    assert shoewatch("schema", "show", name).stdout == (PUBLISHED / f"{name}-1.json").read_text(encoding="utf-8")


def test_asyncapi_prints_what_is_published() -> None:
    assert shoewatch("schema", "asyncapi").stdout == (PUBLISHED / "asyncapi.json").read_text(encoding="utf-8")


def test_an_unknown_message_is_told_with_the_nearest() -> None:
    result = shoewatch("schema", "show", "stat")
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr == "there is no message 'stat' (did you mean \"state\"?)\n"
