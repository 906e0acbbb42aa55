"""What docs/mqtt.md shows and lists, held against the contract."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from contract_schemas import mistakes

from controller.contract.catalog import CHANNELS, MESSAGES
from controller.contract.schemas import schemas
from protocols.floor.contract.records import Record, TableData

TEXT = (Path(__file__).parent.parent / "docs" / "mqtt.md").read_text(encoding="utf-8")
SHOWN = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]
NAMES = {message.urn: name for name, message in MESSAGES.items()}
ROW = re.compile(r"^\| `([^`]+)` \| ([\w -]+) \| ([01]) \| (yes|no|never) \|", re.MULTILINE)


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.get("dataschema", shown.get("name")))
def test_a_message_that_is_shown_is_one(shown: dict[str, object]) -> None:
    urn = shown.get("dataschema", MESSAGES["command"].urn)
    assert mistakes(NAMES[str(urn)], shown) == []


def test_the_record_that_is_shown_has_its_fields_in_the_order_of_the_wire() -> None:
    [shown] = [each for each in SHOWN if each["dataschema"] == MESSAGES["record"].urn]
    for fields, model in ((shown, Record), (shown["data"], TableData)):
        assert list(fields) == [name for name in model.model_fields if name in fields]


def test_every_topic_is_listed_with_how_it_is_sent() -> None:
    listed = {
        (topic.replace("KIND", "{kind}").replace("NAME", "{name}"), qos) for topic, _, qos, _ in ROW.findall(TEXT)
    }
    assert listed == {(channel.below, str(channel.qos)) for channel in CHANNELS.values()}
    retained = {topic for topic, _, _, kept in ROW.findall(TEXT) if kept == "yes"}
    assert retained == {channel.below for channel in CHANNELS.values() if channel.retain}


def test_the_kinds_of_records_are_listed() -> None:
    parts = schemas()["record"]["$defs"].values()
    kinds = {part["properties"]["kind"]["const"] for part in parts if "const" in part["properties"].get("kind", {})}
    listed = re.search(r"else the record's kind: (.*?)\.\n", TEXT)
    assert listed
    assert set(re.findall(r"`([a-z]+)`", listed[1])) == kinds - {"table"}
