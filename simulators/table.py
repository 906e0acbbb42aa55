"""A simulated table: a dealer and an electronic shoe, act after act, each with what the shoe sends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, Literal, Protocol, get_args

from protocols.errors import ShoewatchError, did_you_mean
from simulators.acts import CARD_LEAVES_SHOE, Act, Started, Trouble
from simulators.angel_faults import KNOWN, FaultyAngelShoe, Sent
from simulators.bee_tek_shoe import BeeTekShoe
from simulators.faults.menu import Fault, at
from simulators.faults.noise import Pause
from simulators.faults.schedule import Progress, Schedule
from simulators.misdeals import SHOE_CAN_TELL
from simulators.punto_banco import PuntoBancoDealer
from simulators.rounds import Round
from simulators.rules import rules_of

ShoeProtocol = Literal["angel-eye", "bee-tek"]
SHOE_PROTOCOLS: Final[tuple[ShoeProtocol, ...]] = get_args(ShoeProtocol)
SHOE_FAULTS: Final[Mapping[ShoeProtocol, frozenset[str]]] = {"angel-eye": KNOWN, "bee-tek": at("line")}
"""What of the fault menu can go wrong with each: a Bee-Tek shoe tells of nothing but its cards."""


def shoe_protocol(text: str) -> ShoeProtocol:
    """The protocol of this name; ShoewatchError where no shoe speaks it."""
    for known in SHOE_PROTOCOLS:
        if text == known:
            return known
    raise ShoewatchError(f"no shoe speaks {text!r}{did_you_mean(text, SHOE_PROTOCOLS)}")


@dataclass(frozen=True, slots=True)
class Play:
    """What is played: `rounds` None is without end, `pace` seconds before each card, `misdeals` the share of rounds
    (0-1) with one, `misreads` the share of cards that the shoe cannot read. `withhold` is for a shoe that can keep
    values back, `misreads` for one that reads at once. `faults` are those of the shoe and its line."""

    procedure: str = "pb-nj"
    seed: int = 1
    rounds: int | None = None
    pace: float = 1.0
    misdeals: float = 0.0
    withhold: bool = True
    protocol: ShoeProtocol = "angel-eye"
    misreads: float = 0.0
    faults: tuple[Fault, ...] = ()

    def schedule(self) -> Schedule:
        """When the faults of one play strike."""
        return Schedule(self.faults, Progress(), self.seed)


class Shoe(Protocol):
    """A shoe on its line; each method says what it sends then."""

    @property
    def is_shut(self) -> bool:
        """Whether it lets no card out now."""

    def restarts(self) -> Iterator[Sent]:
        """Where it loses its power now, or another one takes its place."""

    def sends(self, act: Act) -> Iterator[Sent]:
        """When `act` happens, one thing after the other."""

    def hear(self, data: bytes) -> bytes:
        """When its host says this."""


class _SoundBeeTekShoe:
    """One at which nothing fails but the line, and the reading of its share of cards."""

    is_shut = False

    def __init__(self, shoe: BeeTekShoe) -> None:
        self._shoe = shoe
        self.hear = shoe.hear

    def restarts(self) -> Iterator[Sent]:
        return iter(())

    def sends(self, act: Act) -> Iterator[Sent]:
        yield Sent(act, self._shoe.sends(act))


@dataclass(frozen=True, slots=True)
class Moment:
    """One act that happened; `sent` is what the shoe says, `code` what the check must say. For `away` seconds before it
    the shoe's line is unplugged."""

    round: int
    act: Act | Trouble
    sent: bytes
    code: str | None = None
    away: float = 0.0


Due = Pause | Moment
"""A moment happens when it is asked for; so whoever asks waits for a pause first, and the shoe hears its host then."""


def set_out(play: Play, schedule: Schedule) -> tuple[Shoe, Iterator[Due]]:
    """The shoe of a play, and all that will happen at it from its switching on; ProcedureError for an unknown
    procedure.

    `schedule` is told how far the play has come: each time a moment is asked for, up to that one."""
    dealer = PuntoBancoDealer(rules_of(play.procedure), play.seed, play.misdeals, SHOE_CAN_TELL)
    shoe = _shoe(play, schedule)
    return shoe, _dues(shoe, play.pace, schedule.progress, islice(dealer, play.rounds))


def played(play: Play) -> Iterator[Moment]:
    """All moments of a play to which no host says anything."""
    _, dues = set_out(play, play.schedule())
    return (due for due in dues if isinstance(due, Moment))


def _shoe(play: Play, schedule: Schedule) -> Shoe:
    if play.protocol == "bee-tek":
        return _SoundBeeTekShoe(BeeTekShoe(misreads=play.misreads, seed=play.seed))
    return FaultyAngelShoe(schedule, withhold=play.withhold)


def _dues(shoe: Shoe, pace: float, progress: Progress, rounds: Iterator[Round[Act]]) -> Iterator[Due]:
    switched_on: Round[Act] = Round((Started(),))
    for number, dealt in enumerate(chain([switched_on], rounds)):
        progress.round = max(number, 1)
        for index, act in enumerate(dealt.acts):
            is_card = isinstance(act, CARD_LEAVES_SHOE)
            progress.cards += is_card
            for sent in shoe.restarts():
                yield Moment(progress.round, sent.act, sent.data, away=sent.away)
            if is_card:
                yield Pause(pace)
            for sent in shoe.sends(act):
                code = dealt.code if index == dealt.blamed and sent.act is act else None
                yield Moment(progress.round, sent.act, sent.data, code)
