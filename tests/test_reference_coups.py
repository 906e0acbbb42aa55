"""All coups of punto banco by points, against the reference: four to six cards, one wrong card, every end and result.

A ten stands for all cards of ten. Of the first four cards only each side's total counts: it is made with a king and
with a nine, so that every total comes both below ten and beyond. Before the four are turned only the third card that is
due is tried: whether a false one shows while they lie face down is for the tests of withheld values."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from coup_log import events
from reference.coups import DEAL, answer, due, points_of
from reference_lines import Line, Lines, compare

from protocols.events import Event

RANKS = "A23456789T"
ENDS = ("c", "s", "k", "=p", "=b", "=t")
TABLES = ("pb-nj", "pb-nj deal_faces=up", "pb-nj deal_faces=down", "pb-fr", "pb-fr error_card=next_hand")


def lines_of(head: str) -> Lines:
    face = "_" if head in ("pb-fr", "pb-nj deal_faces=down", "pb-fr error_card=next_hand") else "^"
    return Lines(head, ("o", "n"), answer, lambda line: _words(line, face), _event)


def _event(word: str) -> Event:
    return events(word)[0]


def _words(line: Line, face: str) -> Iterator[str]:
    if line and line[-1] in ENDS:
        return
    dealt = [word for word in line if word[0] in "PB"]
    yield from ("F4^", *(ENDS if line else ()))
    if len(dealt) < len(DEAL):
        ranks = "K9" if len(dealt) < len(DEAL) // 2 else RANKS
        for side in "PB":
            yield from (f"{side}{rank}{face}" for rank in (ranks if side == DEAL[len(dealt)] else "4"))
        return
    right = _third_due(dealt)
    if face == "_" and "t" not in line:
        yield from ("t", *([f"{right}4^"] if right else []))
        return
    for side in "PB":
        yield from (f"{side}{rank}^" for rank in (RANKS if side == right else "4"))


def _third_due(dealt: list[str]) -> str:
    points = [points_of(word[1]) for word in dealt]
    player, banker = (points[0] + points[2]) % 10, (points[1] + points[3]) % 10
    thirds = "".join(word[0] for word in dealt[4:])
    return due(player, banker, thirds, points[4] if thirds else 0)


@pytest.mark.parametrize("head", TABLES)
def test_a_sample_of_the_coups(head: str) -> None:
    compared = compare(lines_of(head), most=60)
    assert compared.different == []
    assert compared.count > 1_500
    assert len(compared.answers) > 8


@pytest.mark.soak
@pytest.mark.parametrize("head", TABLES)
def test_every_coup(head: str) -> None:
    compared = compare(lines_of(head))
    assert compared.different == []
    assert compared.count > 100_000
