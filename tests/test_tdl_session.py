"""The host's session with a scripted device: each event once, acknowledged when stored."""

from __future__ import annotations

import hashlib

import pytest
import tdl_device as device
from hypothesis import given
from hypothesis import strategies as st
from tdl_device import Device
from tdl_host import Host, draws, joined

from protocols.device_session import Ended
from protocols.wire.tdl.position import Position

HELLO, AUTH, ACK, RESEND, COMMAND, PING = 0x40, 0x41, 0x50, 0x51, 0x52, 0x53


def number(body: bytes) -> int:
    return int.from_bytes(body[:4], "little")


def acks(line: bytes) -> list[int]:
    return [number(body) for kind, body in device.messages(line) if kind == ACK]


def resends(line: bytes) -> list[int]:
    return [number(body) for kind, body in device.messages(line) if kind == RESEND]


def test_a_session_begins_and_catches_up() -> None:
    shoe = Device()
    draws(shoe, [1, 2, 3])
    host = joined(shoe)
    assert [kind for kind, _ in shoe.heard] == [HELLO, AUTH, RESEND, COMMAND]
    assert host.states == ["handshake", "ready"]
    assert (host.numbers, host.late) == ([1, 2, 3], [True, True, True])
    host.feed(draws(shoe, [4])[0])
    assert (host.numbers[-1], host.late[-1]) == (4, False)


def test_nothing_is_acknowledged_before_it_is_stored() -> None:
    shoe = Device()
    host = joined(shoe)
    for event in draws(shoe, [1, 2, 3]):
        host.feed(event)
    assert acks(host.said + host.after(400)) == []
    assert acks(host.store(2)) == [2]
    assert acks(host.store(3)) == [3]
    assert acks(host.after(400)) == []


def test_what_is_stored_while_no_line_is_up_is_acknowledged_on_the_next() -> None:
    shoe = Device()
    host = joined(shoe)
    host.feed(draws(shoe, [1])[0])
    host.session.disconnect(host.now)
    assert host.store(1) == b""
    host.talk(shoe)
    host.after(0)
    assert acks(host.said) == [1]
    assert host.numbers == [1]


def test_a_duplicate_has_no_effect_but_its_acknowledgement() -> None:
    shoe = Device()
    host = joined(shoe)
    (event,) = draws(shoe, [1])
    host.feed(event)
    host.store(1)
    host.feed(shoe.send(1))
    assert acks(host.after(0)) == [1]
    assert host.numbers == [1]
    assert host.session.counters.repeated == 1


def test_a_gap_is_asked_for_once_and_again_after_a_while() -> None:
    shoe = Device()
    host = joined(shoe)
    events = draws(shoe, [1, 2, 3, 4])
    assert resends(b"".join(host.feed(event) for event in events[1:])) == [1]
    assert host.numbers == []
    host.after(250)
    assert resends(host.feed(shoe.send(4))) == [1]
    host.feed(shoe.send(1) + shoe.send(2) + shoe.send(3) + shoe.send(4))
    assert host.numbers == [1, 2, 3, 4]
    assert host.session.counters.early == 4


def test_a_device_that_does_not_send_what_it_has_is_asked() -> None:
    shoe = Device()
    host = joined(shoe)
    draws(shoe, [1])
    assert resends(host.feed(shoe.status())) == []
    host.after(1000)
    host.talk(shoe, host.feed(shoe.status()))
    assert host.numbers == [1]


def test_a_restarted_daemon_goes_on_where_its_journal_ends() -> None:
    shoe = Device()
    first = joined(shoe)
    for event in draws(shoe, [1, 2, 3]):
        first.feed(event)
    again = joined(shoe, Position(2))
    assert again.numbers == [3]
    assert again.rebased == []
    assert again.alarms == []


def test_a_first_meeting_takes_the_oldest_event_as_its_base() -> None:
    shoe = Device()
    draws(shoe, range(1, 10))
    shoe.forget(before=6)
    host = joined(shoe, None)
    (rebased,) = host.rebased
    assert (rebased.eseq, rebased.lost, rebased.head) == (5, None, shoe.head_before)
    assert host.numbers == [6, 7, 8, 9]
    host.feed(draws(shoe, [10])[0] + shoe.status())
    assert host.alarms == []


def test_a_first_meeting_with_a_new_device_misses_nothing() -> None:
    host = joined(Device(), None)
    assert [(rebased.eseq, rebased.lost) for rebased in host.rebased] == [(0, None)]
    assert host.states[-1] == "ready"


@pytest.mark.parametrize("answers", [True, False])
def test_events_that_the_device_has_lost_are_counted(answers: bool) -> None:
    shoe = Device(answers_info=answers)
    draws(shoe, range(1, 10))
    shoe.forget(before=8)
    host = joined(shoe, Position(3))
    host.talk(shoe, host.after(900))
    (rebased,) = host.rebased
    assert (rebased.eseq, rebased.lost) == (7, 4)
    assert rebased.head == (shoe.head_before if answers else None)
    assert host.numbers == [8, 9]
    assert host.states[-1] == "ready"


def test_events_lost_while_online() -> None:
    shoe = Device()
    host = joined(shoe)
    draws(shoe, range(1, 10))
    shoe.forget(before=4)
    host.talk(shoe, host.feed(shoe.status()))
    assert [(rebased.eseq, rebased.lost) for rebased in host.rebased] == [(3, 3)]
    assert host.numbers == [4, 5, 6, 7, 8, 9]


def test_a_rollback_is_refused_and_told_once() -> None:
    shoe = Device()
    draws(shoe, range(1, 10))
    host = joined(shoe)
    assert host.numbers[-1] == 9
    older = Device(events=shoe.events[:4])
    for _ in range(3):
        host.session.disconnect(host.now)
        host.talk(older)
        ended = host.outputs[-1]
        assert isinstance(ended, Ended)
        assert (ended.kind, ended.again) == ("denied", host.now + 30_000_000_000)
        assert "from number 9 to 4" in ended.detail
        host.now += 30_000_000_000
    assert host.alarms == ["rollback"]


def test_the_chain_is_the_vectors_and_is_compared() -> None:
    shoe = Device(oldest=1001, head_before=bytes(32), boot=7)
    commit = device.commit_to(12, device.ACE_OF_SPADES, b"\x33" * 16)
    shoe.note(device.CARD, device.card(12, device.WITHHELD, flags=1, commit=commit))
    assert shoe.head.hex().startswith("810c024eb7f28ee3")
    assert Position(1000, bytes(32)).after(shoe.events[0]).head == shoe.head
    host = joined(shoe, Position(1000, bytes(32)))
    host.feed(shoe.status())
    assert host.alarms == []
    shoe.head_before = hashlib.sha256(b"another past").digest()
    host.feed(shoe.status() + shoe.status())
    assert host.alarms == ["head_mismatch"]
    assert host.session.is_ready


@pytest.mark.parametrize(("past", "alarms"), [(bytes(32), []), (b"\x09" * 32, ["head_mismatch"])])
def test_a_device_that_has_forgotten_what_the_host_knows_still_has_to_have_the_same_chain(
    past: bytes, alarms: list[str]
) -> None:
    shoe = Device()
    draws(shoe, [1, 2, 3])
    known = Position(2, Position(0, bytes(32)).after(shoe.events[0]).after(shoe.events[1]).head)
    shoe.head_before = past
    shoe.forget(3)
    host = joined(shoe, known)
    assert host.alarms == alarms
    assert host.numbers == [3]
    assert host.session.is_ready


def test_a_lost_thread_of_the_chain_is_taken_up_where_the_device_tells_it() -> None:
    shoe = Device()
    draws(shoe, range(1, 10))
    shoe.forget(before=6)
    host = joined(shoe, Position(5))
    shoe.events[-1] = shoe.events[-1][:-1] + b"x"
    host.feed(shoe.status())
    assert host.alarms == ["head_mismatch"]


def test_frames_of_an_older_session_are_refused() -> None:
    shoe = Device()
    host = joined(shoe)
    old = b"".join(draws(shoe, range(1, 12)))
    host.session.disconnect(host.now)
    host.talk(shoe)
    before = list(host.numbers)
    host.feed(old)
    assert host.numbers == before
    assert host.session.counters.unauthenticated == 11
    assert host.alarms == ["forged_frames"]


def test_a_frame_sent_twice_is_refused() -> None:
    shoe = Device()
    host = joined(shoe)
    (event,) = draws(shoe, [1])
    host.feed(event * 5)
    assert (host.numbers, host.session.counters.replayed) == ([1], 4)
    assert host.alarms == []


@given(st.integers(1, 2**31), st.integers(0, 2**31))
def test_a_counter_may_jump_forward_only(jump: int, back: int) -> None:
    shoe = Device()
    host = joined(shoe)
    shoe.counter += jump
    host.feed(draws(shoe, [1])[0])
    assert host.numbers == [1]
    shoe.counter = max(0, shoe.counter - 1 - back)
    host.feed(draws(shoe, [2])[0])
    assert host.numbers == [1]


def test_what_is_in_clear_after_the_handshake_is_refused_but_a_beacon_is_no_forgery() -> None:
    shoe = Device()
    host = joined(shoe)
    host.feed(device.wire(0x10, 99, b"x" * 13) + shoe.beacon() * 20)
    assert host.session.counters.unauthenticated == 1
    assert host.alarms == []
    assert host.numbers == []


@given(st.data())
def test_any_split_of_a_session_is_the_same_session(data: st.DataObject) -> None:
    shoe, host = Device(), Host()
    line = host.connect()
    while line:
        answer = shoe.hear(line)
        if shoe.to_host and shoe.last < 6:
            answer += draws(shoe, [shoe.last + 1, shoe.last + 2])[0] + shoe.send(shoe.last)
        cut = data.draw(st.integers(0, len(answer)))
        line = host.feed(answer[:cut]) + host.feed(answer[cut:])
        line += host.store(max([n for n in host.numbers if n], default=0)) if shoe.last < 6 else b""
    assert host.numbers == list(range(1, shoe.last + 1))
    assert host.session.counters.damaged == 0


@given(st.integers(0, 2000))
def test_every_prefix_of_a_session_does_no_harm(length: int) -> None:
    """The line falls after any byte; the next one brings whatever is missing, and nothing twice."""
    shoe, host = Device(), Host()
    draws(shoe, range(1, 9))
    line, left = host.connect(), length
    while line and left > 0:
        answer = shoe.hear(line)
        line, left = host.feed(answer[:left]), left - len(answer)
    host.session.disconnect(host.now)
    shoe.nonce = b"\x44" * 16
    host.talk(shoe)
    assert host.numbers == list(range(1, 9))
    assert host.states[-1] == "ready"


@given(st.binary(min_size=1, max_size=40), st.integers(0, 10_000))
def test_garbage_in_a_session_costs_nothing_that_is_not_sent_again(garbage: bytes, at: int) -> None:
    shoe = Device()
    host = joined(shoe)
    line = b"".join(draws(shoe, range(1, 9)))
    at %= len(line)
    host.feed(line[:at] + garbage + line[at:])
    for _ in range(3):
        host.after(1000)
        host.talk(shoe, host.feed(b"\0" + shoe.status()))
    assert host.numbers == list(range(1, 9))
