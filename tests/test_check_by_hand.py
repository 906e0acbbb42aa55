"""What the check leaves out to be quick leaves nothing out: beside it runs one that remembers nothing between two
events and asks every rule about every event."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

import pytest
import test_check_again as again
from blackjack_log import event_of, story
from coup_log import events as coup
from hypothesis import given, settings
from hypothesis import strategies as st
from stud_log import stud_event, stud_story
from test_check_blackjack_properties import tables, words
from test_check_stud_properties import tables as stud_tables
from test_check_stud_properties import words as stud_words

from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check
from protocols.dealing.lying import lying
from protocols.dealing.rules.finding import Asked, Find, Finding, Moment, Rule
from protocols.errors import LogError
from protocols.events import EVENT, Event, LogHeader, Observed
from simulators.blackjack import table_log as blackjack_log
from simulators.blackjack.acts import Procedure
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import expressible
from simulators.blackjack.procedures import PROCEDURES, choices
from simulators.blackjack.rules import blackjack_rules
from simulators.punto_banco import PuntoBancoDealer
from simulators.rules import rules_of
from simulators.stud import misdeals as stud_misdeals
from simulators.stud import table_log as stud_log
from simulators.stud.dealer import StudDealer
from simulators.stud.rules import PROCEDURES as STUD_PROCEDURES
from simulators.stud.rules import Procedure as StudProcedure
from simulators.stud.rules import stud_rules
from simulators.table_log import as_table_log

HOUSE = {"split_second_card": "at_split", "surrender": "late", "pickup": "checked"}
INPUTS: list[tuple[Observed, ...] | None] = [None, ("positions", "wagers"), ("faces", "signals", "wagers")]


class AsksEveryRule:
    """A game whose rules are asked about every event, and object to none that they say does not concern them."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self._asked = cache(lambda kind: Asked(game.rules, kind))
        self.rules = tuple(Rule(rule.code, self._asking(rule)) for rule in game.rules)

    def _asking(self, rule: Rule) -> Find:
        def find(moment: Moment) -> Finding | None:
            found = rule.find(moment)
            if found is not None:
                assert rule in self._asked(type(moment.event)).about(moment), f"{rule.code}: {found.detail}"
            return found

        return find

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def asking_every_rule(check: Check) -> Check:
    return replace(check, setting=replace(check.setting, game=AsksEveryRule(check.setting.game)))


def forgetful(value: Any) -> Any:
    """The same value, made anew from its fields."""
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(forgetful, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    return type(value)(**{field.name: forgetful(getattr(value, field.name)) for field in fields(value)})


def agrees(header: LogHeader, events: Iterable[Event]) -> None:
    quick = Check.start(header)
    slow = asking_every_rule(quick)
    for event in events:
        try:
            quick, verdict = quick.step(event)
        except LogError:
            continue
        kept = {field.name: forgetful(getattr(slow, field.name)) for field in fields(slow) if field.name != "setting"}
        slow, by_hand = replace(slow, **kept).step(event)
        assert by_hand == verdict
        for seen in (quick.state.round, quick.state.previous):
            assert seen is None or seen.lying == lying(seen.draws)


OPENINGS = {
    "blackjack": [
        *again.ROUNDS["blackjack"],
        "R1,2 9>1 8>2 6>d 9>1 ?>2 T>d- 1.stand 2.hit 2>2 hole T>d 5>d",
        "R1,2 8>1 8>2 ?>d 8>1 8>2 A>d- ins+ ins- 1.split 1.hit ?>1 3>1b 2.stand",
        "fault R1 nocall 9>1 T>d 8>1 9>d- peek=error 1.double 1.surrender 2>1 cutcard 9>1 hole close R1 9>1 6>d T>1",
        "load 4>b R1,2,3 A>1 8>2 A>3 9>d A>1 8>2 A>3 7>d- 1.split 5>1 3.split 9>3 2.stand 1.insure T>d hole T>d",
        "R 8>1 ?>2 T>d 3>1 4>2 1.double 5>1- 1.surrender 2.stand hole ?>d",
    ],
    "stud": [
        *again.ROUNDS["stud"],
        "mix R1,2 nmb 9>1 8>2 7>1 6>2 5>c3 out 4>c4",
        "mix R1 1.fold settle1=lose",
        "load 4>b 5>b mix R1,2 9>1 8>1 jam clear 7>2",
    ],
    "baccarat": again.ROUNDS["baccarat"],
}
ACTS = ("stand", "double", "split", "surrender", "insure")
FOLLOWING = {
    "blackjack": ["peek", "peek=natural", *(f"{hand}.{act}" for hand in ("1", "2", "1b") for act in ACTS)],
    "stud": ["1.bet5", "2.bet3", "1.betx7", "mix=hand", "3.bet"],
    "baccarat": ["=p", "=b", "c", "t"],
}
"""Besides the words of other logs."""
HOUSES = ["sl", "nd-card-reader", "nz", "nj-ms-hand", "nj-ms-shoe", "pb-fr", "pb-nj"]


@pytest.mark.parametrize("procedure", HOUSES)
def test_whatever_comes_next(procedure: str) -> None:
    family = procedures()[procedure].family
    read = again.READ[family]
    following = [event_in(read(word)) for word in (*again.CARDS[family], *again.OTHERS[family], *FOLLOWING[family])]
    for opening in OPENINGS[family]:
        check = asking_every_rule(Check.start(LogHeader(procedure=procedure, shoe="fresh")))
        for word in opening.split():
            with suppress(LogError):
                check, _ = check.step(event_in(read(word)))
            for event in following:
                with suppress(LogError):
                    check.step(event)


def event_in(fields: dict[str, Any]) -> Event:
    return EVENT.validate_json(json.dumps(fields))


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("observes", INPUTS, ids=str)
def test_rounds_of_blackjack(procedure: Procedure, observes: tuple[Observed, ...] | None) -> None:
    offered = choices(procedure)
    rules = blackjack_rules(procedure, {name: value for name, value in HOUSE.items() if value in offered[name]})
    dealer = BlackjackDealer(rules, 5, 0.8, expressible(observes), reader_faults=0.2)
    log = blackjack_log.as_table_log(rules, islice(dealer, 15), observes, withhold=True)
    agrees(log.header, log.events)


@pytest.mark.parametrize("procedure", STUD_PROCEDURES)
@pytest.mark.parametrize("observes", INPUTS, ids=str)
def test_rounds_of_stud(procedure: StudProcedure, observes: tuple[Observed, ...] | None) -> None:
    rules = stud_rules(procedure, {"burn": 1})
    dealer = StudDealer(rules, 5, 0.8, stud_misdeals.expressible(observes), shoe_faults=0.2)
    agrees((log := stud_log.as_table_log(rules, islice(dealer, 25), observes)).header, log.events)


@pytest.mark.parametrize("procedure", ["pb-fr", "pb-nj"])
def test_coups(procedure: str) -> None:
    rules = rules_of(procedure, {"decks": 2})
    log = as_table_log(rules, islice(PuntoBancoDealer(rules, 5, 0.6), 80))
    agrees(log.header, log.events)


@given(tables, st.lists(words, max_size=25))
@settings(max_examples=150, deadline=None)
def test_any_blackjack(table: str, tail: list[str]) -> None:
    log = story(table)
    agrees(log.header, [*log.events, *map(event_of, tail)])


@given(stud_tables, st.lists(stud_words, max_size=25))
@settings(max_examples=150, deadline=None)
def test_any_stud(table: str, tail: list[str]) -> None:
    log = stud_story(table)
    agrees(log.header, [*log.events, *map(stud_event, tail)])


COUP_WORDS = "o c v n N t =p =b / s k bP bB g g3 f h e L Sd S r1=K"
coup_words = st.sampled_from(COUP_WORDS.split())
flags = st.sampled_from(["", "", "!", "*", ">2"])
coup_cards = st.builds("{}{}{}{}".format, *map(st.sampled_from, ("PPBBFD", "A2345678K", "^_")), flags)


@given(st.lists(st.one_of(coup_cards, coup_cards, coup_words), max_size=30), st.sampled_from(["pb-fr", "pb-nj"]))
@settings(max_examples=150, deadline=None)
def test_any_coups(log: list[str], procedure: str) -> None:
    agrees(LogHeader(procedure=procedure, shoe="fresh"), coup(" ".join(["o", *log])))
