"""Whatever comes: the check of stud never falls over, never changes, never tells what lies face down, and finds nothing
in rounds that are dealt as they should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from random import Random

import pytest
import test_check_stud as stories
from blackjack_log import Story, header_of, lines, objections, verdicts
from hypothesis import given, settings
from hypothesis import strategies as st
from stud_log import stud_event, stud_story
from test_check_blackjack_grades import BLIND, without
from test_check_blackjack_properties import public, taken

from protocols.cards import RANKS, SUITS, Card
from protocols.dealing.check import Check
from protocols.dealing.digest import digest
from protocols.dealing.snapshot import restored, snapshot
from protocols.events import CardDrawn, CardRevealed, Event
from protocols.hidden import Hidden, hide

DECK = [rank + suit for rank, suit in product(RANKS, SUITS)]
TURNS_A_CARD = ("community.revealed", "hand.settled", "card.revealed", "round.opened", "round.closed")

ranks = st.sampled_from(RANKS)
cards = st.builds(
    "{}>{}{}".format,
    st.sampled_from([*RANKS, "?"]),
    st.sampled_from(("1", "2", "3", "c3", "c4", "c5", "")),
    st.just(""),
)
acts = st.builds("{}.{}".format, st.sampled_from("123"), st.sampled_from(("bet", "bet4", "bet5x9", "betx2", "fold")))
OTHERS = (
    "turn3 turn4 turn5 turn3=K stub exposed count=37 count=45 mix mix=hand shuffle replace nmb nonmb close void load "
    "out empty jam clear gap gap=3 cutcard dealer R1,2 R1 R R2,9 wager1=made wager3=made wager2=taken_back "
    "wager8=raised settle1=win settle2 settle1=lose collect1 burned1 burnedb 4>b 5>!1 5>!b 6>* 7>1^2 9>1+ 8>c3+ 8>. "
    "show1=K show3=9 peek ins+ method=nj-ms-hand restore fault"
)
words = st.one_of(cards, cards, acts, acts, st.sampled_from(OTHERS.split()))
DEALS = ("", "mix R1,2 nmb 9>1", "mix R1,2,3 nmb 9>1 8>2", "go1,2", "go1,2 1.bet 2.bet turn3", "mix R 9> 8> 7>")
tables = st.sampled_from(
    [
        f"{table}{inputs}: {deal}"
        for table in ("mh", "ms", "mh burn=1 shoe=fresh", "mh stub_count_rounds=1 uncounted=0")
        for inputs in ("", " without=positions", " without=signals", " without=wagers", " observes=")
        for deal in DEALS
    ]
)
tails = st.lists(words, max_size=25)


@given(tables, tails)
@settings(max_examples=150, deadline=None)
def test_nothing_but_a_wrong_log_stops_the_check_and_no_step_changes_it(table: str, tail: list[str]) -> None:
    log = stud_story(table)
    check = log.check()
    for event in [*log.events, *map(stud_event, tail)]:
        before, due = digest(check.histories, {}), check.due()
        after = taken(check, event)
        assert (digest(check.histories, {}), check.due()) == (before, due)
        check = after


def face_down(event: Event, card: Card) -> Event:
    """The event with another card, where that card lies face down."""
    if isinstance(event, CardDrawn) and event.face != "up" and not event.boxed:
        return event.model_copy(update={"card": hide(card)})
    return event


@given(tables, tails, ranks, ranks)
@settings(max_examples=150, deadline=None)
def test_nothing_tells_a_card_before_it_is_turned(table: str, tail: list[str], one: str, other: str) -> None:
    log = stud_story(table)
    check, twin = log.check(), log.check()
    for event in [*log.events, *map(stud_event, tail)]:
        turns = event.name in TURNS_A_CARD or (isinstance(event, CardDrawn) and event.moved is not None)
        if turns and any(isinstance(draw.card, Hidden) for draw in check.state.draws):
            return
        check, told = public(check, face_down(event, Card(one, None)))
        twin, told_twin = public(twin, face_down(event, Card(other, None)))
        assert told == told_twin, event


@given(tables, tails)
@settings(max_examples=150, deadline=None)
def test_after_whatever_came_a_round_dealt_as_it_should_be_is_clean(table: str, tail: list[str]) -> None:
    log = stud_story(table)
    check = log.check()
    for event in [*log.events, *map(stud_event, tail)]:
        check = taken(check, event)
    for token in ("R1", "void", "clear"):
        check = taken(check, stud_event(token))
    burn = "3c>b count=51" if "burn" in log.header.options else "count=52"
    clean = f"mix load {burn} R2,4 nmb deal2,4 out board stub 2.bet 4.fold turn3 2.fold close"
    for event in stud_story(f"mh: {clean}").events:
        check, verdict = check.step(event)
        assert verdict.outcome in ("ok", "unobservable"), (event, verdict)


def legal_rounds(random: Random, table: str, count: int) -> Iterator[str]:
    """The words of rounds that are dealt as they should be."""
    uncounted = 2
    for _ in range(count):
        boxes = sorted(random.sample(range(1, 7), random.randint(1, 6)))
        deck = random.sample(DECK, len(DECK))
        yield from ("mix", f"R{','.join(map(str, boxes))}", "nmb")
        passes = [*boxes, *boxes]
        order = sorted(passes) if table.startswith("ms") or random.random() < 0.5 else passes
        for box in order:
            if random.random() < 0.05:
                yield from (f"{deck.pop()}>!{box}", f"burned{box}")
            yield f"{deck.pop()}>{box}"
        if table.startswith("ms"):
            yield "out"
        board = [deck.pop() for _ in range(3)]
        yield from (f"{card}>c{street}" for street, card in zip("345", board, strict=True))
        uncounted = 0 if uncounted == 4 or random.random() < 0.2 else uncounted + 1
        yield from ([] if uncounted else [f"count={len(deck)}"])
        yield "stub"
        yield from streets(random, boxes)


def streets(random: Random, boxes: Sequence[int]) -> Iterator[str]:
    live, turning = list(boxes), True
    for street in "345":
        for box in tuple(live):
            if random.random() < 0.3:
                live.remove(box)
                yield f"{box}.fold"
                yield from random.sample([f"collect{box}", f"settle{box}=lose"], random.randint(0, 2))
            else:
                yield f"{box}.bet" + random.choice(["", street, f"{street}x{random.randint(1, 3)}"])
        turning = turning and (bool(live) or random.random() < 0.5)
        yield from ([f"turn{street}"] if turning else [])
    if random.random() < 0.7:
        yield from (f"settle{box}" for box in live)
    yield random.choice(["close", "close", "void"])


TABLES = ("mh", "mh deal_pattern=either uncounted=0", "ms", "ms uncounted=2")


def legal(table: str, seed: int, rounds: int) -> Story:
    tokens = legal_rounds(Random(seed), table, rounds)
    return Story(header_of(table), tuple(map(stud_event, tokens)), ())


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(12))
def test_rounds_dealt_as_they_should_be_are_clean(table: str, seed: int) -> None:
    log = legal(table, seed, 15)
    assert [told for told in objections(verdicts(log)) if told.outcome != "unobservable"] == []


@pytest.mark.parametrize(
    "missing", ["positions", "faces", "cards", "signals", "wagers", "collection", "shuffle", "stub"]
)
@pytest.mark.parametrize("table", TABLES)
def test_nothing_legal_becomes_a_violation_for_want_of_an_input(table: str, missing: str) -> None:
    texts = [text for text in lines(stories.LEGAL) if not any(told for told in stud_story(text).told)]
    for log in [*(legal(table, seed, 6) for seed in range(6)), *map(stud_story, texts)]:
        if missing in BLIND:
            log = without(missing, log)
        assert [told for told in objections(verdicts(log)) if told.outcome == "violation"] == []


@pytest.mark.parametrize("text", lines(stories.LEGAL, stories.DEAL, stories.DECK, stories.STREETS, stories.GRADES))
def test_a_log_that_is_taken_up_between_two_rounds_gets_the_same_verdicts(text: str) -> None:
    log = stud_story(text)
    check, twin = log.check(), log.check()
    for event in log.events:
        check, verdict = check.step(event)
        twin, same = twin.step(event)
        assert verdict == same
        assert digest(check.histories, {}) == digest(twin.histories, {})
        if event.name == "round.closed" and (written := snapshot(check)):
            twin = restored(written, check.setting)


def test_what_is_never_turned_hinders_no_snapshot() -> None:
    log = stud_story("mh: go1,2 1.bet 2.fold turn3 1.bet turn4 1.bet turn5 settle1=win close")
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert snapshot(check)


def test_only_what_is_turned_is_opened() -> None:
    log = stud_story("mh: go1,2 1.bet 2.fold turn3 1.bet turn4 1.bet turn5 settle1=win settle2=lose close")
    check = log.check()
    opened: dict[int, tuple[str, str]] = {}
    for event in log.events:
        check, _ = check.step(event)
        for origin, card in check.values().items():
            if isinstance(card, Card):
                opened.setdefault(origin, (event.name, str(card)))
    community = [("community.revealed", card) for card in ("5s", "Jc", "2d")]
    assert list(opened.values()) == [*community, ("hand.settled", "Js"), ("hand.settled", "Jd")]


def test_what_a_device_tells_stays_down_until_the_card_is_turned_and_is_judged_then() -> None:
    log = stud_story("mh: mix R1,2 nmb ?>1 Jd>1 4c>2 7h>2 ?>c3 9c>c4 5c>c5 1.bet 2.fold turn3 1.bet turn4 1.bet turn5")
    told = {draw: CardRevealed(draw=draw, card=Card("J", "s")) for draw in range(1, 8)}
    check = after(log.check(), log.events)
    assert [draw for draw, event in told.items() if check.stays_down(event)] == [1, 2, 3, 4]
    check = after(check, [stud_event("settle1=lose")])
    assert [draw for draw, event in told.items() if check.stays_down(event)] == [3, 4]
    check = after(check, [stud_event("close")])
    assert [draw for draw, event in told.items() if check.stays_down(event)] == [3, 4]
    _, verdict = check.step(told[1])
    assert (verdict.outcome, verdict.code) == ("violation", "settlement_wrong")


def after(check: Check, events: Iterable[Event]) -> Check:
    for event in events:
        check, _ = check.step(event)
    return check
