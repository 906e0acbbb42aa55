"""A simulated table: a dealer and an electronic shoe, act after act, each with what the shoe sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, Literal, Protocol, get_args

from simulators.acts import CARD_LEAVES_SHOE, Act, Started
from simulators.angel_shoe import AngelShoe
from simulators.bee_tek_shoe import BeeTekShoe
from simulators.misdeals import SHOE_CAN_TELL
from simulators.punto_banco import PuntoBancoDealer
from simulators.rounds import Round
from simulators.rules import rules_of

ShoeProtocol = Literal["angel-eye", "bee-tek"]
SHOE_PROTOCOLS: Final[tuple[ShoeProtocol, ...]] = get_args(ShoeProtocol)


@dataclass(frozen=True, slots=True)
class Play:
    """What is played: `rounds` None is without end, `pace` seconds before each card, `misdeals` the share of rounds
    (0-1) with one, `misreads` the share of cards that the shoe cannot read. `withhold` is for a shoe that can keep
    values back, `misreads` for one that reads at once."""

    procedure: str = "pb-nj"
    seed: int = 1
    rounds: int | None = None
    pace: float = 1.0
    misdeals: float = 0.0
    withhold: bool = True
    protocol: ShoeProtocol = "angel-eye"
    misreads: float = 0.0


class Shoe(Protocol):
    """A shoe on its line; each method says what it sends then."""

    def sends(self, act: Act) -> bytes: ...

    def hear(self, data: bytes) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Due:
    """One act, `pause` seconds after the one before; `code` what the check must say."""

    round: int
    act: Act
    pause: float
    code: str | None = None

    def happens(self, shoe: Shoe) -> Moment:
        """It happens at this shoe, now."""
        return Moment(self.round, self.act, self.pause, shoe.sends(self.act), self.code)


@dataclass(frozen=True, slots=True)
class Moment:
    """One act that happened, `pause` seconds after the one before; `sent` is what the shoe says, `code` what the check
    must say."""

    round: int
    act: Act
    pause: float
    sent: bytes
    code: str | None = None


def set_out(play: Play) -> tuple[Shoe, Iterator[Due]]:
    """The shoe of a play, and all that will happen at it from its switching on; ProcedureError for an unknown
    procedure."""
    dealer = PuntoBancoDealer(rules_of(play.procedure), play.seed, play.misdeals, SHOE_CAN_TELL)
    return _shoe(play), _dues(play, islice(dealer, play.rounds))


def played(play: Play) -> Iterator[Moment]:
    """All moments of a play to which no host says anything."""
    shoe, dues = set_out(play)
    return (due.happens(shoe) for due in dues)


def _shoe(play: Play) -> Shoe:
    if play.protocol == "bee-tek":
        return BeeTekShoe(misreads=play.misreads, seed=play.seed)
    return AngelShoe(withhold=play.withhold)


def _dues(play: Play, rounds: Iterator[Round[Act]]) -> Iterator[Due]:
    switched_on: Round[Act] = Round((Started(),))
    for number, dealt in enumerate(chain([switched_on], rounds)):
        for index, act in enumerate(dealt.acts):
            pause = play.pace if isinstance(act, CARD_LEAVES_SHOE) else 0.0
            yield Due(max(number, 1), act, pause, dealt.code if index == dealt.blamed else None)
