"""The wire of the simulated TDL/1 devices: the vectors of the text, frames, slots."""

from __future__ import annotations

import hashlib
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_host import HELLO, VECTOR

from protocols.cards import Card
from simulators.tdl.frames import Deframer, cobs, frame, hkdf, uncobs
from simulators.tdl.identity import FIRMWARE
from simulators.tdl.session import Session
from simulators.tdl.shoe import slot, written


def test_keys() -> None:
    assert FIRMWARE.hex() == "c7821405cf14d81becb2a6f4c63e86f7eb145eec2eb8d4ae77ca58887282007a"
    assert VECTOR.key.hex() == "3e7308b7121e31d2ba99b60cae84bbac6045ce5159c13621a7c6241b94f6d775"
    nonces = b"\x11" * 16 + b"\x22" * 16
    assert hkdf(VECTOR.key, nonces, b"TDL1 d2h").hex() == (
        "55e83df03569f54657b196e25cdc7f90d407839a9c438a351ee5c6e4ea4fa7a6"
    )
    assert hkdf(VECTOR.key, nonces, b"TDL1 h2d").hex() == (
        "532b8b8d6c458aabd3630ff621f3d77e2769054c166b8e25d220c23a51bca569"
    )


def test_handshake() -> None:
    wire = "0310400101011f010111111111111111111111111111111111484f5354303030316bc4f6ae00"
    assert frame(0x40, 0, HELLO).hex() == "00" + wire
    session = Session(VECTOR, 7, HELLO, b"\x22" * 16)
    [ident] = Deframer().feed(session.answer)
    assert ident.body[-16:].hex() == "82cfd014518f9541f88fc21242fd8624"
    assert session.admit(bytes.fromhex("abf724214c3731b108c4b930ac7d403d"))


def test_a_withheld_card_and_its_acknowledgement() -> None:
    commit = hashlib.sha256(b"\x33" * 16 + pack("<IHB", 5, 12, written(Card.parse("As")))).digest()[:16]
    assert commit.hex() == "cd797dcc6f47e02e710192f283b561b7"
    event = pack("<IIIBIHBBBB", 1001, 7, 123456, 3, 5, 12, 0xFF, 0, 1, 100) + commit
    d2h = hkdf(VECTOR.key, b"\x11" * 16 + b"\x22" * 16, b"TDL1 d2h")
    h2d = hkdf(VECTOR.key, b"\x11" * 16 + b"\x22" * 16, b"TDL1 h2d")
    assert frame(0x10, 1, event, d2h).hex() == (
        "0004111001010103e90301020701010440e2010303050101020c02ff1f0164cd797dcc6f47e02e710192f283b561b7"
        "d1a279684efe16f2d18b798e00"
    )
    assert hashlib.sha256(bytes(32) + event).hexdigest().startswith("810c024eb7f28ee3")
    assert frame(0x50, 1, pack("<I", 1001), h2d).hex() == "0004115001010103e903010d8c93dc3e5b9bb1d376f25ca000"


@pytest.mark.parametrize(("raw", "coded"), [("", "01"), ("00", "0101"), ("11000022", "0211010222")])
def test_cobs_vectors(raw: str, coded: str) -> None:
    assert cobs(bytes.fromhex(raw)).hex() == coded


@given(st.binary(max_size=600) | st.builds(lambda n: b"\x01" * n, st.integers(250, 260)))
def test_cobs_comes_back_without_zeros(raw: bytes) -> None:
    coded = cobs(raw)
    assert 0 not in coded
    assert uncobs(coded) == raw
    assert len(coded) <= len(raw) + 1 + len(raw) // 254


@given(st.binary(max_size=400))
def test_garbage_is_no_frame_and_hides_at_most_one(garbage: bytes) -> None:
    deframer = Deframer()
    deframer.feed(garbage)
    good = frame(0x40, 0, HELLO)
    assert [found.body for found in deframer.feed(good + good)][-1] == HELLO


def test_slots_are_those_of_the_text() -> None:
    places = {"box:3": 0x03, "box:7/b": 0x17, "dealer": 8, "player": 9, "banker": 0xA, "burn": 0xB}
    assert {place: slot(place) for place in places} == places
    assert slot(None) == 0xFF
