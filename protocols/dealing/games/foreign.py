"""Acts of other games: in a log of this one they are a mistake of the log, never of a dealer."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from protocols.errors import LogError
from protocols.events import PlayerActed, TableEvent


def refuse_foreign(procedure: str, event: TableEvent, foreign: Collection[str], actions: Sequence[str] = ()) -> None:
    """LogError for an event of another game; `actions`: what a player of this one may do, of which there is any."""
    if event.name in foreign:
        raise LogError(f"{event.name}: {procedure} does not have this act")
    if actions and isinstance(event, PlayerActed) and event.action not in actions:
        known = ", ".join(actions)
        raise LogError(f"{event.name}: field 'action': {procedure} does not have the act {event.action!r} ({known})")
