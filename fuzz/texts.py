"""What must hold of texts that come from outside: recordings, and what people say at the panel."""

from __future__ import annotations

from typing import Final

from controller.answers import Recalled
from controller.inputs import Accepted, Inputs, Refused
from firmware_bridge.arrival import Asked, Role
from protocols.dealing.catalog import procedure_named
from protocols.dealing.check import Check
from protocols.errors import LogError
from protocols.events import LogHeader
from protocols.recording import Recording, RecordingError, format_recording, parse_recording
from protocols.tablelog import dump, read_object
from protocols.verdicts import VERDICT

_HEADER: Final = LogHeader(procedure="us-card-reader")
_START: Final = Check.start(_HEADER, procedure_named("us-card-reader"))


def check_recording(data: bytes) -> None:
    """A text is a recording, which comes back as it was written, or is refused with the line that is wrong."""
    text = data.decode(errors="replace")
    read = _recording(text)
    if isinstance(read, RecordingError):
        assert 1 <= read.line <= text.count("\n") + 1
    else:
        written = format_recording(read)
        assert format_recording(parse_recording(written)) == written


def _recording(text: str) -> Recording | RecordingError:
    try:
        return parse_recording(text)
    except RecordingError as wrong:
        return wrong


def check_panel(data: bytes) -> None:
    """Each line is an input or refused in words that can be sent; what is accepted is judged."""
    check, inputs = _START, Inputs(frozenset(), Recalled())
    for number, line in enumerate(data.split(b"\n")):
        role: Role = "dealer" if number % 2 else "supervisor"
        check = _said(line, f"{number}", role, inputs, check)


def _said(line: bytes, name: str, role: Role, inputs: Inputs, check: Check) -> Check:
    try:
        fields = read_object(line.decode())
    except UnicodeDecodeError:
        return check
    except LogError as wrong:
        dump(str(wrong)).encode()
        return check
    judged = inputs.judge(Asked(name, role, fields, lambda _: None, 0), check)
    if isinstance(judged, Refused):
        dump([judged.type, judged.why]).encode()
    if not isinstance(judged, Accepted):
        return check
    after, verdict = check.step(judged.event)
    dump(VERDICT.dump_python(verdict, mode="json")).encode()
    return after
