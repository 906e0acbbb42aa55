"""Rules of a round that all games share: calls, wagers, values that change, acts that the game does not have."""

from __future__ import annotations

from protocols.dealing.due.calls import told
from protocols.dealing.rules.finding import Finding, Moment, first_card, on
from protocols.dealing.table import find_draw
from protocols.events import CardDrawn, CardRevealed, InsuranceOpened, MethodSelected, ReaderPeeked, WagerChanged
from protocols.hidden import known_as


@on(CardDrawn, when=first_card)
def nmb_missing(moment: Moment) -> Finding | None:
    if not moment.first_card or "no_more_bets" not in moment.setting.procedure.calls.required:
        return None
    seen = moment.before.round
    if seen.called is False or (told(moment.setting) and seen.called is None):
        return Finding("no more bets was not called before the first card")
    return None


@on(WagerChanged)
def wager_changed(moment: Moment) -> Finding | None:
    if not isinstance(moment.event, WagerChanged) or not moment.before.round.begun:
        return None
    return Finding(f"a wager in box {moment.event.box} was changed after the first card")


@on(CardRevealed)
def reader_mismatch(moment: Moment) -> Finding | None:
    event = moment.event
    draw = find_draw(moment.before, event) if isinstance(event, CardRevealed) else None
    if draw is None or not isinstance(event, CardRevealed):
        return None
    was, now = known_as(draw.card), known_as(event.card)
    if was is None or now is None or was.could_be(now):
        return None
    seen = moment.before.round
    of = seen.number if draw in seen.draws else seen.number - 1
    return Finding(f"the card turned is {now}, it was drawn as {was}", round=of)


@on(ReaderPeeked)
def peek_in_no_peek_mode(moment: Moment) -> Finding | None:
    return Finding("a reader was used, this game has none") if isinstance(moment.event, ReaderPeeked) else None


@on(InsuranceOpened)
def insurance_without_ace(moment: Moment) -> Finding | None:
    return Finding("insurance was offered without an ace") if isinstance(moment.event, InsuranceOpened) else None


@on(MethodSelected)
def method_unreachable(moment: Moment) -> Finding | None:
    if not isinstance(moment.event, MethodSelected):
        return None
    return Finding(f"{moment.event.procedure!r} cannot be chosen, this game has one method")
