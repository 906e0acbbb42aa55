"""Who is let in: the vectors of the handshake, and every device that is refused."""

from __future__ import annotations

import pytest
import tdl_device as device
from tdl_device import Device
from tdl_host import EXPECTED, Host, expecting, joined

from protocols.device_session import Ended
from protocols.registry import Registry
from protocols.wire.tdl.handshake import Expected, Proven, hello, judged, session_keys
from protocols.wire.tdl.messages import Ident

OTHER_KEY = b"\x99" * 32


def test_the_vectors() -> None:
    assert device.KEY.hex() == "3e7308b7121e31d2ba99b60cae84bbac6045ce5159c13621a7c6241b94f6d775"
    assert device.FIRMWARE.hex() == "c7821405cf14d81becb2a6f4c63e86f7eb145eec2eb8d4ae77ca58887282007a"
    said = hello(EXPECTED, device.NONCE_H)
    assert said.to_bytes() == b"\x01\x01" + device.NONCE_H + b"HOST0001"
    tag_d = bytes.fromhex("82cfd014518f9541f88fc21242fd8624")
    found = judged(EXPECTED, said, Ident.from_bytes(Device().ident() + tag_d))
    assert isinstance(found, Proven)
    assert found.auth.tag_h.hex() == "abf724214c3731b108c4b930ac7d403d"
    assert found.keys == session_keys(device.KEY, device.NONCE_H + device.NONCE_D)
    assert found.keys.d2h.hex() == "55e83df03569f54657b196e25cdc7f90d407839a9c438a351ee5c6e4ea4fa7a6"
    assert found.keys.h2d.hex() == "532b8b8d6c458aabd3630ff621f3d77e2769054c166b8e25d220c23a51bca569"


def test_no_key_shows() -> None:
    tag_d = bytes.fromhex("82cfd014518f9541f88fc21242fd8624")
    found = judged(EXPECTED, hello(EXPECTED, device.NONCE_H), Ident.from_bytes(Device().ident() + tag_d))
    text = repr((found, EXPECTED))
    assert repr(device.KEY)[2:12] not in text
    assert isinstance(found, Proven)
    for secret in (found.keys.d2h, found.keys.h2d, found.auth.tag_h):
        assert repr(secret)[2:12] not in text


@pytest.mark.parametrize(
    ("shoe", "expected", "code", "why"),
    [
        (Device(serial="SHOE-666"), EXPECTED, "unknown_serial", "SHOE-666 is not in the registry"),
        (Device(firmware=b"\x01" * 32), EXPECTED, "unapproved_firmware", "firmware 1.0.0 (010101010101...)"),
        (Device(role=2), EXPECTED, "wrong_role", "is a reader, where a shoe belongs"),
        (Device(role=9), EXPECTED, "wrong_role", "is a device of role 9"),
        (Device(), expecting(role="reader"), "wrong_role", "is a shoe, where a reader belongs"),
        (Device(), expecting(serial="SHOE-000007"), "wrong_serial", "where SHOE-000007 belongs"),
        (Device(caps=1 << 8), EXPECTED, "radio", "has a radio"),
    ],
)
def test_a_device_that_does_not_belong_here(shoe: Device, expected: Expected, code: str, why: str) -> None:
    host = Host(expected=expected)
    for _ in range(3):
        host.talk(shoe)
        ended = host.outputs[-1]
        assert isinstance(ended, Ended)
        assert (ended.kind, ended.again) == ("denied", host.now + 30_000_000_000)
        assert why in ended.detail
        host.now = ended.again
    assert host.alarms == [code]
    assert shoe.told(0x41) == []


def test_the_expected_device_is_let_in() -> None:
    host = Host(expected=expecting(serial=device.SERIAL))
    host.talk(Device())
    assert host.states == ["handshake", "ready"]


def test_three_bad_tags_bar_the_device_for_thirty_seconds() -> None:
    shoe, host = Device(key=OTHER_KEY), Host()
    for kind, pause in (("protocol", 0), ("protocol", 0), ("denied", 30), ("denied", 30)):
        host.talk(shoe)
        ended = host.outputs[-1]
        assert isinstance(ended, Ended)
        assert (ended.kind, ended.again - host.now) == (kind, pause * 1_000_000_000)
        host.now = ended.again
    assert host.alarms == ["auth_failed"]
    host.talk(Device())
    assert host.states[-1] == "ready"
    host.session.disconnect(host.now)
    host.talk(shoe)
    ended = host.outputs[-1]
    assert isinstance(ended, Ended)
    assert ended.kind == "protocol"


def test_an_ident_for_another_hello_is_refused() -> None:
    shoe, host = Device(), Host()
    overheard = shoe.hear(host.connect())
    host.session.disconnect(host.now)
    host.connect()
    host.feed(overheard)
    assert host.ended
    assert shoe.told(0x41) == []


def test_another_protocol_is_refused() -> None:
    shoe, host = Device(), Host()
    ident = bytearray(shoe.ident() + bytes(16))
    ident[1] = 2
    host.connect()
    host.feed(device.wire(0x02, 0, bytes(ident)))
    assert host.alarms == ["version"]


def test_a_key_goes_with_its_firmware() -> None:
    newer = b"\x02" * 32
    both = Registry({device.SERIAL: {device.FIRMWARE: device.KEY, newer: OTHER_KEY}})
    for firmware, key, states in (
        (device.FIRMWARE, device.KEY, ["handshake", "ready"]),
        (newer, OTHER_KEY, ["handshake", "ready"]),
        (newer, device.KEY, []),
    ):
        host = Host(expected=expecting(registry=both))
        host.talk(Device(firmware=firmware, key=key))
        assert host.states == states


def test_a_new_handshake_has_new_keys() -> None:
    shoe = Device()
    host = joined(shoe)
    before = shoe.to_host
    host.session.disconnect(host.now)
    host.talk(shoe)
    assert shoe.to_host != before
