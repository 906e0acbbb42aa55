"""What comes over a line, told in frames; not a byte is written to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol

from controller.doctor.facts import Device, Heard
from firmware_bridge import known_devices
from firmware_bridge.known_devices import line_of
from firmware_bridge.ports import open_port
from firmware_bridge.transport import LineSettings, LinkLost, PortAddress
from protocols.wire.angel_eye import AngelEyeDecoder
from protocols.wire.bee_tek import BeeTekDecoder, Garbled, UnknownFrame
from protocols.wire.tdl.frame import LineDecoder


class _Decoder(Protocol):
    def feed(self, data: bytes, /) -> tuple[Any, ...]: ...


_DECODERS: Final[Mapping[known_devices.Protocol, Callable[[], _Decoder]]] = {
    "angel-eye": AngelEyeDecoder,
    "bee-tek": BeeTekDecoder,
    "tdl": LineDecoder,
}
_BAUDS: Final = (4800, 9600, 19200, 38400, 57600, 115200)


async def listen(device: Device, seconds: float) -> Heard:
    """What the device's line brings within so many seconds, or until there is a frame; where bytes came that are no
    frames, the other usual speeds are tried as long each. LinkLost where the line cannot be had."""
    usual = line_of(device.protocol)
    data = await _bytes(device.port, usual, seconds, device.protocol)
    frames = frames_in(data)
    if not data or frames or device.port.scheme != "serial":
        return Heard(seconds, len(data), frames)
    set_to = int(device.port.params.get("baud", usual.baud))
    for baud in sorted(set(_BAUDS) - {set_to}, key=lambda baud: baud != usual.baud):
        port = PortAddress("serial", device.port.target, {"baud": str(baud)})
        with suppress(LinkLost):
            if others := frames_in(await _bytes(port, usual, seconds, device.protocol)):
                right = device.protocol if device.protocol in others else next(iter(others))
                return Heard(seconds, len(data), {}, {baud: right})
    return Heard(seconds, len(data), {})


def frames_in(data: bytes) -> dict[known_devices.Protocol, int]:
    """How many frames of which protocols these bytes are; none that they are not."""
    found = {
        protocol: sum(not isinstance(each, Garbled | UnknownFrame) for each in new().feed(data))
        for protocol, new in _DECODERS.items()
    }
    return {protocol: count for protocol, count in found.items() if count}


async def _bytes(port: PortAddress, usual: LineSettings, seconds: float, protocol: known_devices.Protocol) -> bytes:
    line = await open_port(port, usual)
    end = time.monotonic() + seconds
    data = b""
    try:
        async with asyncio.timeout(max(0.0, end - time.monotonic())):
            while not (data and protocol in frames_in(data)):
                data += (await line.read()).data
    except (TimeoutError, LinkLost):
        pass
    finally:
        await line.close()
    return data
