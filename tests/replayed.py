"""The recordings in `tests/recordings`, and what the program makes of each: its table events, as a table log has them.

Run as a program it writes the expectations anew; whoever does that looks at what has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocols.device_session import Heard
from protocols.events import Event
from protocols.hidden import Hidden, opened_text
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.intake.tdl import TdlIntake
from protocols.recording import Recording, parse_recording
from protocols.records import Fact
from protocols.registry import parse_registry
from protocols.wire.angel_eye import AngelEyeDecoder
from protocols.wire.tdl.handshake import Expected, Role
from protocols.wire.tdl.recorded import RecordedSession
from simulators.live.play import READER_SERIAL, SHOE_SERIAL
from simulators.tdl.identity import registry_entry

FOLDER = Path(__file__).with_name("recordings")
RECORDINGS = sorted(FOLDER.glob("*.log"))


def expectation(path: Path) -> Path:
    return path.with_suffix(".expect")


def events(recording: Recording) -> list[dict[str, Any]]:
    """The table events; what lies face down stands there too, and says so."""
    facts = _angel(recording) if recording.header["protocol"] == "angel-eye" else _tdl(recording)
    return [_shown(fact) for fact in facts if isinstance(fact, Event)]


def lines(path: Path) -> str:
    return "".join(f"{json.dumps(event)}\n" for event in events(parse_recording(path.read_text())))


def _angel(recording: Recording) -> Iterator[Fact]:
    decoder, intake = AngelEyeDecoder(), AngelEyeIntake()
    intake.link_ready(0)
    for read in recording.reads:
        mono_ns = int((read.seconds or 0) * 1e9)
        for report in decoder.feed(read.data) if read.direction == "<" else ():
            yield from intake.take(report, mono_ns)


def _tdl(recording: Recording) -> Iterator[Fact]:
    role: Role = "reader" if recording.header["device"].startswith("reader") else "shoe"
    registry = parse_registry("\n".join(registry_entry(each).toml() for each in (SHOE_SERIAL, READER_SERIAL)), "")
    session = RecordedSession(role, Expected(b"", role, registry), None, recording)
    intake = TdlIntake(role, role)
    session.connect(b"", 0)
    for read in recording.reads:
        for output in session.feed(read.data, 0) if read.direction == "<" else ():
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
