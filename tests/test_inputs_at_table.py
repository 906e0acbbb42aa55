"""What people say becomes records, answered once they are on disk; what they say of the next card waits for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_inputs import CALL, DOWN, HEADER, OF_THE_SHOE, TURNED

from controller.answers import recalled
from controller.clock import Clock
from controller.inputs import Inputs
from controller.journal import Journal
from controller.journal_file import Row, read_all
from controller.ledger import Ledger
from controller.procedures import site_catalog
from controller.recovery import fresh, recovered
from controller.resolve_desk import ResolveDesk
from controller.starting import before_inputs
from controller.table import Table
from controller.vault import Vault
from firmware_bridge.arrival import Arrival, Asked, Intake, Role
from protocols.dealing.catalog import procedure_named
from protocols.dealing.outlook import Outlook
from protocols.events import CardDrawn, LogHeader, RoundOpened, RoundVoided, TableEvent
from protocols.records import Fact
from protocols.verdicts import Verdict

VAULT = Vault(bytes(32))


class Session:
    """A table at work on a journal, and what its people were answered."""

    def __init__(self, queue: Intake, path: Path) -> None:
        self._queue = queue
        self._path = path
        self.shown: list[tuple[str | None, tuple[str, ...]]] = []
        self.remarks: list[tuple[str, ...]] = []
        self.committed: list[int] = []

    def show(self, verdict: Verdict | None, after: Outlook) -> None:
        self.shown.append((verdict.code if verdict else None, after.due))
        self.remarks.append(after.remarks)

    async def ask(self, name: str, fields: Mapping[str, Any], role: Role = "dealer") -> Mapping[str, Any]:
        answered: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()

        def answer(said: Mapping[str, Any]) -> None:
            if said["ok"]:
                assert said["seq"] in {row.seq for row in read_all(self._path)}, "answered before it was on disk"
            answered.set_result(said)

        await self._queue.put(Asked(name, role, fields, answer, 0))
        async with asyncio.timeout(10):
            return await answered

    async def tell(self, *facts: Fact) -> list[Mapping[str, Any]]:
        """What a device says; the data of its records."""
        stored = asyncio.Event()
        before = len(list(read_all(self._path)))
        await self._queue.put(Arrival(facts, 0, stored.set))
        async with asyncio.timeout(10):
            await stored.wait()
        return [data(row) for row in read_all(self._path, before)]

    def records(self) -> list[Row]:
        return list(read_all(self._path))


def data(row: Row) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = json.loads(row.body)["data"]
    return fields


@asynccontextmanager
async def at_work(
    path: Path, header: LogHeader = HEADER, told_by_devices: frozenset[str] = OF_THE_SHOE
) -> AsyncIterator[Session]:
    """A table from where its journal ends, until the body ends as by a kill: nothing is told to anybody."""
    journal = Journal.open(path, "riverside", "bac-01")
    procedure = procedure_named(header.procedure or "")
    found = recovered(path, journal.epoch, procedure_named, VAULT) if journal.last_seq else fresh(header, procedure)
    assert found is not None
    ledger = Ledger(journal.source, found.standing, header, procedure, VAULT, Clock("b"))
    if not journal.last_seq:
        await journal.append([ledger.header(0)])
    queue: Intake = asyncio.Queue(16)
    session = Session(queue, path)
    desk = ResolveDesk(queue, journal, path, lambda: site_catalog(None))
    inputs = Inputs(told_by_devices, recalled(read_all(path)))
    table = Table(
        ledger,
        journal,
        inputs,
        session.show,
        lambda rows: session.committed.extend(row.seq for row in rows),
        resolve=desk.give,
    )
    tasks = [asyncio.create_task(each) for each in (table.run(queue), desk.serve())]
    try:
        yield session
    finally:
        assert not any(task.done() for task in tasks)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await journal.close()


def test_an_input_is_a_record_and_the_answer_names_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            answer = await table.ask("c-1", CALL)
            row = table.records()[-1]
            assert answer == {"id": "c-1", "ok": True, "seq": row.seq, "verdict": data(row)["verdict"]}
            assert data(row)["input"] == {"id": "c-1", "role": "dealer"}
            assert data(row)["event"] == {"type": "call.made", "actor": "dealer", "call": "no_more_bets"}
            assert table.shown == [(None, ("round.opened",))]

    asyncio.run(scenario())


def test_a_refusal_is_a_record_of_its_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            answer = await table.ask("v-1", {"type": "round.voided"})
            row = table.records()[-1]
            reason = "round.voided: only a supervisor says this"
            assert answer == {"id": "v-1", "ok": False, "why": reason}
            assert row.kind == "input"
            assert data(row) == {"kind": "input", "id": "v-1", "role": "dealer", "type": "round.voided", "why": reason}
            await table.ask("v-2", {"type": "\ud800"})
            assert data(table.records()[-1])["type"] is None
            assert table.shown == []

    asyncio.run(scenario())


def test_the_same_id_gets_the_same_answer_now_and_after_a_restart(tmp_path: Path) -> None:
    said: dict[str, Mapping[str, Any]] = {"good": CALL, "bad": {"type": "round.voided"}, "next": DOWN}

    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            first = {name: await table.ask(name, fields) for name, fields in said.items()}
            count = len(table.records())
            assert {name: await table.ask(name, fields) for name, fields in said.items()} == first
            assert len(table.records()) == count
        async with at_work(tmp_path / "j.db") as table:
            assert {name: await table.ask(name, fields) for name, fields in said.items()} == first
            assert len(table.records()) == count
            assert (await table.ask("good", CALL, "supervisor"))["seq"] == count + 1

    asyncio.run(scenario())


def test_another_input_under_an_id_that_was_used_is_refused_and_uses_up_no_next(tmp_path: Path) -> None:
    reason = "field 'id': another input had this id before, each needs one of its own"

    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()))
            first = await table.ask("1", DOWN)
            assert (await table.ask("1", {"next": {"face": "up"}}))["why"] == reason
            assert data(table.records()[-1])["why"] == reason
        async with at_work(tmp_path / "j.db") as table:
            assert (await table.ask("1", CALL))["why"] == reason
            assert await table.ask("1", DOWN) == first
            [card] = await table.tell(CardDrawn(to="player"))
            assert card["event"]["face"] == "down"

    asyncio.run(scenario())


def test_next_is_merged_into_the_next_card_of_the_shoe(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()))
            answer = await table.ask("n-1", {"next": {"to": "banker", "face": "down"}})
            assert answer == {"id": "n-1", "ok": True, "seq": table.records()[-1].seq}
            [first, second] = await table.tell(CardDrawn(to="player"), CardDrawn(to="banker"))
            assert (first["event"]["to"], first["event"]["face"]) == ("player", "down")
            assert first["input"] == {"id": "n-1", "role": "dealer"}
            assert "face" not in second["event"]
            assert "input" not in second

    asyncio.run(scenario())


def test_a_newer_next_takes_the_place_of_one_without_a_card(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()))
            await table.ask("n-1", DOWN)
            await table.ask("n-2", {"next": {"face": "up"}})
            [card] = await table.tell(CardDrawn(to="player"))
            assert (card["event"]["face"], card["input"]["id"]) == ("up", "n-2")

    asyncio.run(scenario())


@pytest.mark.parametrize("end", [RoundVoided(), RoundOpened(boxes=())])
def test_a_next_ends_with_the_round(tmp_path: Path, end: TableEvent) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()))
            await table.ask("n-1", DOWN)
            await table.tell(end)
            [_, card] = await table.tell(RoundOpened(boxes=()), CardDrawn(to="player"))
            assert "face" not in card["event"]

    asyncio.run(scenario())


def test_a_next_waits_for_a_card_that_lacks_what_it_says(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.ask("n-1", DOWN)
            [_, known, outside] = await table.tell(
                RoundOpened(boxes=()), CardDrawn(to="player", face="up"), CardDrawn(outside=True)
            )
            assert "input" not in known
            assert "input" not in outside
            [card] = await table.tell(CardDrawn(to="banker"))
            assert (card["event"]["face"], card["input"]["id"]) == ("down", "n-1")

    asyncio.run(scenario())


@pytest.mark.parametrize("killed", [False, True])
def test_a_card_by_hand_is_the_next_one_and_says_all_of_itself(tmp_path: Path, killed: bool) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()))
            await table.ask("n-1", DOWN)
            await table.ask("h-1", {"type": "card.drawn", "to": "player", "face": "up", "card": "4d"}, "supervisor")
            by_hand = data(table.records()[-1])
            assert (by_hand["event"]["face"], by_hand["input"]["id"]) == ("up", "h-1")
            if not killed:
                [card] = await table.tell(CardDrawn(to="banker"))
                assert "input" not in card
        async with at_work(tmp_path / "j.db") as table:
            [card] = await table.tell(CardDrawn(to="banker"))
            assert "input" not in card

    asyncio.run(scenario())


@pytest.mark.parametrize("met", [False, True])
def test_a_next_outlives_a_restart_until_it_meets_its_card(tmp_path: Path, met: bool) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()))
            await table.ask("n-1", DOWN)
            if met:
                await table.tell(CardDrawn(to="player"))
        async with at_work(tmp_path / "j.db") as table:
            [card] = await table.tell(CardDrawn(to="banker" if met else "player"))
            assert card["event"].get("face") == (None if met else "down")
            assert ("input" in card) is not met

    asyncio.run(scenario())


def test_a_next_of_a_round_before_does_not_outlive_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()))
            await table.ask("n-1", DOWN)
            await table.tell(RoundVoided())
        async with at_work(tmp_path / "j.db") as table:
            [_, card] = await table.tell(RoundOpened(boxes=()), CardDrawn(to="player"))
            assert "face" not in card["event"]

    asyncio.run(scenario())


def test_a_card_by_hand_that_lies_face_down_is_sealed_until_it_is_turned(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.tell(RoundOpened(boxes=()), CardDrawn(to="player"))
            by_hand = {"type": "card.drawn", "to": "banker", "card": "Kh", "face": "down"}
            answer = await table.ask("h-1", by_hand, "supervisor")
            row = table.records()[-1]
            assert data(row)["commit"]["card"]
            assert row.sealed is not None
            assert b"Kh" not in row.body
            assert "Kh" not in json.dumps(answer)
            await table.tell(CardDrawn(to="player"), CardDrawn(to="banker"))
            await table.ask("t-1", TURNED)
            [opening] = data(table.records()[-1])["disclosed"]
            assert (opening["seq"], opening["value"]) == (row.seq, "Kh")

    asyncio.run(scenario())


def test_a_person_is_judged_by_the_procedure_that_comes_into_force_with_the_input(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "j.db") as table:
            await table.ask("c-1", CALL)
        changed = LogHeader(procedure="pb-nj", observes=("positions", "calls"))
        async with at_work(tmp_path / "j.db", changed) as table:
            answer = await table.ask("c-2", CALL)
            header, row = table.records()[-2:]
            assert header.kind == "header"
            assert (answer["seq"], row.n) == (row.seq, 1)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("seq", "round_from", "before"),
    [(7, 1, 0), (7, 5, 0), (20_010, 20_001, 10), (90_000, 20_001, 20_000), (90_000, 1, 0)],
)
def test_what_was_said_in_this_round_is_known_after_a_start_however_much_was_said_since(
    seq: int, round_from: int, before: int
) -> None:
    """A command counts in its round only: whoever says a great deal makes none of another's count twice."""
    standing = fresh(HEADER, procedure_named(HEADER.procedure or "")).standing
    assert before_inputs(replace(standing, seq=seq, round_from=round_from)) == before
