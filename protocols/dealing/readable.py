"""What can be read of a document that is wrong in places, so that its other mistakes are told with the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from protocols.dealing.model import Procedure
from protocols.dealing.options import OPTIONS
from protocols.validation import sentences

Document = Mapping[str, Any]
_PLACES: Final = dict.fromkeys(OPTIONS, "options")


@dataclass(frozen=True, slots=True)
class Readable:
    """`problems`: what is wrong with the form; `procedure`: the document, in which the parts named in `unread` are not
    its own, None where nothing could stand in for them."""

    problems: tuple[str, ...]
    procedure: Procedure | None
    unread: frozenset[str] = frozenset()


def as_far_as_readable(document: Document, context: str | None, stand_in: Procedure | None) -> Readable:
    """The procedure that the document gives; parts of it that cannot be read are taken from `stand_in`."""
    try:
        return Readable((), Procedure.model_validate(_with_known_options(document), context=context))
    except ValidationError as error:
        problems = tuple(sentences(error, Procedure, places=_PLACES))
        wrong = error.errors(include_url=False)
    if stand_in is None:
        return Readable(problems, None)
    unread = frozenset(str(problem["loc"][0]) for problem in wrong if not _can_be_left_out(problem))
    whole = {**document, **{name: each for name, each in stand_in.model_dump().items() if name in unread}}
    for problem in wrong:
        if _can_be_left_out(problem):
            whole = _without(whole, _place_of(problem))
    try:
        return Readable(problems, Procedure.model_validate(_with_known_options(whole), context=context), unread)
    except ValidationError:
        return Readable(problems, None)


def stated_wrongly(document: Document, context: str | None) -> list[str]:
    """What is wrong with the form of what a document states itself, where nobody knows what it extends."""
    try:
        Procedure.model_validate(document, context=context)
    except ValidationError as error:
        return sentences(error, Procedure, but="missing", places=_PLACES)
    return []


def _can_be_left_out(problem: ErrorDetails) -> bool:
    """An unknown key, or one option of many."""
    return problem["type"] == "extra_forbidden" or (problem["loc"][0] == "options" and len(problem["loc"]) > 1)


def _place_of(problem: ErrorDetails) -> tuple[str, ...]:
    place = tuple(map(str, problem["loc"]))
    return place if problem["type"] == "extra_forbidden" else place[:2]


def _without(document: Document, place: tuple[str, ...]) -> dict[str, Any]:
    first, *rest = place
    inner = document.get(first)
    left = {name: value for name, value in document.items() if name != first}
    return {**left, first: _without(inner, tuple(rest))} if rest and isinstance(inner, Mapping) else left


def _with_known_options(document: Document) -> Document:
    options = document.get("options")
    if not isinstance(options, Mapping):
        return document
    return {**document, "options": {name: option for name, option in options.items() if name in OPTIONS}}
