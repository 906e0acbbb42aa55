"""Rules of the shoe that all games share: burn, shuffle, cut, cutting card, cards outside a round, stock."""

from __future__ import annotations

from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.shoe import Burn
from protocols.events import CardDrawn, CardRevealed, CardsCut, CardsReplaced, CardsShuffled, CutCardPlaced
from protocols.places import box_number

_CARDS_PER_DECK = 52
_HALF_A_CARD = 0.5


def burn_missing(moment: Moment) -> Finding | None:
    burn = moment.before.shoe.burn
    if burn.unknown or burn.told or burn.miscounted or not burn.wanted:
        return None
    if moment.to_hand and burn.burned == 0 and not burn.sufficient:
        return Finding("no card was burned after the shoe was loaded", event=moment.number)
    if _burns(moment) and moment.before.round.opened and not burn.in_round:
        return Finding("this card should have been burned before the round was opened", event=moment.number)
    return None


def burn_extra(moment: Moment) -> Finding | None:
    burn = moment.before.shoe.burn
    due = burn.wanted if burn.most <= 1 else bool(burn.counts) and not burn.passed
    if not _burns(moment) or due or burn.allowed or _makes_up(burn):
        return None
    sure = not burn.unknown and not moment.before.round.blind
    return Finding("a card was burned although none was due", "violation" if sure else "unobservable", moment.number)


def burn_count(moment: Moment) -> Finding | None:
    burn, after = moment.before.shoe.burn, moment.after.shoe.burn
    if burn.unknown or burn.miscounted or burn.most <= 1 or not after.burned:
        return None
    if moment.to_hand or _burns(moment):
        return _miscounted_so_far(moment, after) if not burn.passed else None
    if isinstance(moment.event, CardRevealed) and after.counts != burn.counts and _wrongly_burned(after):
        return Finding(f"{after.burned} cards were burned, by the first of them {_counts(after)} are due")
    return None


def _miscounted_so_far(moment: Moment, burn: Burn) -> Finding | None:
    """What the first card to a hand, or one more burned, tells of the number; `burn` with that card."""
    if _wrongly_burned(burn):
        return Finding(f"{burn.burned} cards are burned, {_counts(burn)} are due", event=moment.number)
    if len(burn.counts) > 1 and (burn.passed or burn.burned > min(burn.counts)):
        return Finding("the first burned card, which tells their number, is not known", "unobservable", moment.number)
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


def shuffle_midround(moment: Moment) -> Finding | None:
    if not isinstance(moment.event, CardsShuffled | CardsReplaced) or not moment.before.round.begun:
        return None
    if not moment.before.round.opened or moment.before.shoe.emptied:
        return None
    return Finding("the cards are shuffled or changed while a round is being dealt")


def cutcard_position(moment: Moment) -> Finding | None:
    event, cards = moment.event, moment.setting.procedure.cutting_card.cards_from_back
    if not isinstance(event, CutCardPlaced) or cards is None:
        return None
    placed = event.decks_from_back * _CARDS_PER_DECK
    if abs(placed - cards) <= _HALF_A_CARD:
        return None
    return Finding(f"the cutting card lies {placed:.0f} cards from the back, it belongs {cards} from there")


def cutter_wrong(moment: Moment) -> Finding | None:
    event = moment.event
    if not isinstance(event, CardsCut) or moment.setting.procedure.cut.first is None:
        return None
    passed_over = _passed_over(event, _occupied(moment, event))
    if passed_over == frozenset():
        return None
    if passed_over is None:
        return Finding("who was offered the cut before is not known", "unobservable")
    if 0 in passed_over:
        return Finding(f"box {box_number(event.by or '')} has no player, {event.by} cannot cut")
    return Finding(f"box {min(passed_over)} should have been offered the cut first")


def _occupied(moment: Moment, event: CardsCut) -> frozenset[int] | None:
    """The boxes with a player: as told, else those of the last round; None where not known."""
    if event.occupied is not None:
        return frozenset(event.occupied)
    last = moment.before.round if moment.before.round.opened else moment.before.previous
    return (last.boxes or None) if last else None


def _passed_over(event: CardsCut, occupied: frozenset[int] | None) -> frozenset[int] | None:
    """The boxes that should have been asked before the cutter, 0 for a cutter without a player; None: not known."""
    if event.by is None:
        return None
    cutter = box_number(event.by)
    if occupied is None:
        boxes = frozenset(range(1, cutter)) if cutter else None
        return frozenset() if boxes is not None and boxes <= frozenset(event.refused or ()) else None
    if cutter is not None and cutter not in occupied:
        return frozenset({0})
    first = frozenset(box for box in occupied if cutter is None or box < cutter)
    if event.refused is None:
        return None if first else frozenset()
    return first - frozenset(event.refused)


def draw_outside_round(moment: Moment) -> Finding | None:
    event, draw = moment.event, moment.draw
    if not isinstance(event, CardDrawn) or draw is None:
        return None
    if event.outside:
        return Finding("a card was drawn while no card may leave the shoe", event=moment.number)
    if draw.outside:
        return _between_rounds(moment)
    if moment.first_card and moment.before.round.opened_faulted:
        return Finding("the round was opened while the shoe was in error", event=moment.number)
    return None


def _between_rounds(moment: Moment) -> Finding:
    setting = moment.setting
    knows = setting.observes is None or bool(setting.observes & {"positions", "signals"})
    sure = knows and not moment.before.round.blind
    return Finding("a card was drawn while no round is open", "violation" if sure else "unobservable", moment.number)


def inventory(moment: Moment) -> Finding | None:
    decks = moment.after.shoe.decks
    before, found, after = (state.shoe.stock.overdrawn(decks) for state in (moment.before, moment.found, moment.after))
    new = (found | after) - before
    if not new:
        return None
    return Finding(f"this card cannot be in the shoe: {min(new)}", event=moment.number if moment.draw else None)


def shuffle_overdue(moment: Moment) -> Finding | None:
    last = moment.after.shoe.cutting_card.last_round
    if not moment.first_card or last is None or moment.after.round.number <= last:
        return None
    return Finding(
        "the cutting card has shown, the cards have to be shuffled first",
        "violation" if moment.setting.sees("shuffle") else "unobservable",
        moment.number,
    )


def boxed_card(moment: Moment) -> Finding | None:
    """A card that was found face up in the shoe and still lies on the table."""
    lies = any(draw.boxed and not draw.gone and draw.place != "burn" for draw in moment.before.round.draws)
    if not lies:
        return None
    return Finding("the card found face up has to be burned before the next one", event=moment.number)
