"""The device side of the Bee-Tek shoe, sans-I/O: each card that leaves it is a line of text, and nothing else is told.

In game mode it says a card's characters once more behind the first frame after it was switched on (devices 3.2)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from protocols.cards import Card
from simulators import acts

_END: Final = "\r\n"


class BeeTekShoe:
    """One shoe; the share `misreads` (0-1) of the cards, by the seed, cannot be read and raises an alarm."""

    def __init__(self, *, mode: str = "Game", misreads: float = 0.0, seed: int = 1) -> None:
        self._mode = mode
        self._misreads = misreads
        self._rng = random.Random(seed)
        self._said_one = False

    def sends(self, act: acts.Act) -> bytes:
        """What the shoe sends when `act` happens; nothing where it senses nothing."""
        if isinstance(act, acts.Started):
            self._said_one = False
        if not isinstance(act, acts.CARD_LEAVES_SHOE):
            return b""
        return "".join(line + _END for line in self._lines(act.card)).encode("ascii")

    def hear(self, data: bytes) -> bytes:  # noqa: ARG002 (whatever it is)
        """This shoe obeys no host."""
        return b""

    def _lines(self, card: Card) -> Iterator[str]:
        if self._rng.random() < self._misreads:
            yield f" [{self._mode}]<Game> "
            yield f" [{self._mode}Alarm]<Alarm:E3 Card Not Read> "
            return
        value = f"{card.rank}{card.suit}".upper()
        repeats = self._mode == "Game" and not self._said_one
        self._said_one = True
        yield f" [{self._mode}]<Card:{value}> " + (value if repeats else "")
