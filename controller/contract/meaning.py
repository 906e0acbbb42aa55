"""What of a published schema means something else in a newer one, field by field: what a reader who was written for the
published one may stumble over.

More fields that may be absent are no change of meaning, nor are more kinds of object where there are several already,
such as another event: a reader leaves alone what it does not know."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Schema = Mapping[str, Any]

_WORDS: Final[Mapping[str, str]] = {
    "type": "its type",
    "const": "its only value",
    "pattern": "what it may look like",
    "format": "its format",
    "minimum": "its least value",
    "maximum": "its greatest value",
    "exclusiveMinimum": "what it is above",
    "exclusiveMaximum": "what it is below",
    "minLength": "its least length",
    "maxLength": "its greatest length",
    "minItems": "how many it has at least",
    "maxItems": "how many it has at most",
    "contentMediaType": "what the text holds",
    "description": "its description",
}
_CHOICES: Final = ("oneOf", "anyOf")
_UNKNOWN_WORDS: Final = "{} is compared by nobody"
_NOTHING_SAID: Final = frozenset({"title", "examples", "$schema", "$id", "$defs", "$ref"})
_COMPARED: Final = frozenset(
    {*_WORDS, *_CHOICES, *_NOTHING_SAID, "enum", "properties", "required", "additionalProperties", "items"}
)


@dataclass(frozen=True, slots=True)
class Change:
    """`field`: its place in the message, `data.event.card`; `why`: what is another than it was."""

    field: str
    why: str

    def __str__(self) -> str:
        return f"{self.field or 'the message'}: {self.why}"


@dataclass(frozen=True, slots=True)
class _Part:
    """A schema and the document that its references point into."""

    schema: Schema
    document: Schema

    def at(self, schema: Schema) -> _Part:
        """A schema within this one, at the end of its reference, with what is said beside that."""
        while "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**self.document["$defs"][name], **beside}
        return _Part(schema, self.document)

    def parts(self, key: str) -> list[_Part]:
        return [self.at(each) for each in self.schema.get(key, ())]

    def field(self, name: str) -> _Part:
        return self.at(self.schema["properties"][name])


def changes(published: Schema, present: Schema) -> list[Change]:
    """What means something else in the present schema than in the published one."""
    return list(_compared("", _whole(published), _whole(present)))


def _whole(document: Schema) -> _Part:
    return _Part(document, document).at(document)


def _compared(field: str, old: _Part, new: _Part) -> Iterator[Change]:
    for key in sorted({*old.schema, *new.schema} - _COMPARED):
        yield Change(field, _UNKNOWN_WORDS.format(key))
    for key, words in _WORDS.items():
        before, now = old.schema.get(key), new.schema.get(key)
        if before != now:
            yield Change(field, f"{words} was {_said(before)} and is {_said(now)}")
    yield from _values(field, old.schema, new.schema)
    yield from _fields(field, old, new)
    yield from _below(field, old, new)
    for key in _CHOICES:
        yield from _chosen(field, old.parts(key), new.parts(key))


def _values(field: str, old: Schema, new: Schema) -> Iterator[Change]:
    before, now = old.get("enum", []), new.get("enum", [])
    for value in before:
        if value not in now:
            yield Change(field, f"it cannot be {_said(value)} any more")
    for value in now:
        if value not in before:
            yield Change(field, f"it can be {_said(value)} now")


def _fields(field: str, old: _Part, new: _Part) -> Iterator[Change]:
    before, now = old.schema.get("properties", {}), new.schema.get("properties", {})
    always, always_now = old.schema.get("required", ()), new.schema.get("required", ())
    for name in before:
        place = f"{field}.{name}".lstrip(".")
        if name not in now:
            yield Change(place, "it was removed, or has another name")
            continue
        if (name in always) != (name in always_now):
            yield Change(place, "it may be absent now" if name in always else "it is always there now")
        yield from _compared(place, old.field(name), new.field(name))
    for name in now:
        if name not in before and name in always_now:
            yield Change(f"{field}.{name}".lstrip("."), "it is new and always there")


def _below(field: str, old: _Part, new: _Part) -> Iterator[Change]:
    """The members of a list, and the values of an object with any keys."""
    for key, place in (("items", f"{field}[]"), ("additionalProperties", f"{field}.*")):
        before, now = old.schema.get(key), new.schema.get(key)
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            yield from _compared(place.lstrip("."), old.at(before), new.at(now))
        elif before != now and not (key == "items" and before is None is now):
            yield Change(place.lstrip("."), f"what it holds was {_said(before)} and is {_said(now)}")


def _chosen(field: str, old: Sequence[_Part], new: Sequence[_Part]) -> Iterator[Change]:
    """What it can be, one of several."""
    left = list(new)
    for before in old:
        same = next((each for each in left if not list(_compared(field, before, each))), None)
        same = same or next((each for each in left if _name(each) == _name(before)), None)
        if same is None:
            yield Change(field, f"it cannot be {_name(before)} any more")
            continue
        left.remove(same)
        yield from _compared(field, before, same)
    for each in left:
        if not old or each.schema.get("type") != "object":
            yield Change(field, f"it can be {_name(each)} now")


def _name(part: _Part) -> str:
    return str(part.schema.get("title") or part.schema.get("type") or _said(dict(part.schema)))


def _said(value: object) -> str:
    return "not said" if value is None else json.dumps(value, ensure_ascii=False)
