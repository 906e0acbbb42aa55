"""What one line's host asks its device: the table's orders, and what the session itself wants to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from protocols.device_session import Answered
from protocols.orders import Answer, Attest, Order
from protocols.wire.tdl.attestation import Attested, Attester, Unclear
from protocols.wire.tdl.commands import Commands
from protocols.wire.tdl.handshake import Refused
from protocols.wire.tdl.messages import ATTEST, GET_INFO, Command, Info, Response, operation


@dataclass(frozen=True, slots=True)
class InfoTold:
    """What GET_INFO answered; None where it did not."""

    info: Info | None


@dataclass(frozen=True, slots=True)
class Silent:
    """The device does not answer when it is to attest."""


Outcome = Answered | InfoTold | Attested | Refused | Unclear | Silent


_ANSWERS: Final[Mapping[type, Answer]] = {Attested: "ok", Refused: "failed", Unclear: "busy"}


class Enquiries:
    """`first` is the number of the first command. Times are the monotonic clock in ns."""

    def __init__(self, attester: Attester, first: int) -> None:
        self._attester = attester
        self._commands = Commands(first)
        self._own: set[int] = set()
        self._unsupported: list[int] = []
        self._info: int | None = None

    @property
    def deadline(self) -> int | None:
        """When `due` has something to say; None while nothing is asked."""
        return 0 if self._unsupported else self._commands.deadline

    def give(self, order: Order, now: int) -> int:
        """The number under which the order's answer will come."""
        if isinstance(order, Attest):
            return self._ask_to_attest(now)
        op = operation(order)
        if op is not None:
            return self._commands.ask(*op)
        self._unsupported.append(self._commands.number())
        return self._unsupported[-1]

    def ask_info(self) -> None:
        self._info = self._commands.ask(GET_INFO)
        self._own.add(self._info)

    def ask_to_attest(self, now: int) -> None:
        self._own.add(self._ask_to_attest(now))

    def due(self, now: int) -> tuple[list[Command], list[Outcome]]:
        """What to send (again), and what nobody will be answered any more."""
        commands, given_up = self._commands.due(now)
        outcomes: list[Outcome] = [Answered(cid, "unsupported") for cid in self._unsupported]
        self._unsupported = []
        for cid in given_up:
            outcomes += self._lapsed(cid)
        return commands, outcomes

    def answered(self, response: Response) -> Iterator[Outcome]:
        """What an answer says; nothing where it was not waited for."""
        cid = response.cid
        if not self._commands.answered(cid):
            return
        if cid == self._info:
            yield InfoTold(_info(response))
        elif self._attester.has_asked(cid):
            found = self._attester.judge(response)
            yield from self._told(cid, Answered(cid, _ANSWERS[type(found)]))
            yield found
        else:
            yield Answered(cid, response.answer)

    def abandoned(self) -> list[Answered]:
        """The line is gone: the table's orders that were not answered."""
        left = (*self._commands.abandoned(), *self._unsupported)
        return [Answered(cid, "no_answer") for cid in left if cid not in self._own]

    def _ask_to_attest(self, now: int) -> int:
        nonce = self._attester.nonce(now)
        cid = self._commands.ask(ATTEST, nonce)
        self._attester.ask(cid, nonce)
        return cid

    def _lapsed(self, cid: int) -> Iterator[Outcome]:
        if cid == self._info:
            yield InfoTold(None)
            return
        yield from self._told(cid, Answered(cid, "no_answer"))
        if self._attester.has_asked(cid):
            yield Silent()

    def _told(self, cid: int, answer: Answered) -> Iterator[Answered]:
        if cid not in self._own:
            yield answer


def _info(response: Response) -> Info | None:
    """None where the device does not tell it."""
    try:
        return Info.from_bytes(response.data) if response.answer == "ok" else None
    except ValueError:
        return None
