"""The table: the only reader of the intake queue and the only writer of records.

Each fact is checked at once, the dealer's display told, and the record handed to the journal without waiting; once it
is on disk the device gets its acknowledgement and the bus the record."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from controller import answers
from controller.answers import Answer
from controller.by_hand import SHOE, Instead
from controller.enforcement import Enforcement
from controller.in_time import in_time
from controller.inputs import Accepted, Inputs, Refused, Repeated
from controller.journal import Journal
from controller.journal_file import Row
from controller.ledger import Entry, Ledger
from controller.missed import Range
from controller.pending import Told
from controller.reader_care import ReaderCare
from controller.reconcile import ShoeLine, brought_together, left_over, remarks, turned
from controller.resolve_desk import refused
from controller.resolving import follows
from controller.shown import Shown
from controller.spoken_orders import ToOrder
from firmware_bridge.arrival import Arrival, Asked, Intake
from protocols.dealing.outlook import Outlook, outlook
from protocols.events import CardDrawn, TableEvent
from protocols.orders import Order
from protocols.records import Fact, InputRefused, NextCard, Ordered, ReaderInspected, Resend, Resolution
from protocols.verdicts import VERDICT, Verdict

_NS: Final = 1e-9

Display = Callable[[Verdict | None, Outlook], None]
Committed = Callable[[Sequence[Row]], None]
Give = Callable[[str, Order, Asked], None]
"""Have a device told something that somebody asked for."""


def _to_nobody(device: str, order: Order, asked: Asked) -> None:
    """A table without devices."""


Resolve = Callable[[Resolution, Asked], None]
"""Have a decision on a round held against the journal."""


def _by_nobody(resolution: Resolution, asked: Asked) -> None:
    """A table whose journal nobody looks into."""


SendAgain = Callable[[int, int | None], Range | str]
"""Have records published once more, from the first to the last: which will be, at most as many; or why none."""


def _to_no_broker(first: int, last: int | None) -> Range | str:  # noqa: ARG001
    """A table that publishes nothing."""
    return "this table publishes nothing"


_Stored = tuple[Callable[[], None] | None, Sequence[Row], asyncio.Future[None], Shown]
"""Whom to tell once these rows are on disk, and what is shown then."""


class Table:
    """`display` gets each verdict and the outlook after it, at once, and the last one again where there is something
    else to remark; `committed` gets records once they are on disk."""

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal,
        inputs: Inputs,
        display: Display,
        committed: Committed,
        reader: ReaderCare | None = None,
        give: Give = _to_nobody,
        resolve: Resolve = _by_nobody,
        enforcement: Enforcement | None = None,
        shown: Shown | None = None,
        send_again: SendAgain = _to_no_broker,
    ) -> None:
        self._ledger = ledger
        self._journal = journal
        self._inputs = inputs
        self._display = display
        self._committed = committed
        self._reader = reader
        self._give = give
        self._resolve = resolve
        self._enforcement = enforcement
        self._send_again = send_again
        self._line = ShoeLine()
        self._made = self._on_disk = shown or Shown(ledger.standing)
        self._verdict: Verdict | None = None
        self._remarked: tuple[str, ...] = self.outlook.remarks
        self._storing: asyncio.Queue[_Stored] = asyncio.Queue()

    async def run(self, intake: Intake) -> None:
        """Take what devices and people say until cancelled; JournalError where a record cannot be stored."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._settle())
            while True:
                await self._journal.room()
                item = await self._next(intake)
                if item is None:
                    self._pass_time()
                    continue
                self._take(item) if isinstance(item, Arrival) else self._hear(item)
                intake.task_done()
                await asyncio.sleep(0)

    async def stored(self) -> None:
        """Wait until everything that was taken is on disk and handed on."""
        await self._storing.join()

    async def _next(self, intake: Intake) -> Arrival | Asked | None:
        """What comes next; None where nothing does in the time that the devices have."""
        deadline = self._deadline()
        if deadline is None or not intake.empty():
            return await intake.get()
        try:
            async with asyncio.timeout((deadline - time.monotonic_ns()) * _NS):
                return await intake.get()
        except TimeoutError:
            return None

    def _deadline(self) -> int | None:
        of_reader = self._reader.deadline(self._ledger.check) if self._reader else None
        of_lock = self._enforcement.deadline if self._enforcement else None
        return min((each for each in (of_reader, of_lock) if each is not None), default=None)

    def _pass_time(self) -> None:
        """What follows because the devices said nothing."""
        now = time.monotonic_ns()
        if self._enforcement is not None:
            self._enforcement.pass_time(now)
        event = self._reader.pass_time(self._ledger.check, now) if self._reader else None
        if event is not None:
            self._store(self._enter(event, now), None)

    def _take(self, arrival: Arrival) -> None:
        match arrival:
            case Arrival(facts=(Resolution() | InputRefused() as decided,), asked=Asked() as asked):
                self._decide(decided, asked, arrival.mono_ns)
                return
        facts: Sequence[Fact] = arrival.facts
        if self._reader is not None:
            facts = self._reader.heard(facts, self._ledger.standing.round)
        entries = [entry for fact in facts for entry in self._meet(fact, arrival)]
        answer = self._answer_of(arrival, entries)
        self._store(entries, answer or arrival.stored, arrival.asked if answer else None)

    def _answer_of(self, arrival: Arrival, entries: Sequence[Entry]) -> Callable[[], None] | None:
        """What tells a person what came of an input that was passed on."""
        asked, fact = arrival.asked, arrival.facts[-1] if arrival.facts else None
        if asked is None or not isinstance(fact, Ordered):
            return None
        return self._settled(asked, answers.ordered(asked.id, entries[-1].seq, fact.order, fact.answer))

    def _settled(self, asked: Asked, answer: Answer) -> Callable[[], None]:
        self._inputs.settled(asked, answer)
        return partial(asked.answer, answer)

    def _decide(self, fact: Resolution | InputRefused, asked: Asked, mono_ns: int) -> None:
        """A supervisor's decision on a round, which was held against the journal, with what follows from it here."""
        event = follows(fact, self._ledger.standing) if isinstance(fact, Resolution) else None
        if isinstance(fact, Resolution) and isinstance(event, str):
            fact, event = refused(fact, event), None
        entries = self._enter(fact, mono_ns)
        if isinstance(event, TableEvent):
            entries += self._enter(event, mono_ns, asked, decided=True)
        seq = entries[0].seq
        answer = answers.refused(asked.id, fact.why) if isinstance(fact, InputRefused) else answers.noted(asked.id, seq)
        self._store(entries, self._settled(asked, answer), asked)

    def _meet(self, fact: Fact, arrival: Arrival) -> list[Entry]:
        """What a device says, with what people said of it: of a card before it came, or in the device's place."""
        ledger, standing = self._ledger, self._ledger.standing
        facts = brought_together(fact, standing.entered, standing.check, late=self._line.is_late)
        ended = left_over(fact, standing.entered)
        self._line = self._line.after(fact)
        replayed = arrival.replayed
        entries = [entry for each in facts or ended for entry in self._enter(each, arrival.mono_ns, replayed=replayed)]
        if facts is not None:
            return entries
        fact, told = self._inputs.pending.meet(fact, ledger.check, standing.round)
        heard = self._enter(fact, arrival.mono_ns, told, replayed=replayed, age_s=arrival.age_s)
        return [*entries, *heard]

    def _hear(self, asked: Asked) -> None:
        """What a person says, and the answer once it is on disk."""
        judged = self._inputs.judge(asked, self._ledger.check, self._line, self._ledger.standing)
        if isinstance(judged, ToOrder):
            self._inputs.under_way(asked)
            self._give(judged.device, judged.order, asked)
            return
        if isinstance(judged, Resolution):
            self._inputs.under_way(asked)
            self._resolve(judged, asked)
            return
        entries, answer = self._answered(asked, judged)
        if not (isinstance(judged, Refused) and judged.code):
            self._inputs.answered(asked, answer)
        self._store(entries, partial(asked.answer, answer), asked)

    def _answered(
        self, asked: Asked, judged: Accepted | NextCard | ReaderInspected | Resend | Refused | Repeated
    ) -> tuple[list[Entry], Answer]:
        match judged:
            case Repeated(answer):
                return [], answer
            case Accepted(event):
                instead = self._instead(event)
                if instead is not None:
                    self._inputs.pending.used_up()
                entries = self._enter(event, asked.mono_ns, asked, instead=instead)
                if entries[0].verdict is None:
                    return entries, answers.refused(asked.id, f"{event.name}: this cannot be at this table now")
                verdict = VERDICT.dump_python(entries[0].verdict, mode="json")
                return entries, answers.accepted(asked.id, entries[0].seq, verdict)
            case NextCard() as said:
                entries = self._enter(said, asked.mono_ns)
                self._inputs.pending.tell(Told(said, self._ledger.standing.round))
                return entries, answers.noted(asked.id, entries[0].seq)
            case ReaderInspected() as said:
                entries = self._enter(said, asked.mono_ns)
                return entries, answers.noted(asked.id, entries[0].seq)
            case Resend() as said:
                return self._resent(asked, said)
            case Refused():
                return self._refused(asked, judged)

    def _resent(self, asked: Asked, said: Resend) -> tuple[list[Entry], Answer]:
        granted = self._send_again(said.first, said.last)
        if isinstance(granted, str):
            return self._refused(asked, Refused(said.name, f"{said.name}: {granted}"))
        entries = self._enter(replace(said, last=granted.last), asked.mono_ns)
        return entries, answers.to_come(asked.id, entries[0].seq, *granted)

    def _refused(self, asked: Asked, refused: Refused) -> tuple[list[Entry], Answer]:
        fact = InputRefused(asked.id, asked.role, refused.type, refused.why, asked.key, refused.code)
        return self._enter(fact, asked.mono_ns), answers.refused(asked.id, refused.why, refused.code)

    def _enter(
        self,
        fact: Fact,
        mono_ns: int,
        said_by: Asked | NextCard | None = None,
        *,
        replayed: bool = False,
        age_s: float | None = None,
        instead: Instead | None = None,
        decided: bool = False,
    ) -> list[Entry]:
        """The fact's records, and those of what follows from it at once; then the devices get their orders. `decided`:
        by a supervisor, who knows what is wrong."""
        entry = self._ledger.enter(fact, mono_ns, said_by, replayed=replayed, age_s=age_s, instead=instead)
        entries = [entry, *self._opened(mono_ns), *self._enforced(fact, entry, mono_ns, known=replayed or decided)]
        self._show(entry.verdict)
        if self._reader is None:
            return entries
        event = self._reader.after(fact, self._ledger.check, mono_ns)
        if event is not None:
            return [*entries, *self._enter(event, mono_ns)]
        self._reader.look(self._ledger.check, self._ledger.standing.round)
        return entries

    def _opened(self, mono_ns: int) -> list[Entry]:
        """What is to be said of cards by hand that lie open now."""
        standing = self._ledger.standing
        return [self._ledger.enter(each, mono_ns) for each in turned(standing.entered, standing.told, standing.check)]

    def _enforced(self, fact: Fact, entry: Entry, mono_ns: int, *, known: bool) -> list[Entry]:
        """The record of the order to lock the shoe, where that follows; what was told late, or decided, and is `known`
        so, locks nothing."""
        if self._enforcement is None:
            return []
        self._enforcement.after(fact, mono_ns)
        late = known or (self._line.is_late and isinstance(fact, TableEvent) and fact.actor == SHOE)
        order = None if late or entry.verdict is None else self._enforcement.judged(entry.verdict, entry.seq)
        if order is None:
            return []
        given = self._ledger.enter(order, mono_ns)
        self._enforcement.after(order, mono_ns)
        return [given]

    def _instead(self, event: TableEvent) -> Instead | None:
        """Why a person may enter this in place of the shoe, None where it is no card by hand."""
        by_hand = isinstance(event, CardDrawn) and event.moved is None
        return self._line.instead(self._ledger.check) if by_hand else None

    @property
    def outlook(self) -> Outlook:
        """What people at the table should know now."""
        now = outlook(self._ledger.check)
        return replace(now, remarks=(*now.remarks, *remarks(self._ledger.standing.entered), *self._of_lock()))

    @property
    def on_disk(self) -> Shown:
        """What the records on disk tell of the table."""
        return self._on_disk

    def _of_lock(self) -> tuple[str, ...]:
        return tuple(self._enforcement.remarks()) if self._enforcement else ()

    def _show(self, verdict: Verdict | None) -> None:
        """Tell the display of a verdict, and otherwise where there is something else to remark."""
        now = self.outlook
        if verdict is not None or now.remarks != self._remarked:
            self._verdict, self._remarked = verdict or self._verdict, now.remarks
            self._display(self._verdict, now)

    def _store(self, entries: Sequence[Entry], told: Callable[[], None] | None, asked: Asked | None = None) -> None:
        """Hand records to the journal; `told`: called once they, and all before them, are on disk; `asked`: who waits
        for that and cannot wait for ever."""
        rows = [row for entry in entries for row in entry.rows]
        snapshot = next((entry.snapshot for entry in reversed(entries) if entry.snapshot), None)
        checkpoints = [entry.checkpoint for entry in entries if entry.checkpoint]
        if told is not None and asked is not None:
            told = in_time(asked, told, self._trouble)
        self._made = self._made.after(entries, self._ledger.standing, self._of_lock())
        self._storing.put_nowait((told, rows, self._journal.append(rows, snapshot, checkpoints), self._made))

    def _trouble(self) -> str | None:
        return self._journal.trouble.why if self._journal.trouble else None

    async def _settle(self) -> None:
        """Once a record is on disk: the acknowledgement to its device or person, the record to the bus."""
        while True:
            told, rows, on_disk, shown = await self._storing.get()
            await on_disk
            self._on_disk = shown
            if told is not None:
                told()
            if self._enforcement is not None and rows:
                self._enforcement.on_disk(rows[-1].seq)
            self._committed(rows)
            self._storing.task_done()
