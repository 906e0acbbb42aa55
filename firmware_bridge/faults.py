"""The one border where what libraries and the system call a fault becomes one of our kinds of loss.

pyserial and pyusb raise an OSError of their own each, whose errno may be missing; termios raises something that is no
OSError at all. Nothing else ever leaves a device's library."""

from __future__ import annotations

import errno
import socket
import termios
from collections.abc import Mapping
from typing import Final

from protocols.records import LossKind

FAULTS: Final = (OSError, termios.error)
"""Everything that the use of a device's line raises."""

_AT_OPENING: Final[Mapping[int | None, LossKind]] = {
    errno.ENOENT: "absent",
    errno.ENOTDIR: "absent",
    errno.ENODEV: "absent",
    errno.ENXIO: "absent",
    errno.ECONNREFUSED: "absent",
    errno.ECONNRESET: "absent",
    errno.EHOSTUNREACH: "absent",
    errno.ENETUNREACH: "absent",
    errno.ETIMEDOUT: "absent",
    errno.EAGAIN: "busy",
    errno.EBUSY: "busy",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
}
_IN_A_TRANSFER: Final[Mapping[int | None, LossKind]] = {
    errno.ETIMEDOUT: "wedged",
    errno.EPIPE: "wedged",
    errno.EBUSY: "busy",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.EOVERFLOW: "protocol",
    errno.EINVAL: "protocol",
    errno.ENOENT: "protocol",
    errno.ENOSYS: "protocol",
}


def kind_at_opening(fault: Exception) -> LossKind:
    """Why a line cannot be had; `gone` where the fault does not tell."""
    if isinstance(fault, socket.gaierror):
        return "absent"
    return _AT_OPENING.get(number(fault), "gone")


def kind_in_a_transfer(fault: Exception) -> LossKind:
    """How a USB device was lost: an endpoint that stays halted and a write that nobody takes are `wedged`, what the
    device must not send is `protocol`, a pull (errno 19, on some hosts 5 first) and everything unclear is `gone`."""
    return _IN_A_TRANSFER.get(number(fault), "gone")


def number(fault: Exception) -> int | None:
    """The errno; None where the fault has none."""
    found = fault.args[0] if isinstance(fault, termios.error) and fault.args else getattr(fault, "errno", None)
    return found if isinstance(found, int) else None
