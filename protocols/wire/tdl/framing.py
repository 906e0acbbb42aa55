"""How frames travel: between zeros on a line of bytes, in packets on USB."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from protocols.wire.tdl.frame import Frame, FrameCounters, LineDecoder, on_line
from protocols.wire.tdl.packets import PacketDecoder, in_packets


class FrameDecoder(Protocol):
    """What comes in, as it was read, to frames; what is none is counted."""

    @property
    def counters(self) -> FrameCounters: ...

    def feed(self, data: bytes, /) -> tuple[Frame, ...]: ...


@dataclass(frozen=True, slots=True)
class Framing:
    """`wrap` gives a raw frame its form on the way; `new_decoder` is for each line that is opened."""

    wrap: Callable[[bytes], bytes]
    new_decoder: Callable[[], FrameDecoder]


ON_A_LINE: Final = Framing(on_line, LineDecoder)
IN_PACKETS: Final = Framing(in_packets, PacketDecoder)
