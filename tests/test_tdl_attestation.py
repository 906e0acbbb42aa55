"""Attestation: on attach, at times that nobody can foresee, and what becomes of a device that does not pass."""

from __future__ import annotations

import tdl_device as device
from tdl_device import Device
from tdl_host import MS, START, Host, expecting, joined

from protocols.device_session import Answered, Ended, Heard
from protocols.orders import Attest, ConfirmGame
from protocols.records import SecurityNoted
from protocols.registry import Registry
from protocols.wire.tdl.attestation import Attested, Attester
from protocols.wire.tdl.session import HostSession

S = 1000 * MS
COMMAND, RESPONSE = 0x52, 0x12
CONFIG = 0x0E
SETTINGS, OTHERS = bytes(32), b"\x09" * 32


def known(settings: bytes | None, **more: bytes) -> Host:
    """A host that knows these settings from before; `approved`: those in its registry."""
    host = Host()
    registry = Registry(
        {device.SERIAL: {device.FIRMWARE: device.KEY}}, {device.SERIAL: more["approved"]} if more else {}
    )
    host.session = HostSession("shoe", expecting(registry=registry), START, attester=Attester(settings))
    return host


def attested(host: Host) -> list[Attested]:
    return [heard.report for heard in host.all(Heard) if isinstance(heard.report, Attested)]


def asked(shoe: Device) -> list[bytes]:
    """The nonces under which the host asked the device to attest."""
    return [body[3:] for body in shoe.told(COMMAND) if body[2] == 3]


def test_a_device_is_ready_once_it_has_attested() -> None:
    shoe, host = Device(), Host()
    line = shoe.hear(host.connect())
    for part in shoe.hear(host.feed(line)).split(b"\0\0"):
        assert "ready" not in host.states
        host.feed(b"\0" + part + b"\0")
    assert host.states == ["handshake", "ready"]
    assert attested(host) == [Attested(device.FIRMWARE, SETTINGS, 7)]
    assert [len(nonce) for nonce in asked(shoe)] == [16]


def test_a_device_that_catches_up_late_is_ready_then() -> None:
    shoe, host = Device(), Host()
    shoe.note(device.CARD, device.card(1, device.WITHHELD))
    line = shoe.hear(host.feed(shoe.hear(host.connect())))
    parts = [b"\0" + part + b"\0" for part in line.strip(b"\0").split(b"\0\0")]
    assert len(parts) == 3
    for part in (parts[0], parts[2]):
        host.feed(part)
    assert attested(host)
    assert "ready" not in host.states
    host.talk(shoe, host.after(1000))
    assert host.states == ["handshake"]
    host.talk(shoe, host.feed(shoe.status()) + host.feed(shoe.status()))
    assert host.states == ["handshake", "ready"]


def refused(host: Host, shoe: Device) -> str:
    """With which alarm the device was refused, its events kept."""
    host.talk(shoe)
    [ended] = host.all(Ended)
    assert ended.kind == "denied"
    assert ended.again - host.now == 30 * S
    assert "ready" not in host.states
    [alarm] = host.all(SecurityNoted)
    assert alarm.detail.startswith(device.SERIAL)
    return alarm.code


def test_a_device_without_its_key_is_refused() -> None:
    class Forger(Device):
        def attestation(self, nonce: bytes) -> bytes:
            return super().attestation(nonce)[:-1] + b"\x00"

    assert refused(Host(), Forger()) == "attestation_failed"


def test_an_answer_to_another_nonce_is_refused() -> None:
    class Replayer(Device):
        def attestation(self, nonce: bytes) -> bytes:
            return super().attestation(bytes(16))

    assert refused(Host(), Replayer()) == "attestation_failed"


def test_a_device_that_attests_another_firmware_than_it_was_let_in_with_is_refused() -> None:
    assert refused(Host(), Device(attests_to=bytes(32))) == "attestation_failed"


def test_a_device_that_attests_another_start_is_refused() -> None:
    class Twice(Device):
        def attestation(self, nonce: bytes) -> bytes:
            self.boot += 1
            return super().attestation(nonce)

    assert refused(Host(), Twice()) == "attestation_failed"


def test_a_device_that_cannot_attest_is_refused() -> None:
    class Plain(Device):
        def attestation(self, nonce: bytes) -> bytes:
            return b""

    assert refused(Host(), Plain()) == "attestation_failed"


def test_a_device_that_does_not_answer_is_given_up() -> None:
    class Mute(Device):
        def _obey(self, body: bytes) -> bytes:
            return b""

    host, shoe = Host(), Mute()
    host.talk(shoe)
    shoe.hear(host.after(900))
    assert len(asked(shoe)) == 3
    [ended] = host.all(Ended)
    assert (ended.kind, ended.again) == ("wedged", host.now)
    assert host.alarms == []


def test_settings_that_were_changed_without_a_word_are_refused() -> None:
    assert refused(known(SETTINGS), Device(settings=OTHERS)) == "settings_changed"
    host = known(SETTINGS)
    host.talk(Device(settings=SETTINGS))
    assert host.states[-1] == "ready"


def test_settings_are_held_against_those_of_the_line_before() -> None:
    shoe = Device()
    host = joined(shoe)
    host.session.disconnect(host.now)
    shoe.settings = OTHERS
    host.talk(shoe)
    assert host.alarms == ["settings_changed"]


def test_a_change_that_an_event_told_is_none() -> None:
    shoe = Device()
    host = joined(shoe)
    host.feed(shoe.note(CONFIG, bytes([3]) + bytes(4) + b"\x46\0\0\0"))
    shoe.settings = OTHERS
    host.session.disconnect(host.now)
    host.talk(shoe)
    assert host.alarms == []
    assert attested(host)[-1].settings == OTHERS


def changed(shoe: Device) -> bytes:
    """Somebody changes a setting: the event that tells it."""
    event = shoe.note(CONFIG, bytes([3]) + bytes(4) + b"\x46\0\0\0")
    shoe.settings = OTHERS
    return event


def test_a_change_whose_event_was_lost_is_asked_for() -> None:
    shoe = Device()
    host = joined(shoe)
    changed(shoe)
    cid = host.session.command(Attest())
    host.talk(shoe, host.after(0))
    assert host.alarms == []
    assert host.answers == [(cid, "busy")]
    assert attested(host)[-1].settings == OTHERS


def test_what_was_attested_before_a_change_is_not_held_against_what_comes_after() -> None:
    shoe = Device()
    host = joined(shoe)
    cid = host.session.command(Attest())
    shoe.hear(host.after(0))
    before = shoe.attestation(asked(shoe)[-1])
    host.feed(changed(shoe))
    host.talk(shoe, host.feed(shoe.say(RESPONSE, cid.to_bytes(2, "little") + b"\0" + before)))
    assert [each.settings for each in attested(host)] == [SETTINGS, OTHERS]
    host.session.command(Attest())
    host.talk(shoe, host.after(0))
    assert host.alarms == []


def test_a_change_that_is_never_told_is_refused_in_the_end() -> None:
    shoe = Device()
    host = joined(shoe)
    shoe.settings = OTHERS
    host.session.command(Attest())
    host.feed(shoe.hear(host.after(0)))
    for _ in range(11):
        assert not host.all(Ended)
        host.feed(shoe.say(RESPONSE, bytes(3)))
        host.after(1000)
        if host.alarms:
            break
    assert host.alarms == ["settings_changed"]
    assert host.now >= 10 * S


def test_approved_settings_win() -> None:
    host = known(SETTINGS, approved=OTHERS)
    host.talk(Device(settings=OTHERS))
    assert host.states[-1] == "ready"
    assert refused(known(None, approved=OTHERS), Device()) == "settings_changed"


def test_it_attests_again_after_five_to_fifteen_minutes_under_another_nonce() -> None:
    waits = []
    for seed in range(8):
        shoe, host = Device(), Host()
        host.talk(shoe, host.connect(bytes([seed]) * 32))
        while len(asked(shoe)) < 2:
            host.feed(shoe.status())
            host.talk(shoe, host.after(1000))
        waits.append(host.now // S)
        assert len(set(asked(shoe))) == len(attested(host)) == 2
        assert host.alarms == []
    assert 300 <= min(waits) < max(waits) <= 901
    assert len(set(waits)) > 4


def test_a_device_that_fails_later_is_refused_then() -> None:
    shoe = Device()
    host = joined(shoe)
    shoe.attests_to = bytes(32)
    cid = host.session.command(Attest())
    host.talk(shoe, host.after(0))
    assert host.answers == [(cid, "failed")]
    assert host.alarms == ["attestation_failed"]
    assert host.ended


def test_an_order_to_attest_is_answered() -> None:
    shoe = Device()
    host = joined(shoe)
    first = host.session.command(Attest())
    host.talk(shoe, host.after(0))
    second = host.session.command(Attest())
    host.after(900)
    assert host.answers == [(first, "ok"), (second, "no_answer")]
    assert [ended.kind for ended in host.all(Ended)] == ["wedged"]
    assert host.session.disconnect(host.now) == ()


def test_an_order_that_no_such_device_knows_is_unsupported() -> None:
    host = joined(Device())
    cid = host.session.command(ConfirmGame())
    assert host.after(0) == b""
    assert host.answers == [(cid, "unsupported")]
    other = host.session.command(ConfirmGame())
    assert host.session.disconnect(host.now) == (Answered(other, "no_answer"),)
