"""What a supervisor decides on a round that went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from test_by_hand import DEAL, GONE, At, entered, late, told_late, with_table
from test_inputs_at_table import data

from controller.journal_file import MOST, read_kinds
from controller.procedures import site_catalog
from controller.rounds.kept import InJournal
from controller.rounds.listing import KINDS, summaries, summary_line, with_decisions
from controller.rounds.model import Reconstruction
from controller.rounds.page import as_page
from controller.rounds.reconstruct import reconstructed
from controller.rounds.rows import round_records
from controller.rounds.text import as_text
from protocols.cards import Card
from protocols.events import CardRevealed, LogGap, RoundClosed, RoundOpened
from protocols.hidden import hide

BY = {"who": "F. Person", "why": "a box was passed over"}
VOID = {"what": "void", **BY}
ACCEPT = {"what": "accept", "remedy": "the box is served last", **BY}
CORRECT = {"what": "correct", "draw": 1, "card": "2d", **BY}
TOLD = ("2d", "2d", "9s", "9s")


async def decide(table: At, number: int, said: Mapping[str, Any], name: str = "r", role: str = "supervisor") -> Any:
    return await table.session.ask(name, {"resolution": {"round": number, **said}}, role)  # type: ignore[arg-type]


async def wrong(table: At) -> None:
    """Box 2 is passed over in a round of two."""
    await table.say(RoundOpened(boxes=(1, 2)), "dealer")
    await table.session.tell(
        told_late(1, "9s", "box:1"), told_late(2, "5d", "dealer").model_copy(update={"face": "up"})
    )


async def wrong_and_closed(table: At) -> None:
    await wrong(table)
    assert (await table.say(RoundClosed(), "dealer"))["ok"]


def last(table: At) -> Sequence[Mapping[str, Any]]:
    return [data(row) for row in table.session.records()]


def shown(path: Path, number: int = 1) -> Reconstruction:
    return reconstructed(round_records(InJournal(path / "j.db"), number), site_catalog(None))


def test_an_open_round_is_voided_by_its_event_and_the_decision_is_a_record(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await wrong(table)
        answer = await decide(table, 1, VOID)
        decided, voided = last(table)[-2:]
        assert answer == {"id": "r", "ok": True, "seq": table.session.records()[-2].seq}
        assert decided == {"kind": "input", "id": "r", "role": "supervisor", "resolution": {"round": 1, **VOID}}
        assert voided["event"] == {"type": "round.voided", "actor": "supervisor:F. Person", "reason": BY["why"]}
        assert await decide(table, 1, VOID) == answer

    async def again(table: At) -> None:
        count = len(table.session.records())
        assert (await decide(table, 1, VOID))["ok"]
        assert len(table.session.records()) == count
        assert "voided already" in (await decide(table, 1, VOID, "other"))["why"]

    with_table(tmp_path, story, again)


@pytest.mark.parametrize("said", [VOID, ACCEPT, CORRECT], ids=["void", "accept", "correct"])
def test_a_closed_round_gets_a_record_and_nothing_else(tmp_path: Path, said: Mapping[str, Any]) -> None:
    async def story(table: At) -> None:
        await wrong_and_closed(table)
        verdicts = [each["verdict"] for each in last(table) if each["kind"] == "table"]
        assert (await decide(table, 1, said))["ok"]
        assert last(table)[-1]["resolution"] == {"round": 1, **said}
        assert [each["verdict"] for each in last(table) if each["kind"] == "table"] == verdicts

    with_table(tmp_path, story)
    found = shown(tmp_path)
    assert [(each.what, each.who, each.why) for each in found.resolutions] == [(said["what"], BY["who"], BY["why"])]
    words = {"void": "voided", "accept": "accepted: the box is served last", "correct": "corrected: card 1 was 2d"}
    for text in (as_text(found), as_page(found)):
        assert words[said["what"]] in text
        assert "by F. Person: a box was passed over" in text
    rows = read_kinds(tmp_path / "j.db", KINDS)
    [summary] = with_decisions(summaries(rows), InJournal(tmp_path / "j.db"))
    assert summary.decided == (said["what"],)
    assert {"void": "voided later", "accept": "accepted", "correct": "corrected"}[said["what"]] in summary_line(summary)


def test_a_card_of_the_open_round_is_corrected_by_the_event_that_tells_its_value(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await entered(table)
        await table.back(*late((1, "2d", "box:1")))
        assert len(table.session.remarks[-1]) == 1
        assert (await decide(table, 1, {**CORRECT, "card": "9s"}, "same"))["why"] == (
            "resolution: card 1 of round 1 is 9s already"
        )
        assert (await decide(table, 1, CORRECT))["ok"]
        event = last(table)[-1]["event"]
        assert event == {
            "type": "card.revealed",
            "actor": "supervisor:F. Person",
            "manual": True,
            "draw": 1,
            "card": "2d",
        }
        assert last(table)[-1]["verdict"]["code"] == "reader_mismatch"
        assert table.session.remarks[-1] == ("this round is disputed: a supervisor decides",)

    with_table(tmp_path, story)
    found = shown(tmp_path)
    assert found.disputed
    assert [card.value for hand in found.hands if hand.place.startswith("box:1") for card in hand.cards] == [
        *("2d", "8h"),
    ]


@pytest.mark.parametrize("corrected", [True, False], ids=["after the end", "before the end"])
def test_a_correction_can_be_taken_back_by_another_one(tmp_path: Path, corrected: bool) -> None:
    """What the card is by now is the last thing that was decided, also where no event told it."""

    async def story(table: At) -> None:
        await (wrong_and_closed if corrected else wrong)(table)
        taken = [(await decide(table, 1, {**CORRECT, "card": card}, f"r{n}")) for n, card in enumerate(TOLD)]
        assert [each["ok"] for each in taken] == [True, False, True, False]
        assert [each["why"] for each in taken if not each["ok"]] == [
            f"resolution: card 1 of round 1 is {card} already" for card in TOLD[1::2]
        ]

    with_table(tmp_path, story)


async def names_what_the_gap_hid(table: At) -> None:
    """A wrong round long after a gap, in which somebody names a card that nobody drew."""
    await table.session.tell(LogGap(reason="lost"))
    for _ in range(2):
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        await table.say(RoundClosed(), "dealer")
    await wrong(table)
    await table.session.tell(CardRevealed(ref="4/7", card=hide(Card.parse("9s")), actor="shoe", seq=200))
    assert last(table)[-1]["verdict"]["outcome"] == "unobservable"


def test_a_card_that_a_gap_hid_hides_no_round(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await names_what_the_gap_hid(table)
        assert (await decide(table, 3, ACCEPT))["ok"]

    with_table(tmp_path, story)
    for number in (2, 3):
        assert f"round {number}" in as_text(shown(tmp_path, number))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"round": 9, **VOID}, "there is no round 9"),
        ({"round": MOST, **VOID}, f"there is no round {MOST}"),
        ({"round": 1, **ACCEPT}, "nothing is wrong in round 1"),
        ({"round": 1, **CORRECT}, "nothing is wrong in round 1"),
        ({"round": 2, **CORRECT, "draw": 7}, "round 2 has no card 7"),
        ({"round": 2, **CORRECT, "draw": 4}, "lies face down"),
        ({"round": 3, **CORRECT, "draw": 4}, "lies face down"),
        ({"round": 3, **CORRECT, "draw": 9}, "round 3 has no card 9"),
    ],
)
def test_what_cannot_be_decided_is_refused_with_the_reason(tmp_path: Path, said: Mapping[str, Any], why: str) -> None:
    async def story(table: At) -> None:
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        await table.say(RoundClosed(), "dealer")
        await table.session.tell(GONE)
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        await table.enter(*DEAL)
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        await table.enter(*DEAL)
        answer = await table.session.ask("r", {"resolution": said}, "supervisor")
        assert not answer["ok"]
        assert answer["why"].startswith("resolution: ")
        assert why in answer["why"]
        assert last(table)[-1]["why"] == answer["why"]
        assert not any("resolution" in each for each in last(table))

    with_table(tmp_path, story)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (7, "says on which round"),
        ({"what": "viod", "round": 1, **BY}, "'viod' is none (did you mean \"void\"?)"),
        ({"round": 1, **VOID, "remedi": "x"}, "unknown field 'remedi'"),
        ({"round": 0, **VOID}, "field 'round'"),
        ({"round": True, **VOID}, "field 'round'"),
        ({"round": MOST + 1, **VOID}, "field 'round'"),
        ({"round": 10**30, **VOID}, "field 'round'"),
        ({"what": "void", "round": 1, "why": "x"}, "field 'who'"),
        ({"round": 1, **VOID, "why": " "}, "field 'why'"),
        ({"round": 1, **VOID, "why": "x" * 201}, "field 'why'"),
        ({"round": 1, **VOID, "who": "\x1b[2J"}, "field 'who'"),
        ({"round": 1, "what": "accept", **BY}, "field 'remedy'"),
        ({"round": 1, **CORRECT, "draw": 0}, "field 'draw'"),
        ({"round": 1, **CORRECT, "card": "10h"}, "field 'card'"),
    ],
)
def test_what_is_no_decision_is_told_with_what_would_be_right(tmp_path: Path, said: object, why: str) -> None:
    async def story(table: At) -> None:
        answer = await table.session.ask("r", {"resolution": said}, "supervisor")
        assert why in answer["why"]
        assert "10h" not in answer["why"]
        assert (await decide(table, 1, VOID, "d", "dealer"))["why"] == "resolution: only a supervisor says this"

    with_table(tmp_path, story)
