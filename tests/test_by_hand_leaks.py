"""What the shoe tells late shows nobody a card that a supervisor entered face down, however the two are out of step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from test_by_hand import DEAL, At, Dealt, told_late, with_table

from protocols.cards import Card
from protocols.events import CardRevealed, LogGap, RoundClosed, TableEvent
from protocols.hidden import hide
from protocols.records import Fact

UNREAD: Dealt = (None, "box:1", "up")
BY_HAND: Mapping[str, Sequence[Dealt]] = {
    "all": DEAL,
    "without the first": DEAL[1:],
    "without the second": (DEAL[0], *DEAL[2:]),
    "without the third": (*DEAL[:2], DEAL[3]),
    "one too many": (*DEAL[:3], UNREAD, DEAL[3]),
    "two too many": (UNREAD, *DEAL[:3], UNREAD, DEAL[3]),
}
BEFORE: Mapping[str, Sequence[TableEvent]] = {
    "nothing": (),
    "a gap": (LogGap(reason="lost"),),
}


def told(card: str, number: int, place: str | None, *, at_once: bool) -> Sequence[Fact]:
    """A card as the shoe tells it late, its value with it or after it."""
    if at_once:
        return (told_late(number, card, place),)
    shown = CardRevealed(ref=f"5/{number}", card=hide(Card.parse(card)), seq=200 + number, actor="shoe")
    return told_late(number, None, place), shown


@pytest.mark.parametrize("over", [False, True], ids=["round open", "round over"])
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "later"])
@pytest.mark.parametrize("places", [True, False], ids=["places", "no places"])
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("by_hand", BY_HAND)
def test_the_hole_card_stays_closed(
    tmp_path: Path, by_hand: str, before: str, places: bool, at_once: bool, over: bool
) -> None:
    async def story(table: At) -> None:
        await table.open()
        await table.enter(*BY_HAND[by_hand])
        if over:
            assert (await table.say(RoundClosed(), "dealer"))["ok"]
        cards = [
            told(card or "", n, to if places else None, at_once=at_once) for n, (card, to, _) in enumerate(DEAL, 1)
        ]
        await table.back(*BEFORE[before], *(fact for facts in cards for fact in facts))
        assert '"Kc"' not in table.text

    with_table(tmp_path, story)


def test_what_the_shoe_tells_in_a_box_where_all_lies_open_is_shown(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await table.open()
        await table.enter(*DEAL)
        await table.back(
            *(told_late(n, card, to) for n, (card, to, _) in enumerate(DEAL, 1)), told_late(5, "2h", "box:1")
        )
        assert table.drawn()[-1]["event"]["card"] == "2h"
        await table.session.tell(told_late(6, "3h", None))
        assert table.drawn()[-1]["event"]["card"] == "3h"

    with_table(tmp_path, story)
