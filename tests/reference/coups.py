"""One coup of punto banco: who gets the next card, by the table of draws, and what a coup of these cards lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BANKER_DRAWS = ["0123456789-", "0123456789-", "0123456789-", "012345679-", "234567-", "4567-", "67", "", "", ""]
"""By the banker's total: the player's thirds on which the banker draws, `-` where the player stood."""
DEAL = "PBPB"


@dataclass(frozen=True)
class Seen:
    """What a table has seen of a coup: sides as letters, points or None, whether it is over, the winner told."""

    sides: str = ""
    points: tuple[int | None, ...] = ()
    over: bool = False
    winner: str | None = None


def due(player: int, banker: int, thirds: str, player_third: int) -> str:
    """The side that gets the next third card, empty where none does."""
    if max(player, banker) > 7 or "B" in thirds:
        return ""
    if "P" not in thirds and player < 6:
        return "P"
    return "B" if (str(player_third) if thirds else "-") in BANKER_DRAWS[banker] else ""


def wrong(seen: Seen, points: Sequence[int]) -> str | None:
    """What is wrong in a coup of at least four cards with these points."""
    player, banker = (points[0] + points[2]) % 10, (points[1] + points[3]) % 10
    thirds = seen.sides[4:]
    for number, side in enumerate(thirds):
        if side != due(player, banker, thirds[:number], points[4]):
            return "bac_draw_on_natural" if max(player, banker) > 7 else "bac_draw"
    drawn = dict(zip(thirds, points[4:], strict=True))
    if seen.over and due(player, banker, thirds, drawn.get("P", 0)):
        return "bac_missing_third"
    difference = (player + drawn.get("P", 0)) % 10 - (banker + drawn.get("B", 0)) % 10
    right = "t" if difference == 0 else "p" if difference > 0 else "b"
    return "result_mismatch" if seen.winner not in (None, right) else None


def points_of(rank: str) -> int:
    return 1 if rank == "A" else 0 if rank in "TJQK" else int(rank)


def answer(line: Sequence[str]) -> str:
    """What the check must say to the last word of a coup whose other words are right, all cards seen as they come.

    Words: `P4^` a card to a side, `F4^` one burned, `t` the first four turned, `=p` a result, `c`, `s`, `k` an end."""
    cards = [word for word in line if word[0] in "PBF"]
    dealt, last = "".join(word[0] for word in cards), line[-1]
    if last[0] == "F":
        return "!burn_extra"
    if last[0] in "PB" and len(cards) <= len(DEAL):
        return _card_of_deal(dealt)
    if last[0] in "PB" and "t" not in line and cards[0][-1] == "_":
        return "!reveal_order"
    if len(cards) < len(DEAL):
        return "!missing_card" if cards else "?"
    over = last[0] in "cks="
    seen = Seen(dealt, (), over, last[1] if last[0] == "=" else None)
    code = wrong(seen, [points_of(word[1]) for word in cards])
    return f"!{code}" if code else ""


def _card_of_deal(dealt: str) -> str:
    before, side = dealt[:-1], dealt[-1]
    if before.count(side) == DEAL.count(side):
        return "!extra_card"
    return "" if side == DEAL[len(before)] else "!order"
