"""What tells who has to be offered the next cut first. Nothing here judges."""

from __future__ import annotations

from dataclasses import dataclass

from protocols.dealing.frozen import replace


@dataclass(frozen=True)
class Cutting:
    """What came since the first card after the last cut. `start`: no round was dealt yet; `new_cards`: other cards
    were brought in; `shown`: the cutting card appeared, `at` its place, None where that is not known, `awaited` while
    the next card tells it; `prepared`: the cards were shuffled, loaded or cut since; `unknown`: any of it may have
    happened unseen."""

    start: bool = False
    new_cards: bool = False
    shown: bool = False
    at: str | None = None
    awaited: bool = False
    prepared: bool = False
    unknown: bool = False

    def appeared(self, at: str | None) -> Cutting:
        """The cutting card showed, at this place or where the next card goes; nothing before it counts any more."""
        return Cutting(shown=True, at=at, awaited=at is None)

    def card_came(self, place: str | None, *, first: bool) -> Cutting:
        """A card went to a hand, the first of its round or a later one."""
        tells = self.awaited and not self.prepared
        seen = replace(self, at=place, awaited=False) if tells else self
        if not first:
            return seen
        return Cutting(shown=True, at=seen.at) if seen.shown and not seen.prepared else Cutting()
