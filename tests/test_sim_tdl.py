"""The simulated TDL/1 devices against the vectors of the protocol's text and a host written here."""

from __future__ import annotations

import hashlib
import hmac
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from struct import pack, unpack_from

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from protocols.cards import Card
from protocols.errors import ShoewatchError
from simulators.tdl import codes
from simulators.tdl.device import Device
from simulators.tdl.frames import Deframer, cobs, frame, hkdf, uncobs
from simulators.tdl.identity import FIRMWARE, Identity, registry_entry, simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import Fault, TdlReader
from simulators.tdl.session import Session
from simulators.tdl.shoe import TdlShoe, slot, written

SECRET = bytes(range(32))
VECTOR = Identity("shoe", "SHOE-000042", SECRET, 0x1F, model="REFSHOE")
HELLO = b"\x01\x01" + b"\x11" * 16 + b"HOST0001"


def derived(secret: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def tag(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()[:16]


# The vectors of the text


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


# A host of our own


@dataclass
class Host:
    """The other end of a device's line; it hears everything and says what a test wants."""

    device: Device
    now: float = 100.0
    key: bytes = b""
    ctr: int = 0
    heard: list[tuple[int, bytes]] = field(default_factory=list)
    last_ctr: int = 0
    d2h: bytes = b""
    h2d: bytes = b""

    def listen(self) -> list[tuple[int, bytes]]:
        """Type and body of the frames that came now, each checked here."""
        got = [self._checked(part) for part in self.device.take().split(b"\0") if part]
        self.heard += got
        return got

    def _checked(self, coded: bytes) -> tuple[int, bytes]:
        raw, place = b"", 0
        while place < len(coded):
            code = coded[place]
            raw += coded[place + 1 : place + code] + (b"\0" if code < 255 else b"")
            place += code
        raw = raw[:-1]
        assert raw[-4:] == pack("<I", zlib.crc32(raw[:-4]))
        version, kind, ctr = unpack_from("<BBI", raw)
        if version == 0x10:
            assert ctr == 0
            return kind, raw[6:-4]
        assert version == 0x11
        assert ctr > self.last_ctr
        self.last_ctr = ctr
        assert hmac.new(self.d2h, raw[:-12], hashlib.sha256).digest()[:8] == raw[-12:-4]
        return kind, raw[6:-12]

    def say(self, kind: int, body: bytes, ctr: int | None = None) -> None:
        self.ctr = self.ctr + 1 if ctr is None else ctr
        raw = pack("<BBI", 0x11, kind, self.ctr) + body
        raw += hmac.new(self.h2d, raw, hashlib.sha256).digest()[:8]
        self.device.hear(b"\0" + cobs(raw + pack("<I", zlib.crc32(raw))) + b"\0", self.now)

    def greet(self, key: bytes | None = None, nonce: bytes = b"\x55" * 16) -> None:
        hello = b"\x01\x01" + nonce + b"HOST0001"
        self.listen()
        self.device.hear(frame(0x40, 0, hello), self.now)
        [(kind, ident)] = self.listen()
        assert kind == 0x02
        key = key or self.device.identity.key
        greeted = hello + ident[:-16]
        assert ident[-16:] == tag(self.device.identity.key, b"TDL1-D" + greeted)
        nonces = nonce + ident[10:26]
        self.d2h, self.h2d = derived(key, nonces, b"TDL1 d2h"), derived(key, nonces, b"TDL1 h2d")
        self.ctr = self.last_ctr = 0
        proof = tag(key, b"TDL1-H" + greeted + ident[-16:])
        self.device.hear(frame(0x41, 0, proof), self.now)

    def resend(self, number: int) -> list[int]:
        """The numbers of the events that come after RESEND."""
        self.say(0x51, pack("<I", number))
        return self.events()

    def ack(self, number: int) -> list[int]:
        self.say(0x50, pack("<I", number))
        return self.events()

    def events(self) -> list[int]:
        return [unpack_from("<I", body)[0] for kind, body in self.listen() if kind == 0x10]

    def wait(self, seconds: float) -> list[int]:
        self.now += seconds
        self.device.tick(self.now)
        return self.events()

    def command(self, cid: int, op: int, args: bytes = b"") -> tuple[int, bytes]:
        self.say(0x52, pack("<HB", cid, op) + args)
        [body] = [body for kind, body in self.listen() if kind == 0x12]
        assert unpack_from("<H", body)[0] == cid
        return body[2], body[3:]

    def kinds(self) -> list[int]:
        """The kinds of all events heard, each number once, in order."""
        events = {unpack_from("<I", body)[0]: body[12] for kind, body in self.heard if kind == 0x10}
        assert list(events) == sorted(events)
        return list(events.values())


def shoe(memory: Memory | None = None) -> TdlShoe:
    return TdlShoe(simulated("shoe", "SHOE-1"), memory or Memory(), 100.0)


def reader() -> TdlReader:
    return TdlReader(simulated("reader", "HCR-1"), Memory(), 100.0)


def greeted(device: Device) -> Host:
    host = Host(device)
    host.greet()
    host.resend(1)
    host.ack(device.last_event)
    host.heard.clear()
    return host


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


def test_attestation_is_bound_to_the_key_and_the_nonce() -> None:
    host = greeted(shoe())
    code, told = host.command(3, codes.ATTEST, b"\x77" * 16)
    assert code == 0
    assert told[:32] == FIRMWARE
    assert told[-16:] == tag(host.device.identity.key, b"TDL1-A" + b"\x77" * 16 + told[:-16])


def test_info_is_the_base_of_the_chain() -> None:
    memory = Memory(capacity=4)
    device = shoe(memory)
    bodies = []
    for _ in range(6):
        device.draw(Card.parse("2c"), 101.0)
        bodies.append(memory.event(memory.last))
    host = Host(device)
    host.greet()
    assert host.resend(1) == [4, 5, 6, 7]
    _, info = host.command(1, codes.GET_INFO)
    oldest, head = unpack_from("<I32s", info)
    assert oldest == 4
    for body in bodies[2:]:
        head = hashlib.sha256(head + body).digest()
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


def test_a_withheld_value_is_bound_at_the_draw_and_opened_when_it_is_turned() -> None:
    device = shoe()
    host = greeted(device)
    device.load(6, 101.0)
    device.draw(Card.parse("Kh"), 101.0, place="dealer", withhold=True)
    assert device.turn(1, 102.0)
    assert device.turn(1, 103.0) is None
    card, reveal = [body[13:] for kind, body in host.listen() if kind == 0x10][1:]
    assert unpack_from("<IHBBBB", card) == (1, 1, 8, 0, codes.WITHHELD, 100)
    shoe_no, draw_no, value, nonce = unpack_from("<IHB16s", reveal)
    assert value == 0x4D
    assert hashlib.sha256(nonce + pack("<IHB", shoe_no, draw_no, value)).digest()[:16] == card[-16:]


def test_the_host_may_ask_for_withheld_values() -> None:
    device = shoe()
    host = greeted(device)
    device.load(6, 101.0)
    for _ in range(4):
        device.draw(Card.parse("Kh"), 101.0, withhold=True)
    assert host.command(1, codes.DO_REVEAL, pack("<IHH", 1, 2, 3)) == (0, b"")
    assert host.command(2, codes.DO_REVEAL, pack("<IHH", 2, 1, 4)) == (codes.BAD_ARG, b"")
    host.ack(device.last_event)
    assert host.kinds().count(codes.REVEAL) == 2


def test_what_else_a_shoe_tells() -> None:
    device = shoe()
    host = greeted(device)
    device.load(6, 101.0)
    device.draw(None, 101.0, outside=True)
    device.show_cutting_card(102.0)
    device.fail(0x09, codes.FAULT, 103.0)
    assert device.errors == {9}
    assert host.command(1, codes.CLEAR_ERR, b"\x09") == (0, b"")
    device.end(104.0)
    host.ack(device.last_event - 1)
    told = [codes.SHOE_LOADED, codes.CARD, codes.CUT_CARD, codes.ERR_SET, codes.ERR_CLR, codes.SHOE_END]
    assert host.kinds() == told
    [card] = [body[13:] for kind, body in host.heard if kind == 0x10 and body[12] == codes.CARD][:1]
    assert unpack_from("<IHBBBB", card) == (1, 1, 0xFF, 0x7F, codes.OUTSIDE, 100)


ARM = pack("<IBBB", 12, 2, 0, 20)


def verdicts(host: Host) -> list[tuple[int, int, int]]:
    events = {unpack_from("<I", body)[0]: body for kind, body in host.heard if kind == 0x10 and body[12] == 0x23}
    return [unpack_from("<IBB", body, 13) for body in events.values()]


@pytest.mark.parametrize("natural", [True, False])
def test_a_peek_is_answered_after_the_same_time_whatever_the_answer(natural: bool) -> None:
    device = reader()
    host = greeted(device)
    assert host.command(1, codes.PEEK_ARM, ARM) == (0, b"")
    assert device.armed_for == 12
    assert device.seat(host.now, natural=natural)
    assert device.deadline <= host.now + 0.4
    host.wait(0.399)
    assert verdicts(host) == []
    host.wait(0.002)
    assert verdicts(host) == [(12, natural, 1)]
    device.remove(host.now)
    host.ack(device.last_event)
    assert host.kinds() == [codes.PEEK_ARMED, codes.SEATED, codes.VERDICT, codes.REMOVED]


def test_arming_is_idempotent_and_once_a_round() -> None:
    device = reader()
    host = greeted(device)
    assert [host.command(cid, codes.PEEK_ARM, ARM)[0] for cid in (1, 2)] == [codes.OK, codes.OK]
    assert host.kinds() == [codes.PEEK_ARMED]
    device.seat(host.now, natural=False)
    host.wait(0.5)
    assert host.command(3, codes.PEEK_ARM, ARM)[0] == codes.WRONG_STATE
    assert not device.seat(host.now, natural=False)
    host.ack(device.last_event)
    assert host.kinds()[-1] == codes.PEEK_REFUSED
    assert host.command(4, codes.PEEK_ARM, pack("<IBBB", 13, 3, 0, 20))[0] == codes.BAD_ARG
    assert host.command(5, codes.PEEK_ARM, pack("<IBBB", 13, 1, 0, 20))[0] == codes.OK
    assert host.command(6, codes.PEEK_CANCEL, pack("<I", 13))[0] == codes.OK
    assert device.armed_for is None


def test_a_peek_that_nobody_armed_or_too_late_is_refused() -> None:
    device = reader()
    host = greeted(device)
    assert not device.seat(host.now, natural=True)
    host.ack(device.last_event)
    assert host.kinds() == [codes.PEEK_REFUSED, codes.ERR_SET]
    host.command(1, codes.PEEK_ARM, ARM)
    assert not device.seat(host.now + 21, natural=True)
    host.ack(device.last_event)
    assert host.kinds()[-1] == codes.PEEK_REFUSED
    assert verdicts(host) == []


def test_an_unreadable_card_may_be_tried_three_times() -> None:
    device = reader()
    host = greeted(device)
    host.command(1, codes.PEEK_ARM, ARM)
    device.fault = Fault.UNREADABLE
    for _ in range(3):
        assert device.seat(host.now, natural=True)
        host.wait(0.41)
        device.remove(host.now)
        host.ack(device.last_event)
    assert verdicts(host) == [(12, 2, 1), (12, 2, 2), (12, 2, 3)]
    assert not device.seat(host.now, natural=True)


def test_cards_taken_out_too_early_were_not_seated() -> None:
    device = reader()
    host = greeted(device)
    host.command(1, codes.PEEK_ARM, ARM)
    device.seat(host.now, natural=True)
    device.remove(host.now + 0.1)
    host.wait(1.0)
    assert verdicts(host) == [(12, 3, 1)]


def test_a_reader_can_hang_and_be_dazzled() -> None:
    device = reader()
    host = greeted(device)
    host.command(1, codes.PEEK_ARM, ARM)
    device.fault = Fault.HANGS
    device.seat(host.now, natural=True)
    host.wait(2.5)
    assert verdicts(host) == []
    device.recover(host.now)
    device.dazzle(host.now)
    assert host.command(2, codes.PEEK_ARM, pack("<IBBB", 13, 1, 0, 20))[0] == codes.WRONG_STATE
    device.recover(host.now)
    assert host.command(3, codes.PEEK_ARM, pack("<IBBB", 14, 1, 0, 20))[0] == codes.OK


def test_hurry_shortens_the_wait_for_a_verdict() -> None:
    device = reader()
    device.hurry = 8.0
    host = greeted(device)
    host.command(1, codes.PEEK_ARM, ARM)
    device.seat(host.now, natural=True)
    host.wait(0.051)
    assert verdicts(host) == [(12, 1, 1)]


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
