"""What is played at a live table, and what has become known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from protocols.errors import ProcedureError
from simulators.acts import Face
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import ALL, UNARMED_PEEK
from simulators.blackjack.rules import BlackjackRules
from simulators.dealer import house_rules, is_stud
from simulators.faults.menu import Fault, at
from simulators.stud import misdeals as stud
from simulators.stud.dealer import StudDealer
from simulators.stud.rules import StudRules

SHOE_SERIAL: Final = "SHOE-000042"
READER_SERIAL: Final = "HCR-0007"
OF_SHOE: Final = at("line", "between", "device", "shoe")
OF_READER: Final = at("line", "between", "device", "reader")
_NEEDS_A_READER: Final = frozenset({stud.Misdeal.PEEK_IN_NO_PEEK_MODE})
_NEEDS_A_REASON: Final = frozenset({stud.Misdeal.MISSING_CARD})
"""A shoe does not tell whether it ran out or its cards are taken to the hand, too early for a player's second card."""


ByHand = Literal["nothing", "same", "other", "fewer", "more"]


@dataclass(frozen=True, slots=True)
class TablePlay:
    """`procedure` is one of blackjack or of stud. `rounds` None is without end, `pace` seconds before each card,
    `misdeals` the share of rounds (0-1) with one, `reader_faults` and `shoe_faults` the share of the others in which
    the reader or the shoe of a game fails.

    `withhold`: the shoe tells the value of a card that lies face down when it is turned, else at once. `places`: the
    shoe senses where a card goes. `hurry` divides the reader's 400 ms. `faults` strike at the shoe and its line,
    `reader_faulty` at the reader and its line. `by_hand`: what the supervisor enters of the cards that leave the shoe
    while its line is away: no card, the same, one of them as another, the first alone, or one that never was."""

    procedure: str = "nd-card-reader"
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    rounds: int | None = None
    pace: float = 1.0
    misdeals: float = 0.0
    reader_faults: float = 0.0
    shoe_faults: float = 0.0
    withhold: bool = False
    places: bool = True
    hurry: float = 1.0
    by_hand: ByHand = "nothing"
    faults: tuple[Fault, ...] = ()
    reader_faulty: tuple[Fault, ...] = ()

    @property
    def has_reader(self) -> bool:
        """Whether the game may be one with a hole-card reader."""
        return not is_stud(self.procedure)

    @property
    def usual_face(self) -> Face:
        """How a card lies of which nobody says anything, but for the dealer's."""
        return "down" if is_stud(self.procedure) else "up"

    def dealer(self) -> BlackjackDealer | StudDealer:
        """The dealer of this play; ProcedureError for options that its procedure does not have."""
        rules = house_rules(self.procedure, self.options)
        match rules:
            case BlackjackRules():
                kinds = ALL - UNARMED_PEEK
                return BlackjackDealer(rules, self.seed, self.misdeals, kinds, reader_faults=self.reader_faults)
            case StudRules():
                untold = _NEEDS_A_READER | (_NEEDS_A_REASON if rules.from_shoe else frozenset())
                told = stud.expressible(withhold=self.withhold) - untold
                return StudDealer(rules, self.seed, self.misdeals, told, shoe_faults=self.shoe_faults, uncounted=None)
            case _:
                raise ProcedureError(f"{self.procedure} is not dealt to boxes")
