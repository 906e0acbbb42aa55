"""Rounds of the dealer, seen by tables that lack inputs: what is legal stays so, and no misdeal shows too early or as
what it cannot be."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import pytest

from protocols.dealing.check import Check
from protocols.dealing.check import verdicts as checked
from protocols.events import CardDrawn, Event, HoleRevealed, LogHeader, RoundOpened
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.blackjack.table_log import as_table_log
from simulators.dealt_log import DealtLog

STRICT = {"decks": 4, "burn": 3, "max_hands": 2, "surrender": "late", "double_after_split": False, "pickup": "checked"}
LOOSE = {"burn": 1, "resplit_aces": False, "split_second_card": "at_split", "surrender": "early", "soft_17": "hit"}
HOUSES = [
    blackjack_rules("nd-card-reader", STRICT),
    blackjack_rules("nd-no-peek", LOOSE),
    blackjack_rules("nd-no-hole"),
]
EVERY_HOUSE = pytest.mark.parametrize("rules", HOUSES, ids=lambda rules: rules.procedure)

REST = ("faces", "wagers", "collection", "shuffle", "cut")
GRADES = {
    "no positions": ("signals", *REST),
    "no positions, no faces": ("signals", "wagers"),
    "no signals": ("positions", *REST),
    "no signals, no faces": ("positions", "wagers"),
    "positions alone": ("positions",),
    "neither": REST,
    "nothing": (),
}
EVERY_GRADE = pytest.mark.parametrize("inputs", GRADES.values(), ids=GRADES)
_COVERED = {
    "player.acted": "signals",
    "cards.collected": "collection",
    "hand.settled": "collection",
    "card.burned": "collection",
    "cards.shuffled": "shuffle",
    "cut_card.placed": "cut",
    "wager.changed": "wagers",
    "call.made": "calls",
    "call.missed": "calls",
}


@dataclass(frozen=True)
class Table:
    """How a table sees: its inputs, whether its places name the hands of a split, the share of cards it cannot read."""

    inputs: Sequence[str]
    letters: bool = True
    unread: float = 0.0

    def sees(self, log: DealtLog) -> tuple[LogHeader, list[tuple[int, Event]]]:
        """The log as this table writes it, each event with its number in the whole log."""
        rng = random.Random(3)
        told = [(number, event) for number, event in enumerate(log.events, 1) if self._tells(event)]
        header = log.header.model_copy(update={"observes": tuple(self.inputs)})
        return header, [(number, self._as_seen(event, rng)) for number, event in told]

    def _tells(self, event: Event) -> bool:
        return _COVERED.get(event.name) in {None, *self.inputs}

    def _as_seen(self, event: Event, rng: random.Random) -> Event:
        if isinstance(event, RoundOpened) and "wagers" not in self.inputs:
            return event.model_copy(update={"boxes": None})
        if isinstance(event, CardDrawn | HoleRevealed) and rng.random() < self.unread:
            event = event.model_copy(update={"card": None})
        if not isinstance(event, CardDrawn):
            return event
        place = event.to.split("/")[0] if event.to and not self.letters else event.to
        seen = {"to": place if "positions" in self.inputs else None}
        return event.model_copy(update=seen | ({} if "faces" in self.inputs else {"face": None}))

    def violations(self, log: DealtLog) -> list[tuple[int, str | None]]:
        """The violations that the table tells of, each with the number of its event in the whole log."""
        header, events = self.sees(log)
        found = checked(Check.start(header), [event for _, event in events])
        return [
            (number, verdict.code)
            for (number, _), verdict in zip(events, found, strict=True)
            if verdict.outcome == "violation"
        ]


def dealt(rules: BlackjackRules, seed: int, rounds: int, rate: float) -> DealtLog:
    return as_table_log(rules, islice(BlackjackDealer(rules, seed, rate, reader_faults=0.2), rounds))


@EVERY_HOUSE
@EVERY_GRADE
def test_a_legal_round_is_no_violation_whatever_is_not_observed(rules: BlackjackRules, inputs: Sequence[str]) -> None:
    log = dealt(rules, 21, 15, 0.0)
    assert Table(inputs).violations(log) == []
    assert Table(inputs, letters=False).violations(log) == []


@EVERY_HOUSE
@EVERY_GRADE
def test_nor_is_it_where_cards_are_not_read(rules: BlackjackRules, inputs: Sequence[str]) -> None:
    assert Table(inputs, unread=0.15).violations(dealt(rules, 22, 5, 0.0)) == []


@EVERY_HOUSE
@EVERY_GRADE
@pytest.mark.parametrize("letters", [True, False])
def test_a_misdeal_shows_in_its_round_not_too_early_and_as_what_it_may_be(
    rules: BlackjackRules, inputs: Sequence[str], letters: bool
) -> None:
    log = dealt(rules, 23, 25, 0.9)
    opened = [number for number, event in enumerate(log.events, 1) if event.name == "round.opened"]
    for number, code in Table(inputs, letters=letters).violations(log):
        misdeal = [expected for expected in log.expected if expected.event <= number][-1]
        assert bisect(opened, misdeal.event) == bisect(opened, number)
        known = code in {misdeal.code, *may_show_as(inputs)}
        assert known or ("positions" not in inputs and misdeal.code in ELSEWHERE), (number, code, misdeal)


ELSEWHERE = {"order", "extra_card", "box_without_wager", "burn_extra", "burn_count"}
"""Misdeals by which a card comes to another place than the order of the deal gives it: where places are not observed,
every later card of the round is taken for another one's, and what is found wrong is what that makes of it."""


def may_show_as(inputs: Sequence[str]) -> frozenset[str]:
    """What else a misdeal may be for a table with these inputs: a card whose place is not observed may have come to any
    hand, or to the dealer; a box of which nobody told may have been passed over."""
    places = {"draw_without_signal", "hole_not_turned", "face"} if "positions" not in inputs else set()
    return frozenset(places | ({"order"} if "wagers" not in inputs else set()))
