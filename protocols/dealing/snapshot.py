"""The check written down between two rounds, so that nobody has to read a whole log again to go on with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from protocols.dealing.check import Check
from protocols.dealing.setting import Setting
from protocols.dealing.table import State
from protocols.hidden import Hidden


@dataclass(frozen=True, slots=True)
class _Written:
    events: int
    histories: tuple[State, ...]


_WRITTEN: Final[TypeAdapter[_Written]] = TypeAdapter(_Written)


def snapshot(check: Check) -> str | None:
    """The check as JSON, without its setting; None while something that is known is withheld."""
    histories = check.histories
    rounds = [seen for state in histories for seen in (state.previous, state.round) if seen]
    closed_peek = any(seen.play is not None and seen.play.withholds_peek for seen in rounds)
    if closed_peek or any(isinstance(draw.card, Hidden) for seen in rounds for draw in seen.draws):
        return None
    return _WRITTEN.dump_json(_Written(check.events, histories)).decode()


def restored(text: str, setting: Setting) -> Check:
    """The check that `snapshot` wrote; ValueError where it is none of this version."""
    written = _WRITTEN.validate_json(text)
    return Check(setting, written.histories, written.events)
