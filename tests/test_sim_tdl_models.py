"""What the simulated shoe and the simulated reader tell, each of its own trade."""

from __future__ import annotations

import hashlib
from struct import pack, unpack_from

import pytest
from sim_host import Host, greeted, reader, shoe

from protocols.cards import Card
from simulators.tdl import codes
from simulators.tdl.reader import Fault
from simulators.tdl.shoe import FOREIGN, UNREADABLE


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
    device.draw(UNREADABLE, 101.0, outside=True)
    device.show_cutting_card(102.0)
    device.fail(0x02, codes.HOLD, 103.0)
    assert device.errors == {2}
    assert host.command(1, codes.CLEAR_ERR, b"\x02") == (0, b"")
    device.end(104.0)
    host.ack(device.last_event - 1)
    told = [codes.SHOE_LOADED, codes.CARD, codes.CUT_CARD, codes.ERR_SET, codes.ERR_CLR, codes.SHOE_END]
    assert host.kinds() == told
    [card] = [body[13:] for kind, body in host.heard if kind == 0x10 and body[12] == codes.CARD][:1]
    assert unpack_from("<IHBBBB", card) == (1, 1, 0xFF, 0x7F, codes.OUTSIDE, 100)


def test_a_foreign_card_and_one_that_is_turned_as_another() -> None:
    device = shoe()
    host = greeted(device)
    device.load(6, 101.0)
    device.draw(FOREIGN, 101.0)
    device.draw(Card.parse("Kh"), 101.0, withhold=True)
    device.turn_as(2, Card.parse("2h"))
    device.turn(2, 102.0)
    _, foreign, card, reveal = [body[13:] for kind, body in host.listen() if kind == 0x10]
    assert foreign[7] == 0x7E
    shoe_no, draw_no, value, nonce = unpack_from("<IHB16s", reveal)
    assert value == 0x42
    assert hashlib.sha256(nonce + pack("<IHB", shoe_no, draw_no, value)).digest()[:16] != card[-16:]


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


def test_a_verdict_may_lag() -> None:
    device = reader()
    host = greeted(device)
    host.command(1, codes.PEEK_ARM, ARM)
    device.lag = 2.0
    device.seat(host.now, natural=True)
    host.wait(2.3)
    assert device.timers()
    host.wait(0.2)
    host.ack(device.last_event)
    assert verdicts(host) == [(12, 1, 1)]


def test_a_broken_lamp_lets_nobody_arm_it() -> None:
    device = reader()
    host = greeted(device)
    device.lose_lamp(host.now)
    assert host.command(1, codes.PEEK_ARM, ARM) == (codes.WRONG_STATE, b"")
    device.mend(host.now)
    assert host.command(2, codes.PEEK_ARM, ARM) == (codes.OK, b"")


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
    device.mend(host.now)
    device.dazzle(host.now)
    assert host.command(2, codes.PEEK_ARM, pack("<IBBB", 13, 1, 0, 20))[0] == codes.WRONG_STATE
    device.mend(host.now)
    assert host.command(3, codes.PEEK_ARM, pack("<IBBB", 14, 1, 0, 20))[0] == codes.OK


def test_hurry_shortens_the_wait_for_a_verdict() -> None:
    device = reader()
    device.hurry = 8.0
    host = greeted(device)
    host.command(1, codes.PEEK_ARM, ARM)
    device.seat(host.now, natural=True)
    host.wait(0.051)
    assert verdicts(host) == [(12, 1, 1)]


def test_what_a_shoe_does_not_obey() -> None:
    bare = greeted(shoe(caps=0))
    assert bare.command(1, codes.DO_LOCK, b"\x01") == (codes.UNSUPPORTED, b"")
    host = greeted(shoe())
    assert host.command(1, codes.DO_LOCK, b"\x02") == (codes.BAD_ARG, b"")
    assert host.command(2, codes.CLEAR_ERR, b"\x02") == (codes.BAD_ARG, b"")
    host.device.fail(0x09, codes.FAULT, host.now)
    assert host.command(3, codes.CLEAR_ERR, b"\x09") == (codes.DENIED, b"")
    assert host.device.errors == {9}


def test_a_locked_shoe_lets_cards_out_of_the_game_only() -> None:
    device = shoe()
    host = greeted(device)
    host.command(1, codes.DO_LOCK, b"\x01")
    device.draw(Card.parse("2c"), host.now)
    [card] = [body[13:] for kind, body in host.listen() if kind == 0x10 and body[12] == codes.CARD]
    assert card[8] == codes.OUTSIDE


def test_a_reader_does_not_test_itself_while_it_waits_for_a_peek() -> None:
    host = greeted(reader())
    host.command(1, codes.PEEK_ARM, ARM)
    assert host.command(2, codes.DO_SELF_TEST, b"\xff\xff") == (codes.WRONG_STATE, b"")
    host.command(3, codes.PEEK_CANCEL, pack("<I", 12))
    assert host.command(4, codes.DO_SELF_TEST, b"\xff\xff") == (codes.OK, b"")
