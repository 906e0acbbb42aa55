"""The dealer of Mississippi stud against the texts, written here a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice

import pytest
from stud_houses import EVERY_HOUSE, PLAIN, deal
from stud_watch import Watch, result_of

from protocols.cards import Card
from protocols.errors import ProcedureError
from simulators.boxes import acts as common
from simulators.dealer import house_rules, is_stud
from simulators.rounds import Round
from simulators.stud import acts
from simulators.stud.acts import Act
from simulators.stud.dealer import StudDealer
from simulators.stud.hands import outcome
from simulators.stud.misdeals import Misdeal, possible
from simulators.stud.rules import PROCEDURES, Procedure, StudRules, stud_rules


@EVERY_HOUSE
def test_legal_rounds_are_dealt_by_the_text(rules: StudRules) -> None:
    for seed in range(1, 4):
        Watch(rules).watch(deal(rules, 120, seed=seed))


@pytest.mark.soak
@EVERY_HOUSE
def test_thousands_of_legal_rounds(rules: StudRules) -> None:
    Watch(rules).watch(deal(rules, 5000, seed=7))


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_whatever_may_happen_happens(procedure: Procedure) -> None:
    rules = stud_rules(procedure, {"burn": 1})
    rounds = deal(rules, 400)
    seen = Watch(rules).watch(rounds).seen
    only_shoe = {"ShoeFaulted", "ShoeRestored", "RoundVoided", "TakenToHand", "Cut"}
    all_acts = {act.__name__ for act in acts.Act.__args__} - {"Stray", "Peeked", "InsuranceOpened", "MethodSelected"}
    assert set(seen) == all_acts - (set() if rules.from_shoe else only_shoe)
    assert {len(boxes_of(dealt)) for dealt in rounds} == set(range(1, 7))
    folded = [all_folded(dealt) for dealt in rounds]
    turned = [any(isinstance(act, acts.Turned) for act in dealt.acts) for dealt in rounds]
    assert {(True, True), (True, False), (False, True)} <= set(zip(folded, turned, strict=True))
    results = Counter(act.result for dealt in rounds for act in dealt.acts if isinstance(act, common.Settled))
    assert set(results) == {"win", "push", "lose"}


def boxes_of(dealt: Round[Act]) -> set[int]:
    opened = next(act for act in dealt.acts if isinstance(act, common.RoundOpened))
    return {*opened.boxes, *(act.box for act in dealt.acts if isinstance(act, common.WagerChanged))}


def all_folded(dealt: Round[Act]) -> bool:
    folds = {act.box for act in dealt.acts if isinstance(act, acts.Acted) and act.action == "fold"}
    return folds == boxes_of(dealt)


def test_both_patterns_are_dealt_where_either_is_allowed() -> None:
    seconds = Counter[bool]()
    for dealt in deal(PLAIN["nj-ms-hand"], 100):
        places = [act.to for act in dealt.acts if isinstance(act, common.Drawn)]
        if len(places) > 5:
            seconds[places[0] == places[1]] += 1
    assert min(seconds[True], seconds[False]) > 20


@pytest.mark.parametrize(
    ("cards", "result"),
    [
        ("Ah Kh Qh Jh Th", "win"),
        ("5s 4d 3c 2h Ah", "win"),
        ("Kh Ah 2d 3c 4s", "lose"),
        ("2h 5h 7h 9h Jh", "win"),
        ("2h 2d 2c 9h Jh", "win"),
        ("2h 2d 3c 3h Jh", "win"),
        ("2h 2d 3c 3h 2s", "win"),
        ("Jd 2d 3c 4h Jh", "win"),
        ("Ad 2d 3c 7h Ah", "win"),
        ("Td 2d 3c 7h Th", "push"),
        ("6d 2d 3c 7h 6h", "push"),
        ("5d 2d 3c 7h 5h", "lose"),
        ("Ad Kd Qd Jd 9h", "lose"),
    ],
)
def test_what_a_hand_wins(cards: str, result: str) -> None:
    hand = [Card.parse(card) for card in cards.split()]
    assert (outcome(hand), result_of(hand)) == (result, result)


def test_the_same_seed_deals_the_same() -> None:
    rules = PLAIN["nj-ms-shoe"]
    assert deal(rules, 50, 0.5, seed=9) == deal(rules, 50, 0.5, seed=9)
    assert deal(rules, 5, seed=9) != deal(rules, 5, seed=10)


@EVERY_HOUSE
def test_every_possible_misdeal_is_dealt_and_no_other(rules: StudRules) -> None:
    for misdeal in Misdeal:
        rounds = deal(rules, 120, 0.9, misdeals={misdeal})
        blamed = [dealt for dealt in rounds if dealt.misdeal]
        assert bool(blamed) == (misdeal in possible(rules)), misdeal
        assert {(dealt.misdeal, dealt.code) for dealt in blamed} <= {(misdeal, misdeal.code)}
        for dealt in blamed:
            assert dealt.blamed is not None
            assert SHOWS[misdeal](rules, dealt, dealt.blamed), (misdeal, dealt)


def test_what_comes_before_a_misdeal_is_right() -> None:
    for rules in PLAIN.values():
        quiet = {Misdeal.WAGER_RANGE, Misdeal.REVEAL_ORDER, Misdeal.SETTLEMENT_WRONG, Misdeal.FACE}
        rounds = [dealt for dealt in deal(rules, 300, 0.9, misdeals=quiet) if dealt.misdeal]
        assert len(rounds) > 100
        for dealt in rounds:
            watch = Watch(rules)
            for act in dealt.acts[: dealt.blamed]:
                watch.shoe_works = True if isinstance(act, common.RoundOpened) else watch.shoe_works
                if not isinstance(act, acts.ShoeRestored):
                    watch.act(act)
            with pytest.raises(AssertionError):
                watch.act(dealt.acts[dealt.blamed or 0])


Shown = Callable[[StudRules, Round[Act], int], bool]


def act_is(*kinds: type[Act]) -> Shown:
    return lambda rules, dealt, at: isinstance(dealt.acts[at], kinds)


def first_card(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    """Whether the blamed act is the first card of the round."""
    before = dealt.acts[:at]
    return isinstance(dealt.acts[at], common.Drawn) and not any(isinstance(act, common.Drawn) for act in before)


def card_to_folded(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    place = getattr(dealt.acts[at], "to", None)
    return any(isinstance(act, acts.Acted) and f"box:{act.box}" == place for act in dealt.acts[:at])


def places_before(dealt: Round[Act], at: int) -> list[str]:
    return [act.to for act in dealt.acts[:at] if isinstance(act, common.Drawn)]


def extra_card(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    match dealt.acts[at]:
        case common.Drawn(to=place):
            return places_before(dealt, at).count(place) == (2 if place.startswith("box") else 1)
    return False


def empty_box(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    match dealt.acts[at]:
        case common.Drawn(to=place):
            return int(place.removeprefix("box:")) not in boxes_of(dealt)
    return False


def twin(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    turned = [act.card for act in dealt.acts[: at + 1] if isinstance(act, acts.Turned)]
    return turned.count(turned[-1]) == 2


def other_card(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    match dealt.acts[at]:
        case acts.Turned(street=street, card=card):
            return common.Drawn(f"community:{street}", card, "down") not in dealt.acts
    return False


def after_fault(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    return isinstance(dealt.acts[at], common.Drawn) and dealt.acts[at - 1] == acts.ShoeFaulted()


def last_shuffle_by_hand(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    return first_card(rules, dealt, at) and acts.Shuffled("hand") in dealt.acts


def unshuffled(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    return first_card(rules, dealt, at) and not any(isinstance(act, acts.Shuffled) for act in dealt.acts)


def burned(dealt: Round[Act], at: int) -> int:
    return sum(isinstance(act, common.Burned) for act in dealt.acts[: at + 1])


def bet_of_folded(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    match dealt.acts[at]:
        case acts.Acted(box=box, action="bet"):
            return any(isinstance(act, acts.Acted) and act.action == "fold" and act.box == box for act in dealt.acts)
    return False


def closed_too_early(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    """The round, or a hand, is over before all have acted; or one acts before another."""
    return isinstance(dealt.acts[at], acts.Acted | common.Settled | common.RoundClosed)


def wrong_count(rules: StudRules, dealt: Round[Act], at: int) -> bool:
    match dealt.acts[at]:
        case acts.StubCounted(count=count):
            return count != 52 - sum(isinstance(act, acts.CARD_LEAVES_DECK) for act in dealt.acts[:at])
    return False


SHOWS: dict[Misdeal, Shown] = {
    Misdeal.ORDER: act_is(common.Drawn),
    Misdeal.FACE: lambda rules, dealt, at: getattr(dealt.acts[at], "face", None) == "up",
    Misdeal.BOX_WITHOUT_WAGER: empty_box,
    Misdeal.BOX_LIMIT: lambda rules, dealt, at: max(boxes_of(dealt)) > rules.max_boxes,
    Misdeal.EXTRA_CARD: extra_card,
    Misdeal.MISSING_CARD: act_is(acts.StubDiscarded, acts.StubCounted, acts.Acted, acts.TakenToHand),
    Misdeal.BURN_MISSING: lambda rules, dealt, at: first_card(rules, dealt, at) and burned(dealt, at) == 0,
    Misdeal.BURN_EXTRA: lambda rules, dealt, at: 0 < burned(dealt, at) == rules.most_burned + 1,
    Misdeal.BURN_COUNT: lambda rules, dealt, at: burned(dealt, at) not in (0, rules.burn),
    Misdeal.NMB_MISSING: lambda rules, dealt, at: (
        first_card(rules, dealt, at) and acts.NoMoreBets(made=False) in dealt.acts
    ),
    Misdeal.WAGER_CHANGED: act_is(common.WagerChanged),
    Misdeal.SHUFFLE_OVERDUE: unshuffled,
    Misdeal.SHUFFLE_MIDROUND: act_is(acts.Shuffled),
    Misdeal.SHUFFLER_REQUIRED: last_shuffle_by_hand,
    Misdeal.PEEK_IN_NO_PEEK_MODE: act_is(common.Peeked),
    Misdeal.READER_MISMATCH: other_card,
    Misdeal.METHOD_UNREACHABLE: act_is(common.MethodSelected),
    Misdeal.INSURANCE_WITHOUT_ACE: act_is(common.InsuranceOpened),
    Misdeal.HAND_SKIPPED: closed_too_early,
    Misdeal.DRAW_AFTER_FOLD: card_to_folded,
    Misdeal.REVEAL_EARLY: act_is(acts.Turned),
    Misdeal.REVEAL_ORDER: act_is(acts.Turned, acts.Acted),
    Misdeal.SETTLEMENT_WRONG: act_is(common.Settled),
    Misdeal.WAGER_AFTER_FOLD: bet_of_folded,
    Misdeal.WAGER_RANGE: lambda rules, dealt, at: getattr(dealt.acts[at], "multiple", 1) not in (1, 2, 3),
    Misdeal.STUB_COUNT_OVERDUE: first_card,
    Misdeal.STUB_COUNT_MISMATCH: wrong_count,
    Misdeal.STUB_EXPOSED: lambda rules, dealt, at: dealt.acts[at] == acts.StubDiscarded(exposed=True),
    Misdeal.COMMUNITY_FROM_SHOE: lambda rules, dealt, at: (
        getattr(dealt.acts[at], "to", None) == "community:3" and acts.TakenToHand not in map(type, dealt.acts[:at])
    ),
    Misdeal.ROUND_VOID: after_fault,
    Misdeal.DRAW_OUTSIDE_ROUND: lambda rules, dealt, at: (
        isinstance(dealt.acts[at], common.Stray) or (first_card(rules, dealt, at) and acts.ShoeFaulted() in dealt.acts)
    ),
    Misdeal.INVENTORY: twin,
}


def test_the_stub_is_counted_too_late_after_just_as_many_rounds() -> None:
    for limit in range(1, 6):
        rules = stud_rules("nj-ms-hand", {"stub_count_rounds": limit})
        finished, late = 0, 0
        for dealt in deal(rules, 400, 0.9, misdeals={Misdeal.STUB_COUNT_OVERDUE}):
            if dealt.misdeal:
                assert finished >= limit
                late += 1
            counted = any(isinstance(act, acts.StubCounted) for act in dealt.acts)
            finished = 0 if counted else finished + 1
        assert late > 5


def test_the_rounds_before_the_first_are_counted() -> None:
    first = next(iter(StudDealer(PLAIN["nj-ms-hand"], 1, uncounted=4)))
    assert any(isinstance(act, acts.StubCounted) for act in first.acts)


@pytest.mark.parametrize(
    ("procedure", "options"),
    [
        ("nj-ms-shoe", {"deal_pattern": "passes"}),
        ("nj-ms-hand", {"decks": 2}),
        ("nj-ms-hand", {"stub_count_rounds": 6}),
        ("nj-ms-hand", {"pickup": "checked"}),
        ("nj-ms-hand", {"soft_17": "hit"}),
    ],
)
def test_what_a_procedure_does_not_have_is_refused(procedure: str, options: dict[str, object]) -> None:
    with pytest.raises(ProcedureError, match=next(iter(options))):
        house_rules(procedure, options)


def test_a_procedure_of_stud_has_rules_of_stud() -> None:
    for procedure in PROCEDURES:
        assert is_stud(procedure)
        assert house_rules(procedure, {"max_boxes": 3}) == stud_rules(procedure, {"max_boxes": 3})
    assert not is_stud("pb-nj")


@pytest.mark.parametrize("seed", range(1, 6))
def test_where_nobody_knows_of_a_count_the_stub_is_counted_in_the_first_round(seed: int) -> None:
    rules = PLAIN["nj-ms-shoe"]
    rounds = list(islice(StudDealer(rules, seed, 0.9, {Misdeal.STUB_COUNT_OVERDUE}, uncounted=None), 7))
    counted = [any(isinstance(act, acts.StubCounted) for act in each.acts) for each in rounds]
    assert counted[0]
    assert rounds[0].misdeal is None
    assert any(counted[1:]) or any(each.misdeal for each in rounds)
