"""What is added to the registry of devices and taken out of it. Pure: from one TOML document to the next.

A document is the registry as TOML reads it, checked by `parse_registry`; a device's other entries go with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from protocols.errors import ShoewatchError, did_you_mean
from protocols.registry import parse_registry
from protocols.texts import read_toml

Document = Mapping[str, Any]

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_HEAD: Final = (
    "# The devices that this table trusts, with their keys. `shoewatch devices` adds and revokes, and writes the file\n"
    "# anew with that: a comment of yours is lost.\n"
)


def read_document(text: str, where: str) -> Document:
    """The document in the text of the file `where`; ConfigError with every mistake in it, without a key."""
    parse_registry(text, where)
    return read_toml(text)


def write_document(document: Document) -> str:
    """The text that `read_document` reads back, by serial number."""
    return _HEAD + "".join(part for serial in sorted(document) for part in _section(serial, document[serial]))


def added(registry: Document, devices: Document) -> tuple[Document, tuple[str, ...]]:
    """The registry with these devices, and what that changed, a sentence each, nothing where it knew them all.

    ShoewatchError where there is none, or a device has another key or another setting already: only who revokes it
    first means that."""
    if not devices:
        raise ShoewatchError("no device stands in it (right would be a section [SERIAL.firmware])")
    merged, said = dict(registry), list[str]()
    for serial, device in devices.items():
        known = merged.get(serial, {"firmware": {}})
        new = {digest: key for digest, key in _firmware(device).items() if digest not in _firmware(known)}
        _refuse_conflict(serial, known, device)
        merged[serial] = {**device, **known, "firmware": {**_firmware(known), **new}}
        said += [f"{serial}: firmware {digest} is approved" for digest in sorted(new)]
        said += [f"{serial}: {name} is set" for name in sorted(device.keys() - known.keys())]
    return merged, tuple(said)


def revoked(registry: Document, serial: str) -> Document:
    """The registry without this device; ShoewatchError where it has none."""
    if serial not in registry:
        known = did_you_mean(serial, registry) if registry else " (it knows none)"
        raise ShoewatchError(f"the registry does not know {serial!r}{known}")
    return {name: device for name, device in registry.items() if name != serial}


def _refuse_conflict(serial: str, known: Document, device: Document) -> None:
    has = _firmware(known)
    for digest, key in _firmware(device).items():
        if has.get(digest, key) != key:
            raise ShoewatchError(
                f"{serial}: firmware {digest[:12]}... is approved with another key already. If the maker gave it a new "
                f"one: shoewatch devices revoke {serial}, then add it again"
            )
    for name in device.keys() & known.keys() - {"firmware"}:
        if device[name].lower() != known[name].lower():
            raise ShoewatchError(f"{serial}: {name} is {known[name]!r} already; revoke the device first, then add it")


def _firmware(device: Document) -> dict[str, str]:
    return {digest.lower(): key.lower() for digest, key in device["firmware"].items()}


def _section(serial: str, device: Document) -> Iterator[str]:
    name = serial if _BARE.fullmatch(serial) else json.dumps(serial)
    others = {key: value for key, value in device.items() if key != "firmware"}
    if others:
        yield f"\n[{name}]\n" + _lines(others)
    yield f"\n[{name}.firmware]\n" + _lines(_firmware(device))


def _lines(values: Mapping[str, str]) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in sorted(values.items()))
