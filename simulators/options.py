"""A house's choices among the options of a procedure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocols.errors import ProcedureError, did_you_mean

Choices = Mapping[str, tuple[Any, ...]]


def chosen(procedure: str, given: Mapping[str, Any], defaults: Mapping[str, Any], values: Choices) -> dict[str, Any]:
    """`defaults` changed by `given`; ProcedureError for a name that is not in `values`, or a value not among them."""
    for name, value in given.items():
        if name not in values:
            raise ProcedureError(f"{procedure}: no option {name!r}{did_you_mean(name, values)}")
        if value not in values[name]:
            raise ProcedureError(f"{procedure}: option {name!r} cannot be {value!r} (one of {values[name]})")
    return {**defaults, **given}
