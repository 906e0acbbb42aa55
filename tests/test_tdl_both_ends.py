"""A TDL/1 host and shoe over a line that does what it likes: no event is lost, doubled or out of order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from both_ends import EXPECTED, MS, SPOILERS, BothEnds, Spoiler, every_card
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from protocols.cards import Card
from protocols.wire.tdl.events import Event
from protocols.wire.tdl.position import Position
from protocols.wire.tdl.session import HostSession
from protocols.wire.tdl.stream import EventStream, Step
from simulators.tdl import codes
from simulators.tdl.shoe import UNREADABLE, Face

CARDS = st.sampled_from([*every_card(), UNREADABLE])
PLACES = st.sampled_from([None, "box:1", "dealer"])
ANYWHERE = st.integers(0, 2000)
AT_MOST_MS = 5000


class LossyLine(RuleBasedStateMachine):
    """Everything that may happen, in any order."""

    ends: type[BothEnds] = BothEnds

    @initialize(seed=st.integers(0, 2**32), greeted=st.booleans())
    def begin(self, seed: int, greeted: bool) -> None:
        self.both = self.ends(seed)
        if greeted:
            self.both.settle()

    @rule(cards=st.lists(CARDS, min_size=1, max_size=16), place=PLACES, withhold=st.booleans())
    def draw(self, cards: list[Face], place: str | None, withhold: bool) -> None:
        for card in cards:
            self.both.shoe.draw(card, self.both.seconds, place=place, withhold=withhold and isinstance(card, Card))
        self.both.hand_over()

    @rule(what=st.sampled_from(["load", "turn", "error", "preset"]), back=st.integers(0, 8))
    def happen(self, what: str, back: int) -> None:
        shoe, now = self.both.shoe, self.both.seconds
        match what:
            case "load":
                shoe.load(6, now)
            case "turn":
                shoe.turn(shoe.draw_no - back, now)
            case "error":
                shoe.fail(1, codes.WARN, now)
                shoe.recover(1, now)
            case "preset":
                shoe.preset(back, 7, now)
        self.both.hand_over()

    @rule(ms=st.integers(1, AT_MOST_MS))
    def flow(self, ms: int) -> None:
        """The line carries all, and a host is there."""
        self.both.flow(self.both.now + ms * MS)

    @rule(ms=st.integers(1, AT_MOST_MS))
    def stand(self, ms: int) -> None:
        """The line carries nothing for a while."""
        self.both.wait(self.both.now + ms * MS)

    @rule(to_host=st.booleans(), count=st.integers(1, 400))
    def trickle(self, to_host: bool, count: int) -> None:
        if to_host:
            self.both.arrive_at_host(count)
        else:
            self.both.arrive_at_shoe(count)

    @rule(
        how=st.sampled_from(SPOILERS),
        to_host=st.booleans(),
        at=ANYWHERE,
        length=st.integers(1, 200),
        whole=st.booleans(),
    )
    def spoil(self, how: Spoiler, to_host: bool, at: int, length: int, whole: bool) -> None:
        way = self.both.to_host if to_host else self.both.to_shoe
        how(way, way.part(at, length, whole=whole))

    @rule(count=st.integers(1, 20))
    def store(self, count: int) -> None:
        self.both.store(count)

    @rule()
    def order(self) -> None:
        self.both.order()

    @rule(what=st.sampled_from(["daemon", "shoe", "shoe's power", "line"]))
    def restart(self, what: str) -> None:
        match what:
            case "daemon":
                self.both.start_host()
            case "shoe":
                self.both.shoe.reboot(self.both.seconds, reason=2)
                self.both.hand_over()
            case "shoe's power":
                self.both.power_cycle()
            case "line":
                self.both.cut()
        self.both.connect()

    @rule()
    def sound(self) -> None:
        """The line is good for as long as it takes."""
        self.both.settle()
        assert self.both.numbers() == list(range(1, self.both.memory.last + 1))

    @invariant()
    def holds(self) -> None:
        self.both.check()

    def teardown(self) -> None:
        if hasattr(self, "both"):
            self.sound()
            self.both.check()


def run(machine: type[LossyLine], examples: int, steps: int, *, shrinks: bool = True) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate, *([Phase.shrink] if shrinks else [])],
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize(("examples", "steps"), [(100, 40), pytest.param(1000, 80, marks=pytest.mark.soak)])
def test_no_event_is_lost_doubled_or_out_of_order(examples: int, steps: int) -> None:
    run(LossyLine, examples, steps)


class Eager(BothEnds):
    """Acknowledges what is not on disk."""

    def took(self, number: int | None) -> None:
        if number is not None:
            self.host.stored(number)


class Forgetful(BothEnds):
    """Begins anew each time that the daemon starts."""

    def new_host(self) -> HostSession:
        return HostSession("shoe", EXPECTED, None)


def _takes_all(self: EventStream, event: Event, body: bytes, now: int) -> Iterator[Step]:
    self._position = Position(event.eseq - 1)
    return _as_it_should(self, event, body, now)


_as_it_should = EventStream.event


@pytest.mark.parametrize(
    ("ends", "event"),
    [
        pytest.param(Eager, _as_it_should, id="acknowledged too early"),
        pytest.param(Forgetful, _as_it_should, id="begun anew"),
        pytest.param(BothEnds, _takes_all, id="taken as it comes"),
    ],
)
def test_a_host_that_is_wrong_is_found_out(
    ends: type[BothEnds], event: Callable[..., Iterator[Step]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EventStream, "event", event)
    machine = type("Wrong", (LossyLine,), {"ends": ends})
    with pytest.raises(AssertionError):
        run(machine, 300, 40, shrinks=False)
