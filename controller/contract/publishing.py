"""The contract's documents in a folder; a change of meaning is not written over what is published there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from controller.contract.asyncapi import asyncapi
from controller.contract.catalog import MESSAGES
from controller.contract.meaning import Change, changes
from controller.contract.schemas import schemas
from protocols.errors import ShoewatchError
from protocols.texts import TextError, read_json

ASYNCAPI: Final = "asyncapi.json"
_URN: Final = re.compile(r"urn:shoewatch:[a-z-]+:\d+")
_ONLY_WORDS: Final = "its description "


class Breaks(ShoewatchError):
    """What is published means something else now."""


def text_of(document: Mapping[str, Any]) -> str:
    """A document as it is printed and stored."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def documents() -> dict[str, str]:
    """Every document, by the name of its file."""
    told = {MESSAGES[name].file: text_of(schema) for name, schema in schemas().items()}
    return {**told, ASYNCAPI: text_of(asyncapi())}


def broken(folder: Path, present: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Change]]:
    """What the present schemas, by name, say otherwise than those in the folder, each with its urn. A schema that is
    there under a newer version too is kept for those who read the older one, and is as it was."""
    by_urn = {schema["$id"]: schema for schema in present.values()}
    newest = {urn.rpartition(":")[0]: int(urn.rpartition(":")[2]) for urn in by_urn}
    for path in sorted(folder.glob("*-*.json")):
        published, urn = _published(path)
        name, _, version = urn.rpartition(":")
        if urn in by_urn:
            for change in changes(published, by_urn[urn]):
                yield urn, change
        elif newest.get(name, 0) <= int(version):
            yield urn, Change("", "nothing has this name any more")


def _published(path: Path) -> tuple[dict[str, Any], str]:
    """A schema and its urn; Breaks where the file holds none."""
    try:
        schema = read_json(path.read_text(encoding="utf-8"))
        urn = schema["$id"]
        is_ours = _URN.fullmatch(urn) is not None
    except (TextError, UnicodeDecodeError, LookupError, TypeError):
        is_ours = False
    if not is_ours:
        raise Breaks(f"{path}: this is no schema of a message")
    return schema, urn


def write(folder: Path, *, anew: bool = False) -> list[Path]:
    """Write every document; Breaks, and nothing is written, where what stands there would mean something else, other
    than in its descriptions. `anew`: whatever stands there."""
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [] if anew else [found for found in broken(folder, schemas()) if not found[1].why.startswith(_ONLY_WORDS)]
    if wrong:
        lines = [f"{urn}: {change}" for urn, change in wrong]
        raise Breaks(
            "\n".join([*lines, "such a change needs a new version of the urn, or --anew where nobody reads it"])
        )
    paths = []
    for name, text in documents().items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths
