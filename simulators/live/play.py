"""What is played at a live table, and what has become known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from simulators.blackjack.acts import Procedure
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import ALL, UNARMED_PEEK
from simulators.blackjack.rules import blackjack_rules

SHOE_SERIAL: Final = "SHOE-000042"
READER_SERIAL: Final = "HCR-0007"


@dataclass(frozen=True, slots=True)
class TablePlay:
    """`rounds` None is without end, `pace` seconds before each card, `misdeals` the share of rounds (0-1) with one,
    `reader_faults` the share of the others in which the reader fails.

    `withhold`: the shoe tells the hole card's value when it is turned, else at once. `places`: the shoe senses where
    a card goes. `hurry` divides the reader's 400 ms."""

    procedure: Procedure = "nd-card-reader"
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    rounds: int | None = None
    pace: float = 1.0
    misdeals: float = 0.0
    reader_faults: float = 0.0
    withhold: bool = False
    places: bool = True
    hurry: float = 1.0

    def dealer(self) -> BlackjackDealer:
        """The dealer of this play; ProcedureError for options that its procedure does not have."""
        rules = blackjack_rules(self.procedure, self.options)
        kinds = ALL - UNARMED_PEEK
        return BlackjackDealer(rules, self.seed, self.misdeals, kinds, reader_faults=self.reader_faults)
