"""The chain of records: each names the hash of the one before it."""

from __future__ import annotations

from dataclasses import dataclass

from protocols.records import NO_HASH


@dataclass(frozen=True, slots=True)
class Link:
    """A record of the chain: its number, and the hash of its message, 64 hex digits."""

    seq: int
    hash: str

    def break_before(self, seq: int, prev: object) -> str | None:
        """What is wrong where the next record that was found has this number and names this hash; None if nothing."""
        if seq > self.seq + 1:
            return f"records {self.seq + 1} to {seq - 1} are missing"
        if seq <= self.seq:
            return f"it comes behind record {self.seq}"
        broken = f"the chain is broken: what record {seq} was made after is not the record before it"
        return None if prev == self.hash else broken


START = Link(0, NO_HASH)
"""What the first record of an epoch follows."""
