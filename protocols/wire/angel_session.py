"""The session with an Angel Eye shoe: it talks, and where this table may tell it something, it obeys or refuses.

One order at a time is on its way, sent again where it was damaged on the line or nothing came back. Where the table may
not, `check` is None: not one byte is written, and what a shoe says to others is garbage here."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from protocols.device_session import Answered, Output, Send
from protocols.line_session import LineSession, Returned
from protocols.orders import Answer, CommandCheck, Order
from protocols.wire.angel_commands import LINE_ERRORS, REFUSALS, Nacked, Reply, ReplyDecoder, command
from protocols.wire.angel_eye import AngelEyeDecoder, Counters, Report

Outputs = tuple[Output[Report | Returned], ...]

_PATIENCE: Final = 500_000_000
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class _Asked:
    cid: int
    data: bytes
    tries: int = 0
    again: int = 0


class AngelSession(LineSession[Report]):
    """`check`: how the check of a command is made, None where nothing is ever sent."""

    def __init__(self, check: CommandCheck | None = None) -> None:
        super().__init__(self._new_line)
        self._check = check
        self._asked: deque[_Asked] = deque()

    @property
    def counters(self) -> Counters:
        """Since the line was opened; a reply that was waited for is not discarded."""
        counted = self._line.counters
        return replace(counted, discarded=counted.discarded - self._ear.used)

    @property
    def deadline(self) -> int:
        """When to call `tick` next, at the latest."""
        return min(super().deadline, self._asked[0].again) if self._asked else super().deadline

    def disconnect(self, now: int) -> Outputs:
        """The line is gone."""
        unanswered = [Answered(asked.cid, "no_answer") for asked in self._asked]
        self._asked.clear()
        return (*super().disconnect(now), *unanswered)

    def feed(self, data: bytes, now: int) -> Outputs:
        """Bytes came in."""
        heard = super().feed(data, now)
        return (*heard, *self._replied(now)) if self._is_waiting else heard

    def tick(self, now: int) -> Outputs:
        """Time has passed: to be called at the deadline, and after `command`."""
        return (*super().tick(now), *self._urged(now))

    def command(self, order: Order) -> int:
        """Give an order: the number under which its answer will come. Only while `is_ready`."""
        data = command(order, self._check) if self._check else None
        if data is None:
            return super().command(order)
        cid = self._next_cid()
        self._asked.append(_Asked(cid, data))
        return cid

    def _new_line(self) -> AngelEyeDecoder:
        self._line, self._ear = AngelEyeDecoder(), ReplyDecoder()
        return self._line

    @property
    def _is_waiting(self) -> bool:
        return bool(self._asked and self._asked[0].tries)

    def _replied(self, now: int) -> Iterator[Answered | Send]:
        for reply in self._ear.feed(self._line.between):
            if not self._is_waiting:
                break
            answer = _answer(reply)
            if answer is None and self._asked[0].tries < _TRIES:
                self._asked[0] = replace(self._asked[0], again=now)
            else:
                yield Answered(self._asked.popleft().cid, answer or "failed")
        yield from self._urged(now)

    def _urged(self, now: int) -> Iterator[Answered | Send]:
        """Send what is next, or again; give up what nothing came back to."""
        if self._asked and self._asked[0].again <= now and self._asked[0].tries == _TRIES:
            yield Answered(self._asked.popleft().cid, "no_answer")
        if self._asked and self._asked[0].again <= now:
            self._asked[0] = replace(self._asked[0], tries=self._asked[0].tries + 1, again=now + _PATIENCE)
            yield Send(self._asked[0].data)


def _answer(reply: Reply) -> Answer | None:
    """None where the command was damaged on its way."""
    match reply:
        case Nacked(reason):
            return None if reason in LINE_ERRORS else REFUSALS[reason][1]
        case _:
            return "ok"
