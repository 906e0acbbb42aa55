"""What people at the table should know beside a verdict: what is right next, and what is out of the ordinary there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from protocols.dealing.blackjack.method import own_method, peek_finished
from protocols.dealing.check import Check
from protocols.dealing.model import Method
from protocols.dealing.table import Round

_WITHOUT_READER: Final[Mapping[Method, str]] = {"no-peek": "no peek", "no-hole": "no hole card"}


@dataclass(frozen=True, slots=True)
class Outlook:
    """`due`: the acts that are right now, empty where nobody can say; `remarks`: short sentences for dealer and
    supervisor."""

    due: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def outlook(check: Check) -> Outlook:
    """What comes next at the table, from what everybody at it can see."""
    return Outlook(check.due(), tuple(_remarks(check)))


def _remarks(check: Check) -> Iterator[str]:
    state, seen = check.state, check.state.round
    if state.shoe.faulted:
        yield "the shoe is in error"
    if seen.play is not None and own_method(check.setting) == "peek":
        yield from _of_the_reader(seen, seen.play.as_seen().method, faulted=state.reader.faulted)
    if seen.opened:
        yield from _of_an_open_round(seen)
    last = state.shoe.cutting_card.last_round
    if last == seen.number:
        yield "the cutting card has shown: this round is the last one"


def _of_the_reader(seen: Round, method: Method, *, faulted: bool) -> Iterator[str]:
    if method != "peek" and not peek_finished(seen):
        without = f"{_WITHOUT_READER[method]} in {'this' if seen.opened else 'the next'} round"
        yield f"the reader is out of use: {without}" if faulted else without
    elif faulted:
        yield "the reader is out of use from the next round on"


def _of_an_open_round(seen: Round) -> Iterator[str]:
    if seen.blind:
        yield "the log has a gap in this round, it is not judged"
    elif seen.unverified:
        yield "a card came from a shoe in error: the rest of this round is not judged"
    elif seen.manifold:
        yield "too many histories of this round are possible, it is not judged"
    elif seen.disputed:
        yield "this round is disputed: a supervisor decides"
