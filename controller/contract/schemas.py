"""The messages' models as JSON Schema 2020-12, told as they are written on the wire."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic.fields import FieldInfo
from pydantic.json_schema import DEFAULT_REF_TEMPLATE, GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from controller.contract.catalog import MESSAGES, Described

DIALECT: Final = GenerateJsonSchema.schema_dialect
_NULL: Final = {"type": "null"}


class _AsWritten(GenerateJsonSchema):
    """A field whose default is None is never null but left out; one with another default is always there."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        fields: Mapping[str, FieldInfo] = schema["cls"].model_fields
        defaults = {
            info.alias or name: info.get_default(call_default_factory=True)
            for name, info in fields.items()
            if not info.is_required()
        }
        return _as_written(super().model_schema(schema), defaults)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        given = {each.name: each.default for each in dataclasses.fields(schema["cls"])}
        defaults = {name: default for name, default in given.items() if default is not dataclasses.MISSING}
        return {**_as_written(super().dataclass_schema(schema), defaults), "additionalProperties": False}

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        """Without OpenAPI's `discriminator`, which JSON Schema does not have."""
        told = super().tagged_union_schema(schema)
        told.pop("discriminator", None)
        return told

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        """A title that repeats the name says nothing."""
        return False


def _as_written(told: JsonSchemaValue, defaults: Mapping[str, Any]) -> JsonSchemaValue:
    properties = told.get("properties", {})
    always = {*told.get("required", ()), *(name for name, default in defaults.items() if default is not None)}
    for name in defaults:
        field = properties[name]
        field.pop("default", None)
        if defaults[name] is None:
            properties[name] = _never_null(field)
    required = [name for name in properties if name in always]
    told = {**told, "properties": properties} | ({"required": required} if required else {})
    if "description" in told:
        told["description"] = _in_one_line(told["description"])
    return told


def _in_one_line(docstring: str) -> str:
    """What a docstring says, for readers of JSON."""
    return re.sub(r"\bNone\b", "null", " ".join(docstring.split()))


def _never_null(field: JsonSchemaValue) -> JsonSchemaValue:
    choices = [each for each in field.get("anyOf", ()) if each != _NULL]
    if not choices:
        return field
    rest = {key: value for key, value in field.items() if key != "anyOf"}
    return {**choices[0], **rest} if len(choices) == 1 else {**rest, "anyOf": choices}


def schema_of(message: Described, *, closed: bool | None = None) -> dict[str, Any]:
    """The schema of one kind of message. `closed`: whether a field that is not in it is a mistake; of what the table
    says it is none for a reader, for there may be more of them one day."""
    return {"$schema": DIALECT, "$id": message.urn, **_told(message, closed=closed)}


def schemas() -> dict[str, dict[str, Any]]:
    """Every published schema by its name."""
    return {name: schema_of(message) for name, message in MESSAGES.items()}


def components(names: Iterable[str], ref_template: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of these messages, by name, as they refer to the second map: all parts, by theirs."""
    found: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    for name in names:
        told = _told(MESSAGES[name], ref_template)
        parts |= told.pop("$defs", {})
        title = told.get("title")
        if title is not None:
            parts[title], told = told, {"$ref": ref_template.format(model=title)}
        found[name] = told
    return found, dict(sorted(parts.items()))


def _told(
    message: Described, ref_template: str = DEFAULT_REF_TEMPLATE, *, closed: bool | None = None
) -> dict[str, Any]:
    told: dict[str, Any] = message.model.json_schema(schema_generator=_AsWritten, ref_template=ref_template)
    return _open(told) if not (message.heard if closed is None else closed) else told


def _open(told: Any) -> Any:
    """The same schema for whoever must not stumble over fields that it does not know."""
    if isinstance(told, dict):
        return {key: _open(value) for key, value in told.items() if (key, value) != ("additionalProperties", False)}
    return [_open(each) for each in told] if isinstance(told, list) else told
