"""Writes a table.toml of good sections, and tells what is wrong in one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from controller.config_reading import load_config
from protocols.errors import ConfigError

GOOD: Mapping[str, str] = {
    "": 'site = "riverside"\ntable = "bac-01"\nprofile = "bench"',
    "game": 'procedure = "pb-nj"',
    "shoe": 'port = "serial:/dev/ttyUSB0"\nprotocol = "angel-eye"',
    "journal": 'path = "journal.db"',
    "mqtt": 'url = "mqtt://127.0.0.1:1883"',
}


def write(folder: Path, **sections: str) -> Path:
    """A table.toml of the good sections, those named replaced; `top` names the lines before the first section."""
    texts = {**GOOD, **{"" if name == "top" else name: text for name, text in sections.items()}}
    file = folder / "table.toml"
    file.write_text("".join((f"[{name}]\n" if name else "") + f"{text}\n" for name, text in texts.items()))
    return file


def problems(file: Path) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value).splitlines() == [f"{file}: {problem}" for problem in caught.value.problems]
    return caught.value.problems


def only_problem(file: Path) -> str:
    (problem,) = problems(file)
    return problem
