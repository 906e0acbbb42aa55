"""One legal round of Mississippi stud, in its stations (procedures 6)."""

from __future__ import annotations

from enum import Enum
from typing import Final

from protocols.events import Street
from simulators.boxes.acts import Collected, RoundClosed, RoundOpened, Settled, WagerChanged
from simulators.stud.acts import (
    Acted,
    NoMoreBets,
    ShoeFaulted,
    ShoeRestored,
    StubCounted,
    StubDiscarded,
    TakenToHand,
    Turned,
)
from simulators.stud.gate import Gate, Steps
from simulators.stud.layout import STREETS, served

_BETS: Final = 0.75
_COUNTS: Final = 0.1
_ONE_OF_TWO: Final = 0.5
_SELDOM: Final = 0.2
_MOSTLY: Final = 0.8


class Moment(Enum):
    """When in a round the shoe stops working."""

    BEFORE_FIRST_CARD = "before the first card"
    BETWEEN_STACKS = "after the first card, before the last box has its two"
    AFTER_STACKS = "after the last box has its two"


class RoundInPlay:
    """A round from its wagers to its end; `fails_at` says when the shoe fails."""

    def __init__(self, gate: Gate, fails_at: Moment | None) -> None:
        self._gate = gate
        self._layout = gate.layout
        self._fails_at = fails_at

    def steps(self) -> Steps:
        """Everything, in order."""
        yield from self._open()
        yield from self._fail(Moment.BEFORE_FIRST_CARD)
        yield from self._deal()
        counts = self._gate.must_count or self._gate.chance(_COUNTS)
        late = counts and self._gate.chance(_SELDOM)
        if counts and not late:
            yield from self._count()
        if not late and self._gate.chance(_MOSTLY):
            yield from self._gate.do(StubDiscarded(None if self._gate.chance(_SELDOM) else False))
        yield from self._streets()
        yield from self._pay()
        if late:
            yield from self._count()
        yield from self._gate.do(RoundClosed())

    def _open(self) -> Steps:
        boxes, added = self._gate.boxes, set[int]()
        if self._gate.chance(_SELDOM):
            added = {box for box in boxes[1:] if self._gate.chance(_ONE_OF_TWO)}
        yield from self._gate.do(RoundOpened(tuple(box for box in boxes if box not in added)))
        self._layout.boxes, self._layout.due = boxes, served(boxes, self._gate.rng.choice(self._gate.rules.patterns))
        for box in sorted(added):
            yield from self._gate.do(WagerChanged(box, "made"))
        if self._gate.chance(_SELDOM):
            yield from self._gate.do(WagerChanged(self._gate.rng.choice(boxes), "raised"))
        yield from self._gate.do(NoMoreBets())

    def _deal(self) -> Steps:
        yield from self._serve("box")
        yield from self._fail(Moment.AFTER_STACKS)
        if self._gate.rules.from_shoe:
            yield from self._gate.do(TakenToHand(told=self._gate.chance(_MOSTLY)))
        yield from self._serve("community")

    def _serve(self, kind: str) -> Steps:
        while waiting := [place for place in self._layout.due if place.startswith(kind)]:
            if self._layout.passed_over:
                self._remedy()
                continue
            yield from self._gate.draw(waiting[0])
            if self._layout.places and self._layout.players_wait and self._gate.chance(_SELDOM):
                yield from self._fail(Moment.BETWEEN_STACKS)

    def _remedy(self) -> None:
        """A place passed over gets its card at once; a box may be served last too, or be dead if it has none."""
        place, self._layout.passed_over = self._layout.passed_over, None
        if place is None or not place.startswith("box"):
            return
        mine = [other for other in self._layout.due if other == place]
        others = [other for other in self._layout.due if other != place]
        boxes = [other for other in others if other.startswith("box")]
        if self._gate.chance(_ONE_OF_TWO):
            self._layout.due = [*boxes, *mine, *others[len(boxes) :]]
        elif place not in self._layout.cards and boxes:
            self._layout.due = others
            self._layout.dead.add(int(place.removeprefix("box:")))

    def _fail(self, moment: Moment) -> Steps:
        if moment is not self._fails_at:
            return
        self._fails_at = None
        yield from self._gate.do(ShoeFaulted())
        if moment is Moment.BETWEEN_STACKS:
            yield from self._gate.void("the shoe failed")
        if moment is Moment.BEFORE_FIRST_CARD:
            yield from self._gate.do(ShoeRestored())

    def _count(self) -> Steps:
        yield from self._gate.do(StubCounted(len(self._gate.stock)))

    def _streets(self) -> Steps:
        for street in STREETS:
            yield from self._bets(street)
            if not self._layout.live:
                break
            yield from self._turn(street)
        if self._gate.chance(_ONE_OF_TWO):
            for street in STREETS:
                yield from self._turn(street)

    def _bets(self, street: Street) -> Steps:
        while waiting := self._layout.waiting(street):
            box, told = waiting[0], street if self._gate.chance(_ONE_OF_TWO) else None
            if self._gate.chance(_BETS):
                multiple = None if self._gate.chance(_SELDOM) else self._gate.rng.randint(1, 3)
                yield from self._gate.do(Acted(box, "bet", told, multiple))
            else:
                yield from self._gate.do(Acted(box, "fold", told))
                yield from self._take_folded()

    def _take_folded(self) -> Steps:
        for box in sorted(self._layout.folded - self._layout.settled):
            if self._gate.chance(_ONE_OF_TWO):
                yield from self._gate.do(Settled(box, "lose"))
            if self._gate.chance(_ONE_OF_TWO) and f"box:{box}" in self._layout.cards:
                yield from self._gate.do(Collected(f"box:{box}"))

    def _turn(self, street: Street) -> Steps:
        if street not in self._layout.turned:
            card = self._layout.cards[f"community:{street}"][0]
            yield from self._gate.do(Turned(street, card, told=self._gate.chance(_MOSTLY)))

    def _pay(self) -> Steps:
        boxes = self._layout.live
        self._gate.rng.shuffle(boxes)
        for box in boxes:
            yield from self._gate.do(Settled(box, self._layout.outcome(box)))
            if self._gate.chance(_MOSTLY):
                yield from self._gate.do(Collected(f"box:{box}"))
