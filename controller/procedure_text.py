"""A procedure document as people read it, and what differs between two of them. Pure."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from protocols.dealing.catalog import Catalog
from protocols.dealing.grades import Grade, grades
from protocols.dealing.model import Procedure, Sourced

_WIDTH: Final = 100


def summaries(catalog: Catalog) -> Iterator[str]:
    """`nd-no-hole  blackjack  North Dakota twenty-one, no hole card`"""
    width = max(map(len, catalog), default=0)
    for name, procedure in sorted(catalog.items()):
        extends = f", extends {procedure.extends}" if procedure.extends else ""
        by = f" (the site's own{extends})" if name in catalog.own else ""
        yield f"{name:<{width}}  {procedure.family:<9}  {procedure.title}{by}"


def shown(procedure: Procedure) -> Iterator[str]:
    """The whole document: each fact with its mark in brackets and its paragraph."""
    yield f"{procedure.id}: {procedure.title}"
    for name in ("jurisdiction", "citation", "family", "extends"):
        if value := getattr(procedure, name):
            yield from _wrapped(f"{name:<14}{value}", 14, start="")
    yield "\nSections"
    for name, section in _sections(procedure).items():
        yield from _wrapped(f"{name}: {_said(_stated(section)) or 'nothing stated'}", 4)
        yield from _source(section)
    yield "\nOptions: the default, and what a table can choose"
    for name, option in procedure.options.items():
        yield from _wrapped(f"{name} = {_said(option.default)}   ({option.open_to(name)})", 4)
        yield from _source(option)
    yield "\nRules"
    for name, rule in procedure.rules.items():
        yield from _wrapped(f"{name}: {rule.text}", 4)
        yield from _wrapped(f"codes: {_said(rule.codes)}", 6, start="    ")
        yield from _source(rule)
    yield "\nWhat is judged, by what the table observes"
    for grade in grades(procedure):
        yield f"  ({grade.letter}) {grade.sees}: {_judged(grade)}"


def as_json(procedure: Procedure) -> str:
    """The whole document, with what is judged in each grade, as one JSON object."""
    judged = {
        each.letter: {"sees": each.sees, "judged": each.judged, "unjudged": each.unjudged} for each in grades(procedure)
    }
    return json.dumps({**procedure.model_dump(mode="json"), "grades": judged}, ensure_ascii=False, indent=2)


def differences(one: Procedure, other: Procedure) -> Iterator[str]:
    """Every key whose value differs, with both values and the mark behind each."""
    left, right = (dict(_leaves(each.model_dump(exclude={"id"}, exclude_defaults=True))) for each in (one, other))
    width = max(len(one.id), len(other.id))
    for key in [*left, *(key for key in right if key not in left)]:
        values = [leaves.get(key, _ABSENT) for leaves in (left, right)]
        if values[0].value != values[1].value and not (_ABSENT in values and key.endswith(".mark")):
            yield key
            for procedure, leaf in zip((one, other), values, strict=True):
                yield from _wrapped(f"{procedure.id:<{width}}  {leaf}", width + 4)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value in a document, with the mark behind it where it has one."""

    value: Any
    mark: str | None = None

    def __str__(self) -> str:
        return f"{_said(self.value)} [{self.mark}]" if self.mark else _said(self.value)


_ABSENT: Final = _Leaf(None)


def _leaves(part: Mapping[str, Any], above: str = "", mark: str | None = None) -> Iterator[tuple[str, _Leaf]]:
    mark = part.get("mark", mark)
    for name in sorted(part, key=lambda name: name in ("paragraph", "mark")):
        if isinstance(part[name], Mapping):
            yield from _leaves(part[name], f"{above}{name}.", mark)
        else:
            yield f"{above}{name}", _Leaf(part[name], None if name == "mark" else mark)


def _sections(procedure: Procedure) -> Mapping[str, Sourced]:
    found = {name: getattr(procedure, name) for name in type(procedure).model_fields}
    return {name: section for name, section in found.items() if isinstance(section, Sourced)}


def _source(part: Sourced) -> Iterator[str]:
    return _wrapped(f"[{part.mark}] {part.paragraph}", 6, start="    ")


def _stated(part: Sourced) -> Mapping[str, Any]:
    return part.model_dump(exclude={"mark", "paragraph"}, exclude_none=True)


def _said(value: Any) -> str:
    match value:
        case None:
            return "(not stated)"
        case bool():
            return str(value).lower()
        case Mapping():
            return ", ".join(f"{name} = {_said(each)}" for name, each in value.items())
        case tuple() | list():
            return ", ".join(map(_said, value)) or "none"
    return str(value)


def _judged(grade: Grade) -> str:
    if not grade.unjudged:
        return f"all {len(grade.judged)} codes are judged"
    if len(grade.unjudged) < len(grade.judged):
        return f"all codes are judged but {_said(grade.unjudged)}"
    return f"only these codes are judged: {_said(grade.judged)}"


def _wrapped(text: str, indent: int, start: str = "  ") -> Iterator[str]:
    """The text in lines of the page's width; those after the first are indented further."""
    yield from textwrap.wrap(text, _WIDTH, initial_indent=start, subsequent_indent=" " * indent, break_on_hyphens=False)
