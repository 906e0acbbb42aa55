"""What a rule is given and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

from protocols.dealing.frozen import derived, replace
from protocols.dealing.setting import Setting
from protocols.dealing.table import Draw, Round, State
from protocols.events import CardDrawn, CardsCollected, HandSettled, RoundClosed, RoundOpened, TableEvent
from protocols.verdicts import Outcome


@dataclass(frozen=True)
class Moment:
    """One event between two states.

    `before` it; as it `found` the table, with the hands turned where it comes only after that; `after` it.
    `to_hand`: it brought a hand a card."""

    setting: Setting
    event: TableEvent
    number: int
    before: State
    found: State
    after: State
    to_hand: bool

    @derived("event", "after")
    def draw(self) -> Draw | None:
        """The card that this event brought."""
        if not isinstance(self.event, CardDrawn):
            return None
        return self.after.round.draws[-1]

    @derived("to_hand", "before")
    def first_card(self) -> bool:
        """Whether the first card of the round came."""
        return self.to_hand and not self.before.round.begun

    @property
    def same_round(self) -> Round:
        """The round in which the event came, as it is after it."""
        ended = self.after.previous
        return ended if ended and ended.number == self.before.round.number else self.after.round


@dataclass(frozen=True)
class Finding:
    """A rule's objection; `event`: the one whose card is wrong, None: the one that is judged.

    `round`: number of the round it is about, None: the one in which the event came."""

    detail: str
    outcome: Outcome = "violation"
    event: int | None = None
    round: int | None = None


def doubtful(finding: Finding | None) -> Finding | None:
    """The objection where it hangs on a value that is not known yet."""
    return replace(finding, detail=f"not certain: {finding.detail}", outcome="unobservable") if finding else None


def first_card(moment: Moment) -> bool:
    """Whether the first card of the round came."""
    return moment.first_card


Find = Callable[[Moment], Finding | None]
Kind = type[TableEvent]
Condition = Callable[[Moment], object]

SETTLING: Final[tuple[Kind, ...]] = (HandSettled, CardsCollected, RoundClosed, RoundOpened)
"""What ends a round, one that is open when the next is opened too."""

_EVENTS: Final[dict[Find, dict[Kind, Condition | None]]] = {}


def on(*events: Kind, when: Condition | None = None) -> Callable[[Find], Find]:
    """Marks a function that objects to these events only, and only `when` this holds: it is not asked otherwise."""

    def marked(find: Find) -> Find:
        _EVENTS.setdefault(find, {}).update(dict.fromkeys(events, when))
        return find

    return marked


@dataclass(frozen=True, slots=True)
class Rule:
    """One code and the function that finds it."""

    code: str
    find: Find

    def may_object(self, kind: Kind) -> bool:
        """Whether such an event can break the rule."""
        return kind in _EVENTS.get(self.find, (kind,))

    def condition(self, kind: Kind) -> Condition | None:
        """What must hold for such an event to break the rule."""
        return _EVENTS.get(self.find, {}).get(kind)


class Asked:
    """The rules that are asked about one kind of event."""

    def __init__(self, rules: Iterable[Rule], kind: Kind) -> None:
        asked = [(rule, rule.condition(kind)) for rule in rules if rule.may_object(kind)]
        conditions = tuple(dict.fromkeys(condition for _, condition in asked if condition))
        self._always: Final = None if conditions else tuple(rule for rule, _ in asked)
        self._conditions: Final = conditions
        self._rules: Final = {
            holds: tuple(rule for rule, condition in asked if condition is None or holds[conditions.index(condition)])
            for holds in product((False, True), repeat=len(conditions))
        }

    def about(self, moment: Moment) -> tuple[Rule, ...]:
        """Those that this event can break, in the order of precedence."""
        if self._always is not None:
            return self._always
        return self._rules[tuple([bool(condition(moment)) for condition in self._conditions])]
