"""The table and its reader as time passes: an answer that is owed, an arm that has run out, the way back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import time

import pytest

from controller.fallback import Fallback
from controller.inputs import Accepted, Refused
from controller.inspection import Inspection
from controller.reader_care import ReaderCare
from protocols.cards import Card
from protocols.dealing.check import Check
from protocols.events import (
    CardDrawn,
    LogHeader,
    ReaderFaulted,
    ReaderPeeked,
    ReaderRestored,
    RoundClosed,
    RoundOpened,
    TableEvent,
)
from protocols.hidden import hide, hide_text
from protocols.orders import Order, PeekArm, SelfTest
from protocols.records import DeviceReported, Fact, LinkChanged, Ordered, ReaderInspected, SystemNoted

S = 1_000_000_000
HEADER = LogHeader(procedure="nd-card-reader", observes=("positions", "faces", "signals"))
UP = LinkChanged("reader", "opening", "ready")
LOST = LinkChanged("reader", "ready", "lost")
SEATED = DeviceReported("reader", "seated", {"round": 1})
ANSWER = (DeviceReported("reader", "verdict", {"round": 1, "tries": 1}), ReaderPeeked(result=hide_text("natural")))
INSPECTED = ReaderInspected("i-1", "supervisor", "F. Person")
NOT_INSPECTED = ReaderFaulted(code="not-inspected")
PASSED = DeviceReported("reader", "self-test", {"result": 0, "bits": 0})
DEAL: tuple[Fact, ...] = (
    RoundOpened(boxes=(1,)),
    CardDrawn(card=Card("9", "s"), to="box:1", face="up"),
    CardDrawn(card=Card("K", "s"), to="dealer", face="up"),
    CardDrawn(card=Card("9", "d"), to="box:1", face="up"),
    CardDrawn(card=hide(Card("7", "c")), to="dealer", face="down"),
)


class Table:
    """The table around its reader: what it is told, at which second, and what follows."""

    def __init__(
        self, restore: str = "supervisor", *, hold_s: float = 10.0, inspection: Inspection | None = None
    ) -> None:
        self.orders: list[Order] = []
        self.made: list[TableEvent] = []
        self.check = Check.start(HEADER)
        self.care = ReaderCare(Fallback(restore), self.orders.append, inspection, hold_s)  # type: ignore[arg-type]

    def told(self, at: float, *facts: Fact) -> None:
        for fact in self.care.heard(facts, self.check.state.round.number):
            self._enter(fact, int(at * S))

    def passes(self, at: float) -> None:
        event = self.care.pass_time(self.check, int(at * S))
        if event:
            self.made.append(event)
            self._enter(event, int(at * S))

    def _enter(self, fact: Fact, now: int) -> None:
        if isinstance(fact, TableEvent):
            self.check, _ = self.check.step(fact)
        event = self.care.after(fact, self.check, now)
        if event is None:
            self.care.look(self.check, self.check.state.round.number)
        else:
            self.made.append(event)
            self._enter(event, now)

    @property
    def deadline_s(self) -> float | None:
        deadline = self.care.deadline(self.check)
        return None if deadline is None else deadline / S


def dealt(restore: str = "supervisor") -> Table:
    table = Table(restore)
    table.told(0, UP, *DEAL)
    assert table.orders == [PeekArm(1, "ten")]
    return table


def test_a_reader_that_owes_an_answer_for_two_seconds_is_out_and_its_answer_comes_too_late() -> None:
    table = dealt()
    assert table.deadline_s is None
    table.told(10, SEATED)
    assert table.deadline_s == 12
    table.passes(11.9)
    assert table.made == []
    table.passes(12)
    table.passes(12.1)
    assert table.made == [ReaderFaulted(code="no-verdict")]
    assert table.deadline_s is None
    assert table.care.heard(ANSWER, 1) == [ANSWER[0]]
    table.told(13, *ANSWER)
    assert table.check.state.round.play is not None
    assert table.check.state.round.play.peeks == ()


@pytest.mark.parametrize("answer", [ANSWER, (ANSWER[0], ReaderPeeked(result=hide_text("error")))])
def test_an_answer_in_time_is_an_answer(answer: tuple[Fact, ...]) -> None:
    table = dealt()
    table.told(10, SEATED)
    table.told(11, *answer)
    assert table.deadline_s is None
    assert table.check.state.round.play is not None
    assert len(table.check.state.round.play.peeks) == 1


def test_whoever_was_held_up_itself_listens_before_it_judges() -> None:
    table = dealt()
    table.told(10, SEATED)
    table.passes(14)
    assert table.made == []
    assert table.deadline_s == 14.1
    table.told(14.05, *ANSWER)
    assert table.made == []
    assert table.deadline_s is None


def test_the_time_for_an_answer_begins_anew_with_a_link_that_comes_back() -> None:
    table = Table()
    table.told(0, *DEAL, SEATED)
    assert table.deadline_s is None
    table.told(30, UP)
    assert table.deadline_s == 32


@pytest.mark.parametrize(("facts", "peeks"), [((SEATED, LOST), 0), ((LOST,), 1)])
def test_an_answer_comes_too_late_where_the_reader_was_given_up_with_the_cards_in_it(
    facts: Iterable[Fact], peeks: int
) -> None:
    table = dealt()
    table.told(1, *facts)
    assert table.made == [ReaderFaulted(code="link-lost")]
    again = Table()
    again.care.resume([*DEAL, *facts, *table.made])
    for each in (table.care, again.care):
        heard = each.heard(ANSWER, 1)
        assert sum(isinstance(fact, ReaderPeeked) for fact in heard) == peeks


def test_a_reading_that_is_told_late_does_not_count_for_another_round() -> None:
    care = Table().care
    assert care.heard(ANSWER, 1) == list(ANSWER)
    assert care.heard(ANSWER, 2) == [ANSWER[0]]


@pytest.mark.parametrize("number", [0, 1])
def test_a_refused_peek_is_armed_for_again_until_the_reader_is_taken_to_have_failed(number: int) -> None:
    table = dealt()
    refused = DeviceReported("reader", "peek-refused", {"round": number, "reason": 3})
    for tries in (1, 2):
        table.told(20 + tries, refused, Ordered("reader", "peek_arm", {"round": 1}, "peek_arm-1", "ok"))
        assert table.orders == [PeekArm(1, "ten")] * (tries + 1)
    table.told(30, refused)
    assert table.made == [ReaderFaulted(code="peek-refused")]


def test_a_peek_of_a_round_before_that_was_refused_changes_nothing() -> None:
    table = dealt()
    table.told(1, DeviceReported("reader", "peek-refused", {"round": 7, "reason": 3}))
    assert table.orders == [PeekArm(1, "ten")]


def test_a_reader_that_has_started_anew_is_armed_again() -> None:
    table = dealt()
    table.told(1, DeviceReported("reader", "boot", {"reason": 1, "unclean": 1}))
    assert table.orders == [PeekArm(1, "ten")] * 2


@pytest.mark.parametrize("restore", ["automatic", "supervisor"])
def test_the_way_back_takes_ten_seconds_and_a_test(restore: str) -> None:
    table = Table(restore)
    table.told(0, UP)
    table.told(5, LOST)
    assert table.deadline_s is None
    table.told(6, UP)
    assert table.deadline_s == 16
    table.told(9, LinkChanged("reader", "ready", "stalled"), LinkChanged("reader", "stalled", "ready"))
    assert table.deadline_s == 19
    table.passes(18)
    assert table.orders == []
    table.passes(19)
    assert table.orders == [SelfTest()]
    assert ReaderRestored() not in table.made
    assert isinstance(table.care.word(ReaderRestored(), table.check), Refused)
    table.told(19.2, PASSED)
    assert (ReaderRestored() in table.made) is (restore == "automatic")
    assert table.deadline_s is None
    if restore == "supervisor":
        assert table.care.word(ReaderRestored(), table.check) == Accepted(ReaderRestored())
        assert table.care.fallback.state == "peek"


def test_a_test_without_an_answer_is_asked_for_again() -> None:
    table = Table("automatic", hold_s=1.0)
    table.told(0, UP, LOST, UP)
    table.passes(1)
    assert table.deadline_s == 2
    table.passes(2)
    assert table.orders == [SelfTest()] * 2


def test_no_test_is_asked_for_in_a_round() -> None:
    table = Table("automatic")
    table.told(0, UP, RoundOpened(boxes=(1,)), LOST, UP)
    assert table.deadline_s is None
    table.told(60, RoundClosed())
    assert table.deadline_s == 10
    table.passes(60)
    assert table.orders == [SelfTest()]


def inspected(hold_s: float = 10.0) -> Table:
    """A table whose reader's inspection holds for a hundred seconds yet; its link is up."""
    table = Table(hold_s=hold_s, inspection=Inspection(time(6), 100 * S))
    table.told(0, UP)
    return table


def test_a_reader_that_was_not_inspected_is_out_before_the_first_round() -> None:
    table = Table(inspection=Inspection(time(6), 0))
    table.told(1, SystemNoted("start"), RoundOpened(boxes=(1,)))
    assert table.made == [NOT_INSPECTED]


def test_an_inspection_holds_until_the_day_ends_and_no_timer_runs_in_a_round() -> None:
    table = inspected()
    assert table.deadline_s == 100
    table.passes(99)
    assert table.made == []
    table.told(99, *DEAL)
    assert table.deadline_s is None
    table.told(101, SEATED, *ANSWER)
    assert table.made == []
    table.told(102, RoundClosed())
    assert table.made == [NOT_INSPECTED]
    assert table.deadline_s is None


def test_an_inspection_ends_by_itself_at_a_table_where_nothing_happens() -> None:
    table = inspected()
    table.passes(100)
    assert table.made == [NOT_INSPECTED]


def test_an_inspection_and_a_passed_test_bring_the_reader_back() -> None:
    table = inspected(hold_s=1.0)
    table.passes(100)
    assert table.care.word(INSPECTED, table.check) == INSPECTED
    table.told(101, INSPECTED)
    assert table.deadline_s == 102
    table.passes(102)
    assert table.orders == [SelfTest()]
    table.told(102.5, PASSED)
    assert table.made == [NOT_INSPECTED, ReaderRestored()]
    assert table.deadline_s is not None
    assert table.deadline_s <= 101 + 25 * 3600


def test_an_inspection_of_a_reader_in_use_has_it_test_itself_and_a_failure_counts() -> None:
    table = inspected()
    table.told(50, INSPECTED)
    assert table.orders == [SelfTest()]
    table.told(51, DeviceReported("reader", "self-test", {"result": 1, "bits": 1}))
    assert table.made == [ReaderFaulted(code="self-test")]


@pytest.mark.parametrize(
    ("facts", "why"), [((UP, RoundOpened(boxes=(1,))), "a round is open"), ((), "its link is not up")]
)
def test_a_reader_that_cannot_test_itself_now_is_not_inspected_now(facts: Iterable[Fact], why: str) -> None:
    table = Table()
    table.told(1, *facts)
    refused = Refused("inspected", f"inspected: the reader cannot test itself now, {why}")
    assert table.care.word(INSPECTED, table.check) == refused
