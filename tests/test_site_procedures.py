"""A site's own documents: derived from ours or complete, and what is wrong with them in one report."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from controller.procedures import site_catalog
from protocols.dealing.catalog import Catalog, procedures
from protocols.dealing.check import Check, verdicts
from protocols.dealing.model import Procedure
from protocols.dealing.reading import read
from protocols.errors import ProcedureError
from protocols.events import LogHeader
from protocols.tablelog import read_line

EXAMPLES = Path(__file__).parent.parent / "docs" / "procedures.d"
DERIVED = 'id = "house"\nextends = "nd-card-reader"\n'


def shipped(name: str) -> str:
    return (resources.files("protocols.dealing") / "procedures" / f"{name}.toml").read_text(encoding="utf-8")


def house(text: str, **others: str) -> Procedure:
    """`house`, derived from nd-card-reader by this text."""
    return procedures().joined({"house.toml": DERIVED + text, **others})["house"]


def mistakes(*texts: str) -> tuple[str, ...]:
    """Everything that is wrong with these documents, which lie in a.toml, b.toml ..."""
    with pytest.raises(ProcedureError) as refused:
        procedures().joined({f"{letter}.toml": text for letter, text in zip("abcdef", texts, strict=False)})
    assert str(refused.value).splitlines() == list(refused.value.problems)
    return refused.value.problems


def test_what_is_not_stated_is_that_of_the_extended_document() -> None:
    ours = procedures()["nd-card-reader"].model_dump()
    theirs = house('title = "House"').model_dump()
    assert {key for key in ours if ours[key] != theirs[key]} == {"id", "title", "extends"}
    assert theirs["extends"] == "nd-card-reader"


def test_what_is_stated_is_the_sites() -> None:
    ours = procedures()["nd-card-reader"]
    theirs = house('[options]\nsoft_17 = "hit"\n[options.pair]\ndefault = "rank"\nparagraph = "House 4"\nmark = "seed"')
    assert theirs.options["soft_17"].model_dump() == {
        "paragraph": "site document house",
        "mark": "site",
        "default": "hit",
        "settled": False,
        "choices": (),
    }
    assert (theirs.options["pair"].paragraph, theirs.options["pair"].mark) == ("House 4", "site")
    untouched = {name: option for name, option in theirs.options.items() if name not in ("soft_17", "pair")}
    assert untouched == {name: ours.options[name] for name in untouched}


def test_a_settled_value_can_be_changed_and_stays_settled() -> None:
    theirs = house('options.insurance = "none"')
    assert (theirs.options["insurance"].mark, theirs.choose({})["insurance"]) == ("site", "none")
    with pytest.raises(ProcedureError, match="site document house settles 'none'"):
        theirs.choose({"insurance": "at_turn"})
    opened = house("[options.insurance]\nsettled = false")
    assert opened.choose({"insurance": "at_turn"})["insurance"] == "at_turn"


def test_a_section_is_the_sites_once_anything_in_it_is_stated() -> None:
    theirs = house('[deal]\nlook = "never"')
    assert theirs.deal is not None
    assert (theirs.deal.look, theirs.deal.method, theirs.deal.mark) == ("never", "peek", "site")
    assert theirs.burn == procedures()["nd-card-reader"].burn


def test_a_rule_takes_its_codes_from_those_that_claimed_them() -> None:
    theirs = house(
        '[rules.seats]\ntext = "No seat without a wager."\ncodes = ["box_without_wager"]\nparagraph = "House 2"'
    )
    ours = procedures()["nd-card-reader"]
    assert theirs.paragraph_of("box_without_wager") == "House 2"
    assert set(theirs.rules["deal"].codes) == set(ours.rules["deal"].codes) - {"box_without_wager"}
    assert theirs.rules["deal"].mark == ours.rules["deal"].mark
    reworded = house('[rules.deal]\ntext = "As always."')
    assert reworded.rules["deal"].codes == ours.rules["deal"].codes
    assert (reworded.rules["deal"].mark, reworded.paragraph_of("order")) == ("site", "site document house")


def test_what_is_extended_can_be_taken_away() -> None:
    text = 'id = "house"\nextends = "pb-fr"\nwithout = ["cutting_card.cards_from_back"]'
    card = procedures().joined({"house.toml": text})["house"].cutting_card
    assert (card.cards_from_back, card.mark, card.paragraph) == (None, "site", "site document house")


def test_documents_of_a_site_extend_each_other_in_any_order() -> None:
    texts = {
        "c.toml": 'id = "third"\nextends = "second"\noptions.pair = "rank"',
        "a.toml": 'id = "first"\nextends = "pb-nj"\noptions.decks = 6'.replace("pb-nj", "nd-no-peek"),
        "b.toml": 'id = "second"\nextends = "first"\noptions.soft_17 = "hit"',
    }
    catalog = procedures().joined(texts)
    chosen = catalog["third"].choose({})
    assert (chosen["pair"], chosen["soft_17"], chosen["decks"]) == ("rank", "hit", 6)
    assert catalog["third"].options["decks"].paragraph == "site document first"
    assert catalog.own == {"first", "second", "third"}
    assert set(procedures()) < set(catalog)
    assert set(catalog) - set(procedures()) == set(catalog.own)


@pytest.mark.parametrize("name", procedures())
def test_every_one_of_ours_can_be_extended(name: str) -> None:
    theirs = procedures().joined({"x.toml": f'id = "house"\nextends = "{name}"'})["house"]
    ours = procedures()[name]
    assert theirs.model_dump(exclude={"id", "extends"}) == ours.model_dump(exclude={"id", "extends"})


def unsourced(text: str) -> str:
    lines = (line for line in text.splitlines() if not line.startswith(("mark", "paragraph")))
    return "\n".join(lines)


def test_a_complete_document_needs_neither_marks_nor_paragraphs() -> None:
    text = shipped("pb-fr").replace('id = "pb-fr"', 'id = "house"')
    theirs = procedures().joined({"x.toml": unsourced(text)})["house"]
    ours = procedures()["pb-fr"]
    assert {rule.mark for rule in theirs.rules.values()} == {theirs.burn.mark, theirs.calls.mark} == {"site"}
    assert theirs.paragraph_of("bac_draw") == "site document house"
    assert theirs.options == ours.options
    assert procedures().joined({"x.toml": text})["house"].rules == ours.rules


@pytest.mark.parametrize("name", procedures())
def test_ours_need_both(name: str) -> None:
    text = shipped(name)
    for dropped in ("mark", "paragraph"):
        line = next(line for line in text.splitlines() if line.startswith(dropped))
        found = read({"x.toml": text.replace(f"{line}\n", "", 1)}, {}, site=False).problems["x.toml"]
        assert any(problem.endswith(f".{dropped}: is missing") for problem in found), found


WRONG = [
    ('extends = "nd-no-hole"', "a.toml: id: is missing"),
    ('id = 7\nextends = "nd-no-hole"', "a.toml: id: must be a text in quotes"),
    ('id = "A B"\nextends = "nd-no-hole"', "a.toml: id: 'A B' is no id (a-z, 0-9"),
    ('id = "nd-no-hole"\nextends = "nd-no-peek"', "a.toml: id: there is a procedure 'nd-no-hole' already"),
    (
        'id = "x"\nextends = "nd-no-hol"',
        "a.toml: extends: unknown procedure 'nd-no-hol' (did you mean \"nd-no-hole\"?)",
    ),
    ('id = "x"\nextends = ""', "a.toml: extends: unknown procedure '' (known: "),
    ('id = "x"\nextends = 7', "a.toml: extends: unknown procedure '7' (known: "),
    ('id = "x"\nextends = "pb-fr"\n[[options]]\ndecks = 6', "a.toml: options: must be a table"),
    ('id = "x"\nextends = "pb-fr"\ndecks = 6', "a.toml: decks: belongs in [options]"),
    ('id = "x"\nextends = "pb-fr"\nrules = 1', "a.toml: rules: must be a table"),
    ('id = "x"\nextends = "pb-fr"\nrules.burn = 1', "a.toml: rules.burn: must be a section of its own"),
    ('id = "x"\nextends = "pb-fr"\ntitle = 1979-05-27', "a.toml: title: must be a text in quotes"),
    ('id = "x"\nextends = "pb-fr"\ntitle = ""', "a.toml: title: must not be empty"),
    ('id = "x"\nextends = "pb-fr"\nwithout = [7]', "a.toml: without: pb-fr has no '7'"),
    ('id = "x"\nextends = "x"', "a.toml: extends: x extends x: a circle"),
    ('id = "x"\nextends = "nd-no-hole', "a.toml: is no TOML: "),
    ('id = "x"\nextends = ' + "9" * 5000, "a.toml: is no TOML: a number of 5,000 digits"),
    (DERIVED + 'titel = "x"', 'a.toml: titel: unknown key (did you mean "title"?)'),
    (DERIVED + 'burn.cuont = "option"', 'a.toml: burn.cuont: unknown key (did you mean "count"?)'),
    (DERIVED + "deal = 1", "a.toml: deal: must be a section of its own"),
    (DERIVED + 'options = "none"', "a.toml: options: must be a table"),
    (DERIVED + 'options.soft17 = "hit"', 'a.toml: options.soft17: no such option (did you mean "soft_17"?)'),
    (DERIVED + 'options.soft_17 = "draw"', "a.toml: options.soft_17.default: 'draw' is none of stand, hit"),
    (DERIVED + "options.decks = 1.5", "a.toml: options.decks.default: must be a text, a whole number, true or false"),
    (
        DERIVED + 'options.soft_17 = { defualt = "hit" }',
        'options.soft_17.defualt: unknown key (did you mean "default"?)',
    ),
    (DERIVED + 'options.last_coup = "current"', "a.toml: options.last_coup: blackjack does not have it"),
    (DERIVED + 'options.fallback = "pb-nj"', "options.fallback.default: 'pb-nj' is none of nd-no-peek, nd-no-hole"),
    (
        DERIVED + 'options.fallback.choices = ["nd-no-peek", "nd-no-hol"]',
        "options.fallback.choices: unknown procedure 'nd-no-h",
    ),
    (
        DERIVED + 'options.fallback.choices = ["nd-no-peek", "nd-card-reader"]',
        "options.fallback.choices: 'nd-card-reader' is not dealt without a reader",
    ),
    (DERIVED + 'options.fallback.choices = ["nd-no-peek", "pb-nj"]', "'pb-nj' is not dealt without a reader"),
    (DERIVED + 'deal.method = "peak"', "a.toml: deal.method: 'peak' is not possible here (allowed: 'peek', "),
    (DERIVED + 'deal.method = "no-hole"', 'a.toml: deal.dealer_faces: is "up" without a hole card'),
    (DERIVED + 'deal.method = "no-peek"', "a.toml: options.fallback: blackjack without a reader does not have it"),
    (DERIVED + 'burn.count = "by_first_card"', "a.toml: burn.count: blackjack burns as the option burn says"),
    (DERIVED + 'family = "baccarat"', "a.toml: deal: baccarat does not have it"),
    (DERIVED + 'without = ["options.peek"]', "a.toml: options.peek: is missing: blackjack with a reader has it"),
    (
        DERIVED + 'without = ["option.peek"]',
        "a.toml: without: nd-card-reader has no 'option.peek' (did you mean \"options\"?)",
    ),
    (
        'id = "x"\nextends = "pb-fr"\nwithout = ["cutting_card.decks"]',
        "a.toml: without: pb-fr has no 'cutting_card.decks' (did you mean \"cutting_card.about\"?)",
    ),
    (DERIVED + 'without = ["options.peeks"]', "no 'options.peeks' (did you mean \"options.peek\"?)"),
    (
        DERIVED + 'rules.deal.codes = ["order"]',
        "a.toml: rules: no rule claims box_without_wager, dealer_played_early, ",
    ),
    (
        DERIVED + '[rules.a]\ntext = "a"\ncodes = ["order"]\n[rules.b]\ntext = "b"\ncodes = ["order"]',
        "a.toml: rules.a.codes: 'order' is claimed 2 times, one rule claims a code",
    ),
    (
        DERIVED + '[rules.a]\ntext = "a"\ncodes = ["ordre"]',
        "the check of blackjack has no 'ordre' (did you mean \"order\"?)",
    ),
    (DERIVED + "[rules.a]\ncodes = []", "a.toml: rules.a.text: is missing"),
    ('id = "x"\nwithout = ["burn"]', "a.toml: without: unknown key"),
    ('id = "x"\nfamily = "baccarat"', "a.toml: title: is missing"),
]


@pytest.mark.parametrize(("text", "complaint"), WRONG, ids=[complaint[:60] for _, complaint in WRONG])
def test_a_wrong_document_is_refused_with_file_key_and_reason(text: str, complaint: str) -> None:
    assert any(complaint in problem for problem in mistakes(text)), mistakes(text)


def test_all_mistakes_in_all_documents_come_in_one_report() -> None:
    found = mistakes(
        'id = "one"\nextends = "two"',
        'id = "two"\nextends = "one"',
        'id = "three"\nextends = "pb-nj"\ntitel = "x"\noptions.deks = 1\noptions.last_coup = "never"',
        'id = "four"\nextends = "three"',
        'id = "three"\nextends = "pb-nj"',
        'id = "five"\nextends = "one"',
    )
    assert sorted(found) == [
        "a.toml: extends: one extends two extends one: a circle",
        "b.toml: extends: two extends one extends two: a circle",
        'c.toml: options.deks: no such option (did you mean "decks"?)',
        "c.toml: options.last_coup.default: 'never' is none of current, one_more",
        'c.toml: titel: unknown key (did you mean "title"?)',
        "d.toml: extends: 'three' is wrong itself, see c.toml",
        "e.toml: id: c.toml has the id 'three' too",
        "f.toml: extends: 'one' is wrong itself, see a.toml",
    ]


ALL_AT_ONCE = [
    (
        "an unknown parent",
        'id = "x"\nextends = "nd-no-hol"\ntitel = "x"\noptions.deks = 6\noptions.soft_17 = "draw"\nburn.count = 1',
        {"extends", "titel", "options.deks", "options.soft_17.default", "burn.count"},
    ),
    (
        "an id of ours",
        'id = "pb-fr"\nextends = "nd-no-hol"\noptions.deks = 6',
        {"id", "extends", "options.deks"},
    ),
    (
        "no id",
        'extends = "nd-no-hole"\nwithout = ["option.pair"]\noptions.decks = 99\nrules.a.text = 1',
        {"id", "without", "options.decks.default", "rules.a.text", "rules.a.codes"},
    ),
    (
        "a circle",
        'id = "x"\nextends = "x"\ntitel = "x"\noptions.deks = 6',
        {"extends", "titel", "options.deks"},
    ),
    (
        "form and sense",
        DERIVED + 'titel = "x"\noptions.last_coup = "current"\noptions.peek = 1.5\nrules.deal.codes = ["order"]',
        {"titel", "options.last_coup", "options.peek.default", "rules"},
    ),
    (
        "a section and what does not rest on it",
        DERIVED + 'deal.method = "peak"\nburn = 1\n[rules.a]\ntext = "a"\ncodes = ["ordre"]',
        {"deal.method", "burn", "rules.a.codes"},
    ),
    (
        "a fallback beside others",
        DERIVED + 'titel = "x"\noptions.fallback.choices = ["nd-no-peek", "nd-no-hol"]',
        {"titel", "options.fallback.choices"},
    ),
    (
        "a document that stands alone",
        shipped("pb-fr").replace('id = "pb-fr"', 'id = "X"').replace('family = "baccarat"', 'family = "bac"'),
        {"id", "family"},
    ),
    (
        "the same with wrong claims",
        shipped("pb-fr").replace('id = "pb-fr"', "").replace('"bac_draw_on_natural"', '"bac_drow"'),
        {"id", "rules.", "rules"},
    ),
]


@pytest.mark.parametrize(("text", "keys"), [case[1:] for case in ALL_AT_ONCE], ids=[case[0] for case in ALL_AT_ONCE])
def test_no_mistake_hides_another(text: str, keys: set[str]) -> None:
    found = [problem.split(": ")[1] for problem in mistakes(text)]
    assert len(found) == len(set(found))
    assert {next((key for key in keys if key.endswith(".") and each.startswith(key)), each) for each in found} == keys


def test_what_is_wrong_with_a_document_is_not_said_again_of_those_that_extend_it() -> None:
    assert mistakes('id = "one"\nextends = "pb-nj"\noptions.deks = 1', 'id = "two"\nextends = "one"\ntitel = "x"') == (
        'a.toml: options.deks: no such option (did you mean "decks"?)',
        "b.toml: extends: 'one' is wrong itself, see a.toml",
        'b.toml: titel: unknown key (did you mean "title"?)',
    )


def test_the_sound_ones_beside_wrong_ones() -> None:
    texts = {"a.toml": DERIVED, "b.toml": 'id = "b"\nextends = "c"'}
    found = read(texts, procedures(), site=True)
    assert list(found.procedures) == ["house"]
    assert {where: len(problems) for where, problems in found.problems.items()} == {"a.toml": 0, "b.toml": 1}


def examples() -> Catalog:
    return site_catalog(EXAMPLES)


def answers(procedure: Procedure, *events: str, **header: Any) -> list[tuple[str, str | None, str | None]]:
    """Outcome, code and paragraph of each verdict."""
    log = [read_line(event, number) for number, event in enumerate(events, 2)]
    check = Check.start(LogHeader(procedure=procedure.id, **header), procedure)
    return [(each.outcome, each.code, each.rule) for each in verdicts(check, log)]  # type: ignore[arg-type]


def drawn(card: str, to: str, face: str = "up") -> str:
    return f'{{"type":"card.drawn","card":"{card}","to":"{to}","face":"{face}"}}'


OPENED = '{"type":"round.opened","boxes":[1]}'
DEALT = (OPENED, drawn("Ts", "box:1"), drawn("Kh", "dealer"), drawn("Jd", "box:1"), drawn("7c", "dealer", "down"))
SPLIT = ('{"type":"reader.peeked","result":"no_natural"}', '{"type":"player.acted","box":1,"action":"split"}')


def test_the_example_in_the_docs_is_dealt_by() -> None:
    theirs, ours = examples()["riverside-21"], procedures()["nd-card-reader"]
    told = answers(theirs, OPENED, drawn("9s", "box:2"))
    assert told[-1] == ("violation", "box_without_wager", "House rules 2.1")
    paragraph = ours.paragraph_of("split_not_pair")
    assert answers(theirs, *DEALT, *SPLIT)[-1] == ("violation", "split_not_pair", paragraph)
    assert answers(ours, *DEALT, *SPLIT)[-1] == ("ok", None, None)


FAULT = '{"type":"reader.faulted"}'


@pytest.mark.parametrize(
    ("chosen", "outcome"),
    [
        ("riverside-21-no-reader", "ok"),
        ("nd-no-hole", "ok"),
        ("nd-no-peek", "violation"),
        ("riverside-21", "violation"),
    ],
)
def test_a_supervisor_chooses_among_the_sites_fallbacks(chosen: str, outcome: str) -> None:
    selected = f'{{"type":"method.selected","procedure":"{chosen}"}}'
    assert answers(examples()["riverside-21"], FAULT, selected)[-1][0] == outcome


@pytest.mark.parametrize(("fallback", "second"), [("riverside-21-no-reader", "ok"), ("nd-no-hole", "violation")])
def test_the_reader_fails_at_a_table_of_the_site(fallback: str, second: str) -> None:
    told = answers(examples()["riverside-21"], FAULT, *DEALT, options={"fallback": fallback})
    assert [outcome for outcome, _, _ in told] == [*["ok"] * 5, second]


def test_what_cannot_be_read_is_told_with_the_rest(tmp_path: Path) -> None:
    files: Mapping[str, bytes] = {"a.toml": b"\xff", "b.toml": b'id = "b"\n', "c.txt": b"not a document"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "d.toml").mkdir()
    with pytest.raises(ProcedureError) as refused:
        site_catalog(tmp_path)
    told = refused.value.problems
    assert told[0].startswith(f"{tmp_path}/a.toml: is no UTF-8 text")
    assert told[1] == f"{tmp_path}/d.toml: cannot be read: Is a directory"
    assert f"{tmp_path}/b.toml: title: is missing" in told
    with pytest.raises(ProcedureError, match="there is no folder"):
        site_catalog(tmp_path / "nowhere")


def test_without_a_folder_there_are_ours() -> None:
    assert site_catalog(None) is procedures()
