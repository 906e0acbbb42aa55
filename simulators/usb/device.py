"""A USB device as its host controller sees it: transfers come in, are answered when the device has something, stall,
fail, or end with the device. Adapters give it transfers in their own way; each calls from whatever thread it has."""

from __future__ import annotations

import errno
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from simulators.usb.descriptors import IN, OUT, Descriptors

_DEVICE, _CONFIGURATION, _STRING = 1, 2, 3


class _Standard(IntEnum):
    """Type and number of the requests that every device answers."""

    GET_STATUS = 0x8000
    GET_INTERFACE_STATUS = 0x8100
    GET_ENDPOINT_STATUS = 0x8200
    GET_DESCRIPTOR = 0x8006
    GET_CONFIGURATION = 0x8008
    SET_CONFIGURATION = 0x0009
    SET_INTERFACE = 0x010B
    CLEAR_HALT = 0x0201


class Stall(Exception):
    """The device refuses a control request."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The eight bytes that begin a control transfer."""

    request_type: int
    request: int
    value: int
    index: int
    length: int


@dataclass(eq=False, slots=True)
class Transfer:
    """One transfer of an endpoint: `data` goes out, or at most `length` bytes come in. `finish` is called once, with
    an errno, 0 for none, and what came in."""

    endpoint: int
    length: int
    finish: Callable[[int, bytes], None]
    data: bytes = field(default=b"", repr=False)


class UsbDevice:
    """`hear` gets what the host sends. A device that `is_deaf` takes nothing, so that the host's transfers wait;
    `fails` holds the errnos of an endpoint's next transfers."""

    def __init__(self, descriptors: Descriptors, hear: Callable[[bytes], None]) -> None:
        self.descriptors = descriptors
        self.hear = hear
        self.lock: Final = threading.RLock()
        self.fails: Final[defaultdict[int, deque[int]]] = defaultdict(deque)
        self.is_gone = False
        self._is_deaf = False
        self._halted: set[int] = set()
        self._reports: deque[bytes] = deque()
        self._waiting: defaultdict[int, deque[Transfer]] = defaultdict(deque)

    @property
    def unread(self) -> int:
        """How many reports no host has asked for."""
        return len(self._reports)

    @property
    def is_deaf(self) -> bool:
        return self._is_deaf

    @is_deaf.setter
    def is_deaf(self, deaf: bool) -> None:
        with self.lock:
            self._is_deaf = deaf
            self._go_on()

    def send(self, report: bytes) -> None:
        """A report for the host, which gets it when it asks."""
        with self.lock:
            self._reports.append(report)
            self._go_on()

    def halt(self, endpoint: int) -> None:
        """The endpoint refuses every transfer until the host clears it."""
        with self.lock:
            self._halted.add(endpoint)
            self._go_on()

    def unplug(self, first: int = errno.ESHUTDOWN) -> None:
        """The device is pulled; what is under way ends with `first`. Harmless when done already."""
        with self.lock:
            self.is_gone = True
            for waiting in self._waiting.values():
                while waiting:
                    waiting.popleft().finish(first, b"")

    def submit(self, transfer: Transfer) -> None:
        """The host wants this of an endpoint."""
        with self.lock:
            self._waiting[transfer.endpoint].append(transfer)
            self._go_on()

    def cancel(self, transfer: Transfer) -> bool:
        """Whether the transfer was still waiting; it is not finished then."""
        with self.lock:
            waiting = self._waiting[transfer.endpoint]
            if transfer in waiting:
                waiting.remove(transfer)
                return True
            return False

    def clear_halt(self, endpoint: int) -> None:
        with self.lock:
            self._halted.discard(endpoint)
            self._go_on()

    def reset(self) -> None:
        """The host resets or configures the device."""
        with self.lock:
            self._halted.clear()
            self._reports.clear()

    def control(self, setup: Setup) -> bytes:
        """The answer to a control request, which may be longer than was asked for; Stall where there is none."""
        match setup.request_type << 8 | setup.request:
            case _Standard.GET_DESCRIPTOR:
                return self._descriptor(setup.value >> 8, setup.value & 0xFF)
            case _Standard.GET_CONFIGURATION:
                return b"\x01"
            case _Standard.GET_STATUS | _Standard.GET_INTERFACE_STATUS | _Standard.GET_ENDPOINT_STATUS:
                return b"\0\0"
            case _Standard.CLEAR_HALT:
                self.clear_halt(setup.index & 0xFF)
                return b""
            case _Standard.SET_CONFIGURATION | _Standard.SET_INTERFACE:
                self.reset()
                return b""
        raise Stall

    def _descriptor(self, kind: int, index: int) -> bytes:
        found = {_DEVICE: self.descriptors.device, _CONFIGURATION: self.descriptors.configuration}.get(kind)
        if kind == _STRING:
            found = self.descriptors.string(index)
        if found is None:
            raise Stall
        return found

    def _go_on(self) -> None:
        for endpoint in (IN, OUT):
            waiting = self._waiting[endpoint]
            while waiting and self._is_able(endpoint):
                self._finish(waiting.popleft())

    def _is_able(self, endpoint: int) -> bool:
        """Whether the first transfer of the endpoint can end."""
        if self.fails[endpoint] or endpoint in self._halted:
            return True
        return bool(self._reports) if endpoint == IN else not self._is_deaf

    def _finish(self, transfer: Transfer) -> None:
        if self.fails[transfer.endpoint]:
            transfer.finish(self.fails[transfer.endpoint].popleft(), b"")
        elif transfer.endpoint in self._halted:
            transfer.finish(errno.EPIPE, b"")
        elif transfer.endpoint == IN:
            report = self._reports.popleft()
            too_long = len(report) > transfer.length
            transfer.finish(errno.EOVERFLOW if too_long else 0, report[: transfer.length])
        else:
            self.hear(transfer.data)
            transfer.finish(0, b"")
