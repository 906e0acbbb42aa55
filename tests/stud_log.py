"""A round of Mississippi stud in one line, with what the check must say where it must say it.

`mh uncounted=4: go1,2 1.bet 2.fold turn3 1.bet4x2 turn4 1.betx3 turn5 settle1=win close` is a log of `nj-ms-hand`, `ms`
one of `nj-ms-shoe`. The words of `blackjack_log`, a card lying face down where nothing else is said, and:

    Kh>c3   to the first community place      turn3, turn3=Kh  it is turned
    1.bet4x2  a bet on the fourth street of twice the ante
    mix, mix=hand  shuffled by the device, by hand; `shuffle`: nobody says by what
    nmb, nonmb  the call is made, is missed   out  the cards are taken out of the shoe; `gone`: nobody says why
    stub, exposed  the stub is discarded      count=37  it is counted
    deal1,2  two cards to each box            board  the three community cards
    go1,2   all of a legal deal to these boxes
    all1    box 1 bets on every street and every community card is turned"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import blackjack_log
from blackjack_log import Story, header_of, holds_log, log_of

from protocols.events import EVENT, Event

BOX_CARDS = ["Js", "Jd", "4c", "7h", "9s", "Kd", "2c", "5h", "Ac", "Td", "8s", "6d"]
BOARD = ["5s>c3", "Jc>c4", "2d>c5"]
_WORDS: dict[str, dict[str, Any]] = {
    "mix": {"type": "cards.shuffled", "by": "shuffler"},
    "mix=hand": {"type": "cards.shuffled", "by": "hand"},
    "shuffle": {"type": "cards.shuffled"},
    "nmb": {"type": "call.made", "call": "no_more_bets"},
    "nonmb": {"type": "call.missed", "call": "no_more_bets"},
    "out": {"type": "shoe.emptied", "reason": "to_hand"},
    "gone": {"type": "shoe.emptied"},
    "stub": {"type": "stub.discarded", "exposed": False},
    "exposed": {"type": "stub.discarded", "exposed": True},
}
_ACT = re.compile(r"(\d+)\.(bet|fold)([345])?(?:x(\d+))?")
_TURN = re.compile(r"turn([345])(?:=(\w+))?")
_CARD = re.compile(r"([^>]+)>(!?)(c[345]|\d*a?|b|\*)([-+.]?)(?:\^(\d+))?")


def stud_story(text: str) -> Story:
    """The log of one line."""
    head, _, body = text.partition(":")
    tokens = (token for word in body.split() for token in _spelled_out(word, shoe=head.startswith("ms")))
    return log_of(header_of(head), tokens, stud_event)


def stud_holds(text: str) -> None:
    """Asserts that the check says what the story tells, and nothing else that is a warning or a violation."""
    holds_log(stud_story(text))


def stud_event(token: str) -> Event:
    """The event of one word."""
    return EVENT.validate_json(json.dumps(stud_fields(token)))


def stud_fields(token: str) -> dict[str, Any]:
    """The event of one word as JSON would give it."""
    return _fields(token) or blackjack_log.fields_of(token)


def _spelled_out(word: str, *, shoe: bool) -> Iterator[str]:
    boxes = [int(box) for box in re.sub(r"^(go|deal)", "", word).split(",")] if re.match(r"(go|deal)\d", word) else []
    if word.startswith("go") and boxes:
        yield from ("mix", f"R{word[2:]}", "nmb")
    yield from (f"{card}>{box}" for box, card in zip([box for box in boxes for _ in range(2)], BOX_CARDS, strict=False))
    if word.startswith("go") and boxes:
        yield from (*(["out"] if shoe else []), *BOARD, "stub")
    elif word == "board":
        yield from BOARD
    elif word.startswith("all"):
        yield from (token for street in "345" for token in (f"{word[3:]}.bet", f"turn{street}"))
    elif not boxes:
        yield word


def _fields(token: str) -> dict[str, Any] | None:
    if token in _WORDS:
        return _WORDS[token]
    if token.startswith("count="):
        return {"type": "stub.counted", "count": int(token[6:])}
    if act := _ACT.fullmatch(token):
        box, action, street, multiple = act.groups()
        told = {"street": street and int(street), "multiple": multiple and int(multiple)}
        return {"type": "player.acted", "box": int(box), "action": action, **told}
    if turn := _TURN.fullmatch(token):
        return {"type": "community.revealed", "street": int(turn[1]), "card": turn[2]}
    card = _CARD.fullmatch(token)
    return _card(*card.groups()) if card else None


def _card(card: str, boxed: str, target: str, face: str, moved: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": "card.drawn", "card": None if card == "?" else card}
    fields |= {"boxed": True} if boxed else {}
    fields |= {"moved": int(moved)} if moved else {}
    if target == "*":
        return fields | {"outside": True}
    lies = None if face == "." or target in ("", "b") else "up" if face == "+" or boxed else "down"
    return fields | {"to": _place(target), "face": lies}


def _place(target: str) -> str | None:
    if target.startswith("c"):
        return f"community:{target[1:]}"
    if target == "b":
        return "burn"
    return f"box:{target.replace('a', '/a')}" if target else None
