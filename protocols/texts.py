"""JSON and TOML as people and devices write them; what is wrong with a text is said to its writer, in our words."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, Final

from protocols.errors import ShoewatchError, quoted
from protocols.toml_mistakes import toml_mistake

_DIGITS: Final = re.compile(r"\b\d[\d_]*")
_HALF_A_CHARACTER: Final = re.compile(r"\\u[dD][89a-fA-F]")


class TextError(ShoewatchError):
    """The text is not in the format that it should have."""


def read_json(text: str) -> Any:
    """The value of one JSON text; TextError where it is none, names a field twice or holds half a character."""
    try:
        value = json.loads(text, object_pairs_hook=_no_repeats)
    except json.JSONDecodeError as error:
        raise TextError(f"{_lowered(error.msg)} at column {error.colno}") from None
    except ValueError:
        raise TextError(_too_many_digits(text)) from None
    except RecursionError:
        raise TextError("nested too deeply") from None
    if _HALF_A_CHARACTER.search(text):
        _refuse_half_characters(value)
    return value


def read_toml(text: str) -> dict[str, Any]:
    """The table of a TOML document; TextError where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TextError(toml_mistake(text, str(error))) from None
    except ValueError:
        raise TextError(_too_many_digits(text)) from None
    except RecursionError:
        raise TextError("nested too deeply") from None


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TextError(f"field {quoted(twice)} is given twice")
    return fields


def _refuse_half_characters(value: object) -> None:
    written = json.dumps(value, ensure_ascii=False)
    try:
        written.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(written[error.start]):x}"
        raise TextError(f"{half} is half a character: a character beyond \\uffff is written as two of them") from None


def _too_many_digits(text: str) -> str:
    most = max((len(found) for found in _DIGITS.findall(text)), default=0)
    return f"a number of {most:,} digits, longer than any that has a meaning here"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:].removesuffix(" at")
