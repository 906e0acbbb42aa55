"""Tables of Mississippi stud with a spread of options, and rounds that are dealt there."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice, product
from typing import Any

import pytest

from simulators.rounds import Round
from simulators.stud.acts import Act
from simulators.stud.dealer import StudDealer
from simulators.stud.misdeals import ALL, Misdeal
from simulators.stud.rules import PROCEDURES, StudRules, stud_rules

PLAIN = {procedure: stud_rules(procedure) for procedure in PROCEDURES}
SPREAD: tuple[dict[str, Any], ...] = (
    {},
    {"burn": 1, "stub_count_rounds": 3},
    {"burn": 3, "stub_count_rounds": 1, "max_boxes": 9},
    {"burn": "unset", "stub_count_rounds": 2, "max_boxes": 2},
)
HOUSES = [
    *(stud_rules(procedure, options) for procedure, options in product(PROCEDURES, SPREAD)),
    stud_rules("nj-ms-hand", {"deal_pattern": "pairs"}),
    stud_rules("nj-ms-hand", {"deal_pattern": "passes", "max_boxes": 1}),
]


def name_of(rules: StudRules) -> str:
    return "-".join([rules.procedure, *map(str, rules.options.values())])


EVERY_HOUSE = pytest.mark.parametrize("rules", HOUSES, ids=name_of)


def deal(
    rules: StudRules, rounds: int, rate: float = 0.0, seed: int = 1, misdeals: Collection[Misdeal] = ALL
) -> list[Round[Act]]:
    return list(islice(StudDealer(rules, seed, rate, misdeals, shoe_faults=0.2, boxed=0.03), rounds))
