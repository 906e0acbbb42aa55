"""Rules of the baccarat coup."""

from __future__ import annotations

from protocols.dealing.baccarat import BreachCode, Judgement, next_of_deal
from protocols.dealing.coups import FINISHING, coup_of, face_due, judged, uncertain, waits_for_turning
from protocols.dealing.frozen import once
from protocols.dealing.rules.finding import SETTLING, Find, Finding, Moment, first_card, on
from protocols.dealing.rules.shoe import boxed_card
from protocols.dealing.table import Draw, Round, find_moved
from protocols.events import CardDrawn, CardRevealed, HandsTurned, ResultReported
from protocols.verdicts import Outcome

_WRONG = {
    "bac_draw_on_natural": "with an eight or nine on the table nobody draws",
    "bac_draw": "by the table of draws this card was not due",
    "bac_missing_third": "by the table of draws a further card was due",
    "result_mismatch": "the shoe's result is not what the cards say",
}


def breach(code: BreachCode) -> Find:
    """The rule that finds this breach of the tableau, as soon as no reading of the cards is legal any more."""

    def find(moment: Moment) -> Finding | None:
        seen = _broken_coup(moment)
        judgement = judged(seen) if seen else None
        if seen is None or judgement is None or judgement.likeliest.code != code:
            return None
        if judgement.legal:
            return (
                Finding(f"judged when the cards are known: {_WRONG[code]}", "unobservable") if _acts(moment) else None
            )
        return _certain(moment, seen, judgement)

    return find


def _certain(moment: Moment, seen: Round, judgement: Judgement) -> Finding:
    worst = judgement.likeliest
    wrong = None if worst.position is None else seen.hands[worst.position]
    if wrong is None or wrong.event == moment.number:
        return Finding(_WRONG[worst.code], round=seen.number)
    name = f"card {wrong.number}" if wrong.number else "the card that was moved"
    return Finding(f"{name} of the coup: {_WRONG[worst.code]}", event=wrong.event, round=seen.number)


def _changed_coup(moment: Moment) -> Round | None:
    """The coup of which this event tells something new."""
    for before, after in ((moment.before.round, moment.same_round), (moment.before.previous, moment.after.previous)):
        if before is after or before is None or after is None or before.number != after.number:
            continue
        if coup_of(before) != coup_of(after):
            return after
    return None


@once
def _broken_coup(moment: Moment) -> Round | None:
    """The coup that the event makes wrong on some reading."""
    seen = _changed_coup(moment)
    judgement = judged(seen) if seen else None
    return seen if judgement and judgement.breaches else None


def _acts(moment: Moment) -> bool:
    return moment.to_hand or not isinstance(moment.event, CardRevealed)


@on(CardDrawn)
def extra_card(moment: Moment) -> Finding | None:
    draw = _dealt(moment)
    if draw is None or draw.place is None:
        return None
    if sum(card.place == draw.place for card in moment.before.round.hands) < 2:
        return None
    return Finding(f"the {draw.place} has two cards already")


@on(CardDrawn)
def order(moment: Moment) -> Finding | None:
    if "order" in moment.before.round.reported:
        return None
    if boxed := boxed_card(moment):
        return boxed
    if wrong := _wrongly_moved(moment):
        return wrong
    draw = _dealt(moment)
    due = next_of_deal(coup_of(moment.before.round).sides)
    if draw is None or draw.place == due:
        return None
    return Finding(f"the next card goes to the {due}")


def _wrongly_moved(moment: Moment) -> Finding | None:
    event = moment.event
    origin = find_moved(moment.before, event) if isinstance(event, CardDrawn) and event.moved else None
    if origin is None:
        return None
    if moment.setting.options["error_card"] == "burn":
        return Finding("a card drawn in error is burned, it serves no coup")
    if origin.shown:
        return Finding("a card drawn in error and seen is burned")
    if not (origin.false or origin.outside) or origin.gone:
        return _soundly_drawn(moment, origin)
    seen = moment.before.round
    if seen.first_card and origin.event < seen.first_card.event:
        return Finding("a card drawn in error can only be the first of the next coup")
    return None


def _soundly_drawn(moment: Moment, origin: Draw) -> Finding:
    """A card that is moved although it is not known to be drawn in error."""
    rounds = (moment.before.round, moment.before.previous)
    coup = next(seen for seen in rounds if seen and origin in seen.draws)
    outcome: Outcome = "unobservable" if not origin.gone and uncertain(coup) else "violation"
    return Finding("only a card drawn in error may be carried", outcome)


def _dealt(moment: Moment) -> Draw | None:
    """The card of this event, where it came while the four cards were being dealt."""
    return moment.draw if moment.to_hand and not coup_of(moment.before.round).complete else None


@on(CardDrawn)
def face(moment: Moment) -> Finding | None:
    draw, event = moment.draw, moment.event
    if draw is None or not isinstance(event, CardDrawn) or event.face is None or draw.outside or draw.boxed:
        return None
    due = face_due(moment.setting, moment.before, draw.place)
    if due is None or due == event.face:
        return None
    return Finding(f"this card has to lie face {due}")


@on(HandsTurned, ResultReported, *SETTLING)
def missing_card(moment: Moment) -> Finding | None:
    seen = moment.before.round
    needs = ("hands.turned", "result.reported") if not seen.begun else ("hands.turned", "round.opened", *FINISHING)
    if moment.event.name not in needs or not seen.opened or coup_of(seen).complete:
        return None
    if seen.reported & {"order", "missing_card"}:
        return None
    return Finding("the four cards of the coup are not complete")


@on(CardDrawn)
def reveal_order(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not moment.to_hand or not coup_of(seen).complete or "reveal_order" in seen.reported:
        return None
    if not moment.setting.sees("signals") or not waits_for_turning(moment.setting, seen):
        return None
    return Finding("the four cards have to be turned before a third card")


@on(CardDrawn, when=first_card)
def bac_extra_coup(moment: Moment) -> Finding | None:
    last = moment.after.shoe.cutting_card.last_round
    if not moment.first_card or last is None or moment.after.round.number <= last:
        return None
    return Finding("the cutting card has ended this shoe")
