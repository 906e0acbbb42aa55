"""What a value that comes late tells of the acts before it.

The check answers each event from what is known then. A card that nobody had read may be shown afterwards, and a hole
card that is turned may show which of two cards was the upcard: then the events since the beginning of the round are
answered once more, by the ordinary step, as if that had been seen when the card was drawn, and the first violation that
was not told yet is told now. What lies face down takes no part in that before it is turned, for it is drawn again as it
lay. A round that was voided or has a gap is not gone through again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from protocols.cards import Card
from protocols.dealing.blackjack.hands import dealer_draws_of, hole_card
from protocols.dealing.frozen import replace
from protocols.dealing.table import find_draw
from protocols.events import CardDrawn, CardRevealed, HoleRevealed, RoundVoided, TableEvent
from protocols.hidden import Hidden, known_as
from protocols.verdicts import Verdict

if TYPE_CHECKING:
    from protocols.dealing.check import Check

_BY_WEIGHT: Final = ("violation", "warning")


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known late of cards: by the numbers of their draws, fields of the events that drew them; as a phrase."""

    fields: Mapping[int, Mapping[str, Any]]
    known: str


@dataclass(frozen=True)
class Chapter:
    """The events of one round, with those between it and the round before, from where the check stood before them.

    `told`: its violations and warnings, each under the number of the event that it is about."""

    start: Check
    events: tuple[TableEvent, ...] = ()
    told: tuple[Verdict, ...] = ()

    def holds(self, number: int) -> bool:
        """Whether the event with this number is one of the chapter's."""
        return 0 < number - self.start.events <= len(self.events)

    def with_seen(self, seen: Seen) -> Chapter:
        """The chapter as if that had been seen when the cards were drawn."""
        numbered = enumerate(self.events, self.start.events + 1)
        events = (event.model_copy(update=seen.fields.get(number)) for number, event in numbered)
        return replace(self, events=tuple(events))

    def then(self, event: TableEvent, after: Check, verdict: Verdict) -> Chapter:
        """The chapter with one more event; `after` is the check after it."""
        told = (*self.told, verdict) if verdict.outcome in _BY_WEIGHT else self.told
        return replace(self, events=(*self.events, _as_it_lies(event, after)), told=told)

    def again(self) -> tuple[Check, Chapter]:
        """The check after all events answered once more, and the chapter with what is told of them now."""
        check, told = self.start, list[Verdict]()
        for event in self.events:
            check, verdict = check.answered(event)
            if verdict.outcome in _BY_WEIGHT:
                told.append(verdict)
        return check, replace(self, told=tuple(told))


@dataclass(frozen=True)
class Past:
    """The current round and the one before; None for a round of which no value can come any more, or nothing came."""

    previous: Chapter | None = None
    current: Chapter | None = None


NOTHING: Final = Past()


def stepped(check: Check, event: TableEvent) -> tuple[Check, Verdict]:
    """The check after the event, and its verdict: on the event, or on what it discloses of those before it."""
    after, verdict = check.answered(event)
    if check.state.round.play is None:
        return after, verdict
    seen = _seen_late(check, event)
    if seen is None:
        return replace(after, past=_followed(check.past, check, event, after, verdict)), verdict
    before, news = _gone_through_again(check, seen)
    after, own = before.answered(event)
    disclosed = _weightiest([*news, verdict]) or verdict
    told = verdict if disclosed is verdict else _as_told(disclosed, verdict, seen)
    return replace(after, past=_followed(before.past, before, event, after, own)), told


def _followed(past: Past, check: Check, event: TableEvent, after: Check, verdict: Verdict) -> Past:
    """The past with one more event, which leads from `check` to `after` and may end the round."""
    chapter = past.current or Chapter(replace(check, past=NOTHING))
    chapter = chapter.then(event, after, verdict)
    if after.state.round.number == check.state.round.number:
        return Past(past.previous, chapter)
    ended = after.state.previous
    unread = ended is not None and any(draw.card is None for draw in ended.draws)
    return Past(chapter) if unread and not isinstance(event, RoundVoided) else NOTHING


def _seen_late(check: Check, event: TableEvent) -> Seen | None:
    """What the event shows of cards that was not seen when they were drawn, where they can be gone through again."""
    if isinstance(event, CardRevealed):
        seen = _shown(check, event)
    elif isinstance(event, HoleRevealed):
        seen = _turned(check, event)
    else:
        return None
    chapters = (check.past.previous, check.past.current)
    return seen if seen and any(_holds(chapter, seen) for chapter in chapters) else None


def _shown(check: Check, event: CardRevealed) -> Seen | None:
    """The value of a card that was not read."""
    draw, previous = find_draw(check.state, event), check.state.previous
    before = previous if previous and draw in previous.draws else None
    if draw is None or draw.card is not None or (before or check.state.round).unjudged:
        return None
    of = f"round {before.number}" if before else "the round"
    name = f"card {draw.number}" if draw.number else "the card that was moved"
    return Seen({draw.origin: {"card": event.card}}, f"now that {name} of {of} is known")


def _turned(check: Check, event: HoleRevealed) -> Seen | None:
    """Which of the dealer's two cards was the upcard, where nobody saw how they lay."""
    table = check.state.round
    pair, card = dealer_draws_of(table)[:2], known_as(event.card)
    if (
        table.unjudged
        or len(pair) < 2
        or card is None
        or any(draw.face for draw in pair)
        or hole_card(check.setting, table)
    ):
        return None
    down = [draw for draw in pair if (value := known_as(draw.card)) is None or value.could_be(card)]
    if len(down) != 1:
        return None
    fields = {draw.origin: {"face": "down" if draw in down else "up"} for draw in pair}
    return Seen(fields, "now that it is known which of the dealer's cards was the upcard")


def _holds(chapter: Chapter | None, seen: Seen) -> bool:
    return chapter is not None and any(map(chapter.holds, seen.fields))


def _gone_through_again(check: Check, seen: Seen) -> tuple[Check, list[Verdict]]:
    """The check as it would stand before the event had that been seen when it came, and what is new."""
    news: list[Verdict] = []
    chapters: list[Chapter | None] = []
    reached: Check | None = None
    for chapter in (check.past.previous, check.past.current):
        if chapter is None or not (reached or _holds(chapter, seen)):
            chapters.append(chapter)
            continue
        known = chapter.with_seen(seen)
        reached, again = (known if reached is None else replace(known, start=reached)).again()
        news += _new(chapter.told, again.told)
        chapters.append(again)
    assert reached is not None
    return replace(reached, past=Past(*chapters)), news


def _new(before: Sequence[Verdict], now: Sequence[Verdict]) -> list[Verdict]:
    """What is told now and was not before: neither of this event, nor the same of one that is right now."""
    known = {(told.event, told.outcome) for told in before}
    still = {told.event for told in now}
    moved = {told.code for told in before if told.event not in still}
    return [told for told in now if (told.event, told.outcome) not in known and told.code not in moved]


def _weightiest(told: Iterable[Verdict]) -> Verdict | None:
    """The first violation, else the first warning."""
    found = list(told)
    return next((each for outcome in _BY_WEIGHT for each in found if each.outcome == outcome), None)


def _as_told(disclosed: Verdict, verdict: Verdict, seen: Seen) -> Verdict:
    """The verdict on the event that shows it, with what that discloses."""
    wrong = f"card {disclosed.draw}, {seen.known}" if disclosed.draw else seen.known
    return replace(
        verdict,
        outcome=disclosed.outcome,
        code=disclosed.code,
        rule=disclosed.rule,
        detail=f"{wrong}: {disclosed.detail}",
    )


def _as_it_lies(event: TableEvent, after: Check) -> TableEvent:
    """The event with its card sealed where it lies face down."""
    if not isinstance(event, CardDrawn) or not isinstance(event.card, Card):
        return event
    lies = after.state.round.draws[-1].card
    return event.model_copy(update={"card": lies}) if isinstance(lies, Hidden) else event
