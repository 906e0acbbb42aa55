"""What the table does about its hole-card reader: the fallback, and the order to arm it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controller.fallback import Fallback
from controller.inputs import Accepted, Refused
from controller.orders import Orders
from protocols.dealing.check import Check
from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, TableEvent
from protocols.orders import Order
from protocols.records import DeviceReported, Fact


class ReaderCare:
    """`give` gets each new order at once; its answer comes back as a fact."""

    def __init__(self, fallback: Fallback, give: Callable[[Order], None]) -> None:
        self._fallback = fallback
        self._orders = Orders()
        self._give = give

    @property
    def fallback(self) -> Fallback:
        return self._fallback

    def after(self, fact: Fact, check: Check) -> TableEvent | None:
        """The event that follows at once from a fact; `check` has it entered."""
        self._fallback, event = self._fallback.after(fact, round_open=check.state.round.opened)
        return event

    def look(self, check: Check, round_number: int) -> None:
        """Give the order that is right now, if it is a new one and the reader can hear it."""
        if not self._fallback.ready:
            return
        self._orders, order = self._orders.after(check, round_number)
        if order is not None:
            self._give(order)

    def word(self, event: ReaderFaulted | ReaderRestored, check: Check) -> Accepted | Refused:
        """A supervisor's word on the reader."""
        answer = self._fallback.said(event, round_open=check.state.round.opened)
        if isinstance(answer, str):
            return Refused(event.name, answer)
        self._fallback = answer
        return Accepted(event)


def of_this_round(facts: Sequence[Fact], round_number: int) -> tuple[Fact, ...]:
    """Without a reading that the reader tells of another round than the one that is open."""
    rounds = [fact.data.get("round") for fact in facts if isinstance(fact, DeviceReported) and fact.report == "verdict"]
    late = any(number != round_number for number in rounds)
    return tuple(fact for fact in facts if not (late and isinstance(fact, ReaderPeeked)))
