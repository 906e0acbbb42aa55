"""A simulated table: a dealer and an electronic shoe, act after act, each with what the shoe sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from simulators.acts import CARD_LEAVES_SHOE, Act, Started, Trouble
from simulators.angel_faults import FaultyAngelShoe
from simulators.faults.menu import Fault
from simulators.faults.schedule import Progress, Schedule
from simulators.misdeals import SHOE_CAN_TELL
from simulators.punto_banco import PuntoBancoDealer
from simulators.rounds import Round
from simulators.rules import rules_of


@dataclass(frozen=True, slots=True)
class Play:
    """What is played: `rounds` None is without end, `pace` seconds before each card, `misdeals` the share of rounds
    (0-1) with one; `faults` are those of the shoe and its line."""

    procedure: str = "pb-nj"
    seed: int = 1
    rounds: int | None = None
    pace: float = 1.0
    misdeals: float = 0.0
    withhold: bool = True
    faults: tuple[Fault, ...] = ()

    def schedule(self) -> Schedule:
        """When the faults of one play strike."""
        return Schedule(self.faults, Progress(), self.seed)


@dataclass(frozen=True, slots=True)
class Moment:
    """One act, `pause` seconds after the one before; `sent` is what the shoe says, `code` what the check must say. For
    `away` seconds before it the shoe's line is unplugged."""

    round: int
    act: Act | Trouble
    pause: float
    sent: bytes
    code: str | None = None
    away: float = 0.0


def played(play: Play, schedule: Schedule | None = None) -> Iterator[Moment]:
    """All moments of a play, from the switching on of the shoe; ProcedureError for an unknown procedure.

    `schedule` is told how far the play has come: each time a moment is asked for, up to that one."""
    dealer = PuntoBancoDealer(rules_of(play.procedure), play.seed, play.misdeals, SHOE_CAN_TELL)
    return _moments(play, schedule or play.schedule(), islice(dealer, play.rounds))


def _moments(play: Play, schedule: Schedule, rounds: Iterator[Round[Act]]) -> Iterator[Moment]:
    shoe, progress = FaultyAngelShoe(schedule, withhold=play.withhold), schedule.progress
    switched_on: Round[Act] = Round((Started(),))
    for number, dealt in enumerate(chain([switched_on], rounds)):
        progress.round = max(number, 1)
        for index, act in enumerate(dealt.acts):
            is_card = isinstance(act, CARD_LEAVES_SHOE)
            progress.cards += is_card
            for sent in shoe.sends(act):
                pause = play.pace if is_card and sent.act is act else 0.0
                code = dealt.code if index == dealt.blamed and sent.act is act else None
                yield Moment(progress.round, sent.act, pause, sent.data, code, sent.away)
