"""The dealer and the check, each written from the texts by itself, agree on what is legal and on what is wrong."""

from __future__ import annotations

from itertools import islice, product

import pytest

from protocols.dealing.check import Check, verdicts
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.rules import METHODS, BlackjackRules, blackjack_rules
from simulators.blackjack.table_log import as_table_log
from simulators.table_log import DealtLog

STRICT = {"decks": 4, "burn": 3, "max_hands": 2, "surrender": "late", "double_after_split": False, "pickup": "checked"}
LOOSE = {"burn": 1, "resplit_aces": False, "split_second_card": "at_split", "surrender": "early", "soft_17": "hit"}
HOUSES = [
    *(blackjack_rules(method, options) for method, options in product(METHODS, ({}, STRICT, LOOSE))),
    blackjack_rules("nd-card-reader", {"fallback": "nd-no-hole"}),
    blackjack_rules("nd-no-peek", {"insurance": "none", "draw_on_21": "violation"}),
    blackjack_rules("nd-no-hole", {"insurance": "at_turn", "cut_card_first": "play"}),
]
EVERY_HOUSE = pytest.mark.parametrize("rules", HOUSES, ids=lambda rules: f"{rules.procedure}-{len(rules.options)}")


def violations(log: DealtLog) -> list[tuple[int, str | None]]:
    found = verdicts(Check.start(log.header), log.events)
    return [(verdict.event, verdict.code) for verdict in found if verdict.outcome == "violation"]


def dealt(rules: BlackjackRules, rounds: int, rate: float, reader_faults: float, *, withhold: bool = False) -> DealtLog:
    dealer = BlackjackDealer(rules, 11, rate, reader_faults=reader_faults)
    return as_table_log(rules, islice(dealer, rounds), withhold=withhold)


@EVERY_HOUSE
@pytest.mark.parametrize("withhold", [False, True])
def test_no_legal_round_is_a_violation(rules: BlackjackRules, withhold: bool) -> None:
    assert violations(dealt(rules, 60, 0.0, 0.3, withhold=withhold)) == []


@EVERY_HOUSE
def test_each_misdeal_is_told_where_it_shows_and_nothing_else(rules: BlackjackRules) -> None:
    log = dealt(rules, 120, 0.9, 0.3)
    assert len(log.expected) > 20
    assert violations(log) == [(expected.event, expected.code) for expected in log.expected]


@pytest.mark.soak
@EVERY_HOUSE
def test_thousands_of_rounds(rules: BlackjackRules) -> None:
    log = dealt(rules, 2500, 0.6, 0.3)
    assert violations(log) == [(expected.event, expected.code) for expected in log.expected]
