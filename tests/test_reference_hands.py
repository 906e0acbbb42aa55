"""Every line of one box with aces, fives, sixes and tens and at most five cards, against the reference.

Ranks count by their points, by being a pair and by being an ace; of these four come soft and hard totals, 21 with two
cards and with more, pairs of every kind and hands over 21. Which card a hand gets that may not get any makes no
difference, so there it is always the same one. At most two signals come between two cards: the second is the changed
mind. No signal comes to a hand that has one card or is finished in another way than by its stand, and to one that
stands only `hit` and `stand`: of what else is signalled then the contract says nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from blackjack_log import header_of
from reference.blackjack import Judge, answer, table_after
from reference.houses import house
from reference.table import ACT, DEALT
from reference_lines import Line, Lines, compare

RANKS = "A56T"
MOST_CARDS = 5
SIGNALS_IN_A_ROW = 2

TABLES = (
    "nd-no-peek",
    "nd-no-peek surrender=late draw_on_21=violation",
    "nd-no-peek max_hands=2 double_after_split=false",
    "nd-no-peek split_second_card=at_split surrender=early",
    "nd-no-peek resplit_aces=false pair=rank draw_on_21=allow",
    "nd-no-hole max_hands=3 surrender=late",
    "nd-card-reader resplit_aces=false split_second_card=at_split",
    "us-card-reader",
    "us-card-reader resplit_aces=true surrender=early max_hands=none",
    "us-card-reader signal=required double_after_split=false",
    "pa surrender=late draw_on_21=violation split_second_card=at_split",
    "sl",
    "nz surrender=late",
    "fr surrender=early",
    "fr draw_on_21=violation signal=required max_hands=2",
)


def lines_of(head: str, first: str, second: str, in_a_row: int = SIGNALS_IN_A_ROW) -> Lines:
    header = header_of(head)
    at_table = house(header.procedure or "", header.options)
    hole = ("T>d-",) if at_table.hole else ()
    deal = (f"{first}>1", "6>d", f"{second}>1", *hole)

    def after(line: Line) -> Judge:
        return table_after(at_table, (1,), (*deal, *line))

    def said(line: Line) -> str:
        return answer(at_table, (1,), (*deal, *line))

    start = ("R1", "nmb", *deal) if header.procedure == "nz" else ("R1", *deal)
    return Lines(head, start, said, lambda line: _words(after(line), line, in_a_row))


def _words(table: Judge, line: Line, in_a_row: int) -> Iterator[str]:
    if line and line[-1] in ("hole", "close", "T>d"):
        return
    yield from ("hole" if table.house.hole else "T>d", "close")
    letters = [hand.letter for hand in table.hands[1]]
    cards = sum(len(hand.ranks) for hand in table.hands[1])
    yield from _cards(table, "", cards)
    for letter in (*letters, "abcdef"[len(letters)]) if len(letters) > 1 else ("b",):
        yield from _cards(table, letter, cards)
    if cards < MOST_CARDS and _signals_at_the_end(line) < in_a_row:
        yield from _signals(table)


def _cards(table: Judge, letter: str, cards: int) -> Iterator[str]:
    wrong = any(said.startswith("!") for said in table.judge(f"5>1{letter}"))
    yield from (f"{rank}>1{letter}" for rank in ("5" if wrong or cards >= MOST_CARDS else RANKS))


def _signals_at_the_end(line: Line) -> int:
    return next((count for count, word in enumerate(reversed(line)) if not ACT.fullmatch(word)), len(line))


def _signals(table: Judge) -> Iterator[str]:
    for hand in table.hands[1]:
        name = f"1{hand.letter}" if len(table.hands[1]) > 1 else "1"
        its_turn = not table.before(1, hand)
        stands = hand.stood == "in_turn" or (hand.stood and not its_turn)
        if len(hand.ranks) < DEALT or (table.finished(hand) and not hand.stood):
            continue
        yield from (f"{name}.{act}" for act in ("hit", "stand"))
        if not stands:
            yield from (f"{name}.{act}" for act in ("double", "surrender"))
            yield from (f"{name}.split",) if len(hand.ranks) == DEALT else ()


DEALS = [(first, second) for first in RANKS for second in RANKS if first <= second]


@pytest.mark.parametrize("head", TABLES)
def test_a_sample_of_the_lines_of_one_box(head: str) -> None:
    compared = [compare(lines_of(head, *deal), most=3) for deal in DEALS]
    assert [story for one in compared for story in one.different] == []
    assert sum(one.count for one in compared) > 500
    assert len(set().union(*(one.answers for one in compared))) > 9


@pytest.mark.soak
@pytest.mark.parametrize("deal", [deal for deal in DEALS if deal[0] != deal[1]], ids="".join)
@pytest.mark.parametrize("head", TABLES)
def test_every_line_of_one_hand(head: str, deal: tuple[str, str]) -> None:
    compared = compare(lines_of(head, *deal))
    assert compared.different == []
    assert compared.count > (3 if deal == ("A", "T") else 100)


@pytest.mark.soak
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("head", [head for head in TABLES if head.startswith("nd") or "signal=required" in head])
def test_every_line_of_a_pair_with_one_signal_for_each_card(head: str, rank: str) -> None:
    compared = compare(lines_of(head, rank, rank, in_a_row=1))
    assert compared.different == []
    assert compared.count > 1_000


@pytest.mark.soak
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("head", TABLES)
def test_a_large_sample_of_the_lines_of_a_pair(head: str, rank: str) -> None:
    """With minds changed and cards that need no signal there are millions of lines, too many for all of them."""
    compared = compare(lines_of(head, rank, rank), most=150)
    assert compared.different == []
    assert compared.count > 1_000
