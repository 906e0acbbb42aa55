"""The dealer's work at the shoe: burns, cuts, the cutting card, new dealers, cards that run out or lie face up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise

import pytest
from blackjack_houses import EVERY_HOUSE, HOUSES, all_acts, deal
from blackjack_watch import Dealt, watch

from simulators.acts import CuttingCard, ShoeLoaded
from simulators.blackjack import acts
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import Misdeal, possible
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.boxes import acts as common


@EVERY_HOUSE
@pytest.mark.parametrize("rate", [0.0, 0.6])
def test_shoes_are_whole_and_the_cutting_card_shows_where_it_was_placed(rules: BlackjackRules, rate: float) -> None:
    kinds = possible(rules) - {Misdeal.SHUFFLE_MIDROUND, Misdeal.INVENTORY, Misdeal.CUTCARD_POSITION}
    rounds = list(islice(BlackjackDealer(rules, 2, rate, kinds), 150))
    shoes: list[list[acts.Act]] = []
    placed: list[acts.CutCardPlaced] = []
    for act in all_acts(rounds):
        if isinstance(act, acts.CutCardPlaced):
            placed.append(act)
        if isinstance(act, ShoeLoaded | acts.ShoeEmptied):
            shoes.append([act])
        elif shoes:
            shoes[-1].append(act)
    loads = [shoe for shoe in shoes[:-1] if isinstance(shoe[0], ShoeLoaded)]
    assert len(loads) > 2
    for where, shoe in zip(placed, loads, strict=False):
        cards = Counter(act.card for act in shoe if isinstance(act, acts.CARD_LEAVES_SHOE))
        assert max(cards.values()) <= rules.decks
        shown = [number for number, act in enumerate(shoe) if isinstance(act, CuttingCard)]
        if common.CardsReplaced() not in shoe:
            [number] = shown
            before = [act for act in shoe[:number] if isinstance(act, acts.CARD_LEAVES_SHOE)]
            assert len(before) == round(52 * (rules.decks - where.decks_from_back))


DEPTHS = {"sl": (0.25, 0.5), "nz": (1 / 8, 0.25), "fr": (1 / 6, 0.25), "pa": (0.25, 0.5)}


@pytest.mark.parametrize("procedure", DEPTHS)
def test_the_cutting_card_goes_where_the_text_says(procedure: str) -> None:
    rules = blackjack_rules(procedure)  # type: ignore[arg-type]
    placed = [act for act in all_acts(deal(rules, 600)) if isinstance(act, acts.CutCardPlaced)]
    least, most = DEPTHS[procedure]
    assert all(least <= act.decks_from_back / act.decks <= most for act in placed if not act.directed)
    directed = [act for act in placed if act.directed]
    assert bool(directed) == (procedure == "nz")
    assert all(act.inspector_notified and act.decks_from_back <= act.decks / 2 for act in directed)


def burns_before_rounds(rounds: list[Dealt]) -> Iterator[tuple[bool, bool, int]]:
    """For each round whether the shoe was loaded and the dealer changed before it, and how many were burned then."""
    changed = False
    for dealt in rounds:
        first = next(number for number, act in enumerate(dealt.acts) if isinstance(act, common.Drawn))
        before, after = dealt.acts[:first], dealt.acts[first:]
        loaded = any(isinstance(act, ShoeLoaded) for act in before)
        changed = changed or common.DealerChanged() in before
        yield loaded, changed, sum(isinstance(act, common.Burned) for act in before)
        changed = common.DealerChanged() in after


@EVERY_HOUSE
def test_a_fresh_shoe_and_a_new_dealer_burn_as_the_house_says(rules: BlackjackRules) -> None:
    counts: dict[tuple[bool, bool], set[int]] = {}
    for loaded, changed, burned in burns_before_rounds(deal(rules, 400)):
        counts.setdefault((loaded, changed), set()).add(burned)
    of_shoe = {0, 1} if rules.burn == "unset" else {rules.burn}
    of_dealer = int(rules.procedure in ("pa", "us-card-reader") and rules.burn != 0)
    assert counts[True, False] == of_shoe
    assert counts[False, False] == {0}
    assert counts[False, True] == {of_dealer}
    changes_twice = {count + of_dealer * more for count in {*of_shoe, of_dealer} for more in range(3)}
    assert counts.get((True, True), set()) <= changes_twice


def rounds_after_cutting_card(rounds: list[Dealt]) -> Iterator[tuple[Dealt, Dealt]]:
    for dealt, following in pairwise(rounds):
        shows = [number for number, act in enumerate(dealt.acts) if isinstance(act, CuttingCard)]
        loads = [number for number, act in enumerate(dealt.acts) if isinstance(act, ShoeLoaded)]
        if shows and not (loads and shows[-1] < loads[-1]):
            yield dealt, following


@EVERY_HOUSE
def test_after_the_cutting_card_the_round_is_finished_and_the_next_begins_with_a_shuffle(rules: BlackjackRules) -> None:
    pairs = list(rounds_after_cutting_card(deal(rules, 300)))
    assert pairs
    for dealt, following in pairs:
        assert isinstance(dealt.acts[-1], common.RoundClosed | common.RoundVoided)
        first = [act for act in following.acts if not isinstance(act, acts.ReaderRestored | common.DealerChanged)]
        assert first[0] == acts.Shuffled()


@EVERY_HOUSE
def test_a_cutting_card_before_the_first_card_is_dealt_with_as_the_house_says(rules: BlackjackRules) -> None:
    loads_after = set()
    for dealt in deal(rules, 900):
        cards = [number for number, act in enumerate(dealt.acts) if isinstance(act, common.Drawn)]
        shows = [number for number, act in enumerate(dealt.acts) if isinstance(act, CuttingCard)]
        if shows and shows[0] < cards[0]:
            loads_after.add(any(isinstance(act, ShoeLoaded) for act in dealt.acts[shows[0] : cards[0]]))
    assert loads_after <= {rules.cut_card_first == "reshuffle"}


def cuts(rules: BlackjackRules, rounds: int) -> Iterator[tuple[str, acts.Cut]]:
    """Why the cards were cut, and the cut: `start`, `new`, `first` (the cutting card came first) or where it showed."""
    last: Dealt | None = None
    for dealt in deal(rules, rounds):
        for number, act in enumerate(dealt.acts):
            if isinstance(act, acts.Cut):
                yield _reason(last, dealt.acts[:number]), act
        last = dealt


def _reason(last: Dealt | None, before: tuple[acts.Act, ...]) -> str:
    if last is None:
        return "start"
    if common.CardsReplaced() in before:
        return "new"
    if any(isinstance(act, CuttingCard) for act in before):
        return "first"
    shown = next(number for number, act in enumerate(last.acts) if isinstance(act, CuttingCard))
    return next(act.to for act in last.acts[shown:] if isinstance(act, common.Drawn))


@pytest.mark.parametrize(("procedure", "newly"), [("nz", min), ("sl", max)])
def test_the_cut_goes_round_from_the_player_whose_it_is(procedure: str, newly: object) -> None:
    reasons = Counter[str]()
    for reason, cut in cuts(blackjack_rules(procedure), 3000):  # type: ignore[arg-type]
        reasons[reason.split(":")[0]] += 1
        box = int(reason[4:].split("/")[0]) if reason.startswith("box") else 0
        claims = {"new": newly, "dealer": max}
        if box:
            expected = min([other for other in cut.occupied if other >= box] or cut.occupied)
        elif reason in claims:
            expected = claims[reason](cut.occupied)  # type: ignore[operator]
        else:
            continue
        asked = [other for other in cut.occupied if other >= expected]
        asked += [other for other in cut.occupied if other < expected]
        if cut.by == "supervisor":
            assert procedure == "nz"
            assert cut.unwilling == tuple(asked)
        else:
            number = len(cut.unwilling or ())
            assert (*(cut.unwilling or ()), int(cut.by[4:])) == tuple(asked[: number + 1])
    assert set(reasons) == {"start", "new", "first", "box", "dealer"}


def test_cards_that_run_out_are_made_up_from_the_discards() -> None:
    rules = next(rules for rules in HOUSES if rules.decks == 1)
    rounds = deal(rules, 1500)
    short = [dealt for dealt in rounds if acts.ShoeEmptied() in dealt.acts]
    finished = [dealt for dealt in short if common.RoundClosed() in dealt.acts]
    assert finished
    watch(rules, finished)
    for dealt in finished:
        number = dealt.acts.index(acts.ShoeEmptied())
        assert dealt.acts[number + 1] == acts.Shuffled("discards")
    for dealt in short:
        assert isinstance(dealt.acts[-1], common.RoundClosed | common.RoundVoided)


def test_a_card_that_lies_face_up_is_burned_and_nothing_else_changes() -> None:
    rules = blackjack_rules("sl")
    rounds = list(islice(BlackjackDealer(rules, 3, boxed=0.1), 200))
    assert sum(isinstance(act, acts.Boxed) for act in all_acts(rounds)) > 100
    watch(rules, [dealt for dealt in rounds if common.RoundClosed() in dealt.acts])
