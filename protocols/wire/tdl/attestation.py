"""Which firmware and which settings a device runs with, proved anew under a nonce: on attach and at random times.

    tag = HMAC(K, "TDL1-A" || nonce || firmware || settings || boot_id || head)[:16]

The settings are what the registry approves, else what they were when the device attested last. They change unnoticed
where no event of the device told of a change in between. Such an event can be late: where it may still be under way,
nothing is concluded before the device has told everything that it had to tell."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import ClassVar, Final

from protocols.wire.tdl.handshake import Proven, Refused, tag
from protocols.wire.tdl.layout import Layout
from protocols.wire.tdl.messages import TAG_BYTES, Response

_NONCE_BYTES: Final = 16

_S: Final = 1_000_000_000
_AT_LEAST_S: Final = 300
_MORE_S: Final = 600


@dataclass(frozen=True, slots=True)
class Attestation(Layout):
    """What ATTEST answers: both digests SHA-256, `head` the first 8 bytes of the chain of events."""

    FORMAT: ClassVar[str] = "32s32sI8s16s"
    firmware: bytes
    settings: bytes
    boot_id: int
    head: bytes
    tag: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Attested:
    """The device has proved what it runs with."""

    firmware: bytes
    settings: bytes
    boot_id: int


@dataclass(frozen=True, slots=True)
class Unclear:
    """An event that tells of a change may be under way: `refused` unless it comes. None: it came since the question."""

    refused: Refused | None


class Attester:
    """Outlives the single line. `settings`: those that it attested last, None where any are right; `passed`: it has
    attested on this line. Times are the monotonic clock in ns."""

    def __init__(self, settings: bytes | None = None) -> None:
        self.settings = settings
        self.begin(b"")

    def begin(self, seed: bytes) -> None:
        """A new line; `seed` is fresh and random, and nobody else's to know."""
        self.passed = False
        self.next_at = 0
        self._seed = seed
        self._asked: dict[int, bytes] = {}
        self._outdated: set[int] = set()
        self._proven: Proven | None = None

    def meet(self, proven: Proven) -> None:
        """The device that is to attest on this line."""
        self._proven = proven

    def nonce(self, now: int) -> bytes:
        """For the next question; the one after it comes by itself after a time that nobody can foresee."""
        self._seed = hmac.digest(self._seed, b"next", "sha256")
        fresh = hmac.digest(self._seed, b"nonce and time", "sha256")
        self.next_at = now + (_AT_LEAST_S + int.from_bytes(fresh[_NONCE_BYTES:]) % _MORE_S) * _S
        return fresh[:_NONCE_BYTES]

    def ask(self, cid: int, nonce: bytes) -> None:
        """The command of this number asks under this nonce."""
        self._asked[cid] = nonce

    def has_asked(self, cid: int) -> bool:
        return cid in self._asked

    def settings_changed(self) -> None:
        """An event told it: a question from before it may be answered with what was before it."""
        self.settings = None
        self._outdated |= self._asked.keys()

    def judge(self, response: Response) -> Attested | Refused | Unclear:
        """What the answer to a question proves."""
        nonce, proven = self._asked.pop(response.cid), self._proven
        assert proven is not None
        try:
            told = Attestation.from_bytes(response.data) if response.answer == "ok" else None
        except ValueError:
            told = None
        objection = _objection(proven, nonce, told)
        if told is None or objection:
            return Refused("attestation_failed", f"{proven.serial} {objection or 'does not attest'}")
        if response.cid in self._outdated:
            return Unclear(None)
        approved = proven.settings or self.settings
        if approved is not None and told.settings != approved:
            refused = Refused("settings_changed", f"{proven.serial} has other settings ({told.settings.hex()})")
            return refused if proven.settings else Unclear(refused)
        self.passed, self.settings = True, told.settings
        return Attested(told.firmware, told.settings, told.boot_id)


def _objection(proven: Proven, nonce: bytes, told: Attestation | None) -> str | None:
    if told is None:
        return "does not attest"
    if not hmac.compare_digest(told.tag, tag(proven.key, b"TDL1-A", nonce + told.to_bytes()[:-TAG_BYTES])):
        return "attests without its key"
    if told.firmware != proven.firmware:
        return f"attests another firmware ({told.firmware.hex()[:12]}...) than it was let in with"
    return None if told.boot_id == proven.boot_id else "attests another start than the one it was let in with"
