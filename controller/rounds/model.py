"""One round as it lay on the table: what `shoewatch rounds show` tells, whatever the form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import TypeAdapter

from protocols.records import Decision, LinkState
from protocols.verdicts import Verdict

Lies = Literal["up", "turned", "down", "unread"]
"""How a card lay at the end: face up; turned, or shown, after it was drawn; face down and never turned; not read."""

Ended = Literal["open", "closed", "voided", "overtaken"]
"""`open`: no end of it is in the journal yet; `overtaken`: another round was opened over it."""


@dataclass(frozen=True, slots=True)
class Who:
    """By whom a record came: the role and id of a person's input, or the device; `manual`: entered in its place."""

    role: str | None = None
    input: str | None = None
    actor: str | None = None
    manual: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """One card. `seq`: the record with which it came here; `draw`: its number in the round, None for one that was
    carried here; `value`: as the table log writes it, None where nobody may or can know it; `drawn_as`: what it had
    been told to be, where it proved to be another one.

    `told_by`: the record that turned a card drawn face down; `sure`: its place was told and not concluded;
    `gone`: it was burned as a remedy or carried elsewhere; `findings`: the numbers of the findings about it."""

    seq: int
    time: str
    draw: int | None
    value: str | None
    lies: Lies
    face: str | None
    ref: str | None
    drawn_as: str | None = None
    told_by: int | None = None
    sure: bool = True
    boxed: bool = False
    outside: bool = False
    gone: bool = False
    manual: bool = False
    replayed: bool = False
    findings: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards at one place in the order in which they came; `acts`: what was signalled or done there, in order;
    `result`: how it was settled, where somebody said."""

    place: str
    cards: tuple[Card, ...] = ()
    acts: tuple[str, ...] = ()
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One record of the round. `event`: the table event with what was opened since; `data`: what any other record says;
    `verdict`: None where the check was not asked; `finding`: the number of the finding that the verdict is."""

    seq: int
    time: str
    kind: str
    who: Who
    event: Mapping[str, Any] | None = None
    data: Mapping[str, Any] | None = None
    verdict: Verdict | None = None
    finding: int | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What the check had to say, other than ok. `number`: from 1 in the round; `draws`: the draws that it is about."""

    number: int
    seq: int
    outcome: str
    code: str | None
    rule: str | None
    detail: str | None
    expected: tuple[str, ...]
    draws: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MethodUse:
    """The way of dealing from this record on, and why; `method` as the documents name it."""

    seq: int | None
    method: str
    why: str


@dataclass(frozen=True, slots=True)
class Before:
    """How things stood when the round began: links by device; devices in error, with their code; whether the cutting
    card had shown, None where that is not known."""

    links: Mapping[str, LinkState]
    faults: Mapping[str, str | None]
    cutting_card: bool | None


@dataclass(frozen=True, slots=True)
class Opening:
    """What was withheld in record `seq` and opened by `by`; `proved`: the commitment of `seq` is to this value."""

    seq: int
    by: int
    field: str
    value: str
    proved: bool


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a supervisor decided on the round, in record `seq`; it changes nothing of what the round was."""

    seq: int
    time: str
    what: Decision
    who: str
    why: str
    remedy: str | None = None
    draw: int | None = None
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Unlike:
    """In record `seq` the shoe, back from being away, tells card `draw` otherwise than it was entered by hand in record
    `entered`."""

    seq: int
    draw: int | None
    entered: int


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """A round. `first`, `last`: its records; `last_hash`: hex SHA-256 of the last; `options`: all in force, some
    of which the table `chose`; `boxes`: those with a wager, None where that was not observed; `gaps`: why the log
    misses something; `notes`: what a reader has to know besides."""

    source: str
    epoch: str
    round: int
    procedure: str
    title: str
    options: Mapping[str, Any]
    chose: Mapping[str, Any]
    observes: tuple[str, ...] | None
    header: int
    first: int
    last: int
    last_hash: str
    started: str
    finished: str | None
    ended: Ended
    reason: str | None
    disputed: bool
    boxes: tuple[int, ...] | None
    winner: str | None
    before: Before
    methods: tuple[MethodUse, ...]
    hands: tuple[Hand, ...]
    findings: tuple[Finding, ...]
    steps: tuple[Step, ...]
    openings: tuple[Opening, ...]
    gaps: tuple[str, ...]
    notes: tuple[str, ...]
    unlike: tuple[Unlike, ...] = ()
    resolutions: tuple[Resolved, ...] = ()


RECONSTRUCTION: Final[TypeAdapter[Reconstruction]] = TypeAdapter(Reconstruction)
