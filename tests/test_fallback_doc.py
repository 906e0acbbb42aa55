"""docs/fallback.md draws the fallback as it is: every way that the machine can go, and none besides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, get_args

from doc_tables import DOCS, table
from mermaid import ENDS, Chart, parse

from controller.fallback import Fallback, Restore
from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundClosed, RoundOpened
from protocols.orders import Answer
from protocols.records import DeviceReported, Fact, LinkChanged, LinkState, Ordered, ReaderInspected

Move = Callable[[Fallback, bool], Fallback]
Way = tuple[str, str, str]
NAMES = {"peek": "Peek", "no-peek": "NoPeek", "restore pending": "RestorePending"}


def heard(*facts: Fact, armed: bool = False) -> Move:
    """What these facts make of the machine."""

    def move(machine: Fallback, round_open: bool) -> Fallback:
        for fact in facts:
            machine, _ = machine.after(fact, round_open=round_open, armed=armed)
        return machine

    return move


def told(event: ReaderFaulted | ReaderRestored) -> Move:
    def move(machine: Fallback, round_open: bool) -> Fallback:
        answer = machine.said(event, round_open=round_open)
        return machine if isinstance(answer, str) else answer

    return move


def asked(machine: Fallback, round_open: bool) -> Fallback:
    return machine.asked_to_test() if machine.on_trial and not round_open else machine


def reported(report: str, **data: object) -> DeviceReported:
    return DeviceReported("reader", report, data)


FAULT = {"code": "tdl-22", "error": "light", "severity": "fault"}
MOVES: Mapping[str, Move] = {
    "link not ready": heard(LinkChanged("reader", "ready", "lost")),
    "link ready": heard(LinkChanged("reader", "opening", "ready")),
    "tells nothing new": heard(reported("stale")),
    "tells something new": heard(reported("fresh")),
    "reports a fault": heard(reported("error", **FAULT)),
    "fault cleared": heard(reported("error-cleared", **FAULT)),
    "starts anew": heard(reported("boot")),
    "not inspected": lambda machine, round_open: machine if round_open else machine.overdue()[0],
    "inspected": heard(ReaderInspected("i-1", "supervisor", "F. Person")),
    "third failed reading": heard(*[ReaderPeeked(result="error")] * 3),
    "third refused peek": heard(*[reported("peek-refused", round=3, reason=3)] * 3, armed=True),
    "no answer": lambda machine, _: machine.out("no-verdict")[0],
    "cannot be armed": heard(Ordered("reader", "peek_arm", {"round": 3}, "3", "no_answer")),
    "fails its test": heard(reported("self-test", result=1)),
    "passes its test": heard(reported("self-test", result=0)),
    "asked to test": asked,
    "a supervisor puts it out": told(ReaderFaulted()),
    "a supervisor brings it back": told(ReaderRestored()),
    "round opened": heard(RoundOpened()),
    "round over": heard(RoundClosed()),
}
ROUNDS: Mapping[str, bool] = {"round opened": True, "round over": False}
"""Whether a round is open once such a move is made."""


def drawn() -> Chart:
    text = (DOCS / "fallback.md").read_text(encoding="utf-8")
    (diagram,) = re.findall(r"```mermaid\n(.*?)```", text, re.DOTALL)
    return parse(diagram.splitlines())[1]


def ways(start: Fallback) -> Iterator[Way]:
    """Every change of the state, with what leads there, that can follow from a start between rounds."""
    seen, new = set[tuple[Fallback, bool]](), {(start, False)}
    while new:
        seen |= new
        found = set[tuple[Fallback, bool]]()
        for machine, was_open in new:
            for words, move in MOVES.items():
                round_open = ROUNDS.get(words, was_open)
                after = counted(move(machine, round_open))
                if after.state != machine.state:
                    yield NAMES[machine.state], NAMES[after.state], words
                found.add((after, round_open))
        new = found - seen


def counted(machine: Fallback) -> Fallback:
    """The machine with counts that go on for ever ended where they matter no more."""
    return replace(machine, errors=min(machine.errors, 3), refused=min(machine.refused, 3))


def test_every_way_is_drawn_and_no_other() -> None:
    walked = {way for restore in get_args(Restore) for way in ways(Fallback(restore, ready=True))}
    assert {(start, end, words) for start, end, words in drawn().arrows if start != ENDS} == walked


def test_every_state_is_drawn() -> None:
    chart = drawn()
    assert list(chart.states) == list(NAMES.values())
    assert [way for way in chart.arrows if way[0] == ENDS] == [(ENDS, NAMES[Fallback(ready=True).state], "")]


def codes_made() -> Iterator[str]:
    """Every code that a fault can have, but for the devices' own."""
    for _, _, words in (arrow for arrow in drawn().arrows if arrow[0] == "Peek"):
        yield MOVES[words](Fallback(ready=True), False).cause or "none"
    facts: list[Fact] = [LinkChanged("reader", "ready", now) for now in words_of(LinkState)]
    facts += [Ordered("reader", "peek_arm", {"round": 3}, "3", answer) for answer in words_of(Answer)]
    for fact in facts:
        yield from filter(None, [heard(fact)(Fallback(ready=True), True).cause])


def words_of(literal: Any) -> set[Any]:
    return {word for each in get_args(literal) for word in (words_of(each) if get_args(each) else {each})}


def test_every_code_is_told_with_what_a_person_does() -> None:
    rows = table("fallback.md", "code of reader.faulted")
    codes = [code for row in rows for code in re.split(", ", row["code of reader.faulted"])]
    assert len(codes) == len(set(codes))
    assert set(codes) - {"or the device's own number"} == {re.sub(r"-\d\d$", "-NN", code) for code in codes_made()}
    assert all(row["what a person does"] for row in rows)
