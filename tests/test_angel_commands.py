"""What an Angel Eye shoe is told and how it answers: bytes, the session with its retries, the simulated shoe."""

from __future__ import annotations

from itertools import pairwise

import angel_frames as wire
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.cards import Card
from protocols.device_session import NEVER, Answered, Heard, LinkIs, Send
from protocols.line_session import Returned
from protocols.orders import (
    Answer,
    Attest,
    ClearError,
    CommandCheck,
    ConfirmGame,
    Lock,
    Order,
    PeekArm,
    PeekCancel,
    SelfTest,
)
from protocols.wire.angel_commands import Acknowledged, Nacked, Reply, ReplyDecoder, Told, command
from protocols.wire.angel_eye import ErrorCleared, LockChanged, Report
from protocols.wire.angel_session import AngelSession, Outputs
from simulators import acts
from simulators.angel_shoe import AngelShoe

MS = 1_000_000
LOCK = bytes.fromhex("02 4f 50 4c 4b 30 32 03 31 42")
GIVEN: list[tuple[Order, CommandCheck, bytes | None]] = [
    (Lock(locked=True), "with_stx", LOCK),
    (Lock(locked=True), "without_stx", b"\x02OPLK02\x0319"),
    (Lock(locked=False), "with_stx", b"\x02OPLK01\x0318"),
    (ClearError(2), "with_stx", b"\x02OPEC02\x031A"),
    (ClearError(17), "without_stx", b"\x02OPEC17\x031C"),
    (ConfirmGame(), "with_stx", b"\x02OPGP00\x0309"),
    *((order, "with_stx", None) for order in (ClearError(100), ClearError(-1), SelfTest(), Attest(), PeekCancel(1))),
    (PeekArm(1, "ace"), "with_stx", None),
]
ANSWER = b"\x02GP00\x0314"
REPLIES: list[tuple[bytes, list[Reply]]] = [
    (b"\x06", [Acknowledged()]),
    (b"\x15\x02", [Nacked(2)]),
    (b"\x15\xff\x06", [Nacked(0xFF), Acknowledged()]),
    (ANSWER, [Told(b"GP00")]),
    (b"\x02GP00\x0315", []),
    (b"\x15\x05\x06", [Acknowledged()]),
    (b"\x02GP\x06", [Acknowledged()]),
    (b"\x02\x02GP00\x0314", [Told(b"GP00")]),
    (b"\x02" + b"x" * 40 + b"\x06", [Acknowledged()]),
    (b"\x15", []),
]


@pytest.mark.parametrize(("order", "check", "data"), GIVEN)
def test_a_command(order: Order, check: CommandCheck, data: bytes | None) -> None:
    assert command(order, check) == data


@pytest.mark.parametrize(("data", "replies"), REPLIES)
def test_a_reply(data: bytes, replies: list[Reply]) -> None:
    assert list(ReplyDecoder().feed(data)) == replies


@given(
    st.lists(st.one_of(st.sampled_from([data for data, _ in REPLIES]), st.binary(max_size=6))).map(b"".join), st.data()
)
def test_any_split_gives_the_same_replies(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    whole, parts = ReplyDecoder(), ReplyDecoder()
    replies = [reply for start, end in pairwise([0, *cuts, len(stream)]) for reply in parts.feed(stream[start:end])]
    assert list(whole.feed(stream)) == replies
    assert whole.used == parts.used


def test_what_a_shoe_answers_shows_in_no_repr() -> None:
    assert "GP00" not in repr(ReplyDecoder().feed(ANSWER))


class Host:
    """A session on an open line, and a clock."""

    def __init__(self, check: CommandCheck | None = "with_stx") -> None:
        self.session = AngelSession(check)
        self.now = 0
        self.answers: dict[int, Answer] = {}
        self.reports: list[Report] = []
        self.states: list[str] = []
        self.away: list[int] = []
        self.written = b""
        self._note(self.session.connect(b"", 0))
        self.after(250)

    def tell(self, order: Order) -> int:
        cid = self.session.command(order)
        self.after(0)
        return cid

    def hear(self, data: bytes) -> None:
        self._note(self.session.feed(data, self.now))

    def after(self, ms: int) -> None:
        until = self.now + ms * MS
        while self.session.deadline <= until:
            self.now = max(self.now, self.session.deadline)
            self._note(self.session.tick(self.now))
        self.now = until

    def take(self) -> bytes:
        written, self.written = self.written, b""
        return written

    def talk(self, shoe: AngelShoe) -> None:
        while written := self.take():
            self.hear(shoe.hear(written))

    def _note(self, outputs: Outputs) -> None:
        for output in outputs:
            match output:
                case Send(data):
                    self.written += data
                case Answered(cid, answer):
                    self.answers[cid] = answer
                case LinkIs(state):
                    self.states.append(state)
                case Heard(Returned(away)):
                    self.away.append(away)
                case Heard(report) if isinstance(report, Report):
                    self.reports.append(report)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (b"\x06", "ok"),
        (ANSWER, "ok"),
        (b"\x15\x11", "bad_arg"),
        (b"\x15\x12", "bad_arg"),
        (b"\x15\x13", "unknown_op"),
        (b"\x15\x14", "unknown_op"),
        (b"\x15\x21", "busy"),
        (b"\x15\x22", "busy"),
        (b"\x15\xff", "failed"),
    ],
)
def test_an_order_and_its_answer(reply: bytes, answer: Answer) -> None:
    host = Host()
    cid = host.tell(Lock(locked=True))
    assert host.take() == LOCK
    host.hear(wire.frame(1, "P") + reply[:1])
    host.hear(reply[1:] + wire.frame(2, "P"))
    assert host.answers == {cid: answer}
    assert [report.digit for report in host.reports] == [1, 2]
    assert host.session.counters.discarded == 0
    host.after(5000)
    assert host.take() == b""


@pytest.mark.parametrize("reason", [1, 2, 3])
def test_what_was_damaged_on_the_line_is_said_again_three_times_in_all(reason: int) -> None:
    host = Host()
    cid = host.tell(Lock(locked=True))
    for _ in range(3):
        assert host.take() == LOCK
        host.hear(bytes([0x15, reason]))
    assert host.take() == b""
    assert host.answers == {cid: "failed"}


def test_silence_is_asked_three_times_and_then_given_up() -> None:
    host = Host()
    first, second = host.tell(Lock(locked=True)), host.session.command(ConfirmGame())
    host.after(1499)
    assert host.take() == LOCK * 3
    assert host.answers == {}
    host.after(1)
    assert host.answers == {first: "no_answer"}
    assert host.take() == b"\x02OPGP00\x0309"
    host.hear(ANSWER)
    assert host.answers == {first: "no_answer", second: "ok"}


def test_one_order_after_the_other() -> None:
    host = Host()
    cids = [host.session.command(ClearError(number)) for number in (1, 2)]
    host.hear(b"\x06")
    assert host.answers == {}, "nothing was asked yet"
    host.after(0)
    host.hear(b"\x06\x06")
    assert host.answers == {cids[0]: "ok"}, "one answer to a command"
    host.hear(b"\x06")
    assert host.answers == dict.fromkeys(cids, "ok")


def test_a_lost_line_answers_what_was_asked() -> None:
    host = Host()
    cids = [host.tell(Lock(locked=True)), host.session.command(SelfTest())]
    assert host.session.disconnect(host.now) == (Answered(cids[1], "unsupported"), Answered(cids[0], "no_answer"))
    host.session.connect(b"", host.now)
    host.take()
    host.after(5000)
    assert host.take() == b""


def test_what_this_shoe_cannot_do_is_never_written() -> None:
    host = Host()
    orders: list[Order] = [SelfTest(), Attest(), PeekArm(1, "ace"), ClearError(100)]
    cids = [host.tell(order) for order in orders]
    assert host.answers == dict.fromkeys(cids, "unsupported")
    assert host.take() == b""


def test_without_leave_nothing_is_ever_written_or_listened_to() -> None:
    host = Host(None)
    orders: list[Order] = [Lock(locked=True), ClearError(2), ConfirmGame()]
    cids = [host.tell(order) for order in orders]
    host.hear(b"\x06\x15\x02" + LOCK)
    host.after(10_000)
    assert host.take() == b""
    assert host.answers == dict.fromkeys(cids, "unsupported")
    assert host.session.counters.discarded == 3 + len(LOCK)


def test_a_line_is_ready_with_its_first_bytes_or_after_a_short_silence_and_tells_how_long_it_was_away() -> None:
    host = Host()
    assert host.states == ["ready"]
    assert host.session.deadline == NEVER
    host.session.disconnect(host.now)
    assert not host.session.is_ready
    host.session.connect(b"", host.now + 1000 * MS)
    host.session.disconnect(host.now + 1100 * MS)
    host.session.connect(b"", host.now + 2000 * MS)
    host.after(3000)
    assert host.states == ["ready", "ready"]
    assert host.away == [2250 * MS]


@pytest.mark.parametrize("check", ["with_stx", "without_stx"])
def test_the_simulated_shoe_obeys(check: CommandCheck) -> None:
    shoe, host = AngelShoe(withhold=True, check_covers_stx=check == "with_stx"), Host(check)
    host.hear(shoe.sends(acts.Started()) + shoe.sends(acts.Surplus(Card("7", "s"))))
    orders: list[Order] = [Lock(locked=True), Lock(locked=True), Lock(locked=False), ClearError(2), ConfirmGame()]
    for order in orders:
        host.tell(order)
        host.talk(shoe)
    assert list(host.answers.values()) == ["ok"] * 5
    told = [report for report in host.reports if isinstance(report, LockChanged | ErrorCleared)]
    assert [getattr(report, "locked", None) for report in told[::3]] == [True, False, None]
    assert shoe.errors == set()
    assert shoe.sends(acts.SurplusCleared()) == b"", "it is cleared already"


def test_the_simulated_shoe_refuses() -> None:
    shoe, host = AngelShoe(withhold=True), Host("without_stx")
    host.tell(Lock(locked=True))
    host.talk(shoe)
    assert host.answers == {1: "failed"}, "the check is made the other way"
    assert not shoe.locked
    host = Host()
    host.tell(ClearError(4))
    host.talk(shoe)
    shoe.busy = True
    host.tell(Lock(locked=True))
    host.talk(shoe)
    assert list(host.answers.values()) == ["failed", "busy"]
    assert not shoe.locked


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"\x02OPLK2\x032B", 0x11),
        (b"\x02OPLKxx\x0319", 0x11),
        (b"\x02QPLK02\x0305", 0x13),
        (b"\x02OPXX02\x031C", 0x14),
        (b"\x02OPLK03\x031A", 0x11),
        (b"\x02OPLK02\x0300", 0x02),
        (b"\x02" + b"O" * 20, 0x03),
    ],
)
def test_the_simulated_shoe_says_what_is_wrong(said: bytes, reason: int) -> None:
    assert AngelShoe(withhold=True).hear(b"noise" + said)[:2] == bytes([0x15, reason])


def test_a_locked_shoe_lets_cards_out_of_the_game_only() -> None:
    shoe = AngelShoe(withhold=True)
    shoe.hear(LOCK)
    assert shoe.sends(acts.Dealt("player", 1, Card("7", "s"), "down"))[2:3] == b"d"
