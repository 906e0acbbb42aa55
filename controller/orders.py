"""What the table tells its devices: after each record, from what is due. A driver never acts by itself.

An order for a round is the same order however often it is given, so that a restart may give it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from protocols.cards import Card
from protocols.dealing.blackjack.hands import upcard
from protocols.dealing.check import Check


@dataclass(frozen=True, slots=True)
class ArmPeek:
    """The reader may be used once in this round of the epoch, under this upcard."""

    round: int
    up: Literal["ace", "ten"]


@dataclass(frozen=True, slots=True)
class CancelPeek:
    """The reader is not to be used any more in this round."""

    round: int


Order = ArmPeek | CancelPeek


@dataclass(frozen=True, slots=True)
class Orders:
    """`armed`: the order that stands, None where there is none."""

    armed: ArmPeek | None = None

    def after(self, check: Check, round_number: int) -> tuple[Orders, Order | None]:
        """The orders that stand after a record, and the new one to give."""
        wanted = _peek(check, round_number)
        if wanted == self.armed:
            return self, None
        if wanted is not None:
            return Orders(wanted), wanted
        assert self.armed is not None
        over = self.armed.round != round_number or bool(_peeks(check))
        return Orders(), None if over else CancelPeek(self.armed.round)


def _peek(check: Check, round_number: int) -> ArmPeek | None:
    """The order that is right now: the reader's, while a peek is due."""
    if "reader.peeked" not in check.due():
        return None
    up = upcard(check.setting, check.state.round)
    if up is None or not isinstance(up.card, Card):
        return None
    return ArmPeek(round_number, "ace" if up.card.rank == "A" else "ten")


def _peeks(check: Check) -> tuple[str, ...]:
    play = check.state.round.play
    return () if play is None else play.peeks
