"""The check: each event of a table log answered with one verdict. Pure: the same log gives the same verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from protocols.cards import Card
from protocols.dealing.book import booked, dealer_burns
from protocols.dealing.catalog import procedure_named
from protocols.dealing.cutting import Cutting
from protocols.dealing.games import GAMES
from protocols.dealing.late import NOTHING, Past, stepped
from protocols.dealing.model import Procedure
from protocols.dealing.remedies import (
    BEFORE_FIRST_CARD,
    FALSE_CARD,
    STILL_REPORTED,
    UNCERTAIN_WITHOUT_PLACES,
    disputes,
)
from protocols.dealing.rules.cut import cutting_card_depth
from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.setting import Setting
from protocols.dealing.shoe import Burn, Shoe, Stub
from protocols.dealing.table import Draw, Round, State, find_draw, goes_to_hand
from protocols.events import (
    CardDrawn,
    CardRevealed,
    LogGap,
    LogHeader,
    TableEvent,
)
from protocols.hidden import Hidden
from protocols.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """The check between two events; `events` were answered so far, `past` are those that a late value may concern."""

    setting: Setting
    state: State
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
        return cls(setting, _beginning(setting, header))

    def step(self, event: TableEvent) -> tuple[Check, Verdict]:
        """The check after the event, and its verdict. LogError where the log itself is wrong."""
        return stepped(self, event)

    def answered(self, event: TableEvent) -> tuple[Check, Verdict]:
        """The same without what the event may disclose of those before it."""
        setting, number = self.setting, self.events + 1
        setting.game.refuse(setting, self.state, event)
        seen = setting.game.found(setting, self.state, event)
        after = booked(setting, seen, event, number)
        moment = Moment(setting, event, number, self.state, seen, after, goes_to_hand(setting, self.state, event))
        objections = _objections(moment)
        verdict = _verdict(moment, *_first(moment, objections))
        return replace(self, state=_consequences(moment, objections), events=number), verdict

    def due(self) -> tuple[str, ...]:
        """What is right next, from what everybody at the table can see."""
        return self.setting.game.due(self.setting, self.state)

    def stays_down(self, event: CardRevealed) -> bool:
        """Whether the card that a device tells goes on lying face down, so that nobody may know its value."""
        draw = find_draw(self.state, event)
        return draw is not None and self.setting.game.stays_down(self.setting, self.state, draw)

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


def _objections(moment: Moment) -> Sequence[tuple[str, Finding]]:
    """What the rules find, with its code, in the order of precedence."""
    findings = [(rule.code, finding) for rule in moment.setting.game.rules if (finding := rule.find(moment))]
    return [(code, _in_dispute(moment, code, finding)) for code, finding in findings]


def _first(moment: Moment, objections: Sequence[tuple[str, Finding]]) -> tuple[str | None, Finding | None]:
    """The first violation, else the first warning, else what cannot be judged."""
    for outcome in ("violation", "warning", "unobservable"):
        for code, finding in objections:
            if finding.outcome == outcome:
                return code, finding
    return None, _blind(moment)


def _in_dispute(moment: Moment, code: str, finding: Finding) -> Finding:
    """The finding as it stands in a round that is disputed or has a gap."""
    seen = _before(moment, finding)
    if seen.opened and seen.blind and not _told_by_shoe(moment, code):
        return replace(finding, outcome="unobservable")
    if seen.disputed and code not in STILL_REPORTED and not _before_first_card(moment, code):
        return replace(finding, outcome="unobservable")
    return finding


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
    if moment.same_round.blind and isinstance(moment.event, CardDrawn):
        return Finding("the log has a gap in this round, which is not judged", "unobservable")
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
    if code in FALSE_CARD and finding.event is not None:
        wrong = finding.event
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


def _verdict(moment: Moment, code: str | None, finding: Finding | None) -> Verdict:
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
        expected=moment.setting.game.due(moment.setting, moment.found),
        rule=moment.setting.procedure.paragraph_of(code) if code else None,
        detail=finding.detail if finding else cutting_card_depth(moment),
    )


def _where(moment: Moment, draw: Draw | None) -> tuple[str | None, str | None]:
    """Where the card went and how it lies: as observed, else as the procedure says."""
    if draw is None or draw.outside:
        return (draw.place, draw.face) if draw else (None, None)
    game, seen = moment.setting.game, moment.before
    observed = moment.event.to if isinstance(moment.event, CardDrawn) else None
    place = observed or (game.short(seen, draw.place) if draw.place else None)
    return place, draw.face or game.face_due(moment.setting, seen, draw.place)
