"""The dealer and the check, each written from the texts by itself, agree on what is legal and on what is wrong."""

from __future__ import annotations

from itertools import islice, product
from typing import get_args

import pytest
from blackjack_houses import HOUSES, name_of

from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check, verdicts
from protocols.events import Observed
from simulators.blackjack.acts import Procedure
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import Misdeal, possible
from simulators.blackjack.procedures import PROCEDURES, choices, defaults
from simulators.blackjack.rules import BlackjackRules
from simulators.blackjack.table_log import as_table_log
from simulators.boxes.misdeals import named
from simulators.dealt_log import DealtLog

CHECKED = [procedure for procedure in PROCEDURES if procedure in procedures()]
EVERY_HOUSE = pytest.mark.parametrize(
    "rules", [rules for rules in HOUSES if rules.procedure in procedures()], ids=name_of
)
EVERYTHING = get_args(Observed)
OF_A_NEW_SHOE = {Misdeal.BURN_MISSING, Misdeal.BURN_COUNT, Misdeal.BURN_EXTRA, Misdeal.CUTCARD_POSITION}


def violations(log: DealtLog) -> list[tuple[int, str | None]]:
    found = verdicts(Check.start(log.header), log.events)
    return [(verdict.event, verdict.code) for verdict in found if verdict.outcome == "violation"]


def expected(log: DealtLog) -> list[tuple[int, str | None]]:
    return [(each.event, each.code) for each in log.expected]


@pytest.mark.parametrize("procedure", CHECKED)
def test_both_know_the_same_options(procedure: Procedure) -> None:
    document = procedures()[procedure]
    assert {name: option.default for name, option in document.options.items()} == defaults(procedure)
    settled = {name for name, option in document.options.items() if option.settled}
    assert settled == {name for name, values in choices(procedure).items() if len(values) == 1}


@EVERY_HOUSE
@pytest.mark.parametrize("withhold", [False, True])
@pytest.mark.parametrize("observes", [None, EVERYTHING], ids=["some calls", "all calls"])
def test_no_legal_round_is_a_violation(
    rules: BlackjackRules, withhold: bool, observes: tuple[Observed, ...] | None
) -> None:
    dealer = BlackjackDealer(rules, 11, reader_faults=0.3, boxed=0.02)
    assert violations(as_table_log(rules, islice(dealer, 10), observes, withhold=withhold)) == []


@EVERY_HOUSE
def test_each_misdeal_is_told_where_it_shows_and_nothing_else(rules: BlackjackRules) -> None:
    log = as_table_log(rules, islice(BlackjackDealer(rules, 12, 0.9, reader_faults=0.3, boxed=0.01), 30))
    assert len(log.expected) > 5
    assert violations(log) == expected(log)


@EVERY_HOUSE
def test_each_misdeal_of_a_new_shoe_is_told(rules: BlackjackRules) -> None:
    kinds, met = named(possible(rules) & OF_A_NEW_SHOE), set()
    for kind, seed in product(kinds, range(8)):
        log = as_table_log(rules, islice(BlackjackDealer(rules, seed, 1.0, {kind}), 2))
        assert violations(log) == expected(log)
        met |= {each.code for each in log.expected}
    assert met == {kind.value for kind in kinds}


@pytest.mark.soak
@EVERY_HOUSE
def test_thousands_of_rounds(rules: BlackjackRules) -> None:
    log = as_table_log(rules, islice(BlackjackDealer(rules, 13, 0.6, reader_faults=0.3, boxed=0.01), 2500))
    assert violations(log) == expected(log)
