"""Where a card can go: `box:3`, `box:3/b`, `dealer`, `burn`, `community:4`, `player`, `banker`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from protocols.errors import quoted

PLACE: Final = re.compile(r"box:[1-9][0-9]?(/[a-z])?|dealer|burn|community:[345]|player|banker")
CUTTER: Final = re.compile(r"box:[1-9][0-9]?|dealer|supervisor")


def place(text: str) -> str:
    """`text` if it names a place; ValueError else."""
    if not PLACE.fullmatch(text):
        raise ValueError(
            f'{quoted(text)} is no place ("box:3", "box:3/b", "dealer", "burn", "community:3", "player", "banker")'
        )
    return text


def cutter(text: str) -> str:
    """`text` if it names who can cut: a box, the dealer or a supervisor; ValueError else."""
    if not CUTTER.fullmatch(text):
        raise ValueError(f'{quoted(text)} cannot cut ("box:1", "dealer", "supervisor")')
    return text


@cache
def box_number(text: str) -> int | None:
    """3 for `box:3` and `box:3/b`, None for a place that is no box."""
    return int(text[4:].split("/")[0]) if text.startswith("box:") else None
