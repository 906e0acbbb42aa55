"""Rules of the hole-card reader: when it is used, what it told, and the method once it fails."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import (
    card_of_play,
    dealer_cards,
    dealer_draws_of,
    hole_card,
    peeked,
    play_of,
    upcard_kind,
)
from protocols.dealing.blackjack.method import own_method, selectable
from protocols.dealing.blackjack.totals import natural
from protocols.dealing.due.blackjack import insurance_is_open, peek_due
from protocols.dealing.rules import rounds
from protocols.dealing.rules.finding import Finding, Moment, doubtful, on
from protocols.dealing.rules.hands import of_play
from protocols.errors import quoted
from protocols.events import CardDrawn, CardRevealed, HoleRevealed, MethodSelected, ReaderPeeked
from protocols.hidden import known_as
from protocols.verdicts import Outcome


@on(MethodSelected)
def method_unreachable(moment: Moment) -> Finding | None:
    event = moment.event
    if not isinstance(event, MethodSelected):
        return None
    answer = selectable(moment.setting, moment.before, event.procedure)
    outcome: Outcome = "unobservable" if answer is None else "violation"
    return None if answer else Finding(f"{quoted(event.procedure)} cannot be reached from here", outcome)


def _peek(moment: Moment) -> bool:
    return isinstance(moment.event, ReaderPeeked)


@on(ReaderPeeked)
def peek_in_no_peek_mode(moment: Moment) -> Finding | None:
    if not _peek(moment):
        return None
    peeks = own_method(moment.setting) == "peek" and play_of(moment.before.round).method == "peek"
    if peeks and not moment.before.reader.faulted:
        return None
    return Finding("the reader must not be used in this method")


@on(ReaderPeeked)
def peek_device_not_approved(moment: Moment) -> Finding | None:
    if not _peek(moment) or moment.setting.options.get("scanner_approved") is not False:
        return None
    return Finding("this reader is not approved")


@on(ReaderPeeked)
def peek_forbidden_upcard(moment: Moment) -> Finding | None:
    if not _peek(moment):
        return None
    kind = upcard_kind(moment.setting, moment.before.round)
    if kind == "low":
        return Finding("the reader is used under an ace or ten only")
    return Finding("the upcard is not known", "unobservable") if kind is None else None


@on(ReaderPeeked)
def peek_repeated(moment: Moment) -> Finding | None:
    play = play_of(moment.before.round)
    if not _peek(moment) or not play.peeks:
        return None
    if play.results[-1] == "error" and not play.card_since_peek:
        return None
    return Finding("the reader was used in this round already")


@on(ReaderPeeked)
def peek_before_insurance_closed(moment: Moment) -> Finding | None:
    setting, seen = moment.setting, moment.before.round
    if not _peek(moment):
        return None
    if not insurance_is_open(setting, play_of(seen)) or upcard_kind(setting, seen) != "ace":
        return None
    return Finding("insurance has to be closed before the reader is used")


@on(HoleRevealed)
@on(CardDrawn, when=of_play)
def peek_missing(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not (isinstance(moment.event, HoleRevealed) or of_play(moment)) or "peek_missing" in seen.reported:
        return None
    due = peek_due(moment.setting, seen) if seen.opened else False
    if due is False or (due is None and card_of_play(seen)):
        return None
    outcome: Outcome = "violation" if due else "unobservable"
    return Finding("under this upcard the reader has to be used", outcome)


def reader_mismatch(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if not isinstance(event, HoleRevealed):
        return None
    hole, shown = hole_card(moment.setting, seen), known_as(event.card)
    drawn = [known_as(draw.card) for draw in ((hole,) if hole else dealer_draws_of(seen)[:2])]
    if shown is not None and drawn and not any(card is None or card.could_be(shown) for card in drawn):
        return Finding(f"the card turned is {shown}, it was drawn as {drawn[0]}")
    return _wrongly_read(moment)


def _wrongly_read(moment: Moment) -> Finding | None:
    said = peeked(play_of(moment.before.round))
    held = dealer_cards(moment.after.round)
    if said is None or len(held) != 2 or (turned := natural(held)) == (said == "natural"):
        return None
    objection = Finding(f"the reader said {said.replace('_', ' ')}, the cards say otherwise")
    return doubtful(objection) if turned is None else objection


@on(CardRevealed, HoleRevealed)
def card_mismatch(moment: Moment) -> Finding | None:
    """A card shown by the shoe that is not the one it drew."""
    return rounds.reader_mismatch(moment) if isinstance(moment.event, CardRevealed) else reader_mismatch(moment)
