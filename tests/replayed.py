"""The recordings in `tests/recordings`, and what the program makes of each: its table events, as a table log has them.

Run as a program it writes the expectations anew; whoever does that looks at what has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from firmware_bridge.driver import HostSession, SessionIntake
from protocols.device_session import Heard
from protocols.events import Event
from protocols.hidden import Hidden, opened_text
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.intake.bee_tek import BeeTekIntake
from protocols.intake.tdl import TdlIntake
from protocols.line_session import LineSession
from protocols.recording import Recording, parse_recording
from protocols.records import Fact
from protocols.registry import parse_registry
from protocols.wire.angel_eye import AngelEyeDecoder
from protocols.wire.bee_tek import BeeTekDecoder
from protocols.wire.tdl.handshake import Expected, Role
from protocols.wire.tdl.recorded import RecordedSession
from simulators.live.play import READER_SERIAL, SHOE_SERIAL
from simulators.tdl.identity import registry_entry

R = TypeVar("R")

FOLDER = Path(__file__).with_name("recordings")
RECORDINGS = sorted(FOLDER.glob("*.log"))


def expectation(path: Path) -> Path:
    return path.with_suffix(".expect")


def events(recording: Recording) -> list[dict[str, Any]]:
    """The table events; what lies face down stands there too, and says so."""
    return [_shown(fact) for fact in _played(recording) if isinstance(fact, Event)]


def lines(path: Path) -> str:
    return "".join(f"{json.dumps(event)}\n" for event in events(parse_recording(path.read_text())))


def _played(recording: Recording) -> Iterator[Fact]:
    match recording.header["protocol"]:
        case "angel-eye":
            return _facts(recording, LineSession(AngelEyeDecoder), AngelEyeIntake())
        case "bee-tek":
            return _facts(recording, LineSession(BeeTekDecoder), BeeTekIntake())
        case _:
            return _tdl(recording)


def _tdl(recording: Recording) -> Iterator[Fact]:
    role: Role = "reader" if recording.header["device"].startswith("reader") else "shoe"
    registry = parse_registry("\n".join(registry_entry(each).toml() for each in (SHOE_SERIAL, READER_SERIAL)), "")
    session = RecordedSession(role, Expected(b"", role, registry), None, recording)
    return _facts(recording, session, TdlIntake(role, role))


def _facts(recording: Recording, session: HostSession[R], intake: SessionIntake[R]) -> Iterator[Fact]:
    session.connect(b"", 0)
    for read in recording.reads:
        now = int((read.seconds or 0) * 1e9)
        for output in session.feed(read.data, now) if read.direction == "<" else ():
            if isinstance(output, Heard):
                yield from intake.take(output)


def _shown(event: Event) -> dict[str, Any]:
    hidden = {name: value for name in type(event).model_fields if isinstance(value := getattr(event, name), Hidden)}
    plain = event.model_copy(update=dict.fromkeys(hidden))
    fields = plain.model_dump(by_alias=True, exclude_none=True, mode="json")
    face_down = {f"{name}, face down": opened_text(value) for name, value in hidden.items()}
    return {"type": fields.pop("type"), **fields, **face_down}


if __name__ == "__main__":
    for each in RECORDINGS:
        expectation(each).write_text(lines(each))
        print(f"{expectation(each).name}: {len(lines(each).splitlines())} events")
