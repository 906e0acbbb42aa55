"""What `show` says is judged at a table that lacks an input, against what the check does there with many misdeals."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import get_args

import pytest
import test_check_blackjack_deal as deal
import test_check_blackjack_dealer as dealer
import test_check_blackjack_play as play
from blackjack_log import lines, story

from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check, verdicts
from protocols.dealing.grades import Grade, grades
from protocols.events import CardDrawn, Event, LogHeader, Observed
from simulators.punto_banco import PuntoBancoDealer
from simulators.rules import rules_of
from simulators.table_log import as_table_log, expressible

Log = tuple[LogHeader, tuple[Event, ...]]
LACKS = {"a": set(), "b": {"positions"}, "c": {"signals"}, "d": {"positions", "signals"}}


def seen(event: Event, lacking: set[str]) -> Event | None:
    """The event as a table without these inputs writes it."""
    if "signals" in lacking and event.name in ("player.acted", "hands.turned"):
        return None
    return event.model_copy(update={"to": None}) if "positions" in lacking and isinstance(event, CardDrawn) else event


def without(log: Log, lacking: set[str]) -> Log:
    header, events = log
    inputs = [name for name in header.observes or get_args(Observed) if name not in lacking]
    left = (seen(event, lacking) for event in events)
    return header.model_copy(update={"observes": tuple(inputs)}), tuple(event for event in left if event is not None)


def violations(logs: Iterable[Log]) -> set[str | None]:
    found = (each for header, events in logs for each in verdicts(Check.start(header), events))
    return {verdict.code for verdict in found if verdict.outcome == "violation"}


def stories() -> list[Log]:
    told = map(story, lines(*deal.TABLES, *play.TABLES, *dealer.TABLES))
    return [(each.header, each.events) for each in told]


def coups(name: str) -> list[Log]:
    log = as_table_log(rules_of(name), islice(PuntoBancoDealer(rules_of(name), 3, 0.8, expressible()), 80))
    return [(log.header, log.events)]


def grade(name: str, letter: str) -> Grade:
    return next(each for each in grades(procedures()[name]) if each.letter == letter)


@pytest.mark.parametrize("letter", LACKS)
def test_no_violation_of_blackjack_is_one_that_cannot_be_judged(letter: str) -> None:
    logs = stories()
    unjudged = {code for log in logs for code in grade(str(log[0].procedure), letter).unjudged}
    found = violations(without(log, LACKS[letter]) for log in logs)
    assert not found & unjudged
    everything = violations(logs)
    assert len(everything) > 30
    assert letter == "d" or unjudged <= everything
    assert len(found) > (5 if letter == "d" else 20)


@pytest.mark.parametrize("name", ["pb-fr", "pb-nj"])
@pytest.mark.parametrize("letter", ["a", "b", "c"])
def test_no_violation_of_a_coup_is_one_that_cannot_be_judged(name: str, letter: str) -> None:
    logs = coups(name)
    found = violations(without(log, LACKS[letter]) for log in logs)
    assert not found & set(grade(name, letter).unjudged)
    assert len(found) > 3
    assert found <= set(grade(name, letter).judged)


@pytest.mark.parametrize("name", procedures())
def test_the_grades_are_four_and_each_judges_less_than_the_first(name: str) -> None:
    first, *rest = grades(procedures()[name])
    assert "".join(each.letter for each in (first, *rest)) == "abcd"
    assert not first.unjudged
    assert all(set(each.judged) <= set(first.judged) for each in rest)
    assert {"inventory", "draw_outside_round", "shuffle_midround"} <= set(rest[-1].judged)
