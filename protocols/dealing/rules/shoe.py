"""Rules of the shoe that all games share: burn, shuffle, cards outside a round, stock."""

from __future__ import annotations

from protocols.dealing.remedies import boxed_card_lies
from protocols.dealing.rules.finding import Finding, Moment, first_card, on
from protocols.dealing.shoe import Burn
from protocols.events import CardDrawn, CardRevealed, CardsReplaced, CardsShuffled


@on(CardDrawn)
def burn_missing(moment: Moment) -> Finding | None:
    burn = moment.before.shoe.burn
    if burn.unknown or burn.told or not burn.wanted:
        return None
    if moment.to_hand and burn.burned == 0 and not burn.sufficient:
        return Finding("no card was burned, although one is due before the round")
    if _burns(moment) and moment.before.round.opened and not burn.in_round:
        return Finding("this card should have been burned before the round was opened")
    return None


@on(CardDrawn)
def burn_extra(moment: Moment) -> Finding | None:
    if not _burns(moment):
        return None
    burn = moment.before.shoe.burn
    due = not burn.passed if burn.several else burn.wanted
    if due or burn.allowed or _makes_up(burn):
        return None
    sure = not burn.unknown and not moment.before.round.blind
    return Finding("a card was burned although none was due", "violation" if sure else "unobservable")


@on(CardDrawn, CardRevealed)
def burn_count(moment: Moment) -> Finding | None:
    burn, after = moment.before.shoe.burn, moment.after.shoe.burn
    if burn.unknown or burn.miscounted or not burn.several or not after.burned:
        return None
    if moment.to_hand or _burns(moment):
        return _miscounted_so_far(moment, after) if not burn.passed else None
    if isinstance(moment.event, CardRevealed) and after.counts != burn.counts and _wrongly_burned(after):
        return Finding(f"{after.burned} cards were burned, by the first of them {_counts(after)} are due")
    return None


def _miscounted_so_far(moment: Moment, burn: Burn) -> Finding | None:
    """What the first card to a hand, or one more burned, tells of the number; `burn` with that card."""
    if _wrongly_burned(burn):
        return Finding(f"{burn.burned} cards are burned, {_counts(burn)} are due")
    by_value = moment.setting.procedure.burn.count == "by_first_card"
    if by_value and len(burn.counts) > 1 and (burn.passed or burn.burned > min(burn.counts)):
        return Finding("the first burned card, which tells their number, is not known", "unobservable")
    return None


def _wrongly_burned(burn: Burn) -> bool:
    return burn.burned > burn.most or (burn.passed and not burn.sufficient)


def _makes_up(burn: Burn) -> bool:
    """Whether this card makes good a burn that was reported as missing or too short."""
    return (burn.told or burn.miscounted) and burn.burned < burn.most


def _burns(moment: Moment) -> bool:
    draw = moment.draw
    return draw is not None and draw.place == "burn" and not draw.boxed


def _counts(burn: Burn) -> str:
    least, most = min(burn.counts), burn.most
    return str(most) if least == most else f"{least} to {most}"


@on(CardsShuffled, CardsReplaced)
def shuffle_midround(moment: Moment) -> Finding | None:
    if not isinstance(moment.event, CardsShuffled | CardsReplaced) or not moment.before.round.begun:
        return None
    if moment.before.shoe.emptied:
        return None
    return Finding("the cards are shuffled or changed while a round is being dealt")


@on(CardDrawn)
def draw_outside_round(moment: Moment) -> Finding | None:
    event, draw = moment.event, moment.draw
    if not isinstance(event, CardDrawn) or draw is None:
        return None
    if event.outside:
        return Finding("a card was drawn while no card may leave the shoe")
    if draw.outside:
        return _between_rounds(moment)
    if moment.first_card and moment.before.round.opened_faulted:
        return Finding("the round was opened while the shoe was in error")
    return None


def _between_rounds(moment: Moment) -> Finding:
    setting = moment.setting
    knows = setting.observes is None or bool(setting.observes & {"positions", "signals"})
    sure = knows and not moment.before.round.blind
    return Finding("a card was drawn while no round is open", "violation" if sure else "unobservable")


def inventory(moment: Moment) -> Finding | None:
    before, found, after = moment.before.shoe.stock, moment.found.shoe.stock, moment.after.shoe.stock
    if before is found is after:
        return None
    decks = moment.after.shoe.decks
    over = after.overdrawn(decks)
    if found is not before:
        over |= found.overdrawn(decks)
    new = over - before.overdrawn(decks) if over else over
    if not new:
        return None
    return Finding(f"this card cannot be in the shoe: {min(new)}")


@on(CardDrawn, when=first_card)
def shuffle_overdue(moment: Moment) -> Finding | None:
    last = moment.after.shoe.cutting_card.last_round
    if not moment.first_card or last is None or moment.after.round.number <= last:
        return None
    return Finding(
        "the cutting card has shown, the cards have to be shuffled first",
        "violation" if moment.setting.sees("shuffle") else "unobservable",
    )


def boxed_card(moment: Moment) -> Finding | None:
    """A card comes while one that was found face up in the shoe still lies on the table."""
    if not isinstance(moment.event, CardDrawn) or not boxed_card_lies(moment.setting, moment.before.round):
        return None
    return Finding("the card found face up has to be burned before the next one")
