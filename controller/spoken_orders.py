"""What a supervisor can have a device told: `{"order": "clear_error", "device": "shoe", "error": 2}`. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from firmware_bridge.arrival import Asked
from protocols.errors import LogError, did_you_mean, quoted
from protocols.orders import Attest, ClearError, ConfirmGame, Lock, Order, SelfTest

OF_A_CONSOLE: Final = ("self_test", "attest")
"""What a console may have a device told, too: it touches no card and no round."""
_FIELDS: Final = ("order", "device", "error")
_ERRORS: Final = range(256)


@dataclass(frozen=True, slots=True)
class ToOrder:
    """The device is to be told this; its answer is that to the input."""

    device: str
    order: Order


def read_order(asked: Asked, devices: Collection[str]) -> ToOrder:
    """The order that the input is, for one of these devices; LogError where it is none."""
    fields = asked.fields
    if asked.role != "supervisor" and not (asked.role == "console" and fields["order"] in OF_A_CONSOLE):
        raise LogError("order: only a supervisor gives one")
    for name in fields.keys() - set(_FIELDS):
        raise LogError(f"order: unknown field {quoted(name)}{did_you_mean(name, _FIELDS)}")
    device, order = fields.get("device", "shoe"), fields["order"]
    if not isinstance(device, str) or not isinstance(order, str):
        raise LogError('order: names an order and a device, such as {"order":"lock","device":"shoe"}')
    if device not in devices:
        raise LogError(f"order: this table has no device {quoted(device)} (it has: {', '.join(sorted(devices))})")
    if order not in ORDERS:
        raise LogError(f"order: {quoted(order)} is none{did_you_mean(order, ORDERS)}")
    if "error" in fields and order != ClearError.name:
        raise LogError(f"order: {order} has no field 'error'")
    return ToOrder(device, ORDERS[order](fields))


def _clear_error(fields: Mapping[str, Any]) -> ClearError:
    error = fields.get("error")
    if not isinstance(error, int) or isinstance(error, bool) or error not in _ERRORS:
        raise LogError('order: clear_error needs the number of the error, 0 to 255, such as "error": 2')
    return ClearError(error)


ORDERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Order]]] = {
    "lock": lambda _: Lock(locked=True),
    "unlock": lambda _: Lock(locked=False),
    "clear_error": _clear_error,
    "confirm_game": lambda _: ConfirmGame(),
    "self_test": lambda _: SelfTest(),
    "attest": lambda _: Attest(),
}
