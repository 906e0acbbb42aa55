"""Whatever comes: the check of blackjack never falls over, never changes, and never tells what lies face down."""

from __future__ import annotations

import pytest
from blackjack_log import event_of, story
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.cards import RANKS, Card
from protocols.dealing.check import Check
from protocols.dealing.digest import digest
from protocols.dealing.snapshot import restored, snapshot
from protocols.errors import LogError
from protocols.events import CardDrawn, Event, ReaderPeeked
from protocols.hidden import Hidden, hide
from protocols.verdicts import VERDICT

PLACES = ("1", "2", "1a", "1b", "2a", "d", "d", "")
HANDS = ("1", "2", "1a", "1b")
TURNS_A_CARD = ("hole.revealed", "hand.settled", "cards.collected", "card.revealed", "round.opened", "round.closed")
TELLS_THE_PEEK = (*TURNS_A_CARD, "player.acted", "card.drawn", "reader.peeked", "round.voided")

ranks = st.sampled_from([*RANKS, *"TKA8"])
cards = st.builds("{}>{}{}".format, st.sampled_from([*RANKS, "?"]), st.sampled_from(PLACES), st.sampled_from("++-."))
acts = st.builds(
    "{}.{}".format,
    st.sampled_from(HANDS),
    st.sampled_from(("hit", "stand", "double", "split", "surrender", "insure")),
)
peeks = st.sampled_from(("peek", "peek=natural", "peek=no_natural", "peek=error"))
OTHERS = (
    "hole hole=K look call nocall ins+ ins- fault restore method=nd-no-hole method=nd-no-peek close void "
    "shuffle shuffle=discards cutcard load empty jam clear gap gap=3 dealer replace R1,2 R1 R R2,9 "
    "wager1=made wager3=made wager2=taken_back wager8=raised settle1=win settle1b settle2=natural "
    "settle1=surrender collect1 collect1b collectd burned1 burnedd burnedb 4>b 4>b- 5>!1 5>!b 6>* 7>1^2 ?>d^1 "
    "show1=K show3=9 nmb nonmb total total1 nototal nototal1 cutcard=d cut=1/ cut=d/1 placed=3/8min placed=1.5/2"
)
others = st.sampled_from(OTHERS.split())
words = st.one_of(cards, cards, acts, acts, peeks, others)
DEALS = ("", "R1,2 9>1 8>2 A>d 9>1 8>2 7>d-", "R1 A>1 K>d- A>1 6>d", "R1,2 9>1 8>2 K>d 9>1 8>2", "R 8>1 6>d. 8>1 7>d.")
HOUSE = " surrender=late pickup=checked draw_on_21=violation burn=1 split_second_card=at_split"
HOUSES = {"cr": HOUSE, "np": HOUSE, "nh": HOUSE, "us": HOUSE, "nz": HOUSE, "sl": " max_hands=3"}
tables = st.sampled_from(
    [
        f"{procedure}{house}{inputs}: {deal}"
        for procedure in HOUSES
        for house in ("", HOUSES[procedure])
        for inputs in ("", " observes=faces,signals,wagers", " observes=positions,wagers", " observes=")
        for deal in DEALS
    ]
)


def taken(check: Check, event: Event) -> Check:
    """The check after the event; as it was where the log itself would be wrong."""
    try:
        return check.step(event)[0]
    except LogError:
        return check


@given(tables, st.lists(words, max_size=25))
@settings(max_examples=120, deadline=None)
def test_nothing_but_a_wrong_log_stops_the_check_and_no_step_changes_it(table: str, tail: list[str]) -> None:
    log = story(table)
    check = log.check()
    for event in [*log.events, *map(event_of, tail)]:
        before, due = digest(check.histories, {}), check.due()
        after = taken(check, event)
        assert (digest(check.histories, {}), check.due()) == (before, due)
        check = after


def public(check: Check, event: Event) -> tuple[Check, object]:
    """The check after the event, and all that is told of it."""
    try:
        check, verdict = check.step(event)
    except LogError as error:
        return check, str(error)
    return check, (VERDICT.dump_json(verdict), check.due(), digest(check.histories, {}))


def face_down(event: Event, card: Card) -> Event:
    """The event with another card, where that card lies face down."""
    if isinstance(event, CardDrawn) and event.face == "down" and not event.boxed:
        return event.model_copy(update={"card": hide(card)})
    return event


def turns_a_card(event: Event) -> bool:
    return event.name in TURNS_A_CARD or (isinstance(event, CardDrawn) and event.moved is not None)


@given(tables, st.lists(words, max_size=25), ranks, ranks)
@settings(max_examples=120, deadline=None)
def test_nothing_tells_a_card_before_it_is_turned(table: str, tail: list[str], one: str, other: str) -> None:
    log = story(table)
    check, twin = log.check(), log.check()
    for event in [*log.events, *map(event_of, tail)]:
        if turns_a_card(event) and any(isinstance(draw.card, Hidden) for draw in check.state.draws):
            return
        check, told = public(check, face_down(event, Card(one, None)))
        twin, told_twin = public(twin, face_down(event, Card(other, None)))
        assert told == told_twin, event


def answering(event: Event, result: str) -> Event:
    return event.model_copy(update={"result": result}) if isinstance(event, ReaderPeeked) else event


results = st.sampled_from(("natural", "no_natural", "error"))


@given(tables, st.lists(st.one_of(peeks, others), max_size=12), results, results)
@settings(max_examples=120, deadline=None)
def test_nothing_tells_what_the_reader_said_before_the_next_act(
    table: str, tail: list[str], one: str, other: str
) -> None:
    log = story(table)
    check, twin = log.check(), log.check()
    peeked = False
    for event in [*log.events, *map(event_of, tail)]:
        if (peeked and event.name in TELLS_THE_PEEK) or event.name == "insurance.opened":
            return
        peeked = peeked or event.name == "reader.peeked"
        check, told = public(check, answering(event, one))
        twin, told_twin = public(twin, answering(event, other))
        assert told == told_twin, event


@pytest.mark.parametrize("result", ["natural", "no_natural", "error"])
@pytest.mark.parametrize("deal", ["K>d 9>1 A>d-", "A>d 9>1 K>d- ins-", "K>d- 9>1 A>d ins+ ins-"])
def test_after_a_peek_the_same_acts_are_right_whatever_the_reader_said(deal: str, result: str) -> None:
    check = story("cr: R1").check()
    for word in f"R1 9>1 {deal} peek={result}".split():
        check = taken(check, event_of(word))
    assert check.due() == ("hole.revealed", "player.acted")


@pytest.mark.parametrize("table", ["cr: R1 9>1 K>d 9>1 7>d- peek=no_natural 1.stand hole close", "nh: R1 8>1 9>d 8>1"])
def test_a_check_written_down_goes_on_as_it_was(table: str) -> None:
    log = story(table)
    check = log.check()
    for event in log.events:
        check = taken(check, event)
    again = restored(snapshot(check) or "", check.setting)
    assert again == check


DUE = {
    "np: R1,2 9>1 7>2": ("card.drawn to dealer",),
    "np: R1,2 9>1 7>2 6>d-": ("card.drawn to box:1 up",),
    "np: R1,2 9>1 7>2 6>d- 9>1 T>2": ("card.drawn to dealer up",),
    "nh: R1 9>1": ("card.drawn to dealer up",),
    "np: R1 9>1 A>d 9>1 6>d- 1.split": ("card.drawn to box:1/a up",),
    "np: R1 9>1 6>d 9>1 6>d-": ("player.acted box:1",),
    "np: R1 9>1 6>d 9>1 6>d- 1.hit": ("card.drawn to box:1 up",),
    "np: R1 9>1 6>d 9>1 6>d- 1.double": ("card.drawn to box:1",),
    "np: R1 9>1 6>d 9>1 6>d- 1.stand": ("hole.revealed",),
    "np: R1 9>1 6>d 9>1 6>d- 1.stand hole": ("card.drawn to dealer up",),
    "np: R1 9>1 6>d 9>1 6>d- 1.stand hole 5>d": ("hand.settled", "round.closed"),
    "nh: R1 9>1 6>d 9>1 1.stand": ("card.drawn to dealer up",),
    "cr: R1 9>1 K>d 9>1 6>d-": ("reader.peeked",),
    "cr: R1 9>1 A>d 9>1 6>d-": ("insurance.opened", "insurance.closed"),
    "cr: R1 9>1 A>d 9>1 6>d- ins+": ("insurance.closed",),
    "cr: R1 9>1 A>d 9>1 6>d- ins-": ("reader.peeked",),
    "cr: R1 9>1 A>d 9>1 K>d- ins- peek=natural hole": ("hand.settled", "round.closed"),
    "np: R1 9>1 6>d 9>1 6>d- nocall": ("call.made", "player.acted box:1"),
    "np burn=1 shoe=fresh:": ("card.drawn to burn",),
    "np:": ("round.opened",),
    "np: jam": ("shoe.restored",),
}


@pytest.mark.parametrize("text", DUE)
def test_what_is_right_next(text: str) -> None:
    log = story(text)
    check = log.check()
    for event in log.events:
        check = taken(check, event)
    assert check.due() == DUE[text]
