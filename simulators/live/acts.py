"""The acts of the games that can be dealt live: who makes each of them known, and what is said of it."""

from __future__ import annotations

from typing import Final, Literal

from protocols.events import Event
from simulators.acts import CuttingCard, ShoeLoaded
from simulators.blackjack import acts as blackjack
from simulators.blackjack.table_log import said as said_in_blackjack
from simulators.boxes import acts as common
from simulators.stud import acts as stud
from simulators.stud.table_log import said as said_in_stud

Act = blackjack.Act | stud.Act
Teller = Literal["shoe", "reader", "dealer", "supervisor"]
CARD_LEAVES_SHOE: Final = blackjack.CARD_LEAVES_SHOE | stud.CARD_LEAVES_DECK


def teller(act: Act) -> Teller:
    """Who makes the act known: a device by itself, or a person at the panel."""
    match act:
        case common.Burned() | common.Stray() | common.Drawn() | blackjack.Boxed() | stud.Boxed():
            return "shoe"
        case ShoeLoaded() | CuttingCard() | blackjack.ShoeEmptied() | stud.TakenToHand():
            return "shoe"
        case stud.ShoeFaulted() | stud.ShoeRestored():
            return "shoe"
        case common.Peeked() | blackjack.ReaderFailed():
            return "reader"
        case common.CardsReplaced() | common.DealerChanged() | common.MethodSelected() | common.RoundVoided():
            return "supervisor"
        case blackjack.ReaderRestored():
            return "supervisor"
        case _:
            return "dealer"


def said(act: Act) -> Event | None:
    """What a person says of it, if anything."""
    found = said_in_stud(act) or said_in_blackjack(act)
    return found[1] if found else None
