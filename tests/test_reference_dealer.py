"""Every line of the dealer against a box that has done, against the reference: all ranks until the dealer has to stop,
one card beyond, one card short.

The dealer's cards count by their points alone, so a ten stands for every card of ten; hands of more than two cards with
the same upcard and the same points, soft or hard, go on as one. The round ends by being closed, by
the box being settled with every result there is, or by cards being collected."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import pytest
from blackjack_log import header_of
from reference.blackjack import Judge, answer, table_after
from reference.hands import makes_natural, total
from reference.houses import house
from reference.table import DEALT
from reference_lines import Line, Lines, compare

RANKS = "A23456789T"
ENDS_OF_ONE = (
    "collect1",
    "settle1",
    *(f"settle1={result}" for result in ("win", "push", "lose", "natural", "surrender")),
)
END_OF_SPLIT = tuple(f"settle1a={result}" for result in ("win", "push", "lose", "natural"))
ENDS = ("close", "collectd", *ENDS_OF_ONE, *END_OF_SPLIT)

BOXES = {
    "stands on 19": ("T>1", "9>1", "1.stand"),
    "is over 21": ("T>1", "6>1", "1.hit", "T>1"),
    "has 20 of a split and is over 21": ("T>1", "T>1", "1.split", "T>1a", "1a.stand", "5>1b", "1b.hit", "T>1b"),
    "has a natural": ("A>1", "T>1"),
    "gave up": ("T>1", "6>1", "1.surrender"),
}
TABLES = (
    "nd-no-peek",
    "nd-no-peek soft_17=hit dealer_draw_no_live_hands=violation",
    "nd-card-reader",
    "nd-no-hole soft_17=hit",
    "nd-no-hole dealer_draw_no_live_hands=allow",
    "us-card-reader soft_17=hit",
    "sl",
    "nz soft_17=hit",
    "fr",
)
HOLE_FIRST = ("nd-no-peek", "nd-card-reader")


def lines_of(head: str, box: str, *, hole_first: bool = False) -> Lines:
    header = header_of(head)
    at_table = house(header.procedure or "", header.options)
    first, *script = BOXES[box]

    def words(line: Line) -> Iterator[str]:
        table = table_after(at_table, (1,), (first, *line))
        return _words(table, line, script, "-" if hole_first else "")

    def alike(line: Line) -> Hashable:
        """Which of the dealer's cards lies open, what they count, whether they are two, and all that others did."""
        table = table_after(at_table, (1,), (first, *line))
        others = tuple(word for word in line if word[1:3] != ">d")
        return others, table.upcard, total(table.dealer_ranks), min(len(table.dealer), DEALT + 1)

    start = ("R1", "nmb", first) if header.procedure == "nz" else ("R1", first)
    return Lines(head, start, lambda line: answer(at_table, (1,), (first, *line)), words, alike=alike)


def _words(table: Judge, line: Line, script: Sequence[str], first_face: str) -> Iterator[str]:
    """The deal, insurance and the peek as they should be, the box's script, then everything that may come."""
    second_face = "" if first_face else "-"
    played = [word for word in line if word[1:2] != ">" or word[2] != "d"]
    played = [word for word in played if word != "ins-" and not word.startswith("peek")]
    if not table.dealer:
        yield from (f"{rank}>d{first_face}" for rank in RANKS)
    elif not played:
        yield script[0]
    elif len(table.dealer) < table.share:
        yield from (f"{rank}>d{second_face}" for rank in RANKS)
    elif table.peek_is_due:
        insured = table.insurance == "closed" or table.upcard != "A"
        yield f"peek={'natural' if makes_natural(table.dealer_ranks) else 'no_natural'}" if insured else "ins-"
    elif len(played) < len(script) and not table.natural_found:
        yield script[len(played)]
    elif line[-1] not in ENDS:
        yield from _dealer_plays(table)


def _dealer_plays(table: Judge) -> Iterator[str]:
    wrong = any(said.startswith("!") for said in table.judge("5>d"))
    yield from (f"{rank}>d" for rank in ("5" if wrong else RANKS))
    yield from ("5>d-", "5>1b" if table.hands[1][0].split else "5>1", *(("hole",) if table.hole_is_down else ()))
    yield from ("close", "collectd", *(END_OF_SPLIT if table.hands[1][0].split else ENDS_OF_ONE))


def cases() -> list[tuple[str, str, bool]]:
    found = []
    for head in TABLES:
        for box in BOXES:
            offers = " surrender=late" if box == "gave up" else ""
            if offers and head == "sl":
                continue
            found += [(head + offers, box, False)]
            found += [(head + offers, box, True)] if head.split()[0] in HOLE_FIRST else []
    return found


CASES = pytest.mark.parametrize(("head", "box", "hole_first"), cases())


@CASES
def test_a_sample_of_the_dealers_lines(head: str, box: str, hole_first: bool) -> None:
    compared = compare(lines_of(head, box, hole_first=hole_first), most=4)
    assert compared.different == []
    assert compared.count > 80
    assert len(compared.answers) > 3


@pytest.mark.soak
@CASES
def test_every_line_of_the_dealer(head: str, box: str, hole_first: bool) -> None:
    compared = compare(lines_of(head, box, hole_first=hole_first))
    assert compared.different == []
    assert compared.count > 1_000
