"""Peek, no peek, restore pending: every way between them, ordered among the rounds."""

from __future__ import annotations

import pytest

from controller.fallback import Fallback
from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundClosed, RoundOpened, TableEvent
from protocols.records import DeviceReported, Fact, LinkChanged, LinkState, Ordered, ReaderInspected

UP = LinkChanged("reader", "opening", "ready")
BOOT = DeviceReported("reader", "boot", {"reason": 0, "unclean": 0})
ON_TRIAL = "reader.restored: the reader has first to be sound for a while and then to pass its own test"
STALE = DeviceReported("reader", "stale", {"age_s": 2.0, "max_age_s": 2.0})
NEWS = DeviceReported("reader", "fresh", {"away_s": 3.1})
INSPECTED = ReaderInspected("i-1", "supervisor", "F. Person")
REFUSED = DeviceReported("reader", "peek-refused", {"round": 3, "reason": 3})


def down(now: LinkState = "lost") -> LinkChanged:
    return LinkChanged("reader", "ready", now)


def fault(code: str = "tdl-22", severity: str = "fault") -> DeviceReported:
    return DeviceReported("reader", "error", {"code": code, "error": "light", "severity": severity, "detail": 0})


def cleared(code: str = "tdl-22") -> DeviceReported:
    return DeviceReported("reader", "error-cleared", {"code": code, "error": "light", "severity": "fault", "by": 0})


def self_test(result: int = 0) -> DeviceReported:
    return DeviceReported("reader", "self-test", {"result": result, "bits": 0})


def played(machine: Fallback, *facts: tuple[Fact, bool], armed: bool = False) -> tuple[Fallback, list[TableEvent]]:
    """The machine after these facts (each with whether a round is open then), and the events it made."""
    made: list[TableEvent] = []
    for fact, round_open in facts:
        machine, event = machine.after(fact, round_open=round_open, armed=armed)
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
    assert machine.said(ReaderRestored(), round_open=False) == ON_TRIAL
    machine, made = played(machine.asked_to_test(), (self_test(), False))
    assert made == []
    back = machine.said(ReaderRestored(), round_open=False)
    assert isinstance(back, Fallback)
    assert back.state == "peek"
    assert back.said(ReaderRestored(), round_open=False) == "reader.restored: the reader is in use"


def test_a_supervisor_may_put_it_out() -> None:
    out = Fallback(ready=True).said(ReaderFaulted(), round_open=True)
    assert isinstance(out, Fallback)
    assert out.state == "restore pending"
    assert out.said(ReaderFaulted(), round_open=True) == "reader.faulted: the reader is out already"


def test_one_that_a_supervisor_put_out_does_not_come_back_by_itself() -> None:
    out = Fallback("automatic", ready=True).said(ReaderFaulted(), round_open=False)
    assert isinstance(out, Fallback)
    assert not out.returns_by_itself
    tested, made = played(out.asked_to_test(), (self_test(), False))
    assert made == []
    back = tested.said(ReaderRestored(), round_open=False)
    assert isinstance(back, Fallback)
    assert played(back, (down(), False), (UP, False))[0].returns_by_itself


def test_automatic_restore_wants_a_test_that_was_asked_for_and_waits_for_the_rounds_end() -> None:
    machine, made = played(Fallback("automatic", ready=True), (down(), True), (UP, True), (self_test(), False))
    assert made == [ReaderFaulted(code="link-lost")]
    machine, made = played(machine.asked_to_test(), (self_test(), True))
    assert made == []
    machine, made = played(machine, (RoundClosed(), False))
    assert made == [ReaderRestored()]
    assert machine == Fallback("automatic", ready=True)


@pytest.mark.parametrize("spoilt", [(self_test(1),), (down("stalled"), UP), (fault(), cleared()), (BOOT,)])
def test_what_comes_between_spoils_the_test(spoilt: tuple[Fact, ...]) -> None:
    machine, _ = played(Fallback("automatic", ready=True), (down(), True), (UP, True))
    machine, _ = played(machine.asked_to_test(), *((fact, True) for fact in spoilt), (self_test(), True))
    assert played(machine, (RoundClosed(), False))[1] == []
    assert machine.on_trial


def test_a_table_on_a_supervisors_word_never_restores_by_itself() -> None:
    machine, _ = played(Fallback(ready=True), (down(), True), (UP, True))
    assert played(machine.asked_to_test(), (self_test(), False))[1] == []


def test_it_is_not_back_while_any_of_its_faults_stands() -> None:
    machine, made = played(Fallback("automatic", ready=True), (fault("tdl-22"), True), (fault("tdl-23"), True))
    assert made == [ReaderFaulted(code="tdl-22")]
    for error, why in [("tdl-23", "tdl-22, tdl-23 is"), ("tdl-22", "tdl-22 is")]:
        assert machine.state == "no-peek"
        assert not machine.on_trial
        told = machine.said(ReaderRestored(), round_open=False)
        assert told == f"reader.restored: the reader's fault {why} not cleared"
        machine, _ = played(machine, (cleared(error), False))
    assert machine.on_trial
    machine, made = played(machine.asked_to_test(), (self_test(), False))
    assert made == [ReaderRestored()]


def test_a_fault_outlives_a_lost_link_and_not_a_new_start() -> None:
    machine, _ = played(Fallback(ready=True), (fault(), False), (down(), False), (UP, False))
    assert machine.state == "no-peek"
    assert played(machine, (BOOT, False))[0].state == "restore pending"


def test_what_the_journal_holds_of_its_faults_stands() -> None:
    machine = Fallback("automatic", cause="", ready=True).recall([fault("tdl-22"), fault("tdl-20", "retry")])
    assert machine.standing == {"tdl-22"}


def test_three_failed_readings_in_a_round_are_a_failure() -> None:
    error = ReaderPeeked(result="error")
    once = Fallback(ready=True)
    assert played(once, (error, True), (error, True))[1] == []
    assert played(once, (error, True), (error, True), (error, True))[1] == [ReaderFaulted(code="unreadable")]
    assert played(once, (error, True), (error, True), (RoundOpened(), True), (error, True))[1] == []


def test_three_refused_peeks_in_a_round_are_a_failure_where_it_was_to_answer() -> None:
    thrice = ((REFUSED, True), (REFUSED, True), (REFUSED, True))
    once = Fallback(ready=True)
    assert played(once, *thrice[1:], armed=True)[1] == []
    assert played(once, *thrice, armed=True)[1] == [ReaderFaulted(code="peek-refused")]
    assert played(once, *thrice, armed=False)[1] == []
    assert played(once, *thrice[1:], (RoundOpened(), True), *thrice[2:], armed=True)[1] == []


@pytest.mark.parametrize("answer", ["no_answer", "no_link", "denied", "failed", "wrong_state"])
def test_a_reader_that_is_not_armed_is_out(answer: str) -> None:
    refused = Ordered("reader", "peek_arm", {"round": 3, "up": "ace"}, "3", answer)
    assert played(Fallback(ready=True), (refused, True))[1] == [ReaderFaulted(code=f"arm-{answer}")]


@pytest.mark.parametrize(("severity", "out"), [("fault", True), ("retry", False), ("info", False)])
def test_an_error_of_the_reader_that_stops_it_puts_it_out(severity: str, out: bool) -> None:
    made = played(Fallback(ready=True), (fault("tdl-22", severity), True))[1]
    assert made == ([ReaderFaulted(code="tdl-22")] if out else [])


def test_a_test_that_fails_puts_it_out() -> None:
    assert played(Fallback(ready=True), (self_test(1), False))[1] == [ReaderFaulted(code="self-test")]
    assert played(Fallback(ready=True), (self_test(0), False))[1] == []


def test_other_devices_do_not_concern_it() -> None:
    shoe = (LinkChanged("shoe", "ready", "lost"), DeviceReported("shoe", "error", fault().data))
    assert played(Fallback(ready=True), *((fact, True) for fact in shoe))[1] == []


def test_data_that_is_too_old_is_a_failure_while_the_link_is_up() -> None:
    machine, made = played(Fallback("automatic", ready=True), (STALE, True))
    assert made == [ReaderFaulted(code="stale")]
    assert (machine.ready, machine.state) == (True, "no-peek")
    assert machine.said(ReaderRestored(), round_open=False) == "reader.restored: the reader tells nothing new"
    machine, made = played(machine, (down(), True), (UP, True))
    assert (made, machine.state) == ([], "no-peek")
    machine, made = played(machine, (NEWS, True))
    assert (made, machine.state) == ([], "restore pending")


def test_a_reader_that_has_no_test_comes_back_by_a_word_only() -> None:
    unsupported = Ordered("reader", "self_test", {}, "self_test", "unsupported")
    for restore in ("supervisor", "automatic"):
        machine, _ = played(Fallback(restore, ready=True), (down(), False), (UP, False), (unsupported, False))
        assert machine.on_trial
        machine, made = played(machine.asked_to_test(), (unsupported, False), (RoundClosed(), False))
        assert (made, machine.on_trial) == ([], False)
        assert isinstance(machine.said(ReaderRestored(), round_open=False), Fallback)


def test_a_missing_inspection_is_mended_by_the_inspection_and_a_test() -> None:
    machine, made = Fallback(ready=True).overdue()
    assert made == ReaderFaulted(code="not-inspected")
    why = "reader.restored: the reader was not inspected on this gaming day"
    assert machine.said(ReaderRestored(), round_open=False) == why
    machine, events = played(machine.asked_to_test(), (self_test(), False), (INSPECTED, False))
    assert (events, machine.on_trial) == ([], True)
    machine, events = played(machine.asked_to_test(), (self_test(), False))
    assert events == [ReaderRestored()]


def test_an_inspection_is_no_word_for_a_reader_that_failed() -> None:
    machine, _ = played(Fallback(ready=True), (down(), False), (UP, False))
    machine, made = machine.overdue()
    assert made is None
    machine, events = played(machine, (INSPECTED, False))
    machine, events = played(machine.asked_to_test(), (self_test(), False))
    assert events == []
    assert isinstance(machine.said(ReaderRestored(), round_open=False), Fallback)
