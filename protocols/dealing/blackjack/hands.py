"""Questions about the hands of a round: what they hold, whether they are finished, whose turn it is."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.blackjack.play import Hand, Play
from protocols.dealing.blackjack.totals import Read, natural, pair
from protocols.dealing.frozen import once, once_in, replace
from protocols.dealing.model import DealerFaces
from protocols.dealing.setting import Setting
from protocols.dealing.table import Draw, Round, State
from protocols.events import CardsCollected, HandSettled, PeekResult, PlayerActed
from protocols.places import box_number


def play_of(seen: Round) -> Play:
    """The round's play; every round of blackjack has one."""
    assert seen.play is not None
    return seen.play


def with_play(state: State, play: Play) -> State:
    if play is state.round.play:
        return state
    return replace(state, round=replace(state.round, play=play))


def hand_draws(seen: Round, hand: Hand) -> tuple[Draw, ...]:
    return seen.lying.at(hand.place).draws


def cards(seen: Round, hand: Hand) -> tuple[Read, ...]:
    """The hand's cards; None for one whose value is not known to all."""
    return seen.lying.at(hand.place).cards


def is_natural(seen: Round, hand: Hand) -> bool | None:
    return False if hand.split else natural(cards(seen, hand))


def is_bust(seen: Round, hand: Hand) -> bool | None:
    return seen.lying.at(hand.place).counted(split=hand.split).bust


def finished(setting: Setting, seen: Round, hand: Hand) -> bool | None:
    """Whether nothing more can come to this hand; None where that hangs on a card that is not known."""
    if hand.surrendered or hand.settled or hand.collected:
        return True
    held = seen.lying.at(hand.place)
    number = len(held.draws)
    if number >= 2 and (hand.stood or hand.stood_early or hand.aces):
        return True
    if hand.doubled is not None and number > hand.doubled:
        return True
    counted = held.counted(split=hand.split)
    full = counted.is_21 if _ends_at_21(setting, hand, number) else False
    if counted.bust or full:
        return True
    open_aces = hand.aces is None and number >= 2
    return None if open_aces or counted.bust is None or full is None else False


def _ends_at_21(setting: Setting, hand: Hand, number: int) -> bool:
    """Whether a hand of so many cards gets none any more once they make 21."""
    return (number == 2 and not hand.split) or setting.options["draw_on_21"] == "violation"


def served_its_double(seen: Round, hand: Hand) -> bool:
    """Whether the one card of a double has come."""
    return hand.doubled is not None and len(cards(seen, hand)) > hand.doubled


@once
def dealt_in(seen: Round) -> tuple[Hand, ...]:
    """The hands that got a card; a box without any is dead or is served last."""
    places = seen.lying.places
    return tuple([hand for hand in play_of(seen).hands if hand.place in places])


@once_in
def _unfinished(setting: Setting, seen: Round) -> tuple[tuple[Hand, bool], ...]:
    """The hands to which something more can come, and whether that is certain."""
    answers = [(hand, finished(setting, seen, hand)) for hand in dealt_in(seen)]
    return tuple([(hand, done is False) for hand, done in answers if not done])


def certainly_unfinished(setting: Setting, seen: Round) -> tuple[Hand, ...]:
    """The hands that wait for a card or a signal on every reading."""
    return tuple([hand for hand, certain in _unfinished(setting, seen) if certain])


def perhaps_unfinished(setting: Setting, seen: Round) -> tuple[Hand, ...]:
    """The hands of which only a card that is not known can tell whether they are finished."""
    return tuple([hand for hand, certain in _unfinished(setting, seen) if not certain])


@once_in
def current(setting: Setting, seen: Round) -> Hand | None:
    """The hand whose turn it is, None when all are finished."""
    return _first_in_turn(setting, seen, tuple([hand for hand, _ in _unfinished(setting, seen)]))


def _first_in_turn(setting: Setting, seen: Round, hands: tuple[Hand, ...]) -> Hand | None:
    """The first that is not finished; one that may be finished and asks for nothing comes after the others."""
    doubtful = None
    for hand in by_turn(setting, seen, hands):
        done = finished(setting, seen, hand)
        if done is False or (done is None and hand.signal in ("hit", "double")):
            return hand
        if done is None and doubtful is None:
            doubtful = hand
    return doubtful


def by_turn(setting: Setting, seen: Round, hands: tuple[Hand, ...]) -> tuple[Hand, ...]:
    """Hands in the order of play in the order of serving."""
    if setting.options["split_second_card"] != "at_split":
        return hands
    return tuple(sorted(hands, key=lambda hand: turn(setting, seen, hand)))


def asking(setting: Setting, seen: Round) -> Hand | None:
    """The hand that asked for a card, the first in turn where several did; one that may not get any counts only where
    the dealer may not draw either."""
    asked = [hand for hand in dealt_in(seen) if hand.signal in ("hit", "double")]
    open_hands = [hand for hand in asked if finished(setting, seen, hand) is not True]
    wrong = asked if hole_is_down(seen) and current(setting, seen) is None else []
    return min(open_hands or wrong, key=lambda hand: turn(setting, seen, hand), default=None)


def turn(setting: Setting, seen: Round, hand: Hand) -> tuple[int, bool, int]:
    """The hand's place in the order of serving: box by box, in a box from left to right; where the hands of a split
    get their second cards at once, those that wait for it come first."""
    waits = setting.options["split_second_card"] == "at_split" and hand.split and len(cards(seen, hand)) < 2
    return hand.box, not waits, play_of(seen).order[hand.place]


def up_to(setting: Setting, seen: Round, hand: Hand) -> tuple[Hand, ...]:
    """The hands with cards up to this one in the order of serving."""
    last = turn(setting, seen, hand)
    return tuple(other for other in dealt_in(seen) if turn(setting, seen, other) <= last)


def hand_at(setting: Setting, seen: Round, place: str) -> Hand | None:
    """The hand that a place names; without a letter the one of the box whose turn it is."""
    box = box_number(place)
    if box is None:
        return None
    if "/" in place:
        return play_of(seen).hand(box, place[-1])
    return hand_of_box(setting, seen, box)


def hand_of_box(setting: Setting, seen: Round, box: int) -> Hand | None:
    """The hand of the box whose turn it is, else its last one."""
    hands = play_of(seen).of_box(box)
    return _first_in_turn(setting, seen, hands) or (hands[-1] if hands else None)


def hand_to_split(setting: Setting, seen: Round, box: int) -> Hand | None:
    """The hand that a split without a letter means: the one whose turn it is, or the pair of split aces before it."""
    hand = hand_of_box(setting, seen, box)
    hands = play_of(seen).of_box(box)
    if hand is None or len(cards(seen, hand)) > 1:
        return hand
    before = hands[hands.index(hand) - 1] if hands.index(hand) else hand
    may_be_split = before.aces is not False and is_pair(setting, seen, before) is not False
    return before if may_be_split else hand


def named_hand(setting: Setting, seen: Round, event: PlayerActed) -> Hand | None:
    """The hand of an act; without a letter the one whose turn it is."""
    if event.hand:
        return play_of(seen).hand(event.box, event.hand)
    if event.action == "split":
        return hand_to_split(setting, seen, event.box)
    return hand_of_box(setting, seen, event.box)


def meant(setting: Setting, seen: Round, event: HandSettled | CardsCollected) -> tuple[Hand, ...]:
    """The hands that are settled or collected: without a letter the next one to settle, or all of the box."""
    play = play_of(seen)
    if isinstance(event, CardsCollected) and "/" not in event.from_:
        return play.of_box(box_number(event.from_) or 0)
    if isinstance(event, HandSettled) and event.hand is None:
        return tuple(hand for hand in play.of_box(event.box) if not hand.settled)[:1]
    if isinstance(event, CardsCollected):
        hand = hand_at(setting, seen, event.from_)
    else:
        hand = play.hand(event.box, event.hand or "a")
    return (hand,) if hand else ()


def is_pair(setting: Setting, seen: Round, hand: Hand) -> bool | None:
    held = cards(seen, hand)
    return pair(*held, by=str(setting.options["pair"])) if len(held) == 2 else False


def doubles(setting: Setting, seen: Round, hand: Hand) -> bool:
    """Whether a double is offered for this hand."""
    return len(cards(seen, hand)) <= 2 and (not hand.split or setting.options["double_after_split"] is True)


def splits_left(setting: Setting, seen: Round, hand: Hand) -> bool:
    """Whether the box may have one more hand, and this one come from no split ace that stays as it is."""
    most = setting.options["max_hands"]
    room = most == "none" or len(play_of(seen).of_box(hand.box)) < int(most)
    return room and (not hand.aces or setting.options["resplit_aces"] is True)


def dealer_draws_of(seen: Round) -> tuple[Draw, ...]:
    return seen.lying.at("dealer").draws


def dealer_cards(seen: Round) -> tuple[Read, ...]:
    """The dealer's cards that count; one drawn in error does not."""
    return seen.lying.at("dealer").sound


def dealer_faces(setting: Setting, seen: Round) -> DealerFaces | None:
    """How the dealer's cards of the deal lie."""
    deal = setting.procedure.deal
    return play_of(seen).faces or (deal.dealer_faces if deal else None)


@once_in
def upcard(setting: Setting, seen: Round) -> Draw | None:
    """The dealer's card that lies face up after the deal, None where nobody can say which of the two it is."""
    dealt = dealer_draws_of(seen)[: dealer_share(seen)]
    for draw in dealt:
        if draw.face == "up":
            return draw
    unseen = [draw for draw in dealt if draw.face is None]
    if len(dealt) == 2 and len(unseen) == 1:
        return unseen[0]
    fixed = dealer_faces(setting, seen) == "up_down"
    one_card = play_of(seen).method == "no-hole"
    return unseen[0] if unseen and unseen[0] is dealt[0] and (fixed or one_card) else None


def hole_card(setting: Setting, seen: Round) -> Draw | None:
    """The dealer's card that lies face down after the deal, None where nobody can say which of the two it is."""
    if play_of(seen).method == "no-hole":
        return None
    first_two, up = dealer_draws_of(seen)[:2], upcard(setting, seen)
    others = [draw for draw in first_two if draw is not up]
    certain = len(others) == 1 and (up is not None or others[0].face == "down")
    return others[0] if certain else None


def may_be_hole(setting: Setting, seen: Round, draw: Draw) -> bool:
    """Whether it is the hole card, or one of two of which nobody can say yet which that is."""
    if play_of(seen).method == "no-hole" or draw not in dealer_draws_of(seen)[:2]:
        return False
    return draw is not upcard(setting, seen)


def was_turned(seen: Round, draw: Draw) -> bool:
    """Whether a card of the deal or under a wager was turned, so that all could see it whether or not it was read."""
    if draw in dealer_draws_of(seen)[:2]:
        return play_of(seen).hole_up
    return any(hand.place == draw.place and (hand.settled or hand.collected) for hand in play_of(seen).hands)


@once
def hole_is_down(seen: Round) -> bool:
    """Whether the hole card is out and not turned; a pair of dealer's cards that both lie face up hides nothing."""
    play, first_two = play_of(seen), dealer_draws_of(seen)[:2]
    return play.method != "no-hole" and not play.hole_up and any(draw.face != "up" for draw in first_two)


def upcard_kind(setting: Setting, seen: Round) -> str | None:
    """`ace`, `ten` or `low`; None where the upcard is not known."""
    up = upcard(setting, seen)
    if up is None or not isinstance(up.card, Card):
        return None
    return "ace" if up.card.rank == "A" else "ten" if up.card.rank in "TJQK" else "low"


def beyond_deal(seen: Round, place: str) -> bool:
    """Whether a card to this place comes on top of its cards of the deal."""
    hand = play_of(seen).at.get(place)
    share = dealer_share(seen) if place == "dealer" else 2
    return (hand is not None and hand.split) or len(seen.lying.at(place).draws) >= share


@once
def players_served(seen: Round) -> bool:
    """Whether every hand that is in the round has its two cards."""
    return all(len(cards(seen, hand)) >= 2 or hand.split for hand in dealt_in(seen))


def dealer_share(seen: Round) -> int:
    """How many cards the dealer gets in the deal."""
    return 1 if play_of(seen).method == "no-hole" else 2


def card_of_play(seen: Round) -> bool:
    """Whether a card has come beyond those of the deal."""
    boxes = {hand.box for hand in dealt_in(seen)}
    return len(seen.hands) > 2 * len(boxes) + dealer_share(seen)


@once
def deal_complete(seen: Round) -> bool:
    """Whether the deal is over: two cards to each hand, the dealer's share to the dealer."""
    return bool(dealt_in(seen)) and players_served(seen) and len(dealer_draws_of(seen)) >= dealer_share(seen)


def live(seen: Round, hand: Hand) -> bool | None:
    """Whether the dealer's cards can still change what the hand wins; None where that is not certain."""
    if hand.surrendered or is_bust(seen, hand):
        return False
    beaten_by_natural = is_natural(seen, hand) is True and _dealer_may_have_natural(seen)
    if hand.settled or hand.collected:
        return None if beaten_by_natural else False
    if is_natural(seen, hand) is False:
        return None if is_bust(seen, hand) is None else True
    return True if beaten_by_natural else None if is_natural(seen, hand) is None else False


@once
def somebody_lives(seen: Round) -> bool | None:
    """Whether the dealer's cards can still change what any hand wins; None where that is not certain."""
    answers = {live(seen, hand) for hand in dealt_in(seen)}
    return True if True in answers else None if None in answers else False


def _dealer_may_have_natural(seen: Round) -> bool:
    held = dealer_cards(seen)
    if len(held) > 2 or not held or peeked(play_of(seen)) == "no_natural":
        return False
    if len(held) == 2:
        return natural(held) is not False
    return held[0] is None or held[0].rank in "ATJQK"


def peeked(play: Play) -> PeekResult | None:
    """What the reader told last; None where it told nothing."""
    return next((peek for peek in reversed(play.results) if peek in ("natural", "no_natural")), None)
