"""The check: each event of a table log answered with one verdict. Pure: the same log gives the same verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from protocols.cards import Card
from protocols.dealing.book import booked, dealer_burns
from protocols.dealing.catalog import procedure_named
from protocols.dealing.cutting import Cutting
from protocols.dealing.frozen import replace
from protocols.dealing.games import GAMES
from protocols.dealing.histories import Answer, Told, merged, settled
from protocols.dealing.late import NOTHING, Past, stepped
from protocols.dealing.model import Procedure
from protocols.dealing.remedies import (
    BEFORE_FIRST_CARD,
    FALSE_CARD,
    STILL_REPORTED,
    UNCERTAIN_WITHOUT_PLACES,
    WHEREVER_CARDS_WENT,
    disputes,
)
from protocols.dealing.rules.cut import cutting_card_depth
from protocols.dealing.rules.finding import Asked, Finding, Moment
from protocols.dealing.setting import Game, Reading, Setting
from protocols.dealing.shoe import Burn, Shoe, Stub
from protocols.dealing.table import Draw, Round, State, find_draw, goes_to_hand
from protocols.events import (
    CardDrawn,
    CardRevealed,
    LogGap,
    LogHeader,
    TableEvent,
)
from protocols.hidden import Hidden, hide
from protocols.verdicts import Verdict


@dataclass(frozen=True)
class Check:
    """The check between two events: the histories that may be true, the leading one first.

    `events` were answered so far; `past` are those that a late value may concern."""

    setting: Setting
    histories: tuple[State, ...]
    events: int = 0
    past: Past = NOTHING

    @classmethod
    def start(
        cls, header: LogHeader, procedure: Procedure | None = None, options: Mapping[str, Any] | None = None
    ) -> Check:
        """A check at the beginning of a log; `procedure` and `options` win over the header's.

        ProcedureError where the procedure or an option is unknown or wrong."""
        if procedure is None:
            procedure = procedure_named(header.procedure or "")
        chosen = procedure.choose({**header.options, **(options or {})})
        observes = None if header.observes is None else frozenset(header.observes)
        setting = Setting(procedure, chosen, observes, GAMES[procedure.family])
        return cls(setting, (_beginning(setting, header),))

    @property
    def state(self) -> State:
        """The leading history: the one that supposes least."""
        return self.histories[0]

    def step(self, event: TableEvent) -> tuple[Check, Verdict]:
        """The check after the event, and its verdict. LogError where the log itself is wrong."""
        return stepped(self, event)

    def answered(self, event: TableEvent) -> tuple[Check, Verdict]:
        """The same without what the event may disclose of those before it."""
        self.setting.game.refuse(self.setting, self.state, event)
        answers = self._answers(event)
        told = settled(answers)
        states = merged(_consequences(answer.moment, answer.objections) for answer in told.left)
        verdict = _verdict(told, self._expected(event, answers))
        return Check(self.setting, states, self.events + 1, self.past), verdict

    def due(self) -> tuple[str, ...]:
        """What is right next in one history or another, from what everybody at the table can see."""
        return _right_next(self.setting, self.histories)

    def _answers(self, event: TableEvent) -> list[list[Answer]]:
        """What the rules say of the event in each history in which it can have come, on each reading of it."""
        setting, number = self.setting, self.events + 1
        found = [setting.game.readings(setting, state, event) for state in self.histories]
        readings = [each for each in found if each] or [((state, None),) for state in self.histories]
        if len(readings) == 1 and len(readings[0]) == 1:
            return [[_answer(setting, readings[0][0], event, number)]]
        event = _sealed(event)
        return [[_answer(setting, reading, event, number) for reading in each] for each in readings]

    def _expected(self, event: TableEvent, answers: Sequence[Sequence[Answer]]) -> tuple[str, ...]:
        first = answers[0][0].moment
        if len(self.histories) == 1 and first.before is self.state:
            return _right_next(self.setting, (first.found,))
        found = [self.setting.game.found(self.setting, state, event) for state in self.histories]
        return _right_next(self.setting, found)

    def stays_down(self, event: CardRevealed) -> bool:
        """Whether the card that a device tells goes on lying face down, so that nobody may know its value."""
        return any(self._stays_down(state, event) for state in self.histories)

    def _stays_down(self, state: State, event: CardRevealed) -> bool:
        draw = find_draw(state, event)
        return draw is not None and self.setting.game.stays_down(self.setting, state, draw)

    def turned_by(self, event: TableEvent) -> Draw | None:
        """The card that this event turns, where the event can tell its value."""
        return self.setting.game.turned_by(self.setting, self.state, event)

    @property
    def withholds_peek(self) -> bool:
        """Whether nobody but the dealer knows yet what the reader told in this round."""
        play = self.state.round.play
        return play is not None and play.withholds_peek

    def values(self) -> Mapping[int, Card | Hidden | None]:
        """The cards of this round and the one before, by the number of the event with which they left the shoe."""
        return {draw.origin: draw.card for draw in self.state.draws}


def _beginning(setting: Setting, header: LogHeader) -> State:
    fresh = header.shoe == "fresh"
    burn = Burn(setting.game.burn_counts(setting, None)) if fresh else Burn()
    if header.shoe == "new_dealer":
        burn = burn.with_new_dealer(dealer_burns(setting))
    rounds = header.rounds_since_stub_count
    stub = Stub(rounds or 0, certain=rounds is not None)
    shoe = Shoe(int(setting.options["decks"]), counted=fresh, burn=burn, stub=stub)
    return setting.game.begun(setting, State(shoe, Round(1), cutting=Cutting(start=fresh, unknown=not fresh)))


def verdicts(check: Check, events: Iterable[TableEvent]) -> Iterator[Verdict]:
    """The verdicts of one event after the other."""
    for event in events:
        check, verdict = check.step(event)
        yield verdict


def _right_next(setting: Setting, histories: Sequence[State]) -> tuple[str, ...]:
    if len(histories) == 1:
        return setting.game.due(setting, histories[0])
    return tuple(dict.fromkeys(act for state in histories for act in setting.game.due(setting, state)))


def _sealed(event: TableEvent) -> TableEvent:
    """A card is sealed once for all histories, that they may compare equal."""
    if not isinstance(event, CardDrawn) or not isinstance(event.card, Card):
        return event
    return event.model_copy(update={"card": hide(event.card)})


def _answer(setting: Setting, reading: Reading, event: TableEvent, number: int) -> Answer:
    """What the rules say of the event on one reading of it."""
    before, place = reading
    seen = setting.game.found(setting, before, event)
    placed = event.model_copy(update={"to": place}) if place else event
    after = booked(setting, seen, placed, number)
    moment = Moment(setting, event, number, before, seen, after, goes_to_hand(setting, before, placed))
    return Answer(moment, _objections(moment))


@cache
def _asked(game: Game, kind: type[TableEvent]) -> Asked:
    return Asked(game.rules, kind)


def _objections(moment: Moment) -> tuple[tuple[str, Finding], ...]:
    """What the rules find, with its code, in the order of precedence."""
    rules = _asked(moment.setting.game, type(moment.event)).about(moment)
    found = [(rule.code, finding) for rule in rules if (finding := rule.find(moment))]
    return tuple([(code, _in_dispute(moment, code, finding)) for code, finding in found]) if found else ()


def _in_dispute(moment: Moment, code: str, finding: Finding) -> Finding:
    """The finding as it stands in a round that is disputed or has a gap."""
    seen = _before(moment, finding)
    if seen.opened and seen.blind and not _told_by_shoe(moment, code):
        return replace(finding, outcome="unobservable")
    if seen.opened and _is_unverified(moment, seen) and not _told_outside(moment):
        return replace(finding, outcome="unobservable")
    if (seen.disputed or seen.lost) and not _stands(moment, code, seen):
        return replace(finding, outcome="unobservable")
    return finding


def _is_unverified(moment: Moment, seen: Round) -> bool:
    """Whether a card of the round came from a shoe in error, this one or one before it."""
    here = moment.same_round
    return seen.unverified or (here.number == seen.number and here.unverified)


def _stands(moment: Moment, code: str, seen: Round) -> bool:
    """Whether this is wrong on every reading of a round that is disputed, or in which the cards went anywhere."""
    of_the_deck = code in WHEREVER_CARDS_WENT and not seen.disputed
    return of_the_deck or code in STILL_REPORTED or _before_first_card(moment, code)


def _before(moment: Moment, finding: Finding) -> Round:
    """The round that a finding is about, as it was before the event."""
    previous = moment.before.previous
    return previous if previous and previous.number == finding.round else moment.before.round


def _before_first_card(moment: Moment, code: str) -> bool:
    known_late = isinstance(moment.event, CardRevealed)
    return code in BEFORE_FIRST_CARD and (known_late or not moment.before.round.begun)


def _told_by_shoe(moment: Moment, code: str) -> bool:
    """Whether a gap in the round takes nothing from this: counts of the shoe, a card that it calls outside."""
    return code == "inventory" or (code == "draw_outside_round" and _told_outside(moment))


def _told_outside(moment: Moment) -> bool:
    return isinstance(moment.event, CardDrawn) and bool(moment.event.outside)


def _blind(moment: Moment) -> Finding | None:
    if isinstance(moment.event, LogGap):
        return Finding("what happened here is not in the log", "unobservable")
    if isinstance(moment.event, CardRevealed) and find_draw(moment.before, moment.event) is None:
        return Finding("the card that is shown was not seen when it was drawn", "unobservable")
    if moment.before.round.manifold:
        return Finding("too many histories of this round are possible, it is not judged", "unobservable")
    if moment.same_round.blind and isinstance(moment.event, CardDrawn):
        return Finding("the log has a gap in this round, which is not judged", "unobservable")
    if moment.same_round.unverified and isinstance(moment.event, CardDrawn):
        return Finding("a card of this round came from a shoe in error, the rest is not judged", "unobservable")
    return None


def _consequences(moment: Moment, objections: Sequence[tuple[str, Finding]]) -> State:
    """The state after the verdict: a wrong act is not reported again, and may leave the round disputed.

    This holds for an act too that shows on the same event as one that goes before it."""
    after = moment.after
    for code, finding in objections:
        if finding.outcome == "violation":
            after = _consequence(moment, after, code, finding)
    return after


def _consequence(moment: Moment, after: State, code: str, finding: Finding) -> State:
    if code in FALSE_CARD:
        wrong = finding.event or moment.number
        after = after.with_draws(lambda draw: replace(draw, false=True) if draw.event == wrong else draw)
    burn = after.shoe.burn
    told, miscounted = burn.told or code in ("burn_missing", "burn_extra"), burn.miscounted or code == "burn_count"
    after = replace(after, shoe=replace(after.shoe, burn=replace(burn, told=told, miscounted=miscounted)))
    if code in UNCERTAIN_WITHOUT_PLACES and moment.after.round.play and not moment.setting.sees("positions"):
        after = replace(after, round=replace(after.round, disputed=True))
    about = finding.round or moment.same_round.number
    if after.previous is not None and about == after.previous.number:
        return replace(after, previous=_reported(after.previous, code))
    return replace(after, round=_reported(after.round, code))


def _reported(seen: Round, code: str) -> Round:
    return replace(seen, reported=seen.reported | {code}, disputed=seen.disputed or disputes(code, seen))


def _verdict(told: Told, expected: tuple[str, ...]) -> Verdict:
    moment = told.left[0].moment
    doubtful = told.objection is None or told.objection[1].outcome == "unobservable"
    unjudged = doubtful and moment.before.round.manifold
    code, finding = (None, _blind(moment)) if told.objection is None or unjudged else told.objection
    draw = moment.draw
    place, face = _where(moment, draw)
    return Verdict(
        type="verdict",
        event=moment.number,
        round=moment.after.round.number if moment.event.name == "round.opened" else moment.before.round.number,
        draw=draw.number if draw else None,
        outcome=finding.outcome if finding else "ok",
        code=code,
        to=place,
        face=face,
        expected=expected,
        rule=moment.setting.procedure.paragraph_of(code) if code else None,
        detail=finding.detail if finding else cutting_card_depth(moment),
    )


def _where(moment: Moment, draw: Draw | None) -> tuple[str | None, str | None]:
    """Where the card went and how it lies: as observed, else as the procedure says."""
    if draw is None or draw.outside:
        return (draw.place, draw.face) if draw else (None, None)
    game, seen = moment.setting.game, moment.before
    observed = moment.event.to if isinstance(moment.event, CardDrawn) else None
    lies = draw.place or ("burn" if draw.boxed else None)
    place = observed or (game.short(seen, lies) if lies else None)
    return place, draw.face or game.face_due(moment.setting, seen, lies)
