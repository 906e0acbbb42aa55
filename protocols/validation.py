"""What pydantic finds wrong with something that a person wrote, in sentences for that person: key and reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from protocols.errors import did_you_mean

_SAYS: Final = {
    "string_type": "must be a text in quotes",
    "string_too_short": "must not be empty",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "tuple_type": "must be a list in square brackets",
    "dict_type": "must be a table such as { name = value }",
    "model_type": "must be a section of its own",
}


def sentences(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """`KEY: REASON` for everything that is wrong with a document of this model, with the nearest known name."""
    return [_sentence(problem, model) for problem in error.errors(include_url=False)]


def _sentence(problem: ErrorDetails, model: type[BaseModel]) -> str:
    *parents, name = map(str, problem["loc"] or ("document",))
    key = ".".join((*parents, name))
    if problem["type"] == "extra_forbidden":
        return f"{key}: unknown key{did_you_mean(name, _fields(model, parents))}"
    if problem["type"] == "literal_error":
        given = problem["input"]
        return f"{key}: {given!r} is not possible here (allowed: {problem['ctx']['expected']})"
    if problem["type"] == "missing":
        return f"{key}: is missing{_example(model, parents, name)}"
    return f"{key}: {_SAYS.get(problem['type'], problem['msg'].removeprefix('Value error, '))}"


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
