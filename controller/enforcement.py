"""A shoe that is locked by the table itself after a violation of chosen codes, until a supervisor unlocks it.

That it has to be locked is a record (an `order` that is `given`) together with the verdict; so a restart knows it and
gives the order again. The order is the same however often it is given. Times are the monotonic clock in ns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from controller.device_numbers import backwards
from protocols.orders import Lock, Order, args_of
from protocols.records import DeviceReported, Fact, LinkChanged, Ordered
from protocols.verdicts import Verdict

SHOE: Final = "shoe"
GIVEN: Final = "given"
_LOCK: Final = Lock(locked=True)
_FOR_GOOD: Final = frozenset({"unsupported", "unknown_op", "bad_arg", "denied", "not_allowed"})
_NO_LOCK: Final = frozenset({"unsupported", "unknown_op"})
_UNTIL_READY: Final = _FOR_GOOD | {"no_link"}
_STARTS: Final = frozenset({"boot", "start"})
_BY_HOST: Final = 3
_FIRST_NS: Final = 1_000_000_000
_LAST_NS: Final = 30 * _FIRST_NS

Give = Callable[[str, Order, str], None]
"""Have a device told something, under this name of the order."""


@dataclass(frozen=True, slots=True)
class LockStanding:
    """`id`: of the order that stands, None where the shoe need not be locked; `code`: of the violation; `answer`: the
    last one; `asked`: one is on its way; `anew`: the shoe may have been opened since; `tries`: in a row that came to
    nothing."""

    id: str | None = None
    code: str = ""
    answer: str | None = None
    asked: bool = False
    anew: bool = False
    tries: int = 0


class Enforcement:
    """`give` gets each order at once; its answer comes back as a fact."""

    def __init__(self, codes: Collection[str], give: Give, standing: LockStanding | None = None) -> None:
        self._codes = frozenset(codes)
        self._give = give
        self._standing = standing or LockStanding()
        self._again_at: int | None = None
        self._judged: int | None = None

    def judged(self, verdict: Verdict, record: int) -> Ordered | None:
        """The record of the order, where this verdict of what happens now is one for which the shoe is locked."""
        if verdict.outcome != "violation" or verdict.code not in self._codes or self._standing.id:
            return None
        self._standing = LockStanding(f"{_LOCK.name}-{verdict.code}-{record}", verdict.code or "")
        self._judged = record
        return Ordered(SHOE, _LOCK.name, args_of(_LOCK), self._standing.id or "", GIVEN)

    def on_disk(self, record: int) -> None:
        """All records up to this one are: the shoe is told only what a restart will know of."""
        if self._judged is not None and record > self._judged:
            self._ask()

    def after(self, fact: Fact, now: int) -> None:
        """Go on after a fact, which is entered."""
        match fact:
            case Ordered(device="shoe", order=Lock.name) if fact.args.get("locked") is False:
                if fact.by and _is_lifted(fact.answer):
                    self._standing, self._again_at = LockStanding(), None
            case Ordered(device="shoe", order=Lock.name, answer="given"):
                self._again_at = now + _FIRST_NS
            case Ordered(device="shoe", order=Lock.name) if fact.id == self._standing.id and not fact.by:
                self._answered(fact.answer, now)
            case LinkChanged(device="shoe", now="ready") if fact.was != "stalled":
                self._ask()
            case DeviceReported(device="shoe", report=report) if report in _STARTS:
                self._ask()
            case DeviceReported(device="shoe", report="lock", data={"state": 0, "by": by}) if by != _BY_HOST:
                self._ask()

    @property
    def deadline(self) -> int | None:
        """When `pass_time` is to be called, None where nothing is waited for."""
        return self._again_at

    def pass_time(self, now: int) -> None:
        """Give the order again where it is time for it."""
        if self._again_at is not None and now >= self._again_at:
            self._ask()

    def remarks(self) -> Iterator[str]:
        """What dealer and supervisor have to know of it."""
        standing = self._standing
        if standing.id is None:
            return
        if standing.answer == "ok":
            yield f"the shoe is locked: {standing.code}"
        else:
            why = f" ({standing.answer})" if standing.answer else ""
            yield f"the shoe is to be locked: {standing.code}{why}"

    def _ask(self) -> None:
        self._again_at = self._judged = None
        name = self._standing.id
        if name is None:
            return
        if self._standing.asked:
            self._standing = replace(self._standing, anew=True)
            return
        self._standing = replace(self._standing, asked=True, anew=False)
        self._give(SHOE, _LOCK, name)

    def _answered(self, answer: str, now: int) -> None:
        tries = 0 if answer == "ok" or answer in _UNTIL_READY else self._standing.tries + 1
        self._standing = replace(self._standing, answer=answer, asked=False, tries=tries)
        self._again_at = now + min(_FIRST_NS << (tries - 1), _LAST_NS) if tries else None
        if self._standing.anew:
            self._ask()


def _is_lifted(answer: str) -> bool:
    """Whether the shoe's answer to a supervisor's unlocking ends the lock: it is open, or has none to be opened."""
    return answer == "ok" or answer in _NO_LOCK


def changes_lock(fields: Mapping[str, Any]) -> bool:
    """Whether the record of an order begins or ends the lock."""
    if fields["device"] != SHOE or fields["order"] != _LOCK.name:
        return False
    return fields["answer"] == GIVEN or _lifts(fields)


def _lifts(fields: Mapping[str, Any]) -> bool:
    return "by" in fields and fields["args"] == args_of(Lock(locked=False)) and _is_lifted(fields["answer"])


def last_lock(path: Path) -> LockStanding:
    """What a journal holds of it: the lock that was given and that no supervisor has lifted since."""
    for fields in backwards(path, ["order"], f'"order":"{_LOCK.name}"'):
        if fields["answer"] == GIVEN:
            return LockStanding(fields["id"], _code_of(fields))
        if _lifts(fields):
            return LockStanding()
    return LockStanding()


def _code_of(fields: Any) -> str:
    return str(fields["id"]).removeprefix(f"{_LOCK.name}-").rpartition("-")[0]
