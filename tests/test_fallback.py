"""Peek, no peek, restore pending: every way between them, ordered among the rounds."""

from __future__ import annotations

import pytest

from controller.fallback import Fallback
from controller.reader_care import of_this_round
from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundClosed, RoundOpened, TableEvent
from protocols.records import DeviceReported, Fact, LinkChanged, LinkState, Ordered

UP = LinkChanged("reader", "opening", "ready")


def down(now: LinkState = "lost") -> LinkChanged:
    return LinkChanged("reader", "ready", now)


def played(machine: Fallback, *facts: tuple[Fact, bool]) -> tuple[Fallback, list[TableEvent]]:
    """The machine after these facts (each with whether a round is open then), and the events it made."""
    made: list[TableEvent] = []
    for fact, round_open in facts:
        machine, event = machine.after(fact, round_open=round_open)
        made += [event] if event else []
    return machine, made


@pytest.mark.parametrize("now", ["absent", "lost", "refused", "stalled"])
def test_a_reader_that_is_not_ready_is_out_at_once_and_once(now: LinkState) -> None:
    machine, made = played(Fallback(ready=True), (down(now), True), (down("absent"), True))
    assert made == [ReaderFaulted(code=f"link-{now}")]
    assert machine.state == "no-peek"


def test_a_start_is_no_fault_until_the_reader_cannot_be_had() -> None:
    opening = LinkChanged("reader", "absent", "opening")
    shaking = LinkChanged("reader", "opening", "handshake")
    machine, made = played(Fallback(), (opening, False), (shaking, False), (UP, False))
    assert made == []
    assert machine.state == "peek"
    assert played(Fallback(), (opening, False), (LinkChanged("reader", "opening", "absent"), False))[1]


def test_it_comes_back_only_between_rounds_and_by_a_supervisors_word() -> None:
    machine, made = played(Fallback(ready=True), (down(), True))
    assert machine.said(ReaderRestored(), round_open=False) == "reader.restored: the reader's link is not up"
    machine, made = played(machine, (UP, True), (RoundClosed(), False))
    assert made == []
    assert machine.state == "restore pending"
    assert (
        machine.said(ReaderRestored(), round_open=True) == "reader.restored: the reader comes back between rounds only"
    )
    back = machine.said(ReaderRestored(), round_open=False)
    assert isinstance(back, Fallback)
    assert back.state == "peek"
    assert back.said(ReaderRestored(), round_open=False) == "reader.restored: the reader is in use"


def test_a_supervisor_may_put_it_out() -> None:
    out = Fallback(ready=True).said(ReaderFaulted(), round_open=True)
    assert isinstance(out, Fallback)
    assert out.state == "restore pending"
    assert out.said(ReaderFaulted(), round_open=True) == "reader.faulted: the reader is out already"


def test_automatic_restore_waits_for_the_rounds_end() -> None:
    machine, made = played(Fallback("automatic", ready=True), (down(), True), (UP, True))
    assert len(made) == 1
    assert played(machine, (RoundClosed(), False))[1] == [ReaderRestored()]


def test_three_failed_readings_in_a_round_are_a_failure() -> None:
    error = ReaderPeeked(result="error")
    once = Fallback(ready=True)
    assert played(once, (error, True), (error, True))[1] == []
    assert played(once, (error, True), (error, True), (error, True))[1] == [ReaderFaulted(code="unreadable")]
    assert played(once, (error, True), (error, True), (RoundOpened(), True), (error, True))[1] == []


@pytest.mark.parametrize("answer", ["no_answer", "no_link", "denied", "failed", "wrong_state"])
def test_a_reader_that_is_not_armed_is_out(answer: str) -> None:
    refused = Ordered("reader", "peek_arm", {"round": 3, "up": "ace"}, "3", answer)
    assert played(Fallback(ready=True), (refused, True))[1] == [ReaderFaulted(code=f"arm-{answer}")]


@pytest.mark.parametrize(("severity", "out"), [("fault", True), ("retry", False), ("info", False)])
def test_an_error_of_the_reader_that_stops_it_puts_it_out(severity: str, out: bool) -> None:
    error = DeviceReported("reader", "error", {"code": "tdl-22", "error": "light", "severity": severity, "detail": 0})
    assert played(Fallback(ready=True), (error, True))[1] == ([ReaderFaulted(code="tdl-22")] if out else [])


def test_other_devices_do_not_concern_it() -> None:
    assert played(Fallback(ready=True), (LinkChanged("shoe", "ready", "lost"), True))[1] == []


def test_a_reading_that_is_told_late_does_not_count_for_another_round() -> None:
    late = (DeviceReported("reader", "verdict", {"round": 3}), ReaderPeeked(result="natural"))
    assert of_this_round(late, 3) == late
    assert of_this_round(late, 4) == late[:1]
