"""What is right next where calls are due, the reader may be used, new cards are due, or a new dealer has come."""

from __future__ import annotations

import pytest
from blackjack_log import story, verdicts

HEARD = "observes=positions,faces,signals,wagers,calls"
DUE = {
    "nz: R1": ("call.made", "card.drawn to box:1 up"),
    "nz: R1 nmb": ("card.drawn to box:1 up",),
    "nz: nmb R1": ("card.drawn to box:1 up",),
    f"nz {HEARD}: R1": ("call.made",),
    "nz observes=positions,faces,signals: R1": ("card.drawn to box:1 up",),
    "nz: R1 nmb 9>1 6>d": ("card.drawn to box:1 up",),
    "nz: R1 nmb 9>1 6>d 9>1": ("player.acted box:1",),
    "nz: R1 nmb 9>1 6>d 9>1 1.stand": ("card.drawn to dealer up",),
    "fr: R1 6>1 6>d 5>1 1.double": ("card.drawn to box:1 up",),
    "fr shoe=fresh: 4>b 5>b 6>b 7>b": ("card.drawn to burn",),
    "fr shoe=fresh: 4>b 5>b 6>b 7>b 8>b": ("round.opened",),
    "sl: R1 9>1": ("card.drawn to dealer up",),
    "sl: R1 9>1 6>d 9>1": ("card.drawn to dealer down",),
    "sl: fault R1 9>1": ("card.drawn to dealer",),
    "sl: R1 9>1 6>d 9>1 T>d-": ("player.acted box:1",),
    "sl: R1 9>1 6>d 9>1 T>d- nototal": ("call.made", "player.acted box:1"),
    f"sl {HEARD}: R1 9>1 6>d 9>1 T>d-": ("call.made", "player.acted box:1"),
    f"sl {HEARD}: R1 9>1 6>d 9>1 T>d- total1": ("player.acted box:1",),
    "sl: R1 9>1 K>d 9>1 T>d-": ("reader.peeked", "player.acted box:1"),
    "sl: R1 9>1 K>d 9>1 T>d- 1.hit": ("card.drawn to box:1 up",),
    "sl: R1 9>1 A>d 9>1 T>d-": ("insurance.opened", "insurance.closed", "player.acted box:1"),
    "sl: R1 9>1 A>d 9>1 T>d- ins-": ("reader.peeked", "player.acted box:1"),
    "sl scanner_approved=false: R1 9>1 K>d 9>1 T>d-": ("player.acted box:1",),
    "us: R1 9>1 K>d 9>1 T>d-": ("reader.peeked",),
    "us scanner_approved=false: R1 9>1 K>d 9>1 T>d-": ("player.acted box:1",),
    "us scanner_approved=false: R1 9>1 A>d 9>1 T>d-": ("player.acted box:1",),
    "us insurance=at_turn: R1 9>1 A>d 9>1 T>d-": ("reader.peeked",),
    "us: dealer": ("card.drawn to burn",),
    "us: dealer 4>b": ("round.opened",),
    "us: dealer load 4>b": ("card.drawn to burn", "round.opened"),
    "us: R1 dealer": ("card.drawn to box:1 up",),
    "us shoe=new_dealer:": ("card.drawn to burn",),
    "nz shoe=new_dealer:": ("round.opened",),
}

NEW_CARDS = ("cards.shuffled", "shoe.loaded")
PLAYED = "9>1 9>d 9>1 9>d- 1.stand hole=9 close"
BEFORE_THE_NEXT_CARD = {
    "sl: cutcard": NEW_CARDS,
    "sl: cutcard R1": NEW_CARDS,
    "sl: R1 cutcard": NEW_CARDS,
    "sl: R1 cutcard shuffle": ("card.drawn to box:1 up",),
    "sl cut_card_first=play: cutcard": ("round.opened",),
    "sl cut_card_first=play: R1 cutcard": ("card.drawn to box:1 up",),
    f"sl cut_card_first=play: cutcard R1 {PLAYED}": NEW_CARDS,
    f"sl cut_card_first=play: cutcard R1 {PLAYED} R1": NEW_CARDS,
    f"sl: R1 {PLAYED} cutcard": NEW_CARDS,
    "sl observes=positions,faces,signals,wagers: cutcard R1": ("card.drawn to box:1 up",),
    "nz: R1 nonmb": ("call.made",),
    "nz: R1 nonmb nmb": ("card.drawn to box:1 up",),
    "nz observes=positions,faces,signals: R1 nonmb": ("call.made",),
    "us: jam": ("shoe.restored",),
    "us: jam R1": ("round.voided",),
    "us: jam R1 clear": ("round.voided",),
    "us: R1 jam": ("card.drawn to box:1 up",),
    "us: R1 5>!1": ("card.burned",),
    "us: R1 5>!1 burned1": ("card.drawn to box:1 up",),
    "us without=collection: R1 5>!1": ("card.drawn to box:1 up",),
    "us: R1 9>1 8>d-": ("card.drawn to box:1 up",),
    "us: R1 9>1 8>d- 9>1": ("card.drawn to dealer",),
}

SIGNALLED_EARLY = {
    "us: R1 9>1 K>d 9>1 9>d- 1.stand": ("reader.peeked",),
    "us: R1 9>1 K>d 2>1 9>d- 1.hit": ("reader.peeked",),
    "us: R1 8>1 K>d 8>1 9>d- 1.split": ("reader.peeked",),
    "us: R1 9>1 A>d 2>1 9>d- 1.hit": ("insurance.opened", "insurance.closed"),
    "us: R1 9>1 A>d 2>1 9>d- ins+ 1.hit": ("insurance.closed",),
    "us: R1 9>1 A>d 2>1 9>d- ins- 1.hit": ("reader.peeked",),
    "us: R1 9>1 K>d 2>1 9>d- peek=error 1.hit": ("card.drawn to box:1 up",),
    "us: R1 9>1 K>d 2>1 9>d- 1.hit 3>1": ("player.acted box:1",),
    "us: R1 9>1 K>d 2>1 9>d- fault 1.hit": ("card.drawn to box:1 up",),
    "us peek=allowed: R1 9>1 K>d 2>1 9>d- 1.hit": ("card.drawn to box:1 up",),
    "us scanner_approved=false: R1 9>1 K>d 2>1 9>d- 1.hit": ("card.drawn to box:1 up",),
    "np: R1 9>1 A>d 2>1 9>d- call ins+ 1.hit": ("card.drawn to box:1 up",),
}

WARNED_OR_REFUSED = {
    "us: R1 7>1 6>d 7>1 T>d- 1.hit 7>1 1.hit": ("player.acted box:1",),
    "us: R1 7>1 6>d 7>1 T>d- 1.hit 7>1 1.double": ("player.acted box:1",),
    "us draw_on_21=allow: R1 7>1 6>d 7>1 T>d- 1.hit 7>1 1.hit": ("card.drawn to box:1 up",),
    "us draw_on_21=violation: R1 7>1 6>d 7>1 T>d- 1.hit 7>1": ("hole.revealed",),
    "us observes=positions,faces,wagers: R1 8>1 6>d 6>1 T>d- 7>1": ("hole.revealed",),
    "us observes=positions,faces,wagers draw_on_21=allow: R1 8>1 6>d 6>1 T>d- 7>1": (
        "card.drawn to box:1 up",
        "hole.revealed",
    ),
    "us surrender=late: R1,2 A>1 T>2 8>d K>1 6>2 9>d- 1.surrender 2.hit": ("player.acted box:1",),
    "us surrender=late: R1,2 A>1 T>2 8>d K>1 6>2 9>d- 1.surrender 1.stand 2.hit": ("card.drawn to box:2 up",),
    "us surrender=late: R1,2 A>1 T>2 8>d K>1 6>2 9>d- 2.surrender": ("hole.revealed", "hand.settled", "round.closed"),
    "cr: R1 9>1 8>d 5>1 T>d- nocall 1.hit": ("call.made",),
    "cr: R1 9>1 8>d nocall": ("call.made",),
    "cr: R1,2 9>1 9>2 8>d nocall 5>1": ("card.drawn to box:2 up",),
    "cr: R1 9>1 8>d 5>1 T>d- nocall 1.hit 2>1 1.hit": ("call.made", "card.drawn to box:1 up"),
    "sl: R1 9>1 8>d 5>1 T>d- nototal1 1.hit": ("call.made",),
    "sl: R1 9>1 8>d 5>1 T>d- nototal1 1.hit total1": ("card.drawn to box:1 up",),
}
DUE |= BEFORE_THE_NEXT_CARD | SIGNALLED_EARLY | WARNED_OR_REFUSED


@pytest.mark.parametrize("text", DUE)
def test_what_is_right_next(text: str) -> None:
    log = story(text)
    verdicts(log)
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert check.due() == DUE[text]
