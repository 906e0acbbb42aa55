"""What a shoe that was away tells late, brought together with what a supervisor entered meanwhile, so that no card is
counted twice. Pure.

Cards that leave a shoe have an order: the first that it tells late is the first that was entered by hand and not told
yet. Where both are the same, a record says so. Where they are not, neither wins: what was entered stays in the books,
the record has both, and a supervisor decides. Nothing told here lets anybody conclude what lies face down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from controller.by_hand import RECONCILED, REVEAL, SHOE, UNLIKE, ByHand, Entered, Instead
from protocols.cards import Card
from protocols.dealing.check import Check
from protocols.dealing.table import Draw
from protocols.events import CardDrawn, CardRevealed, LogGap, TableEvent
from protocols.hidden import Hidden, can_be_one, hide, known_as
from protocols.records import DeviceReported, Fact, LinkChanged, LinkState, SecurityNoted


@dataclass(frozen=True, slots=True)
class ShoeLine:
    """Whether the shoe can tell its cards now. `telling`: it is on its way back and has begun to tell."""

    state: LinkState = "absent"
    telling: bool = False

    @property
    def is_late(self) -> bool:
        """Whether what the shoe tells now may have been entered by hand before."""
        return self.state != "ready"

    def after(self, fact: Fact) -> ShoeLine:
        match fact:
            case LinkChanged(device="shoe"):
                return ShoeLine(fact.now, self.telling and fact.now == "handshake")
            case TableEvent(actor="shoe", seq=int()) | DeviceReported(device="shoe", data={"eseq": int()}):
                return replace(self, telling=self.is_late)
        return self

    def instead(self, check: Check) -> Instead | None:
        """Why a person may enter a card now, None where the shoe does."""
        if check.state.shoe.faulted:
            return "faulted"
        return "away" if self.state not in ("ready", "stalled") and not self.telling else None

    @property
    def objection(self) -> str:
        """Why nobody else enters a card now."""
        if self.telling:
            return "the shoe is coming back and tells its cards itself: wait until it is ready"
        if self.state == "stalled":
            return "the shoe has been silent for a moment: it tells its cards, or its link is lost, soon"
        return "the shoe is in order and tells its cards itself (a card that it could not read: card.revealed)"


AWAY: Final = ShoeLine()
Value = Card | Hidden | None


def brought_together(fact: Fact, entered: Entered, check: Check, *, late: bool) -> tuple[Fact, ...] | None:
    """What a fact of the shoe becomes where it is about a card by hand, None where it is not. `late`: the shoe has not
    told everything yet that happened while it was away."""
    match fact:
        case CardDrawn(actor="shoe", ref=str(), moved=None) if late and entered.waiting:
            return tuple(_drawn(fact, entered.waiting[0], check))
        case CardDrawn(actor="shoe", ref=str(), moved=None) if late and _may_lie_down(fact.to, check):
            return tuple(_out_of_sight(fact))
        case CardRevealed(actor="shoe", ref=str() as ref) if ref in entered.told:
            return tuple(_revealed(fact, entered.told[ref], check))
        case CardRevealed(actor="shoe", ref=str() as ref) if late and _is_unread(ref, check):
            return (_kept(fact),) if _may_lie_down(None, check) else None
    return None


def left_over(fact: Fact, entered: Entered) -> tuple[Fact, ...]:
    """The record of the cards by hand that the shoe will not tell any more, where this fact means that."""
    over = isinstance(fact, LogGap) or (isinstance(fact, LinkChanged) and (fact.device, fact.now) == (SHOE, "ready"))
    if not over or not entered.waiting:
        return ()
    return (DeviceReported(SHOE, "unconfirmed", {"cards": [each.named for each in entered.waiting]}),)


def turned(entered: Entered, told: Mapping[str, Hidden], check: Check) -> Iterator[Fact]:
    """What is to be said of cards by hand, told by the shoe while they lay face down, that lie open now. `told`: by
    the shoe's name of the card."""
    if not entered.lying:
        return
    values = check.values()
    for ref in sorted(entered.lying):
        card = entered.told[ref]
        value = values.get(card.event or 0)
        if not isinstance(value, Card) or ref not in told:
            continue
        data = {"ref": ref, **card.named, "turned": True}
        if can_be_one(value, told[ref]):
            yield DeviceReported(SHOE, RECONCILED, data)
        else:
            shown = _shown(card, known_as(told[ref])) if _all_open(check) else {}
            yield from _unlike(data, card, _shown(card, value), shown)


def remarks(entered: Entered) -> Iterator[str]:
    """What dealer and supervisor have to know of cards by hand."""
    for each in entered.unlike:
        yield f"{in_words(each)}: entered by hand and told otherwise by the shoe, a supervisor decides"


def _may_lie_down(place: str | None, check: Check, taken_for: ByHand | None = None) -> bool:
    """Whether what the shoe tells of a card at this place may be about one that was entered and lies face down: one
    card too few or too many, or a gap, and those that follow are told as others. `taken_for`: what it seems to be."""
    return any(_hidden_by_hand(check, taken_for)) and not _is_open(place, check, taken_for)


def _hidden_by_hand(check: Check, but: ByHand | None = None) -> Iterator[Draw]:
    """The cards that lie face down and have no name of the shoe's, for a person entered them; all `but` one."""
    for draw in check.state.draws:
        told = draw.ref is not None or draw.shown or isinstance(draw.card, Card)
        if not told and (but is None or draw.origin != but.event):
            yield draw


def _is_unread(ref: str, check: Check) -> bool:
    """Whether the card of this name was drawn and its value is not known."""
    return any(draw.ref == ref and draw.card is None for draw in check.state.draws)


def _out_of_sight(fact: CardDrawn) -> Iterator[Fact]:
    """The card without its value, which is kept sealed."""
    yield fact.model_copy(update={"card": None})
    if fact.card is not None:
        yield _kept(fact)


def _kept(fact: CardDrawn | CardRevealed) -> DeviceReported:
    """The value that the shoe tells of a card, out of sight."""
    return DeviceReported(SHOE, REVEAL, *_sealed({"eseq": fact.seq, "ref": fact.ref}, fact.card))


def _drawn(fact: CardDrawn, card: ByHand, check: Check) -> Iterator[Fact]:
    data = {"eseq": fact.seq, "ref": fact.ref, **card.named}
    value = _value(card, check)
    if _differ(card.to, fact.to):
        yield from _unlike(data, card, {"to": card.to}, {"to": fact.to})
    elif isinstance(value, Hidden) or can_be_one(value, fact.card):
        yield from _same(fact, data, card, value, check)
    elif fact.to is not None and card.event is not None and _is_open(card.to, check):
        yield from _unlike(data, card, _shown(card, value), _shown(card, known_as(fact.card)))
    else:
        yield from _unlike(data, card, _shown(card, value), {}, _as_hidden(fact.card))


def _same(fact: CardDrawn, data: dict[str, Any], card: ByHand, value: Value, check: Check) -> Iterator[Fact]:
    """The shoe confirms the card; what it tells of one that nobody could read is taken from it."""
    late = _late_value(card, fact.card, value)
    if late is not None and not check.stays_down(late) and not _may_lie_down(fact.to, check, card):
        yield DeviceReported(SHOE, RECONCILED, data)
        yield late
    elif isinstance(value, Hidden) or late is not None:
        yield DeviceReported(SHOE, RECONCILED, *_sealed(data, fact.card))
    else:
        yield DeviceReported(SHOE, RECONCILED, data)


def _late_value(card: ByHand, told: Value, value: Value) -> CardRevealed | None:
    """The event by which the check learns a value that nobody entered."""
    if told is None or value is not None or card.event is None:
        return None
    return CardRevealed(draw=card.draw, card=told, actor=SHOE)


def _revealed(fact: CardRevealed, card: ByHand, check: Check) -> Iterator[Fact]:
    """A value that the shoe had withheld, of a card by hand of this round."""
    data = {"eseq": fact.seq, "ref": fact.ref, **card.named}
    value = _value(card, check)
    by_draw = fact.model_copy(update={"ref": None, "draw": card.draw})
    if value is None and not check.stays_down(by_draw) and not _may_lie_down(None, check, card):
        yield by_draw
    elif not isinstance(value, Card):
        yield DeviceReported(SHOE, REVEAL, *_sealed(data, fact.card))
    elif can_be_one(value, fact.card):
        yield DeviceReported(SHOE, REVEAL, data)
    else:
        yield from _unlike(data, card, _shown(card, value), {}, _as_hidden(fact.card))


def _unlike(
    data: dict[str, Any], card: ByHand, entered: dict[str, Any], told: dict[str, Any], value: Hidden | None = None
) -> Iterator[Fact]:
    """Both, as far as everybody may know them; `value`: what is kept sealed of what the shoe tells."""
    if value is not None:
        data, value = _sealed(data, value)
    both = {**data, "entered": entered, "told": told}
    yield DeviceReported(SHOE, UNLIKE, both, value)
    yield SecurityNoted("card_mismatch", SHOE, f"{in_words(card)}: the shoe tells another one than was entered by hand")


def in_words(card: ByHand) -> str:
    """`round 12, card 4`"""
    return f"round {card.round}, card {card.draw}"


def _sealed(data: dict[str, Any], value: Value) -> tuple[dict[str, Any], Hidden | None]:
    hidden = _as_hidden(value)
    return (data, None) if hidden is None else ({**data, "withheld": True}, hidden)


def _as_hidden(value: Value) -> Hidden | None:
    return hide(value) if isinstance(value, Card) else value


def _value(card: ByHand, check: Check) -> Value:
    """What the books have of the card, as far as it may still be told."""
    return card.card if card.event is None else check.values().get(card.event)


def _differ(entered: str | None, told: str | None) -> bool:
    """Whether these are two places; a box is its first hand."""
    return entered is not None and told is not None and entered.removesuffix("/a") != told.removesuffix("/a")


def _is_open(place: str | None, check: Check, but: ByHand | None = None) -> bool:
    """Whether this is a box where everything `but` one card lies open, so that no value told of it can be one face
    down."""
    here = [draw for draw in check.state.draws if draw.place and not _differ(draw.place, place)]
    known = all(isinstance(draw.card, Card) for draw in here if but is None or draw.origin != but.event)
    return (place or "").startswith("box:") and known


def _all_open(check: Check) -> bool:
    """Whether no hand has a card that lies face down, and nothing else does that a person entered."""
    hands = all(isinstance(draw.card, Card) for draw in check.state.draws if draw.to_hand)
    return hands and not any(_hidden_by_hand(check))


def _shown(card: ByHand, value: Value) -> dict[str, Any]:
    return {"to": card.to, "card": str(value)} if isinstance(value, Card) else {"to": card.to}
