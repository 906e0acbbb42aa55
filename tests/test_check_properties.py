"""What holds of the check for any log: legal coups, single faults, withheld values, hidden values, any sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice, product
from math import inf
from typing import Any

import pytest
from coup_log import WORDS, checked, events, opens, start, told
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.coups import Seen, wrong

from protocols.cards import RANKS, SUITS
from protocols.dealing.check import Check, verdicts
from protocols.dealing.digest import digest
from protocols.errors import LogError
from protocols.events import CardDrawn, Event, Observed
from protocols.hidden import Hidden
from protocols.verdicts import Verdict
from simulators.dealt_log import DealtLog
from simulators.misdeals import CODES
from simulators.punto_banco import PuntoBancoDealer
from simulators.rules import Rules, rules_of
from simulators.table_log import as_table_log, expressible

HOUSES = [
    rules_of("pb-fr", {"decks": 3}),
    rules_of("pb-fr", {"decks": 2, "last_coup": "one_more", "error_card": "next_hand"}),
    rules_of("pb-nj", {"decks": 3}),
    rules_of("pb-nj", {"decks": 2, "last_coup": "current", "error_card": "burn", "deal_faces": "up"}),
    rules_of("pb-nj", {"decks": 1, "deal_faces": "down"}),
]
"""Small shoes, so that a few rounds come to the cutting card."""
INPUTS: list[tuple[Observed, ...] | None] = [None, ("positions",), ("faces", "signals", "collection"), ()]
EVERY_HOUSE = pytest.mark.parametrize("rules", HOUSES, ids=lambda rules: f"{rules.procedure}-{rules.decks}")
EVERY_INPUT = pytest.mark.parametrize("observes", INPUTS, ids=str)
SEEDS = st.integers(0, 10_000)


def dealt(
    rules: Rules, seed: int, observes: Sequence[Observed] | None, *, rate: float, withhold: bool, rounds: int = 40
) -> DealtLog:
    misdeals = expressible(observes, withhold=withhold)
    return as_table_log(
        rules, islice(PuntoBancoDealer(rules, seed, rate, misdeals), rounds), observes, withhold=withhold
    )


def violations(log: DealtLog) -> list[tuple[int, str | None]]:
    check = Check.start(log.header)
    return [(told.event, told.code) for told in verdicts(check, log.events) if told.outcome == "violation"]


@EVERY_HOUSE
@EVERY_INPUT
@settings(max_examples=3, deadline=None)
@given(seed=SEEDS, withhold=st.booleans())
def test_legal_rounds_give_no_violation(
    rules: Rules, observes: Sequence[Observed] | None, seed: int, withhold: bool
) -> None:
    assert violations(dealt(rules, seed, observes, rate=0, withhold=withhold)) == []


@EVERY_HOUSE
@EVERY_INPUT
@settings(max_examples=3, deadline=None)
@given(seed=SEEDS, withhold=st.booleans())
def test_each_fault_gives_its_code_at_its_event_and_nothing_else(
    rules: Rules, observes: Sequence[Observed] | None, seed: int, withhold: bool
) -> None:
    log = dealt(rules, seed, observes, rate=0.6, withhold=withhold)
    assert violations(log) == [(expected.event, expected.code) for expected in log.expected]


@pytest.mark.soak
@EVERY_HOUSE
@EVERY_INPUT
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, withhold=st.booleans())
def test_many_faults(rules: Rules, observes: Sequence[Observed] | None, seed: int, withhold: bool) -> None:
    log = dealt(rules, seed, observes, rate=0.5, withhold=withhold, rounds=200)
    assert violations(log) == [(expected.event, expected.code) for expected in log.expected]


def test_the_faults_above_are_all_there() -> None:
    log = dealt(HOUSES[3], 1, None, rate=0.7, withhold=False, rounds=300)
    assert {expected.code for expected in log.expected} == set(CODES.values())


WEIGHTS = Counter(min(RANKS.index(rank) + 1, 10) % 10 for rank in RANKS)


def oracle(seen: Seen) -> Counter[str | None]:
    """How many ranks make each answer, over all readings of the unknown cards."""
    found: Counter[str | None] = Counter()
    for points in product(*(range(10) if known is None else (known,) for known in seen.points)):
        unknown = [point for point, known in zip(points, seen.points, strict=True) if known is None]
        found[wrong(seen, points)] += reduce(int.__mul__, (WEIGHTS[point] for point in unknown), 1)
    return found


@st.composite
def stories(draw: st.DrawFn) -> list[tuple[str, Seen]]:
    """A coup word by word with what is then seen of it: up to three cards withheld, shown in any order at any time."""
    sides = "PBPB" + draw(st.sampled_from(["", "P", "B", "PB", "BP", "PP", "PBP"]))
    ranks = draw(st.lists(st.sampled_from(RANKS), min_size=len(sides), max_size=len(sides)))
    withheld = draw(st.sets(st.integers(0, len(sides) - 1), max_size=3))
    ends = [draw(st.sampled_from(["c", "s", "k", "=p", "=b", "=t"]))]
    later = draw(st.permutations([*(f"r{number + 1}={ranks[number]}" for number in sorted(withheld)), *ends]))
    story, seen = [("o", Seen())], Seen()
    for number, (side, rank) in enumerate(zip(sides, ranks, strict=True)):
        known = None if number in withheld else min(RANKS.index(rank) + 1, 10) % 10
        seen = replace(seen, sides=seen.sides + side, points=(*seen.points, known))
        story.append((side if known is None else f"{side}{rank}^", seen))
    for word in later:
        seen = _after(seen, word)
        story.append((word, seen))
    return story


def _after(seen: Seen, word: str) -> Seen:
    if word[0] == "r":
        number, rank = int(word[1]) - 1, word[-1]
        known = min(RANKS.index(rank) + 1, 10) % 10
        return replace(seen, points=(*seen.points[:number], known, *seen.points[number + 1 :]))
    return replace(seen, over=True, winner=word[1] if word[0] == "=" else seen.winner)


@settings(max_examples=250, deadline=None)
@given(story=stories())
def test_a_violation_falls_where_no_reading_is_legal_any_more(story: list[tuple[str, Seen]]) -> None:
    found = list(checked(" ".join(word for word, _ in story), observes=["positions"]))
    bad = [verdict for verdict in found if verdict.outcome == "violation"]
    readings = {number: oracle(seen) for number, (_, seen) in enumerate(story, 1) if len(seen.sides) >= 4}
    first = next((number for number, codes in readings.items() if None not in codes), None)
    assert [verdict.event for verdict in bad] == ([] if first is None else [first])
    if first is not None:
        assert readings[first][bad[0].code] == max(readings[first].values())


@settings(max_examples=60, deadline=None)
@given(story=stories(), order=st.randoms(use_true_random=False))
def test_the_order_of_the_reveals_does_not_change_whether_a_coup_is_wrong(
    story: list[tuple[str, Seen]], order: Any
) -> None:
    words = [word for word, _ in story]
    reveals = [word for word in words if word[0] == "r"]
    before = [word for word in words if word[0] != "r"]
    order.shuffle(reveals)
    again = checked(" ".join([*before, *reveals]), observes=["positions"])
    first = checked(" ".join(words), observes=["positions"])
    assert bool(told(again)) == bool(told(first))
    opened = {word[1]: word[-1] for word in reveals}
    at_once = [f"{word}{opened[str(n)]}^" if str(n) in opened else word for n, word in enumerate(before)]
    assert bool(told(checked(" ".join(at_once), observes=["positions"]))) == bool(told(first))


@st.composite
def face_down(draw: st.DrawFn) -> tuple[str, list[list[str]]]:
    """A log with `{}` for each value that lies face down, and two sets of values for them."""
    faces = draw(st.sampled_from(["_", ""]))
    burn = draw(st.sampled_from(["", "L F2^ F{}_ F{} "]))
    more = draw(
        st.sampled_from(["", "v", "D{}! v", "g v", "P{}_ v", "bP v", "c", "t c", "=p c", "P2^ c", "B2^ c", "r1=K c"])
    )
    count = draw(st.integers(1, 4))
    cards = " ".join(f"{side}{{}}{faces}" for side in "PBPB"[:count])
    log = f"{burn}o n {cards} {more}"
    ranks = st.lists(st.sampled_from(CARDS), min_size=log.count("{}"), max_size=log.count("{}"))
    return log, [draw(ranks), draw(ranks)]


CARDS = [rank + suit for rank in RANKS for suit in SUITS]


@settings(max_examples=150, deadline=None)
@given(logs=face_down(), procedure=st.sampled_from(["pb-fr", "pb-nj"]), decks=st.sampled_from([1, 8]))
def test_what_lies_face_down_never_shows(logs: tuple[str, list[list[str]]], procedure: str, decks: int) -> None:
    log, (some, others) = logs
    checks = [start(procedure, options={"decks": decks}) for _ in range(2)]
    for event, other in zip(events(log.format(*some)), events(log.format(*others)), strict=True):
        before, stepped = checks, [check.step(event) for check, event in zip(checks, (event, other), strict=True)]
        checks = [check for check, _ in stepped]
        if any(opens(old, new) for old, new in zip(before, checks, strict=True)):
            return
        assert stepped[0][1] == stepped[1][1]
        assert checks[0].due() == checks[1].due()
        assert public(checks[0]) == public(checks[1])


def public(check: Check) -> str:
    """The digest, with the same commitments for the same draws."""
    down = {number: f"card {number}" for number, card in check.values().items() if isinstance(card, Hidden)}
    return digest(check.histories, down)


FEW_CARDS = [f"{place}{card}{face}" for place in "PBFD" for card in ("", "K", "4", "9s") for face in ("", "^", "_")]
FLAGGED = [
    "D!~x",
    "D9s!",
    "P9^*",
    "D*",
    "P>1",
    "B>2",
    "D>5",
    "P!>1",
    "bP",
    "bB",
    "r1=K",
    "r2=9s",
    "r5=4",
    "r~x=2",
    "g7",
    "L1",
]
OTHERS = [
    '{"type":"wager.changed","box":2,"change":"made"}',
    '{"type":"reader.peeked"}',
    '{"type":"cut_card.placed","decks_from_back":0.2,"decks":1}',
    '{"type":"cards.cut","by":"box:2"}',
    '{"type":"cards.replaced"}',
    "=p",
    "=t",
]
RUNS = [
    "o n",
    "o",
    "P4_ B5_ P3_ B2_",
    "P4^ B5^ P3^ B2^",
    "P B P B",
    "P B P B P",
    "P2^ BK^ P3^ B3^",
    "c o n P B",
    "F2^ F F",
    "D D D D",
]
ANY_WORD = st.sampled_from([*WORDS, *FEW_CARDS, *FLAGGED, *OTHERS, *RUNS * 8])
HEADERS: Mapping[str, Any] = {
    "shoe": ["mid", "fresh"],
    "observes": [None, [], ["positions"], ["calls", "signals"], ["positions", "faces", "signals", "calls"]],
    "procedure": ["pb-fr", "pb-nj"],
}
ANY_HEADER = st.fixed_dictionaries({key: st.sampled_from(values) for key, values in HEADERS.items()})


@settings(max_examples=250, deadline=None)
@given(words=st.lists(ANY_WORD, max_size=25), header=ANY_HEADER)
def test_any_sequence_is_answered_or_refused_as_a_wrong_log(words: list[str], header: dict[str, Any]) -> None:
    try:
        verdicts = checked(" ".join(words), **header)
    except LogError:
        return
    for verdict in verdicts:
        assert (verdict.outcome == "ok") <= (verdict.code is None)
        assert verdict.code is None or verdict.rule


@settings(max_examples=250, deadline=None)
@given(words=st.lists(ANY_WORD, max_size=25))
def test_fewer_inputs_never_find_more(words: list[str]) -> None:
    """Without signals, calls and faces nothing is a violation before the first one with them."""
    log = events(" ".join(words))
    try:
        full = checked(log)
        blind = checked(map(_unseen, log), observes=["positions", "collection", "cut", "shuffle"])
    except LogError:
        return
    assert first_violation(blind) >= first_violation(full)


def first_violation(found: Iterable[Verdict]) -> float:
    return min((verdict.event for verdict in found if verdict.outcome == "violation"), default=inf)


def _unseen(event: Event) -> Event:
    """The event as a table without an input for faces tells it."""
    return event.model_copy(update={"face": None}) if isinstance(event, CardDrawn) else event
