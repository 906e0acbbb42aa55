"""The tables of docs/regulations.md name rules and codes that the documents have, and leave out none from a seed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from protocols.dealing.catalog import procedures
from protocols.dealing.model import Procedure

TEXT = (Path(__file__).parent.parent / "docs" / "regulations.md").read_text(encoding="utf-8")
HEADING = re.compile(r"^## .*?: (.*)$", re.MULTILINE)
NAMED = re.compile(r"`rules\.(\w+)`(?: of ((?:`[\w-]+`(?: and )?)+))? \(((?:`\w+`(?:, )?)+)\)")
WORD = re.compile(r"`([\w-]+)`")


def sections() -> Iterator[tuple[str, str]]:
    """The procedures of each table, and its rows."""
    headings = list(HEADING.finditer(TEXT))
    ends = [*(heading.start() for heading in headings[1:]), len(TEXT)]
    for heading, end in zip(headings, ends, strict=True):
        yield heading[1], TEXT[heading.end() : end]


def named() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Procedure, rule and codes, as the tables name them."""
    for ids, rows in sections():
        for rule, only, codes in NAMED.findall(rows):
            for procedure in WORD.findall(only or ids):
                yield procedure, rule, frozenset(WORD.findall(codes))


def of_a_seed(procedure: Procedure) -> Mapping[str, frozenset[str]]:
    return {key: frozenset(rule.codes) for key, rule in procedure.rules.items() if rule.mark == "seed"}


def test_there_are_four_texts() -> None:
    assert [WORD.findall(ids) for ids, _ in sections()] == [
        ["sl"],
        ["nd-no-peek", "nd-no-hole", "nd-card-reader"],
        ["nz"],
        ["nj-ms-hand"],
    ]


def test_every_row_says_who_checks_it_or_why_nobody_can() -> None:
    rows = [line for _, text in sections() for line in text.splitlines() if line.startswith("|")]
    rows = [row for row in rows if not row.startswith(("| text |", "| ---"))]
    assert len(rows) > 60
    assert all(len(row.strip("| ").split(" | ")) == 3 for row in rows)


@pytest.mark.parametrize(("procedure", "rule", "codes"), sorted(named(), key=str))
def test_what_is_named_is_there(procedure: str, rule: str, codes: frozenset[str]) -> None:
    assert codes <= frozenset(procedures()[procedure].rules[rule].codes)


@pytest.mark.parametrize("procedure", sorted({name for name, _, _ in named()}))
def test_every_rule_that_a_seed_states_stands_in_its_table(procedure: str) -> None:
    told = {rule for name, rule, _ in named() if name == procedure}
    assert set(of_a_seed(procedures()[procedure])) <= told


def test_the_pattern_finds_every_mention() -> None:
    mentions = TEXT.count("`rules.")
    assert mentions == len(NAMED.findall(TEXT)) > 60
    assert all(left < right for left, right in pairwise(match.start() for match in NAMED.finditer(TEXT)))
