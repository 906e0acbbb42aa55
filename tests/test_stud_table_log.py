"""The simulated dealer's rounds of Mississippi stud as table logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import pytest
from stud_houses import EVERY_HOUSE, PLAIN, deal

from protocols import events
from protocols.events import Observed
from protocols.tablelog import read_log, write_log
from simulators.boxes import acts as common
from simulators.stud import acts
from simulators.stud.dealer import StudDealer
from simulators.stud.misdeals import ALL, Misdeal, expressible
from simulators.stud.rules import StudRules
from simulators.stud.table_log import as_table_log

OBSERVED: list[tuple[Observed, ...] | None] = [
    None,
    ("positions", "faces", "signals", "wagers", "calls"),
    ("signals", "wagers"),
    ("positions", "stub", "shuffle", "cut", "collection"),
    (),
]
INPUT_OF: dict[type[events.TableEvent], Observed] = {
    events.PlayerActed: "signals",
    events.WagerChanged: "wagers",
    events.HandSettled: "collection",
    events.CardsCollected: "collection",
    events.CardBurned: "collection",
    events.CardsCut: "cut",
    events.CardsShuffled: "shuffle",
    events.CardsReplaced: "shuffle",
    events.StubCounted: "stub",
    events.StubDiscarded: "stub",
    events.CallMade: "calls",
    events.CallMissed: "calls",
}


@EVERY_HOUSE
@pytest.mark.parametrize("withhold", [False, True])
@pytest.mark.parametrize("observes", OBSERVED)
def test_a_table_log_reads_back_and_names_each_misdeal(
    rules: StudRules, observes: tuple[Observed, ...] | None, withhold: bool
) -> None:
    kinds = expressible(observes, withhold=withhold)
    rounds = deal(rules, 60, 0.5, misdeals=kinds)
    log = as_table_log(rules, rounds, observes, withhold=withhold, uncounted=0)
    again = read_log(write_log(log.header, log.events))
    assert (again.header, again.events) == (log.header, log.events)
    assert [expected.code for expected in log.expected] == [dealt.code for dealt in rounds if dealt.code]
    if observes is not None:
        check_inputs(log.events, observes)


def check_inputs(told: Iterable[events.TableEvent], observes: Sequence[Observed]) -> None:
    for event in told:
        assert INPUT_OF.get(type(event)) in (None, *observes)
        match event:
            case events.CardDrawn(outside=None):
                assert (event.to is not None) == ("positions" in observes)
                assert (event.face is not None) == ("faces" in observes)
            case events.RoundOpened():
                assert (event.boxes is not None) == ("wagers" in observes)


def test_everything_is_told_where_everything_is_observed() -> None:
    told = {type(event) for event in as_table_log(PLAIN["nj-ms-shoe"], deal(PLAIN["nj-ms-shoe"], 300, 0.3)).events}
    assert told >= {*INPUT_OF, events.ShoeFaulted, events.ShoeRestored, events.ShoeEmptied, events.CommunityRevealed}


def test_what_lies_face_down_is_told_when_it_is_turned() -> None:
    rules = PLAIN["nj-ms-hand"]
    rounds = deal(rules, 80)
    values = {id(dealt): shown(dealt.acts) for dealt in rounds}
    for dealt in rounds:
        told = as_table_log(rules, [dealt], withhold=True).events
        drawn = [event for event in told if isinstance(event, events.CardDrawn)]
        assert all(bool(event.card) == bool(event.boxed) for event in drawn)
        revealed = [str(event.card) for event in told if isinstance(event, events.CardRevealed)]
        assert sorted(revealed) == sorted(values[id(dealt)])
        refs = [event.ref for event in told if isinstance(event, events.CardRevealed)]
        assert set(refs) <= {event.ref for event in drawn}
        assert all(event.card for event in told if isinstance(event, events.CommunityRevealed))


def shown(told: Iterable[acts.Act]) -> list[str]:
    """The cards of the boxes that stayed to the end."""
    told = list(told)
    folded = {f"box:{act.box}" for act in told if isinstance(act, acts.Acted) and act.action == "fold"}
    drawn = [act for act in told if isinstance(act, common.Drawn)]
    return [str(act.card) for act in drawn if act.to.startswith("box") and act.to not in folded]


def test_ranks_alone_are_told_where_suits_are_not_read() -> None:
    rules = PLAIN["nj-ms-hand"]
    told = as_table_log(rules, deal(rules, 20), suits=False).events
    cards = [event.card for event in told if isinstance(event, events.CardDrawn | events.CommunityRevealed)]
    assert {len(str(card)) for card in cards if card} == {1}


@pytest.mark.parametrize(
    ("misdeal", "observes", "withhold", "suits"),
    [
        (Misdeal.FACE, ("positions", "wagers"), False, True),
        (Misdeal.READER_MISMATCH, None, True, True),
        (Misdeal.SETTLEMENT_WRONG, None, False, False),
    ],
)
def test_a_misdeal_that_does_not_show_is_refused(
    misdeal: Misdeal, observes: tuple[Observed, ...] | None, withhold: bool, suits: bool
) -> None:
    rules = PLAIN["nj-ms-hand"]
    rounds = list(islice(StudDealer(rules, 1, 0.9, {misdeal}), 20))
    assert misdeal in ALL - expressible(observes, withhold=withhold, suits=suits)
    with pytest.raises(ValueError, match=misdeal.name):
        as_table_log(rules, rounds, observes, withhold=withhold, suits=suits)


def test_the_header_says_how_many_rounds_went_uncounted() -> None:
    assert as_table_log(PLAIN["nj-ms-hand"], [], uncounted=3).header.rounds_since_stub_count == 3
    assert as_table_log(PLAIN["nj-ms-hand"], []).header.rounds_since_stub_count is None
