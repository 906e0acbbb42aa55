"""The simulated Angel Eye II-EX against public vectors and a public recording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from protocols.cards import Card
from simulators import acts
from simulators.angel_shoe import AngelShoe, frame, result, slot, value
from simulators.misdeals import SHOE_CAN_TELL
from simulators.punto_banco import PuntoBancoDealer
from simulators.rules import rules_of

RECORDING = Path(__file__).parents[2] / "shared/data/angel-eye/recording-1.txt"
FRAME = re.compile(rb"\x05(\d)([A-Za-z])([\x80-\xff]*)\x03([0-9A-F]{2})")


def one(frames: bytes) -> bytes:
    """The one report that is sent three times."""
    assert frames == frames[: len(frames) // 3] * 3
    return frames[: len(frames) // 3]


def reports(sent: bytes) -> list[tuple[int, str, bytes]]:
    """Digit, code and payload of each report; every one must be there three times, and nothing else."""
    found = list(FRAME.finditer(sent))
    assert b"".join(match.group() for match in found) == sent
    assert all(found[place].group() == found[place - place % 3].group() for place in range(len(found)))
    return [(int(match[1]), match[2].decode(), match[3]) for match in found[::3]]


@pytest.mark.parametrize(
    ("hexadecimal", "digit", "code", "payload"),
    [
        ("05 31 44 c0 a2 03 31 34", 1, b"D", slot(4, 0) + value(Card.parse("2c"))),
        ("05 32 44 d1 9b 03 33 46", 2, b"D", slot(5, 1) + value(Card.parse("Jd"))),
        ("05 33 44 d0 a2 03 30 36", 3, b"D", slot(5, 0) + value(Card.parse("2c"))),
        ("05 39 45 82 03 46 44", 9, b"E", b"\x82"),
        ("05 31 45 c7 03 42 30", 1, b"E", b"\xc7"),
        ("05 32 64 a0 80 03 37 35", 2, b"d", slot(2, 0) + b"\x80"),
        ("05 33 69 81 b7 03 36 46", 3, b"i", slot(0, 1) + value(Card.parse("7s"))),
        ("05 34 65 82 03 44 30", 4, b"e", b"\x82"),
        ("05 38 52 81 80 03 36 38", 8, b"R", slot(0, 1) + b"\x80"),
        ("05 32 43 03 37 32", 2, b"C", b""),
        ("05 33 4c 81 03 46 44", 3, b"L", b"\x81"),
        ("05 34 47 f0 03 38 30", 4, b"G", b"\xf0"),
        ("05 35 4d 31 32 30 30 30 31 03 37 39", 5, b"M", b"120001"),
    ],
)
def test_frames(hexadecimal: str, digit: int, code: bytes, payload: bytes) -> None:
    assert frame(digit, code, payload) == bytes.fromhex(hexadecimal)


@pytest.mark.parametrize(
    ("act", "hexadecimal"),
    [
        (acts.Started(), "05 30 53 03 36 30"),
        (acts.BurnFirst(Card.parse("2c")), "05 31 44 c0 a2 03 31 34"),
        (acts.CuttingCard(), "05 31 43 03 37 31"),
        (acts.StandBy(), "05 31 50 03 36 32"),
        (acts.Carried(Card.parse("Kh")), "05 31 52 81 80 03 36 31"),
        (acts.SurplusShown(Card.parse("7s")), "05 31 69 81 b7 03 36 44"),
        (acts.Result("banker", player_pair=False, banker_pair=True), "05 31 47 c2 03 42 37"),
    ],
)
def test_what_is_sent_for_an_act(act: acts.Act, hexadecimal: str) -> None:
    assert one(AngelShoe(withhold=True).sends(act)) == bytes.fromhex(hexadecimal)


@pytest.mark.parametrize(
    "act",
    [
        acts.ShoeLoaded(8),
        acts.CoupOpened(),
        acts.BetsClosed(),
        acts.Turned(),
        acts.CardBurned("player"),
        acts.CoupClosed(),
    ],
)
def test_what_no_shoe_senses_is_not_sent(act: acts.Act) -> None:
    assert AngelShoe(withhold=True).sends(act) == b""


@pytest.mark.parametrize(
    ("winner", "player_pair", "banker_pair", "payload"),
    [
        ("player", False, False, 0x90),
        ("tie", False, False, 0xA0),
        ("banker", False, False, 0xC0),
        ("banker", False, True, 0xC2),
        ("tie", True, True, 0xA3),
    ],
)
def test_results(winner: acts.Winner, player_pair: bool, banker_pair: bool, payload: int) -> None:
    assert result(acts.Result(winner, player_pair, banker_pair)) == bytes([payload])


def test_the_digit_is_0_at_the_start_and_goes_from_9_to_1() -> None:
    shoe = AngelShoe(withhold=True)
    happened: list[acts.Act] = [acts.Started(), *[acts.StandBy()] * 11, acts.Started(), acts.StandBy()]
    sent = b"".join(map(shoe.sends, happened))
    assert [digit for digit, _, _ in reports(sent)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 0, 1]


def coup() -> list[acts.Act]:
    first_four = [("P1", "2s"), ("B1", "7c"), ("P2", "9s"), ("B2", "7h")]
    dealt = [
        acts.Dealt("player" if ref[0] == "P" else "banker", int(ref[1]), Card.parse(card), "down")
        for ref, card in first_four
    ]
    told = acts.Result("banker", player_pair=False, banker_pair=True)
    return [*dealt, acts.Turned(), acts.Dealt("player", 3, Card.parse("Qd"), "up"), told, acts.StandBy()]


def test_withheld_values_come_in_dealing_order_before_the_result() -> None:
    shoe = AngelShoe(withhold=True)
    sent = [payload.hex() for _, _, payload in reports(b"".join(shoe.sends(act) for act in coup()))]
    assert sent[:5] == ["8180", "9180", "8280", "9280", "8380"]
    assert sent[5:] == ["81b2", "91a7", "82b9", "92c7", "839c", "c2", ""]


def test_disclosed_values_come_with_the_cards() -> None:
    shoe = AngelShoe(withhold=False)
    sent = reports(b"".join(shoe.sends(act) for act in coup()))
    assert "".join(code for _, code, _ in sent) == "DDDDDGP"
    assert [payload.hex() for _, _, payload in sent[:5]] == ["81b2", "91a7", "82b9", "92c7", "839c"]


def test_an_over_draw_is_an_error_a_card_outside_and_its_clearing() -> None:
    shoe, card = AngelShoe(withhold=True), Card.parse("7s")
    happened: list[acts.Act] = [acts.Surplus(card), acts.SurplusShown(card), acts.SurplusCleared()]
    sent = b"".join(map(shoe.sends, happened))
    assert [(code, payload.hex()) for _, code, payload in reports(sent)] == [
        ("E", "82"),
        ("d", "a080"),
        ("i", "81b7"),
        ("e", "82"),
    ]


def test_a_carried_card_is_retransmitted_and_revealed_as_the_first_of_the_player() -> None:
    shoe = AngelShoe(withhold=True)
    told = acts.Result("tie", player_pair=False, banker_pair=False)
    sent = reports(shoe.sends(acts.Carried(Card.parse("7s"))) + shoe.sends(told))
    assert [(code, payload.hex()) for _, code, payload in sent] == [("R", "8180"), ("I", "81b7"), ("G", "a0")]


def test_a_slot_that_the_shoe_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="range"):
        AngelShoe(withhold=True).sends(acts.BurnCounted(Card.parse("7s"), -1))


@pytest.mark.parametrize("withhold", [True, False])
def test_whatever_such_a_shoe_can_tell_is_sent_in_whole_frames(withhold: bool) -> None:
    shoe = AngelShoe(withhold=withhold)
    for dealt in islice(PuntoBancoDealer(rules_of("pb-nj"), 5, 0.7, SHOE_CAN_TELL), 400):
        for act in dealt.acts:
            reports(shoe.sends(act))


def acts_of(recording: bytes) -> Iterator[acts.Act]:
    """The acts behind a recording that withholds values; the cards are those that it reveals later."""
    found = reports(recording)
    for place, (_, code, payload) in enumerate(found):
        if code == "D":
            shown = next(revealed for _, kind, revealed in found[place:] if kind == "I" and revealed[0] == payload[0])
            card = Card("A23456789TJQK"[(shown[1] & 15) - 1], "dcsh"[(shown[1] >> 4 & 7) - 1])
            yield acts.Dealt("banker" if payload[0] & 0x10 else "player", payload[0] & 15, card, "down")
        elif code == "G":
            winner: acts.Winner = {1: "player", 2: "tie", 4: "banker"}[payload[0] >> 4 & 7]  # type: ignore[assignment]
            yield acts.Result(winner, bool(payload[0] & 1), bool(payload[0] & 2))
        elif code in "SP":
            yield acts.Started() if code == "S" else acts.StandBy()


def test_a_real_shoe_sent_the_same_bytes() -> None:
    if not RECORDING.exists():
        pytest.skip("no recording at ../shared/data/angel-eye")
    lines = [line for line in RECORDING.read_text().split("\n") if line and not line.startswith("#")]
    recording = b"".join(map(bytes.fromhex, lines))
    shoe = AngelShoe(withhold=True)
    assert b"".join(shoe.sends(act) for act in acts_of(recording)) == recording
