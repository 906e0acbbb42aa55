"""A device on USB: one interface of packets, an interrupt endpoint each way, through libusb.

One thread reads and owns the device from opening to closing, a second one writes, which libusb allows at the same time.
A read that finds nothing within its time-out is idleness, no fault. An endpoint that halts is cleared once, and a
transfer that fails without a reason is tried once more; after that the line is lost, and a new one begins anew."""

from __future__ import annotations

import atexit
import errno
import threading
from array import array
from contextlib import ExitStack, closing, suppress
from ctypes.util import find_library
from typing import Any, Final, NoReturn

import usb.backend.libusb1
import usb.core

from firmware_bridge.faults import FAULTS, kind_at_opening, kind_in_a_transfer, number
from firmware_bridge.known_devices import UsbId
from firmware_bridge.node import denial, holders, rules_hint
from firmware_bridge.thread_port import ThreadPort
from firmware_bridge.transport import LinkLost, Transport
from firmware_bridge.usb_identity import FACE, UsbDevice, found
from protocols.errors import ShoewatchError

PACKET_BYTES: Final = 64

_TO_HOST: Final = 0x80
_READ_MS: Final = 100
_WRITE_MS: Final = 500
_LEAVE_S: Final = 2.0

_Endpoints = tuple[int, int]
"""The numbers of the one to the host and of the one from it."""


async def open_usb(wanted: str, usb_id: UsbId) -> Transport:
    """The device of this serial number or at this port path (`1-1.4`), claimed for us; LinkLost where that fails,
    ShoewatchError where libusb is missing."""
    port = UsbPort(wanted, usb_id)
    await port.open()
    return port


class UsbPort(ThreadPort):
    """A Transport whose chunks are whole packets; what is written is sent in packets of 64 bytes."""

    def __init__(self, wanted: str, usb_id: UsbId) -> None:
        super().__init__(f"usb {wanted}")
        self._wanted = wanted
        self._usb_id = usb_id
        self._room = threading.Event()
        self._work = threading.Event()
        self._fault: Exception | None = None

    def _poke(self) -> None:
        self._room.set()
        self._work.set()

    def _release(self) -> None:
        self._poke()

    def _live(self) -> NoReturn:
        libusb = _libusb()
        device = found(self._wanted, self._usb_id)
        atexit.register(self._leave)
        try:
            with closing(_claimed(libusb, device)) as line:
                self._serve(line)
        except FAULTS as fault:
            raise LinkLost(kind_in_a_transfer(fault), f"{device.id} at {device.path}: {fault}") from None
        finally:
            atexit.unregister(self._leave)
        raise LinkLost("gone", "closed here")

    def _leave(self) -> None:
        """The process ends, and libusb must not end under a transfer. Called before libusb's own end, for it was
        registered later."""
        self._stopping = True
        self._poke()
        self._thread.join(_LEAVE_S)

    def _serve(self, line: _Line) -> None:
        writer = threading.Thread(target=self._write_all, args=(line,), name=f"{self._name} out", daemon=True)
        writer.start()
        try:
            self._is_open()
            self._read_all(line)
        finally:
            self._stopping = True
            self._work.set()
            writer.join()

    def _read_all(self, line: _Line) -> None:
        while not self._stopping:
            if data := line.receive():
                self._take_in(data)
            while not (self._has_room or self._stopping):
                self._room.wait()
                self._room.clear()
        if self._fault:
            raise self._fault

    def _write_all(self, line: _Line) -> None:
        try:
            while not self._stopping:
                self._work.wait()
                self._work.clear()
                while self._outbox and not self._stopping:
                    line.send(self._outbox[0][0])
                    self._is_sent()
        except Exception as fault:
            self._fault = fault
            self._stopping = True
            self._room.set()


class _Line:
    """A claimed interface; `ends` gives back all that libusb gave, last first."""

    def __init__(self, context: Any, handle: Any, interface: int, endpoints: _Endpoints, ends: ExitStack) -> None:
        self._context = context
        self._handle = handle
        self._interface = interface
        self._into, self._out = endpoints
        self._forgiven: set[int] = set()
        self.close = ends.close

    def receive(self) -> bytes:
        """One packet; nothing where none came in time."""
        packet = array("B", bytes(PACKET_BYTES))
        try:
            count = self._context.intr_read(self._handle, self._into, self._interface, packet, _READ_MS)
        except usb.core.USBTimeoutError:
            return b""
        except usb.core.USBError as fault:
            self._forgive(fault, self._into)
            return b""
        return packet[:count].tobytes()

    def send(self, data: bytes) -> None:
        """In whole packets, each until it is taken."""
        for at in range(0, len(data), PACKET_BYTES):
            packet = array("B", data[at : at + PACKET_BYTES])
            try:
                self._write(packet)
            except usb.core.USBError as fault:
                self._forgive(fault, self._out)
                self._write(packet)

    def _write(self, packet: array[int]) -> None:
        self._context.intr_write(self._handle, self._out, self._interface, packet, _WRITE_MS)

    def _forgive(self, fault: usb.core.USBError, endpoint: int) -> None:
        """Once for each endpoint; raises the fault where it is of another kind, or not the first one."""
        if number(fault) not in (errno.EPIPE, errno.EIO) or endpoint in self._forgiven:
            raise fault
        self._forgiven.add(endpoint)
        if number(fault) == errno.EPIPE:
            self._context.clear_halt(self._handle, endpoint)


def _claimed(libusb: Any, device: UsbDevice) -> _Line:
    what, interface = f"{device.id} at {device.path}", None
    try:
        faces = device.faces()
        interface = next((number for number, face in faces.items() if face == FACE.interface), None)
        if interface is None and faces:
            has = ", ".join(faces.values())
            raise LinkLost("protocol", f"{what} has no interface {FACE.interface} (it has {has})")
        if interface is None:
            raise LinkLost("absent", f"{what} is not set up yet, or being pulled")
        return _opened(libusb, device, interface)
    except FAULTS as fault:
        raise LinkLost(kind_at_opening(fault), f"{what} {_explained(device, interface, fault)}") from None


def _opened(libusb: Any, device: UsbDevice, interface: int) -> _Line:
    """In a context of its own, which knows what is plugged in now, whether or not anybody told libusb."""
    with ExitStack() as ends:
        context = type(libusb)(libusb.lib)
        ends.callback(context.finalize)
        listed = _listed(context, device)
        ends.callback(listed.finalize)
        handle = context.open_device(listed)
        ends.callback(context.close_device, handle)
        context.claim_interface(handle, interface)
        ends.callback(_released, context, handle, interface)
        return _Line(context, handle, interface, _endpoints(context, listed, interface), ends.pop_all())


def _endpoints(context: Any, listed: Any, interface: int) -> _Endpoints:
    """In and out, which have the numbers that the device's chip gives them."""
    for place in range(context.get_configuration_descriptor(listed, 0).bNumInterfaces):
        face = context.get_interface_descriptor(listed, place, 0, 0)
        if face.bInterfaceNumber == interface:
            each = (context.get_endpoint_descriptor(listed, n, place, 0, 0) for n in range(face.bNumEndpoints))
            by_way = {number & _TO_HOST: number for number in (endpoint.bEndpointAddress for endpoint in each)}
            if len(by_way) == 2:
                return by_way[_TO_HOST], by_way[0]
    raise LinkLost("protocol", f"its interface {interface} has no endpoint each way")


def _libusb() -> Any:
    """The library, with the context that pyusb keeps for a process."""
    shared = usb.backend.libusb1.get_backend()
    if shared is None and find_library("usb-1.0") is None:
        raise ShoewatchError("a device on USB needs libusb, which is not installed (apt install libusb-1.0-0)")
    if shared is None:
        raise LinkLost("gone", "libusb does not start: it needs /dev/bus/usb, and netlink to hear from udev")
    return shared


def _listed(context: Any, device: UsbDevice) -> Any:
    for each in context.enumerate_devices():
        descriptor = context.get_device_descriptor(each)
        if (descriptor.bus, descriptor.address) == (device.bus, device.address):
            return each
    raise LinkLost("absent", f"{device.id} at {device.path} went while it was opened")


def _released(context: Any, handle: Any, interface: int) -> None:
    with suppress(*FAULTS):
        context.release_interface(handle, interface)


def _explained(device: UsbDevice, interface: int | None, fault: Exception) -> str:
    """What follows the device's name; of the node only what can still be seen."""
    try:
        match kind_at_opening(fault):
            case "denied":
                return f"is closed to us: {denial(device.node)}; {rules_hint()}"
            case "busy":
                return f"is held by {_holder(device, interface)}"
    except OSError as gone:
        return f"cannot be opened: {fault}, and then {gone}"
    return f"cannot be opened: {fault}"


def _holder(device: UsbDevice, interface: int | None) -> str:
    driver = None if interface is None else device.driver(interface)
    if driver not in (None, "usbfs"):
        return f"the kernel's driver {driver}"
    return ", ".join(map(str, holders(device.node))) or "another program"
