"""Tables of every procedure with a spread of options, and rounds that are dealt there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import pytest
from blackjack_watch import Dealt

from protocols.cards import Card
from simulators.blackjack import acts
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.procedures import PROCEDURES, choices
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.boxes import acts as common

STRICT: Final[dict[str, Any]] = {
    "decks": 4,
    "burn": 3,
    "max_hands": 2,
    "surrender": "late",
    "double_after_split": False,
    "pickup": "checked",
    "draw_on_21": "violation",
    "dealer_draw_no_live_hands": "violation",
    "signal": "required",
    "peek": "required",
}
ODD: Final[dict[str, Any]] = {
    "burn": 1,
    "resplit_aces": False,
    "split_second_card": "at_split",
    "surrender": "early",
    "soft_17": "hit",
    "cut_card_first": "play",
    "pair": "rank",
    "insurance": "at_turn",
    "peek": "allowed",
    "dealer_draw_no_live_hands": "allow",
}
WIDE: Final[dict[str, Any]] = {
    "decks": 8,
    "max_hands": "none",
    "burn": 0,
    "resplit_aces": True,
    "draw_on_21": "allow",
    "cut_card_first": "reshuffle",
    "fallback": "nd-no-hole",
}


def house(procedure: Any, options: dict[str, Any]) -> BlackjackRules:
    """The table of a procedure with those of the options that it has and may change."""
    known = choices(procedure)
    return blackjack_rules(procedure, {name: value for name, value in options.items() if value in known.get(name, ())})


HOUSES: Final = [
    *(house(procedure, options) for procedure in PROCEDURES for options in ({}, STRICT, ODD, WIDE)),
    *(blackjack_rules(procedure, {"scanner_approved": False}) for procedure in ("sl", "pa", "us-card-reader")),
    blackjack_rules("us-card-reader", {"decks": 1, "max_boxes": 5, "burn": "unset"}),
    blackjack_rules("us-card-reader", {"decks": 2, "insurance": "at_turn", "burn": 2, "surrender": "late"}),
    blackjack_rules("nd-no-peek", {"insurance": "none"}),
    blackjack_rules("nd-no-hole", {"insurance": "at_turn"}),
    blackjack_rules("fr", {"decks": 3, "surrender": "early", "pair": "rank"}),
    blackjack_rules("nz", {"decks": 4, "insurance": "pre_peek_round", "cut_card_first": "play"}),
]


def name_of(rules: BlackjackRules) -> str:
    return "-".join([rules.procedure, *(f"{name}={value}" for name, value in list(rules.options.items())[:3])])


EVERY_HOUSE: Final = pytest.mark.parametrize("rules", HOUSES, ids=name_of)


def deal(rules: BlackjackRules, rounds: int, *kinds: Misdeal, seed: int = 1, reader_faults: float = 0.0) -> list[Dealt]:
    """So many rounds, each with one of these misdeals where the cards allow it."""
    rate = 1.0 if kinds else 0.0
    return list(islice(BlackjackDealer(rules, seed, rate, kinds, reader_faults=reader_faults), rounds))


def boxes_of(told: Iterable[acts.Act]) -> set[int]:
    """The boxes that had a wager in these acts of a round."""
    opened = [act for act in told if isinstance(act, common.RoundOpened | common.WagerChanged)]
    return {box for act in opened for box in (act.boxes if isinstance(act, common.RoundOpened) else (act.box,))}


def all_acts(rounds: Iterable[Dealt]) -> list[acts.Act]:
    return [act for dealt in rounds for act in dealt.acts]


def until_misdeal(rules: BlackjackRules, kind: Misdeal) -> Dealt | None:
    """The first round with this misdeal."""
    dealer = BlackjackDealer(rules, 4, 1.0, {kind})
    return next((dealt for dealt in islice(dealer, 2500) if dealt.misdeal), None)


def blamed(kind: Misdeal, rules: BlackjackRules) -> Iterator[tuple[tuple[acts.Act, ...], acts.Act]]:
    """What came before each misdeal of this kind, and the act at which it shows."""
    found = 0
    for dealt in deal(rules, 700, kind, seed=9):
        if dealt.blamed is not None:
            found += 1
            yield dealt.acts[: dealt.blamed], dealt.acts[dealt.blamed]
    assert found


def drawn(before: Iterable[acts.Act], place: str) -> list[Card]:
    return [act.card for act in before if isinstance(act, common.Drawn) and act.to == place]


READER: Final = blackjack_rules(
    "nd-card-reader",
    {name: value for name, value in STRICT.items() if name not in ("signal", "peek")},
)
PLAIN: Final = blackjack_rules("nd-no-peek")
