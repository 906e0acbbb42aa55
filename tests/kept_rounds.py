"""Rounds of the simulated dealers in a journal, through the real ledger: what a table would have written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from controller.clock import Clock
from controller.journal import Journal
from controller.ledger import Ledger
from controller.recovery import fresh
from controller.rounds.kept import InJournal
from controller.rounds.model import Reconstruction
from controller.rounds.reconstruct import reconstructed
from controller.rounds.rows import round_records
from controller.vault import Vault
from protocols.cards import Card
from protocols.dealing.catalog import procedure_named, procedures
from protocols.events import CardDrawn, CardRevealed, LogHeader
from protocols.hidden import hide
from protocols.records import Fact
from simulators import table_log as coups
from simulators.blackjack import table_log as blackjack
from simulators.blackjack.dealer import BlackjackDealer
from simulators.dealer import house_rules, is_blackjack, is_stud
from simulators.dealt_log import DealtLog
from simulators.punto_banco import PuntoBancoDealer
from simulators.stud import table_log as stud
from simulators.stud.dealer import StudDealer

VAULT = Vault(bytes(32))


def dealt(procedure: str, seed: int, rounds: int, rate: float = 0.0, **options: Any) -> DealtLog:
    """What the simulated dealer of this procedure deals; values of face-down cards come with the card."""
    rules: Any = house_rules(procedure, options)
    if is_blackjack(procedure):
        return blackjack.as_table_log(rules, islice(BlackjackDealer(rules, seed, rate, reader_faults=0.3), rounds))
    if is_stud(procedure):
        return stud.as_table_log(rules, islice(StudDealer(rules, seed, rate), rounds))
    return coups.as_table_log(rules, islice(PuntoBancoDealer(rules, seed, rate), rounds))


def as_told_by_devices(fact: Fact) -> Fact:
    """The event with its card sealed, as a shoe's report gives it."""
    if isinstance(fact, CardDrawn | CardRevealed) and isinstance(fact.card, Card):
        return fact.model_copy(update={"card": hide(fact.card)})
    return fact


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever keyed something in."""

    id: str
    role: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A fact with what else the table knows of it: that the device told it late, or who keyed it in."""

    fact: Fact
    replayed: bool = False
    by: Person | None = None


def keep(path: Path, *parts: tuple[LogHeader, Iterable[Fact | Said]], table: str = "bj-07") -> Path:
    """A journal with these facts, part by part each under its header."""

    async def write() -> None:
        journal = Journal.open(path, "riverside", table)
        ledger: Ledger | None = None
        for header, facts in parts:
            procedure = procedure_named(header.procedure or "")
            begun = ledger is None
            standing = fresh(header, procedure).standing if ledger is None else ledger.standing
            ledger = Ledger(journal.source, standing, header, procedure, VAULT, Clock("boot"))
            rows = [ledger.header(0)] if begun else []
            for each in facts:
                said = each if isinstance(each, Said) else Said(each)
                rows += ledger.enter(as_told_by_devices(said.fact), 0, said.by, replayed=said.replayed).rows
            await journal.append(rows)
        await journal.close()

    asyncio.run(write())
    return path


def kept(path: Path, log: DealtLog) -> Path:
    """A journal with this log."""
    return keep(path, (log.header, log.events))


def shown(path: Path, number: int) -> Reconstruction:
    return reconstructed(round_records(InJournal(path), number), procedures())
