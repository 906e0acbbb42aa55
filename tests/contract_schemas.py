"""The contract's schemas for tests: closed, so that a field too many is a mistake, and as they are published."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from controller.contract.catalog import MESSAGES
from controller.contract.schemas import schema_of


@cache
def validator(name: str, *, closed: bool | None = None) -> Draft202012Validator:
    return Draft202012Validator(schema_of(MESSAGES[name], closed=closed))


def mistakes(name: str, value: Any, *, closed: bool | None = True) -> list[str]:
    """What is wrong with a message of this kind, in the closed schema or in the published one (None)."""
    return [error.message for error in validator(name, closed=closed).iter_errors(value)]
