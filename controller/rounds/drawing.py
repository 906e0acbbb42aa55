"""Playing cards as SVG: readable in black and white, and complete in themselves."""

from __future__ import annotations

from html import escape
from typing import Final

from controller.rounds.model import Card
from controller.rounds.words import LIES, remarks

WIDTH, HEIGHT = 56, 78
_SUITS: Final = {
    "s": "M12 1C9 7 2 10 2 15c0 4 6 5 8 1-.3 3-1.5 5-3.5 7h11c-2-2-3.2-4-3.5-7 2 4 8 3 8-1 0-5-7-8-10-14z",
    "h": "M12 22C9 16 2 13 2 7.5 2 2 9.500 1 12 7c2.5-6 10-5 10 .5C22 13 15 16 12 22z",
    "d": "M12 1l8 11-8 11-8-11z",
    "c": "M12 1a5 5 0 0 0-4 8 5 5 0 1 0 3 7c-.3 3-1.3 5-3.5 7h9c-2.2-2-3.2-4-3.5-7a5 5 0 1 0 3-7 5 5 0 0 0-4-8z",
}
_NAMES: Final = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
_RANKS: Final = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
_RED: Final = "hd"
_EDGE: Final = f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="5" class="'


def card_svg(card: Card) -> str:
    """The card with the number of its first finding in a corner; a screen reader hears what it is."""
    face = _face(card.value) if card.value is not None else _BACK if card.lies == "down" else _UNREAD
    turned = f'<path d="M{WIDTH - 3} {HEIGHT - 16}v13h-13z" class="turned"/>' if card.lies == "turned" else ""
    mark = _mark(card.findings[0]) if card.findings else ""
    away = f'<path d="M3 {HEIGHT - 3}L{WIDTH - 3} 3" class="away"/>' if card.gone else ""
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="'
        f'{escape(spoken(card))}">{face}{turned}{away}{mark}</svg>'
    )


def spoken(card: Card) -> str:
    """`king of hearts, face up`"""
    said = LIES[card.lies] if card.value is None else f"{_name(card.value)}, {LIES[card.lies]}"
    return ", ".join([said, *remarks(card), *(f"finding {number}" for number in card.findings)])


def _name(value: str) -> str:
    rank = _RANKS.get(value[0], value[0])
    return f"{rank} of {_NAMES[value[1]]}" if value[1:] else rank


def _face(value: str) -> str:
    rank, suit = escape("10" if value[0] == "T" else value[0]), value[1:]
    shape = f'<path transform="translate(12 36) scale(1.1)" d="{_SUITS[suit]}"/>' if suit else ""
    colour = "red" if suit and suit in _RED else "black"
    return f'<g class="{colour}">{_EDGE}edge"/><text x="4" y="26">{rank}</text>{shape}</g>'


def _mark(finding: int) -> str:
    x = WIDTH - 11
    return f'<g class="mark"><circle cx="{x}" cy="11" r="9"/><text x="{x}" y="15">{finding}</text></g>'


def _hatched() -> str:
    lines = [f"M5 {y}L{WIDTH - 5} {y + 10}M5 {y + 10}L{WIDTH - 5} {y}" for y in range(5, HEIGHT - 12, 6)]
    return f'{_EDGE}edge"/><path d="{"".join(lines)}" class="back"/>'


_BACK: Final = _hatched()
_UNREAD: Final = f'{_EDGE}unread"/><text x="{WIDTH // 2}" y="50" class="unread">?</text>'
