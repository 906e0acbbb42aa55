"""What pydantic finds wrong with something that a person wrote, in sentences for that person: key and reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from protocols.errors import did_you_mean, quoted

_NO_PLACES: Final[Mapping[str, str]] = {}
_NUMBER: Final = "must be a number"
_WHOLE: Final = "must be a whole number"
_SWITCH: Final = "must be true or false"
_TEXT: Final = "must be a text in quotes"
_LIST: Final = "must be a list in square brackets"
_SAYS: Final[Mapping[str, str]] = {
    "string_type": _TEXT,
    "string_too_short": "must not be empty",
    "bool_type": _SWITCH,
    "bool_parsing": _SWITCH,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "too_short": "must have {min_length} or more in it",
    "dict_type": "must be a table such as {{ name = value }}",
    "model_type": "must be a section of its own",
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "less_than": "must be less than {lt}",
    "missing": "is missing",
}


def sentences(
    error: ValidationError, model: type[BaseModel], but: str | None = None, places: Mapping[str, str] = _NO_PLACES
) -> list[str]:
    """`KEY: REASON` for everything that is wrong with a document of this model, with the nearest known name.

    `but`: the kind of mistake that is none here; `places`: the section of keys that are none of the document itself."""
    found = error.errors(include_url=False)
    return [_sentence(problem, model, places) for problem in found if problem["type"] != but]


def reason(problem: ErrorDetails) -> str:
    """What is wrong, and what would be right; a validator of ours says it itself."""
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        return str(context["error"])
    given = quoted(problem["input"])
    if problem["type"] == "literal_error":
        return f"{given} is not possible here (allowed: {context['expected']})"
    says = _SAYS.get(problem["type"])
    return f"{given} is not possible here" if says is None else says.format(**dict(map(_plain, context.items())))


def _plain(limit: tuple[str, Any]) -> tuple[str, Any]:
    """A number without a fraction is written without one."""
    name, value = limit
    return name, int(value) if isinstance(value, float) and value.is_integer() else value


def _sentence(problem: ErrorDetails, model: type[BaseModel], places: Mapping[str, str]) -> str:
    *parents, name = map(str, problem["loc"] or ("document",))
    key = ".".join((*parents, name))
    if problem["type"] == "extra_forbidden":
        if not parents and name in places:
            return f"{key}: belongs in [{places[name]}]"
        return f"{key}: unknown key{did_you_mean(name, _fields(model, parents))}"
    example = _example(model, parents, name) if problem["type"] == "missing" else ""
    return f"{key}: {reason(problem)}{example}"


def _example(model: type[BaseModel], parents: Sequence[str], name: str) -> str:
    field = _fields(model, parents).get(name)
    return f" (for example {name} = {json.dumps(field.examples[0])})" if field and field.examples else ""


def _fields(model: type[BaseModel], parents: Sequence[str]) -> Mapping[str, FieldInfo]:
    """The keys that there are below `parents`."""
    inner: Any = model
    for parent in parents:
        inner = _below(inner, parent)
    return inner.model_fields if _is_model(inner) else {}


def _below(annotation: Any, key: str) -> Any:
    """What stands at `key` of a section, or at any key of a table of sections."""
    if _is_model(annotation):
        field = annotation.model_fields.get(key)
        annotation = field.annotation if field else None
    else:
        annotation = next(filter(_is_model, get_args(annotation)), None)
    choices = get_args(annotation) if get_origin(annotation) is not dict else ()
    return next(filter(_is_model, choices), annotation)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
