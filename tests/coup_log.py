"""A table log of punto banco in a short hand, one word an event, and what the check says to it.

`P4h^` a four of hearts to player, face up (`_` down; `B` banker, `F` burn, `D` place not observed); rank, suit and
face may each be left out, then flags: `!` outside, `*` boxed, `>2` moved draw 2, `~x` ref x. `r3=K` and `r~x=K` reveal.
`o` round opened, `c` closed, `v` voided, `n` no more bets, `N` missed, `t` turned, `=p` `=b` `=t` the result, `/` the
cutting card, `s` settled, `k` collected, `bP` burned away, `g` or `g7` a gap, `f` shoe faulted, `h` restored, `e` ran
out, `L` or `L4` loaded, `Sa` `Sd` `S` shuffled (all, discards, not observed); anything else is an event's own JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

import pytest

from protocols.dealing.check import Check
from protocols.events import EVENT, CardDrawn, Event, LogHeader, TableEvent
from protocols.verdicts import Verdict

PLACES: Final = {"P": "player", "B": "banker", "F": "burn", "D": None}
WINNERS: Final = {"p": "player", "b": "banker", "t": "tie"}
FACES: Final = {"^": "up", "_": "down", None: None}
WORDS: Final[dict[str, dict[str, Any]]] = {
    "o": {"type": "round.opened", "boxes": []},
    "c": {"type": "round.closed"},
    "v": {"type": "round.voided"},
    "n": {"type": "call.made", "call": "no_more_bets"},
    "N": {"type": "call.missed", "call": "no_more_bets"},
    "t": {"type": "hands.turned"},
    "/": {"type": "cut_card.reached"},
    "s": {"type": "hand.settled", "box": 1},
    "k": {"type": "cards.collected", "from": "dealer"},
    "f": {"type": "shoe.faulted"},
    "h": {"type": "shoe.restored"},
    "e": {"type": "shoe.emptied", "reason": "ran_out"},
    "L": {"type": "shoe.loaded"},
    "g": {"type": "log.gap"},
    "S": {"type": "cards.shuffled"},
    "Sa": {"type": "cards.shuffled", "cards": "all"},
    "Sd": {"type": "cards.shuffled", "cards": "discards"},
}
CARD: Final = re.compile(r"([PBFD])([2-9TJQKA]?[shdc]?)([_^]?)(!?)(\*?)(?:>(\d+))?(?:~(\w+))?")
REVEAL: Final = re.compile(r"r(?:(\d+)|~(\w+))=(\w+)")


def fields(word: str) -> dict[str, Any]:
    """The event of one word as JSON would give it."""
    if word in WORDS:
        return WORDS[word]
    if card := CARD.fullmatch(word):
        return _drawn(*card.groups())
    if shown := REVEAL.fullmatch(word):
        draw = {"draw": int(shown[1])} if shown[1] else {"ref": shown[2]}
        return {"type": "card.revealed", **draw, "card": shown[3]}
    match word[0], word[1:]:
        case "=", winner:
            return {"type": "result.reported", "winner": WINNERS[winner]}
        case "b", place:
            return {"type": "card.burned", "from": PLACES[place]}
        case "g", cards:
            return {"type": "log.gap", "cards": int(cards)}
        case "L", decks:
            return {"type": "shoe.loaded", "decks": int(decks)}
    found: dict[str, Any] = json.loads(word)
    return found


def _drawn(
    to: str, card: str, face: str, outside: str, boxed: str, moved: str | None, ref: str | None
) -> dict[str, Any]:
    given = {
        "to": PLACES[to],
        "card": card or None,
        "face": FACES[face or None],
        "outside": True if outside else None,
        "boxed": True if boxed else None,
        "moved": int(moved) if moved else None,
        "ref": ref,
    }
    return {"type": "card.drawn", **{key: value for key, value in given.items() if value is not None}}


def events(log: str) -> list[Event]:
    """The events of a log in short hand."""
    return [EVENT.validate_json(json.dumps(fields(word))) for word in log.split()]


def start(procedure: str = "pb-nj", **header: Any) -> Check:
    """A check at the beginning of a log with this header."""
    return Check.start(LogHeader.model_validate_json(json.dumps({"procedure": procedure, **header})))


def checked(log: str | Iterable[TableEvent], procedure: str = "pb-nj", **header: Any) -> list[Verdict]:
    """The verdicts; holds on the way what is true of every log.

    A step changes nothing in the check before it, and `expected` is what was due before the event, where the event
    opens no card that lay face down."""
    check = start(procedure, **header)
    verdicts = []
    for number, event in enumerate(events(log) if isinstance(log, str) else log, start=1):
        due = check.due()
        after, verdict = check.step(event)
        assert (verdict, due) == (check.step(event)[1], check.due())
        assert (verdict.event, verdict.draw is None) == (number, not new_card(event))
        if not opens(check, after):
            assert verdict.expected == due
        check = after
        verdicts.append(verdict)
    return verdicts


def new_card(event: TableEvent) -> bool:
    return isinstance(event, CardDrawn) and event.moved is None


def opens(before: Check, after: Check) -> bool:
    """Whether a card that lay face down before lies open after."""
    down = {n for n, card in before.values().items() if type(card).__name__ == "Hidden"}
    return any(type(card).__name__ == "Card" for n, card in after.values().items() if n in down)


def told(verdicts: Iterable[Verdict], outcome: str = "violation") -> str:
    """`13 burn_count 1/11, ...`: event, code, round and draw (`-` where it is none) of each with this outcome."""
    return ", ".join(
        f"{verdict.event} {verdict.code} {verdict.round}/{verdict.draw or '-'}"
        for verdict in verdicts
        if verdict.outcome == outcome
    )


FR: Final[dict[str, Any]] = {"procedure": "pb-fr"}
FRESH: Final[dict[str, Any]] = {"shoe": "fresh"}
SLOTS: Final[dict[str, Any]] = {"observes": ["positions"]}
CURRENT: Final[dict[str, Any]] = {"options": {"last_coup": "current"}}
BURN: Final[dict[str, Any]] = {"options": {"error_card": "burn"}}
ONE_DECK: Final[dict[str, Any]] = {"options": {"decks": 1}}

STAND: Final = "P4^ B5^ P3^ B2^"
"""Seven against seven: nobody draws, a tie."""
FIVE: Final = "P2^ BT^ P3^ B3^"
"""Five against three: player draws."""


def coups(count: int) -> str:
    """So many coups in which nobody draws, seven words each."""
    return f"o n {STAND} c " * count


def cut(by: str, **fields: Any) -> str:
    """The word of a cut."""
    return json.dumps({"type": "cards.cut", "by": by, **fields}, separators=(",", ":"))


def case(log: str, expected: str = "", **header: Any) -> Any:
    """A log, its header, and every violation in it as `told` gives them."""
    shown = " ".join(str(value) for value in header.values())
    return pytest.param(log, header, expected, id=f"{log} {shown}".strip())


def held(log: str, header: dict[str, Any], expected: str) -> None:
    """Hold a case."""
    assert told(checked(log, **header)) == expected
