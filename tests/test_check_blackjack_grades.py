"""Blackjack at tables that lack an input: what is legal stays legal, what nobody can know is no violation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

import pytest
import test_check_blackjack_deal as deal
import test_check_blackjack_dealer as dealer
import test_check_blackjack_play as play
from blackjack_log import Story, holds, lines, objections, story, verdicts

from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check
from protocols.dealing.check import verdicts as checked
from protocols.events import CardDrawn, Event, Observed, RoundOpened
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import expressible
from simulators.blackjack.procedures import PROCEDURES
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.blackjack.table_log import as_table_log

INPUTS: tuple[Observed, ...] = ("positions", "faces", "signals", "wagers", "collection", "cut", "shuffle", "stub")
CHECKED = [procedure for procedure in PROCEDURES if procedure in procedures()]
WITHOUT_POSITIONS = """
np observes=faces,signals,wagers: R1,2 9> 7> 6>+ 8> T> 9>- 1.hit 2> 1.stand 2.stand hole 5> close
np observes=faces,signals,wagers: R1 9> 6>+ 8> 9>- 3> !draw_without_signal
np observes=faces,signals,wagers: R1,2 6> 9> 8>+ 5> 3> 9>- 2.hit 7> !hand_skipped
np observes=faces,signals,wagers: R1 T> 8>+ 6> 9>- 1.hit 9> 1.hit 2> !draw_after_bust
np observes=faces,signals,wagers: R1 6> 8>+ 5> 9>- 1.double 2> 1.hit 7> !draw_after_double
np observes=faces,signals,wagers: R1 6> 8>+ 5> 9>- 1.hit 2> 1.double 7> !action_not_offered
np observes=faces,signals,wagers: R2 8> 8>+ 8> 9>- 2.split 8> 2a.split 3> 2a.stand 9> 2c.stand 2> 2b.stand hole close
np observes=faces,signals,wagers: R1 9> T>+ 9> 6>- 1.stand hole close !dealer_underdraw
np observes=faces,signals,wagers: R1 9> T>+ 9> 7>- 1.stand hole 2> !dealer_overdraw
np observes=faces,signals,wagers: R1 9> T>+ 9> 7>+ !face
np observes=faces,signals,wagers: R1 9> T>+ 8> 7>- 1.stand 2> !hole_not_turned 3> close
nh observes=faces,signals,wagers: R1,2 9> 6> Q>+ 8> 5> 9>- !hole_not_allowed
nh observes=faces,signals,wagers: R1 9> 6>+ 8> 1.stand 9> 4> close
cr observes=faces,signals,wagers: R1 9> K>+ 9> 7>- 1.hit 2> !peek_missing
cr observes=signals,wagers: R1 9> K> 9> 7> 1.hit 2> ?peek_missing 1.stand hole close
np observes=signals,wagers shoe=fresh burn=1: R1 9> !burn_missing 6> 8> 9> 1.stand hole
np observes=signals,wagers shoe=fresh burn=1: 4> R1 9> 8> 8> 9> 1.stand hole close
np observes=signals,wagers: 5> !draw_outside_round R1 9>
"""
WITHOUT_SIGNALS = """
np observes=positions,faces,wagers: R1,2 5>1 8>2 6>d 6>1 9>2 T>d- T>1 ?draw_without_signal 4>2 hole 3>d close
np observes=positions,faces,wagers: R1 T>1 6>d 6>1 T>d- 9>1 2>1 !draw_after_bust
np observes=positions,faces,wagers: R1 T>1 6>d A>1 T>d- 2>1 !draw_on_blackjack
np observes=positions,faces,wagers: R1 9>1 6>d 9>1 T>d- hole close !dealer_underdraw
np observes=positions,faces,wagers: R1 6>1 6>d 5>1 T>d- 9>1- hole 4>d close
np observes=positions,faces,wagers: R1 8>1 6>d 8>1 T>d- T>1a T>1a T>1b hole 4>d close
np observes=positions,faces,wagers: R1 9>1 6>d 8>1 T>d- look ?look_at_hole hole 4>d close
np observes=positions,faces,wagers surrender=late: R1 T>1 6>d 6>1 9>d- hole close ?dealer_underdraw
nh observes=positions,faces,wagers: R1,2 9>1 6>2 Q>d 8>1 5>2 9>d- !hole_not_allowed
cr observes=positions,faces,wagers: R1 9>1 A>d 8>1 T>d- peek=no_natural
"""
WITHOUT_MUCH = """
np observes=: R ?> 9> 8> 9> T> 2> K> 5> 9> hole close
np observes= burn=1 shoe=fresh: R 9> !burn_missing 8>
np observes=: 9> ?draw_outside_round R 9>
np observes= decks=1: R As> 7h> As> close !inventory
np observes=wagers: R1 cutcard 9> ?shuffle_overdue ins+ ?insurance_without_ace
np observes=positions,faces,signals: R 9>2 7>1 !order 6>d 8>1 T>2 9>d-
np observes=positions,faces,signals: R 9>1 7>3 6>d 8>1 T>3 5>2 !order
np observes=positions,signals,wagers: R1 9>1 6>d. 8>1 T>d. ins+ ?insurance_without_ace
np observes=positions,signals,wagers: R1,2 9>1 6>2 8>d. 8>1 5>2 9>d. 1.stand 2.stand hole close
nh observes=positions,signals,wagers: R1,2 9>1. 6>2. 8>d. 8>1. 5>2. 1.stand 2.stand 9>d. close
np observes=positions,signals,wagers decks=1: R1 As>1. 7h>d. 8s>1. 7h>d. 1.stand close !hole_not_turned
np observes=positions,signals,wagers decks=1: R1 As>1. 7h>d. 8s>1. 7h>d. 1.stand hole !inventory
np: R1,2 ?>1 ?>2 ?>d ?>1 ?>2 ?>d- 2.hit ?>2
np: R1 ?>1 6>d ?>1 ?>d- 1.hit ?>1 1.hit ?>1 ?draw_after_bust hole
np: R1 ?>1 6>d ?>1 ?>d- 1.split ?>1a 1a.stand ?>1b 1b.stand hole ?>d close
np: R1 ?>1 6>d ?>1 ?>d- ?>1 !draw_without_signal
np: R1 A>1 6>d A>1 T>d- 1.split ?>1a 1a.hit 4>1a !split_ace_extra
"""


@pytest.mark.parametrize("text", lines(WITHOUT_POSITIONS, WITHOUT_SIGNALS, WITHOUT_MUCH))
def test_what_is_seen_is_judged(text: str) -> None:
    holds(text)


def drawn_without(field: str) -> Callable[[Event], Event | None]:
    return lambda event: event.model_copy(update={field: None}) if isinstance(event, CardDrawn) else event


def never(*names: str) -> Callable[[Event], Event | None]:
    return lambda event: None if event.name in names else event


def no_boxes(event: Event) -> Event | None:
    if isinstance(event, RoundOpened):
        return event.model_copy(update={"boxes": None})
    return never("wager.changed")(event)


BLIND: dict[str, Callable[[Event], Event | None]] = {
    "positions": drawn_without("to"),
    "faces": drawn_without("face"),
    "cards": drawn_without("card"),
    "signals": never("player.acted"),
    "wagers": no_boxes,
    "collection": never("cards.collected", "hand.settled", "card.burned"),
    "shuffle": never("cards.shuffled", "cards.replaced"),
}
LEGAL = [
    text
    for text in lines(*deal.TABLES, *play.TABLES, *dealer.TABLES)
    if not any(told.outcome == "violation" for told in story(text).told)
]


@pytest.mark.parametrize("missing", BLIND)
def test_nothing_legal_becomes_a_violation_for_want_of_an_input(missing: str) -> None:
    for text in LEGAL:
        log = without(missing, story(text))
        assert [told for told in objections(verdicts(log)) if told.outcome == "violation"] == [], text


def without(missing: str, log: Story) -> Story:
    """The log as a table would write it that lacks this input."""
    seen = INPUTS if log.header.observes is None else log.header.observes
    header = log.header.model_copy(update={"observes": tuple(name for name in seen if name != missing)})
    events = (BLIND[missing](event) for event in log.events)
    return Story(header, tuple(event for event in events if event is not None), ())


@pytest.mark.parametrize(
    "observes", [("faces", "signals", "wagers"), ("positions", "faces", "wagers"), ("positions",), ()]
)
@pytest.mark.parametrize("rules", [blackjack_rules(name) for name in CHECKED], ids=CHECKED)
def test_the_dealers_misdeals_show_as_far_as_the_table_can_tell(
    rules: BlackjackRules, observes: Sequence[Observed]
) -> None:
    rounds = islice(BlackjackDealer(rules, 7, 0.5, expressible(observes)), 60)
    log = as_table_log(rules, rounds, observes)
    found = checked(Check.start(log.header), log.events)
    told = [(verdict.event, verdict.code) for verdict in found if verdict.outcome == "violation"]
    assert told == [(expected.event, expected.code) for expected in log.expected]
