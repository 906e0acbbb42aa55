"""TDL/1 events to facts: every row of the table, commitments, what is replayed, and going on from the journal."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence

import pytest
import tdl_device as device
from tdl_device import Device
from tdl_host import Host, joined

from protocols.device_session import Heard
from protocols.events import EVENT, CardDrawn, CardRevealed, ReaderPeeked, TableEvent, written
from protocols.hidden import Hidden, opened, opened_text
from protocols.intake.tdl import TdlIntake
from protocols.orders import Lock, PeekArm
from protocols.records import DeviceReported, Fact, SecurityNoted
from protocols.wire.tdl.events import Event
from protocols.wire.tdl.handshake import Role
from protocols.wire.tdl.messages import Status
from protocols.wire.tdl.position import Position, Rebased
from protocols.wire.tdl.stream import TdlReport

NONCE = b"\x33" * 16


def event(kind: int, data: bytes, number: int = 1) -> Event:
    return Event.from_bytes(struct.pack("<IIIB", number, 7, 123456, kind) + data)


def taken(intake: TdlIntake, *told: tuple[int, bytes], start: int = 1) -> list[Fact]:
    heard = (Heard(event(kind, data, number), number) for number, (kind, data) in enumerate(told, start))
    return [fact for each in heard for fact in intake.take(each)]


def brief(fact: Fact) -> str:
    match fact:
        case CardDrawn():
            value = opened(fact.card) if isinstance(fact.card, Hidden) else fact.card
            parts = ["draw", fact.ref, fact.to, value, fact.outside and "outside"]
            return " ".join(str(part) for part in parts if part)
        case CardRevealed():
            assert isinstance(fact.card, Hidden)
            return f"shown {fact.ref} {opened(fact.card)}"
        case ReaderPeeked():
            assert isinstance(fact.result, Hidden)
            return f"{fact.name} {opened_text(fact.result)}"
        case TableEvent():
            fields = fact.model_dump(exclude={"type", "seq", "actor"}, exclude_none=True)
            return " ".join([fact.name, *map(str, fields.values())])
        case DeviceReported():
            return f"[{fact.report}]"
        case SecurityNoted():
            return f"!{fact.code}"
    raise AssertionError(fact)


def error(code: int) -> tuple[int, bytes]:
    return device.ERROR, struct.pack("<BBHH", code, 9, 3, 0)


def cleared(code: int) -> tuple[int, bytes]:
    return device.CLEARED, bytes([code, 1])


def card(draw: int, value: int = 0x31, slot: int = 0xFF, flags: int = 0, commit: bytes = b"") -> tuple[int, bytes]:
    return device.CARD, device.card(draw, value, slot, flags=flags, commit=commit)


ROWS: dict[str, tuple[list[tuple[int, bytes]], list[str]]] = {
    "a card": ([card(12)], ["draw 5/12 As"]),
    "a card, suit not known": ([card(12, 0x0D)], ["draw 5/12 K"]),
    "withheld": ([card(12, 0x00, flags=1)], ["draw 5/12"]),
    "unreadable": ([card(12, 0x7F)], ["draw 5/12"]),
    "no such card": ([card(12, 0x5E)], ["draw 5/12"]),
    "foreign": ([card(12, 0x7E)], ["draw 5/12", "!foreign_card"]),
    "the cutting card as a card": ([card(12, 0x70, slot=8)], ["cut_card.reached dealer"]),
    "the cutting card": ([(device.CUT, struct.pack("<IH", 5, 13))], ["cut_card.reached"]),
    "outside a game": ([card(12, slot=8, flags=8)], ["draw 5/12 As outside"]),
    "odd, but a card": ([card(12, flags=0x36)], ["draw 5/12 As", "[card]"]),
    "committed": ([card(12, 0, flags=1, commit=b"c" * 16)], ["draw 5/12", "[card]"]),
    "read again": ([card(12, 0x7F), (device.FIX, b"\5\0\0\0\x0c\0\x2d\1")], ["draw 5/12", "shown 5/12 Kc"]),
    "loaded": ([(device.LOADED, struct.pack("<IBH", 6, 8, 1))], ["shoe.loaded 8"]),
    "loaded with I know not what": ([(device.LOADED, struct.pack("<IBH", 6, 0, 1))], ["shoe.loaded"]),
    "ended": ([(device.END, struct.pack("<IHB", 5, 200, 0))], ["shoe.emptied"]),
    "an error that holds": (
        [error(0x0B), cleared(0x0B)],
        ["shoe.faulted tdl-0B", "[error]", "shoe.restored tdl-0B", "[error-cleared]"],
    ),
    "a warning": ([error(0x07), cleared(0x07)], ["[error]", "[error-cleared]"]),
    "tampered with": ([error(0x12)], ["shoe.faulted tdl-12", "[error]", "!tdl-12"]),
    "an error that nobody knows": ([error(0x3F)], ["[error]"]),
    "boot": ([(0x01, b"\0\1")], ["[boot]"]),
    "lid, lock, key, button": (
        [(kind, b"\1\0") for kind in range(0x0A, 0x0E)],
        ["[lid]", "[lock]", "[key]", "[button]"],
    ),
    "setting": ([(0x0E, bytes(9))], ["[setting]"]),
    "self-test": ([(0x0F, bytes(5))], ["[self-test]"]),
    "the device suspects": ([(0x10, b"\2")], ["[security]", "!tdl-02"]),
    "armed": ([(device.ARMED, struct.pack("<IBB", 12, 1, 1))], ["[peek-armed]"]),
    "seated and removed": ([(kind, b"\x0c\0\0\0") for kind in (0x21, 0x22)], ["[seated]", "[removed]"]),
    "not natural": ([(device.VERDICT, b"\x0c\0\0\0\0\1")], ["[verdict]", "reader.peeked no_natural"]),
    "natural": ([(device.VERDICT, b"\x0c\0\0\0\1\1")], ["[verdict]", "reader.peeked natural"]),
    "unreadable, not seated, foreign": (
        [(device.VERDICT, bytes([12, 0, 0, 0, verdict, 1])) for verdict in (2, 3, 4)],
        ["[verdict]", "reader.peeked error"] * 3,
    ),
    "a range": ([(device.VERDICT, b"\x0c\0\0\0\5\1")], ["[verdict]"]),
    "refused": ([(device.REFUSED, b"\x0c\0\0\0\1")], ["[peek-refused]"]),
    "not known": ([(0x7A, b"\1\2\3")], ["[unknown]"]),
    "too short": ([(device.CARD, b"\1\2\3")], ["[unknown]"]),
}
OF_THE_READER = {device.ARMED, 0x21, 0x22, device.VERDICT, device.REFUSED}
OF_THE_SHOE = {device.LOADED, device.CARD, device.REVEAL, device.FIX, device.CUT, device.END}


def teller(told: Sequence[tuple[int, bytes]]) -> Role:
    """The device that tells this."""
    return "reader" if {kind for kind, _ in told} <= OF_THE_READER else "shoe"


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table(row: str) -> None:
    told, expected = ROWS[row]
    assert [brief(fact) for fact in taken(TdlIntake("device", teller(told)), *told)] == expected


@pytest.mark.parametrize(
    ("role", "told", "report"),
    [
        ("reader", card(12), "card"),
        ("reader", (device.LOADED, struct.pack("<IBH", 6, 8, 1)), "loaded"),
        ("reader", (device.CUT, struct.pack("<IH", 5, 13)), "cutting-card"),
        ("reader", (device.END, struct.pack("<IHB", 5, 200, 0)), "ended"),
        ("reader", (device.REVEAL, device.reveal(12, 0x31, NONCE)), "reveal"),
        ("reader", (device.FIX, b"\5\0\0\0\x0c\0\x2d\1"), "card-fix"),
        ("shoe", (device.VERDICT, b"\x0c\0\0\0\1\1"), "verdict"),
        ("shoe", (device.ARMED, struct.pack("<IBB", 12, 1, 1)), "peek-armed"),
        ("shoe", (0x21, b"\x0c\0\0\0"), "seated"),
        ("shoe", (0x22, b"\x0c\0\0\0"), "removed"),
        ("shoe", (device.REFUSED, b"\x0c\0\0\0\1"), "peek-refused"),
    ],
)
def test_what_another_device_has_to_tell_is_no_event_but_suspicious(
    role: Role, told: tuple[int, bytes], report: str
) -> None:
    intake = TdlIntake("device", role)
    facts = taken(intake, card(12), told) if role == "shoe" else taken(intake, told)
    record, suspicion = facts[-2:]
    assert isinstance(record, DeviceReported)
    assert (record.report, record.data["eseq"]) == (report, len(facts) - 1)
    assert not {"card", "verdict"} & record.data.keys()
    assert "Hidden" not in repr(record.data)
    assert suspicion == SecurityNoted(
        "foreign_event", "device", f"the {role} tells {report!r}, which is another device's to tell"
    )
    assert sum(isinstance(fact, TableEvent) for fact in facts) == (role == "shoe")


@pytest.mark.parametrize(
    ("told", "use"),
    [
        ([error(9), error(0x10), cleared(9), cleared(0x10)], ["faulted 09", "faulted 10", "restored 10"]),
        ([error(9), error(9), cleared(9)], ["faulted 09", "faulted 09", "restored 09"]),
        ([error(9), error(7), cleared(9), cleared(7)], ["faulted 09", "restored 09"]),
        ([error(9), cleared(0x10), cleared(9)], ["faulted 09", "restored 09"]),
        ([error(9), (0x01, b"\0\1"), error(0x10), cleared(0x10)], ["faulted 09", "faulted 10", "restored 10"]),
    ],
)
def test_a_shoe_is_restored_with_the_last_of_its_errors(told: list[tuple[int, bytes]], use: list[str]) -> None:
    for cut in range(len(told) + 1):
        whole = TdlIntake("shoe", "shoe")
        facts = taken(whole, *told[:cut])
        again = TdlIntake("shoe", "shoe")
        again.resume([journaled(fact) for fact in facts])
        facts += taken(again, *told[cut:], start=cut + 1)
        events = [brief(fact) for fact in facts if isinstance(fact, TableEvent)]
        assert events == [f"shoe.{each}".replace(" ", " tdl-") for each in use]
        assert sum(isinstance(fact, DeviceReported) for fact in facts) == len(told)


@pytest.mark.parametrize(
    ("slot", "place"),
    [
        *[(box, f"box:{box}") for box in range(1, 8)],
        *[(0x13, "box:3/b"), (0x27, "box:7/c"), (0x31, "box:1/d")],
        *[(8, "dealer"), (9, "player"), (0xA, "banker"), (0xB, "burn")],
        *[(0xC, "community:3"), (0xD, "community:4"), (0xE, "community:5")],
        *[(0xFF, None), (0x00, None), (0x0F, None)],
    ],
)
def test_slots(slot: int, place: str | None) -> None:
    (draw,) = taken(TdlIntake("shoe", "shoe"), card(1, slot=slot))
    assert isinstance(draw, CardDrawn)
    assert draw.to == place
    assert draw.face is None


def test_a_readers_error_is_for_the_fallback_to_judge() -> None:
    facts = taken(TdlIntake("reader", "reader"), error(0x22), cleared(0x22))
    assert [brief(fact) for fact in facts] == ["[error]", "[error-cleared]"]
    assert facts[0] == DeviceReported(
        "reader", "error", {"eseq": 1, "code": "tdl-22", "error": "light", "severity": "fault", "detail": 0}
    )


def test_every_fact_has_its_events_number_and_device() -> None:
    facts = taken(TdlIntake("shoe", "shoe"), card(1, flags=4), error(0x0B), start=900)
    numbers = [fact.seq if isinstance(fact, TableEvent) else fact.data["eseq"] for fact in facts]  # type: ignore[union-attr]
    assert numbers == [900, 900, 901, 901]
    assert {fact.actor for fact in facts if isinstance(fact, TableEvent)} == {"shoe"}


def test_what_is_told_late_is_marked() -> None:
    intake = TdlIntake("shoe", "shoe")
    (boot,) = intake.take(Heard(event(0x01, b"\0\0", 3), 3, replayed=True, age_ns=1_540_000_000))
    late = {"replayed": True, "t_ms": 123456, "age_s": 1.5}
    assert boot == DeviceReported("shoe", "boot", {"eseq": 3, "reason": 0, "unclean": 0, **late})


@pytest.mark.parametrize(("age_ns", "age_s"), [(None, None), (140_000_000, 0.1), (61_000_000_000, 61.0)])
def test_what_a_reader_answers_is_told_with_its_age(age_ns: int | None, age_s: float | None) -> None:
    told = event(device.VERDICT, b"\x0c\0\0\0\0\1", 9)
    record, _ = TdlIntake("reader", "reader").take(Heard(told, 9, age_ns=age_ns))
    assert isinstance(record, DeviceReported)
    assert record.data["age_s"] == age_s


def committed(value: int = device.ACE_OF_SPADES) -> tuple[int, bytes]:
    return card(12, 0, flags=1, commit=device.commit_to(12, value, NONCE))


def test_a_revealed_value_that_was_committed_to() -> None:
    facts = taken(TdlIntake("shoe", "shoe"), committed(), (device.REVEAL, device.reveal(12, 0x31, NONCE)))
    assert [brief(fact) for fact in facts] == ["draw 5/12", "[card]", "shown 5/12 As"]


@pytest.mark.parametrize(
    "shown",
    [device.reveal(12, 0x32, NONCE), device.reveal(12, 0x31, b"\x34" * 16), device.reveal(12, 0x7F, NONCE)],
)
def test_a_revealed_value_that_is_another_one_is_not_believed(shown: bytes) -> None:
    facts = taken(TdlIntake("shoe", "shoe"), committed(), (device.REVEAL, shown))
    assert [brief(fact) for fact in facts] == ["draw 5/12", "[card]", "[reveal]", "!commit_mismatch"]


@pytest.mark.parametrize("shown", [device.reveal(13, 0x31), device.reveal(0, 0x31), device.reveal(12, 0x31, shoe=6)])
def test_a_value_of_a_card_that_was_not_drawn_is_no_event(shown: bytes) -> None:
    facts = taken(TdlIntake("shoe", "shoe"), card(12, 0), (device.REVEAL, shown))
    assert [brief(fact) for fact in facts] == ["draw 5/12", "[reveal]"]


def test_a_status_is_news_only_where_it_differs() -> None:
    intake = TdlIntake("shoe", "shoe")

    def told(state: int, errors: int) -> list[str]:
        status = Status(state, 0, errors, 5, 0, 0xFFFF, 0, 1, bytes(8), 0)
        return [brief(fact) for fact in intake.take(Heard(status))]

    assert told(0, 0) == ["[status]"]
    assert told(0, 0) == []
    assert told(1, 0) == ["[status]"]
    assert told(1, 1 << 4) == ["[status]"]
    again = TdlIntake("shoe", "shoe")
    again.resume([DeviceReported("shoe", "status", {"state": 1, "mode": 0, "errors": ["tdl-04"]})])
    assert again.take(Heard(Status(1, 0, 1 << 4, 5, 0, 0xFFFF, 0, 1, bytes(8), 0))) == ()


@pytest.mark.parametrize(
    ("role", "rebased", "expected"),
    [
        ("shoe", Rebased(7, 4, None), ["log.gap 4 events of the device are lost", "[events-lost]"]),
        ("reader", Rebased(7, 4, None), ["log.gap 4 events of the device are lost", "[events-lost]"]),
        ("shoe", Rebased(7, None, None), ["log.gap first meeting with the device", "[paired]"]),
        ("shoe", Rebased(0, None, None), ["[paired]"]),
        ("reader", Rebased(7, None, None), ["[paired]"]),
    ],
)
def test_events_that_are_not_to_be_had(role: Role, rebased: Rebased, expected: list[str]) -> None:
    intake = TdlIntake("device", role)
    assert [brief(fact) for fact in intake.take(Heard(rebased))] == expected
    assert intake.position is not None
    assert intake.position.eseq == rebased.eseq


def test_an_arming_that_was_reported_is_done_until_something_undoes_it() -> None:
    armed = (device.ARMED, struct.pack("<IBB", 12, 1, 1))
    undoing = [(device.VERDICT, b"\x0c\0\0\0\0\1"), (device.REFUSED, b"\x0c\0\0\0\3"), (0x01, b"\0\0")]
    for undo in undoing:
        intake = TdlIntake("reader", "reader")
        assert not intake.has_done(PeekArm(12, "ace"))
        taken(intake, armed)
        assert intake.has_done(PeekArm(12, "ace"))
        assert not intake.has_done(PeekArm(13, "ace"))
        assert not intake.has_done(Lock(True))
        taken(intake, undo)
        assert not intake.has_done(PeekArm(12, "ace"))


def journaled(fact: Fact) -> Fact:
    """The fact as it comes back from the journal: through JSON, without what lies face down."""
    if isinstance(fact, CardDrawn):
        fact = fact.model_copy(update={"card": None})
    if isinstance(fact, ReaderPeeked):
        fact = fact.model_copy(update={"result": None})
    if isinstance(fact, CardRevealed):
        assert isinstance(fact.card, Hidden)
        fact = fact.model_copy(update={"card": opened(fact.card)})
    if isinstance(fact, TableEvent):
        return EVENT.validate_json(json.dumps(written(fact)))
    if isinstance(fact, DeviceReported):
        return DeviceReported(fact.device, fact.report, json.loads(json.dumps(fact.data)))
    return fact


EVENING: list[tuple[int, bytes]] = [
    *[(0x01, b"\0\0"), (device.LOADED, struct.pack("<IBH", 5, 6, 1)), card(11, 0x2A, 3), committed()],
    *[error(0x12), cleared(0x12), card(13, 0x7E), (device.REVEAL, device.reveal(12, 0x31, NONCE))],
    *[card(14, 0, flags=1, commit=device.commit_to(14, 0x22, NONCE)), (0x10, b"\1"), (0x7A, b"\1")],
    *[(device.REVEAL, device.reveal(14, 0x23, NONCE)), (device.CUT, struct.pack("<IH", 5, 15)), card(15, 0x70)],
    *[(device.END, struct.pack("<IHB", 5, 15, 0)), (device.LOADED, struct.pack("<IBH", 6, 6, 1))],
]
MEETINGS: list[tuple[int, bytes]] = [
    *[(device.ARMED, struct.pack("<IBB", 12, 2, 1)), (0x21, b"\x0c\0\0\0"), (device.VERDICT, b"\x0c\0\0\0\0\1")],
    *[(0x22, b"\x0c\0\0\0"), error(0x26), (device.ARMED, struct.pack("<IBB", 13, 2, 1))],
]


@pytest.mark.parametrize("cut", range(len(EVENING) + 1))
def test_a_restart_changes_nothing(cut: int) -> None:
    whole = TdlIntake("shoe", "shoe")
    facts = taken(whole, *EVENING[:cut])
    again = TdlIntake("shoe", "shoe")
    again.resume([journaled(fact) for fact in facts])
    assert again.position == (Position(cut) if cut else None)
    rest = taken(whole, *EVENING[cut:], start=cut + 1)
    assert plain(taken(again, *EVENING[cut:], start=cut + 1)) == plain(rest)


@pytest.mark.parametrize("cut", range(1, len(MEETINGS) + 1))
def test_two_devices_in_one_journal_do_not_mix(cut: int) -> None:
    shoe, reader = TdlIntake("shoe", "shoe"), TdlIntake("reader", "reader")
    mixed: list[Fact] = []
    for number, (of_shoe, of_reader) in enumerate(zip(EVENING, MEETINGS[:cut], strict=False), 1):
        mixed += taken(shoe, of_shoe, start=number) + taken(reader, of_reader, start=1000 + number)
    for intake, device_name, role in ((shoe, "shoe", "shoe"), (reader, "reader", "reader")):
        again = TdlIntake(device_name, role)  # type: ignore[arg-type]
        again.resume([journaled(fact) for fact in mixed])
        assert again.position == intake.position
        for order in (PeekArm(12, "ten"), PeekArm(13, "ten")):
            assert again.has_done(order) == intake.has_done(order)


def plain(facts: Sequence[Fact]) -> list[object]:
    return [(brief(fact), fact.seq if isinstance(fact, TableEvent) else fact) for fact in facts]


def all_facts(heard: Iterable[Heard[TdlReport]], intake: TdlIntake) -> list[Fact]:
    return [fact for each in heard for fact in intake.take(each)]


def test_a_restart_needs_no_gap_where_the_numbers_prove_that_nothing_was_missed() -> None:
    shoe = Device()
    shoe.note(*card(1))
    first, before = TdlIntake("shoe", "shoe"), joined(shoe, None)
    facts = all_facts(before.all(Heard), first)
    shoe.note(*card(2))
    again = TdlIntake("shoe", "shoe")
    again.resume([journaled(fact) for fact in facts])
    after = Host(again.position)
    after.talk(shoe)
    more = [brief(fact) for fact in all_facts(after.all(Heard), again)]
    assert [text for text in more if text not in ("[status]", "[attested]")] == ["draw 5/2 As"]


def test_no_fact_tells_a_value() -> None:
    shoe, reader = TdlIntake("shoe", "shoe"), TdlIntake("reader", "reader")
    facts = taken(shoe, *EVENING) + taken(reader, *MEETINGS)
    for fact in facts:
        if isinstance(fact, CardDrawn | CardRevealed):
            continue
        text = repr(fact) + json.dumps(fact.data if isinstance(fact, DeviceReported) else "")
        assert NONCE.hex() not in text
        assert "natural" not in text
    cards = [fact for fact in facts if isinstance(fact, CardDrawn | CardRevealed)]
    assert all("face down" in repr(fact) for fact in cards if fact.card is not None)
    assert not any(value in repr(cards) for value in ("As", "Ac", "2c", "Ts", "Tc"))
