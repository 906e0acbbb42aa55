"""Peek, no peek, restore pending: every way between them, ordered among the rounds."""

from __future__ import annotations

import pytest

from controller.fallback import Fallback
from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundClosed, RoundOpened, TableEvent
from protocols.records import Fact, LinkChanged, LinkState

UP = LinkChanged("reader", "opening", "ready")


def down(now: LinkState = "lost") -> LinkChanged:
    return LinkChanged("reader", "ready", now)


def played(machine: Fallback, *facts: tuple[Fact, bool]) -> tuple[Fallback, list[TableEvent]]:
    """The machine after these facts (each with whether a round is open then), and the events it made."""
    made: list[TableEvent] = []
    for fact, round_open in facts:
        machine, events = machine.after(fact, round_open=round_open)
        made += events
    return machine, made


@pytest.mark.parametrize("now", ["absent", "lost", "refused", "stalled"])
def test_a_reader_that_is_not_ready_is_out_at_once_and_once(now: LinkState) -> None:
    machine, made = played(Fallback(ready=True), (down(now), True), (down("absent"), True))
    assert made == [ReaderFaulted(code=f"link-{now}")]
    assert machine.state == "no-peek"


def test_a_start_is_no_fault_until_the_reader_cannot_be_had() -> None:
    opening = LinkChanged("reader", "absent", "opening")
    machine, made = played(
        Fallback(), (opening, False), (LinkChanged("reader", "opening", "handshake"), False), (UP, False)
    )
    assert made == []
    assert machine.state == "peek"
    assert played(Fallback(), (opening, False), (LinkChanged("reader", "opening", "absent"), False))[1]


def test_it_comes_back_only_between_rounds_and_by_a_supervisors_word() -> None:
    machine, _ = played(Fallback(ready=True), (down(), True), (UP, True), (RoundClosed(), False))
    assert machine.state == "restore pending"
    machine, events = machine.want_back(round_open=True)
    assert events == ()
    machine, made = played(machine, (RoundClosed(), False))
    assert made == [ReaderRestored()]
    assert machine.state == "peek"


def test_a_word_given_before_it_fails_again_does_not_count() -> None:
    machine, _ = played(Fallback(ready=True), (down(), True), (UP, True))
    machine, _ = machine.want_back(round_open=True)
    machine, made = played(machine, (down(), True), (UP, True), (RoundClosed(), False))
    assert made == []
    assert machine.state == "restore pending"


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


def test_a_supervisor_may_put_it_out_and_is_told_why_it_cannot_come_back() -> None:
    machine, made = Fallback(ready=True).put_out()
    assert made == (ReaderFaulted(code="supervisor"),)
    assert machine.objection() is None
    assert Fallback(ready=True).objection() == "the reader is in use"
    assert Fallback(faulted=True).objection() == "the reader's link is not up"


def test_other_devices_do_not_concern_it() -> None:
    assert played(Fallback(ready=True), (LinkChanged("shoe", "ready", "lost"), True))[1] == []
