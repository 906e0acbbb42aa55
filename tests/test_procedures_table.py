"""The options of our documents against the table of procedures and options that came with the task."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protocols.dealing.catalog import procedures
from protocols.dealing.options import OptionValue, read_option

TABLE = Path(__file__).parent.parent.parent / "shared" / "spec" / "procedures.md"
MARKS = {"S": "seed", "V": "verified", "A": "analogue", "M": "recalled", "D": "default"}
SAID: dict[str, OptionValue] = {"no limit": "none", "0 or 1": "unset"}
CELL = re.compile(r"(?P<bold>\*\*)?`?(?P<value>[^`*\[]+?)`?(?:\*\*)? \[(?P<mark>\w)[^\]]*\]")


def rows() -> list[list[str]]:
    """The lines of section 11.1, cells stripped; the first is the head."""
    section = TABLE.read_text(encoding="utf-8").partition("### 11.1")[2].partition("### 11.2")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [cells[0], *cells[2:]]


def column(name: str) -> dict[str, tuple[OptionValue, bool, str]]:
    """Each option that this procedure has: default, whether it is settled, mark."""
    head, *table = rows()
    at = head.index(f"`{name}`")
    return {row[0].strip("`"): cell(row[0].strip("`"), row[at]) for row in table if not row[at].startswith("-")}


def cell(option: str, text: str) -> tuple[OptionValue, bool, str]:
    found = CELL.match(text)
    assert found, f"{option}: {text}"
    value = found["value"]
    return SAID.get(value, read_option(option, value)), bool(found["bold"]), MARKS[found["mark"]]


@pytest.mark.skipif(not TABLE.exists(), reason="../shared/spec/procedures.md is not here")
@pytest.mark.parametrize("name", procedures())
def test_options_defaults_settled_values_and_marks_are_those_of_the_table(name: str) -> None:
    expected = column(name)
    assert len(expected) >= 6
    options = procedures()[name].options
    assert {key: (each.default, each.settled, each.mark) for key, each in options.items()} == expected
