"""The dealer against the texts of punto banco, written here a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice, pairwise, product

import pytest

from protocols import events
from protocols.cards import RANKS, SUITS, Card
from protocols.errors import ProcedureError
from protocols.tablelog import read_log, write_log
from simulators import acts
from simulators.misdeals import ALL, CODES, SHOE_CAN_TELL, Misdeal
from simulators.punto_banco import PuntoBancoDealer
from simulators.rounds import Round
from simulators.rules import Rules, rules_of
from simulators.table_log import as_table_log, expressible
from simulators.tableau import is_natural, thirds_due, winner

HANDS = {total: (Card("K"), Card("A" if total == 1 else "T" if total == 0 else str(total))) for total in range(10)}
BANKER_DRAWS = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}
HOUSES = [
    rules_of("pb-fr"),
    rules_of("pb-fr", {"decks": 4, "last_coup": "one_more", "error_card": "next_hand"}),
    rules_of("pb-nj"),
    rules_of("pb-nj", {"decks": 4, "last_coup": "current", "error_card": "burn", "deal_faces": "up"}),
    rules_of("pb-nj", {"decks": 3, "deal_faces": "down"}),
]
EVERY_HOUSE = pytest.mark.parametrize("rules", HOUSES, ids=lambda rules: f"{rules.procedure}-{rules.decks}")


def count(cards: Iterable[Card]) -> int:
    return sum(RANKS.index(card.rank) + 1 if card.rank in RANKS[:9] else 0 for card in cards) % 10


def deal(
    rules: Rules, rounds: int, rate: float = 0.0, seed: int = 1, misdeals: frozenset[Misdeal] = ALL
) -> list[Round[acts.Act]]:
    return list(islice(PuntoBancoDealer(rules, seed, rate, misdeals), rounds))


def all_acts(rounds: Iterable[Round[acts.Act]]) -> list[acts.Act]:
    return [act for dealt in rounds for act in dealt.acts]


def hand(dealt: Round[acts.Act], side: acts.Side) -> list[Card]:
    burned = {act.side for act in dealt.acts if isinstance(act, acts.CardBurned)}
    carried = [act.card for act in dealt.acts if isinstance(act, acts.Carried) and side == "player"]
    cards = [act.card for act in dealt.acts if isinstance(act, acts.Dealt) and act.side == side]
    return [*carried, *cards][: 2 if side in burned else 3]


def result(dealt: Round[acts.Act]) -> acts.Result:
    [told] = [act for act in dealt.acts if isinstance(act, acts.Result)]
    return told


def blamed(dealt: Round[acts.Act]) -> acts.Act:
    assert dealt.blamed is not None
    return dealt.acts[dealt.blamed]


def test_third_cards_are_those_of_the_text() -> None:
    for player, banker, third in product(range(10), range(10), range(10)):
        expected: tuple[str, ...]
        if player > 7 or banker > 7:
            expected = ()
        elif player > 5:
            expected = ("banker",) if banker < 6 else ()
        else:
            expected = ("player", "banker") if str(third) in BANKER_DRAWS[banker] else ("player",)
        assert thirds_due(HANDS[player], HANDS[banker], HANDS[third][1]) == expected, (player, banker, third)


def test_natural_and_winner() -> None:
    for player, banker in product(range(10), range(10)):
        assert is_natural(HANDS[player], HANDS[banker]) == (player in (8, 9) or banker in (8, 9))
        expected = "player" if player > banker else "banker" if banker > player else "tie"
        assert winner(HANDS[player], HANDS[banker]) == expected


@EVERY_HOUSE
def test_legal_rounds_follow_the_text(rules: Rules) -> None:
    rounds = deal(rules, 600)
    assert {dealt.misdeal for dealt in rounds} == {None}
    for dealt in rounds:
        slots = [(act.side, act.index) for act in dealt.acts if isinstance(act, acts.Dealt)]
        assert slots[:4] == [("player", 1), ("banker", 1), ("player", 2), ("banker", 2)]
        assert [side for side, index in slots[4:] if index == 3] == due_in(dealt)
        check_result(dealt)


def due_in(dealt: Round[acts.Act]) -> list[str]:
    player, banker = hand(dealt, "player"), hand(dealt, "banker")
    third = player[2] if len(player) == 3 else Card("K")
    return list(thirds_due(player[:2], banker[:2], third))


def check_result(dealt: Round[acts.Act]) -> None:
    player, banker, told = hand(dealt, "player"), hand(dealt, "banker"), result(dealt)
    difference = count(player) - count(banker)
    assert told.winner == ("tie" if not difference else "player" if difference > 0 else "banker")
    assert told.player_pair == (player[0].rank == player[1].rank)
    assert told.banker_pair == (banker[0].rank == banker[1].rank)


@EVERY_HOUSE
def test_faces_of_the_first_four(rules: Rules) -> None:
    faces = set()
    for dealt in deal(rules, 200):
        first_four = {act.face for act in dealt.acts if isinstance(act, acts.Dealt) and act.index < 3}
        thirds = {act.face for act in dealt.acts if isinstance(act, acts.Dealt) and act.index == 3}
        assert len(first_four) == 1
        assert thirds <= {"up"}
        assert (acts.Turned() in dealt.acts) == (first_four == {"down"})
        faces |= first_four
    assert faces == ({"up", "down"} if rules.deal_faces == "either" else {rules.deal_faces})


def shoes(rounds: Iterable[Round[acts.Act]]) -> list[list[acts.Act]]:
    """The acts of each whole shoe."""
    found: list[list[acts.Act]] = []
    for act in all_acts(rounds):
        if isinstance(act, acts.ShoeLoaded):
            found.append([])
        found[-1].append(act)
    return found[:-1]


@EVERY_HOUSE
@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_no_card_is_in_a_shoe_too_often_and_the_cutting_card_lies_where_it_should(rules: Rules, rate: float) -> None:
    behind = 10 if rules.last_coup == "current" else 14
    for shoe in shoes(deal(rules, 600, rate)):
        drawn = [act.card for act in shoe if isinstance(act, acts.CARD_LEAVES_SHOE)]
        assert max(Counter(drawn).values()) <= rules.decks
        assert all(card.suit and card.suit in SUITS for card in drawn)
        cut = shoe.index(acts.CuttingCard())
        before = [act for act in shoe[:cut] if isinstance(act, acts.CARD_LEAVES_SHOE)]
        assert len(before) == 52 * rules.decks - behind
        assert shoe.count(acts.CuttingCard()) == 1


@EVERY_HOUSE
def test_the_first_card_burns_its_value(rules: Rules) -> None:
    seen = set()
    for shoe in shoes(deal(rules, 1500)):
        assert isinstance(shoe[0], acts.ShoeLoaded)
        assert isinstance(shoe[1], acts.BurnFirst)
        rank = shoe[1].card.rank
        due = min(RANKS.index(rank) + 1, 10)
        assert [act.left for act in shoe if isinstance(act, acts.BurnCounted)] == list(range(due))[::-1]
        assert isinstance(shoe[2 + due], acts.CoupOpened)
        seen.add(due)
    assert len(seen) > 5


def coups_after_the_cutting_card(shoe: list[acts.Act]) -> tuple[bool, int]:
    """Whether the cutting card showed before the first card of its coup, and how many coups came after that one."""
    cut = shoe.index(acts.CuttingCard())
    opened = max(place for place, act in enumerate(shoe[:cut]) if isinstance(act, acts.CoupOpened))
    first = not any(isinstance(act, acts.Dealt | acts.Carried) for act in shoe[opened:cut])
    return first, sum(isinstance(act, acts.CoupOpened) for act in shoe[cut:])


@EVERY_HOUSE
def test_the_shoe_ends_as_the_house_says(rules: Rules) -> None:
    for shoe in shoes(deal(rules, 2000)):
        first, after = coups_after_the_cutting_card(shoe)
        assert after == (1 if rules.last_coup == "one_more" and not first else 0)


@EVERY_HOUSE
def test_the_same_seed_deals_the_same(rules: Rules) -> None:
    assert deal(rules, 200, rate=0.5) == deal(rules, 200, rate=0.5)
    assert deal(rules, 200, rate=0.5) != deal(rules, 200, rate=0.5, seed=2)


@EVERY_HOUSE
def test_every_misdeal_comes_and_is_what_it_says(rules: Rules) -> None:
    rounds = deal(rules, 3000, rate=0.7)
    assert {dealt.misdeal for dealt in rounds} == {None, *ALL}
    for before, dealt in zip([None, *rounds], rounds, strict=False):
        if dealt.misdeal:
            assert isinstance(dealt.misdeal, Misdeal)
            assert dealt.code == CODES[dealt.misdeal]
            check_misdeal(dealt.misdeal, dealt, before)
        else:
            check_result(dealt)


def check_misdeal(misdeal: Misdeal, dealt: Round[acts.Act], before: Round[acts.Act] | None) -> None:
    act = blamed(dealt)
    match misdeal:
        case Misdeal.ORDER:
            assert isinstance(act, acts.Dealt)
            assert (act.side, act.index) == ("player", 2)
            assert not any(isinstance(other, acts.Dealt) and other.side == "banker" for other in earlier(dealt))
        case Misdeal.OVER_DRAW:
            assert isinstance(act, acts.Surplus)
            assert due_in(dealt) == thirds_dealt(dealt)
        case Misdeal.WRONG_RESULT:
            assert act is result(dealt)
            difference = count(hand(dealt, "player")) - count(hand(dealt, "banker"))
            assert result(dealt).winner != ("tie" if not difference else "player" if difference > 0 else "banker")
        case Misdeal.MISSING_THIRD:
            assert act is result(dealt)
            assert thirds_dealt(dealt) != missing_due(dealt)
            check_result(dealt)
        case Misdeal.EXTRA_COUP:
            assert before is not None
            assert not any(isinstance(other, acts.ShoeLoaded) for other in dealt.acts)
            assert is_first_card(dealt, act)
        case Misdeal.BURN_MISSING | Misdeal.BURN_SHORT | Misdeal.BURN_LONG:
            check_burn(misdeal, dealt, act)
        case _:
            check_false_third(misdeal, dealt, act)


def earlier(dealt: Round[acts.Act]) -> tuple[acts.Act, ...]:
    return dealt.acts[: dealt.blamed]


def is_first_card(dealt: Round[acts.Act], act: acts.Act) -> bool:
    return isinstance(act, acts.Dealt) and act == next(card for card in dealt.acts if isinstance(card, acts.Dealt))


def thirds_dealt(dealt: Round[acts.Act]) -> list[str]:
    return [act.side for act in dealt.acts if isinstance(act, acts.Dealt) and act.index == 3]


def missing_due(dealt: Round[acts.Act]) -> list[str]:
    player = hand(dealt, "player")
    if len(player) == 3 or count(player) > 5:
        return due_in(dealt)
    return ["player"]


def check_burn(misdeal: Misdeal, dealt: Round[acts.Act], act: acts.Act) -> None:
    first = [other for other in dealt.acts if isinstance(other, acts.BurnFirst)]
    counted = sum(isinstance(other, acts.BurnCounted) for other in dealt.acts)
    if misdeal is Misdeal.BURN_MISSING:
        assert not first
        assert is_first_card(dealt, act)
        return
    due = min(RANKS.index(first[0].card.rank) + 1, 10)
    if misdeal is Misdeal.BURN_SHORT:
        assert counted < due
        assert acts.Started() in dealt.acts
        assert is_first_card(dealt, act)
    else:
        assert counted == due + 1
        assert isinstance(act, acts.BurnCounted)


def check_false_third(misdeal: Misdeal, dealt: Round[acts.Act], act: acts.Act) -> None:
    assert isinstance(act, acts.Dealt)
    assert act.index == 3
    player, banker = hand(dealt, "player"), hand(dealt, "banker")
    natural = max(count(player[:2]), count(banker[:2])) > 7
    assert natural == (misdeal is Misdeal.THIRD_ON_NATURAL)
    assert act.side not in due_in(dealt)
    assert acts.CardBurned(act.side) in dealt.acts
    assert act.side == ("banker" if misdeal is Misdeal.BANKER_THIRD else "player")
    check_result(dealt)


@EVERY_HOUSE
def test_a_surplus_card_is_carried_only_unseen_and_only_where_the_house_says(rules: Rules) -> None:
    rounds = deal(rules, 500, rate=0.7, misdeals=frozenset({Misdeal.OVER_DRAW}))
    carried = 0
    for before, dealt in pairwise(rounds):
        card = next((act.card for act in dealt.acts if isinstance(act, acts.Carried)), None)
        if card:
            carried += 1
            assert acts.Surplus(card) in before.acts
            assert acts.SurplusShown(card) not in before.acts
            assert not any(isinstance(act, acts.ShoeLoaded) for act in dealt.acts)
    assert (carried > 0) == (rules.error_card == "next_hand")


def test_the_share_of_misdeals_is_the_rate() -> None:
    rounds = deal(rules_of("pb-nj"), 4000, rate=0.1)
    assert 300 < sum(dealt.misdeal is not None for dealt in rounds) < 500


@pytest.mark.parametrize(
    ("procedure", "options", "complaint"),
    [
        ("pb-nk", {}, 'did you mean "pb-nj"'),
        ("pb-nj", {"last_cup": "current"}, 'did you mean "last_coup"'),
        ("pb-nj", {"last_coup": "never"}, "one of"),
        ("pb-fr", {"deal_faces": "up"}, "cannot be 'up'"),
        ("pb-nj", {"decks": 0}, "cannot be 0"),
    ],
)
def test_wrong_rules_are_refused(procedure: str, options: dict[str, object], complaint: str) -> None:
    with pytest.raises(ProcedureError, match=complaint):
        rules_of(procedure, options)


@EVERY_HOUSE
@pytest.mark.parametrize("withhold", [False, True])
@pytest.mark.parametrize("observes", [None, ("positions",), ("faces", "signals", "collection"), ()])
def test_a_table_log_reads_back_and_names_each_misdeal(
    rules: Rules, observes: tuple[events.Observed, ...] | None, withhold: bool
) -> None:
    misdeals = expressible(observes, withhold=withhold)
    rounds = deal(rules, 150, 0.5, misdeals=misdeals)
    log = as_table_log(rules, rounds, observes, withhold=withhold)
    again = read_log(write_log(log.header, log.events))
    assert (again.header, again.events) == (log.header, log.events)
    assert [expected.code for expected in log.expected] == [dealt.code for dealt in rounds if dealt.code]
    assert {dealt.misdeal for dealt in rounds} - {None} <= misdeals


BLAMED_TYPES = {
    "bac_draw": {"card.drawn"},
    "bac_draw_on_natural": {"card.drawn"},
    "bac_missing_third": {"result.reported"},
    "order": {"card.drawn"},
    "draw_outside_round": {"card.drawn"},
    "burn_missing": {"card.drawn"},
    "burn_count": {"card.drawn"},
    "bac_extra_coup": {"card.drawn"},
    "result_mismatch": {"result.reported"},
}


@EVERY_HOUSE
def test_each_expected_violation_falls_on_the_event_that_shows_it(rules: Rules) -> None:
    log = as_table_log(rules, deal(rules, 2000, 0.7))
    assert {expected.code for expected in log.expected} == set(BLAMED_TYPES)
    for expected in log.expected:
        event = log.events[expected.event - 1]
        assert event.type in BLAMED_TYPES[expected.code]
        if expected.code == "draw_outside_round":
            assert isinstance(event, events.CardDrawn)
            assert event.outside


@EVERY_HOUSE
def test_a_carried_card_names_the_draw_that_it_was(rules: Rules) -> None:
    misdeals = frozenset({Misdeal.OVER_DRAW})
    log = as_table_log(rules, deal(rules, 300, 0.7, misdeals=misdeals))
    this: list[events.CardDrawn] = []
    before: list[events.CardDrawn] = []
    moved = 0
    for event in log.events:
        if isinstance(event, events.RoundClosed):
            before, this = this, []
        elif isinstance(event, events.CardDrawn) and event.moved:
            assert before[event.moved - 1].outside
            moved += 1
        elif isinstance(event, events.CardDrawn):
            this.append(event)
    assert (moved > 0) == (rules.error_card == "next_hand")


def test_what_the_inputs_cannot_tell_is_no_table_log() -> None:
    rules = rules_of("pb-nj")
    dealt = next(found for found in PuntoBancoDealer(rules, 1, 1.0) if found.misdeal is Misdeal.ORDER)
    with pytest.raises(ValueError, match="ORDER"):
        as_table_log(rules, [dealt], ["faces"])
    with pytest.raises(ValueError, match="ORDER"):
        as_table_log(rules, [dealt], withhold=True)


def test_withheld_values_come_in_dealing_order_before_the_result() -> None:
    rules = rules_of("pb-nj")
    log = as_table_log(rules, deal(rules, 1), ["positions"], withhold=True)
    drawn = [event.ref for event in log.events if isinstance(event, events.CardDrawn) and event.to != "burn"]
    shown = [event.ref for event in log.events if isinstance(event, events.CardRevealed)]
    assert drawn == shown
    assert [event.type for event in log.events[-2:]] == ["result.reported", "round.closed"]
    assert all(event.card is None for event in log.events if isinstance(event, events.CardDrawn) and event.ref)


def test_the_shoe_alone_tells_what_its_slots_can_tell() -> None:
    assert expressible(["positions"], withhold=True) == SHOE_CAN_TELL
