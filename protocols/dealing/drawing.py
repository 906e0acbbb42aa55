"""A card that leaves the shoe, comes to another place or is shown, entered into the books. Nothing here judges.

LogError where the event names a card that was never drawn."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.frozen import replace
from protocols.dealing.remedies import boxed_card_lies, taken_away
from protocols.dealing.setting import Setting
from protocols.dealing.shoe import Burn, CuttingCard
from protocols.dealing.stock import Stock
from protocols.dealing.table import Draw, Round, State, find_draw, find_moved, see
from protocols.errors import LogError, quoted
from protocols.events import CardDrawn, CardField, CardRevealed
from protocols.hidden import Hidden, hide, known_as, opened


def drawn(setting: Setting, state: State, event: CardDrawn, number: int) -> State:
    """The state after a card was drawn, or a card drawn before was moved."""
    if event.moved is not None:
        return _moved(setting, state, event, number)
    place, boxed = _where_it_goes(setting, state, event), bool(event.boxed)
    if boxed_card_lies(setting, state.round):
        state = replace(state, round=replace(state.round, disputed=True))
    outside = bool(event.outside) or (place != "burn" and not state.round.opened)
    down = setting.game.lies_down(setting, state, place, event.face, outside) and not boxed
    draw = Draw(
        event=number,
        origin=number,
        number=state.round.next_number,
        place=place,
        card=_as_it_lies(event.card, down=down),
        face=event.face,
        ref=event.ref,
        outside=outside,
        boxed=boxed,
        shown=event.face == "up" or boxed,
    )
    return _laid(setting, state, draw, _counted(state.shoe.stock.draw(), draw))


def _where_it_goes(setting: Setting, state: State, event: CardDrawn) -> str | None:
    """As observed, else where the next card is due; of one found face up in the shoe nobody knows."""
    if event.to is not None:
        return setting.game.place_of(setting, state, event.to)
    if event.outside or event.boxed:
        return None
    return setting.game.place_due(setting, state, event.face)


def _moved(setting: Setting, state: State, event: CardDrawn, number: int) -> State:
    """A card drawn in error lies at its new place as this event says; any other stays as it lay unless it says more."""
    origin = find_moved(state, event)
    if origin is None and not state.gapped:
        raise LogError(f"card.drawn: field 'moved': no card {event.moved} was drawn in this round or the one before")
    place = _where_it_goes(setting, state, event)
    outside = bool(event.outside) or not state.round.opened
    draw = Draw(number, number, None, place, None, event.face, event.ref, outside=outside)
    stock = state.shoe.stock
    if origin is None:
        down = setting.game.lies_down(setting, state, place, event.face, outside)
        draw = replace(draw, card=_as_it_lies(event.card, down=down))
        return _laid(setting, state, draw, _counted(stock, draw))
    known, lay = isinstance(origin.card, Card), event.face or origin.face
    down = not known and setting.game.lies_down(setting, state, place, lay, outside)
    draw = replace(
        draw,
        origin=origin.origin,
        card=_as_it_lies(origin.card or event.card, down=down),
        face=event.face if origin.false or origin.outside else lay,
        uncounted=origin.uncounted,
    )
    if origin in state.round.draws:
        state = taken_away(state, origin)
    return _laid(setting, state, draw, stock if known else _counted(stock, draw))


def _as_it_lies(value: CardField | None, *, down: bool) -> CardField | None:
    """The value, hidden where the card lies face down."""
    if down:
        return hide(value) if isinstance(value, Card) else value
    return known_as(value)


def _counted(stock: Stock, draw: Draw) -> Stock:
    """The stock with the card's value where that is known to all and still counts."""
    return stock.see(draw.card) if isinstance(draw.card, Card) and not draw.uncounted else stock


def _laid(setting: Setting, state: State, draw: Draw, stock: Stock) -> State:
    """The drawn card on the table; `stock` is what has left the shoe with it."""
    seen, shoe = state.round, state.shoe
    if draw.place == "burn" and not draw.boxed:
        shoe = replace(shoe, burn=_burned(setting, shoe.burn, draw), stock=stock)
        return replace(state, shoe=shoe, round=seen.with_card(draw))
    if draw.outside or draw.boxed:
        return replace(state, shoe=replace(shoe, stock=stock), round=seen.with_card(draw))
    burn = replace(shoe.burn, passed=True, unknown=False, allowed=False, new_dealer=False)
    cutting_card = cutting_card_placed(setting, shoe.cutting_card, seen)
    shoe = replace(shoe, burn=burn, cutting_card=cutting_card, placed=None, stock=stock)
    cutting = state.cutting.card_came(draw.place, first=not seen.begun)
    return replace(state, shoe=shoe, cutting=cutting, round=seen.with_card(draw))


def _burned(setting: Setting, burn: Burn, draw: Draw) -> Burn:
    burn = replace(burn, new_dealer=False, next_round=False)
    if burn.allowed:
        return replace(burn, allowed=False)
    burn = replace(burn, burned=burn.burned + 1)
    if burn.first is not None or not burn.counts:
        return burn
    known = draw.card if isinstance(draw.card, Card) else None
    return replace(burn, first=draw.event, counts=_counts_by(setting, burn, known))


def _counts_by(setting: Setting, burn: Burn, first: Card | None) -> frozenset[int]:
    """How many cards may be burned in all, now that the first of them is known or not."""
    by_value = setting.procedure.burn.count == "by_first_card"
    return setting.game.burn_counts(setting, first) if by_value else burn.counts


def cutting_card_placed(setting: Setting, cutting_card: CuttingCard, seen: Round) -> CuttingCard:
    """A card goes to a hand of the round `seen`: a cutting card that showed before it lies in this round."""
    if not cutting_card.shown:
        return cutting_card
    last = setting.game.last_round(setting, seen)
    return CuttingCard(last_round=min(last, cutting_card.last_round or last))


def revealed(setting: Setting, state: State, event: CardRevealed) -> State:
    """The state after the value of a card drawn before became known."""
    if event.draw is None and event.ref is None:
        raise LogError("card.revealed: field 'draw' or 'ref' is missing")
    draw = find_draw(state, event)
    if draw is None:
        if state.gapped:
            return state
        name = f"{event.draw}" if event.draw is not None else f"with ref {quoted(event.ref)}"
        raise LogError(f"card.revealed: no card {name} was drawn in this round or the one before")
    card = opened(event.card) if isinstance(event.card, Hidden) else event.card
    state = see(state, draw, card).with_draws(
        lambda old: replace(old, shown=True) if old.origin == draw.origin else old
    )
    burn = state.shoe.burn
    if burn.first == draw.event:
        burn = replace(burn, counts=_counts_by(setting, burn, card))
        state = replace(state, shoe=replace(state.shoe, burn=burn))
    return state
