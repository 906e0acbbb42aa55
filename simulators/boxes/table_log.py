"""What is told of the acts of every game that is dealt to boxes."""

from __future__ import annotations

from protocols import events
from protocols.events import Event, Observed
from simulators.boxes import acts

Said = tuple[Observed | None, Event]
"""What is told of an act, and by which input (None: any table has it)."""


def said(act: object) -> Said | None:
    """What people key in for an act; None for what devices tell, and for an act of one game alone."""
    match act:
        case acts.RoundOpened():
            return None, events.RoundOpened(boxes=act.boxes)
        case acts.RoundClosed():
            return None, events.RoundClosed()
        case acts.RoundVoided():
            return None, events.RoundVoided(reason=act.reason)
        case acts.InsuranceOpened():
            return None, events.InsuranceOpened()
        case acts.MethodSelected():
            return None, events.MethodSelected(procedure=act.procedure)
        case acts.DealerChanged():
            return None, events.DealerChanged()
        case _:
            return _where_observed(act)


def _where_observed(act: object) -> Said | None:
    match act:
        case acts.CardsReplaced():
            return "shuffle", events.CardsReplaced()
        case acts.WagerChanged():
            return "wagers", events.WagerChanged(box=act.box, change=act.change)
        case acts.TakenAway():
            return "collection", events.CardBurned(from_=act.place)
        case acts.Settled():
            return "collection", events.HandSettled(box=act.box, hand=act.hand, result=act.result)
        case acts.Collected():
            return "collection", events.CardsCollected(from_=act.place)
        case _:
            return None
