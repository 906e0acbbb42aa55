"""How deep the cutting card lay: told where the count is certain, never held against anybody."""

from __future__ import annotations

import pytest
from blackjack_log import story, verdicts

ROUND = "R1 9h>1 8h>d 8s>1 9s>d- 1.stand hole close"
"""Four cards."""


def rounds(count: int) -> str:
    suits = [f"R1 9{suit}>1 8{suit}>d 8{other}>1 9{other}>d- 1.stand hole close" for suit, other in ("hs", "cd")]
    return " ".join(suits[number % 2] for number in range(count))


TOLD = {
    f"sl shoe=fresh decks=2: placed=1.5/2 4>b {rounds(2)} cutcard": "before card 10, it was placed before card 27",
    f"sl: load=2 shuffle cut=1 placed=1.5/2 4>b {rounds(2)} cutcard": "before card 10, it was placed before card 27",
    f"sl: shuffle placed=1.5/2 load 4>b {rounds(2)} cutcard": "before card 10, it was placed before card 27",
    f"us burn=0: shuffle placed=1.5/2 {rounds(10)} cutcard": "before card 41, it was placed before card 27",
    f"us burn=0: shuffle placed=1.5/2 {rounds(3)} R1 9h>1 cutcard": "before card 14, it was placed before card 27",
    f"nz: {ROUND} replace shuffle placed=1.5/2 R1 nmb 9h>1 cutcard": "before card 2, it was placed before card 27",
}
NOTHING = [
    f"sl shoe=fresh decks=2: placed=1.5/2 4>b {rounds(4)} cutcard",
    f"sl shoe=fresh decks=2: placed=1.5/2 4>b {rounds(8)} cutcard",
    f"sl shoe=fresh decks=2: 4>b {rounds(2)} cutcard",
    f"sl decks=2: placed=1.5/2 {rounds(2)} cutcard",
    f"sl shoe=fresh decks=2: placed=1.5/2 4>b gap {rounds(2)} cutcard",
    f"sl shoe=fresh decks=2: placed=1.5/2 4>b {rounds(1)} gap=3 {rounds(1)} cutcard",
    f"sl shoe=fresh decks=2: placed=1.5/2 4>b {rounds(1)} shuffle {rounds(1)} cutcard",
    f"sl shoe=fresh decks=2: placed=1.5/2 4>b {rounds(1)} load=2 4>b {rounds(1)} cutcard",
    "sl shoe=fresh decks=2: placed=1.5/2 4>b R1 9h>1 8h>d empty shuffle=discards 8s>1 9s>d- cutcard",
    f"sl shoe=fresh decks=2 observes=positions,faces,signals: placed=1.5/2 4>b {rounds(2)} cutcard",
]


@pytest.mark.parametrize("text", TOLD)
def test_a_depth_that_is_not_what_was_said_is_told(text: str) -> None:
    last = verdicts(story(text))[-1]
    assert (last.outcome, last.code, last.detail) == ("ok", None, f"the cutting card shows {TOLD[text]}")


@pytest.mark.parametrize("text", NOTHING)
def test_where_it_is_not_certain_or_near_nothing_is_told(text: str) -> None:
    last = verdicts(story(text))[-1]
    assert (last.outcome, last.code, last.detail) == ("ok", None, None)
