"""`shoewatch check`: what it prints, where, and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import Result, shoewatch
from coup_log import fields

KEYS = ["type", "event", "round", "draw", "outcome", "code", "to", "face", "expected", "rule", "detail"]
HEADER = '{"type":"log.header","version":1,"procedure":"pb-nj"}'
ROUND = '{"type":"round.opened","boxes":[]}'


def log_of(words: str, **header: Any) -> str:
    lines: list[dict[str, Any]] = [{"type": "log.header", "procedure": "pb-nj", **header}, *map(fields, words.split())]
    return "".join(json.dumps(line) + "\n" for line in lines)


LEGAL = log_of("o n P4^ B5^ P3^ B2^ =t c")
WRONG = log_of("o n P4^ B5^ P3^ B2^ PK^ c")


def check(log: str | bytes, *arguments: str) -> Result:
    given = log.encode() if isinstance(log, str) else log
    return shoewatch("check", "-", *arguments, given=given)


def verdicts(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def refusal(result: Result) -> str:
    """The one line that says what is wrong; nothing else may be printed."""
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.endswith("\n")
    [line] = result.stderr.splitlines()
    return line


def test_a_legal_log_has_status_0_and_a_verdict_an_event() -> None:
    result = check(LEGAL)
    assert result.status == 0
    assert [verdict["event"] for verdict in verdicts(result)] == list(range(1, 9))
    assert {verdict["outcome"] for verdict in verdicts(result)} == {"ok"}
    assert result.stderr == "8 events: 8 ok, 0 warning, 0 violation, 0 unobservable\n"


def test_a_violation_has_status_1() -> None:
    result = check(WRONG)
    assert result.status == 1
    assert [verdict["code"] for verdict in verdicts(result) if verdict["outcome"] == "violation"] == ["bac_draw"]


def test_all_eleven_keys_in_order() -> None:
    for line in check(WRONG).stdout.splitlines():
        assert list(json.loads(line)) == KEYS
        assert line.startswith('{"type":"verdict","event":')
    seventh = verdicts(check(WRONG))[6]
    assert seventh["expected"] == ["round.closed"]
    assert (seventh["to"], seventh["face"], seventh["draw"]) == ("player", "up", 5)
    first = verdicts(check(WRONG))[0]
    assert {key: first[key] for key in ("draw", "code", "to", "face", "rule", "detail")} == dict.fromkeys(
        ("draw", "code", "to", "face", "rule", "detail")
    )
    assert first["expected"] == ["round.opened"]


def test_place_and_face_are_observed_or_what_the_procedure_says() -> None:
    found = verdicts(check(log_of("o n D D D D t P2_ DK", procedure="pb-fr")))
    assert [(v["to"], v["face"]) for v in found[2:6]] == [("player", "down"), ("banker", "down")] * 2
    assert (found[7]["to"], found[7]["face"]) == ("player", "down")


def test_only_violations() -> None:
    result = check(WRONG, "--violations")
    assert [verdict["event"] for verdict in verdicts(result)] == [7]
    assert (check(LEGAL, "--violations").stdout, check(LEGAL, "--violations").status) == ("", 0)


def test_the_program_reads_a_file_and_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "controller"]
    log = tmp_path / "log.jsonl"
    log.write_text(WRONG)
    by_name = subprocess.run([*command, "check", log], capture_output=True, text=True, timeout=60, check=False)
    by_pipe = subprocess.run(
        [*command, "check", "-"], input=WRONG, capture_output=True, text=True, timeout=60, check=False
    )
    assert by_name.returncode == by_pipe.returncode == 1
    assert by_name.stdout == by_pipe.stdout == check(WRONG).stdout


def test_procedure_and_options_win_over_the_header() -> None:
    log = log_of("/ o n P4_ B5_ P3_ B2_ t c o n P4_ B5_ P3_ B2_ t c")
    assert [v["rule"] for v in verdicts(check(log, "--violations"))] == ["NJ/PA end of shoe"]
    assert "55-14" in verdicts(check(log, "--procedure", "pb-fr", "--violations"))[0]["rule"]
    one_more = log_of("o n P4^ / B5^ P3^ B2^ c o n P4^ v", options={"last_coup": "current"})
    assert check(one_more).status == 1
    assert check(one_more, "--option", "last_coup=one_more").status == 0
    assert check(log_of("o n P4^ v", options={"last_coup": "never"}), "--option", "last_coup=current").status == 0


def test_without_a_header_the_procedure_is_given() -> None:
    bare = LEGAL.split("\n", 1)[1]
    assert check(bare, "--procedure", "pb-nj").status == 0
    assert "--procedure" in refusal(check(bare))
    assert "--procedure" in refusal(check('{"type":"log.header"}\n' + bare))
    assert "--procedure" in refusal(check(""))
    assert check("", "--procedure", "pb-nj").status == 0


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n\r\n \n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_blank_lines_and_a_mark_at_the_beginning(newline: str, mark: bytes) -> None:
    result = check(mark + LEGAL.replace("\n", newline).encode())
    assert result.stdout == check(LEGAL).stdout


def test_events_are_counted_and_physical_lines_are_named() -> None:
    log = f'\n{HEADER}\n\n{ROUND}\n\n{{"type":"card.drawn","to":"box:3"}}\n'
    assert "line 6: " in refusal(check(log))
    assert [verdict["event"] for verdict in verdicts(check(f"\n{HEADER}\n\n{ROUND}\n\n{ROUND}\n"))] == [1, 2]


LINES = [
    ("no JSON", "no JSON object"),
    ("[1]", "no JSON object"),
    ('{"type":"card.drawn"', "no JSON object"),
    ('{"card":"K"}', '"type"'),
    ('{"type":"card.drawm"}', 'did you mean "card.drawn"?'),
    ('{"type":"card.drawn","fase":"up"}', "unknown field 'fase' (did you mean \"face\"?)"),
    ('{"type":"card.drawn","card":"1h"}', "field 'card'"),
    ('{"type":"card.drawn","card":"K","card":"K"}', "field 'card' is given twice"),
    ('{"type":"card.drawn","to":"shoe"}', "field 'to'"),
    ('{"type":"card.drawn","face":"UP"}', "field 'face'"),
    ('{"type":"card.drawn","moved":0}', "field 'moved'"),
    ('{"type":"card.drawn","moved":-1}', "field 'moved'"),
    ('{"type":"card.drawn","moved":1}', "field 'moved': no card 1 was drawn"),
    ('{"type":"card.drawn","boxed":1}', "field 'boxed'"),
    ('{"type":"card.drawn","seq":NaN}', "field 'seq'"),
    ('{"type":"card.drawn","seq":1e400}', "field 'seq'"),
    ('{"type":"card.drawn","seq":1.5}', "field 'seq'"),
    ('{"type":"card.drawn","t":"noon"}', "field 't'"),
    ('{"type":"card.drawn","actor":"\\ud800"}', "no JSON object: \\ud800 is half a character"),
    ('{"type":"card.drawn","actor":"\\uDC00x"}', "no JSON object: \\udc00 is half a character"),
    ('{"type":"card.drawn","\\ud83dx":1}', "no JSON object: \\ud83d is half a character"),
    ('{"type":"card.drawn","seq":' + "9" * 5000 + ".0}", "number out of range at column"),
    ('{"type":"card.drawn","seq":-' + "1" * 5000 + "}", "no JSON object: a number of 5,000 digits"),
    ('{"type":"card.drawn",}', "no JSON object: expecting property name enclosed in double quotes at column 22"),
    ('{"type":"shoe.loaded","decks":' + "9" * 40 + "}", "field 'decks'"),
    ('{"type":"shoe.loaded","decks":' + "9" * 5000 + "}", "no JSON object: a number of 5,000 digits"),
    ('{"type":"log.gap","cards":-1}', "field 'cards'"),
    ('{"type":"cut_card.placed","decks_from_back":Infinity,"decks":6}', "field 'decks_from_back'"),
    ('{"type":"cut_card.placed","decks_from_back":NaN,"decks":6}', "field 'decks_from_back'"),
    ('{"type":"cut_card.placed","decks":6}', "field 'decks_from_back' is missing"),
    ('{"type":"card.revealed","draw":1,"card":"K"}', "no card 1 was drawn"),
    ('{"type":"card.revealed","ref":"q","card":"K"}', "no card with ref 'q' was drawn"),
    ('{"type":"card.revealed","card":"K"}', "field 'draw' or 'ref' is missing"),
    ('{"type":"card.revealed","draw":1}', "field 'card' is missing"),
    ('{"type":"card.drawn","to":"dealer"}', "field 'to': pb-nj has no 'dealer'"),
    ('{"type":"card.drawn","to":"box:3"}', "field 'to': pb-nj has no 'box:3'"),
    ('{"type":"card.drawn","to":"community:3"}', "field 'to': pb-nj has no 'community:3'"),
    ('{"type":"card.burned","from":"box:1"}', "field 'from': pb-nj has no 'box:1'"),
    ('{"type":"cut_card.reached","at":"dealer"}', "field 'at': pb-nj has no 'dealer'"),
    ('{"type":"player.acted","box":1,"action":"hit"}', "pb-nj does not have this act"),
    ('{"type":"hole.revealed"}', "pb-nj does not have this act"),
    ('{"type":"community.revealed","street":3}', "pb-nj does not have this act"),
    (HEADER, "a header can only be the first line"),
    ("[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("line", "complaint"), LINES, ids=[line[:60] for line, _ in LINES])
def test_a_wrong_line_is_named_and_nothing_is_judged(line: str, complaint: str) -> None:
    said = refusal(check(f"{HEADER}\n{line}\n{ROUND}\n"))
    assert "line 2: " in said
    assert complaint in said


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ({"procedure": "pb-nk"}, "unknown procedure 'pb-nk' (did you mean \"pb-"),
        ({"options": {"last_cup": "current"}}, 'this procedure does not have it (did you mean "last_coup"?)'),
        ({"options": {"last_coup": "never"}}, "'never' is none of current, one_more"),
        ({"options": {"soft_17": "hit"}}, "option 'soft_17' of pb-nj: this procedure does not have it"),
        ({"options": {"decks": "six"}}, "'six' is no whole number from 1 to 16"),
        ({"options": {"decks": True}}, "True is no whole number"),
        ({"options": {"decks": 6.0}}, "6.0 is no whole number"),
        ({"options": {"decks": 0}}, "0 is no whole number"),
        ({"options": {"pickup": "checked"}}, "settles 'unchecked'"),
        ({"options": {"deal_faces": []}}, "[] is none of up, down, either"),
        ({"procedure": "pb-fr", "options": {"deal_faces": "up"}}, "settles 'down'"),
        ({"observes": ["position"]}, "observes.0"),
        ({"shoe": "old"}, "field 'shoe'"),
        ({"version": 2}, "field 'version'"),
    ],
    ids=str,
)
def test_a_wrong_header_is_named(header: dict[str, Any], complaint: str) -> None:
    said = refusal(check("\n" + log_of("o", **header)))
    assert "line 2: " in said
    assert complaint in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--procedure", "pb-xx"], "unknown procedure 'pb-xx'"),
        (["--procedure", "pb-fr", "--option", "deal_faces=up"], "settles 'down'"),
        (["--option", "last_cup=current"], 'did you mean "last_coup"?'),
        (["--option", "decks=many"], "'many' is no whole number"),
        (["--option", "decks=6.5"], "'6.5' is no whole number"),
        (["--option", "decks"], "name=value"),
        (["--option", "max_hands=none"], "this procedure does not have it"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named(arguments: list[str], complaint: str) -> None:
    assert complaint in refusal(check(LEGAL, *arguments))


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for where in (tmp_path / "none.jsonl", tmp_path):
        assert "cannot be read" in refusal(shoewatch("check", str(where)))
    assert "line 3: no UTF-8" in refusal(check(f"{HEADER}\n\n".encode() + b'{"type":"\xff"}\n'))


def test_boxes_are_named_where_the_vocabulary_has_them() -> None:
    acts = [
        '{"type":"hand.settled","box":3,"result":"win"}',
        '{"type":"cards.collected","from":"box:3"}',
        '{"type":"cards.collected","from":"dealer"}',
        '{"type":"wager.changed","box":3}',
        '{"type":"round.opened","boxes":[1,2,9]}',
        '{"type":"cards.cut","by":"box:9"}',
    ]
    assert check("\n".join([HEADER, *acts])).status == 0
