"""What the table tells its devices: after each record, from what is due. A driver never acts by itself.

An order for a round is the same order however often it is given, so that a restart may give it again."""

from __future__ import annotations

from dataclasses import dataclass

from protocols.cards import Card
from protocols.dealing.blackjack.hands import upcard
from protocols.dealing.check import Check
from protocols.orders import Order, PeekArm, PeekCancel
from protocols.records import DeviceReported, Fact


@dataclass(frozen=True, slots=True)
class Orders:
    """`armed`: the order to the reader that stands, None where there is none."""

    armed: PeekArm | None = None

    def noted(self, fact: Fact) -> Orders:
        """The orders that stand after what a device said: a reader that refuses the peek for which it was armed, its
        time over, or that has started anew, waits for none any more."""
        match fact:
            case DeviceReported(device="reader", report="boot"):
                return Orders()
            case DeviceReported(device="reader", report="peek-refused", data={"round": number}):
                return Orders() if self.armed and number in (0, self.armed.round) else self
        return self

    def after(self, check: Check, round_number: int) -> tuple[Orders, Order | None]:
        """The orders that stand after a record, and the new one to give; `round_number`: the round of the epoch."""
        wanted = _peek(check, round_number)
        if wanted is not None:
            return Orders(wanted), None if wanted == self.armed else wanted
        if self.armed is None:
            return self, None
        return Orders(), None if _peeked(check) else PeekCancel(self.armed.round)


def _peek(check: Check, round_number: int) -> PeekArm | None:
    """The order that is right now: the reader's, while a peek is due."""
    if "reader.peeked" not in check.due():
        return None
    up = upcard(check.setting, check.state.round)
    if up is None or not isinstance(up.card, Card):
        return None
    return PeekArm(round_number, "ace" if up.card.rank == "A" else "ten")


def _peeked(check: Check) -> bool:
    play = check.state.round.play
    return play is not None and bool(play.peeks)
