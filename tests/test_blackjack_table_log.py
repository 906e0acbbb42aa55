"""The simulated dealer's rounds as table logs, and the one generator of all games."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import pytest
from blackjack_houses import EVERY_HOUSE, PLAIN, READER, all_acts, deal, until_misdeal

from protocols import events
from protocols.errors import ProcedureError
from protocols.tablelog import read_log, write_log
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import ALL, UNARMED_PEEK, Misdeal, expressible
from simulators.blackjack.procedures import PROCEDURES
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.blackjack.table_log import as_table_log
from simulators.dealer import house_rules, is_blackjack
from simulators.live.acts import teller
from simulators.rules import rules_of

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


def test_a_procedure_of_each_game_has_rules_of_that_game() -> None:
    for procedure in PROCEDURES:
        assert is_blackjack(procedure)
        assert house_rules(procedure, {"soft_17": "stand"}) == blackjack_rules(procedure, {"soft_17": "stand"})
    assert not is_blackjack("pb-nj")
    assert house_rules("pb-nj", {"decks": 6}) == rules_of("pb-nj", {"decks": 6})


def test_who_makes_each_act_known() -> None:
    dealt = all_acts(islice(BlackjackDealer(READER, 1, 0.5, reader_faults=0.3), 800))
    tellers = {type(act).__name__: teller(act) for act in dealt}
    assert {name for name, who in tellers.items() if who == "shoe"} == {
        *("ShoeLoaded", "CuttingCard", "Burned", "Stray", "Drawn")
    }
    assert {name for name, who in tellers.items() if who == "reader"} == {"Peeked", "ReaderFailed"}
    assert {name for name, who in tellers.items() if who == "supervisor"} == {
        *("ReaderRestored", "MethodSelected", "RoundVoided", "CardsReplaced", "DealerChanged")
    }
    assert UNARMED_PEEK < ALL
