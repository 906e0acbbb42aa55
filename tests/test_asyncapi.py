"""The AsyncAPI document, as AsyncAPI's own parser reads it."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from needs import missing

from controller.contract.asyncapi import asyncapi
from controller.contract.catalog import CHANNELS

PARSER = Path(__file__).parent / "asyncapi"


def read(documents: dict[str, Any], folder: Path) -> dict[str, list[str]]:
    """What the parser finds wrong with each document; one call of it for all."""
    node = shutil.which("node") or missing("node (apt install nodejs npm)")
    if not (PARSER / "node_modules").is_dir():
        missing("@asyncapi/parser (npm ci --ignore-scripts in tests/asyncapi)")
    paths = {name: folder / f"{name}.json" for name in documents}
    for name, path in paths.items():
        path.write_text(json.dumps(documents[name]), encoding="utf-8")
    result = subprocess.run(
        [node, "validate.js", *map(str, paths.values())], cwd=PARSER, capture_output=True, text=True, check=True
    )
    told: dict[str, list[str]] = json.loads(result.stdout)
    return {name: told[str(path)] for name, path in paths.items()}


def test_the_document_is_sound_and_one_that_is_not_is_found(tmp_path: Path) -> None:
    document = asyncapi()
    spoiled = copy.deepcopy(document)
    spoiled["operations"]["send-state"]["action"] = "say"
    spoiled["components"]["schemas"]["Status"]["type"] = "text"
    found = read({"sound": document, "spoiled": spoiled}, tmp_path)
    assert found["sound"] == []
    told = "\n".join(found["spoiled"])
    assert "operations.send-state.action" in told
    assert "components.schemas.Status.type" in told


def test_every_channel_says_how_it_is_sent() -> None:
    document = asyncapi()
    operations = document["operations"]
    assert len(operations) == len(document["channels"]) == len(CHANNELS)
    told = {
        operation["channel"]["$ref"].removeprefix("#/channels/"): (
            operation["action"],
            operation["bindings"]["mqtt"]["qos"],
            operation["bindings"]["mqtt"]["retain"],
        )
        for operation in operations.values()
    }
    assert told == {
        "events": ("send", 1, False),
        "status": ("send", 1, True),
        "state": ("send", 1, True),
        "health": ("send", 1, False),
        "metrics": ("send", 0, False),
        "commands": ("receive", 1, False),
        "acks": ("send", 1, False),
        "archive-acks": ("receive", 1, False),
        "archive-hello": ("receive", 1, False),
    }
    assert operations["receive-commands"]["reply"]["channel"] == {"$ref": "#/channels/acks"}
