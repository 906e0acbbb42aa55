"""Mississippi stud: what its documents settle, what is due, and a document of another such game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from stud_log import stud_event, stud_story

from protocols.dealing.catalog import procedure_named
from protocols.dealing.check import Check
from protocols.dealing.check import verdicts as checked
from protocols.dealing.rules import STUD
from protocols.errors import LogError, ProcedureError
from protocols.events import LogHeader


@pytest.mark.parametrize(
    ("header", "token", "part"),
    [
        ("mh", "9>7", "no 'box:7'"),
        ("mh", "9>d", "no 'dealer'"),
        ("mh", "9>1b", "no 'box:1/b'"),
        ("mh", "7.bet", "no box 7"),
        ("mh", "1.hit", "does not have the act 'hit'"),
        ("mh", "hole", "does not have this act"),
        ("mh", "settle1b=win", "one hand a box"),
        ("mh", "collectd", "no 'dealer'"),
    ],
)
def test_what_the_game_does_not_have_makes_the_log_wrong(header: str, token: str, part: str) -> None:
    with pytest.raises(LogError, match=part):
        stud_story(f"{header}:").check().step(stud_event(token))


@pytest.mark.parametrize(
    ("procedure", "options"),
    [
        ("nj-ms-hand", {"decks": 2}),
        ("nj-ms-hand", {"stub_count_rounds": 6}),
        ("nj-ms-hand", {"stub_count_rounds": 0}),
        ("nj-ms-hand", {"pickup": "checked"}),
        ("nj-ms-hand", {"deal_pattern": "both"}),
        ("nj-ms-hand", {"soft_17": "hit"}),
        ("nj-ms-shoe", {"deal_pattern": "either"}),
    ],
)
def test_an_option_that_the_text_settles_has_no_other_value(procedure: str, options: dict[str, object]) -> None:
    with pytest.raises(ProcedureError):
        Check.start(LogHeader(procedure=procedure, options=options))


DUE = [
    ("mh: go1 1.fold close", ("cards.shuffled",)),
    ("mh: mix", ("round.opened",)),
    ("mh uncounted=5: mix", ("stub.counted",)),
    ("mh burn=1 shoe=fresh: mix", ("card.drawn to burn",)),
    ("mh: jam", ("shoe.restored",)),
    ("mh: mix R1,2 9>1", ("card.drawn to box:1 down", "card.drawn to box:2 down")),
    ("mh: mix R1,2 9>1 8>2", ("card.drawn to box:1 down",)),
    ("mh: mix R1 nmb deal1", ("card.drawn to community:3 down",)),
    ("ms: mix R1 nmb deal1", ("shoe.emptied",)),
    ("ms: mix R1 nmb deal1 out", ("card.drawn to community:3 down",)),
    ("mh: mix R1,2,3 nmb 9>1 9>1 8>3", ("card.drawn to box:3 down",)),
    ("mh: mix R1,2,3 nmb 9>1 9>1 8>3 8>3", ("card.drawn to box:2 down", "card.drawn to community:3 down")),
    ("mh: mix R1 nmb deal1 board", ("stub.discarded", "player.acted box:1")),
    ("mh uncounted=4: mix R1 nmb deal1 board", ("stub.counted", "stub.discarded", "player.acted box:1")),
    ("mh: go1,2 1.bet", ("player.acted box:2",)),
    ("mh: go1,2 1.bet 2.fold", ("community.revealed",)),
    ("mh: go1,2 1.fold 2.fold", ("community.revealed", "round.closed")),
    ("mh: go1 all1", ("hand.settled box:1", "round.closed")),
    ("mh: go1 all1 settle1=win", ("round.closed",)),
    ("ms: mix R1,2 nmb 9>1 jam", ("round.voided",)),
    ("mh: mix R1,2 nmb 9>3", ()),
]


@pytest.mark.parametrize(("text", "due"), DUE)
def test_what_is_due(text: str, due: Sequence[str]) -> None:
    log = stud_story(text)
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert check.due() == due


@pytest.mark.parametrize("procedure", ["nj-ms-hand", "nj-ms-shoe"])
def test_each_code_has_one_paragraph(procedure: str) -> None:
    claimed = Counter(code for rule in procedure_named(procedure).rules.values() for code in rule.codes)
    assert claimed == Counter({rule.code for rule in STUD})


def shorter_game() -> Check:
    """Three cards to each box, two community cards, pairs of aces win."""
    procedure = procedure_named("nj-ms-hand")
    assert procedure.stud is not None
    deal = procedure.stud.model_copy(update={"hand_cards": 3, "streets": (3, 4), "winning_pairs": "A"})
    return Check.start(LogHeader(), procedure.model_copy(update={"stud": deal}))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "mix R1,2 nmb 2s>1 2d>1 5h>1 Ks>2 Kd>2 9h>2 Ac>c3 7d>c4 1.bet 2.bet turn3 1.fold 2.bet turn4 settle2=lose",
            [],
        ),
        ("mix R1,2 nmb 2s>1 Ks>2 2d>1 Kd>2 5h>1 9h>2 Ac>c3 7d>c4 1.fold 2.fold close", []),
        ("mix R1,2 nmb 2s>1 2d>1 Ks>2", ["order"]),
        ("mix R1 nmb 2s>1 2d>1 5h>1 6h>1", ["extra_card"]),
        ("mix R1 nmb 2s>1 2d>1 5h>1 6h>c3 1.bet", ["missing_card"]),
        ("mix R1 nmb As>1 Ad>1 5h>1 6h>c3 7h>c4 1.bet turn3 1.bet turn4 settle1=lose", ["settlement_wrong"]),
    ],
)
def test_the_document_says_how_many_cards_and_streets_there_are(text: str, told: list[str]) -> None:
    verdicts = checked(shorter_game(), map(stud_event, text.split()))
    assert [verdict.code for verdict in verdicts if verdict.outcome == "violation"] == told


def test_a_street_that_the_document_does_not_have_makes_the_log_wrong() -> None:
    for token in ("1.bet5", "turn5", "9>c5"):
        with pytest.raises(LogError, match="5"):
            shorter_game().step(stud_event(token))
