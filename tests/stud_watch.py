"""Someone who watches a table of Mississippi stud and knows the texts: each act is asserted to be right.

Written a second time, from the texts, so that the dealer does not confirm itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from protocols.cards import Card
from simulators.acts import ShoeLoaded
from simulators.boxes import acts as common
from simulators.rounds import Round
from simulators.stud import acts
from simulators.stud.acts import Act
from simulators.stud.rules import StudRules

HIGH_TO_LOW = "AKQJT98765432A"


def result_of(cards: list[Card]) -> str:
    """Win, push or lose by five cards."""
    counts = sorted(Counter(card.rank for card in cards).values(), reverse=True)
    straight = any(set(HIGH_TO_LOW[at : at + 5]) == {card.rank for card in cards} for at in range(10))
    flush = counts[0] == 1 and len({card.suit for card in cards}) == 1
    if straight or flush or counts[0] >= 3 or counts[:2] == [2, 2]:
        return "win"
    if counts[0] == 1:
        return "lose"
    pair = next(card.rank for card in cards if [other.rank for other in cards].count(card.rank) == 2)
    return "win" if pair in "AKQJ" else "push" if pair in "T9876" else "lose"


class Watch:
    """What the watcher knows of a table from its first round on."""

    def __init__(self, rules: StudRules) -> None:
        self.rules = rules
        self.rounds = 0
        self.uncounted = 0
        self.seen: Counter[str] = Counter()
        self.shoe_works = True
        self._begin()

    def _begin(self) -> None:
        self.shuffled_by: str | None = None
        self.shuffled = self.open = self.called = self.in_hand = self.discarded = self.counted = self.void = False
        self.loaded = False
        self.boxes: list[int] = []
        self.dealt: list[str] = []
        self.cards: dict[str, list[Card]] = {}
        self.drawn: list[Card] = []
        self.burned = 0
        self.boxed: str | None = None
        self.bets: dict[int, int] = {}
        self.folded: set[int] = set()
        self.turned: list[Card] = []
        self.settled: set[int] = set()

    def watch(self, rounds: Iterable[Round[Act]]) -> Watch:
        """Asserts that all of this is right."""
        for dealt in rounds:
            assert (dealt.misdeal, dealt.blamed, dealt.code) == (None, None, None)
            self._begin()
            for act in dealt.acts:
                self.seen[type(act).__name__] += 1
                self.act(act)
            assert not self.open, "a round has its end"
        return self

    def act(self, act: Act) -> None:
        assert not self.void or isinstance(act, common.RoundVoided)
        assert self.boxed is None or isinstance(act, common.TakenAway)
        match act:
            case common.Burned() | acts.Boxed() | common.Drawn() | common.Stray():
                self.card(act)
            case common.TakenAway():
                assert act.place == self.boxed
                self.boxed = None
            case acts.Acted() | acts.Turned() | common.Settled() | common.Collected():
                self.play(act)
            case acts.StubCounted() | acts.StubDiscarded():
                self.stub(act)
            case (
                common.RoundOpened()
                | common.WagerChanged()
                | acts.NoMoreBets()
                | common.RoundClosed()
                | common.RoundVoided()
            ):
                self.frame(act)
            case _:
                self.between(act)

    def between(self, act: Act) -> None:
        match act:
            case acts.Shuffled():
                assert not self.open
                assert act.by != "hand" or self.rules.procedure == "nj-ms-shoe"
                self.shuffled, self.shuffled_by = True, act.by
            case acts.Cut():
                assert self.shuffled_by == "hand", "what a device shuffled is not cut"
            case ShoeLoaded():
                assert (act.decks, self.open, self.drawn) == (1, False, [])
                self.loaded = True
            case acts.TakenToHand():
                assert self.rules.procedure == "nj-ms-shoe"
                assert self.dealt == self.orders()[0][:-3]
                self.in_hand = True
            case acts.ShoeFaulted():
                assert self.rules.procedure == "nj-ms-shoe"
                self.shoe_works = False
                self.void = 0 < len(self.dealt) < 2 * len(self.boxes)
            case acts.ShoeRestored():
                assert not self.shoe_works
                self.shoe_works = True
            case _:
                assert isinstance(act, common.CardsReplaced | common.DealerChanged)
                assert not self.open
                assert not self.shuffled, "whatever is exchanged is shuffled"

    def frame(self, act: Act) -> None:
        match act:
            case common.RoundOpened():
                assert not self.open
                assert self.shuffled or self.rounds == 0
                assert self.shoe_works
                assert not self.loaded or self.burned in self.burns()
                self.open, self.boxes, self.rounds = True, list(act.boxes), self.rounds + 1
                self.uncounted += 1
            case common.WagerChanged():
                assert self.open
                assert not self.drawn[self.burned :]
                assert (act.box in self.boxes) == (act.change != "made")
                self.boxes = sorted({*self.boxes, act.box})
            case acts.NoMoreBets():
                assert act.made
                assert self.boxes
                assert self.boxes[-1] <= self.rules.max_boxes
                self.called = True
            case common.RoundClosed():
                assert self.settled >= set(self.boxes) - self.folded
                assert self.counted or self.uncounted < self.rules.stub_count_rounds
                self.open = False
            case common.RoundVoided():
                assert self.void, "nothing else ends a legal round before its time"
                self.open = False

    def burns(self) -> tuple[int, ...]:
        return (0, 1) if self.rules.burn == "unset" else (self.rules.burn,)

    def orders(self) -> list[list[str]]:
        board = ["community:3", "community:4", "community:5"]
        pairs = [f"box:{box}" for box in self.boxes for _ in (1, 2)]
        passes = [f"box:{box}" for _ in (1, 2) for box in self.boxes]
        orders = {"pairs": [pairs], "passes": [passes], "either": [pairs, passes]}[self.rules.deal_pattern]
        return [[*order, *board] for order in orders]

    def card(self, act: common.Burned | acts.Boxed | common.Drawn | common.Stray) -> None:
        assert act.card not in self.drawn
        self.drawn.append(act.card)
        match act:
            case common.Burned():
                assert not self.open
                assert self.loaded
                self.burned += 1
            case acts.Boxed():
                assert self.called
                self.boxed = None if act.place == "burn" else act.place
            case common.Drawn():
                assert self.called
                assert self.shoe_works or len(self.dealt) >= 2 * len(self.boxes)
                self.dealt.append(act.to)
                assert any(order[: len(self.dealt)] == self.dealt for order in self.orders())
                assert act.face == "down"
                assert self.in_hand or self.rules.procedure == "nj-ms-hand" or act.to.startswith("box")
                self.cards.setdefault(act.to, []).append(act.card)
            case common.Stray():
                raise AssertionError("no card leaves the deck for nowhere")

    def stub(self, act: acts.StubCounted | acts.StubDiscarded) -> None:
        assert len(self.dealt) == 2 * len(self.boxes) + 3
        match act:
            case acts.StubCounted():
                assert act.count == 52 - len(self.drawn)
                self.counted, self.uncounted = True, 0
            case acts.StubDiscarded():
                assert not act.exposed
                assert not self.discarded
                self.discarded = True

    def play(self, act: acts.Acted | acts.Turned | common.Settled | common.Collected) -> None:
        assert len(self.dealt) == 2 * len(self.boxes) + 3
        live = [box for box in self.boxes if box not in self.folded]
        street = len(self.turned)
        match act:
            case acts.Acted():
                assert act.box == next((box for box in live if self.bets.get(box, 0) == street), None)
                assert act.street in (None, street + 3)
                assert act.multiple in (None, 1, 2, 3)
                if act.action == "fold":
                    assert act.multiple is None
                    self.folded.add(act.box)
                self.bets[act.box] = street + 1
            case acts.Turned():
                assert act.street == street + 3
                assert all(self.bets.get(box) == street + 1 for box in live)
                assert self.cards[f"community:{act.street}"] == [act.card]
                self.turned.append(act.card)
            case common.Settled():
                assert act.box not in self.settled
                self.settled.add(act.box)
                self.pays(act)
            case common.Collected():
                assert int(act.place.removeprefix("box:")) in self.folded | self.settled

    def pays(self, act: common.Settled) -> None:
        if act.box in self.folded:
            assert act.result == "lose"
        else:
            assert len(self.turned) == 3
            assert act.result == result_of([*self.cards[f"box:{act.box}"], *self.turned])
