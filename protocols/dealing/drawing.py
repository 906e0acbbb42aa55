"""A card that leaves the shoe, comes to another place or is shown, entered into the books. Nothing here judges.

LogError where the event names a card that was never drawn."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.frozen import replace
from protocols.dealing.remedies import boxed_card_lies, taken_away
from protocols.dealing.setting import Setting
from protocols.dealing.shoe import Burn, CuttingCard
from protocols.dealing.table import Draw, Round, State, find_draw, find_moved, see
from protocols.errors import LogError, quoted
from protocols.events import CardDrawn, CardRevealed
from protocols.hidden import Hidden, hide, opened


def drawn(setting: Setting, state: State, event: CardDrawn, number: int) -> State:
    """The state after a card was drawn, or a card drawn before was moved."""
    if event.moved is not None:
        return _moved(setting, state, event, number)
    place = _where_it_goes(setting, state, event)
    draw = Draw(
        event=number,
        origin=number,
        number=state.round.next_number,
        place=place,
        card=None,
        face=event.face,
        ref=event.ref,
        outside=bool(event.outside) or (place != "burn" and not state.round.opened),
        boxed=bool(event.boxed),
        shown=event.face == "up" or bool(event.boxed),
    )
    state = replace(state, shoe=replace(state.shoe, stock=state.shoe.stock.draw()))
    if boxed_card_lies(setting, state.round):
        state = replace(state, round=replace(state.round, disputed=True))
    down = setting.game.lies_down(setting, state, place, event.face, draw.outside) and not draw.boxed
    return _laid(setting, state, draw, event.card, down=down)


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
    if origin is None:
        return _laid(
            setting, state, draw, event.card, down=setting.game.lies_down(setting, state, place, event.face, outside)
        )
    counted = isinstance(origin.card, Card)
    lay = event.face or origin.face
    face = event.face if origin.false or origin.outside else lay
    draw = replace(draw, origin=origin.origin, face=face, uncounted=origin.uncounted)
    down = not counted and setting.game.lies_down(setting, state, place, lay, outside)
    if origin in state.round.draws:
        state = taken_away(state, origin)
    return _laid(setting, state, draw, origin.card or event.card, down=down, counted=counted)


def _laid(
    setting: Setting, state: State, draw: Draw, value: Card | Hidden | None, *, down: bool, counted: bool = False
) -> State:
    """The drawn card on the table, its value hidden where it lies face down and counted where it does not."""
    card = opened(value) if isinstance(value, Hidden) and not down else value
    if down and isinstance(card, Card):
        card = hide(card)
    draw = replace(draw, card=card)
    state = _after_draw(setting, state, draw)
    shoe = state.shoe
    if isinstance(card, Card) and not (counted or draw.uncounted):
        shoe = replace(shoe, stock=shoe.stock.see(card))
    return replace(state, shoe=shoe, round=state.round.with_card(draw))


def _after_draw(setting: Setting, state: State, draw: Draw) -> State:
    if draw.place == "burn" and not draw.boxed:
        return replace(state, shoe=replace(state.shoe, burn=_burned(setting, state.shoe.burn, draw)))
    if draw.outside or draw.boxed:
        return state
    burn = replace(state.shoe.burn, passed=True, unknown=False, allowed=False, new_dealer=False)
    cutting_card = cutting_card_placed(setting, state.shoe.cutting_card, state.round)
    shoe = replace(state.shoe, burn=burn, cutting_card=cutting_card, placed=None)
    cutting = state.cutting.card_came(draw.place, first=not state.round.begun)
    return replace(state, shoe=shoe, cutting=cutting)


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
