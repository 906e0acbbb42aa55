"""The simulated table itself: each act of the dealer is done on the devices and said at the panel, one after another.

The table's inputs come by different ways and must not overtake each other: before a person or the reader tells
something, the host has every card on disk; before the next act, it has answered."""

from __future__ import annotations

import asyncio
from itertools import count

from simulators.acts import CuttingCard, ShoeLoaded
from simulators.blackjack import acts
from simulators.blackjack.acts import Act, teller
from simulators.blackjack.gate import Step
from simulators.blackjack.misdeals import CODES
from simulators.blackjack.table_log import said
from simulators.live.people import People
from simulators.live.play import TablePlay
from simulators.live.reader_hand import ReaderHand
from simulators.live.station import Station
from simulators.tdl.shoe import TdlShoe
from simulators.truth import TruthFile


class LiveTable:
    """A table at which `play` is played with this shoe, this reader (None: none) and these people (None: none).

    `is_over` is set once the last round is dealt and the host has all of it."""

    def __init__(
        self,
        play: TablePlay,
        shoe: Station[TdlShoe],
        reader: ReaderHand | None,
        people: People | None,
        truth: TruthFile,
    ) -> None:
        self._play = play
        self._dealer = play.dealer()
        self._shoe = shoe
        self._reader = reader
        self._people = people
        self._truth = truth
        self._hole: int | None = None
        self.is_over = asyncio.Event()

    async def deal(self) -> None:
        """Play all rounds, once a host has greeted the shoe; everything is on its disk at the end."""
        await self._shoe.until(lambda: self._shoe.device.in_session)
        for number in count(1):
            if self._play.rounds is not None and number > self._play.rounds:
                break
            await self._round(number)
        await self._shoe.until(lambda: self._shoe.is_stored)
        self._truth.finished()
        self.is_over.set()

    async def _round(self, number: int) -> None:
        if self._reader and self._reader.is_known_to_be_out:
            self._dealer.reader_is_out()
        for step in self._dealer.steps():
            await self._perform(number, step)

    async def _perform(self, number: int, step: Step) -> None:
        who = teller(step.act)
        if who == "shoe":
            await self._announce(step.act)
        else:
            await self._shoe.until(lambda: self._shoe.is_stored)
        self._tell_truth(number, step, who)
        match who:
            case "shoe":
                await asyncio.sleep(self._play.pace if isinstance(step.act, acts.CARD_LEAVES_SHOE) else 0)
                self._shoe.do(lambda now: self._leave(step.act, now))
            case "reader":
                await self._use_reader(step.act)
            case _:
                await self._say(step.act, supervisor=who == "supervisor")

    def _tell_truth(self, number: int, step: Step, who: str) -> None:
        code = CODES[step.misdeal] if step.misdeal else None
        event = self._shoe.device.last_event + 1 if who == "shoe" else None
        self._truth.note(number, step.act, code=code, teller=who, event=event)

    async def _announce(self, act: Act) -> None:
        """What the shoe does not sense of the next card, a person says before it."""
        if self._people is None or not isinstance(act, acts.Drawn | acts.Burned):
            return
        place = "burn" if isinstance(act, acts.Burned) else act.to
        told = {} if self._play.places else {"to": place}
        if isinstance(act, acts.Drawn) and (place == "dealer" or act.face == "down"):
            told["face"] = act.face
        if told:
            await self._shoe.until(lambda: self._shoe.is_stored)
            self._heed(await self._people.dealer.announce(**told))

    def _leave(self, act: Act, now: float) -> None:
        shoe = self._shoe.device
        match act:
            case ShoeLoaded():
                shoe.load(act.decks, now)
            case CuttingCard():
                shoe.show_cutting_card(now)
            case acts.ShoeEmptied():
                shoe.end(now)
            case acts.Stray():
                shoe.draw(act.card, now, outside=True)
            case acts.Burned():
                shoe.draw(act.card, now, place=self._sensed("burn"))
            case acts.Drawn():
                is_hole = act.face == "down"
                shoe.draw(act.card, now, place=self._sensed(act.to), withhold=is_hole and self._play.withhold)
                self._hole = shoe.draw_no if is_hole else self._hole

    def _sensed(self, place: str) -> str | None:
        return place if self._play.places else None

    async def _say(self, act: Act, *, supervisor: bool) -> None:
        if isinstance(act, acts.HoleTurned):
            await self._turn_hole()
        if isinstance(act, acts.ReaderRestored):
            await self._restore_reader()
            return
        told = said(act)
        if told and self._people:
            who = self._people.supervisor if supervisor else self._people.dealer
            self._heed(await who.say(told[1]))

    async def _turn_hole(self) -> None:
        """A value that the shoe withheld is told first."""
        draw_no, self._hole = self._hole, None
        if draw_no is not None:
            self._shoe.do(lambda now: self._shoe.device.turn(draw_no, now))
            await self._shoe.until(lambda: self._shoe.is_stored)

    async def _use_reader(self, act: Act) -> None:
        if self._reader is None:
            self._dealer.reader_is_out()
            return
        if isinstance(act, acts.ReaderFailed):
            await self._reader.fail(act.trouble)
            return
        if isinstance(act, acts.Peeked) and not await self._reader.peek(act.result):
            self._dealer.reader_is_out()

    async def _restore_reader(self) -> None:
        if self._reader is None or not await self._reader.restore():
            self._dealer.reader_is_out()

    def _heed(self, answer: object) -> None:
        match answer:
            case {"ok": False, "why": why}:
                self._truth.refused(str(why))
