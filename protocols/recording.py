"""A recording of a device's line: `# key: value` header lines, then `[SECONDS ][<|>]HEX`, one read a line.

`<` or nothing came from the device, `>` went to it. Any other line that begins with `#` is a comment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from protocols.errors import ShoewatchError

Direction = Literal["<", ">"]

_HEADER: Final = re.compile(r"#\s*([A-Za-z][\w-]*):\s+(.*)")
_READ: Final = re.compile(r"(?:(\d{1,9}(?:\.\d+)?)\s+)?([<>]?)((?:[0-9A-Fa-f]{2})+)", re.ASCII)


class RecordingError(ShoewatchError):
    """A recording cannot be used; `line` is the physical line, from 1."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Read:
    """The bytes of one read or write; `seconds` since the recording began, None where no times were kept."""

    seconds: float | None
    direction: Direction
    data: bytes


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole recording."""

    header: Mapping[str, str]
    reads: tuple[Read, ...]


def parse_recording(text: str) -> Recording:
    """RecordingError names the first line that is neither header, comment nor read."""
    header: dict[str, str] = {}
    reads: list[Read] = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped.startswith("#"):
            header.update(_header_line(stripped))
        elif stripped:
            reads.append(_read(stripped, number))
    return Recording(header, tuple(reads))


def format_recording(recording: Recording) -> str:
    """The text that `parse_recording` reads back, times to the microsecond."""
    header = (format_header(key, value) for key, value in recording.header.items())
    return "".join([*header, *map(format_read, recording.reads)])


def format_header(key: str, value: str) -> str:
    """One header line."""
    return f"# {key}: {value}\n"


def format_read(read: Read) -> str:
    """One read's line; the direction stands there only where it is to the device."""
    seconds = "" if read.seconds is None else f"{read.seconds:.6f} "
    return f"{seconds}{read.direction.strip('<')}{read.data.hex()}\n"


def _header_line(line: str) -> dict[str, str]:
    match = _HEADER.fullmatch(line)
    return {match[1]: match[2]} if match else {}


def _read(line: str, number: int) -> Read:
    match = _READ.fullmatch(line)
    if match is None:
        raise RecordingError(f'{line[:40]!r} is no read ("053053033630", "1.250 <053053033630", "1.3 >06")', number)
    seconds, direction, data = match.groups()
    return Read(float(seconds) if seconds else None, ">" if direction == ">" else "<", bytes.fromhex(data))
