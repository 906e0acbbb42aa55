"""Every deal of one and of two boxes up to the first decision, against the reference: whatever card can come next,
wherever it may go and however it may lie, what else can come in its place, and up to two words beyond the deal.

In the deal the ranks make no difference: a place is right or wrong whatever comes to it. They count once it is
complete, where the dealer's upcard asks for insurance and the reader and where a box has a natural: so each card that
is right comes as one of a few that make all of these, and one that is wrong comes once. A card burned after a dealer's
natural is left out: the contract does not say which of two codes it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from blackjack_log import header_of
from reference.blackjack import Judge, answer, table_after
from reference.houses import house
from reference_lines import Line, Lines, compare

TABLES = (
    "sl",
    "sl scanner_approved=false",
    "sl peek=required insurance=at_turn",
    "nd-card-reader",
    "nd-no-peek",
    "nd-no-peek insurance=none",
    "nd-no-hole",
    "nz",
    "fr",
    "pa",
    "us-card-reader peek=allowed signal=required",
    "us-card-reader scanner_approved=false",
)
BOXES = ((1,), (3,), (1, 2), (2, 5))
RANKS = {"first": "AT", "others": "6", "dealer": "AT6"}
PEEKS = ("peek=natural", "peek=no_natural", "peek=error")
BEYOND_DEAL = 2


def lines_of(head: str, boxes: Sequence[int]) -> Lines:
    header = header_of(head)
    at_table = house(header.procedure or "", header.options)

    def words(line: Line) -> Iterator[str]:
        return _words(table_after(at_table, boxes, line), line)

    opened = f"R{','.join(map(str, boxes))}"
    start = (opened, "nmb") if header.procedure == "nz" else (opened,)
    return Lines(head, start, lambda line: answer(at_table, boxes, line), words)


def _words(table: Judge, line: Line) -> Iterator[str]:
    if "hole" in line or "close" in line or (line and line[-1].endswith(".split")):
        return
    beyond = sum(word[1:2] != ">" for word in line) + max(0, _cards(line) - 2 * len(table.boxes) - table.share)
    if beyond >= BEYOND_DEAL:
        return
    for place in (*table.boxes, min(set(range(1, 7)) - set(table.boxes))):
        for face in ("", "-", "."):
            yield from (f"{rank}>{place}{face}" for rank in _ranks(table, str(place), face))
    for face in ("", "-", "."):
        yield from (f"{rank}>d{face}" for rank in _ranks(table, "d", face))
    yield from ("close",) if table.natural_found else ("7>b", "close")
    if line and (table.house.hole or table.deal_complete):
        yield from (*PEEKS, *(("hole",) if table.house.hole else ()))
    if table.deal_complete:
        yield from ("ins+", "ins-", "look", *(f"{box}.{act}" for box in table.boxes for act in ("insure", "split")))


def _cards(line: Line) -> int:
    return sum(word[1:2] == ">" for word in line)


def _ranks(table: Judge, place: str, face: str) -> str:
    if place != table.next_place or any(said.startswith("!") for said in table.judge(f"6>{place}{face}")):
        return "6"
    first = place == str(table.boxes[0])
    return RANKS["dealer" if place == "d" else "first" if first and face == "" else "others"]


CASES = pytest.mark.parametrize(("head", "boxes"), [(head, boxes) for head in TABLES for boxes in BOXES], ids=str)


@CASES
def test_a_sample_of_the_deals(head: str, boxes: Sequence[int]) -> None:
    compared = compare(lines_of(head, boxes), most=4)
    assert compared.different == []
    assert compared.count > 150
    assert len(compared.answers) > 10


@pytest.mark.soak
@CASES
def test_every_deal(head: str, boxes: Sequence[int]) -> None:
    compared = compare(lines_of(head, boxes))
    assert compared.different == []
    assert compared.count > 2_000
