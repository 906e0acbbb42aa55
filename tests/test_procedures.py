"""The procedure documents: what they say, and what is refused in one that is wrong."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from protocols.dealing.catalog import procedure_named, procedures
from protocols.dealing.games import GAMES
from protocols.dealing.model import Sourced
from protocols.dealing.options import OPTIONS, read_option
from protocols.dealing.reading import read
from protocols.errors import ProcedureError

BACCARAT_DOCUMENTS = ["pb-fr", "pb-nj"]
OPTIONS_OF = {
    "pb-fr": {
        "decks": (6, False),
        "cut_card_first": ("play", True),
        "pickup": ("unchecked", True),
        "last_coup": ("current", False),
        "error_card": ("burn", False),
        "deal_faces": ("down", True),
    },
    "pb-nj": {
        "decks": (8, False),
        "cut_card_first": ("play", True),
        "pickup": ("unchecked", True),
        "last_coup": ("one_more", False),
        "error_card": ("next_hand", False),
        "deal_faces": ("either", False),
    },
}
"""Each option's default, and whether the text settles it."""
MARKS = {
    "pb-fr": {"decks": "verified", "cut_card_first": "verified", "pickup": "default", "last_coup": "verified"},
    "pb-nj": {"decks": "default", "cut_card_first": "recalled", "error_card": "recalled", "deal_faces": "verified"},
}


def document(name: str) -> str:
    return (resources.files("protocols.dealing") / "procedures" / f"{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", BACCARAT_DOCUMENTS)
def test_the_options_and_their_defaults(name: str) -> None:
    options = procedure_named(name).options
    assert {key: (option.default, option.settled) for key, option in options.items()} == OPTIONS_OF[name]
    assert {key: options[key].mark for key in MARKS[name]} == MARKS[name]
    assert procedure_named(name).choose({}) == {key: default for key, (default, _) in OPTIONS_OF[name].items()}


@pytest.mark.parametrize("name", procedures())
def test_every_code_that_the_check_can_give_is_claimed_by_one_rule(name: str) -> None:
    procedure = procedure_named(name)
    claimed = [code for rule in procedure.rules.values() for code in rule.codes]
    assert sorted(claimed) == sorted({rule.code for rule in GAMES[procedure.family].rules})
    assert all(procedure.paragraph_of(code) for code in claimed)


@pytest.mark.parametrize("name", procedures())
def test_every_fact_has_its_source_and_none_is_a_sites(name: str) -> None:
    procedure = procedure_named(name)
    sections = [value for _, value in procedure if isinstance(value, Sourced)]
    facts = [*procedure.options.values(), *procedure.rules.values(), *sections]
    assert len(sections) >= 4
    assert all(fact.paragraph and fact.mark != "site" for fact in facts)


def test_what_the_texts_fix() -> None:
    french, jersey = procedure_named("pb-fr"), procedure_named("pb-nj")
    assert (french.cutting_card.cards_from_back, jersey.cutting_card.cards_from_back) == (10, None)
    assert (french.cut.first, jersey.cut.first) == ("far_left", None)
    for procedure in (french, jersey):
        assert (procedure.burn.count, procedure.burn.first_face) == ("by_first_card", "up")
        assert procedure.calls.required == ("no_more_bets",)


def test_a_table_chooses_within_what_is_open() -> None:
    chosen = procedure_named("pb-nj").choose({"decks": 4, "deal_faces": "up", "pickup": "unchecked"})
    assert (chosen["decks"], chosen["deal_faces"], chosen["last_coup"]) == (4, "up", "one_more")


@pytest.mark.parametrize(
    ("name", "chosen", "complaint"),
    [
        ("pb-fr", {"deal_faces": "up"}, "option 'deal_faces' of pb-fr: 'up' is no choice, 55-14 .* settles 'down'"),
        ("pb-fr", {"pickup": "checked"}, "settles 'unchecked'"),
        ("pb-nj", {"burn": 1}, "option 'burn' of pb-nj: this procedure does not have it"),
        ("pb-nj", {"last_coop": "current"}, 'did you mean "last_coup"'),
        ("pb-nj", {"last_coup": "next"}, "'next' is none of current, one_more"),
        ("pb-nj", {"decks": 17}, "17 is no whole number from 1 to 16"),
        ("pb-nj", {"decks": "4"}, "'4' is no whole number"),
        ("nz", {"decks": 3}, "3 is none of 4, 5, 6, 7, 8"),
        ("nz", {"decks": True}, "True is no whole number"),
        ("nz", {"peek": "allowed"}, "this procedure does not have it"),
        ("fr", {"burn": 1}, "1 is no choice, 55-4; 40-1 B settles 5"),
        ("fr", {"soft_17": "hit"}, "settles 'stand'"),
        ("pa", {"cut_card_first": "reshuffle"}, "settles 'play'"),
        ("sl", {"surrender": "late"}, "settles 'none'"),
        ("sl", {"fallback": "nz"}, "'nz' is none of nd-no-peek, nd-no-hole"),
        ("us-card-reader", {"scanner_approved": "no"}, "'no' is neither true nor false"),
    ],
)
def test_a_wrong_choice_is_refused(name: str, chosen: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ProcedureError, match=complaint):
        procedure_named(name).choose(chosen)


def test_an_unknown_procedure_is_refused_with_the_nearest() -> None:
    with pytest.raises(ProcedureError, match='did you mean "pb-nj"'):
        procedure_named("pb_nj")
    assert set(BACCARAT_DOCUMENTS) <= set(procedures())


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[options]", "[options", "site.toml: "),
        ('id = "pb-fr"', "", "site.toml: id: is missing"),
        ('id = "pb-fr"', 'id = "PB FR"', "site.toml: id: "),
        (
            'family = "baccarat"',
            'family = "poker"',
            "site.toml: family: 'poker' is not possible here (allowed: 'baccarat'",
        ),
        ('title = "Punto', 'titel = "x"\ntitle = "Punto', 'site.toml: titel: unknown key (did you mean "title"?)'),
        ("decks = {", "deks = {", 'options.deks: no such option (did you mean "decks"?)'),
        ("{ default = 6,", "{ default = 60,", "options.decks.default: 60 is no whole number from 1 to 16"),
        ("{ default = 6,", "{ ", "site.toml: options.decks.default: is missing"),
        ('"current", mark', '"never", mark', "options.last_coup.default: 'never' is none of current, one_more"),
        ('settled = true, mark = "verified"', 'settled = "yes", mark = "verified"', "site.toml: options.deal_faces."),
        ("cards_from_back = 10", "cards_from_back = 0", "site.toml: cutting_card.cards_from_back: "),
        ('count = "by_first_card"', 'count = "five"', "site.toml: burn.count: "),
        ('required = ["no_more_bets"]', 'required = ["bets"]', "site.toml: calls.required.0: "),
        ('codes = ["result_mismatch"]', 'codes = "result_mismatch"', "site.toml: rules.result.codes: "),
        ('mark = "default"\nparagraph = "no text: a', 'mark = "sure"\nparagraph = "no text: a', "rules.shuffle.mark: "),
    ],
)
def test_a_wrong_document_is_refused_with_file_key_and_reason(old: str, new: str, complaint: str) -> None:
    text = document("pb-fr")
    assert old in text
    found = read({"site.toml": text.replace(old, new, 1)}, {}, site=False)
    assert not found.procedures
    assert complaint in found.report[0]
    assert not any("\n" in problem for problem in found.report)


def test_a_sound_document_reads() -> None:
    found = read({"pb.toml": document("pb-fr")}, {}, site=False)
    assert (list(found.procedures), found.report) == (["pb-fr"], ())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("decks", "6", 6), ("decks", "six", "six"), ("last_coup", "current", "current"), ("unheard", "1", "1")],
)
def test_options_read_from_text(name: str, text: str, value: object) -> None:
    assert read_option(name, text) == value


def test_every_option_is_one_of_some_procedure() -> None:
    assert {name for procedure in procedures().values() for name in procedure.options} == set(OPTIONS)
