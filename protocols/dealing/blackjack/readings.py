"""How an event may have found a round of blackjack, where players' signals or places are not observed, or cards not
read. Nothing here judges.

Where signals are not observed an act is supposed only once an event shows it: a hand stands when a later one is served,
a pair is split when its next card may be that of a new hand, a card face down is that of a double. A hit is never
supposed, for it changes nothing; nor is a surrender but for what the dealer does at the end, where it is enough to know
whether anybody may be left."""

from __future__ import annotations

from collections.abc import Iterator

from protocols.dealing.blackjack.acts import split
from protocols.dealing.blackjack.hands import (
    asking,
    beyond_deal,
    cards,
    dealt_in,
    doubles,
    finished,
    is_natural,
    is_pair,
    live,
    meant,
    play_of,
    splits_left,
    turn,
    with_play,
)
from protocols.dealing.blackjack.play import Hand
from protocols.dealing.due.blackjack import deal_place
from protocols.dealing.frozen import replace
from protocols.dealing.setting import Reading, Setting
from protocols.dealing.table import Round, State
from protocols.events import CardDrawn, CardsCollected, HandSettled, HoleRevealed, RoundClosed, RoundOpened, TableEvent
from protocols.places import box_number


def readings(setting: Setting, state: State, event: TableEvent) -> tuple[Reading, ...]:
    """The ways to read the event, the one that supposes least first, none where it cannot have come in this history; in
    a round that is not judged only as it came."""
    seen = state.round
    if not seen.opened or seen.disputed or seen.unjudged or _says_all(setting, seen, event):
        return ((state, None),)
    if _names_no_hand(setting, seen, event):
        return ()
    return tuple(_readings(setting, state, event)) or ((state, None),)


def _says_all(setting: Setting, seen: Round, event: TableEvent) -> bool:
    """Whether nothing has to be supposed, nor the card's place to be found."""
    if not setting.sees("signals"):
        return False
    place = event.to if isinstance(event, CardDrawn) else "dealer"
    return place is not None and ("/" in place or len(play_of(seen).of_box(box_number(place) or 0)) < 2)


def _names_no_hand(setting: Setting, seen: Round, event: TableEvent) -> bool:
    """Whether a card comes to a hand that a split must have made which this history does not know."""
    place = event.to if isinstance(event, CardDrawn) and not setting.sees("signals") else None
    if place is None or "/" not in place:
        return False
    hands = play_of(seen).of_box(box_number(place) or 0)
    return bool(hands) and not any(hand.place == place for hand in hands)


def _readings(setting: Setting, state: State, event: TableEvent) -> Iterator[Reading]:
    if isinstance(event, CardDrawn):
        yield from _of_card(setting, state, event)
    elif setting.sees("signals"):
        return
    elif isinstance(event, HandSettled | CardsCollected):
        yield from _of_settlement(setting, state, event)
    elif isinstance(event, HoleRevealed | RoundClosed | RoundOpened):
        yield from _of_dealers_turn(setting, state, None)


def _of_card(setting: Setting, state: State, event: CardDrawn) -> Iterator[Reading]:
    if event.outside or event.boxed or event.moved is not None:
        return
    if event.to is None:
        yield from _of_unplaced_card(setting, state, event)
    elif event.to == "dealer":
        if beyond_deal(state.round, "dealer") and not _may_be_hole_card(state.round, event):
            yield from _of_dealers_turn(setting, state, None)
    elif (box := box_number(event.to)) is not None:
        yield from _of_box(setting, state, event, box)


def _of_box(setting: Setting, state: State, event: CardDrawn, box: int) -> Iterator[Reading]:
    """A card to a box: to the hand that is named, else to each that it may be."""
    hands = play_of(state.round).of_box(box)
    named = hands if len(hands) == 1 else tuple(hand for hand in hands if hand.place == event.to)
    if named:
        yield from _served(setting, state, event, named[0])
    else:
        yield from _of_one_of(setting, state, event, hands)


def _of_unplaced_card(setting: Setting, state: State, event: CardDrawn) -> Iterator[Reading]:
    """A card of play whose place is not observed goes to a hand, or to the dealer where none is left."""
    seen, play = state.round, play_of(state.round)
    if not (setting.sees("signals") or setting.sees("positions")) or not dealt_in(seen):
        return
    if deal_place(seen) is not None or play.hole_up or play.dealer_natural:
        return
    if _may_be_hole_card(seen, event):
        return
    yield from _of_one_of(setting, state, event, dealt_in(seen), or_dealer=True)


def _may_be_hole_card(seen: Round, event: CardDrawn) -> bool:
    """Whether the card lies face down where the dealer gets none that does."""
    return event.face == "down" and play_of(seen).method == "no-hole"


def _of_one_of(
    setting: Setting, state: State, event: CardDrawn, hands: tuple[Hand, ...], *, or_dealer: bool = False
) -> Iterator[Reading]:
    """A card to the first hand in turn that is not finished; past one that may be to the next."""
    seen = state.round
    if asking(setting, seen) is not None:
        return
    for hand in sorted(hands, key=lambda hand: turn(setting, seen, hand)):
        yield from _served(setting, state, event, hand, only_open=True)
        if not _may_be_past(setting, seen, hand):
            return
    if or_dealer:
        yield from _of_dealers_turn(setting, state, "dealer")


def _may_be_past(setting: Setting, seen: Round, hand: Hand) -> bool:
    if finished(setting, seen, hand) is not False:
        return True
    return not setting.sees("signals") and len(cards(seen, hand)) > 1


def _served(
    setting: Setting, state: State, event: CardDrawn, hand: Hand, *, only_open: bool = False
) -> Iterator[Reading]:
    """The card comes to this hand: with its last signal, or after it was split, which goes first where its place is
    named as only those of split hands are."""
    if not beyond_deal(state.round, hand.place):
        return
    place = hand.place if event.to != hand.place else None
    before, found = _after_earlier(setting, state, hand), []
    if not only_open or finished(setting, state.round, hand) is not True:
        found.append((_doubled(setting, before, event, hand), place))
    if _may_have_been_split(setting, state.round, hand):
        found.append((split(before, hand), place))
    told_by_letter = place is None and not hand.split
    yield from reversed(found) if told_by_letter else found


def _may_have_been_split(setting: Setting, seen: Round, hand: Hand) -> bool:
    if setting.sees("signals") or hand.stood or hand.settled or hand.collected or hand.surrendered:
        return False
    return is_pair(setting, seen, hand) is not False and splits_left(setting, seen, hand)


def _doubled(setting: Setting, state: State, event: CardDrawn, hand: Hand) -> State:
    """A card that lies face down came on a double, where the hand could be doubled."""
    if setting.sees("signals") or event.face != "down" or not doubles(setting, state.round, hand):
        return state
    return with_play(state, play_of(state.round).with_hand(replace(hand, doubled=len(cards(state.round, hand)))))


def _after_earlier(setting: Setting, state: State, served: Hand | None) -> State:
    """The state in which every hand before this one stands, None: every hand."""
    if setting.sees("signals"):
        return state
    seen, play = state.round, play_of(state.round)
    for hand in dealt_in(seen):
        earlier = served is None or turn(setting, seen, hand) < turn(setting, seen, served)
        if earlier and len(cards(seen, hand)) > 1 and finished(setting, seen, hand) is not True:
            play = play.with_hand(replace(hand, stood=True))
    return state if play is seen.play else with_play(state, play)


def _of_dealers_turn(setting: Setting, state: State, place: str | None) -> Iterator[Reading]:
    """Every hand has stood; or all that are left have surrendered, where they may have."""
    before = _after_earlier(setting, state, None)
    yield before, place
    if (left := _given_up(setting, before)) is not None:
        yield left, place


def _given_up(setting: Setting, state: State) -> State | None:
    seen, play = state.round, play_of(state.round)
    alive = [hand for hand in dealt_in(seen) if live(seen, hand) is True]
    if setting.sees("signals") or not alive or not all(_may_have_given_up(setting, seen, hand) for hand in alive):
        return None
    for hand in alive:
        play = play.with_hand(replace(hand, surrendered=True))
    return with_play(state, play)


def _may_have_given_up(setting: Setting, seen: Round, hand: Hand) -> bool:
    fits = len(cards(seen, hand)) == 2 and not hand.split and is_natural(seen, hand) is not True
    return fits and setting.options["surrender"] != "none"


def _of_settlement(setting: Setting, state: State, event: HandSettled | CardsCollected) -> Iterator[Reading]:
    """What is settled early leaves the other hands as they are."""
    state = _with_told_surrender(setting, state, event)
    answers = {_early(state.round, hand) for hand in meant(setting, state.round, event)}
    from_dealer = isinstance(event, CardsCollected) and event.from_ == "dealer"
    if answers and False not in answers:
        yield state, None
    if from_dealer or answers - {True}:
        yield from _of_dealers_turn(setting, state, None)


def _early(seen: Round, hand: Hand) -> bool | None:
    """Whether the hand is done with whatever the dealer gets; None where that is not certain."""
    if not cards(seen, hand) or is_natural(seen, hand) is True:
        return True
    alive = live(seen, hand)
    return None if alive is None else not alive


def _with_told_surrender(setting: Setting, state: State, event: HandSettled | CardsCollected) -> State:
    """A surrender that shows only by its settlement; where it is not offered it stays a signal."""
    if not isinstance(event, HandSettled) or event.result != "surrender":
        return state
    play = play_of(state.round)
    for hand in meant(setting, state.round, event):
        if not hand.surrendered:
            offered = _may_have_given_up(setting, state.round, hand)
            told = replace(hand, surrendered=True) if offered else replace(hand, signal="surrender", void=True)
            play = play.with_hand(told)
    return with_play(state, play)
