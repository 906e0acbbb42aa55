"""The supervisor who enters the cards that leave the shoe while its line is away."""

from __future__ import annotations

import asyncio
from typing import Final

from protocols.cards import Card
from protocols.events import CardDrawn
from simulators.boxes.acts import Drawn
from simulators.live.people import People, Said
from simulators.live.play import ByHand
from simulators.live.shoe_faults import another
from simulators.live.shoe_hand import ShoeHand

_LOOKS_S: Final = 0.02
_THE_SHOE_TELLS: Final = "card.drawn: the shoe"
_OK: Final[Said] = {"ok": True}


class StandIn:
    """`way`: what of the cards is entered, and as what."""

    def __init__(self, people: People, shoe: ShoeHand, way: ByHand) -> None:
        self._people = people
        self._shoe = shoe
        self._way = way
        self._count = 0
        self._left_out = False

    @property
    def has_told_all(self) -> bool:
        """Whether the host knows every card although the shoe is away."""
        return self._people.watcher.shoe_away and not self._left_out

    async def enter(self, act: Drawn) -> Said:
        """Once the shoe has told the card, or nobody but a person can; what the host answered to the person."""
        while not self._shoe.is_stored:
            if self._people.watcher.shoe_away and not self._left_out:
                return await self._enter(act)
            await asyncio.sleep(_LOOKS_S)
        self._left_out = False
        return _OK

    async def _enter(self, act: Drawn) -> Said:
        if self._way == "fewer" and self._count:
            self._left_out = True
            return await self.enter(act)
        first, self._count = self._count == 0, self._count + 1
        seen = act.card if act.face == "up" else None
        answer = await self._say(act, another(seen) if seen and first and self._way == "other" else seen)
        if first and self._way == "more":
            await self._say(act, seen)
        return answer

    async def _say(self, act: Drawn, card: Card | None) -> Said:
        answer = await self._people.supervisor.say(CardDrawn(card=card, to=act.to, face=act.face))
        if str(answer.get("why", "")).startswith(_THE_SHOE_TELLS):
            await self._shoe.stored()
            return _OK
        return answer
