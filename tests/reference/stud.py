"""One round of Mississippi stud, worked out word by word: the deal by its patterns, then street by street."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CARD = re.compile(r"[^>]+>(?P<place>c[345]|b|\d)(?P<face>[+.-]?)")
ACT = re.compile(r"(?P<box>\d)\.(?P<act>bet|fold)(?P<street>[345])?(?:x(?P<multiple>\d))?")
TURN = re.compile(r"turn(?P<street>[345])")
ABOUT_BOX = re.compile(r"(?P<kind>settle|collect)(?P<box>\d)(?:=(?P<result>\w+))?")
STREETS = (3, 4, 5)
COMMUNITY = ("c3", "c4", "c5")


@dataclass(frozen=True, slots=True)
class StudHouse:
    """`shoe`: stacks come from a shoe and the rest is taken into the hand; `patterns`: how two cards may come to a box;
    `wins`: by box, what its cards win."""

    shoe: bool
    patterns: Sequence[str]
    boxes: Sequence[int]
    wins: Sequence[tuple[int, str]] = ()


def answer(house: StudHouse, line: Sequence[str]) -> str:
    """What the check must say to the last word of a line whose other words are right."""
    return next(iter(Board(house, line[:-1]).judge(line[-1])), "")


class Board:
    """What lies on the table after words that are right."""

    def __init__(self, house: StudHouse, line: Sequence[str]) -> None:
        self.house = house
        self.places = [card["place"] for word in line if (card := CARD.fullmatch(word))]
        self.in_hand = not house.shoe or "out" in line
        self.folded: set[int] = set()
        self.bets = dict.fromkeys(house.boxes, 0)
        self.turned = 0
        for word in line:
            if act := ACT.fullmatch(word):
                self._take_act(int(act["box"]), act["act"])
            self.turned += TURN.fullmatch(word) is not None

    def _take_act(self, box: int, act: str) -> None:
        if act == "fold":
            self.folded.add(box)
        else:
            self.bets[box] += 1

    def next_places(self) -> set[str]:
        """Where the next card may go: by each pattern that the cards dealt so far follow."""
        found = set()
        boxes = [str(box) for box in self.house.boxes]
        for pattern in self.house.patterns:
            order = [box for box in boxes for _ in range(2)] if pattern == "pairs" else boxes * 2
            order += COMMUNITY
            if self.places == order[: len(self.places)]:
                found.update(order[len(self.places) : len(self.places) + 1])
        return found

    @property
    def complete(self) -> bool:
        return len(self.places) == 2 * len(self.house.boxes) + len(COMMUNITY)

    def live(self) -> list[int]:
        return [box for box in self.house.boxes if box not in self.folded]

    def waiting(self) -> list[int]:
        """The boxes that have to act on this street, in the order of their turns."""
        return [box for box in self.live() if self.bets[box] == self.turned] if self.turned < len(STREETS) else []

    def judge(self, word: str) -> Iterator[str]:
        """Everything that is wrong with the word, the first one first."""
        if card := CARD.fullmatch(word):
            yield from self._card(card["place"], card["face"])
        elif act := ACT.fullmatch(word):
            yield from self._act(int(act["box"]), act["act"], int(act["street"] or 0), int(act["multiple"] or 1))
        elif turn := TURN.fullmatch(word):
            yield from self._turn(int(turn["street"]))
        elif about := ABOUT_BOX.fullmatch(word):
            yield from self._done_with(int(about["box"]), about["result"] or "")
        elif word in ("stub", "close"):
            yield from self._end(word)

    def _card(self, place: str, face: str) -> Iterator[str]:
        full = 1 if place in COMMUNITY else 2
        if place == "b":
            yield "!burn_extra"
            return
        if place not in COMMUNITY and int(place) not in self.house.boxes:
            yield "!box_without_wager"
        if self.places.count(place) >= full:
            yield "!draw_after_fold" if place in map(str, self.folded) else "!extra_card"
        if place in COMMUNITY and not self.in_hand:
            yield "!community_from_shoe"
        if place not in self.next_places():
            yield "!order"
        if face == "+":
            yield "!face"

    def _act(self, box: int, act: str, street: int, multiple: int) -> Iterator[str]:
        waiting = self.waiting()
        if box not in self.folded and waiting and waiting[0] != box:
            yield "!hand_skipped"
        if not self.complete:
            yield "!missing_card"
        if act == "bet" and box in self.folded:
            yield "!wager_after_fold"
        if act == "bet" and multiple > 3:
            yield "!wager_range"
        beyond = street > STREETS[min(self.turned, 2)] or not waiting
        if act == "bet" and beyond and box not in self.folded:
            yield "!reveal_order"

    def _turn(self, street: int) -> Iterator[str]:
        if not self.complete:
            yield "!missing_card"
        if self.waiting():
            yield "!reveal_early"
        if STREETS.index(street) != self.turned:
            yield "!reveal_order"

    def _unfinished(self) -> bool:
        return any(self.bets[box] < len(STREETS) for box in self.live())

    def _done_with(self, box: int, result: str) -> Iterator[str]:
        if box not in self.folded and self._unfinished():
            yield "!hand_skipped"
        if not self.complete:
            yield "!missing_card"
        right = "lose" if box in self.folded else dict(self.house.wins)[box]
        if result and result != right:
            yield "!settlement_wrong"

    def _end(self, word: str) -> Iterator[str]:
        if not self.complete:
            yield "!missing_card"
        elif word == "close" and self._unfinished():
            yield "!hand_skipped"
