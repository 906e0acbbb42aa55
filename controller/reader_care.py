"""What the table does about its hole-card reader: the fallback, the order to arm it, how long it is waited for, and
how long its inspection holds.

Times are the monotonic clock in ns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Final

from controller.fallback import Fallback
from controller.inputs import Accepted, Refused, Word
from controller.inspection import Inspection
from controller.orders import Orders
from controller.reading import Reading
from protocols.dealing.check import Check
from protocols.events import ReaderPeeked, TableEvent
from protocols.orders import Order, SelfTest
from protocols.records import DeviceReported, Fact, LinkChanged, ReaderInspected

_NS: Final = 1_000_000_000
_ANSWER_NS: Final = 2 * _NS
"""From the seating of the cards to the answer."""

_LAST_CALL_NS: Final = _NS // 10
"""After that time: what is on its way is still heard, for this program may have been held up itself."""

_TEST_AGAIN_NS: Final = _NS
"""From one order to test itself to the next, at least: more than it takes to learn that nobody answers."""

HOLD_S: Final = 10.0
"""How long the reader has to be sound before it may come back by itself."""


class ReaderCare:
    """`give` gets each new order at once; its answer comes back as a fact. `inspection`: what is required of it, None
    where nothing is."""

    def __init__(
        self,
        fallback: Fallback,
        give: Callable[[Order], None],
        inspection: Inspection | None = None,
        hold_s: float = HOLD_S,
    ) -> None:
        self._fallback = fallback
        self._orders = Orders()
        self._give = give
        self._reading = Reading()
        self._inspection = inspection
        self._answer_by, self._called = 0, False
        self._hold_ns = int(hold_s * _NS)
        self._test_at: int | None = None

    @property
    def fallback(self) -> Fallback:
        return self._fallback

    def resume(self, facts: Iterable[Fact]) -> None:
        """Go on where these facts, of this round and the one before, have ended."""
        self._reading = reduce(Reading.after, facts, self._reading)

    def heard(self, facts: Sequence[Fact], round_number: int) -> Sequence[Fact]:
        """The facts without an answer that comes too late for the round that is open: its device record is enough."""
        late = self._reading.given_up or _of_another_round(facts, round_number)
        return [fact for fact in facts if not (late and isinstance(fact, ReaderPeeked))]

    def after(self, fact: Fact, check: Check, now: int) -> TableEvent | None:
        """The event that follows at once from a fact; `check` has it entered."""
        armed = self._orders.armed is not None
        self._orders = self._orders.noted(fact)
        self._wait(fact, now)
        event = self._moved(self._fallback.after(fact, round_open=check.state.round.opened, armed=armed), now)
        if isinstance(fact, ReaderInspected):
            self._inspected(now)
        return event or self._missed_inspection(check, now)

    def look(self, check: Check, round_number: int) -> None:
        """Give the order that is right now, if it is a new one and the reader can hear it."""
        if not self._fallback.ready:
            return
        self._orders, order = self._orders.after(check, round_number)
        if order is not None:
            self._give(order)

    def word(self, word: Word, check: Check) -> Accepted | ReaderInspected | Refused:
        """A supervisor's word on the reader."""
        if isinstance(word, ReaderInspected):
            return self._not_now(check) or word
        answer = self._fallback.said(word, round_open=check.state.round.opened)
        if isinstance(answer, str):
            return Refused(word.name, answer)
        self._fallback = answer
        return Accepted(word)

    def deadline(self, check: Check) -> int | None:
        """When `pass_time` is to be called, unless something is heard before; None where nothing is waited for."""
        times = [self._answer_by] if self._owes_answer else []
        if not check.state.round.opened:
            if self._test_at is not None:
                times.append(self._test_at)
            if self._inspection is not None and self._fallback.inspected:
                times.append(self._inspection.holds_until)
        return min(times, default=None)

    def pass_time(self, check: Check, now: int) -> TableEvent | None:
        """The event that follows because nothing was heard until now; a test is asked for where it is time for it."""
        if self._owes_answer and now >= self._answer_by:
            if self._called:
                return self._moved(self._fallback.out("no-verdict"), now)
            self._called, self._answer_by = True, now + _LAST_CALL_NS
            return None
        if self._test_at is not None and not check.state.round.opened and now >= self._test_at:
            self._test_at = now + max(self._hold_ns, _TEST_AGAIN_NS)
            self._fallback = self._fallback.asked_to_test()
            self._give(SelfTest())
        return self._missed_inspection(check, now)

    def _not_now(self, check: Check) -> Refused | None:
        """Why the reader cannot be inspected now: its own test belongs to that, and it does none during a round."""
        why = "a round is open" if check.state.round.opened else "" if self._fallback.ready else "its link is not up"
        return Refused(ReaderInspected.name, f"inspected: the reader cannot test itself now, {why}") if why else None

    def _inspected(self, now: int) -> None:
        if self._inspection is not None:
            self._inspection = self._inspection.renewed(now)
        if not self._fallback.faulted:
            self._give(SelfTest())

    def _missed_inspection(self, check: Check, now: int) -> TableEvent | None:
        """The event where the inspection holds no longer: a round that is open is still one of the day before."""
        inspection = self._inspection
        if inspection is None or check.state.round.opened or now < inspection.holds_until:
            return None
        return self._moved(self._fallback.overdue(), now) if self._fallback.inspected else None

    @property
    def _owes_answer(self) -> bool:
        return self._reading.begun and self._fallback.ready and not self._fallback.faulted

    def _wait(self, fact: Fact, now: int) -> None:
        """The time for an answer runs from the seating, and anew once a link that was lost is up again."""
        self._reading = self._reading.after(fact)
        match fact:
            case DeviceReported(device="reader", report="seated") | LinkChanged(device="reader", now="ready"):
                self._called, self._answer_by = False, now + _ANSWER_NS

    def _moved(self, result: tuple[Fallback, TableEvent | None], now: int) -> TableEvent | None:
        self._fallback, event = result
        if not self._fallback.on_trial:
            self._test_at = None
        elif self._test_at is None:
            self._test_at = now + self._hold_ns
        return event


def _of_another_round(facts: Sequence[Fact], round_number: int) -> bool:
    """Whether it is a reading that the reader tells of another round."""
    told = [fact.data.get("round") for fact in facts if isinstance(fact, DeviceReported) and fact.report == "verdict"]
    return any(number != round_number for number in told)
