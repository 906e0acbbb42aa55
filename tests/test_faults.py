"""The border of faults: whatever a device's library or the system raises becomes one of our kinds, table by table."""

from __future__ import annotations

import errno
import os
import socket
import termios

import pytest
import serial
from usb.core import USBError, USBTimeoutError

from firmware_bridge.faults import FAULTS, kind_at_opening, kind_in_a_transfer, number
from protocols.records import LossKind

AT_OPENING: list[tuple[Exception, LossKind]] = [
    (serial.SerialException(errno.ENOENT, "could not open port"), "absent"),
    (serial.SerialException(errno.ENODEV, "could not open port"), "absent"),
    (serial.SerialException(errno.EAGAIN, "could not lock"), "busy"),
    (serial.SerialException(errno.EACCES, "could not open port"), "denied"),
    (serial.SerialException("could not configure port"), "gone"),
    (termios.error(errno.EIO, "Input/output error"), "gone"),
    (termios.error(errno.EACCES, "Permission denied"), "denied"),
    (termios.error(), "gone"),
    (OSError(errno.EBUSY, "busy"), "busy"),
    (OSError(errno.EIO, "Input/output error"), "gone"),
    (PermissionError(errno.EPERM, "not permitted"), "denied"),
    (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "absent"),
    (OSError(errno.EHOSTUNREACH, "no route"), "absent"),
    (TimeoutError(errno.ETIMEDOUT, "timed out"), "absent"),
    (socket.gaierror(socket.EAI_NONAME, "not known"), "absent"),
    (USBError("Entity not found", -5, errno.ENOENT), "absent"),
    (USBError("No such device", -4, errno.ENODEV), "absent"),
    (USBError("Access denied", -3, errno.EACCES), "denied"),
    (USBError("Resource busy", -6, errno.EBUSY), "busy"),
    (USBError("Other error", -99, None), "gone"),
    (USBError("Input/Output Error", -1, errno.EIO), "gone"),
]
IN_A_TRANSFER: list[tuple[Exception, LossKind]] = [
    (USBError("Input/Output Error", -1, errno.EIO), "gone"),
    (USBError("Invalid parameter", -2, errno.EINVAL), "protocol"),
    (USBError("Access denied", -3, errno.EACCES), "denied"),
    (USBError("No such device", -4, errno.ENODEV), "gone"),
    (USBError("Entity not found", -5, errno.ENOENT), "protocol"),
    (USBError("Resource busy", -6, errno.EBUSY), "busy"),
    (USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT), "wedged"),
    (USBError("Overflow", -8, errno.EOVERFLOW), "protocol"),
    (USBError("Pipe error", -9, errno.EPIPE), "wedged"),
    (USBError("System call interrupted", -10, errno.EINTR), "gone"),
    (USBError("Insufficient memory", -11, errno.ENOMEM), "gone"),
    (USBError("Operation not supported", -12, errno.ENOSYS), "protocol"),
    (USBError("Other error", -99, None), "gone"),
    (OSError(errno.ENOENT, "the node went"), "protocol"),
]


@pytest.mark.parametrize(("fault", "kind"), AT_OPENING, ids=repr)
def test_why_a_line_cannot_be_had(fault: Exception, kind: LossKind) -> None:
    assert isinstance(fault, FAULTS)
    assert kind_at_opening(fault) == kind


@pytest.mark.parametrize(("fault", "kind"), IN_A_TRANSFER, ids=repr)
def test_how_a_usb_device_was_lost(fault: Exception, kind: LossKind) -> None:
    assert isinstance(fault, FAULTS)
    assert kind_in_a_transfer(fault) == kind


def test_every_errno_has_a_kind() -> None:
    for code in errno.errorcode:
        fault = OSError(code, os.strerror(code))
        assert number(fault) == code
        assert kind_at_opening(fault) in ("absent", "busy", "denied", "gone")
        assert kind_in_a_transfer(fault) in ("busy", "denied", "wedged", "protocol", "gone")
