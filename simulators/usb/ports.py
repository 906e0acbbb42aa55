"""What every bench of simulated USB ports obeys: one JSON object a line of its input, each answered by one line.

It greets first, with what a host needs to know to see its devices; what a host sends to one of them comes as
`{"port": ..., "out": HEX}` between the answers. Ports are named as in sysfs, `1-1` or `1-1.4`."""

from __future__ import annotations

import json
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from simulators.usb.descriptors import Descriptors
from simulators.usb.device import UsbDevice

T = TypeVar("T")
Say = Callable[[dict[str, Any]], None]


class Ports(ABC):
    """The commands, by name, that are alike on every bench; `plug` and `unplug` are its own."""

    greeting: dict[str, Any]

    def __init__(self, say: Say) -> None:
        self._say = say

    @abstractmethod
    def at(self, port: str, act: Callable[[UsbDevice], T]) -> T:
        """What `act` gives, done to the device in this port where its transfers are done."""

    @abstractmethod
    def close(self) -> None:
        """Leave nothing behind."""

    def made(self, port: str, *, face: Sequence[int] | None = None, **says: Any) -> UsbDevice:
        """A device for this port, which passes on what a host sends to it; `face` and `says` are what it says of
        itself."""
        if face is not None:
            says["face"] = tuple(face)
        return UsbDevice(Descriptors(**says), lambda data: self._say({"port": port, "out": data.hex()}))

    def send(self, port: str, reports: list[str]) -> None:
        def send_all(device: UsbDevice) -> None:
            for report in reports:
                device.send(bytes.fromhex(report))

        self.at(port, send_all)

    def halt(self, port: str, endpoint: int) -> None:
        self.at(port, lambda device: device.halt(endpoint))

    def fail(self, port: str, endpoint: int, codes: list[int]) -> None:
        """The next transfers of the endpoint end so."""
        self.at(port, lambda device: device.fails[endpoint].extend(codes))

    def deaf(self, port: str, is_deaf: bool) -> None:
        self.at(port, lambda device: setattr(device, "is_deaf", is_deaf))

    def unread(self, port: str) -> dict[str, Any]:
        return {"unread": self.at(port, lambda device: device.unread)}


def obey(made: Callable[[Say], Ports]) -> None:
    """Until the input ends."""
    lock = threading.Lock()

    def say(said: dict[str, Any]) -> None:
        with lock:
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()

    bench = made(say)
    try:
        say(bench.greeting)
        for line in sys.stdin:
            command = json.loads(line)
            done = getattr(bench, command.pop("do"))(**command)
            say({"done": True, **(done or {})})
    finally:
        bench.close()
