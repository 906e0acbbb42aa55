"""What holds until something ends it, over the ends of rounds and over a change of the header: a device that is out
of use, and the method that was chosen meanwhile. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from protocols.dealing.check import Check
from protocols.events import (
    MethodSelected,
    ReaderFaulted,
    ReaderRestored,
    ShoeFaulted,
    ShoeRestored,
    TableEvent,
)
from protocols.verdicts import Verdict

What = Literal["shoe", "reader", "method"]
Lasting = Mapping[What, TableEvent]
"""The event with which each began, in the order in which a new header needs them."""

_ORDER: Final[tuple[What, ...]] = ("shoe", "reader", "method")


def lasting_after(lasting: Lasting, event: TableEvent, verdict: Verdict) -> Lasting:
    """What holds after the event; a choice that was none changes nothing."""
    match event:
        case ShoeFaulted():
            return {**lasting, "shoe": event}
        case ReaderFaulted():
            return {**lasting, "reader": event}
        case MethodSelected() if verdict.outcome != "violation":
            return {**lasting, "method": event}
        case ShoeRestored():
            return _without(lasting, "shoe")
        case ReaderRestored():
            return _without(lasting, "reader", "method")
    return lasting


def said_again(lasting: Lasting, check: Check) -> Iterator[tuple[TableEvent, Check]]:
    """What a log with a new header has to begin with so that it still holds, each with the check after it.

    A method that the new header does not know is not chosen any more. The device's number is left out: it is told
    once."""
    for what in _ORDER:
        if what in lasting:
            event = lasting[what].model_copy(update={"seq": None, "t": None})
            after, verdict = check.step(event)
            if verdict.outcome != "violation":
                check = after
                yield event, check


def _without(lasting: Lasting, *ended: What) -> Lasting:
    return {what: event for what, event in lasting.items() if what not in ended}
