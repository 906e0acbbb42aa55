"""The host's session with a scripted device: silence, greetings, pings, and orders with their answers."""

from __future__ import annotations

import tdl_device as device
from tdl_device import Device
from tdl_host import START, Host, joined

from protocols.device_session import Ended
from protocols.orders import Lock, PeekArm

HELLO, COMMAND, PING = 0x40, 0x52, 0x53


def test_silence_stalls_the_link_then_loses_it() -> None:
    shoe = Device()
    host = joined(shoe)
    host.after(1499)
    assert host.states[-1] == "ready"
    host.after(1)
    assert host.states[-1] == "stalled"
    host.feed(shoe.status())
    assert host.states[-1] == "ready"
    host.after(2999)
    assert not host.ended
    host.after(1)
    ended = host.outputs[-1]
    assert isinstance(ended, Ended)
    assert (ended.kind, ended.again) == ("wedged", host.now)
    assert host.feed(shoe.status()) == b""


def test_damaged_and_forged_frames_break_no_silence() -> None:
    shoe = Device()
    host = joined(shoe)
    for _ in range(4):
        host.after(500)
        host.feed(device.wire(0x11, 1000, b"x" * 41, b"wrong key") + b"\0noise\0" + shoe.beacon())
    assert host.states[-1] == "stalled"


def test_hello_is_said_again_until_the_line_is_given_up() -> None:
    host = Host()
    assert len(device.messages(host.connect())) == 1
    said = host.after(2999)
    assert [kind for kind, _ in device.messages(said)] == [HELLO, HELLO]
    host.after(1)
    ended = host.outputs[-1]
    assert isinstance(ended, Ended)
    assert ended.detail == "it does not answer"


def test_a_device_that_only_sends_beacons_is_told_apart() -> None:
    host = Host()
    host.connect()
    host.feed(Device().beacon())
    host.after(3000)
    ended = host.outputs[-1]
    assert isinstance(ended, Ended)
    assert ended.detail == "it sends beacons, but does not answer"


def test_a_device_that_answers_both_hellos_gets_both_auths() -> None:
    shoe, host = Device(), Host()
    first = host.connect()
    again = host.after(1000)
    ident = shoe.hear(first)
    shoe.nonce = b"\x55" * 16
    second = shoe.hear(again)
    host.feed(ident)
    host.talk(shoe, host.feed(second))
    assert host.states[-1] == "ready"


def test_a_ping_each_second() -> None:
    shoe = Device()
    host = joined(shoe)
    said = b""
    for _ in range(30):
        said += host.after(100)
        host.feed(shoe.status())
    pings = [int.from_bytes(body, "little") for kind, body in device.messages(said) if kind == PING]
    assert pings == [1000, 2000, 3000]


def test_an_order_is_answered() -> None:
    shoe = Device()
    host = joined(shoe)
    cid = host.session.command(PeekArm(12, "ace"))
    host.feed(shoe.hear(host.after(0)))
    assert host.answers == [(cid, "ok")]
    assert shoe.told(COMMAND)[-1][2:] == bytes.fromhex("100c000000010114")


def test_an_unanswered_order_is_asked_three_times_under_one_number() -> None:
    shoe = Device()
    host = joined(shoe)
    cid = host.session.command(Lock(True))
    said = host.after(899)
    asked = [body for kind, body in device.messages(said) if kind == COMMAND]
    assert asked == [cid.to_bytes(2, "little") + b"\x04\x01"] * 3
    assert host.answers == []
    host.after(1)
    assert host.answers == [(cid, "no_answer")]


def test_a_late_answer_is_one_and_a_second_one_is_none() -> None:
    shoe = Device()
    host = joined(shoe)
    cid = host.session.command(Lock(True))
    asked = host.after(400)
    host.feed(shoe.hear(asked))
    assert host.answers == [(cid, "ok")]
    host.after(900)
    assert host.answers == [(cid, "ok")]


def test_a_lost_line_answers_what_was_asked() -> None:
    host = joined(Device())
    cid = host.session.command(Lock(True))
    assert [getattr(output, "cid", None) for output in host.session.disconnect(host.now)] == [cid]
    assert not host.session.is_ready


def test_no_two_sessions_begin_with_the_same_command_number() -> None:
    shoe = Device()
    first = joined(shoe).session.command(Lock(True))
    host = Host(START)
    host.lines = 7
    host.talk(shoe)
    assert host.session.command(Lock(True)) != first
