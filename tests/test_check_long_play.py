"""Whole evenings of every procedure, legal from the first burn to the last cut. A part is a round or a few."""

from __future__ import annotations

import pytest
from blackjack_log import holds

PLAYED = {
    "splits": "1.split 8>1a 1a.split 3>1a 1a.double 8>1a 2>1c 1c.hit 9>1c 1c.stand 8>1b 1b.split T>1b 1b.stand 9>1d "
    "1d.stand 2.stand {turn} 9>d settle2=win settle1d=win settle1b=win settle1c=win settle1a=win "
    "collect2 collect1d collect1b collect1c collect1a collectd close",
    "aces": "3.split T>3a 9>3b {turn} settle3b=win settle3a=win collect3b collect3a collectd close",
    "naturals": "settle1=natural collect1 4.stand settle7=natural collect7 {turn} settle4=win collect4 collectd close",
    "hits": "2.hit T>2 settle2=lose collect2 5.hit 4>5 5.hit 5>5 5.hit 6>5 5.stand {turn} 2>d settle5=win collect5 "
    "collectd close",
    "unsignalled": "2.hit 4>2 2.stand 4>5 5>5 6>5 5.stand {turn} 2>d settle5=win settle2=win collect5 collect2 "
    "collectd close",
    "bust": "2.hit T>2 settle2=lose collect2 5.hit T>5 5.hit T>5 settle5=lose collect5 collectd close",
}
BOXES = {
    "splits": ("R1,2 {call} 8>1 T>2 6>d 8>1 6>2", "T"),
    "aces": ("R3 {call} A>3 9>d A>3", "9"),
    "naturals": ("R1,4,7 {call} A>1 9>4 K>7 7>d K>1 9>4 A>7", "T"),
    "hits": ("R2,5 {call} T>2 2>5 5>d 6>2 3>5", "T"),
    "unsignalled": ("R2,5 {call} T>2 2>5 5>d 6>2 3>5", "T"),
    "bust": ("R2,5 {call} T>2 2>5 5>d 6>2 3>5", "T"),
}


def hole(part: str) -> str:
    """The part where the dealer's second card is dealt with the others."""
    deal, second = BOXES[part]
    return f"{deal} {second}>d- {PLAYED[part]}".format(call="", turn=f"hole={second}")


def no_hole(part: str, call: str = "") -> str:
    """The part where the dealer's second card comes after the players'."""
    deal, second = BOXES[part]
    return f"{deal} {PLAYED[part]}".format(call=call, turn=f"{second}>d")


PEEKED = """
R1,2 9>1 A>2 K>d 9>1 K>2 A>d- peek=natural hole=A settle2=push settle1=lose collect2 collect1 collectd close
R1 9>1 A>d 2>1 9>d- ins+ 1.insure ins- peek=no_natural 1.double T>1 hole=9 settle1=win collect1 collectd close
R1 5>1 Q>d 6>1 9>d- peek=error peek=no_natural 1.hit 9>1 1.stand hole=9 settle1=win collect1 collectd close
"""
UNPEEKED = """
R1,2 9>1 A>2 K>d 9>1 K>2 A>d- 1.stand hole=A settle2=push settle1=lose collect2 collect1 collectd close
R1 9>1 A>d 2>1 9>d- ins+ 1.insure ins- 1.double T>1 hole=9 settle1=win collect1 collectd close
"""
ONE_CARD = """
R1,2 {0} 9>1 A>2 K>d 9>1 K>2 1.stand A>d settle2=push settle1=lose collect2 collect1 collectd close
R1 {0} 9>1 A>d 2>1 1.insure 1.double T>1 9>d settle1=win collect1 collectd close
R1,2 {0} 9>1 9>2 A>d 8>1 2>2 1.stand 2.insure 2.hit 9>2 2.stand 6>d settle2=win settle1=push
collect2 collect1 collectd close
"""
SURRENDERED = """
R1,2 T>1 9>2 K>d 6>1 9>2 7>d- peek=no_natural 1.surrender settle1=surrender collect1 2.stand hole=7 settle2=win
collect2 collectd close
R1 T>1 7>d 6>1 7>d- 1.surrender settle1=surrender collect1 close
"""
SURRENDERED_AT_ONCE = """
R1,2 {0} T>1 9>2 A>d 6>1 9>2 1.surrender settle1=surrender collect1 2.insure 2.stand K>d settle2=lose
collect2 collectd close
R1,2 {0} T>1 9>2 A>d 6>1 3>2 1.surrender 2.hit 9>2 2.stand 7>d settle2=win
settle1=surrender collect2 collect1 collectd close
"""
SOFT = "R1 T>1 6>d 8>1 A>d- 1.stand hole=A {0} close"
CHANGED = "dealer 3>b"
LAST = "R1 9>1 cutcard 8>d 8>1 9>d- 1.stand hole=9 settle1=push collect1 collectd close"
LAST_ONE = "R1 {0} 9>1 cutcard 8>d 8>1 1.stand 9>d settle1=push collect1 collectd close"
NEW_SHOE = "shuffle cut=1 placed=1.5/6 load"
AGAIN, AGAIN_ONE = f"{LAST} {NEW_SHOE} 2>b", f"{LAST_ONE} {NEW_SHOE}"
HOLE = " ".join(map(hole, PLAYED))
FRENCH = " ".join(map(no_hole, PLAYED))
NEW_ZEALAND = " ".join(no_hole(part, "nmb") for part in PLAYED)
FIVE = "2>b 2>b 2>b 2>b 2>b"
EVENINGS = [
    f"pa decks=16: {PEEKED} {HOLE} {CHANGED} {HOLE} {SOFT.format('')} {AGAIN} {HOLE}",
    f"pa surrender=late: {SURRENDERED} {PEEKED} {CHANGED} {SURRENDERED}",
    f"pa scanner_approved=false: {UNPEEKED} {HOLE} {AGAIN} {CHANGED} {HOLE}",
    f"us decks=16: {PEEKED} {HOLE} {CHANGED} {HOLE} {AGAIN} {CHANGED} {HOLE}",
    f"us soft_17=hit: {SOFT.format('4>d')} {PEEKED} {HOLE} {SOFT.format('T>d')} {SOFT.format('5>d 5>d')}",
    f"us peek=allowed surrender=late: {PEEKED} {UNPEEKED} {SURRENDERED} {HOLE}",
    f"sl max_hands=4 decks=16 shoe=fresh: 2>b {PEEKED} {UNPEEKED} {HOLE} dealer {SOFT.format('')} {AGAIN} {HOLE}",
    f"sl max_hands=4 scanner_approved=false: {UNPEEKED} {HOLE} {AGAIN} {HOLE}",
    f"sl max_hands=4 decks=16: fault {UNPEEKED} {HOLE} restore {PEEKED} {HOLE}",
    f"nz shoe=fresh: {NEW_ZEALAND} {ONE_CARD.format('nmb')} dealer {AGAIN_ONE.format('nmb')} 2>b {NEW_ZEALAND}",
    f"nz surrender=early pickup=checked: {NEW_ZEALAND} {SURRENDERED_AT_ONCE.format('nmb')}",
    f"fr shoe=fresh: {FIVE} {FRENCH} {ONE_CARD.format('')} {AGAIN_ONE.format('')} {FIVE} {FRENCH}",
    f"fr surrender=early: {FRENCH} {SURRENDERED_AT_ONCE.format('')} {ONE_CARD.format('')}",
    f"us fallback=nd-no-hole decks=16: fault {FRENCH} restore {HOLE}",
]


@pytest.mark.parametrize("evening", EVENINGS, ids=lambda text: text.partition(":")[0])
def test_nothing_is_held_against_a_legal_evening(evening: str) -> None:
    holds(evening)
