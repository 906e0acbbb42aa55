"""The list of rounds: a line each, filtered; what a damaged or pruned journal says."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from blackjack_log import story
from command import Result, shoewatch
from daemon import configure_table
from kept_rounds import dealt, keep, kept, shown
from own_table import NOWHERE

from controller.cli.moments import moment
from controller.journal_file import read_all
from protocols.errors import ShoewatchError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
EVENING = (
    "cr: R1,2 9s>1 9d>2 8s>1 As>d void"
    " R1 9s>1 As>d 9d>1 7h>d- call ins- peek=no_natural 1.stand hole settle1=lose close"
    " R1 9s>1 7s>d 9d>1 Kh>d- call 5h>2 void"
    " fault R1 9s>1 As>d 9d>1 7h>d- 1.stand hole close"
    " R1 9s>1 7s>d 9d>1"
)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    log = story(EVENING)
    return keep(tmp_path / "journal.db", (log.header, log.events))


def listed(journal: Path, *options: str) -> list[dict[str, Any]]:
    found = shoewatch("rounds", "list", str(journal), "--json", *options)
    rounds = [json.loads(line) for line in found.stdout.splitlines()]
    said = "" if rounds else f"{journal}: none of its rounds 1 to 5 is such a round\n"
    assert (found.status, found.stderr) == (0, said)
    return rounds


def test_a_line_a_round(journal: Path) -> None:
    found = shoewatch("rounds", "list", str(journal))
    assert [line.split()[0] for line in found.stdout.splitlines()] == ["1", "2", "3", "4", "5"]
    assert [(each["ended"], each["method"], each["codes"], each["disputed"]) for each in listed(journal)] == [
        ("voided", "own", ["order"], False),
        ("closed", "own", ["settlement_wrong"], False),
        ("voided", "own", ["box_without_wager"], True),
        ("closed", "fallback", [], False),
        ("open", "fallback", [], False),
    ]


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ((), [1, 2, 3, 4, 5]),
        (("--violations",), [1, 2, 3]),
        (("--disputed",), [3]),
        (("--code", "order"), [1]),
        (("--code", "bac_draw"), []),
        (("--since", "1h"), [1, 2, 3, 4, 5]),
        (("--until", "1h"), []),
        (("--since", "2999-01-01"), []),
        (("--since", "2000-01-01T00:00:00Z", "--violations", "--until", "2999-01-01"), [1, 2, 3]),
    ],
)
def test_filters(journal: Path, options: tuple[str, ...], numbers: list[int]) -> None:
    assert [each["round"] for each in listed(journal, *options)] == numbers


@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_nothing_to_list_is_said_beside_the_output(tmp_path: Path, json_: tuple[str, ...]) -> None:
    log = story("cr: R1 9s>1 void")
    path = keep(tmp_path / "journal.db", (log.header, ()))
    for options, said in (((), "no round is in this journal"), (("--violations",), "no round is in this journal")):
        found = shoewatch("rounds", "list", str(path), *json_, *options)
        assert (found.status, found.stdout, found.stderr) == (0, "", f"{path}: {said}\n")


@pytest.mark.parametrize("procedure", ["nd-card-reader", "nj-ms-shoe", "pb-fr"])
def test_list_and_reconstruction_are_of_one_mind(tmp_path: Path, procedure: str) -> None:
    path = kept(tmp_path / "journal.db", dealt(procedure, 8, 30, 0.5))
    summaries = listed(path)
    assert [each["round"] for each in summaries] == list(range(1, 31))
    for each in summaries:
        found = shown(path, each["round"])
        codes = list(dict.fromkeys(finding.code for finding in found.findings if finding.outcome == "violation"))
        assert (each["codes"], each["disputed"], each["ended"]) == (codes, found.disputed, found.ended)
        assert (each["started"], each["finished"], each["procedure"]) == (found.started, found.finished, procedure)


def test_a_header_between_rounds_restarts_no_round(tmp_path: Path) -> None:
    first, second = story("cr: R1 9s>1 void"), story("cr soft_17=hit: R1 9s>1 9h>d void R2 9s>2 void")
    path = keep(tmp_path / "journal.db", (first.header, first.events), (second.header, second.events))
    assert [each["round"] for each in listed(path)] == [1, 2, 3]
    assert shown(path, 1).chose == {}
    assert shown(path, 2).chose == {"soft_17": "hit"}
    assert [len(hand.cards) for hand in shown(path, 2).hands] == [1, 1]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2h", NOW - timedelta(hours=2)),
        ("90m", NOW - timedelta(minutes=90)),
        ("7d", NOW - timedelta(days=7)),
        ("2026-11-30T07:03:48Z", datetime(2026, 11, 30, 7, 3, 48, tzinfo=UTC)),
        ("2026-11-30T07:03:48+02:00", datetime(2026, 11, 30, 5, 3, 48, tzinfo=UTC)),
        ("2026-11-30", datetime(2026, 11, 30).astimezone(UTC)),
    ],
)
def test_moments(text: str, meant: datetime) -> None:
    assert moment(text, NOW) == meant


@pytest.mark.parametrize("text", ["yesterday", "", "2h30", "h", "2026-13-01", "0001-01-01T00:00:00+23:00", "999999w"])
def test_what_is_no_moment(text: str) -> None:
    with pytest.raises(ShoewatchError):
        moment(text, NOW)


def test_the_journal_of_a_configured_table(tmp_path: Path, journal: Path) -> None:
    config = configure_table(tmp_path, "serial:/dev/none", "serial:/dev/none-2", NOWHERE)
    assert (
        shoewatch("rounds", "list", "--config", str(config)).stdout == shoewatch("rounds", "list", str(journal)).stdout
    )
    assert shoewatch("rounds", "show", "2", "--config", str(config)).status == 0
    both = shoewatch("rounds", "list", str(journal), "--config", str(config))
    assert (both.status, both.stdout) == (2, "")


def change(journal: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(journal)) as file:
        file.execute(statement, values)
        file.commit()


def seq_of(journal: Path, text: bytes) -> int:
    return next(row.seq for row in read_all(journal) if text in row.body)


def test_a_damaged_record_is_named(journal: Path) -> None:
    wrong = seq_of(journal, b'"5h"')
    body = next(row.body for row in read_all(journal) if row.seq == wrong)
    change(journal, "UPDATE record SET body = ? WHERE seq = ?", body.replace(b"5h", b"5d"), wrong)
    for words in (("list",), ("show", "3"), ("show", "2")):
        found = shoewatch("rounds", *words, str(journal))
        assert (found.status, f"record {wrong} of the journal" in found.stderr) == (2, True), found
    assert shoewatch("rounds", "show", "1", str(journal)).status == 0


def test_a_record_that_was_rewritten_with_its_hash_is_named_by_the_one_behind_it(journal: Path) -> None:
    wrong = seq_of(journal, b'"5h"')
    body = next(row.body for row in read_all(journal) if row.seq == wrong).replace(b"5h", b"5d")
    change(journal, "UPDATE record SET body = ?, hash = ? WHERE seq = ?", body, hashlib.sha256(body).digest(), wrong)
    found = shoewatch("rounds", "show", "3", str(journal))
    assert (found.status, f"record {wrong + 1} of the journal does not follow" in found.stderr) == (2, True)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b'"verdict":', b'"judged":'),
        (b'"type":"round.voided"', b'"type":"round.void"'),
        (b'"outcome":"ok"', b'"outcome":"fine"'),
        (b"{", b"["),
    ],
)
def test_the_last_record_of_a_round_rewritten_into_none(journal: Path, was: bytes, now: bytes) -> None:
    last = next(row for row in read_all(journal) if b'"round.voided"' in row.body)
    change(journal, "DELETE FROM record WHERE seq > ?", last.seq)
    body = last.body.replace(was, now)
    change(journal, "UPDATE record SET body = ?, hash = ? WHERE seq = ?", body, hashlib.sha256(body).digest(), last.seq)
    found = shoewatch("rounds", "show", "1", str(journal))
    assert (found.status, f"record {last.seq} of the journal is damaged" in found.stderr) == (2, True)


def test_a_round_that_is_not_there(journal: Path, tmp_path: Path) -> None:
    def why(result: Result) -> str:
        assert (result.status, result.stdout) == (2, "")
        return result.stderr

    assert "there is no round 9 in this journal; it holds rounds 1 to 5" in why(
        shoewatch("rounds", "show", "9", str(journal))
    )
    assert "no journal can be read" in why(shoewatch("rounds", "show", "1", str(tmp_path / "none.db")))
    assert "did you mean" in why(shoewatch("rounds", "list", str(journal), "--code", "ordre"))
    assert "'' is no time" in why(shoewatch("rounds", "list", str(journal), "--since", ""))


def test_a_pruned_journal_says_what_is_gone(journal: Path) -> None:
    last = max(row.seq for row in read_all(journal) if row.round == 2)
    change(journal, "DELETE FROM record WHERE seq > 1 AND seq <= ? AND seq != 4", last)
    found = shoewatch("rounds", "list", str(journal))
    assert [line.split()[0] for line in found.stdout.splitlines()] == ["3", "4", "5"]
    assert f"records up to {last} are no longer" in found.stderr
    gone = shoewatch("rounds", "show", "2", str(journal))
    assert (gone.status, "it holds rounds 3 to 5" in gone.stderr, "pruned" in gone.stderr) == (2, True, True)
    kept_round = shoewatch("rounds", "show", "3", str(journal))
    assert (kept_round.status, "pruned" in kept_round.stdout) == (0, True)
    again = shoewatch("journal", "replay", str(journal))
    assert (again.status, again.stdout, "header 1: not checked" in again.stderr) == (2, "", True)
