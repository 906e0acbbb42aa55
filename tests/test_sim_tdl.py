"""The simulated TDL/1 devices against the vectors of the protocol's text and a host written here."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from struct import pack, unpack_from

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_host import HELLO, Host, derived, greeted, shoe, tag

from protocols.cards import Card
from protocols.errors import ShoewatchError
from simulators.tdl import codes
from simulators.tdl.frames import frame
from simulators.tdl.identity import FIRMWARE, registry_entry, simulated
from simulators.tdl.memory import Memory

# A host of our own


def test_beacons_come_each_second_until_a_host_greets() -> None:
    host = Host(shoe())
    for _ in range(3):
        host.wait(1.0)
    assert host.heard == [(0x01, pack("<IB", 1, 1))] * 3
    host.greet()
    host.heard.clear()
    host.wait(1.0)
    assert {kind for kind, _ in host.heard} == {0x11}


def test_status_comes_first_after_resend_and_tells_the_chain() -> None:
    device = shoe()
    device.load(6, 101.0)
    device.draw(Card.parse("Kh"), 102.0, place="box:1")
    host = Host(device)
    host.greet()
    host.say(0x51, pack("<I", 1))
    said = host.listen()
    assert [kind for kind, _ in said] == [0x11, 0x10, 0x10, 0x10]
    head = bytes(32)
    for _, body in said[1:]:
        head = hashlib.sha256(head + body).digest()
    _, _, errors, shoe_no, draw_no, remaining, last, oldest, told, _ = unpack_from("<BBQIHHII8sI", said[0][1])
    assert (errors, shoe_no, draw_no, remaining, last, oldest, told) == (0, 1, 1, 311, 3, 1, head[:8])


def test_at_most_eight_are_in_flight_and_each_is_kept_until_it_is_acknowledged() -> None:
    device = shoe()
    device.load(6, 100.0)
    for _ in range(20):
        device.draw(Card.parse("2c"), 100.0)
    host = Host(device)
    host.greet()
    assert host.resend(1) == list(range(1, 9))
    assert host.wait(0.2) == []
    assert host.wait(0.06) == list(range(1, 9))
    assert host.ack(5) == list(range(9, 14))
    assert host.wait(0.26) == list(range(6, 14))
    assert host.resend(7) == list(range(7, 15))
    assert host.ack(14) == list(range(15, 23))
    assert host.ack(22) == []
    assert device.unstored == 0


def test_waits_for_an_acknowledgement_grow_to_two_seconds() -> None:
    device = shoe()
    host = Host(device)
    host.greet()
    host.resend(1)
    waits = []
    for _ in range(8):
        begun = host.now
        while not host.wait(0.01):
            host.say(0x53, bytes(8))
        waits.append(round(host.now - begun, 1))
    assert waits[0] == pytest.approx(0.25, abs=0.11)
    assert waits == sorted(waits)
    assert waits[-1] == pytest.approx(2.0, abs=0.05)


def test_an_acknowledgement_of_what_was_never_sent_is_an_anomaly() -> None:
    device = shoe()
    host = Host(device)
    host.greet()
    host.resend(1)
    host.ack(99)
    assert device.anomalies == 1
    assert device.unstored == 1


def test_only_authenticated_new_frames_of_this_session_count() -> None:
    device = shoe()
    host = greeted(device)
    device.draw(Card.parse("2c"), 101.0)
    host.say(0x50, pack("<I", device.last_event), ctr=2)
    assert device.unstored == 1
    old = host.h2d
    host.h2d = b"\0" * 32
    host.say(0x50, pack("<I", device.last_event), ctr=50)
    host.h2d = old
    device.hear(frame(0x50, 60, pack("<I", device.last_event)), host.now)
    assert device.unstored == 1
    assert device.anomalies == 3
    host.greet(nonce=b"\x66" * 16)
    host.h2d = old
    host.say(0x50, pack("<I", device.last_event), ctr=70)
    assert device.unstored == 1


def test_three_wrong_proofs_bar_everybody_for_half_a_minute() -> None:
    device = shoe()
    host = Host(device)
    for _ in range(3):
        host.greet(key=b"\x01" * 32)
        assert not device.in_session
    device.hear(frame(0x40, 0, HELLO), host.now)
    assert host.listen() == []
    host.now += 30
    host.greet()
    host.resend(1)
    assert host.kinds() == [codes.BOOT, codes.SECURITY]


def test_a_silent_host_ends_the_session() -> None:
    device = shoe()
    host = greeted(device)
    host.wait(2.9)
    assert device.in_session
    host.wait(0.2)
    assert not device.in_session
    host.heard.clear()
    host.wait(1.0)
    assert {kind for kind, _ in host.heard} == {0x01}


def test_a_repeated_command_is_answered_again_and_not_carried_out_again() -> None:
    device = shoe()
    host = greeted(device)
    assert [host.command(7, codes.DO_LOCK, b"\x01") for _ in range(3)] == [(0, b"")] * 3
    assert host.kinds() == [codes.LOCK]
    assert host.command(8, 0x7F) == (codes.UNKNOWN_OP, b"")
    assert host.command(9, codes.DO_SELF_TEST, b"\xff\xff") == (0, b"")
    assert host.kinds()[-1] == codes.SELFTEST


def test_room_for_events_runs_out_and_is_there_again() -> None:
    device = shoe(Memory(capacity=40))
    told = []
    while not device.locked:
        told.append((device.unstored, codes.JOURNAL_FULL in device.errors))
        device.draw(Card.parse("2c"), 101.0)
    assert next(unstored for unstored, warned in told if warned) in (31, 32), "three quarters, and the warning itself"
    assert 38 <= device.unstored <= 40
    greeted(device)
    assert device.errors == set()
    assert not device.locked


def test_what_had_to_make_room_is_not_sent_though_it_was_never_stored() -> None:
    device = shoe(Memory(capacity=1024), caps=0)
    host = greeted(device)
    for _ in range(20):
        device.press(host.now)
    device.memory.capacity = 10
    for _ in range(30):
        device.press(host.now)
    oldest = device.memory.oldest
    assert oldest == device.last_event - 9
    host.listen()
    assert all(number >= oldest for number in host.resend(1))
    for _ in range(5):
        assert all(number >= oldest for number in host.wait(1.0))


def test_events_that_never_were_give_their_numbers_back() -> None:
    device = shoe()
    device.load(6, 101.0)
    before = device.memory.head, device.last_event
    for _ in range(3):
        device.draw(Card.parse("2c"), 101.0)
    device.memory.roll_back(3)
    assert (device.memory.head, device.last_event) == before
    device.memory.alter()
    assert device.memory.head != before[0]
    assert device.last_event == before[1]


def test_counting_anew_is_heard_in_the_counters_of_the_frames() -> None:
    host = greeted(shoe())
    host.wait(1.0)
    assert host.last_ctr > 1
    host.last_ctr = 0
    host.device.count_anew()
    host.wait(1.0)
    assert host.last_ctr == 1


def test_the_settings_are_attested_and_a_change_is_told() -> None:
    host = greeted(shoe())
    before = host.command(1, codes.ATTEST, b"\x77" * 16)[1][32:64]
    host.device.preset(3, 70, host.now)
    host.listen()
    assert host.kinds() == [codes.CONFIG]
    after = host.command(2, codes.ATTEST, b"\x77" * 16)[1][32:64]
    assert before != after
    again = shoe(host.device.memory)
    assert again.settings == {3: 70}


def test_attestation_is_bound_to_the_key_and_the_nonce() -> None:
    host = greeted(shoe())
    code, told = host.command(3, codes.ATTEST, b"\x77" * 16)
    assert code == 0
    assert told[:32] == FIRMWARE
    assert told[-16:] == tag(host.device.identity.key, b"TDL1-A" + b"\x77" * 16 + told[:-16])


def test_info_is_the_base_of_the_chain() -> None:
    memory = Memory(capacity=4)
    device = shoe(memory, caps=0)
    for _ in range(6):
        device.draw(Card.parse("2c"), 101.0)
    kept = list(range(memory.last - 3, memory.last + 1))
    host = Host(device)
    host.greet()
    assert host.resend(1) == kept
    _, info = host.command(1, codes.GET_INFO)
    oldest, head = unpack_from("<I32s", info)
    assert oldest == kept[0]
    for number in kept:
        head = hashlib.sha256(head + memory.event(number)).digest()
    assert head == memory.head


def test_events_and_numbers_survive_a_restart_of_the_device(tmp_path: Path) -> None:
    file = tmp_path / "shoe"
    before = shoe(Memory(file))
    before.load(6, 100.0)
    before.draw(Card.parse("2c"), 100.0)
    memory = Memory(file)
    after = shoe(memory)
    assert (after.shoe_no, after.draw_no, after.decks) == (1, 1, 6)
    assert (memory.boots, memory.last) == (2, 4)
    host = Host(after)
    host.greet()
    assert host.resend(1) == [1, 2, 3, 4]
    assert host.kinds() == [codes.BOOT, codes.SHOE_LOADED, codes.CARD, codes.BOOT]
    assert Memory(file).head == memory.head


def test_a_file_that_is_no_memory_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("mine\n")
    with pytest.raises(ShoewatchError, match="name another file"):
        Memory(file)
    assert file.read_text() == "mine\n"


def test_a_device_has_the_key_that_its_registry_entry_says() -> None:
    entry = registry_entry("SHOE-1")
    identity = simulated("shoe", "SHOE-1")
    assert entry.key == derived(identity.secret, FIRMWARE, b"TDL1 device key").hex()
    assert entry.toml() == f'[SHOE-1.firmware]\n{FIRMWARE.hex()} = "{entry.key}"\n'
    assert registry_entry("SHOE-2").key != entry.key
    assert replace(identity, firmware=b"\0" * 32).key != identity.key


@given(st.lists(st.binary(min_size=0, max_size=40), max_size=8))
def test_no_noise_makes_a_device_fail(noise: list[bytes]) -> None:
    device = shoe()
    host = greeted(device)
    for part in noise:
        device.hear(part, host.now)
    device.hear(b"\0", host.now)
    device.draw(Card.parse("2c"), host.now)
    assert host.ack(device.last_event) == [device.last_event]
