"""Commands on their way: asked again under the same number until the device answers, three times in all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from protocols.wire.tdl.messages import Command

_PATIENCE_NS: Final = 300_000_000
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class _Asked:
    command: Command
    tries: int = 0
    again: int = 0


class Commands:
    """`first` is the number of the first command: not one that the device may still hold an answer for."""

    def __init__(self, first: int) -> None:
        self._next = first
        self._asked: dict[int, _Asked] = {}

    @property
    def deadline(self) -> int | None:
        """When `due` has something to say; None while nothing is asked."""
        return min((asked.again for asked in self._asked.values()), default=None)

    def ask(self, op: int, args: bytes = b"") -> int:
        """The number of the new command; it goes out with the next `due`."""
        cid = self.number()
        self._asked[cid] = _Asked(Command(cid, op, args))
        return cid

    def number(self) -> int:
        """The next number, for a command or for what is none."""
        cid, self._next = self._next, self._next % 0xFFFF + 1
        return cid

    def due(self, now: int) -> tuple[list[Command], list[int]]:
        """What to send (again), and the numbers of those that are given up."""
        late = {cid: asked for cid, asked in self._asked.items() if asked.again <= now}
        given_up = [cid for cid, asked in late.items() if asked.tries == _TRIES]
        for cid in given_up:
            del self._asked[cid]
        again = {cid: asked for cid, asked in late.items() if cid in self._asked}
        for cid, asked in again.items():
            self._asked[cid] = replace(asked, tries=asked.tries + 1, again=now + _PATIENCE_NS)
        return [asked.command for asked in again.values()], given_up

    def answered(self, cid: int) -> bool:
        """Whether this answer was waited for; it is then no more."""
        return self._asked.pop(cid, None) is not None

    def abandoned(self) -> list[int]:
        """Give up everything that is asked."""
        given_up, self._asked = list(self._asked), {}
        return given_up
