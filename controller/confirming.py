"""What the floor's archive has confirmed of a table's records, and from where on it gets them again. No I/O; `now` is
any clock in seconds that only goes forward.

An archive that follows is never far behind what is sent, so that a long past does not overflow what lies between. One
that is silent holds up nothing: what is new goes on to everybody else, and the first records that it lacks are sent
again, ever more rarely. However often somebody asks for records again, without progress that is granted ever more
rarely too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controller.missed import Range

AHEAD: Final = 1000
"""So many records may be on their way to an archive that follows."""
_PROBE: Final = 16
_SILENCE_S: Final = 3.0
_ASKED_AGAIN_S: Final = 0.5
_LONGEST_S: Final = 60.0


@dataclass(slots=True)
class Confirming:
    """`cursor`: up to this record everything is confirmed; `highest`: the last one that was sent.

    `_at`: how far the archive is, which is less where it lost what it had."""

    cursor: int = 0
    highest: int = 0
    _at: int = 0
    _follows: bool = True
    _probed: int | None = None
    _look_at: float = 0.0
    _silence_s: float = _SILENCE_S
    _wanted: int | None = None
    _granted_at: float = 0.0
    _asked_again_s: float = _ASKED_AGAIN_S

    def begin(self, cursor: int) -> None:
        """Where the table stood when it ended."""
        self.cursor = self.highest = self._at = cursor

    def connected(self, now: float) -> int:
        """A connection begins: the record behind which everything is sent again."""
        self._at, self._wanted, self._probed = self.cursor, None, None
        self._is_there(now)
        return self.cursor

    def sent(self, seq: int) -> None:
        self.highest = max(self.highest, seq)

    def hello(self) -> None:
        """The archive has begun, or has begun anew."""
        self._wanted = self.cursor + 1

    def nak(self, first: int) -> None:
        """It wants this one and all behind it; nothing where that was not sent yet."""
        if first <= self.highest:
            self._wanted = first

    def ack(self, seq: int, now: float) -> bool:
        """It has all up to this one; whether the cursor moved. Nothing of what was never sent."""
        if seq > self.highest:
            return False
        moved, self.cursor = seq > self.cursor, max(seq, self.cursor)
        if seq > self._at:
            self._at, self._asked_again_s = seq, _ASKED_AGAIN_S
            self._granted_at = min(self._granted_at, now + _ASKED_AGAIN_S)
            if self._probed is not None and seq <= self._probed < self.highest:
                self._wanted = self._wanted or seq + 1
            self._probed = None
            self._is_there(now)
        return moved

    def taken_back(self, now: float) -> int | None:
        """The record from which on all is to be sent again now, where there is one; told once."""
        if self._wanted is None or now < self._granted_at:
            return None
        first, self._wanted = self._wanted, None
        self._granted_at = now + self._asked_again_s
        self._asked_again_s = min(_LONGEST_S, 2 * self._asked_again_s)
        self._at = first - 1
        self._follows, self._look_at = True, now + self._silence_s
        return first

    def probe(self, sent: int, now: float) -> Range | None:
        """The first records that it lacks, where it was silent for long; `sent`: how far all was sent."""
        if self._at >= sent:
            self._look_at = now + self._silence_s
            return None
        if now < self._look_at:
            return None
        self._follows = False
        self._silence_s = min(_LONGEST_S, 2 * self._silence_s)
        self._look_at = now + self._silence_s
        self._probed = min(self._at + _PROBE, sent)
        return Range(self._at + 1, self._probed)

    @property
    def follows(self) -> bool:
        """Whether it was heard not long ago, as far as it has something to say."""
        return self._follows

    def room(self, sent: int) -> int:
        """How many more may be sent now."""
        return AHEAD - (sent - self._at) if self._follows else AHEAD

    def next_look(self, sent: int) -> float | None:
        """When something is to be done although nothing comes."""
        looks = [self._look_at] * (self._at < sent) + [self._granted_at] * (self._wanted is not None)
        return min(looks, default=None)

    def _is_there(self, now: float) -> None:
        self._follows, self._silence_s, self._look_at = True, _SILENCE_S, now + _SILENCE_S
