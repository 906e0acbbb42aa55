"""The AsyncAPI 3.0 document: every channel, what the table does there, and examples of what is said."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any, Final

from controller.contract.catalog import CHANNELS, MESSAGES, PARAMETERS, Channel
from controller.contract.schemas import components

EXAMPLES: Final = "examples.json"
_REF: Final = "#/components/schemas/{model}"
_VERSION: Final = "1.0.0"
_BINDING: Final = "0.2.0"
_PARAMETER: Final = re.compile(r"{(\w+)}")
_ABOUT: Final = (
    "What a table's daemon says and hears on MQTT. Every message is complete without properties of MQTT 5. "
    "A message may have more fields than are described; whoever reads it leaves them alone."
)


def examples() -> dict[str, list[dict[str, Any]]]:
    """Messages as tables have sent them, by the name of their kind: each with a `name` and its `payload`."""
    text = (resources.files("controller.contract") / EXAMPLES).read_text(encoding="utf-8")
    found: dict[str, list[dict[str, Any]]] = json.loads(text)
    return found


def asyncapi() -> dict[str, Any]:
    """The whole document."""
    said = {channel.message: channel for channel in CHANNELS.values()}
    payloads, parts = components(said, _REF)
    shown = examples()
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "shoewatch",
            "version": _VERSION,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {name: _channel(channel) for name, channel in CHANNELS.items()},
        "operations": {_operation_name(channel): _operation(channel) for channel in CHANNELS.values()},
        "components": {
            "messages": {name: _message(name, payloads[name], shown[name]) for name in said},
            "schemas": parts,
        },
    }


def _message(name: str, payload: dict[str, Any], shown: list[dict[str, Any]]) -> dict[str, Any]:
    told = {"name": name, "title": MESSAGES[name].urn, "contentType": "application/json", "payload": payload}
    return {**told, "examples": shown}


def _channel(channel: Channel) -> dict[str, Any]:
    return {
        "address": channel.address,
        "description": channel.about,
        "parameters": {name: {"description": PARAMETERS[name]} for name in _PARAMETER.findall(channel.address)},
        "messages": {channel.message: {"$ref": f"#/components/messages/{channel.message}"}},
    }


def _operation(channel: Channel) -> dict[str, Any]:
    told: dict[str, Any] = {
        "action": channel.action,
        "channel": _ref(channel.name),
        "summary": channel.about,
        "messages": [_message_ref(channel)],
        "bindings": {"mqtt": {"qos": channel.qos, "retain": channel.retain, "bindingVersion": _BINDING}},
    }
    if channel.answered:
        answers = CHANNELS[channel.answered]
        told["reply"] = {"channel": _ref(answers.name), "messages": [_message_ref(answers)]}
    return told


def _operation_name(channel: Channel) -> str:
    return f"{channel.action}-{channel.name}"


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/channels/{name}"}


def _message_ref(channel: Channel) -> dict[str, str]:
    return {"$ref": f"#/channels/{channel.name}/messages/{channel.message}"}
