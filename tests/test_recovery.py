"""A table comes back where it was left, at whatever record it was left."""

from __future__ import annotations

import asyncio
import json
import os
import random
from itertools import islice
from pathlib import Path

import pytest
from dealt_anywhere import as_told_by_devices
from late_values import some_late, with_late

from controller.clock import Clock
from controller.export import table_log
from controller.journal import Journal
from controller.journal_file import read_all
from controller.ledger import Ledger
from controller.recovery import fresh, recovered
from controller.standing import Standing
from controller.vault import Vault
from protocols.dealing.catalog import procedure_named
from protocols.dealing.check import Check
from protocols.dealing.check import verdicts as checked
from protocols.dealing.digest import digest
from protocols.device_session import Heard
from protocols.events import CardDrawn, LogGap, LogHeader, RoundClosed, RoundOpened
from protocols.floor.messages import Source
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.intake.angel_state import ShoeState, after
from protocols.records import Fact
from protocols.verdicts import Verdict
from protocols.wire.angel_eye import AngelEyeDecoder
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.rules import blackjack_rules
from simulators.blackjack.table_log import as_table_log
from simulators.table import Play, played

HEADER = LogHeader(procedure="pb-nj", observes=("positions",))
PROCEDURE = procedure_named("pb-nj")
VAULT = Vault(bytes(32))


def facts_of(play: Play) -> list[tuple[Fact, ...]]:
    """What the simulated shoe's reports become, one tuple a report."""
    decoder, intake = AngelEyeDecoder(), AngelEyeIntake()
    reports = [report for moment in played(play) for report in decoder.feed(moment.sent)]
    return [facts for report in reports if (facts := intake.take(Heard(report)))]


def gist(standing: Standing) -> tuple[object, ...]:
    """Everything of a standing that can be compared; face-down cards by their commitments."""
    commits = {n: each.commit for n, each in standing.withheld.items()}
    state = digest(standing.check.histories, commits)
    return (
        standing.seq,
        standing.prev,
        standing.first_round,
        standing.round_from,
        standing.facts_from,
        commits,
        state,
        standing.check.due(),
    )


@pytest.mark.parametrize("withhold", [True, False])
def test_every_record_is_a_place_to_come_back_to(tmp_path: Path, withhold: bool) -> None:
    async def deal() -> None:
        path = tmp_path / "journal.db"
        journal = Journal.open(path, "riverside", "bac-01")
        ledger = Ledger(journal.source, fresh(HEADER, PROCEDURE).standing, HEADER, PROCEDURE, VAULT, Clock("boot"))
        await journal.append([ledger.header(0)])
        everything: tuple[Fact, ...] = ()
        for facts in facts_of(Play(seed=3, rounds=12, misdeals=0.3, withhold=withhold)):
            entries = [ledger.enter(fact, 0) for fact in facts]
            rows = [row for entry in entries for row in entry.rows]
            await journal.append(rows, next((entry.snapshot for entry in entries if entry.snapshot), None))
            found = recovered(path, journal.epoch, procedure_named, VAULT)
            assert found is not None
            assert gist(found.standing) == gist(ledger.standing)
            assert found.differs is None
            everything += facts
            assert after(ShoeState(), found.facts) == after(ShoeState(), everything)
        await journal.close()

    asyncio.run(deal())


def test_a_value_that_comes_late_is_judged_the_same_live_recovered_and_exported(tmp_path: Path) -> None:
    rules = blackjack_rules("nd-no-peek")
    dealt = as_table_log(rules, islice(BlackjackDealer(rules, 49, 0.9), 8))
    log = with_late(dealt, some_late(dealt.events, random.Random(49), 3))
    procedure = procedure_named(rules.procedure)

    async def deal() -> None:
        path = tmp_path / "journal.db"
        journal = Journal.open(path, "riverside", "bj-01")
        header = log.header
        ledger = Ledger(journal.source, fresh(header, procedure).standing, header, procedure, VAULT, Clock("boot"))
        await journal.append([ledger.header(0)])
        verdicts: list[Verdict] = []
        for number, event in enumerate(map(as_told_by_devices, log.events)):
            entry = ledger.enter(event, 0)
            await journal.append(list(entry.rows), entry.snapshot)
            verdicts += [entry.verdict] if entry.verdict else []
            if number % 20 and event.name != "round.closed":
                continue
            found = recovered(path, journal.epoch, procedure_named, VAULT)
            assert found is not None
            assert gist(found.standing) == gist(ledger.standing)
            assert found.differs is None
        await journal.close()
        exported = table_log(read_all(path))
        assert exported.header is not None
        assert list(checked(Check.start(exported.header), exported.events)) == verdicts
        disclosed = [told for told in verdicts if told.outcome == "violation" and "is known" in (told.detail or "")]
        assert disclosed

    asyncio.run(deal())


@pytest.mark.parametrize("ends", ["open", "gap", "closed"])
def test_what_no_key_opens_is_told_while_its_round_is_open_and_judged(tmp_path: Path, ends: str) -> None:
    whole = [fact for facts in facts_of(Play(seed=3, rounds=1, withhold=False)) for fact in facts]
    closed = next(n for n, fact in enumerate(whole) if isinstance(fact, RoundClosed))
    last = next(n for n, fact in reversed(list(enumerate(whole[:closed]))) if isinstance(fact, CardDrawn))
    facts = whole[: closed + 1] if ends == "closed" else whole[: last + 1]
    facts += [LogGap()] if ends == "gap" else []

    async def deal() -> None:
        path = tmp_path / "journal.db"
        journal = Journal.open(path, "riverside", "bac-01")
        ledger = Ledger(journal.source, fresh(HEADER, PROCEDURE).standing, HEADER, PROCEDURE, VAULT, Clock("boot"))
        rows = [ledger.header(0)]
        for fact in facts:
            rows += ledger.enter(fact, 0).rows
        await journal.append(rows)
        first = next(row.seq for row in rows if row.sealed)
        found = recovered(path, journal.epoch, procedure_named, Vault(os.urandom(32)))
        assert found is not None
        assert (found.unopened, found.differs) == (first if ends == "open" else None, None)
        again = recovered(path, journal.epoch, procedure_named, Vault(os.urandom(32), bytes(32)))
        assert again is not None
        assert gist(again.standing) == gist(ledger.standing)
        assert again.unopened is None
        await journal.close()

    asyncio.run(deal())


def test_a_changed_header_comes_into_force_between_rounds(tmp_path: Path) -> None:
    source = asyncio.run(_source(tmp_path / "journal.db"))
    facts = [fact for facts in facts_of(Play(seed=3, rounds=4)) for fact in facts]
    half = 1 + next(n for n, fact in enumerate(facts) if isinstance(fact, RoundOpened))
    before = Ledger(source, fresh(HEADER, PROCEDURE).standing, HEADER, PROCEDURE, VAULT, Clock("boot"))
    for fact in facts[:half]:
        before.enter(fact, 0)
    wanted = LogHeader(procedure="pb-nj", options={"decks": 6}, observes=("positions",))
    after = Ledger(source, before.standing, wanted, PROCEDURE, VAULT, Clock("boot"))
    rows = [row for fact in facts[half:] for row in after.enter(fact, 0).rows]
    header = next(index for index, row in enumerate(rows) if row.kind == "header")
    closed = [json.loads(row.body)["data"].get("event", {}).get("type") for row in rows[:header]]
    assert "round.closed" in closed
    assert [row.kind for row in rows].count("header") == 1
    assert rows[header].round == 2
    assert after.standing.header == wanted
    assert after.standing.round == 5


async def _source(path: Path) -> Source:
    journal = Journal.open(path, "riverside", "bac-01")
    await journal.close()
    return journal.source
