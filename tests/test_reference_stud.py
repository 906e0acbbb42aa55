"""Mississippi stud against the reference: every deal of one and two boxes, and every way in which one and two boxes can
bet and fold over three streets, each with whatever else can come in its place.

In the deal the cards make no difference, and a card of which nobody saw how it lies ends its line, as does a bet of a
named street or multiple: for what follows only that it was bet counts. An act on a street that is over, a fold between
two streets and a card turned a second time are left out: of these the contract says nothing. So is a round that ends
without anybody having acted."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from blackjack_log import header_of
from reference.stud import COMMUNITY, STREETS, Board, StudHouse, answer
from reference_lines import Line, Lines, compare
from stud_log import stud_event

CARDS = ("Js", "Jd", "4c", "7h", "5s", "Jc", "2d")
WINS = ((1, "win"), (2, "lose"))
ACT_IN_FULL = re.compile(r"\d\.bet.+")
RESULTS = ("win", "push", "lose")
DEALS = ("mh", "mh deal_pattern=pairs", "mh deal_pattern=passes", "ms")
BOXES = ((1,), (4,), (1, 2), (2, 5))


def house_of(head: str, boxes: tuple[int, ...]) -> StudHouse:
    shoe = head.startswith("ms")
    pattern = header_of(head).options.get("deal_pattern", "pairs" if shoe else "either")
    return StudHouse(shoe, ("pairs", "passes") if pattern == "either" else (pattern,), boxes, WINS)


def deals_of(head: str, boxes: tuple[int, ...]) -> Lines:
    house = house_of(head, boxes)

    def words(line: Line) -> Iterator[str]:
        board, card = Board(house, line), CARDS[min(len(line), 6)]
        if board.complete or (line and (line[-1] in ("stub", "close") or line[-1].endswith("."))):
            return
        for place in (*house.boxes, 6, *COMMUNITY, "b"):
            yield from (f"{card}>{place}{face}" for face in (("",) if place == "b" else ("", "+", ".")))
        yield from (f"{house.boxes[0]}.bet", "turn3", f"settle{house.boxes[0]}")
        yield from ("stub", "close") if board.places else ()
        if house.shoe and len(board.places) == 2 * len(house.boxes) and not board.in_hand:
            yield "out"

    opened = ("mix", f"R{','.join(map(str, boxes))}", "nmb")
    return Lines(head, opened, lambda line: answer(house, line), words, stud_event)


def acts_of(head: str, boxes: tuple[int, ...]) -> Lines:
    house = house_of(head, boxes)
    hands = [f"{card}>{box}" for card, box in zip(CARDS, [1, 1, 2, 2], strict=False) if box in boxes]
    board = [f"{card}>{place}" for card, place in zip(CARDS[4:], COMMUNITY, strict=True)]
    deal = (*hands, *(["out"] if house.shoe else []), *board)
    start = ("mix", f"R{','.join(map(str, boxes))}", "nmb", *deal, "stub")

    def words(line: Line) -> Iterator[str]:
        if line and (line[-1].startswith(("settle", "collect", "close")) or ACT_IN_FULL.fullmatch(line[-1])):
            return
        yield from _acts(Board(house, (*deal, *line)))

    return Lines(f"{head} uncounted=0", start, lambda line: answer(house, (*deal, *line)), words, stud_event)


def _acts(board: Board) -> Iterator[str]:
    waiting = board.waiting()
    for box in board.house.boxes:
        if box in board.folded or waiting or board.turned < len(STREETS) - 1:
            yield from (f"{box}.bet", f"{box}.betx3", f"{box}.betx4")
        if box in waiting:
            yield from (f"{box}.fold", *(f"{box}.bet{street}" for street in STREETS[board.turned :]))
        yield from (f"9c>{box}", f"collect{box}") if board.turned == len(STREETS) or box in board.folded else ()
        if box in board.folded or waiting or board.turned in (0, len(STREETS)):
            yield from (f"settle{box}", *(f"settle{box}={result}" for result in RESULTS))
    yield from (f"turn{street}" for street in STREETS[board.turned :])
    yield from ("9c>c3", "9c>c5", "9c>6", "9c>b")
    yield from ("close",) if any(board.bets.values()) or board.folded else ()


@pytest.mark.parametrize("boxes", BOXES, ids=str)
@pytest.mark.parametrize("head", DEALS)
def test_every_deal_of_stud(head: str, boxes: tuple[int, ...]) -> None:
    compared = compare(deals_of(head, boxes))
    assert compared.different == []
    assert compared.count > 100


@pytest.mark.parametrize("boxes", [(1,), (2,), (1, 2)], ids=str)
@pytest.mark.parametrize("head", ["mh", "ms"])
def test_every_way_of_betting_and_folding(head: str, boxes: tuple[int, ...]) -> None:
    compared = compare(acts_of(head, boxes))
    assert compared.different == []
    assert compared.count > 100
