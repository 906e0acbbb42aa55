"""A document that extends another: what it states in place of what the other states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]

_SOURCE = ("mark", "paragraph")


def derived(parent: Document, child: Document) -> dict[str, Any]:
    """The whole document: the child's values in place of the parent's.

    A part in which the child states anything has the child's source or none, and a code that a rule of the child
    claims is claimed by none of the parent's."""
    whole = _merged(parent, child)
    claims = {name: _codes(rule) for name, rule in _rules(child).items()}
    claimed = {code for codes in claims.values() for code in codes}
    for name, rule in _rules(whole).items():
        if not claims.get(name) and claimed.intersection(_codes(rule)):
            whole["rules"][name] = {**rule, "codes": tuple(code for code in _codes(rule) if code not in claimed)}
    return whole


def without(document: Document, path: str) -> dict[str, Any] | None:
    """The document without what stands at `path`, keys with dots between them; None where nothing does."""
    key, _, rest = path.partition(".")
    if document.get(key) is None:
        return None
    if not rest:
        return {name: value for name, value in document.items() if name != key}
    inner = without(document[key], rest) if isinstance(document[key], Mapping) else None
    return None if inner is None else {**document, key: _unsourced(inner)}


def unmarked(document: Document) -> dict[str, Any]:
    """The document without the marks in it."""
    return {
        name: unmarked(value) if isinstance(value, Mapping) else value
        for name, value in document.items()
        if name != "mark" or isinstance(value, Mapping)
    }


def beside(document: Document, path: str) -> list[str]:
    """The keys that state something where `path` was looked for."""
    above, _, _ = path.rpartition(".")
    part: Any = document
    for key in above.split(".") if above else ():
        part = part.get(key) if isinstance(part, Mapping) else None
    if not isinstance(part, Mapping):
        return beside(document, above)
    return [
        f"{above}.{name}" if above else name
        for name, value in part.items()
        if value is not None and name not in _SOURCE
    ]


def _merged(parent: Document, child: Document) -> dict[str, Any]:
    return {**_unsourced(parent), **{name: _either(parent.get(name), value) for name, value in child.items()}}


def _either(inherited: Any, stated: Any) -> Any:
    both = isinstance(inherited, Mapping) and isinstance(stated, Mapping)
    return _merged(inherited, stated) if both else stated


def _unsourced(part: Document) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in _SOURCE or isinstance(value, Mapping)}


def _rules(document: Document) -> Mapping[str, Any]:
    rules = document.get("rules")
    return rules if isinstance(rules, Mapping) else {}


def _codes(rule: Any) -> tuple[str, ...]:
    codes = rule.get("codes") if isinstance(rule, Mapping) else None
    return tuple(codes) if isinstance(codes, list | tuple) else ()
