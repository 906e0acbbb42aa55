"""The journal for other programs, and the past checked again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from blackjack_log import story
from command import shoewatch
from kept_rounds import Person, Said, dealt, keep, kept

from controller.journal_file import read_all
from controller.spreadsheet import COLUMNS, _cell
from protocols.events import EVENT, LogHeader

WORDS = "cr: R1 9s>1 As>d 9d>1 Kh>d- call ins- peek=natural hole settle1=lose close R1 9s>1 As>d 9d>1 Kh>d- void"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    log = story(WORDS)
    return keep(tmp_path / "journal.db", (log.header, log.events))


def cells(journal: Path, *options: str) -> list[dict[str, str]]:
    found = shoewatch("journal", "export", "--format", "csv", str(journal), *options)
    assert (found.status, found.stderr) == (0, "")
    return list(csv.DictReader(io.StringIO(found.stdout, newline="")))


def test_json_lines_are_the_records_as_published(journal: Path) -> None:
    found = shoewatch("journal", "export", "--format", "jsonl", str(journal))
    assert found.stdout.encode() == b"".join(row.body + b"\n" for row in read_all(journal))


def test_csv_has_a_line_a_table_record_with_what_was_opened(journal: Path) -> None:
    found = cells(journal)
    assert tuple(found[0]) == COLUMNS
    assert [each["seq"] for each in found] == [str(row.seq) for row in read_all(journal) if row.kind == "table"]
    holes = [each for each in found if each["to"] == "dealer" and each["face"] == "down"]
    assert [(each["card"], each["sealed"]) for each in holes] == [("Kh", ""), ("", "card")]
    assert [each["result"] for each in found if each["type"] == "reader.peeked"] == ["natural"]


def test_csv_ends_its_lines_as_the_format_has_it(journal: Path) -> None:
    text = shoewatch("journal", "export", "--format", "csv", str(journal)).stdout
    assert text.count("\r\n") == text.count("\n") == len(cells(journal)) + 1


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "' =1"),
        (" =1", "' =1"),
        ('a "quoted", listed\nword', 'a "quoted", listed word'),
        ("harmless", "harmless"),
    ],
)
def test_no_cell_is_a_formula(tmp_path: Path, written: str, cell: str) -> None:
    header = LogHeader(procedure="nd-card-reader")
    event = EVENT.validate_python({"type": "reader.faulted", "code": written})
    path = keep(tmp_path / "journal.db", (header, [Said(event, by=Person(written, "supervisor"))]))
    [found] = cells(path)
    assert (found["code"], found["input_id"]) == (cell, cell)
    assert not any((each or "").startswith(("=", "+", "-", "@", "\t", "\r")) for each in found.values())


@pytest.mark.parametrize(("form", "lines"), [("table-log", 7), ("jsonl", 6), ("csv", 7)])
def test_one_round_alone(journal: Path, form: str, lines: int) -> None:
    found = shoewatch("journal", "export", "--format", form, "--round", "2", str(journal)).stdout
    assert found.count("\n") == lines


@pytest.mark.parametrize(("since", "some"), [("1h", True), ("2999-01-01", False)])
def test_from_a_moment_on(journal: Path, since: str, some: bool) -> None:
    assert bool(cells(journal, "--since", since)) is some


def test_wrong_input_has_status_2(journal: Path, tmp_path: Path) -> None:
    for words in (("--since", "soon", str(journal)), ("--since", "", str(journal)), (str(tmp_path / "none.db"),)):
        found = shoewatch("journal", "export", *words)
        assert (found.status, found.stdout, found.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("number", ["0", "-1", str(2**63 - 1), str(10**30), "1e3"])
@pytest.mark.parametrize(
    "words", [("rounds", "show"), ("journal", "export", "--round"), ("journal", "export", "--header"),
              ("journal", "replay", "--round")], ids=" ".join
)  # fmt: skip
def test_what_can_be_no_number_is_refused(journal: Path, words: tuple[str, ...], number: str) -> None:
    found = shoewatch(*words, number, str(journal))
    assert (found.status, found.stdout, number in found.stderr) == (2, "", True)
    assert "Traceback" not in found.stderr


def test_a_round_that_is_not_there_is_not_replayed(journal: Path) -> None:
    found = shoewatch("journal", "replay", str(journal), "--round", "99")
    assert (found.status, found.stderr) == (2, f"{journal}: no round 99 is in this journal to be checked\n")


@pytest.mark.parametrize("ahead", ["", " ", "\t", "\n", "\x00", "\u200b", "\ufeff", "\u202e", "\xa0"])
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\uff20"])
def test_nothing_is_a_formula(ahead: str, sign: str) -> None:
    assert _cell(f"{ahead}{sign}1").startswith("'")
    assert _cell(f"x{ahead}{sign}1").startswith("x")


GAMES: list[tuple[str, dict[str, Any]]] = [
    ("nd-card-reader", {}),
    ("us-card-reader", {}),
    ("nj-ms-shoe", {}),
    ("pb-fr", {}),
    ("pb-nj", {"error_card": "next_hand"}),
]


@pytest.mark.parametrize(("procedure", "options"), GAMES, ids=[name for name, _ in GAMES])
def test_the_live_verdicts_are_reproduced(tmp_path: Path, procedure: str, options: dict[str, Any]) -> None:
    log = dealt(procedure, 21, 40, 0.5, **options)
    found = shoewatch("journal", "replay", str(kept(tmp_path / "journal.db", log)))
    assert (found.status, found.stdout) == (0, "")
    assert found.stderr == f"{len(log.events)} verdicts checked again by the same rules: 0 differ\n"


SOFT_17 = (
    "cr: R1 9s>1 6s>d 9d>1 Ah>d- call 1.stand hole settle1=win close R1 9s>1 7s>d 9d>1 Kh>d- call 1.stand hole close"
)


def test_what_another_option_would_have_said(tmp_path: Path) -> None:
    log = story(SOFT_17)
    path = str(keep(tmp_path / "journal.db", (log.header, log.events)))
    found = shoewatch("journal", "replay", path, "--option", "soft_17=hit")
    assert found.status == 1
    first, *_ = found.stdout.splitlines()
    assert first.startswith("round 1, hand.settled (record 10): ok -> violation dealer_underdraw")
    assert "by the other rules" in found.stderr
    second = shoewatch("journal", "replay", path, "--option", "soft_17=hit", "--round", "2")
    assert (second.status, second.stdout) == (0, "")


def test_a_draw_is_named_by_its_number(tmp_path: Path) -> None:
    log = story("cr: R1 9s>1 6s>d- 9d>1 Ah>d call void")
    path = str(keep(tmp_path / "journal.db", (log.header, log.events)))
    found = shoewatch("journal", "replay", path, "--procedure", "us-card-reader")
    assert found.stdout.startswith("round 1, draw 2: ok -> violation face")


def test_each_header_is_checked_by_its_own_rules(tmp_path: Path) -> None:
    stands, hits = story(SOFT_17), story(f"cr soft_17=hit: {SOFT_17[4:]}")
    path = str(keep(tmp_path / "journal.db", (stands.header, stands.events), (hits.header, hits.events)))
    same = shoewatch("journal", "replay", path)
    assert (same.status, same.stdout) == (0, "")
    hit = shoewatch("journal", "replay", path, "--option", "soft_17=hit")
    assert {line.split(",")[0] for line in hit.stdout.splitlines()} == {"round 1"}
    stood = shoewatch("journal", "replay", path, "--option", "soft_17=stand")
    assert "round 3" in {line.split(",")[0] for line in stood.stdout.splitlines()}


def test_a_verdict_that_was_changed_is_found(tmp_path: Path) -> None:
    log = story(SOFT_17)
    path = keep(tmp_path / "journal.db", (log.header, log.events))
    with closing(sqlite3.connect(path)) as file:
        body = file.execute("SELECT body FROM record WHERE seq = 3").fetchone()[0]
        changed = body.replace(b'"outcome":"ok"', b'"outcome":"warning"')
        hashed = hashlib.sha256(changed).digest()
        file.execute("UPDATE record SET body = ?, hash = ? WHERE seq = 3", (changed, hashed))
        file.commit()
    found = shoewatch("journal", "replay", str(path))
    assert (found.status, found.stdout) == (1, "round 1, draw 1: warning -> ok\n")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--option", "soft17=hit"), 'did you mean "soft_17"'),
        (("--option", "soft_17=maybe"), "none of stand, hit"),
        (("--option", "soft_17"), "name=value"),
        (("--procedure", "nd-reader"), "unknown procedure"),
        (("--procedure", "pb-nj"), "round 1, record 3"),
        (("--round", "9"), "round 9"),
    ],
)
def test_what_cannot_be_checked_is_said(journal: Path, options: tuple[str, ...], why: str) -> None:
    found = shoewatch("journal", "replay", str(journal), *options)
    assert (found.status, found.stdout) == (2, "")
    assert why in found.stderr


def test_the_json_of_the_records_stays_readable(journal: Path) -> None:
    lines = shoewatch("journal", "export", "--format", "jsonl", "--round", "2", str(journal)).stdout.splitlines()
    assert {json.loads(line)["data"]["round"] for line in lines} == {2}
