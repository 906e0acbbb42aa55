"""The check written down between two rounds, so that nobody has to read a whole log again to go on with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from pydantic import TypeAdapter

from protocols.dealing.check import Check
from protocols.dealing.late import Chapter, Past
from protocols.dealing.setting import Setting
from protocols.dealing.table import State
from protocols.events import Event, ReaderPeeked, TableEvent, told_by_peek
from protocols.hidden import Hidden, opened
from protocols.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class _Standing:
    events: int
    histories: tuple[State, ...]


@dataclass(frozen=True, slots=True)
class _Chapter:
    start: _Standing
    events: tuple[Event, ...]
    told: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class _Written:
    now: _Standing
    previous: _Chapter | None
    current: _Chapter | None


_WRITTEN: Final[TypeAdapter[_Written]] = TypeAdapter(_Written)


def snapshot(check: Check) -> str | None:
    """The check as JSON, without its setting; None while something that is known is withheld."""
    if any(map(_withholds, _states(check))):
        return None
    past = check.past
    written = _Written(_standing(check), _chapter(past.previous), _chapter(past.current))
    return _WRITTEN.dump_json(written).decode()


def restored(text: str, setting: Setting) -> Check:
    """The check that `snapshot` wrote; ValueError where it is none of this version."""
    written = _WRITTEN.validate_json(text)
    past = Past(_read(written.previous, setting), _read(written.current, setting))
    return Check(setting, written.now.histories, written.now.events, past)


def _states(check: Check) -> Iterator[State]:
    yield from check.histories
    for chapter in (check.past.previous, check.past.current):
        if chapter is not None:
            yield from chapter.start.histories


def _withholds(state: State) -> bool:
    rounds = [seen for seen in (state.previous, state.round) if seen]
    closed_peek = any(seen.play is not None and seen.play.withholds_peek for seen in rounds)
    return closed_peek or any(isinstance(draw.card, Hidden) for draw in state.draws)


def _standing(check: Check) -> _Standing:
    return _Standing(check.events, check.histories)


def _chapter(chapter: Chapter | None) -> _Chapter | None:
    if chapter is None:
        return None
    return _Chapter(_standing(chapter.start), tuple(map(_in_clear, chapter.events)), chapter.told)


def _in_clear(event: TableEvent) -> Event:
    """The event with what was withheld when it came; nothing is any more."""
    update: dict[str, object] = {}
    if isinstance(card := getattr(event, "card", None), Hidden):
        update["card"] = opened(card)
    if isinstance(event, ReaderPeeked):
        update["result"] = told_by_peek(event.result)
    return cast(Event, event.model_copy(update=update))


def _read(chapter: _Chapter | None, setting: Setting) -> Chapter | None:
    if chapter is None:
        return None
    return Chapter(Check(setting, chapter.start.histories, chapter.start.events), chapter.events, chapter.told)
