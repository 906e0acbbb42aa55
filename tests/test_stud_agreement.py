"""The dealer of stud and the check, each written from the texts by itself, agree on what is legal and on what is
wrong."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice, product
from typing import Final, get_args

import pytest
from stud_houses import EVERY_HOUSE, PLAIN

from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check, verdicts
from protocols.events import Observed
from protocols.verdicts import Verdict
from simulators.boxes import acts as common
from simulators.boxes.misdeals import named
from simulators.dealt_log import DealtLog
from simulators.stud.dealer import StudDealer
from simulators.stud.misdeals import ALL, Misdeal, expressible, possible
from simulators.stud.rules import PROCEDURES, Procedure, StudRules, stud_rules
from simulators.stud.table_log import as_table_log

EVERYTHING: Final = get_args(Observed)
INPUTS: Final[Sequence[tuple[Observed, ...] | None]] = (
    None,
    EVERYTHING,
    ("positions", "wagers", "stub"),
    ("signals", "wagers"),
    ("signals", "wagers", "faces", "shuffle", "stub", "calls", "collection"),
    ("shuffle", "stub"),
    (),
)
EVERY_INPUT = pytest.mark.parametrize("observes", INPUTS, ids=lambda inputs: "+".join(inputs or ["-"])[:30])


def told(log: DealtLog) -> list[Verdict]:
    return list(verdicts(Check.start(log.header), log.events))


def violations(log: DealtLog) -> list[tuple[int, str | None]]:
    return [(verdict.event, verdict.code) for verdict in told(log) if verdict.outcome == "violation"]


def expected(log: DealtLog) -> list[tuple[int, str | None]]:
    return [(each.event, each.code) for each in log.expected]


def dealt(
    rules: StudRules,
    rounds: int,
    rate: float,
    misdeals: Collection[Misdeal] = ALL,
    observes: tuple[Observed, ...] | None = None,
    *,
    seed: int = 11,
    withhold: bool = False,
    suits: bool = True,
) -> DealtLog:
    shown = expressible(observes, withhold=withhold, suits=suits) & frozenset(misdeals)
    tells_before = seed % 3 > 0
    before = min(seed % 2, rules.stub_count_rounds - 1) if tells_before else 0
    dealer = StudDealer(rules, seed, rate, shown, shoe_faults=0.2, boxed=0.03, uncounted=before)
    return as_table_log(
        rules,
        islice(dealer, rounds),
        observes,
        withhold=withhold,
        suits=suits,
        uncounted=before if tells_before else None,
    )


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_both_know_the_same_options(procedure: Procedure) -> None:
    options = procedures()[procedure].options
    rules = stud_rules(procedure)
    assert {name: option.default for name, option in options.items()} == {
        name: getattr(rules, name)
        for name in ("decks", "max_boxes", "burn", "pickup", "deal_pattern", "stub_count_rounds")
    }


@EVERY_HOUSE
@EVERY_INPUT
@pytest.mark.parametrize(("withhold", "suits"), [(False, True), (True, True), (False, False)])
def test_no_legal_round_is_a_violation(
    rules: StudRules, observes: tuple[Observed, ...] | None, withhold: bool, suits: bool
) -> None:
    log = dealt(rules, 25, 0.0, observes=observes, withhold=withhold, suits=suits)
    assert violations(log) == []


def test_a_shoe_that_fails_between_stacks_is_a_warning_and_nothing_else_is_one() -> None:
    rules = PLAIN["nj-ms-shoe"]
    rounds = list(islice(StudDealer(rules, 3, shoe_faults=0.5, boxed=0.03), 120))
    warned = [verdict.code for verdict in told(as_table_log(rules, rounds)) if verdict.outcome == "warning"]
    voided = [each for each in rounds if isinstance(each.acts[-1], common.RoundVoided)]
    assert warned == ["round_void"] * len(voided)
    assert len(voided) > 10


def by_misdeal() -> list[object]:
    cases = [(rules, misdeal) for rules in PLAIN.values() for misdeal in named(possible(rules))]
    return [pytest.param(rules, misdeal, id=f"{rules.procedure}-{misdeal.value}") for rules, misdeal in cases]


@pytest.mark.parametrize(("rules", "misdeal"), by_misdeal())
def test_each_misdeal_is_told_where_it_shows_and_nothing_else(rules: StudRules, misdeal: Misdeal) -> None:
    log = dealt(rules, 40, 0.9, {misdeal})
    assert log.expected
    assert violations(log) == expected(log)


@EVERY_HOUSE
@pytest.mark.parametrize(("withhold", "suits"), [(False, True), (True, True), (False, False)])
def test_misdeals_of_every_house(rules: StudRules, withhold: bool, suits: bool) -> None:
    log = dealt(rules, 50, 0.9, withhold=withhold, suits=suits)
    assert len(log.expected) > 10
    assert violations(log) == expected(log)


@pytest.mark.parametrize("procedure", PROCEDURES)
@EVERY_INPUT
def test_misdeals_with_other_inputs(procedure: Procedure, observes: tuple[Observed, ...] | None) -> None:
    log = dealt(stud_rules(procedure, {"burn": 1}), 50, 0.9, observes=observes)
    assert len(log.expected) > 10
    assert violations(log) == expected(log)


@pytest.mark.soak
@EVERY_HOUSE
def test_thousands_of_rounds(rules: StudRules) -> None:
    for observes, withhold in product((None, EVERYTHING), (False, True)):
        log = dealt(rules, 800, 0.5, observes=observes, seed=13, withhold=withhold)
        assert violations(log) == expected(log)
