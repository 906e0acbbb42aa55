"""A reader that fails, at every moment of a round and in every procedure that deals with one: what can still be dealt,
what is due, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from blackjack_log import Story, holds, story
from doc_tables import table

from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check
from protocols.dealing.outlook import outlook
from protocols.events import MethodSelected, ReaderFaulted

PROCEDURES = {"cr": "nd-card-reader", "sl": "sl", "pa": "pa", "us": "us-card-reader"}
MAY_PEEK = {"sl"}
"""Where the reader may be used and need not."""
HOLE_FIRST = {"cr"}
"""Where the hole card may be the first of the dealer's cards while the reader is in use."""

DEALT = "R1 9>1 K>d 9>1 7>d-"
PLAYED = "1.stand hole=7 settle1=win close"
MOMENTS = {
    "before the round": "{}",
    "before the first card": "R1 {}",
    "after the first box's card": "R1 9>1 {}",
    "after the dealer's first card, up": "R1 9>1 K>d {}",
    "after the dealer's first card, down": "R1 9>1 7>d- {}",
    "after the dealer's second card": DEALT + " {}",
    "after insurance is closed": "R1 9>1 A>d 9>1 7>d- ins+ ins- {}",
    "after a reading that failed": DEALT + " peek=error {}",
    "after an answer": DEALT + " peek=no_natural {}",
}
"""Where a reader's failure can come, with a log that has it there."""

ACT, AFTER_A_PEEK = "player.acted box:1", "hole.revealed player.acted"
DOWN, UP, EITHER = "card.drawn to dealer down", "card.drawn to dealer up", "card.drawn to dealer"
NOW_DUE: Mapping[str, str | Mapping[str, str]] = {
    "R1 fault": "card.drawn to box:1 up",
    "R1 9>1 fault method=nd-no-hole": UP,
    "R1 9>1 K>d fault": "card.drawn to box:1 up",
    "R1 9>1 K>d fault 9>1": DOWN,
    "R1 9>1 K>d fault method=nd-no-peek 9>1": DOWN,
    "R1 9>1 K>d fault method=nd-no-hole 9>1": ACT,
    "R1 9>1 K>d fault method=nd-no-hole 9>1 1.stand": UP,
    f"{DEALT} fault": ACT,
    "R1 9>1 A>d 9>1 7>d- ins+ fault": {"cr": "insurance.closed", "sl": f"insurance.closed {ACT}"},
    "R1 9>1 A>d 9>1 7>d- ins+ ins- fault": ACT,
    f"{DEALT} peek=error": AFTER_A_PEEK,
    f"{DEALT} peek=error fault": AFTER_A_PEEK,
    f"{DEALT} peek=no_natural fault": AFTER_A_PEEK,
    f"{DEALT} peek=natural fault": AFTER_A_PEEK,
    f"{DEALT} fault restore": ACT,
    f"{DEALT} fault {PLAYED} restore {DEALT}": {"cr": "reader.peeked", "sl": f"reader.peeked {ACT}"},
    f"{DEALT} fault {PLAYED} {DEALT}": ACT,
    f"{DEALT} fault {PLAYED} method=nd-no-hole R1 9>1 K>d 9>1": ACT,
    "fault R1 9>1": {"cr": EITHER, "sl": EITHER},
}
"""What the display shows then; where the procedures differ, those in which the peek is compulsory as `cr`."""

JUDGED = f"""
{{}}: R1 9>1 K>d fault method=nd-no-hole 9>1 7>d- !hole_not_allowed
{{}}: R1 9>1 K>d fault 9>1 1.hit 2>1 !hole_missing
{{}}: method=nd-no-peek !method_unreachable
{{}}: fault restore method=nd-no-hole !method_unreachable
{{}}: fault method=sl !method_unreachable
{{}}: {DEALT} fault method=nd-no-hole !method_unreachable {PLAYED}
{{}}: {DEALT} fault method=nd-no-hole !method_unreachable {PLAYED} {DEALT}
{{}}: {DEALT} fault peek=no_natural !peek_in_no_peek_mode
{{}}: {DEALT} fault restore peek=no_natural !peek_in_no_peek_mode
{{}}: {DEALT} fault {PLAYED} {DEALT} peek=no_natural !peek_in_no_peek_mode
{{}}: {DEALT} fault {PLAYED} {DEALT} {PLAYED} restore {DEALT} peek=no_natural {PLAYED}
{{}}: {DEALT} peek=error peek=no_natural {PLAYED}
{{}}: {DEALT} peek=error {PLAYED}
{{}}: {DEALT} peek=error 1.hit 2>1 peek=no_natural !peek_repeated
{{}}: {DEALT} peek=error fault peek=no_natural !peek_in_no_peek_mode
{{}}: {DEALT} peek fault {PLAYED}
{{}}: {DEALT} peek=no_natural fault {PLAYED} {DEALT} {PLAYED}
{{}}: {DEALT} peek=no_natural fault method=nd-no-hole {PLAYED} R1 9>1 K>d 9>1 1.stand 7>d settle1=win close
{{}} fallback=nd-no-hole: {DEALT} fault {PLAYED} R1 9>1 K>d 9>1 1.stand 7>d settle1=win close
{{}} fallback=nd-no-hole: {DEALT} fault {PLAYED} {DEALT} !hole_not_allowed
{{}} fallback=nd-no-hole: R1 9>1 K>d fault method=nd-no-peek 9>1 7>d- {PLAYED} {DEALT} {PLAYED}
{{}} fallback=nd-no-hole: R1 9>1 K>d fault restore 9>1 1.stand 7>d settle1=win close {DEALT} peek=no_natural {PLAYED}
{{}}: {DEALT} peek=natural hole=7 !reader_mismatch void {DEALT}
{{}}: R1 9>1 K>d 9>1 A>d- peek=no_natural 1.stand hole=A !reader_mismatch void {DEALT}
{{}}: {DEALT} peek=natural 1.hit 2>1 !draw_after_dealer_natural
"""
ONCE_OUT_THE_HOLE_CARD_MAY_BE_FIRST = "{}: fault R1 9>1 7>d- 9>1 K>d 1.stand hole=7 settle1=win close"


OUT = "the reader is out of use"
SAID = {
    "fault": f"{OUT}: no peek in the next round",
    "R1 fault": f"{OUT}: no peek in this round",
    "R1 9>1 K>d fault method=nd-no-hole": f"{OUT}: no hole card in this round",
    f"{DEALT} fault": f"{OUT}: no peek in this round",
    f"{DEALT} fault restore": "no peek in this round",
    f"{DEALT} peek=error": "",
    f"{DEALT} peek=no_natural fault": f"{OUT} from the next round on",
    f"{DEALT} peek=error fault": f"{OUT} from the next round on",
    f"{DEALT} peek=natural hole=7": "this round is disputed: a supervisor decides",
    "R1 9>1 K>d 9>1 A>d- peek=no_natural 1.stand hole=A": "this round is disputed: a supervisor decides",
}
"""What the display says besides; of an error as of any answer, for nobody may know which it was."""


def logs(text: str) -> list[str]:
    """The lines with each procedure in turn."""
    return [line.format(short) for line in text.strip().splitlines() for short in PROCEDURES]


def after(log: Story) -> Check:
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    return check


def test_these_are_the_procedures_with_a_reader() -> None:
    found = {name for name, procedure in procedures().items() if "fallback" in procedure.options}
    assert found == set(PROCEDURES.values())


@pytest.mark.parametrize("short", PROCEDURES)
@pytest.mark.parametrize("row", table("fallback.md", "the reader fails"), ids=lambda row: row["the reader fails"])
def test_what_can_still_be_chosen_is_what_the_page_says(short: str, row: dict[str, str]) -> None:
    check = after(story(f"{short}: {MOMENTS[row['the reader fails']].format('fault')}"))
    assert not check.state.round.disputed or (short not in HOLE_FIRST and "down" in row["the reader fails"])
    for method in ("nd-no-peek", "nd-no-hole"):
        _, verdict = check.step(MethodSelected(procedure=method))
        assert verdict.code == ("method_unreachable" if row[method] == "no" else None)


def test_the_page_tells_of_every_moment() -> None:
    assert [row["the reader fails"] for row in table("fallback.md", "the reader fails")] == list(MOMENTS)


@pytest.mark.parametrize("short", PROCEDURES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_can_be_chosen_while_the_reader_is_in_use(short: str, moment: str) -> None:
    check = after(story(f"{short}: {MOMENTS[moment].format('')}"))
    for method in ("nd-no-peek", "nd-no-hole"):
        assert check.step(MethodSelected(procedure=method))[1].code == "method_unreachable"
    assert check.step(ReaderFaulted())[1].outcome == "ok"


@pytest.mark.parametrize("short", PROCEDURES)
@pytest.mark.parametrize("log", NOW_DUE)
def test_what_is_due(short: str, log: str) -> None:
    expected = NOW_DUE[log]
    words = expected if isinstance(expected, str) else expected["sl" if short in MAY_PEEK else "cr"]
    assert " ".join(after(story(f"{short}: {log}")).due()) == words


@pytest.mark.parametrize("short", PROCEDURES)
@pytest.mark.parametrize("log", SAID)
def test_what_the_display_says_besides(short: str, log: str) -> None:
    assert "; ".join(outlook(after(story(f"{short}: {log}"))).remarks) == SAID[log]


@pytest.mark.parametrize("log", logs(JUDGED))
def test_what_is_wrong_with_it(log: str) -> None:
    holds(log)


@pytest.mark.parametrize("log", logs(ONCE_OUT_THE_HOLE_CARD_MAY_BE_FIRST))
def test_the_hole_card_may_be_the_first_once_the_reader_is_out(log: str) -> None:
    holds(log)


@pytest.mark.parametrize("short", PROCEDURES)
def test_the_hole_card_that_lies_first_when_the_reader_fails(short: str) -> None:
    wrong = "" if short in HOLE_FIRST else "!face "
    holds(f"{short}: R1 9>1 7>d- {wrong}fault 9>1 K>d 1.stand hole=7 settle1=win close")
    follows = after(story(f"{short}: R1 9>1 7>d- fault 9>1")).due()
    assert follows == ((UP,) if short in HOLE_FIRST else (EITHER,))
