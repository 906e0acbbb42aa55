"""What is right next where calls are due, the reader may be used, or a new dealer has come."""

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


@pytest.mark.parametrize("text", DUE)
def test_what_is_right_next(text: str) -> None:
    log = story(text)
    verdicts(log)
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert check.due() == DUE[text]
