"""The simulated USB device: what a host's transfers get of it, its descriptors, and its packets."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.wire.tdl.frame import raw_frame
from protocols.wire.tdl.packets import PacketDecoder, in_packets
from simulators.tdl.frames import Deframer, frame
from simulators.usb.descriptors import IN, OUT, Descriptors
from simulators.usb.device import Setup, Stall, Transfer, UsbDevice
from simulators.usb.packets import Assembler, to_packets

Ended = tuple[int, bytes]


class Host:
    """Asks a device for transfers; `ended` are those that have, in order."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.device = UsbDevice(Descriptors(), self.heard.append)
        self.ended: list[Ended] = []

    def ask(self, endpoint: int = IN, length: int = 64, data: bytes = b"") -> Transfer:
        transfer = Transfer(endpoint, length, lambda code, came: self.ended.append((code, came)), data)
        self.device.submit(transfer)
        return transfer


def test_reports_and_transfers_meet_in_order_whoever_comes_first() -> None:
    host = Host()
    host.ask()
    host.ask()
    host.device.send(b"1")
    host.device.send(b"2")
    host.device.send(b"3")
    host.ask()
    assert host.ended == [(0, b"1"), (0, b"2"), (0, b"3")]
    assert host.device.unread == 0


def test_a_report_that_is_longer_than_was_asked_for_overflows() -> None:
    host = Host()
    host.device.send(b"12345")
    host.ask(length=3)
    assert host.ended == [(errno.EOVERFLOW, b"123")]


def test_a_halted_endpoint_refuses_until_it_is_cleared() -> None:
    host = Host()
    host.ask()
    host.device.halt(IN)
    host.ask()
    host.device.send(b"1")
    assert host.ended == [(errno.EPIPE, b"")] * 2
    host.device.control(Setup(0x02, 0x01, 0, IN, 0))
    host.ask()
    assert host.ended[-1] == (0, b"1")


def test_a_deaf_device_lets_transfers_wait_and_a_cancelled_one_never_arrives() -> None:
    host = Host()
    host.device.is_deaf = True
    first, second = host.ask(OUT, data=b"first"), host.ask(OUT, data=b"second")
    assert host.device.cancel(first)
    assert not host.device.cancel(first)
    host.device.is_deaf = False
    assert (host.ended, host.heard) == ([(0, b"")], [b"second"])
    assert not host.device.cancel(second)


def test_faults_take_their_turn_and_keep_the_reports() -> None:
    host = Host()
    host.device.fails[IN].extend([errno.EIO, errno.ENODEV])
    host.device.send(b"1")
    for _ in range(3):
        host.ask()
    assert host.ended == [(errno.EIO, b""), (errno.ENODEV, b""), (0, b"1")]


def test_a_pull_ends_everything_that_waits() -> None:
    host = Host()
    host.device.is_deaf = True
    host.ask()
    host.ask(OUT, data=b"x")
    host.device.unplug(errno.EPROTO)
    host.device.unplug()
    assert host.ended == [(errno.EPROTO, b"")] * 2
    assert host.device.is_gone


def test_descriptors_tell_one_vendor_interface_with_an_endpoint_each_way() -> None:
    said = Descriptors("HCR-1")
    device, configuration = said.device, said.configuration
    assert len(device) == device[0] == 18
    assert device[8:12] == bytes.fromhex("09124dca")
    assert int.from_bytes(configuration[2:4], "little") == len(configuration)
    assert configuration[9 + 5 : 9 + 8] == b"\xff\x00\x01"
    assert [configuration[at + 2] for at in (18, 25)] == [IN, OUT]
    assert [said.string(index) for index in (3, 4)] == [b"\x0c\x03" + "HCR-1".encode("utf-16-le"), None]
    assert Descriptors("").device[16] == 0


@pytest.mark.parametrize(
    ("setup", "answer"),
    [
        (Setup(0x80, 6, 0x0100, 0, 18), Descriptors().device),
        (Setup(0x80, 6, 0x0200, 0, 255), Descriptors().configuration),
        (Setup(0x80, 6, 0x0300, 0, 255), b"\x04\x03\x09\x04"),
        (Setup(0x80, 8, 0, 0, 1), b"\x01"),
        (Setup(0x80, 0, 0, 0, 2), b"\0\0"),
        (Setup(0x00, 9, 1, 0, 0), b""),
    ],
)
def test_standard_requests_are_answered(setup: Setup, answer: bytes) -> None:
    assert Host().device.control(setup) == answer


@pytest.mark.parametrize(
    "setup", [Setup(0xC1, 1, 0, 0, 8), Setup(0x80, 6, 0x0309, 0, 255), Setup(0x80, 6, 0x0600, 0, 10)]
)
def test_other_requests_stall(setup: Setup) -> None:
    with pytest.raises(Stall):
        Host().device.control(setup)


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=160)), max_size=5))
def test_what_a_device_says_in_packets_the_host_reads(said: list[tuple[int, bytes]]) -> None:
    packets = to_packets(b"".join(frame(kind, number, body) for number, (kind, body) in enumerate(said)))
    assert {len(packet) for packet in packets} <= {64}
    found = PacketDecoder().feed(b"".join(packets))
    assert [(each.type, each.body) for each in found] == said


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=160)), max_size=5))
def test_what_a_host_says_in_packets_the_device_hears(said: list[tuple[int, bytes]]) -> None:
    sent = b"".join(in_packets(raw_frame(kind, 7, body)) for kind, body in said)
    assembler = Assembler()
    line = b"".join(assembler.take(sent[at : at + 64]) for at in range(0, len(sent), 64))
    assert [(each.type, each.body) for each in Deframer().feed(line)] == said


@given(st.lists(st.binary(max_size=64), max_size=20))
def test_garbage_in_packets_ends_with_the_next_first_one(garbage: list[bytes]) -> None:
    assembler = Assembler()
    for packet in garbage:
        assembler.take(packet)
    [heard] = Deframer().feed(assembler.take(in_packets(raw_frame(3, 0, b"good"))))
    assert heard.body == b"good"
