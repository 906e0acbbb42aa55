"""The simulated table itself: each act of the dealer is done on the devices and said at the panel, one after another.

The table's inputs come by different ways and must not overtake each other: before a person or the reader tells
something, the host has every card on disk; before the next act, it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count

from simulators.blackjack import acts
from simulators.boxes.acts import Burned, Drawn, Peeked, RoundOpened, RoundVoided
from simulators.boxes.gate import Step
from simulators.faults.schedule import Progress
from simulators.live.acts import CARD_LEAVES_SHOE, Act, Teller, said, teller
from simulators.live.people import People
from simulators.live.play import TablePlay
from simulators.live.reader_hand import ReaderHand
from simulators.live.shoe_hand import ShoeHand
from simulators.live.stand_in import StandIn
from simulators.truth import TruthFile


class LiveTable:
    """A table at which `play` is played with this shoe, this reader (None: none) and these people (None: none).

    `is_over` is set once the last round is dealt and the host has all of it."""

    def __init__(
        self,
        play: TablePlay,
        shoe: ShoeHand,
        reader: ReaderHand | None,
        people: People | None,
        truth: TruthFile,
        progress: Progress,
    ) -> None:
        self._play = play
        self._dealer = play.dealer()
        self._shoe = shoe
        self._reader = reader
        self._people = people
        self._truth = truth
        self._progress = progress
        self._stand_in = StandIn(people, shoe, play.by_hand) if people and play.by_hand != "nothing" else None
        self._boxes: tuple[int, ...] = ()
        self.is_over = asyncio.Event()

    async def deal(self) -> None:
        """Play all rounds, once a host has greeted the shoe and its display is seen; it has all on disk at the end."""
        await self._shoe.greeted()
        if self._people:
            await self._people.watcher.watching.wait()
        for number in count(1):
            if self._play.rounds is not None and number > self._play.rounds:
                break
            await self._round(number)
        await self._shoe.stored()
        self._truth.finished()
        self.is_over.set()

    async def _round(self, number: int) -> None:
        self._progress.round = number
        if self._reader:
            await self._reader.be_inspected()
            await self._reader.disturb()
        if self._reader and self._reader.is_known_to_be_out:
            self._dealer.reader_is_out()
        steps = self._dealer.steps()
        for step in steps:
            await self._perform(number, step)
            if isinstance(step.act, Peeked) and self._reader and self._reader.has_lied:
                await self._be_misled(number, step.act, list(steps))

    async def _be_misled(self, number: int, peeked: Peeked, rest: Sequence[Step[Act]]) -> None:
        """The dealer goes by the reader's lamp until the hole card shows that it was wrong, and the round is voided."""
        if peeked.result == "natural":
            for box in self._boxes:
                await self._perform(number, Step(acts.Acted(box, "stand")))
        for step in rest:
            if isinstance(step.act, acts.HoleTurned):
                await self._perform(number, step)
        await self._perform(number, Step(RoundVoided("reader")))

    async def _perform(self, number: int, step: Step[Act]) -> None:
        who = teller(step.act)
        if who == "shoe":
            await self._announce(step.act)
        else:
            await self._all_told()
        self._tell_truth(number, step, who)
        match who:
            case "shoe":
                is_card = isinstance(step.act, CARD_LEAVES_SHOE)
                await asyncio.sleep(self._play.pace if is_card else 0)
                self._progress.cards += is_card
                await self._shoe.do(step.act)
                if self._stand_in and isinstance(step.act, Drawn):
                    self._heed(await self._stand_in.enter(step.act))
            case "reader":
                await self._use_reader(step.act)
            case _:
                await self._say(step.act, supervisor=who == "supervisor")

    def _tell_truth(self, number: int, step: Step[Act], who: Teller) -> None:
        code = step.misdeal.code if step.misdeal else None
        event = self._shoe.next_event if who == "shoe" else None
        self._truth.note(number, step.act, code=code, teller=who, event=event)

    async def _all_told(self) -> None:
        """Wait until the host has every card, from the shoe or by hand."""
        if not (self._stand_in and self._stand_in.has_told_all):
            await self._shoe.stored()

    async def _announce(self, act: Act) -> None:
        """What the shoe does not sense of the next card, a person says before it."""
        if self._people is None or not isinstance(act, Drawn | Burned):
            return
        place = "burn" if isinstance(act, Burned) else act.to
        told = {} if self._shoe.senses(place) else {"to": place}
        if isinstance(act, Drawn) and (place == "dealer" or act.face != self._play.usual_face):
            told["face"] = act.face
        if told and not (self._stand_in and self._stand_in.has_told_all):
            await self._shoe.stored()
            self._heed(await self._people.dealer.announce(**told))

    async def _say(self, act: Act, *, supervisor: bool) -> None:
        if isinstance(act, RoundOpened):
            self._boxes = act.boxes
        await self._shoe.turn(act)
        if isinstance(act, acts.ReaderRestored):
            await self._restore_reader()
            return
        told = said(act)
        if told and self._people:
            who = self._people.supervisor if supervisor else self._people.dealer
            self._heed(await who.say(told))
        await self._shoe.show(act)

    async def _use_reader(self, act: Act) -> None:
        if self._reader is None:
            self._dealer.reader_is_out()
            return
        if isinstance(act, acts.ReaderFailed):
            await self._reader.fail(act.trouble)
            return
        if isinstance(act, Peeked) and not await self._reader.peek(act.result):
            self._dealer.reader_is_out()

    async def _restore_reader(self) -> None:
        if self._reader is None or not await self._reader.restore():
            self._dealer.reader_is_out()

    def _heed(self, answer: object) -> None:
        match answer:
            case {"ok": False, "why": why}:
                self._truth.refused(str(why))
