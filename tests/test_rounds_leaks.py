"""A day of dealing in which every card that nobody ever turns is a club, and no other card is: no list, reconstruction,
export or replay, in any form, knows of a club."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from blackjack_log import story
from coup_log import events as coup_events
from kept_rounds import VAULT, dealt, keep, shown
from leaks import everything_read

from controller.journal_file import read_all
from controller.rounds.model import Reconstruction
from controller.withheld import record_context
from protocols.cards import Card
from protocols.events import Event, LogHeader
from protocols.hidden import opened_text

CLUB = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA]c(?![A-Za-z0-9])|of clubs")
TOLD_PEEK = re.compile(r'"type":"reader\.peeked"[^\n]*"result":')

VOIDED_AFTER_PEEK = story("cr: R1 9s>1 As>d 9d>1 Kh>d- ins- peek=natural void").events
VOIDED_COUP = coup_events("o n P9s_ B2h_ P9h_ B5d_ v")
VOIDED: dict[str, Sequence[Event]] = {
    "nd-card-reader": VOIDED_AFTER_PEEK,
    "pa": (),
    "nj-ms-shoe": (),
    "pb-fr": VOIDED_COUP,
    "pb-nj": VOIDED_COUP,
}
"""By procedure a round at the end of the day that is voided with cards face down."""


def in_suit(event: Event, suit: str | None) -> Event:
    """The event with its card in this suit; None: in its own, spades for clubs."""
    card = getattr(event, "card", None)
    if not isinstance(card, Card):
        return event
    return event.model_copy(update={"card": Card(card.rank, suit or ("s" if card.suit == "c" else card.suit))})


def never_turned(path: Path, rounds: int) -> set[int]:
    """The records of the cards that stay closed."""
    found = [shown(path, number) for number in range(1, rounds + 1)]
    return {card.seq for each in found for hand in each.hands for card in hand.cards if card.lies == "down"}


def kept_twice(folder: Path, header: LogHeader, events: Iterable[Event], rounds: int) -> tuple[Path, int]:
    """The journal of a day on which what is never turned are clubs, and how many such cards there are; each event is
    one record behind that of the header."""
    first = [in_suit(event, None) for event in events]
    closed = never_turned(keep(folder / "first.db", (header, first)), rounds)
    second = [in_suit(event, "c") if number in closed else event for number, event in enumerate(first, start=2)]
    return keep(folder / "second.db", (header, second)), len(closed)


def sealed_clubs(path: Path) -> int:
    """How many clubs lie sealed in the journal."""
    rows = list(read_all(path))
    epoch = re.search(rb'"epoch":"([0-9a-f]+)"', rows[0].body)
    assert epoch
    secrets = [VAULT.open(row.sealed, record_context(epoch[1].decode(), row.seq)) for row in rows if row.sealed]
    return sum(CLUB.fullmatch(opened_text(each.value)) is not None for each in secrets)


@pytest.mark.parametrize("rounds", [12, pytest.param(120, marks=pytest.mark.soak)])
@pytest.mark.parametrize("procedure", VOIDED)
def test_a_card_that_nobody_turned_is_nowhere(tmp_path: Path, procedure: str, rounds: int) -> None:
    log = dealt(procedure, 11, rounds, 0.3)
    events, rounds = (*log.events, *VOIDED[procedure]), rounds + bool(VOIDED[procedure])
    path, closed = kept_twice(tmp_path, log.header, events, rounds)
    assert closed > 1
    assert sealed_clubs(path) > 0
    for told in everything_read(path, range(1, rounds + 1)):
        found = CLUB.search(told)
        assert found is None, told[max(0, found.start() - 200) : found.end() + 50]


def test_a_club_that_is_told_is_found(tmp_path: Path) -> None:
    log = dealt("nd-card-reader", 11, 3)
    path = keep(tmp_path / "journal.db", (log.header, [in_suit(event, "c") for event in log.events]))
    told = everything_read(path, [1, 2, 3])
    silent = [text for text in told if not CLUB.search(text)]
    lists_and_replays = [text for text in told if text.lstrip().startswith(("1  ", '{"round":', "round "))]
    assert all(text in lists_and_replays or "verdicts checked again" in text for text in silent)
    assert len(silent) <= 4


def peeks(found: Reconstruction) -> int:
    """How many results of the reader are told."""
    events = [step.event for step in found.steps if step.event and step.event["type"] == "reader.peeked"]
    return sum("result" in event for event in events)


def test_what_the_reader_told_is_public_only_where_it_was_opened(tmp_path: Path) -> None:
    log = dealt("nd-card-reader", 4, 20, 0.5)
    events = (*log.events, *VOIDED_AFTER_PEEK)
    path = keep(tmp_path / "journal.db", (log.header, events))
    found = [shown(path, number) for number in range(1, 22)]
    opened = [sum(each.field == "result" for each in one.openings) for one in found]
    made = sum(event.name == "reader.peeked" for event in events)
    assert [peeks(each) for each in found] == opened
    assert 0 < sum(opened) < made
    exported = everything_read(path, [])[2]
    assert len(TOLD_PEEK.findall(exported)) == sum(opened)
