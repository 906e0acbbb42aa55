"""A round of blackjack in one line, with what the check must say where it must say it.

`np soft_17=hit: R1 9>1 6>d 8>1 T>d- 1.stand hole=T 5>d close` is a log of `nd-no-peek`. Before the colon stand the
procedure, its options, `shoe=` and `observes=` (inputs joined by commas, `observes=` for none) or `without=`, all
inputs but these and the calls. After it:

    R1,2  round.opened (`R`: boxes not observed)        9>1   the card 9 to box 1, face up
    ?>1a  a card not read, to box:1/a                   T>d-  to the dealer, face down
    9>d.  face not observed                             9>    place and face not observed
    9>b   burned                                        9>!1  found face up in the shoe (`boxed`)
    9>*   drawn while the shoe was locked (`outside`)   9>1^3   the third draw, carried to box 1
    1a.hit  a signal of hand a of box 1
    total1 nototal1  the total of box 1 called, not called (without a number: no box was named)
    cutcard=4a       the cutting card showed at box:4/a
    cut=4/1,2@1,4    box 4 cuts, 1 and 2 refused, 1 and 4 have players; `cut=d`, `cut=s` dealer, supervisor
    placed=3/8min    the cutting card 3 of 8 decks from the back; `m` by direction of the manager, `in` an inspector
                     was notified, `no` was not
    !code, ~code, ?code   a violation, a warning, an unobservable verdict on the event just before

and the words of `_WORDS`, `_VALUED`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from protocols.dealing.check import Check
from protocols.dealing.options import read_option
from protocols.events import CardDrawn, Event, LogGap, LogHeader, ShoeFaulted
from protocols.tablelog import read_line
from protocols.verdicts import Verdict

_PROCEDURES = {
    "cr": "nd-card-reader",
    "np": "nd-no-peek",
    "nh": "nd-no-hole",
    "us": "us-card-reader",
    "mh": "nj-ms-hand",
    "ms": "nj-ms-shoe",
}
INPUTS = ("positions", "faces", "signals", "wagers", "collection", "cut", "shuffle", "stub")
_FACES = {"+": "up", "-": "down", ".": None}
_OUTCOMES = {"!": "violation", "~": "warning", "?": "unobservable"}
_WORDS: dict[str, dict[str, Any]] = {
    "peek": {"type": "reader.peeked"},
    "hole": {"type": "hole.revealed"},
    "look": {"type": "hole.looked"},
    "call": {"type": "call.made", "call": "upcard"},
    "nocall": {"type": "call.missed", "call": "upcard"},
    "nmb": {"type": "call.made", "call": "no_more_bets"},
    "nonmb": {"type": "call.missed", "call": "no_more_bets"},
    "ins+": {"type": "insurance.opened"},
    "ins-": {"type": "insurance.closed"},
    "fault": {"type": "reader.faulted"},
    "restore": {"type": "reader.restored"},
    "close": {"type": "round.closed"},
    "void": {"type": "round.voided"},
    "shuffle": {"type": "cards.shuffled"},
    "replace": {"type": "cards.replaced"},
    "cutcard": {"type": "cut_card.reached"},
    "load": {"type": "shoe.loaded"},
    "empty": {"type": "shoe.emptied", "reason": "ran_out"},
    "jam": {"type": "shoe.faulted"},
    "clear": {"type": "shoe.restored"},
    "dealer": {"type": "dealer.changed"},
    "gap": {"type": "log.gap"},
}
_VALUED = {"peek": "result", "hole": "card", "method": "procedure", "shuffle": "cards", "load": "decks", "gap": "cards"}
_TYPES = {word: event["type"] for word, event in _WORDS.items()} | {"method": "method.selected"}
_CUTTERS = {"d": "dealer", "s": "supervisor"}
_PLACED = re.compile(r"(?P<back>[\d.]+)/(?P<decks>\d+)(?P<manager>m?)(?P<inspector>(in|no)?)")
_ABOUT_BOX = {"wager": "wager.changed", "settle": "hand.settled", "collect": "cards.collected", "burned": "card.burned"}


@dataclass(frozen=True, slots=True)
class Told:
    """What a verdict must say; `event`, `round` and `draw` as in the verdict."""

    event: int
    outcome: str
    code: str
    round: int
    draw: int | None


@dataclass(frozen=True, slots=True)
class Story:
    """A log and all the verdicts on it that are not `ok`, in order.

    Those that are `unobservable` need not be told where the log leaves something open, nor where the stub's last count
    is not known."""

    header: LogHeader
    events: tuple[Event, ...]
    told: tuple[Told, ...]

    def check(self) -> Check:
        return Check.start(self.header)

    @property
    def leaves_open(self) -> bool:
        """Whether the table has not all inputs, or a card or a part of the log is missing or in
        doubt."""
        unread = any(isinstance(event, CardDrawn) and event.card is None for event in self.events)
        in_doubt = any(isinstance(event, LogGap | ShoeFaulted) for event in self.events)
        return self.header.observes is not None or unread or in_doubt

    def may_be_untold(self, found: Told) -> bool:
        uncounted = found.code == "stub_count_overdue" and self.header.rounds_since_stub_count is None
        return found.outcome == "unobservable" and (self.leaves_open or uncounted)


def story(text: str) -> Story:
    """The log of one line."""
    head, _, body = text.partition(":")
    return log_of(header_of(head), body.split(), event_of)


def log_of(header: LogHeader, tokens: Iterable[str], read: Callable[[str], Event]) -> Story:
    """The log of these words; `read`: the event of one that tells no verdict."""
    events: list[Event] = []
    told: list[Told] = []
    for token in tokens:
        if token[0] in _OUTCOMES and token[1].isalpha():
            told.append(_told(events, token))
        else:
            events.append(read(token))
    return Story(header, tuple(events), tuple(told))


def lines(*tables: str) -> list[str]:
    """The stories of some tables, one a line."""
    return [line for table in tables for line in table.split("\n") if line]


def verdicts(log: Story) -> list[Verdict]:
    """The verdict on every event; `expected` is what the check held to be right just before."""
    check, found = log.check(), []
    for event in log.events:
        due = check.due()
        check, verdict = check.step(event)
        assert verdict.expected == due, f"event {verdict.event}: {verdict.expected}, due was {due}"
        found.append(verdict)
    return found


def objections(found: Iterable[Verdict]) -> list[Told]:
    return [
        Told(verdict.event, verdict.outcome, verdict.code or "", verdict.round, verdict.draw)
        for verdict in found
        if verdict.outcome != "ok"
    ]


def holds(text: str) -> None:
    """Asserts that the check says what the story tells, and nothing else."""
    holds_log(story(text))


def holds_log(log: Story) -> None:
    """The same for a log."""
    answers = verdicts(log)
    found = objections(answers)
    assert all(answer.rule and answer.detail for answer in answers if answer.code)
    if all(event.card for event in log.events if isinstance(event, CardDrawn)):
        both = [answer for event, answer in zip(log.events, answers, strict=True) if wrong_and_right(event, answer)]
        assert both == []
    assert [it for it in found if it in log.told or not log.may_be_untold(it)] == list(log.told), found


WRONG_FOR_WHAT_IT_IS = ("inventory", "burn_missing")
"""Codes of a card that would have been right as another card, or at an earlier time."""


def wrong_and_right(event: Event, answer: Verdict) -> bool:
    """Whether a card that breaks a rule is among what was right before it."""
    if not isinstance(event, CardDrawn) or answer.outcome not in ("violation", "warning"):
        return False
    drawn = f"card.drawn to {answer.to}"
    return answer.code not in WRONG_FOR_WHAT_IT_IS and bool({drawn, f"{drawn} {answer.face}"} & set(answer.expected))


def header_of(head: str) -> LogHeader:
    """The header of a procedure, its options and inputs."""
    procedure, *settings = head.split()
    name = _PROCEDURES.get(procedure, procedure)
    fields: dict[str, Any] = {"type": "log.header", "procedure": name, "options": {}}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name == "observes":
            fields["observes"] = [item for item in value.split(",") if item]
        elif name == "shoe":
            fields["shoe"] = value
        elif name == "without":
            fields["observes"] = [item for item in INPUTS if item not in value.split(",")]
        elif name == "uncounted":
            fields["rounds_since_stub_count"] = int(value)
        else:
            fields["options"][name] = read_option(name, value)
    header = read_line(json.dumps(fields), 1)
    assert isinstance(header, LogHeader)
    return header


def _told(events: list[Event], token: str) -> Told:
    opened = [number for number, event in enumerate(events) if event.name == "round.opened"]
    ended = [number for number, event in enumerate(events[:-1]) if event.name in ("round.closed", "round.voided")]
    start = max([number + 1 for number in ended], default=0)
    draws = sum(event.name == "card.drawn" for event in events[start:])
    is_draw = events[-1].name == "card.drawn"
    return Told(len(events), _OUTCOMES[token[0]], token[1:], _round(opened, ended), draws if is_draw else None)


def _round(opened: list[int], ended: list[int]) -> int:
    return max(len(ended) + 1, len(opened), 1)


def event_of(token: str) -> Event:
    """The event of one word."""
    event = read_line(json.dumps(fields_of(token)), 1)
    assert not isinstance(event, LogHeader)
    return event


def fields_of(token: str) -> dict[str, Any]:
    """The event of one word as JSON would give it."""
    if token in _WORDS:
        return _WORDS[token]
    if ">" in token:
        return _card(token)
    if "." in token and "=" not in token:
        place, action = token.split(".")
        return {"type": "player.acted", **_hand(place), "action": action}
    if token[0] == "R":
        return {"type": "round.opened"} | ({"boxes": json.loads(f"[{token[1:]}]")} if token[1:] else {})
    word, _, value = token.partition("=")
    if word in _OF_THE_CUT:
        return _OF_THE_CUT[word](value)
    if word.startswith(("total", "nototal")):
        kind, box = ("call.missed", word[7:]) if word.startswith("no") else ("call.made", word[5:])
        return {"type": kind, "call": "total"} | ({"box": int(box)} if box else {})
    if word in _VALUED:
        return {"type": _TYPES[word], _VALUED[word]: int(value) if word in ("load", "gap") else value}
    if word.startswith("show"):
        return {"type": "card.revealed", "draw": int(word[4:]), "card": value}
    return _about_box(word, value)


def _cut(text: str) -> dict[str, Any]:
    asked, _, occupied = text.partition("@")
    by, told, refused = asked.partition("/")
    fields: dict[str, Any] = {"type": "cards.cut"} | ({"by": _CUTTERS.get(by, f"box:{by}")} if by else {})
    fields |= {"refused": json.loads(f"[{refused}]")} if told else {}
    return fields | ({"occupied": json.loads(f"[{occupied}]")} if "@" in text else {})


def _placed(text: str) -> dict[str, Any]:
    told = _PLACED.fullmatch(text)
    assert told, text
    fields: dict[str, Any] = {"type": "cut_card.placed", "decks_from_back": float(told["back"])}
    fields |= {"decks": int(told["decks"])} | ({"directed_by": "manager"} if told["manager"] else {})
    return fields | ({"inspector_notified": told["inspector"] == "in"} if told["inspector"] else {})


def _shown(place: str) -> dict[str, Any]:
    return {"type": "cut_card.reached", "at": _place(place)}


_OF_THE_CUT = {"cut": _cut, "placed": _placed, "cutcard": _shown}


def _about_box(word: str, value: str) -> dict[str, Any]:
    kind = next(kind for kind in _ABOUT_BOX if word.startswith(kind))
    place = word.removeprefix(kind)
    fields: dict[str, Any] = {"type": _ABOUT_BOX[kind]}
    if kind in ("collect", "burned"):
        return fields | {"from": _place(place)}
    fields |= _hand(place)
    return fields | ({"change" if kind == "wager" else "result": value} if value else {})


def _card(token: str) -> dict[str, Any]:
    card, _, target = token.partition(">")
    target, _, moved = target.partition("^")
    fields: dict[str, Any] = {"type": "card.drawn"} | ({} if card == "?" else {"card": card})
    fields |= {"moved": int(moved)} if moved else {}
    if target == "*":
        return fields | {"outside": True}
    if target.startswith("!"):
        fields["boxed"], target = True, target[1:]
    seen = "." if target in ("", "b") else "+"
    if target and target[-1] in _FACES:
        seen, target = target[-1], target[:-1]
    fields |= {"to": _place(target)} if target else {}
    return fields | ({"face": _FACES[seen]} if _FACES[seen] else {})


def _place(short: str) -> str:
    if short in ("d", "b"):
        return {"d": "dealer", "b": "burn"}[short]
    letter = f"/{short[-1]}" if short[-1].isalpha() else ""
    return f"box:{short.rstrip('abcdefgh')}{letter}"


def _hand(short: str) -> dict[str, Any]:
    letter = {"hand": short[-1]} if short[-1].isalpha() else {}
    return {"box": int(short.rstrip("abcdefgh")), **letter}
