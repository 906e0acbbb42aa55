"""What a table publishes, held against its contract: a field too many or too few in any message fails."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contract_schemas import mistakes
from heard import EVENINGS, evening, kind_of
from jsonschema import Draft202012Validator
from mqtt_table import TOPICS
from pydantic import ValidationError

from controller.broker import EmbeddedBroker
from controller.contract.asyncapi import examples
from controller.contract.catalog import CHANNELS, MESSAGES
from controller.contract.schemas import schemas
from protocols.events import EVENT_MODELS
from protocols.floor.contract.commands import Ack, Command, CommandBody, ResendBody
from protocols.floor.contract.records import Record

EXAMPLES = [
    pytest.param(name, example["payload"], id=f"{name}: {example['name']}")
    for name, shown in examples().items()
    for example in shown
]
HEARD = ("command", "archive-ack", "archive-hello")
SPOKEN = [param for param in EXAMPLES if param.values[0] not in ("metric", *HEARD)]


@pytest.mark.parametrize("name", EVENINGS)
def test_everything_that_a_table_publishes_in_an_evening_is_as_the_contract_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddedBroker() as broker:
        heard = evening(name, tmp_path, monkeypatch, broker)
    assert {"record", "status"} <= {each.name for each in heard}
    for each in heard:
        assert mistakes(each.name, each.value) == [], each.payload
        MESSAGES[each.name].model.validate_json(each.payload, by_alias=True, by_name=False)
        assert each.name == "metric" or each.value["dataschema"] == MESSAGES[each.name].urn
        if each.name == "record":
            assert each.topic == TOPICS.event(each.value["data"])


def test_a_topic_that_the_contract_does_not_have_is_found() -> None:
    assert kind_of(f"{TOPICS.base}/cmd/lock/ack") == "ack"
    with pytest.raises(AssertionError, match="evt/a/b"):
        kind_of(f"{TOPICS.base}/evt/a/b")


@pytest.mark.parametrize(("name", "payload"), EXAMPLES)
def test_an_example_is_as_the_contract_says(name: str, payload: Any) -> None:
    assert mistakes(name, payload) == []
    assert mistakes(name, payload, closed=None) == []


def test_every_message_of_a_channel_has_examples_and_every_kind_of_record_one() -> None:
    shown = examples()
    assert {channel.message for channel in CHANNELS.values()} == shown.keys()
    kinds = {each["payload"]["data"]["kind"] for each in shown["record"]}
    assert kinds == {"table", "header", "link", "device", "order", "input", "security", "system"}


def objects(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where there are objects whose fields are told by the contract."""
    if isinstance(value, dict):
        free = at[-1:] in (("options",), ("components",), ("links",), ("devices",)) or is_told_by_the_device(at, value)
        if not free:
            yield at
        for key, each in value.items():
            if not is_told_by_the_device((*at, key), value):
                yield from objects(each, (*at, key))
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from objects(each, (*at, number))


def is_told_by_the_device(at: tuple[str | int, ...], around: dict[str, Any]) -> bool:
    return at[-2:] == ("data", "data") and around.get("kind") == "device"


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize(("name", "payload"), SPOKEN)
def test_a_field_too_many_is_a_mistake_of_the_table_and_none_for_who_reads_it(name: str, payload: Any) -> None:
    for path in objects(payload):
        changed = copy.deepcopy(payload)
        at(changed, path)["unheard_of"] = 1
        assert mistakes(name, changed) != [], path
        assert mistakes(name, changed, closed=None) == [], path


@pytest.mark.parametrize(("name", "payload"), [param for param in EXAMPLES if param.values[0] in HEARD])
def test_a_field_too_many_in_what_a_table_hears_is_a_mistake(name: str, payload: Any) -> None:
    assert mistakes(name, {**payload, "unheard_of": 1}, closed=None) != []


OPTIONAL = {
    *("sealed", "commit", "disclosed", "replayed", "age_s", "instead", "input", "by", "remedy", "draw", "card"),
    "result",
    *("seq", "verdict", "resend", "why", "code", "key"),
    *("confirmed_seq", "first_seq"),
}
"""What may be absent somewhere; in other objects of the same name it is always there."""


@pytest.mark.parametrize(("name", "payload"), [param for param in EXAMPLES if param.values[0] != "metric"])
def test_a_field_too_few_is_a_mistake(name: str, payload: Any) -> None:
    for path in objects(payload):
        if path[-1:] == ("event",):
            continue
        for field in at(payload, path).keys() - (OPTIONAL if name in ("record", "ack", "health") else set()):
            changed = copy.deepcopy(payload)
            del at(changed, path)[field]
            assert mistakes(name, changed) != [], (path, field)


@pytest.mark.parametrize("name", ["record", "status", "state", "health", "command", "ack", "archive-ack"])
def test_model_and_schema_are_of_one_mind(name: str) -> None:
    """Of every value in every example that is replaced by another one; null apart, which is read as absent."""
    for payload in one_of_each_kind(name):
        for path in objects(payload):
            for field in at(payload, path):
                for other in OTHERS:
                    changed = copy.deepcopy(payload)
                    at(changed, path)[field] = other
                    model, schema = is_read(name, changed), mistakes(name, changed) == []
                    assert model == schema, (path, field, other, model)


OTHERS: tuple[Any, ...] = (7, -1, 1.5, "", "x", [])


def one_of_each_kind(name: str) -> list[Any]:
    """The examples of a message; of records one of each kind."""
    payloads = [example["payload"] for example in examples()[name]]
    return list({each["data"]["kind"]: each for each in payloads}.values()) if name == "record" else payloads


def is_read(name: str, value: Any) -> bool:
    try:
        MESSAGES[name].model.validate_json(json.dumps(value), by_alias=True, by_name=False)
    except ValidationError:
        return False
    return True


def test_every_schema_is_one_and_names_itself() -> None:
    for name, schema in schemas().items():
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["$id"] == f"urn:shoewatch:{name}:1"


def test_every_event_of_the_game_has_its_part_in_the_schema_of_a_record() -> None:
    parts = schemas()["record"]["$defs"].values()
    told = {part["properties"]["type"]["const"] for part in parts if "const" in part["properties"].get("type", {})}
    assert EVENT_MODELS.keys() <= told


def test_the_documents_are_the_same_in_every_process() -> None:
    program = "from controller.contract.publishing import documents; print(documents())"
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_what_is_not_said_is_left_out_and_null_is_said() -> None:
    answer = Ack(id="a", ok=True, seq=3, command="0" * 64)
    assert json.loads(answer.message()) == {
        "dataschema": "urn:shoewatch:ack:1",
        "id": "a",
        "ok": True,
        "seq": 3,
        "command": "0" * 64,
    }
    link = next(each for each in examples()["record"] if each["name"] == "link")["payload"]
    assert link["data"]["loss"] is None
    assert json.loads(Record.read(json.dumps(link).encode()).message())["data"] == link["data"]


def test_what_is_signed_is_told_by_the_model() -> None:
    """Id, table, name, issued, not_after and body, a line each, whatever stands in the body."""
    [shown] = examples()["command"]
    command = Command.model_validate({**shown["payload"], "body": "{\n}"})
    lines = ("pit-3-0412", "/riverside/bj-07", "round-opened", command.issued, command.not_after, "{", "}")
    assert command.signed() == "\n".join(lines).encode()


def test_the_example_of_a_command_says_what_the_panel_takes() -> None:
    [shown] = examples()["command"]
    command = Command.read(json.dumps(shown["payload"]).encode())
    assert CommandBody.read(command.body.encode()).fields == {"boxes": [1, 3]}
    assert mistakes("command-body", json.loads(command.body), closed=None) == []


RESEND = {"epoch": "e", "based_on": 9, "from": 1, "to": 9}


def test_the_body_of_a_resend() -> None:
    assert json.loads(ResendBody.read(json.dumps(RESEND).encode()).message()) == RESEND
    assert mistakes("resend-body", RESEND, closed=None) == []


@pytest.mark.parametrize(
    "body",
    [
        {**RESEND, "from": 0},
        {**RESEND, "from": "1"},
        {**RESEND, "more": 1},
        {"epoch": "e", "based_on": 9, "from_": 1, "to": 9},
        {"epoch": "e", "from": 1, "to": 9},
    ],
)
def test_what_is_no_body_of_a_resend(body: dict[str, Any]) -> None:
    assert mistakes("resend-body", body, closed=None) != []
    with pytest.raises(ValidationError):
        ResendBody.read(json.dumps(body).encode())
