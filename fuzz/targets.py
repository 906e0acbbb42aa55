"""What is searched for bytes that break it: one target for each decoder, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Final

from fuzz.commands import check_command
from fuzz.seeds import angel_frame, bee_tek_line, tdl_frame, tdl_packets
from fuzz.sessions import Played, Reel
from fuzz.streams import Stream, in_full
from fuzz.texts import check_panel, check_recording
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.intake.bee_tek import BeeTekIntake
from protocols.wire.angel_eye import AngelEyeDecoder
from protocols.wire.bee_tek import LINE_MAX, BeeTekDecoder, Garbled
from protocols.wire.bee_tek import Counters as BeeTekCounters
from protocols.wire.tdl.frame import MAX_RAW, LineDecoder
from protocols.wire.tdl.messages import read_message
from protocols.wire.tdl.packets import PACKET_BYTES, PacketDecoder

CORPUS: Final = Path(__file__).parent / "corpus"

_LONGEST_REPORT: Final = 48
_ETX: Final = 0x03

ANGEL_EYE: Final = Stream(AngelEyeDecoder, angel_frame(), _LONGEST_REPORT, lambda: AngelEyeIntake().take)
TDL_LINE: Final = Stream(LineDecoder, tdl_frame(), MAX_RAW + 4)
TDL_PACKETS: Final = Stream(PacketDecoder, tdl_packets(), MAX_RAW, unit=PACKET_BYTES)
BEE_TEK: Final = Stream(
    BeeTekDecoder,
    bee_tek_line(),
    3 * LINE_MAX,
    lambda: BeeTekIntake().take,
    shown=lambda report: Garbled if isinstance(report, Garbled) else in_full(report),
    counted=lambda counters: _of_whole_lines(counters),
)
STREAMS: Final[Mapping[str, Stream]] = {
    "angel-eye": ANGEL_EYE,
    "bee-tek": BEE_TEK,
    "tdl-line": TDL_LINE,
    "tdl-packets": TDL_PACKETS,
}


def _of_whole_lines(counters: BeeTekCounters) -> tuple[int, int]:
    """How much of an endless line is garbage depends on where it was given up."""
    return counters.malformed, counters.echoes


def check_angel_reports(data: bytes) -> None:
    """Whatever stands in frames whose check is right; an ETX ends each."""
    ANGEL_EYE.check(b"".join(_checked(body) for body in data.replace(b"\x05", b"\x85").split(bytes([_ETX]))))


def _checked(body: bytes) -> bytes:
    closed = body + bytes([_ETX])
    return b"\x05" + closed + b"%02X" % reduce(xor, closed)


def check_tdl_messages(data: bytes) -> None:
    """Messages of any type, as they stand in frames whose check is right."""
    reel = Reel(data)
    while reel:
        repr(read_message(reel.number(), reel.rest_of()))


@dataclass(frozen=True, slots=True)
class Target:
    """`check` raises where something does not hold of these bytes; an input has at most `longest`."""

    name: str
    check: Callable[[bytes], object]
    longest: int = 1024

    @property
    def corpus(self) -> Path:
        """The inputs that the search begins with, and those that once broke something."""
        return CORPUS / self.name


TARGETS: Final[Mapping[str, Target]] = {
    target.name: target
    for target in (
        *(Target(name, stream.check, 400) for name, stream in STREAMS.items()),
        Target("angel-reports", check_angel_reports, 200),
        Target("tdl-message", check_tdl_messages, 400),
        Target("tdl-shoe", lambda data: Played("shoe", Reel(data)).play(), 512),
        Target("tdl-reader", lambda data: Played("reader", Reel(data)).play(), 512),
        Target("recording", check_recording),
        Target("panel", check_panel),
        Target("command", check_command),
    )
}
