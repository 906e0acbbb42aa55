"""A simulated device behind umockdev: its answers to the ioctls of the kernel's usbfs, so that the real libusb runs.

The device's node is a link to a pty, which gives it the two states that poll() tells of usbfs: writable while a
transfer can be reaped, which the flow control of the pty turns on and off, and an error once the device is pulled,
which is the pty's hang-up. A plain file would always be writable, and libusb would spin.

Needs Debian's umockdev, gir1.2-umockdev-1.0 and python3-gi, and so Debian's own Python."""

from __future__ import annotations

import errno
import os
import pty
import struct
import termios
import tty
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, Final

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

from simulators.usb.device import Setup, Stall, Transfer, UsbDevice  # noqa: E402

_CAPABILITIES: Final = 0x01 | 0x02 | 0x04 | 0x10
"""Zero packets, bulk continuation, no packet limit, reaping after a disconnect."""
_FULL_SPEED: Final = 2
_URB_BYTES: Final = 56
_URB_STATUS, _URB_BUFFER, _URB_LENGTH, _URB_ACTUAL = 4, 16, 24, 28
_CONTROL_URB: Final = 2
_SETUP: Final = struct.Struct("<BBHHH")
_NAME_BYTES: Final = 256

Answer = tuple[int, int]
"""What the ioctl returns, and its errno."""
OK: Final[Answer] = (0, 0)


def _failed(code: int) -> Answer:
    return -1, code


def _request(direction: int, number: int, size: int) -> int:
    return direction << 30 | size << 16 | ord("U") << 8 | number


class _Urb:
    """One transfer of a client, in the client's own memory."""

    def __init__(self, client: Any, data: Any) -> None:
        self.client = client
        self.data = data
        self.address = data.client_addr
        raw = bytes(data.retrieve())
        self.type, self.endpoint = raw[0], raw[1]
        [self.length] = struct.unpack_from("i", raw, _URB_LENGTH)
        self._buffer = data.resolve(_URB_BUFFER, self.length) if self.length else None
        self.transfer: Transfer | None = None

    def sent(self) -> bytes:
        return bytes(self._buffer.retrieve()) if self._buffer else b""

    def fill(self, at: int, data: bytes) -> None:
        if self._buffer and data:
            self._buffer.update(at, data)

    def end(self, code: int, actual: int) -> None:
        self.data.update(_URB_STATUS, struct.pack("i", -code))
        self.data.update(_URB_ACTUAL, struct.pack("i", actual))


class UsbfsNode:
    """One node in /dev/bus/usb. `kernel_driver` has the interface until somebody detaches it."""

    def __init__(self, device: UsbDevice, kernel_driver: str | None = None) -> None:
        self.device = device
        self._kernel_driver = kernel_driver
        self._detached: str | None = None
        self._owner: Any = None
        self._urbs: list[_Urb] = []
        self._reapable: defaultdict[Any, deque[_Urb]] = defaultdict(deque)
        self._master, self._slave = pty.openpty()
        self._is_hung_up = False
        tty.setraw(self._slave)
        self._show_reapable(False)
        self.handler = UMockdev.IoctlBase()
        self.handler.connect("handle-ioctl", self._ioctl)
        self.handler.connect("client-vanished", self._vanished)

    @property
    def target(self) -> str:
        """What the node is a link to."""
        return os.ttyname(self._slave)

    def unplug(self, first: int = errno.ESHUTDOWN) -> None:
        """The device is pulled out of its port."""
        with self.device.lock:
            if not self._is_hung_up:
                self.device.unplug(first)
                self._is_hung_up = True
                os.close(self._slave)
                os.close(self._master)

    def _show_reapable(self, reapable: bool) -> None:
        if not self._is_hung_up:
            termios.tcflow(self._slave, termios.TCOON if reapable else termios.TCOOFF)

    def _vanished(self, _handler: Any, client: Any) -> None:
        with self.device.lock:
            if self._owner is client:
                self._owner = None
            for urb in [urb for urb in self._urbs if urb.client is client]:
                self._urbs.remove(urb)
                if urb.transfer:
                    self.device.cancel(urb.transfer)
            self._reapable.pop(client, None)

    def _ioctl(self, _handler: Any, client: Any) -> bool:
        with self.device.lock:
            returned, code = self._answer(client, client.get_request(), client.get_arg())
        client.complete(returned, code)
        return True

    def _answer(self, client: Any, request: int, arg: Any) -> Answer:
        if request in _REAPS:
            return self._reap(client, arg)
        if request == _DISCARD:
            return self._discard(client, struct.unpack("Q", bytes(arg.retrieve()))[0])
        if self.device.is_gone:
            return _failed(errno.ENODEV)
        answer = _ANSWERS.get(request)
        return answer(self, client, arg) if answer else _failed(errno.ENOTTY)

    def _reap(self, client: Any, arg: Any) -> Answer:
        done = self._reapable[client]
        if not done:
            return _failed(errno.ENODEV if self.device.is_gone else errno.EAGAIN)
        arg.resolve(0, 8).set_ptr(0, done.popleft().data)
        self._show_reapable(any(self._reapable.values()))
        return OK

    def _discard(self, client: Any, address: int) -> Answer:
        for urb in self._urbs:
            if urb.address == address and urb.client is client and urb.transfer and self.device.cancel(urb.transfer):
                self._finish(urb, errno.ENOENT, 0)
                return OK
        return _failed(errno.EINVAL)

    def _finish(self, urb: _Urb, code: int, actual: int) -> None:
        urb.end(code, actual)
        self._urbs.remove(urb)
        self._reapable[urb.client].append(urb)
        self._show_reapable(True)

    def _submit(self, client: Any, arg: Any) -> Answer:
        urb = _Urb(client, arg.resolve(0, _URB_BYTES))
        if urb.type == _CONTROL_URB:
            self._urbs.append(urb)
            self._control(urb)
            return OK
        if self._owner is not client:
            return _failed(errno.ENOENT)
        to_host = bool(urb.endpoint & 0x80)

        def finish(code: int, came: bytes) -> None:
            urb.fill(0, came)
            self._finish(urb, code, len(came) if to_host else 0 if code else urb.length)

        urb.transfer = Transfer(urb.endpoint, urb.length, finish, b"" if to_host else urb.sent())
        self._urbs.append(urb)
        self.device.submit(urb.transfer)
        return OK

    def _control(self, urb: _Urb) -> None:
        setup = Setup(*_SETUP.unpack(urb.sent()[: _SETUP.size]))
        try:
            answer = self.device.control(setup)[: setup.length]
        except Stall:
            self._finish(urb, errno.EPIPE, 0)
            return
        urb.fill(_SETUP.size, answer)
        self._finish(urb, 0, len(answer) if setup.request_type & 0x80 else setup.length)

    def _claim(self, client: Any, arg: Any) -> Answer:
        if _number(arg) != 0:
            return _failed(errno.ENOENT)
        if self._kernel_driver or self._owner not in (None, client):
            return _failed(errno.EBUSY)
        self._owner = client
        return OK

    def _release(self, client: Any, _arg: Any) -> Answer:
        if self._owner is not client:
            return _failed(errno.EINVAL)
        self._owner = None
        return OK

    def _driver(self, _client: Any, arg: Any) -> Answer:
        name = "usbfs" if self._owner else self._kernel_driver
        if not name:
            return _failed(errno.ENODATA)
        arg.resolve(0, 4 + _NAME_BYTES).update(4, name.encode() + b"\0")
        return OK

    def _interface_ioctl(self, _client: Any, arg: Any) -> Answer:
        _, code = struct.unpack("iI", bytes(arg.resolve(0, 16).retrieve())[:8])
        if code == _CONNECT:
            self._kernel_driver = self._detached
            return OK
        if code != _DISCONNECT:
            return _failed(errno.ENOTTY)
        if not self._kernel_driver:
            return _failed(errno.ENODATA)
        self._detached, self._kernel_driver = self._kernel_driver, None
        return OK

    def _clear_halt(self, _client: Any, arg: Any) -> Answer:
        self.device.clear_halt(_number(arg))
        return OK

    def _reset(self, _client: Any, _arg: Any) -> Answer:
        self.device.reset()
        return OK

    def _capabilities(self, _client: Any, arg: Any) -> Answer:
        arg.resolve(0, 4).update(0, struct.pack("I", _CAPABILITIES))
        return OK

    def _speed(self, _client: Any, _arg: Any) -> Answer:
        return _FULL_SPEED, 0


def _number(arg: Any) -> int:
    found: int = struct.unpack("I", bytes(arg.resolve(0, 4).retrieve()))[0]
    return found


_REAPS: Final = (_request(1, 12, 8), _request(1, 13, 8))
_DISCARD: Final = _request(0, 11, 0)
_DISCONNECT: Final = _request(0, 22, 0)
_CONNECT: Final = _request(0, 23, 0)
_ANSWERS: Final[dict[int, Callable[[UsbfsNode, Any, Any], Answer]]] = {
    _request(2, 4, 8): UsbfsNode._reset,
    _request(2, 5, 4): UsbfsNode._reset,
    _request(1, 8, 4 + _NAME_BYTES): UsbfsNode._driver,
    _request(2, 10, _URB_BYTES): UsbfsNode._submit,
    _request(2, 15, 4): UsbfsNode._claim,
    _request(2, 16, 4): UsbfsNode._release,
    _request(3, 18, 16): UsbfsNode._interface_ioctl,
    _request(0, 20, 0): UsbfsNode._reset,
    _request(2, 21, 4): UsbfsNode._clear_halt,
    _request(1, 26, 4): UsbfsNode._capabilities,
    _request(0, 31, 0): UsbfsNode._speed,
}
