"""How fast a table is: what a pace, in seconds a card, comes to in events."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, islice
from typing import Final

from simulators.acts import CARD_LEAVES_SHOE, BetsClosed, StandBy, Turned
from simulators.dealer import is_blackjack, is_stud
from simulators.live.acts import CARD_LEAVES_SHOE as CARD_LEAVES_LIVE
from simulators.live.play import TablePlay
from simulators.table import Play, played

_ROUNDS: Final = 60
_NO_EVENTS: Final = BetsClosed | StandBy | Turned


def pace_of(procedure: str, rate: float) -> float:
    """The seconds before each card with which a table of this procedure has `rate` events a second in the long run."""
    return events_per_card(procedure) / rate


@lru_cache
def events_per_card(procedure: str) -> float:
    """How many events a table has for each card that leaves the shoe, that of the card among them, over some rounds."""
    if is_blackjack(procedure) or is_stud(procedure):
        dealer = TablePlay(procedure).dealer()
        acts = [step.act for step in chain.from_iterable(dealer.steps() for _ in range(_ROUNDS))]
        return len(acts) / sum(isinstance(act, CARD_LEAVES_LIVE) for act in acts)
    moments = islice(played(Play(procedure, rounds=_ROUNDS)), 1, None)
    told = [moment.act for moment in moments if not isinstance(moment.act, _NO_EVENTS)]
    return len(told) / sum(isinstance(act, CARD_LEAVES_SHOE) for act in told)
