"""The rules of every game that can be dealt, by the name of the procedure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from protocols.errors import ProcedureError, did_you_mean
from simulators.blackjack.acts import Procedure
from simulators.blackjack.procedures import PROCEDURES
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.rules import PROCEDURES as PUNTO_BANCO_PROCEDURES
from simulators.rules import Rules, rules_of
from simulators.stud.rules import PROCEDURES as STUD_PROCEDURES
from simulators.stud.rules import Procedure as StudProcedure
from simulators.stud.rules import StudRules, stud_rules

AnyRules = Rules | BlackjackRules | StudRules


def refuse_undealt(procedure: str) -> None:
    """ProcedureError where no simulated dealer deals it, as is so of a site's own."""
    if not (is_blackjack(procedure) or is_stud(procedure) or procedure in PUNTO_BANCO_PROCEDURES):
        dealt = (*PROCEDURES, *STUD_PROCEDURES, *PUNTO_BANCO_PROCEDURES)
        raise ProcedureError(f"no simulated dealer deals {procedure!r}{did_you_mean(procedure, dealt)}")


def is_blackjack(procedure: str) -> TypeGuard[Procedure]:
    """Whether the dealer plays blackjack by this procedure."""
    return procedure in PROCEDURES


def is_stud(procedure: str) -> TypeGuard[StudProcedure]:
    """Whether the dealer deals stud by this procedure."""
    return procedure in STUD_PROCEDURES


def house_rules(procedure: str, options: Mapping[str, Any] | None = None) -> AnyRules:
    """The procedure's defaults, changed by `options`; ProcedureError for a name or value that it does not have."""
    if is_blackjack(procedure):
        return blackjack_rules(procedure, options)
    if is_stud(procedure):
        return stud_rules(procedure, options)
    return rules_of(procedure, options)
