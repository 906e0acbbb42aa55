"""A serial line, served by one thread of its own."""

from __future__ import annotations

import logging
import os
import select
import stat
import termios
from contextlib import suppress
from typing import Final, NoReturn

import serial

from firmware_bridge.faults import FAULTS, kind_at_opening
from firmware_bridge.node import denial, holders
from firmware_bridge.thread_port import ThreadPort
from firmware_bridge.transport import LineSettings, LinkLost, Transport
from protocols.errors import ShoewatchError
from protocols.records import LossKind

_READ_BYTES: Final = 4096
_WRITE_TIMEOUT_S: Final = 0.5
_log: Final = logging.getLogger(__name__)


async def open_serial(path: str, line: LineSettings) -> Transport:
    """The open line, locked for us; LinkLost where that fails, ShoewatchError for a speed that it cannot have."""
    port = SerialPort(path, line)
    await port.open()
    return port


class SerialPort(ThreadPort):
    """A Transport over a tty; one thread waits for the line and for the loop, whose event descriptor wakes it."""

    def __init__(self, path: str, line: LineSettings) -> None:
        super().__init__(f"serial {path}")
        self._path = path
        self._line = line
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def _poke(self) -> None:
        if not self._ended.is_set():
            os.eventfd_write(self._wake, 1)

    def _release(self) -> None:
        os.close(self._wake)

    def _live(self) -> NoReturn:
        port = _opened(self._path, self._line)
        try:
            self._is_open()
            self._serve(port)
        except serial.SerialTimeoutException as fault:
            raise LinkLost("wedged", f"{self._path} takes no bytes: {fault}") from None
        except FAULTS as fault:
            raise LinkLost("gone", f"{self._path}: {fault}") from None
        finally:
            _close(port)
        raise LinkLost("gone", "closed here")

    def _serve(self, port: serial.Serial) -> None:
        line = port.fileno()
        while not self._stopping:
            watched = [self._wake, line] if self._has_room else [self._wake]
            ready, _, _ = select.select(watched, (), ())
            if self._wake in ready:
                os.eventfd_read(self._wake)
            self._send(port)
            if line in ready:
                self._receive(port)

    def _send(self, port: serial.Serial) -> None:
        while self._outbox:
            port.write(self._outbox[0][0])
            self._is_sent()

    def _receive(self, port: serial.Serial) -> None:
        data = port.read(_READ_BYTES)
        if data:
            self._take_in(data)


def _opened(path: str, line: LineSettings) -> serial.Serial:
    try:
        port = serial.Serial(path, line.baud, timeout=0, write_timeout=_WRITE_TIMEOUT_S, exclusive=True)
    except ValueError as wrong:
        raise ShoewatchError(f"serial:{path}: {wrong}") from None
    except FAULTS as fault:
        raise _not_opened(path, fault) from None
    with suppress(*FAULTS):
        _keep_modem_lines(port.fileno())
    return port


def _keep_modem_lines(descriptor: int) -> None:
    """Closing leaves DTR and RTS up, so that the next opening does not toggle them: some devices reset on that."""
    attributes = termios.tcgetattr(descriptor)
    attributes[2] &= ~termios.HUPCL
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def _close(port: serial.Serial) -> None:
    """Close at once: what a line that stands still did not take is dropped, for a close would wait for it."""
    with suppress(*FAULTS):
        port.reset_output_buffer()
    with suppress(*FAULTS):
        port.close()


def _not_opened(path: str, fault: Exception) -> LinkLost:
    kind = kind_at_opening(fault)
    try:
        return LinkLost(*_explained(path, kind, fault))
    except Exception as unexplained:
        _log.debug("%s: no explanation: %s", path, unexplained)
        return LinkLost(kind, f"{path}: {fault}")


def _explained(path: str, kind: LossKind, fault: Exception) -> tuple[LossKind, str]:
    if kind == "absent":
        return kind, f"{path} is not there"
    if kind == "denied":
        return kind, denial(path)
    if kind == "busy":
        return kind, f"{path} is held by {', '.join(map(str, holders(path))) or 'another program'}"
    if not stat.S_ISCHR(os.stat(path).st_mode):
        return "absent", f"{path} is no serial line"
    return kind, f"{path}: {fault}"
