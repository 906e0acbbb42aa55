"""A reader of the part of Mermaid's state diagrams that ours are written in: strict, and small."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_STATE = re.compile(r'state "(?P<words>[^"#;:{}<>\n]+)" as (?P<name>[A-Za-z]\w*)')
_CHOICE = re.compile(r"state (?P<name>[A-Za-z]\w*) <<choice>>")
_GROUP = re.compile(r"state (?P<name>[A-Za-z]\w*) \{")
_ARROW = re.compile(r"(?P<start>\[\*\]|[A-Za-z]\w*) --> (?P<end>\[\*\]|[A-Za-z]\w*)(?: : (?P<words>[^\"#;:{}<>\n]+))?")
_NOTE = re.compile(r"note right of (?P<name>[A-Za-z]\w*) : (?P<words>[^\"#;:{}<>\n]+)")
ENDS = "[*]"


@dataclass
class Chart:
    """States by name with their words, choices without; arrows as start, end, words; charts and notes by the state
    that they are inside of or beside."""

    states: dict[str, str] = field(default_factory=dict)
    arrows: list[tuple[str, str, str]] = field(default_factory=list)
    inside: dict[str, Chart] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def reached(self, start: str = ENDS) -> set[str]:
        """The states that can be come to from `start`."""
        found: set[str] = set()
        new = {start}
        while new:
            found |= new
            new = {end for begin, end, _ in self.arrows if begin in new} - found
        return found


def parse(lines: Sequence[str]) -> tuple[str, Chart]:
    """Title and chart; ValueError where a line is none that Mermaid could read."""
    if [lines[0], lines[2], lines[3]] != ["---", "---", "stateDiagram-v2"]:
        raise ValueError(f"the head is {lines[:4]}")
    key, _, title = lines[1].partition(": ")
    if key != "title":
        raise ValueError(f"{lines[1]!r} is no title")
    rest = list(lines[4:])
    chart = _chart(rest)
    if rest:
        raise ValueError(f"{rest[0]!r} closes nothing")
    return json.loads(title), chart


def _chart(rest: list[str]) -> Chart:
    chart = Chart()
    while rest and rest[0].strip() != "}":
        line = rest.pop(0).strip()
        if found := _GROUP.fullmatch(line):
            chart.inside[found["name"]] = _chart(rest)
            if not rest or rest.pop(0).strip() != "}":
                raise ValueError(f"{found['name']} is not closed")
        elif found := _STATE.fullmatch(line) or _CHOICE.fullmatch(line):
            if found["name"] in chart.states:
                raise ValueError(f"{found['name']} is there twice")
            chart.states[found["name"]] = found.groupdict().get("words", "")
        elif found := _ARROW.fullmatch(line):
            chart.arrows.append((found["start"], found["end"], found["words"] or ""))
        elif found := _NOTE.fullmatch(line):
            chart.notes[found["name"]] = found["words"]
        else:
            raise ValueError(f"{line!r} is no state and no arrow")
    return chart
