"""How a message lies in bytes: one struct code a field, little endian, so that reading and writing are one thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from struct import Struct
from typing import Any, ClassVar, Final, Literal, Self

from protocols.cards import Card
from protocols.hidden import Hidden, hide, hide_text, opened, opened_text

Sort = Literal["card", "withheld", "cut_card", "foreign", "unreadable"]

_SUITS: Final[Mapping[int, str | None]] = {0: None, 1: "d", 2: "c", 3: "s", 4: "h"}
_RANKS: Final[Mapping[int, str]] = dict(enumerate("A23456789TJQK", start=1))
_SORTS: Final[Mapping[int, Sort]] = {0x00: "withheld", 0x70: "cut_card", 0x7E: "foreign", 0x7F: "unreadable"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a shoe says of a card's face: `card` where `sort` is `card`, else None."""

    sort: Sort
    card: Hidden | None = None


def read_card(byte: int) -> Reading:
    """`sss rrrr`, or one of the special values; whatever is neither was not read."""
    if byte in _SORTS:
        return Reading(_SORTS[byte])
    rank, suit = _RANKS.get(byte & 0x0F), byte >> 4
    return Reading("card", hide(Card(rank, _SUITS[suit]))) if rank and suit in _SUITS else Reading("unreadable")


def written_card(reading: Reading) -> int:
    """The byte that `read_card` reads."""
    if reading.card is None:
        return next(byte for byte, sort in _SORTS.items() if sort == reading.sort)
    card = opened(reading.card)
    suit = next(number for number, suit in _SUITS.items() if suit == card.suit)
    return suit << 4 | next(number for number, rank in _RANKS.items() if rank == card.rank)


def _read_text(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("ascii", "replace")


_Codec = tuple[Callable[[Any], Any], Callable[[Any], Any]]
_AS_IT_IS: Final[_Codec] = (lambda value: value, lambda value: value)


TEXT: Final[Mapping[str, _Codec]] = {"codec": (_read_text, str.encode)}
"""The metadata of a field of text, padded with NUL."""

CARD: Final[Mapping[str, _Codec]] = {"codec": (read_card, written_card)}
"""The metadata of a field that holds a Reading."""

ANSWER: Final[Mapping[str, _Codec]] = {
    "codec": (lambda value: hide_text(str(value)), lambda hidden: int(opened_text(hidden)))
}
"""The metadata of a field that holds a Hidden number."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`FORMAT` has one struct code for each field. What follows the layout is ignored: later versions may add to it."""

    FORMAT: ClassVar[str] = ""

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """ValueError where `data` is too short."""
        layout = Struct("<" + cls.FORMAT)
        if len(data) < layout.size:
            raise ValueError(f"{cls.__name__}: {len(data)} bytes (at least {layout.size})")
        make: Callable[..., Self] = cls
        values = zip(_codecs(cls), layout.unpack_from(data), strict=True)
        return make(*(read(value) for (read, _), value in values))

    def to_bytes(self) -> bytes:
        values = (write(getattr(self, each.name)) for each, (_, write) in zip(fields(self), _codecs(self), strict=True))
        return Struct("<" + self.FORMAT).pack(*values)


def _codecs(message: Layout | type[Layout]) -> list[_Codec]:
    return [each.metadata.get("codec", _AS_IT_IS) for each in fields(message)]
