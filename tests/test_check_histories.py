"""What a table tells that lacks an input, against every way in which the whole could have gone.

A second, slow and obvious way to the same answer: each log that a table with every input could have written, of which
this one is what is left, is put to the check of such a table. As long as one of them is without a violation there is
none; once none is left the event is one, by a code with which one of them broke."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product

import pytest
from blackjack_houses import ODD, STRICT, house
from blackjack_log import event_of
from test_check_stripped import REST, Table

from protocols.dealing.check import Check
from protocols.dealing.table import State
from protocols.events import CardDrawn, CardsCollected, Event, HandSettled, HoleRevealed, LogHeader, RoundClosed
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.blackjack.table_log import as_table_log

PLACES = ("burn", "dealer", "box:1", "box:2")
SHOWS_AN_ACT = CardDrawn | HoleRevealed | HandSettled | CardsCollected | RoundClosed
HOUSES = [
    blackjack_rules(rules.procedure, {**rules.options, "max_boxes": 2})
    for rules in (
        *(house(procedure, ODD) for procedure in ("sl", "nd-no-hole", "nz")),
        *(house(procedure, STRICT) for procedure in ("us-card-reader", "nd-no-peek", "fr")),
    )
]
EVERY_HOUSE = pytest.mark.parametrize("rules", HOUSES, ids=lambda rules: rules.procedure)
Histories = dict[tuple[State, ...], Check]


def completed(event: Event) -> Iterator[Event]:
    """The events of which this is what a table without places or faces tells."""
    if not isinstance(event, CardDrawn) or event.outside or event.boxed:
        yield event
        return
    for place, face in product([event.to] if event.to else PLACES, [event.face] if event.face else ("up", "down")):
        yield event.model_copy(update={"to": place, "face": face})


def sound(check: Check, event: Event, number: int) -> tuple[Histories, str | None]:
    """What is left of a history after an event, with its number in the log; else the code by which it broke."""
    after, verdict = check.step(event)
    if verdict.outcome == "violation":
        return {}, verdict.code
    return {after.histories: replace(after, events=number)}, None


def signalled(histories: Histories, number: int) -> Histories:
    """The histories with every run of signals that may have come before the next event."""
    found, todo = dict(histories), list(histories.values())
    while todo:
        check = todo.pop()
        for box, action in product(boxes_asked(check), ("hit", "stand", "double", "split", "surrender")):
            left, _ = sound(check, event_of(f"{box}.{action}"), number)
            todo += [after for key, after in left.items() if key not in found]
            found = left | found
    return found


def boxes_asked(check: Check) -> set[int]:
    """The boxes that may signal next; any of the round, where what is due names none."""
    acts = [act for act in check.due() if act.startswith("player.acted")]
    named = {int(act.partition("box:")[2].partition("/")[0]) for act in acts if ":" in act}
    return named or set(check.state.round.boxes or () if acts else ())


def first_violation(header: LogHeader, events: Iterable[Event]) -> tuple[int, set[str | None]] | None:
    """The first event after which no history is left, and the codes by which the last of them broke."""
    start = Check.start(header.model_copy(update={"observes": None}))
    histories: Histories = {start.histories: start}
    for number, event in enumerate(events, 1):
        signals_missing = "signals" not in (header.observes or ()) and isinstance(event, SHOWS_AN_ACT)
        before = signalled(histories, number - 1) if signals_missing else histories
        answers = [sound(check, full, number) for check in before.values() for full in completed(event)]
        histories = {key: check for left, _ in answers for key, check in left.items()}
        if not histories:
            return number, {code for _, code in answers}
    return None


@EVERY_HOUSE
@pytest.mark.parametrize("inputs", [("signals", *REST), ("signals", "wagers"), ("positions", *REST)], ids="-".join)
@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_a_violation_is_told_where_no_history_is_left_without_one(
    rules: BlackjackRules, inputs: tuple[str, ...], rate: float
) -> None:
    for seed in range(3):
        dealt = as_table_log(rules, islice(BlackjackDealer(rules, 40 + seed, rate), 1))
        header, seen = Table(inputs).sees(dealt)
        events = [event for _, event in seen]
        check, told = Check.start(header), None
        for event in events:
            check, verdict = check.step(event)
            if verdict.outcome == "violation":
                told = verdict
                break
        wanted = first_violation(header, events)
        assert (told and told.event) == (wanted and wanted[0])
        assert told is None or wanted is None or told.code in wanted[1]
