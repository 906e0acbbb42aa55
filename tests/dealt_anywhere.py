"""A few rounds of any procedure, as its devices and people would tell them."""

from __future__ import annotations

from itertools import islice

from protocols.cards import Card
from protocols.events import CardDrawn, CardRevealed, Event
from protocols.hidden import hide
from simulators import table_log as coups
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.rules import BlackjackRules
from simulators.blackjack.table_log import as_table_log as blackjack_log
from simulators.dealer import house_rules
from simulators.dealt_log import DealtLog
from simulators.punto_banco import PuntoBancoDealer
from simulators.stud import table_log as stud
from simulators.stud.dealer import StudDealer
from simulators.stud.misdeals import expressible as stud_misdeals
from simulators.stud.rules import StudRules


def dealt_log(procedure: str, seed: int, rounds: int, rate: float = 0.3, *, withhold: bool = False) -> DealtLog:
    """Rounds by the procedure's defaults, some with a fault and some with a device that fails; with `withhold` a value
    that lies face down is told when it is turned."""
    rules = house_rules(procedure)
    if isinstance(rules, BlackjackRules):
        hands = BlackjackDealer(rules, seed, rate, reader_faults=rate)
        return blackjack_log(rules, islice(hands, rounds), withhold=withhold)
    if isinstance(rules, StudRules):
        boxes = StudDealer(rules, seed, rate, stud_misdeals(withhold=withhold), shoe_faults=rate)
        return stud.as_table_log(rules, islice(boxes, rounds), withhold=withhold)
    coup = PuntoBancoDealer(rules, seed, rate, coups.expressible(withhold=withhold))
    return coups.as_table_log(rules, islice(coup, rounds), withhold=withhold)


def as_told_by_devices(event: Event) -> Event:
    """The event with its card sealed, as a shoe's report gives it."""
    if isinstance(event, CardDrawn | CardRevealed) and isinstance(event.card, Card):
        return event.model_copy(update={"card": hide(event.card)})
    return event
