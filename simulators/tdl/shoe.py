"""The reference shoe: it tells every card that leaves it, with its value at once or when the card is turned."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from struct import Struct
from typing import Final, Literal

from protocols.cards import Card
from simulators.tdl import codes
from simulators.tdl.device import EVENT_HEAD_BYTES, Device, Reply, Standing
from simulators.tdl.identity import Identity
from simulators.tdl.memory import Memory

_LOADED: Final = Struct("<IBH")
_CARD: Final = Struct("<IHBBBB16s")
_REVEAL: Final = Struct("<IHB16s")
_CUT_CARD: Final = Struct("<IH")
_END: Final = Struct("<IHB")
_BINDS: Final = Struct("<16sIHB")
_ASKED: Final = Struct("<IHH")
_QUALITY: Final = 100
_SUITS: Final[Mapping[str, int]] = {"d": 1, "c": 2, "s": 3, "h": 4}
_RANKS: Final[Mapping[str, int]] = {rank: number for number, rank in enumerate("A23456789TJQK", start=1)}
_PLACES: Final[Mapping[str, int]] = {
    "dealer": 0x8,
    "player": 0x9,
    "banker": 0xA,
    "burn": 0xB,
    "community:3": 0xC,
    "community:4": 0xD,
    "community:5": 0xE,
}
Unread = Literal["unreadable", "foreign"]
Face = Card | Unread
"""What a shoe takes a card for."""

UNREADABLE: Final = "unreadable"
FOREIGN: Final = "foreign"
_BOX: Final = re.compile(r"box:([1-7])(?:/([a-p]))?")


@dataclass(frozen=True, slots=True)
class _Withheld:
    value: int
    nonce: bytes


class TdlShoe(Device):
    """A shoe with its cards; `shoe_no` counts its loads for life, `draw_no` the cards of this one."""

    def __init__(
        self, identity: Identity, memory: Memory, now: float, *, random: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self.shoe_no = self.draw_no = self.decks = 0
        self.locked = False
        self._held: dict[int, _Withheld] = {}
        super().__init__(identity, memory, now, random=random)

    def standing(self) -> Standing:
        remaining = self.decks * 52 - self.draw_no if self.decks else 0xFFFF
        return Standing(self.shoe_no, self.draw_no, max(remaining, 0))

    @property
    def is_shut(self) -> bool:
        """Whether its exit is locked, so that no card comes out but by force."""
        return self.locked and bool(self.identity.caps & codes.CAP_LOCK)

    def load(self, decks: int, now: float) -> int:
        """A full set goes into the shoe."""
        self.shoe_no, self.draw_no, self.decks = self.shoe_no + 1, 0, decks
        self._held.clear()
        return self.note(codes.SHOE_LOADED, _LOADED.pack(self.shoe_no, decks, 0), now)

    def draw(
        self,
        card: Face,
        now: float,
        *,
        place: str | None = None,
        withhold: bool = False,
        outside: bool = False,
        doubled: bool = False,
    ) -> int:
        """A card leaves the shoe for a place (None: not sensed). `doubled`: the shoe takes it for two."""
        self.draw_no += 1
        value, nonce, commit = written(card), bytes(16), bytes(16)
        if withhold:
            nonce = self._random(16)
            commit = hashlib.sha256(_BINDS.pack(nonce, self.shoe_no, self.draw_no, value)).digest()[:16]
            self._held[self.draw_no] = _Withheld(value, nonce)
        flags = (codes.WITHHELD if withhold else 0) | (codes.OUTSIDE if outside or self.locked else 0)
        flags |= codes.DOUBLE_FEED if doubled else 0
        told = codes.VALUE_WITHHELD if withhold else value
        data = _CARD.pack(self.shoe_no, self.draw_no, slot(place), told, flags, _QUALITY, commit)
        return self.note(codes.CARD, data, now)

    def turn(self, draw_no: int, now: float) -> int | None:
        """The card of this draw is turned: a value that was withheld is told. None where there was none."""
        held = self._held.pop(draw_no, None)
        if held is None:
            return None
        return self.note(codes.REVEAL, _REVEAL.pack(self.shoe_no, draw_no, held.value, held.nonce), now)

    def turn_as(self, draw_no: int, card: Card) -> None:
        """The withheld card of this draw will be told as another one."""
        self._held[draw_no] = replace(self._held[draw_no], value=written(card))

    def show_cutting_card(self, now: float) -> int:
        """The cutting card shows before the next card."""
        return self.note(codes.CUT_CARD, _CUT_CARD.pack(self.shoe_no, self.draw_no + 1), now)

    def move_lid(self, now: float, *, is_open: bool) -> int:
        """Somebody opens or closes the lid."""
        return self.note(codes.LID, bytes([is_open, 1]), now)

    def end(self, now: float) -> int:
        """The load is over."""
        return self.note(codes.SHOE_END, _END.pack(self.shoe_no, self.draw_no, 0), now)

    def lock(self, now: float, *, locked: bool, by: int) -> None:
        """The exit is locked or unlocked."""
        if locked != self.locked:
            self.locked = locked
            self.note(codes.LOCK, bytes([locked, by]), now)

    def bar(self, now: float, *, full: bool) -> None:
        if self.identity.caps & codes.CAP_LOCK:
            self.lock(now, locked=full, by=codes.AUTO)

    def obey(self, op: int, args: bytes, now: float) -> Reply:
        match op:
            case codes.DO_LOCK if not self.identity.caps & codes.CAP_LOCK:
                return codes.UNSUPPORTED, b""
            case codes.DO_LOCK if args[:1] and args[0] in (0, 1):
                self.lock(now, locked=bool(args[0]), by=codes.BY_HOST)
            case codes.DO_REVEAL if len(args) >= _ASKED.size:
                return self._reveal(args, now)
            case codes.DO_LOCK | codes.DO_REVEAL:
                return codes.BAD_ARG, b""
            case _:
                return super().obey(op, args, now)
        return codes.OK, b""

    def _reveal(self, args: bytes, now: float) -> Reply:
        shoe_no, first, last = _ASKED.unpack_from(args)
        if shoe_no != self.shoe_no:
            return codes.BAD_ARG, b""
        for draw_no in sorted(self._held):
            if first <= draw_no <= last:
                self.turn(draw_no, now)
        return codes.OK, b""

    def _recall(self, event: bytes) -> None:
        super()._recall(event)
        kind, data = event[EVENT_HEAD_BYTES - 1], event[EVENT_HEAD_BYTES:]
        match kind:
            case codes.SHOE_LOADED:
                self.shoe_no, self.decks, _ = _LOADED.unpack_from(data)
                self.draw_no = 0
            case codes.CARD:
                self.shoe_no, self.draw_no, *_ = _CARD.unpack_from(data)
            case codes.LOCK:
                self.locked = bool(data[0])


def written(card: Face) -> int:
    """The value of a card; a suit that is not known is 0."""
    if not isinstance(card, Card):
        return codes.VALUE_FOREIGN if card == FOREIGN else codes.VALUE_UNREADABLE
    return _SUITS.get(card.suit or "", 0) << 4 | _RANKS[card.rank]


def slot(place: str | None) -> int:
    """`box:3` is 03, `box:3/b` 13, `dealer` 08, a place that is not sensed FF."""
    if place is None:
        return codes.SLOT_UNKNOWN
    box = _BOX.fullmatch(place)
    if box:
        return int(box[1]) | (ord(box[2] or "a") - ord("a")) << 4
    return _PLACES[place]


def has_slot(place: str) -> bool:
    """Whether the protocol has a number for the place."""
    return place in _PLACES or _BOX.fullmatch(place) is not None
