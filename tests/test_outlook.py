"""What the display says beside the verdict: what is right next, and what is out of the ordinary at the table."""

from __future__ import annotations

import pytest
from blackjack_log import story

from controller.cli.lines import due_line
from protocols.dealing.check import Check
from protocols.dealing.outlook import Outlook, outlook
from protocols.events import Event, LogHeader, ShoeFaulted

NO_PEEK = "the reader is out of use: no peek in this round"
DISPUTED = "this round is disputed: a supervisor decides"
LAST = "the cutting card has shown: this round is the last one"


def after(header: LogHeader, events: tuple[Event, ...]) -> Outlook:
    check = Check.start(header)
    for event in events:
        check, _ = check.step(event)
    return outlook(check)


@pytest.mark.parametrize(
    ("text", "remarks"),
    [
        ("cr: R1 9>1 6>d", ()),
        ("cr: R1 9>1 fault", (NO_PEEK,)),
        ("cr: fault", ("the reader is out of use: no peek in the next round",)),
        ("cr fallback=nd-no-hole: fault R1", ("the reader is out of use: no hole card in this round",)),
        (
            "cr: R1 9>1 K>d 9>1 7>d- peek=no_natural fault",
            ("the reader is out of use from the next round on",),
        ),
        ("cr: R1 9>1 fault restore", ("no peek in this round",)),
        ("cr: R1 9>1 6>d 9>1 7>d- 1.stand 5>1", (DISPUTED,)),
        ("cr: R1 9>1 gap", ("the log has a gap in this round, it is not judged",)),
        ("cr: R1 9>1 cutcard K>d", (LAST,)),
        ("cr: R1 9>1 6>d 9>1 7>d- 1.stand 5>1 close", ()),
    ],
)
def test_what_is_out_of_the_ordinary_is_said(text: str, remarks: tuple[str, ...]) -> None:
    told = story(text)
    assert after(told.header, told.events).remarks == remarks


def test_the_shoe_in_error_is_said_in_every_game() -> None:
    assert after(LogHeader(procedure="pb-nj"), (ShoeFaulted(),)) == Outlook(
        ("shoe.restored",), ("the shoe is in error",)
    )


def test_the_line_of_a_display() -> None:
    shown = {"verdict": {"event": 7, "outcome": "ok"}, "due": ["hole.revealed"], "remarks": [NO_PEEK]}
    assert due_line(shown) == f"event 7 ok; {NO_PEEK}; next: hole.revealed"
    assert due_line({**shown, "due": [], "remarks": [DISPUTED]}) == f"event 7 ok; {DISPUTED}; next: nobody can say"
    assert due_line({"verdict": None, "due": ["round.opened"]}) == "next: round.opened"
