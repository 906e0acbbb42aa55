"""The dealer of North Dakota twenty-one against the regulation, written here a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise, product
from typing import Any

import pytest

from protocols import events
from protocols.cards import Card
from protocols.errors import ProcedureError
from protocols.tablelog import read_log, write_log
from simulators.acts import CuttingCard, ShoeLoaded
from simulators.blackjack import acts
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import ALL, CODES, UNARMED_PEEK, Misdeal, expressible, named, possible
from simulators.blackjack.rules import METHODS, BlackjackRules, blackjack_rules
from simulators.blackjack.table_log import as_table_log
from simulators.dealer import dealer_of, house_rules, is_blackjack
from simulators.rounds import Round

Dealt = Round[acts.Act]
STRICT = {
    "decks": 4,
    "burn": 3,
    "max_hands": 2,
    "surrender": "late",
    "double_after_split": False,
    "pickup": "checked",
    "draw_on_21": "violation",
    "dealer_draw_no_live_hands": "violation",
}
ODD = {
    "burn": 1,
    "resplit_aces": False,
    "split_second_card": "at_split",
    "surrender": "early",
    "soft_17": "hit",
    "cut_card_first": "play",
    "pair": "rank",
}
WIDE = {"decks": 8, "max_hands": "none", "burn": 0}
HOUSES = [
    *(blackjack_rules(method, options) for method, options in product(METHODS, ({}, STRICT, ODD, WIDE))),
    blackjack_rules("nd-card-reader", {"fallback": "nd-no-hole"}),
    blackjack_rules("nd-no-peek", {"insurance": "none"}),
    blackjack_rules("nd-no-hole", {"insurance": "at_turn"}),
]
EVERY_HOUSE = pytest.mark.parametrize("rules", HOUSES, ids=lambda rules: f"{rules.procedure}-{len(rules.options)}")


def deal(rules: BlackjackRules, rounds: int, *kinds: Misdeal, seed: int = 1, reader_faults: float = 0.0) -> list[Dealt]:
    rate = 1.0 if kinds else 0.0
    return list(islice(BlackjackDealer(rules, seed, rate, kinds, reader_faults=reader_faults), rounds))


def counts(cards: Iterable[Card]) -> list[int]:
    """Every count that the cards can have, without those that bust, lowest first."""
    found = {0}
    for card in cards:
        values = (1, 11) if card.rank == "A" else (10,) if card.rank in "TJQK" else (int(card.rank),)
        found = {count + value for count in found for value in values}
    return sorted(count for count in found if count <= 21)


def best(cards: Iterable[Card]) -> int:
    """22 stands for a bust."""
    return max(counts(cards), default=22)


def is_soft(cards: list[Card]) -> bool:
    hard = sum(1 if card.rank == "A" else 10 if card.rank in "TJQK" else int(card.rank) for card in cards)
    return best(cards) != hard


def is_blackjack_hand(cards: list[Card]) -> bool:
    return len(cards) == 2 and best(cards) == 21


def test_counts() -> None:
    def hand(text: str) -> list[Card]:
        return [Card.parse(rank) for rank in text]

    totals = {"AK": 21, "AA": 12, "A6": 17, "A6T": 17, "TTA": 21, "TT2": 22, "AAAA7": 21}
    assert {text: best(hand(text)) for text in totals} == totals
    assert [is_soft(hand(text)) for text in ("A6", "A6T", "AA", "T7", "A9A")] == [True, False, True, False, True]


# One legal round, act by act


@dataclass
class Seat:
    """One hand as the watcher of a round sees it."""

    name: str
    cards: list[Card] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    whole: bool = True
    aces: bool = False

    @property
    def natural(self) -> bool:
        return self.whole and is_blackjack_hand(self.cards)

    @property
    def needs_nothing(self) -> bool:
        over = self.natural or best(self.cards) > 21 or bool({"stand", "surrender"} & set(self.said))
        return over or ("double" in self.said and len(self.cards) == 3) or (self.aces and len(self.cards) == 2)


class Watch:
    """Follows one legal round and fails at the first act that the text does not allow."""

    def __init__(self, rules: BlackjackRules, reader_out: bool) -> None:
        self.rules = rules
        self.reader_out = reader_out
        self.peeked: str | None = None
        self.seats: dict[int, list[Seat]] = {}
        self.dealer: list[tuple[Card, str]] = []
        self.dealing: list[str] = []
        self.signal: acts.Acted | None = None
        self.turned = self.called = False
        self.insurance = "no"
        self.insured: set[int] = set()
        self.collected: list[str] = []
        self.method: str | None = None

    def order(self) -> list[Seat]:
        return [seat for box in sorted(self.seats) for seat in self.seats[box]]

    def up(self) -> Card:
        [card] = [card for card, face in self.dealer if face == "up"][:1]
        return card

    def hole(self) -> list[Card]:
        return [card for card, face in self.dealer if face == "down"]

    def see(self, act: acts.Act) -> None:
        getattr(self, f"see_{type(act).__name__}")(act)

    def see_RoundOpened(self, act: acts.RoundOpened) -> None:  # noqa: N802
        assert act.boxes == tuple(sorted(set(act.boxes)))
        assert act.boxes[0] >= 1
        assert act.boxes[-1] <= self.rules.max_boxes
        self.seats = {box: [Seat(f"box:{box}")] for box in act.boxes}
        places = [f"box:{box}" for box in act.boxes]
        self.dealing = [*places, "dealer", *places]

    def see_Drawn(self, act: acts.Drawn) -> None:  # noqa: N802
        if self.dealing:
            assert act.to == self.dealing.pop(0)
        elif act.to == "dealer":
            self.dealers_card(act)
            return
        else:
            self.hit_card(act)
        if act.to == "dealer":
            self.dealer.append((act.card, act.face))
        else:
            assert act.face == "up"
            [seat] = [seat for seat in self.order() if seat.name == act.to]
            seat.cards.append(act.card)

    def dealers_card(self, act: acts.Drawn) -> None:
        if not self.called:
            [(_, first)] = self.dealer
            assert {first, act.face} == {"up", "down"}
        else:
            self.dealer_draws(act)
        self.dealer.append((act.card, act.face))

    def dealer_draws(self, act: acts.Drawn) -> None:
        assert act.face == "up"
        assert not self.hole()
        assert all(seat.needs_nothing for seat in self.order())
        cards = [card for card, _ in self.dealer]
        if len(cards) == 1:
            tens = self.up().rank in "ATJQK"
            assert self.live() or (tens and any(seat.natural for seat in self.order()))
        else:
            assert self.live()
            assert self.must_draw(cards)

    def must_draw(self, cards: list[Card]) -> bool:
        count = best(cards)
        return count < 17 or (count == 17 and is_soft(cards) and self.rules.soft_17 == "hit")

    def live(self) -> bool:
        return any(best(s.cards) <= 21 and not s.natural and "surrender" not in s.said for s in self.order())

    def hit_card(self, act: acts.Drawn) -> None:
        [seat] = [seat for seat in self.order() if seat.name == act.to]
        assert not seat.needs_nothing
        if len(seat.cards) == 1:
            assert not seat.whole
        else:
            assert self.signal is not None
            assert self.signal.action in ("hit", "double")
            assert self.named(self.signal) is seat
            self.signal = acts.Acted(self.signal.box, "insure")
        at_once = len(seat.cards) == 1 and self.rules.split_second_card == "at_split"
        earlier = self.order()[: self.order().index(seat)]
        assert at_once or all(before.needs_nothing for before in earlier)

    def named(self, act: acts.Acted) -> Seat:
        name = f"box:{act.box}/{act.hand}" if act.hand else f"box:{act.box}"
        [seat] = [seat for seat in self.order() if seat.name == name]
        return seat

    def see_UpcardCalled(self, act: acts.UpcardCalled) -> None:  # noqa: N802
        assert act.made
        assert not self.dealing
        self.called = True

    def see_InsuranceOpened(self, _: acts.InsuranceOpened) -> None:  # noqa: N802
        assert self.up().rank == "A"
        assert self.rules.insurance == "pre_peek_round"
        assert self.insurance == "no"
        self.insurance = "open"

    def see_InsuranceClosed(self, _: acts.InsuranceClosed) -> None:  # noqa: N802
        assert self.insurance == "open"
        self.insurance = "closed"

    def see_Acted(self, act: acts.Acted) -> None:  # noqa: N802
        if act.action == "insure":
            assert self.up().rank == "A"
            assert self.insurance == "open" or self.rules.insurance == "at_turn"
            self.insured.add(act.box)
            return
        seat = self.named(act)
        if act.action == "surrender":
            assert self.rules.surrender != "none"
            assert len(seat.cards) == 2
            assert seat.whole
        if act.action != "surrender" or self.rules.surrender == "late":
            self.in_turn(seat, act)
        if act.action == "split":
            self.split(seat, act.box)
        else:
            seat.said.append(act.action)
            self.signal = act

    def in_turn(self, seat: Seat, act: acts.Acted) -> None:
        first = next(s for s in self.order() if not s.needs_nothing or (act.action == "split" and s is seat and s.aces))
        assert first is seat
        assert self.insurance != "open"
        assert self.peeked != "natural"
        if act.action == "double":
            assert len(seat.cards) == 2
            assert seat.whole or self.rules.double_after_split

    def split(self, seat: Seat, box: int) -> None:
        hands = self.seats[box]
        first, second = seat.cards
        ranks = (first.rank, second.rank)
        assert ranks[0] == ranks[1] or (self.rules.pair == "value" and set(ranks) <= set("TJQK"))
        assert self.rules.max_hands == "none" or len(hands) < self.rules.max_hands
        assert not seat.aces or self.rules.resplit_aces
        if seat.whole:
            seat.name += "/a"
        new = Seat(f"box:{box}/{chr(ord('a') + len(hands))}", [seat.cards.pop()])
        seat.whole = new.whole = False
        seat.aces = new.aces = first.rank == "A"
        hands.insert(hands.index(seat) + 1, new)
        self.signal = acts.Acted(box, "insure")

    def see_Peeked(self, act: acts.Peeked) -> None:  # noqa: N802
        assert self.rules.procedure == "nd-card-reader"
        assert not self.reader_out
        assert self.up().rank in "ATJQK"
        assert self.insurance == ("closed" if self.up().rank == "A" else "no")
        assert self.peeked in (None, "error")
        assert len(self.hole()) == 1
        natural = is_blackjack_hand([card for card, _ in self.dealer])
        assert act.result in ("error", "natural" if natural else "no_natural")
        self.peeked = act.result

    def see_ReaderFailed(self, _: acts.ReaderFailed) -> None:  # noqa: N802
        assert not self.reader_out
        self.reader_out = True

    def see_MethodSelected(self, act: acts.MethodSelected) -> None:  # noqa: N802
        assert self.reader_out
        faces = [face for _, face in self.dealer]
        assert act.procedure == "nd-no-peek" or (act.procedure == "nd-no-hole" and faces in ([], ["up"]))
        self.method = act.procedure

    def see_HoleTurned(self, act: acts.HoleTurned) -> None:  # noqa: N802
        assert self.hole() == [act.card]
        if self.peeked != "natural":
            assert all(seat.needs_nothing for seat in self.order())
        if self.rules.procedure == "nd-card-reader" and not self.reader_out and self.up().rank in "ATJQK":
            assert self.peeked == ("natural" if is_blackjack_hand([c for c, _ in self.dealer]) else "no_natural")
        self.turned = True
        self.dealer = [(card, "up") for card, _ in self.dealer]

    def see_Settled(self, act: acts.Settled) -> None:  # noqa: N802
        seat = self.named(acts.Acted(act.box, "stand", act.hand))
        over = self.peeked == "natural" and self.turned
        if self.hole() or not (over or all(other.needs_nothing for other in self.order())):
            assert self.taken_at_once(act.box)
        assert act.result == self.fair(seat)

    def fair(self, seat: Seat) -> str:
        house = [card for card, _ in self.dealer]
        if "surrender" in seat.said:
            return "surrender"
        if best(seat.cards) > 21:
            return "lose"
        if is_blackjack_hand(house):
            return "push" if seat.natural else "lose"
        if seat.natural:
            return "natural"
        if best(house) > 21:
            return "win"
        return "win" if best(seat.cards) > best(house) else "push" if best(seat.cards) == best(house) else "lose"

    def see_Collected(self, act: acts.Collected) -> None:  # noqa: N802
        self.collected.append(act.place)

    def see_RoundClosed(self, _: acts.RoundClosed) -> None:  # noqa: N802
        assert self.collected[-1] == "dealer"
        boxes = [int(place[4:]) for place in self.collected[:-1]]
        assert sorted(boxes) == sorted(self.seats)
        late = [box for box in boxes if not self.taken_at_once(box)]
        assert late == sorted(late, reverse=True)
        assert all(face == "up" for _, face in self.dealer)
        cards = [card for card, _ in self.dealer]
        assert not self.live() or not self.must_draw(cards)
        self.deal_fits_method()

    def taken_at_once(self, box: int) -> bool:
        [seat, *others] = self.seats[box]
        return best(seat.cards) > 21 and not others and "double" not in seat.said and box not in self.insured

    def deal_fits_method(self) -> None:
        if self.rules.procedure == "nd-no-hole":
            assert not self.turned
        elif self.rules.procedure == "nd-no-peek" or not self.reader_out:
            assert self.turned


BEFORE_ROUND = ShoeLoaded | acts.Shuffled | acts.CutCardPlaced | acts.Burned | CuttingCard | acts.ReaderRestored


def watch(rules: BlackjackRules, rounds: Iterable[Dealt]) -> None:
    """Every round is legal; each failing reader is out until it is restored."""
    out = False
    for dealt in rounds:
        out = out and acts.ReaderRestored() not in dealt.acts
        watcher = Watch(rules, out)
        for number, act in enumerate(dealt.acts):
            if isinstance(act, BEFORE_ROUND):
                continue
            try:
                watcher.see(act)
            except AssertionError as error:
                error.add_note("\n".join(map(str, [*dealt.acts[:number], "--> ", act])))
                raise
        out = watcher.reader_out


@EVERY_HOUSE
def test_legal_rounds_follow_the_text(rules: BlackjackRules) -> None:
    rounds = deal(rules, 500)
    assert {dealt.misdeal for dealt in rounds} == {None}
    watch(rules, rounds)


@pytest.mark.parametrize("fallback", ["nd-no-peek", "nd-no-hole"])
def test_rounds_with_a_failing_reader_follow_the_text(fallback: str) -> None:
    rules = blackjack_rules("nd-card-reader", {"fallback": fallback})
    watch(rules, deal(rules, 1500, reader_faults=0.4))


def all_acts(rounds: Iterable[Dealt]) -> list[acts.Act]:
    return [act for dealt in rounds for act in dealt.acts]


def test_everything_that_players_and_dealers_may_do_is_done() -> None:
    rounds = deal(blackjack_rules("nd-card-reader", {"surrender": "late"}), 2000)
    dealt = all_acts(rounds)
    assert {act.action for act in dealt if isinstance(act, acts.Acted)} == {
        *("hit", "stand", "double", "split", "insure", "surrender")
    }
    assert {act.hand for act in dealt if isinstance(act, acts.Acted)} >= {None, "a", "b", "c", "d"}
    assert {act.result for act in dealt if isinstance(act, acts.Settled)} == {
        *("win", "natural", "push", "lose", "surrender")
    }
    assert {act.result for act in dealt if isinstance(act, acts.Peeked)} == {"natural", "no_natural", "error"}
    holes = {next(a.face for a in one.acts if isinstance(a, acts.Drawn) and a.to == "dealer") for one in rounds}
    assert holes == {"up", "down"}
    assert {len(act.boxes) for act in dealt if isinstance(act, acts.RoundOpened)} >= {1, 2, 3, 4, 5, 7}


@EVERY_HOUSE
@pytest.mark.parametrize("rate", [0.0, 0.6])
def test_shoes_are_whole_and_shuffled_when_the_cutting_card_has_shown(rules: BlackjackRules, rate: float) -> None:
    kinds = possible(rules) - {Misdeal.SHUFFLE_MIDROUND}
    rounds = list(islice(BlackjackDealer(rules, 2, rate, kinds), 300))
    shoes: list[list[acts.Act]] = []
    for act in all_acts(rounds):
        if isinstance(act, ShoeLoaded):
            shoes.append([])
        if shoes:
            shoes[-1].append(act)
    assert len(shoes) > 3
    for shoe in shoes[:-1]:
        cards = Counter(act.card for act in shoe if isinstance(act, acts.CARD_LEAVES_SHOE))
        assert max(cards.values()) <= rules.decks
        assert shoe.count(CuttingCard()) == 1
        before = [act for act in shoe[: shoe.index(CuttingCard())] if isinstance(act, acts.CARD_LEAVES_SHOE)]
        assert len(before) == 52 * rules.decks - 78


@EVERY_HOUSE
def test_a_fresh_shoe_burns_as_the_house_says(rules: BlackjackRules) -> None:
    burned = Counter(
        sum(isinstance(act, acts.Burned) for act in dealt.acts)
        for dealt in deal(rules, 600)
        if any(isinstance(act, ShoeLoaded) for act in dealt.acts)
    )
    assert set(burned) == ({0, 1} if rules.burn == "unset" else {rules.burn})


def rounds_after_cutting_card(rounds: list[Dealt]) -> Iterator[tuple[Dealt, Dealt]]:
    for dealt, following in pairwise(rounds):
        shows = [number for number, act in enumerate(dealt.acts) if act == CuttingCard()]
        loads = [number for number, act in enumerate(dealt.acts) if isinstance(act, ShoeLoaded)]
        if shows and not (loads and shows[0] < loads[0]):
            yield dealt, following


@EVERY_HOUSE
def test_after_the_cutting_card_the_round_is_finished_and_the_next_begins_with_a_shuffle(rules: BlackjackRules) -> None:
    pairs = list(rounds_after_cutting_card(deal(rules, 600)))
    assert pairs
    for dealt, following in pairs:
        assert acts.RoundClosed() in dealt.acts
        assert following.acts[0] == acts.Shuffled()


@EVERY_HOUSE
def test_the_same_seed_deals_the_same(rules: BlackjackRules) -> None:
    once, again, other = (list(islice(BlackjackDealer(rules, seed, 0.5), 200)) for seed in (1, 1, 2))
    assert once == again != other


# Misdeals


OCCURS = [(rules, kind) for rules in HOUSES for kind in named(possible(rules))]
RARE = {Misdeal.SPLIT_ACE_EXTRA, Misdeal.SPLIT_LIMIT, Misdeal.DEALER_DRAW_NO_LIVE_HANDS, Misdeal.DRAW_ON_21}


def until_misdeal(rules: BlackjackRules, kind: Misdeal) -> Dealt | None:
    dealer = BlackjackDealer(rules, 4, 1.0, {kind})
    return next((dealt for dealt in islice(dealer, 2500) if dealt.misdeal), None)


def test_every_misdeal_comes_in_every_house_that_knows_it() -> None:
    missing = [(rules.procedure, dict(rules.options), kind) for rules, kind in OCCURS if not until_misdeal(rules, kind)]
    assert [entry for entry in missing if entry[2] not in RARE] == []
    assert {kind for _, kind in OCCURS if kind not in {entry[2] for entry in missing}} >= ALL - RARE
    for kind in RARE:
        assert any(until_misdeal(rules, kind) for rules, known in OCCURS if known is kind)


@EVERY_HOUSE
def test_a_round_with_a_misdeal_is_legal_up_to_it_and_over_soon_after(rules: BlackjackRules) -> None:
    for dealt in islice(BlackjackDealer(rules, 7, 1.0), 300):
        if dealt.misdeal is None:
            continue
        assert isinstance(dealt.misdeal, Misdeal)
        assert dealt.blamed is not None
        assert dealt.code == CODES[dealt.misdeal] == dealt.misdeal.value
        after = dealt.acts[dealt.blamed + 1 :]
        assert isinstance(after[-1] if after else dealt.acts[-1], acts.RoundVoided | acts.RoundClosed)


@EVERY_HOUSE
def test_after_an_overdraw_the_card_is_burned_and_the_total_stands(rules: BlackjackRules) -> None:
    for dealt in deal(rules, 300, Misdeal.DEALER_OVERDRAW):
        if dealt.blamed is None:
            continue
        card, remedy = dealt.acts[dealt.blamed : dealt.blamed + 2]
        assert isinstance(card, acts.Drawn)
        assert (card.to, remedy) == ("dealer", acts.TakenAway("dealer"))
        legal = [act for number, act in enumerate(dealt.acts) if number not in (dealt.blamed, dealt.blamed + 1)]
        watch(rules, [Round(tuple(legal))])


def blamed(kind: Misdeal, rules: BlackjackRules) -> Iterator[tuple[tuple[acts.Act, ...], acts.Act]]:
    """What came before each misdeal of this kind, and the act at which it shows."""
    for dealt in islice(BlackjackDealer(rules, 9, 1.0, {kind}), 500):
        if dealt.blamed is not None:
            yield dealt.acts[: dealt.blamed], dealt.acts[dealt.blamed]


def drawn(before: Iterable[acts.Act], place: str) -> list[Card]:
    return [act.card for act in before if isinstance(act, acts.Drawn) and act.to == place]


READER = blackjack_rules("nd-card-reader", STRICT)
PLAIN = blackjack_rules("nd-no-peek")


@pytest.mark.parametrize(
    ("kind", "last"),
    [
        (Misdeal.DRAW_AFTER_STAND, "stand"),
        (Misdeal.DRAW_AFTER_SURRENDER, "surrender"),
        (Misdeal.DRAW_AFTER_DOUBLE, "double"),
    ],
)
def test_a_card_after_the_last_word_of_a_hand(kind: Misdeal, last: str) -> None:
    for before, act in blamed(kind, READER):
        assert isinstance(act, acts.Drawn)
        said = [other for other in before if isinstance(other, acts.Acted)][-1]
        assert said.action == last
        assert act.to == (f"box:{said.box}/{said.hand}" if said.hand else f"box:{said.box}")


def test_a_card_without_signal_a_skipped_hand_a_bust_and_a_natural() -> None:
    for before, act in blamed(Misdeal.DRAW_WITHOUT_SIGNAL, PLAIN):
        assert isinstance(act, acts.Drawn)
        assert not isinstance(before[-1], acts.Acted) or before[-1].action in ("stand", "surrender", "split", "double")
    for before, act in blamed(Misdeal.HAND_SKIPPED, PLAIN):
        [said] = [other for other in before if isinstance(other, acts.Acted)][-1:]
        assert isinstance(act, acts.Drawn)
        assert said.action == "hit"
        opened = next(other for other in before if isinstance(other, acts.RoundOpened))
        waiting = [box for box in opened.boxes if box < said.box and best(drawn(before, f"box:{box}")) <= 21]
        assert waiting
    for before, act in blamed(Misdeal.DRAW_AFTER_BUST, PLAIN):
        assert isinstance(act, acts.Drawn)
        if "/" not in act.to:
            assert best(drawn(before, act.to)) > 21
    for before, act in blamed(Misdeal.DRAW_ON_BLACKJACK, PLAIN):
        assert isinstance(act, acts.Drawn)
        assert is_blackjack_hand(drawn(before, act.to))


def test_the_dealer_draws_on_17_and_ends_on_16() -> None:
    for before, act in blamed(Misdeal.DEALER_OVERDRAW, PLAIN):
        assert isinstance(act, acts.Drawn)
        assert 17 <= best(drawn(before, "dealer")) <= 21
    for before, act in blamed(Misdeal.DEALER_UNDERDRAW, PLAIN):
        assert act == acts.RoundClosed()
        assert best(drawn(before, "dealer")) < 17


def test_peeks_that_are_missing_forbidden_too_early_and_too_many() -> None:
    for before, act in blamed(Misdeal.PEEK_MISSING, READER):
        assert isinstance(act, acts.Drawn)
        assert not any(isinstance(other, acts.Peeked) for other in before)
        [up] = [a.card for a in before if isinstance(a, acts.Drawn) and a.to == "dealer" and a.face == "up"]
        assert up.rank in "ATJQK"
    for before, act in blamed(Misdeal.PEEK_FORBIDDEN_UPCARD, READER):
        assert isinstance(act, acts.Peeked)
        [up] = [a.card for a in before if isinstance(a, acts.Drawn) and a.to == "dealer" and a.face == "up"]
        assert up.rank in "23456789"
    for before, act in blamed(Misdeal.PEEK_BEFORE_INSURANCE_CLOSED, READER):
        assert isinstance(act, acts.Peeked)
        assert acts.InsuranceOpened() in before
        assert acts.InsuranceClosed() not in before
    for before, act in blamed(Misdeal.PEEK_REPEATED, READER):
        assert isinstance(act, acts.Peeked)
        assert acts.Peeked("no_natural") in before


def test_a_reader_that_says_what_the_cards_do_not() -> None:
    told = set()
    for before, act in blamed(Misdeal.READER_MISMATCH, READER):
        assert isinstance(act, acts.HoleTurned)
        peek = [other for other in before if isinstance(other, acts.Peeked)][-1]
        natural = is_blackjack_hand(drawn(before, "dealer"))
        assert (peek.result == "natural") != natural
        told.add(peek.result)
    assert told == {"natural", "no_natural"}


def test_splits_that_are_none() -> None:
    for before, act in blamed(Misdeal.SPLIT_NOT_PAIR, PLAIN):
        assert isinstance(act, acts.Acted)
        assert act.action == "split"
        if act.hand is None:
            first, second = drawn(before, f"box:{act.box}")
            assert first.rank != second.rank
    for before, act in blamed(Misdeal.SPLIT_LIMIT, READER):
        assert isinstance(act, acts.Acted)
        splits = [other for other in before if isinstance(other, acts.Acted) and other.action == "split"]
        assert sum(other.box == act.box for other in splits) == 1


def test_the_share_of_misdeals_stays_below_the_rate() -> None:
    rounds = list(islice(BlackjackDealer(PLAIN, 1, 0.2), 1000))
    share = sum(dealt.misdeal is not None for dealt in rounds) / 1000
    assert 0.05 < share < 0.2


# The moments at which a reader fails (procedures 2.4)


def moment(dealt: Dealt) -> tuple[str, ...] | None:
    """The dealer's cards that were out, and the peek, when the reader failed; None where it did not."""
    failed = [number for number, act in enumerate(dealt.acts) if isinstance(act, acts.ReaderFailed)]
    if not failed:
        return None
    before = dealt.acts[: failed[0]]
    faces = [act.face for act in before if isinstance(act, acts.Drawn) and act.to == "dealer"]
    opened = [number for number, act in enumerate(before) if isinstance(act, acts.RoundOpened)]
    peeks = [act.result for act in before if isinstance(act, acts.Peeked)]
    if not opened:
        return ("before",)
    return (*faces, *peeks[-1:])


def test_the_reader_fails_at_every_moment_of_the_text() -> None:
    rounds = deal(blackjack_rules("nd-card-reader"), 3000, reader_faults=0.5)
    seen = {found for dealt in rounds if (found := moment(dealt))}
    for expected in [("before",), ("up",), ("down",), ("up", "down"), ("down", "up")]:
        assert expected in seen
    for order in (("up", "down"), ("down", "up")):
        assert (*order, "error") in seen
        assert (*order, "no_natural") in seen
    assert {act.trouble for act in all_acts(rounds) if isinstance(act, acts.ReaderFailed)} == {
        *("dead", "stalled", "light", "unreadable", "not_seated")
    }


@pytest.mark.parametrize("fallback", ["nd-no-peek", "nd-no-hole"])
def test_what_is_no_longer_reachable_is_not_dealt(fallback: str) -> None:
    rounds = deal(blackjack_rules("nd-card-reader", {"fallback": fallback}), 3000, reader_faults=0.5)
    chosen = Counter[tuple[Any, ...]]()
    for dealt in rounds:
        found = moment(dealt)
        if found is None:
            continue
        hole = any(isinstance(act, acts.HoleTurned) for act in dealt.acts)
        named_method = [act.procedure for act in dealt.acts if isinstance(act, acts.MethodSelected)]
        chosen[found, hole, tuple(named_method)] += 1
        if found[0] == "down" or len(found) > 1:
            assert hole
            assert "nd-no-hole" not in named_method
        elif named_method:
            assert hole == (named_method == ["nd-no-peek"])
        else:
            assert hole == (fallback == "nd-no-peek")
    assert len(chosen) > 12


def test_the_fallback_lasts_until_the_reader_is_restored_between_rounds() -> None:
    out = False
    seen = Counter[bool]()
    for dealt in deal(blackjack_rules("nd-card-reader"), 2000, reader_faults=0.3):
        restored = [number for number, act in enumerate(dealt.acts) if act == acts.ReaderRestored()]
        assert restored in ([], [0])
        assert out or not restored
        out = out and not restored
        failed = [number for number, act in enumerate(dealt.acts) if isinstance(act, acts.ReaderFailed)]
        peeks = [number for number, act in enumerate(dealt.acts) if isinstance(act, acts.Peeked)]
        if out:
            assert not peeks
        seen[out] += 1
        if failed:
            assert all(number < failed[0] for number in peeks)
            out = True
    assert min(seen.values()) > 100


def test_a_table_may_lose_its_reader_between_two_acts() -> None:
    rules = blackjack_rules("nd-card-reader")
    for seed in range(200):
        dealer = BlackjackDealer(rules, seed)
        told: list[acts.Act] = []
        lost = False
        for step in dealer.steps():
            told.append(step.act)
            if isinstance(step.act, acts.Peeked):
                told[-1] = acts.Peeked("error")
                told.append(acts.ReaderFailed("dead"))
                dealer.reader_is_out()
                lost = True
        watch(rules, [Round(tuple(told))])
        later = [step.act for step in dealer.steps()]
        if lost and acts.ReaderRestored() not in later:
            assert not any(isinstance(act, acts.Peeked) for act in later)


# As a table log


OBSERVED: list[tuple[events.Observed, ...] | None] = [
    None,
    ("positions", "faces", "signals", "wagers"),
    ("signals", "wagers"),
    ("positions",),
    (),
]


@EVERY_HOUSE
@pytest.mark.parametrize("withhold", [False, True])
@pytest.mark.parametrize("observes", OBSERVED)
def test_a_table_log_reads_back_and_names_each_misdeal(
    rules: BlackjackRules, observes: tuple[events.Observed, ...] | None, withhold: bool
) -> None:
    kinds = expressible(observes)
    rounds = list(islice(BlackjackDealer(rules, 1, 0.5, kinds, reader_faults=0.2), 80))
    log = as_table_log(rules, rounds, observes, withhold=withhold)
    again = read_log(write_log(log.header, log.events))
    assert (again.header, again.events) == (log.header, log.events)
    assert [expected.code for expected in log.expected] == [dealt.code for dealt in rounds if dealt.code]
    if observes is not None:
        check_inputs(log.events, observes, withhold)


def check_inputs(told: Iterable[events.Event], observes: tuple[events.Observed, ...], withhold: bool) -> None:
    for event in told:
        match event:
            case events.CardDrawn():
                assert (event.to is not None) == ("positions" in observes) or event.outside
                assert (event.face is not None) == ("faces" in observes) or event.outside
            case events.RoundOpened():
                assert (event.boxes is not None) == ("wagers" in observes)
            case events.PlayerActed():
                assert "signals" in observes
            case events.HandSettled() | events.CardsCollected() | events.CardBurned():
                assert "collection" in observes
            case events.CardRevealed():
                assert withhold


def test_a_withheld_hole_card_is_told_just_before_it_is_turned() -> None:
    rules = blackjack_rules("nd-no-peek")
    told = as_table_log(rules, deal(rules, 50), withhold=True).events
    holes = [event for event in told if isinstance(event, events.CardDrawn) and event.to == "dealer"]
    assert {event.card is None for event in holes if event.face == "down"} == {True}
    for place, event in enumerate(told):
        if isinstance(event, events.HoleRevealed):
            shown = told[place - 1]
            assert isinstance(shown, events.CardRevealed)
            assert (shown.ref, shown.card) == ("hole", event.card)


def test_what_the_inputs_cannot_tell_is_no_table_log() -> None:
    dealt = until_misdeal(PLAIN, Misdeal.ORDER)
    assert dealt
    with pytest.raises(ValueError, match="ORDER"):
        as_table_log(PLAIN, [dealt], ["faces"])


@pytest.mark.parametrize(
    ("procedure", "options", "complaint"),
    [
        ("nd-no-peek", {"soft17": "hit"}, 'did you mean "soft_17"'),
        ("nd-no-peek", {"soft_17": "draw"}, "one of"),
        ("nd-no-peek", {"fallback": "nd-no-hole"}, "no option 'fallback'"),
        ("nd-card-reader", {"insurance": "at_turn"}, "cannot be 'at_turn'"),
        ("nd-card-reader", {"decks": 5}, "cannot be 5"),
        ("pb-nj", {"decks": 0}, "cannot be 0"),
        ("nd-card-readers", {}, "no dealer for procedure"),
    ],
)
def test_wrong_rules_are_refused(procedure: str, options: dict[str, object], complaint: str) -> None:
    with pytest.raises(ProcedureError, match=complaint):
        house_rules(procedure, options)


def test_one_generator_deals_every_game() -> None:
    for procedure in ("pb-nj", "pb-fr", *METHODS):
        first = next(iter(dealer_of(house_rules(procedure), 1)))
        assert any(isinstance(act, ShoeLoaded) for act in first.acts)
        assert is_blackjack(procedure) == any(isinstance(act, acts.RoundOpened) for act in first.acts)


def test_who_makes_each_act_known() -> None:
    dealt = all_acts(islice(BlackjackDealer(READER, 1, 0.5, reader_faults=0.3), 800))
    tellers = {type(act).__name__: acts.teller(act) for act in dealt}
    assert {name for name, who in tellers.items() if who == "shoe"} == {
        *("ShoeLoaded", "CuttingCard", "Burned", "Stray", "Drawn")
    }
    assert {name for name, who in tellers.items() if who == "reader"} == {"Peeked", "ReaderFailed"}
    assert {name for name, who in tellers.items() if who == "supervisor"} == {
        *("ReaderRestored", "MethodSelected", "RoundVoided")
    }
    assert UNARMED_PEEK < ALL
