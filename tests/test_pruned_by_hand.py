"""Cards by hand that the shoe has not told, in a journal of which this version cannot take up what stood: they go with
the table into the header that it begins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from test_ledger import VAULT
from test_retention import DEVICES, changed_snapshot, pruned
from told_journal import FACTS, SIGNER, changing, found, ledger_at, round_of, tell

from controller.clock import Clock
from controller.journal import Journal
from controller.journal_verify import verify_journal
from controller.recovery import recovered
from protocols.cards import Card
from protocols.dealing.catalog import procedure_named
from protocols.events import CardDrawn, CardRevealed, HoleRevealed, LogGap, PlayerActed, RoundOpened, RoundVoided
from protocols.hidden import hide
from protocols.records import STOP, DeviceReported, Fact, LinkChanged


def by_hand(card: str | None, to: str, face: str = "up") -> CardDrawn:
    return CardDrawn(card=hide(Card.parse(card)) if card else None, to=to, face=face, manual=True, actor="supervisor")  # type: ignore[arg-type]


AWAY: Sequence[Fact] = (
    *FACTS,
    RoundOpened(boxes=(1,)),
    *(by_hand("9s", "box:1"), by_hand("6s", "dealer"), by_hand(None, "box:1"), by_hand("Kh", "dealer", "down")),
)
TOLD = {"eseq": 4, "ref": "1/1", "round": 4, "draw": 1}


@pytest.mark.parametrize(
    ("then", "waiting", "unlike"),
    [
        ([], 4, 0),
        ([CardRevealed(draw=3, card=hide(Card.parse("9d")), manual=True)], 4, 0),
        ([PlayerActed(box=1, action="stand"), HoleRevealed(card=Card.parse("Kh"))], 4, 0),
        ([*DEVICES, RoundVoided(), *round_of("9h")], 4, 0),
        ([DeviceReported("shoe", "reconciled", TOLD)], 3, 0),
        ([DeviceReported("shoe", "mismatch", TOLD)], 3, 1),
        ([DeviceReported("shoe", "mismatch", TOLD), LinkChanged("shoe", "handshake", "ready")], 0, 1),
        ([LogGap()], 0, 0),
    ],
    ids=["open", "read late", "turned", "voided", "confirmed", "unlike", "back", "gap"],
)
def test_cards_by_hand_outlast_a_new_header_of_a_pruned_journal(
    tmp_path: Path, then: Sequence[Fact], waiting: int, unlike: int
) -> None:
    """They are those that a new header takes over where nothing was let go."""
    path = tmp_path / "journal.db"

    async def write() -> None:
        journal = Journal.open(path, "riverside", "bj-07")
        ledger = ledger_at(path, journal, SIGNER, Clock("boot"))
        await journal.append([ledger.header(0)])
        for fact in (*AWAY, *then):
            if isinstance(fact, DeviceReported) and "draw" in fact.data:
                entered = ledger.standing.entered.waiting[0].record
                fact = DeviceReported(fact.device, fact.report, {**fact.data, "record": entered})
            entry = ledger.enter(fact, 0, instead="away" if getattr(fact, "manual", False) else None)
            await journal.append(entry.rows, entry.snapshot, [entry.checkpoint] if entry.checkpoint else [])
        await journal.move_cursor("mqtt", journal.last_seq)
        await journal.close()

    asyncio.run(write())
    epoch = verify_journal(path).epoch
    whole = recovered(path, epoch, procedure_named, VAULT)
    assert whole is not None
    expected = whole.standing.with_header(whole.standing.header, whole.standing.check).entered
    assert (len(expected.waiting), len(expected.unlike)) == (waiting, unlike)
    assert pruned(path)
    snapshot = changed_snapshot(path, "check", {})
    with changing(path) as file:
        file.execute("UPDATE meta SET value = ? WHERE key = 'snapshot'", (snapshot,))
    anew = recovered(path, epoch, procedure_named, VAULT)
    assert anew is not None
    assert anew.standing.header != whole.standing.header
    assert anew.standing.with_header(whole.standing.header, anew.standing.check).entered == expected
    tell(path, [STOP])
    assert verify_journal(path).problem is None
    carried = [row for row in found(path) if b'"report":"by-hand"' in row.body]
    assert len(carried) == bool(waiting or unlike)
