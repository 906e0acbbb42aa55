"""How many events a second the check answers on one core, step by step: `python bench/check.py [EVENTS]`.

The events, so many a procedure, are read already: rounds that the simulated dealers dealt, one in fifty with a misdeal.
Beside it, in the same run, how many bare triggers the library `transitions` fires on a machine of five states."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Final

try:
    from transitions import Machine
except ImportError:
    sys.exit("bench/check.py compares with the library `transitions`: pip install -e .[bench]")

from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check
from simulators import table_log as baccarat_log
from simulators.blackjack import table_log as blackjack_log
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.rules import BlackjackRules
from simulators.dealer import AnyRules, house_rules
from simulators.dealt_log import DealtLog
from simulators.punto_banco import PuntoBancoDealer
from simulators.stud import table_log as stud_log
from simulators.stud.dealer import StudDealer
from simulators.stud.rules import StudRules

_EVENTS: Final = 10_000
_MISDEALS: Final = 0.02
_EVENTS_A_ROUND: Final = 5
_TURNS: Final = 5
_A_YEAR: Final = 10_000_000
_STATES: Final = ("betting", "dealing", "playing", "drawing", "settling")


def main(number: int) -> None:
    """Print events and draws a second of each procedure and of all, each the best of some turns."""
    logs = dealt(number)
    work = [*(lambda log=log: checked(log) for log in logs), bare_triggers(number)]
    *seconds, triggering = (min(turns) for turns in zip(*(map(timed, work) for _ in range(_TURNS)), strict=True))
    draws = [sum(event.name == "card.drawn" for event in log.events) for log in logs]
    print(f"{'procedure':<16}{'events':>9}{'draws':>9}{'events/s':>11}{'draws/s':>11}")
    for log, drawn, took in zip(logs, draws, seconds, strict=True):
        print(row(str(log.header.procedure), len(log.events), drawn, took))
    events, took, triggers = sum(len(log.events) for log in logs), sum(seconds), number / triggering
    print(row("all", events, sum(draws), took))
    print(f"bare triggers of transitions: {triggers:,.0f}/s; checked events to one: {events / took / triggers:.2f}")
    print(f"ten million draws: {_A_YEAR * took / sum(draws) / 60:.1f} minutes")


def dealt(number: int) -> list[DealtLog]:
    """So many events of every procedure."""
    logs = [dealt_log(house_rules(name), number // _EVENTS_A_ROUND) for name in sorted(procedures())]
    return [DealtLog(log.header, log.events[:number], ()) for log in logs]


def dealt_log(rules: AnyRules, rounds: int) -> DealtLog:
    """So many rounds that the simulated dealer dealt."""
    match rules:
        case BlackjackRules():
            return blackjack_log.as_table_log(rules, islice(BlackjackDealer(rules, 1, _MISDEALS), rounds))
        case StudRules():
            return stud_log.as_table_log(rules, islice(StudDealer(rules, 1, _MISDEALS), rounds))
        case _:
            return baccarat_log.as_table_log(rules, islice(PuntoBancoDealer(rules, 1, _MISDEALS), rounds))


def checked(log: DealtLog) -> None:
    """Answer every event of the log."""
    check = Check.start(log.header)
    for event in log.events:
        check, _ = check.step(event)


def bare_triggers(number: int) -> Callable[[], None]:
    """What fires so many triggers, without a callback, round a ring of five states."""
    machine = Machine(states=list(_STATES), initial=_STATES[0], auto_transitions=False)
    machine.add_ordered_transitions()
    trigger: Callable[[], bool] = machine.next_state

    def fire() -> None:
        for _ in range(number):
            trigger()

    return fire


def timed(work: Callable[[], None]) -> float:
    """Seconds of the processor that the work takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def row(name: str, events: int, draws: int, seconds: float) -> str:
    return f"{name:<16}{events:>9,}{draws:>9,}{events / seconds:>11,.0f}{draws / seconds:>11,.0f}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else _EVENTS)
