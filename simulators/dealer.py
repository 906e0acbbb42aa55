"""The one generator of rounds, whatever the game: legal ones, and rounds with one named misdeal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from simulators.blackjack.acts import Procedure
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.procedures import PROCEDURES
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.punto_banco import PuntoBancoDealer
from simulators.rules import Rules, rules_of


def is_blackjack(procedure: str) -> TypeGuard[Procedure]:
    """Whether the dealer plays blackjack by this procedure."""
    return procedure in PROCEDURES


def house_rules(procedure: str, options: Mapping[str, Any] | None = None) -> Rules | BlackjackRules:
    """The procedure's defaults, changed by `options`; ProcedureError for a name or value that it does not have."""
    if is_blackjack(procedure):
        return blackjack_rules(procedure, options)
    return rules_of(procedure, options)


def dealer_of(rules: Rules | BlackjackRules, seed: int, rate: float = 0.0) -> PuntoBancoDealer | BlackjackDealer:
    """A dealer who knows these rules and breaks them in the share `rate` (0-1) of the rounds."""
    if isinstance(rules, BlackjackRules):
        return BlackjackDealer(rules, seed, rate)
    return PuntoBancoDealer(rules, seed, rate)
