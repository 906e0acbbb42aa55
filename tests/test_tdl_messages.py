"""TDL/1 messages: each comes back from its bytes, more bytes change nothing, fewer never raise, no value shows."""

from __future__ import annotations

import struct
from dataclasses import fields
from typing import get_args

import pytest
import tdl_device as device
from hypothesis import given
from hypothesis import strategies as st

from protocols.cards import Card
from protocols.hidden import opened
from protocols.orders import Lock, Order, PeekArm, PeekCancel, SelfTest
from protocols.wire.tdl.events import CardLeft, Event, KnownEvent, UnknownEvent, ValueFixed, ValueRevealed
from protocols.wire.tdl.layout import Layout, read_card, written_card
from protocols.wire.tdl.messages import (
    Ack,
    Auth,
    Beacon,
    Command,
    Hello,
    Ident,
    Ping,
    Resend,
    Response,
    Status,
    Unknown,
    operation,
    read_message,
)

LAYOUTS: tuple[type[Layout], ...] = (*get_args(KnownEvent), Beacon, Ident, Status, Hello, Auth, Ack, Resend, Ping)
SECRET_VALUES = ("As", "A♠", "spade", "0x31", "49")


def size(kind: type[Layout]) -> int:
    return struct.calcsize("<" + kind.FORMAT)


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_layout_comes_back_and_ignores_what_follows(kind: type[Layout]) -> None:
    data = bytes(range(1, size(kind) + 1))
    if kind in (CardLeft, ValueRevealed, ValueFixed):
        at = {CardLeft: 7, ValueRevealed: 6, ValueFixed: 6}[kind]
        data = data[:at] + b"\x4c" + data[at + 1 :]
    assert kind.from_bytes(data).to_bytes() == data
    assert kind.from_bytes(data + b"more").to_bytes() == data
    with pytest.raises(ValueError, match=kind.__name__):
        kind.from_bytes(data[:-1])


def test_every_field_has_its_own_bytes() -> None:
    for kind in LAYOUTS:
        layout = kind.from_bytes(bytes(size(kind)))
        assert len(fields(layout)) == len(kind.FORMAT.translate(str.maketrans("", "", "0123456789")))


def test_text_is_padded() -> None:
    ident = Ident.from_bytes(device.Device().ident() + bytes(16))
    assert (ident.serial, ident.model, ident.fw_version) == ("SHOE-000042", "REFSHOE", "1.0.0")
    assert ident.to_bytes()[:-16] == device.Device().ident()


@pytest.mark.parametrize("byte", range(256))
def test_every_card_byte_is_a_reading(byte: int) -> None:
    reading = read_card(byte)
    rank, suit = byte & 15, byte >> 4
    is_card = 1 <= rank <= 13 and suit <= 4
    special = {0x00: "withheld", 0x70: "cut_card", 0x7E: "foreign"}
    assert reading.sort == ("card" if is_card else special.get(byte, "unreadable"))
    if is_card:
        assert reading.card is not None
        assert opened(reading.card) == Card("A23456789TJQK"[rank - 1], (None, *"dcsh")[suit])
        assert written_card(reading) == byte
    else:
        assert reading.card is None
        assert written_card(reading) == (byte if byte in special else 0x7F)


def test_a_withheld_card_as_in_the_vector() -> None:
    commit = device.commit_to(12, device.ACE_OF_SPADES, b"\x33" * 16)
    assert commit.hex() == "cd797dcc6f47e02e710192f283b561b7"
    shown = ValueRevealed.from_bytes(device.reveal(12, device.ACE_OF_SPADES, b"\x33" * 16))
    assert shown.opens(commit)
    assert not ValueRevealed.from_bytes(device.reveal(12, 0x32, b"\x33" * 16)).opens(commit)
    assert not ValueRevealed.from_bytes(device.reveal(13, device.ACE_OF_SPADES, b"\x33" * 16)).opens(commit)


@given(st.integers(0, 255), st.binary(max_size=80))
def test_what_cannot_be_read_is_kept_as_unknown(kind: int, body: bytes) -> None:
    message = read_message(kind, body)
    if isinstance(message, Unknown):
        assert (message.type, message.body) == (kind, body)
    else:
        assert body.startswith(message.to_bytes()) or isinstance(message, Event | Ident)


@given(st.integers(0, 255), st.binary(max_size=40))
def test_an_event_keeps_its_number_whatever_it_tells(kind: int, data: bytes) -> None:
    event = read_message(0x10, (77).to_bytes(4, "little") + bytes(8) + bytes([kind]) + data)
    assert isinstance(event, Event)
    assert event.eseq == 77
    if isinstance(event.told, UnknownEvent):
        assert event.told == UnknownEvent(kind, data)
        assert event.to_bytes()[12:] == bytes([kind]) + data


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (device.CARD, device.card(12, device.ACE_OF_SPADES)),
        (device.REVEAL, device.reveal(12, device.ACE_OF_SPADES, b"\x33" * 16)),
        (device.FIX, b"\x05\0\0\0\x0c\0\x31\x01"),
        (device.VERDICT, b"\x07\0\0\0\x31\x01"),
        (0x7A, b"\x31\x31\x31"),
    ],
)
def test_no_repr_tells_a_value(kind: int, data: bytes) -> None:
    event = Event.from_bytes(bytes(12) + bytes([kind]) + data)
    for text in (repr(event), str(event), f"{event}", repr(read_message(0x10, event.to_bytes()))):
        assert not any(value in text for value in SECRET_VALUES)
        assert "3333" not in text.replace("\\x", "")


def test_commands_and_responses() -> None:
    assert Command.from_bytes(b"\x02\x01\x04\x01") == Command(0x102, 4, b"\x01")
    assert Command(0x102, 4, b"\x01").to_bytes() == b"\x02\x01\x04\x01"
    assert Response.from_bytes(b"\x02\x01\x04data") == Response(0x102, 4, b"data")
    assert Response.from_bytes(b"\x02\x01\x04").answer == "wrong_state"
    assert Response(1, 99).answer == "failed"
    assert Response(1, 0, b"data").to_bytes() == b"\x01\0\0data"


@pytest.mark.parametrize(
    ("order", "op", "args"),
    [
        (PeekArm(12, "ace"), 0x10, "0c000000010114"),
        (PeekArm(258, "ten", policy=2, timeout_s=5), 0x10, "02010000020205"),
        (PeekCancel(12), 0x11, "0c000000"),
        (Lock(True), 0x04, "01"),
        (Lock(False), 0x04, "00"),
        (SelfTest(), 0x02, "ffff"),
    ],
)
def test_orders(order: Order, op: int, args: str) -> None:
    assert operation(order) == (op, bytes.fromhex(args))


def test_a_status_names_its_errors() -> None:
    status = Status.from_bytes(bytes([0, 0]) + (1 << 4 | 1 << 34).to_bytes(8, "little") + bytes(40))
    assert status.errors == (4, 34)
