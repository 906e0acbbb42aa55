"""`shoewatch procedures`, and `check` with a site's own documents."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import Result, shoewatch

from protocols.dealing.catalog import procedures
from protocols.dealing.grades import grades
from protocols.dealing.model import Sourced

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "procedures.d"
SHIPPED = ROOT / "protocols" / "dealing" / "procedures"
OURS = sorted(procedures())


def run(*arguments: str, status: int = 0) -> list[str]:
    """The lines on standard output."""
    result = shoewatch("procedures", *arguments)
    assert (result.status, result.stderr) == (status, "")
    return result.stdout.splitlines()


def refused(*arguments: str) -> list[str]:
    """The lines on standard error; nothing else may be printed."""
    result = shoewatch("procedures", *arguments)
    assert (result.status, result.stdout) == (2, "")
    return result.stderr.splitlines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the example of the docs."""
    return Path(shutil.copytree(EXAMPLES, tmp_path / "procedures.d"))


def test_list() -> None:
    assert [line.split()[0] for line in run("list")] == OURS
    with_theirs = run("list", "--procedures", str(EXAMPLES))
    assert [line.split()[0] for line in with_theirs] == sorted([*OURS, "riverside-21", "riverside-21-no-reader"])
    assert any(line.endswith("(the site's own, extends nd-card-reader)") for line in with_theirs)


@pytest.mark.parametrize("name", OURS)
def test_show_prints_every_fact_with_its_paragraph_and_mark(name: str) -> None:
    procedure, page = procedures()[name], " ".join(" ".join(run("show", name)).split())
    for word in (procedure.title, procedure.jurisdiction, procedure.citation, procedure.family):
        assert word in page
    facts: list[Sourced] = [*procedure.options.values(), *procedure.rules.values()]
    facts += [value for _, value in procedure if isinstance(value, Sourced)]
    for fact in facts:
        assert f"[{fact.mark}] {fact.paragraph}" in page
    for key, rule in procedure.rules.items():
        assert f"{key}: {rule.text} codes: {', '.join(rule.codes) or 'none'} [{rule.mark}]" in page
    for key, option in procedure.options.items():
        default = str(option.default).lower() if isinstance(option.default, bool) else option.default
        assert f"{key} = {default} ({option.open_to(key)}) [{option.mark}]" in page


@pytest.mark.parametrize("name", OURS)
def test_show_has_a_line_for_each_grade(name: str) -> None:
    lines = [line for line in run("show", name) if line[:5] in ("  (a)", "  (b)", "  (c)", "  (d)")]
    codes = {code for rule in procedures()[name].rules.values() for code in rule.codes}
    for line, grade in zip(lines, grades(procedures()[name]), strict=True):
        assert line.startswith(f"  ({grade.letter}) {grade.sees}: ")
        told, _, listed = line.rpartition(": ")[2].rpartition("but ") if "but" in line else line.rpartition(": ")
        if "codes are judged" in listed:
            assert (set(grade.judged), listed) == (codes, f"all {len(codes)} codes are judged")
        else:
            assert set(listed.split(", ")) == set(grade.unjudged if "all codes" in told else grade.judged)
    assert not grades(procedures()[name])[0].unjudged


def test_show_as_json() -> None:
    shown = json.loads("\n".join(run("show", "nd-card-reader", "--json")))
    procedure = procedures()["nd-card-reader"]
    assert {key: shown[key] for key in shown if key != "grades"} == procedure.model_dump(mode="json")
    assert list(shown["grades"]) == ["a", "b", "c", "d"]
    assert shown["grades"]["c"]["unjudged"] == list(grades(procedure)[2].unjudged)


def test_show_of_what_a_site_changed() -> None:
    page = "\n".join(run("show", "riverside-21", "--procedures", str(EXAMPLES)))
    assert "extends       nd-card-reader" in page
    assert "  soft_17 = hit   (stand, hit)\n    [site] site document riverside-21" in page
    assert "  pair = rank   (settled)\n    [site] House rules 4.2" in page


def test_diff_tells_both_values_and_marks_and_nothing_that_is_the_same() -> None:
    lines = run("diff", "nd-no-peek", "nd-card-reader")
    keys = [line for line in lines if not line.startswith(" ")]
    at = lines.index("deal.method")
    assert lines[at + 1 : at + 3] == ["  nd-no-peek      no-peek [seed]", "  nd-card-reader  peek [seed]"]
    at = lines.index("options.peek.default")
    assert lines[at + 1 : at + 3] == ["  nd-no-peek      (not stated)", "  nd-card-reader  required [seed]"]
    assert "options.insurance.mark" in keys
    assert not {"options.decks.default", "options.insurance.default", "family", "id"} & set(keys)
    assert len(keys) == len(set(keys))
    assert run("diff", "pb-fr", "pb-fr") == []
    swapped = run("diff", "nd-card-reader", "nd-no-peek")
    assert sorted(line for line in swapped if not line.startswith(" ")) == sorted(keys)


def test_diagram() -> None:
    lines = run("diagram", "riverside-21", "--procedures", str(EXAMPLES))
    assert lines[1] == 'title: "riverside-21: Riverside twenty-one"'
    assert '    state "the round goes on as riverside-21-no-reader" as Fallback' in lines


@pytest.mark.parametrize("command", [["show"], ["diff", "pb-fr"], ["diagram"]])
def test_an_unknown_name_is_told_with_the_nearest(command: list[str], folder: Path) -> None:
    assert refused(*command, "pb-nk") == ["unknown procedure 'pb-nk' (did you mean \"pb-nj\"?)"]
    told = refused(*command, "riverside21", "--procedures", str(folder))
    assert told == ["unknown procedure 'riverside21' (did you mean \"riverside-21\"?)"]


@pytest.mark.parametrize("command", [["list"], ["show", "pb-fr"], ["diff", "pb-fr", "pb-nj"], ["diagram", "pb-fr"]])
def test_wrong_documents_are_told_whatever_is_asked(command: list[str], folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.toml").write_text(f'id = "{name}"\nextends = "pb-nk"')
    told = refused(*command, "--procedures", str(folder))
    assert [line.partition(": ")[0] for line in told] == [f"{folder}/{name}.toml" for name in ("a", "b")]
    assert refused(*command, "--procedures", str(folder / "none")) == [f"there is no folder {folder}/none"]


def test_validate_says_ok_of_each_file() -> None:
    files = [str(file) for file in sorted(EXAMPLES.glob("*.toml"))]
    assert len(files) >= 2
    assert run("validate", *files) == [f"{file}: ok" for file in files]
    assert run("validate", files[0], "--procedures", str(EXAMPLES)) == [f"{files[0]}: ok"]
    shipped = [str(file) for file in sorted(SHIPPED.glob("*.toml"))]
    assert run("validate", *shipped) == [f"{file}: ok" for file in shipped]


def test_validate_finds_the_documents_beside_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    derived, fallback = folder / "third.toml", folder / "riverside-21-no-reader.toml"
    derived.write_text('id = "third"\nextends = "riverside-21"')
    (folder / "table.toml").write_text('site = "riverside"')
    (folder / "copy.toml").write_text(derived.read_text())
    assert run("validate", str(derived)) == [f"{derived}: ok"]
    monkeypatch.chdir(folder)
    assert run("validate", "riverside-21.toml") == ["riverside-21.toml: ok"]
    fallback.write_text(fallback.read_text().replace("extends", "extnds"))
    assert refused("validate", "riverside-21.toml") == [
        "riverside-21.toml: options.fallback.choices: 'riverside-21-no-reader' is wrong itself, see "
        "riverside-21-no-reader.toml"
    ]
    fallback.unlink()
    (told,) = refused("validate", "riverside-21.toml")
    assert "unknown procedure 'riverside-21-no-reader'" in told


def test_validate_of_a_folder_is_of_each_document_in_it(folder: Path, tmp_path: Path) -> None:
    files = sorted(folder.glob("*.toml"))
    assert run("validate", str(folder)) == [f"{file}: ok" for file in files]
    (folder / "open.toml").write_text('id = "x"\nextends = "pb-nj\n')
    result = shoewatch("procedures", "validate", str(folder), str(SHIPPED / "pb-fr.toml"))
    assert (result.status, result.stdout.count(": ok\n")) == (2, len(files) + 1)
    assert result.stderr == (
        f"{folder}/open.toml: is no TOML: line 2, column 11: the text in quotes that begins here is not closed "
        '(" is missing)\n'
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refused("validate", str(empty)) == [f"{empty}: there is no document in this folder (*.toml)"]
    assert refused("validate", str(folder / "x.toml"), "--procedures", str(empty / "no")) == [
        f"there is no folder {empty}/no"
    ]


def test_validate_tells_every_mistake(folder: Path) -> None:
    wrong, good = folder / "wrong.toml", folder / "riverside-21.toml"
    wrong.write_text('id = "pb-fr"\nextends = "pb-nj"')
    gone = folder / "gone.toml"
    result = shoewatch("procedures", "validate", str(wrong), str(good), str(gone), "--procedures", str(folder))
    assert (result.status, result.stdout) == (2, f"{good}: ok\n")
    assert result.stderr.splitlines() == [
        f"{wrong}: id: there is a procedure 'pb-fr' already, give it an id of its own",
        f"{gone}: cannot be read: No such file or directory",
    ]
    wrong.write_text('id = "x"\nextends = "pb-fr"\ndecks = 6\noptions.deks = 6')
    assert refused("validate", str(wrong)) == [
        f'{wrong}: options.deks: no such option (did you mean "decks"?)',
        f"{wrong}: decks: belongs in [options]",
    ]


LOG = """\
{"type":"log.header","procedure":"riverside-21"}
{"type":"round.opened","boxes":[1]}
{"type":"card.drawn","card":"9s","to":"box:2","face":"up"}
"""


def check(*arguments: str, log: str = LOG) -> Result:
    return shoewatch("check", "-", *arguments, given=log.encode())


def test_check_by_a_sites_document(folder: Path) -> None:
    result = check("--procedures", str(folder))
    assert result.status == 1
    assert json.loads(result.stdout.splitlines()[1])["rule"] == "House rules 2.1"
    unknown = check()
    assert (unknown.status, unknown.stdout) == (2, "")
    assert "unknown procedure 'riverside-21'" in unknown.stderr
    as_ours = check("--procedures", str(folder), "--procedure", "nd-card-reader")
    assert json.loads(as_ours.stdout.splitlines()[1])["rule"] == "ND 99-01.3-08 Dealing 1.c"
    settled = check("--procedures", str(folder), "--option", "pair=value")
    assert (settled.status, "House rules 4.2 settles 'rank'" in settled.stderr) == (2, True)


def test_check_with_wrong_documents(folder: Path) -> None:
    (folder / "wrong.toml").write_text('id = "x"')
    result = check("--procedures", str(folder))
    assert (result.status, result.stdout) == (2, "")
    assert all(line.startswith(f"{folder}/wrong.toml: ") for line in result.stderr.splitlines())
