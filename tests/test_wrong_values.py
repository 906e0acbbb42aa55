"""A wrong value at any command is told in words of ours: what was given, and what would be right."""

from __future__ import annotations

import pytest
import typer
from command import shoewatch

from controller.cli.main import COMMANDS, app_for

VALUES = [
    ("demo --rounds abc", "'abc': must be a whole number"),
    ("demo --rounds 0", "'0': must be 1 or more"),
    ("demo --seed 1.5", "'1.5': must be a whole number"),
    ("demo --pace -1", "'-1': must be 0 or more"),
    ("sim shoe --tcp 70000", "'70000': must be 65535 or less"),
    ("sim table --hurry x", "'x': must be a number"),
    ("sim reader --naturals 2", "'2': must be 1 or less"),
    ("doctor --listen 601", "'601': must be 600 or less"),
]


@pytest.mark.parametrize(("command", "says"), VALUES, ids=[command for command, _ in VALUES])
def test_what_was_given_and_what_would_be_right(command: str, says: str) -> None:
    result = shoewatch(*command.split())
    assert (result.status, result.stdout) == (2, "")
    assert says in result.stderr


def numeric() -> list[tuple[str, ...]]:
    """Each option of each command that is a number."""
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        program = typer.main.get_command(app_for([name]))
        called = program.commands[name]  # type: ignore[attr-defined]
        for below in getattr(called, "commands", {"": called}).values():
            words = (name,) if below is called else (name, str(below.name))
            found += [
                (*words, option.opts[0])
                for option in below.params
                if option.param_type_name == "option" and option.type_descriptor.annotation in (int, float)
            ]
    return found


@pytest.mark.parametrize("option", numeric(), ids=" ".join)
def test_no_number_is_refused_in_other_words(option: tuple[str, ...]) -> None:
    result = shoewatch(*option, "abc")
    assert (result.status, result.stdout) == (2, "")
    assert "'abc': must be a" in result.stderr
    assert "Input should" not in result.stderr


def test_there_are_such_options() -> None:
    assert {("demo", "--rounds"), ("doctor", "--listen"), ("sim", "shoe", "--tcp")} <= set(numeric())
