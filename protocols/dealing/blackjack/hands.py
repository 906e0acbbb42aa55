"""Questions about the hands of a round: what they hold, whether they are finished, whose turn it is."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.blackjack.play import Hand, Play
from protocols.dealing.blackjack.totals import Read, bust, is_21, natural, pair
from protocols.dealing.setting import Setting
from protocols.dealing.table import Draw, Round
from protocols.places import box_number


def play_of(seen: Round) -> Play:
    """The round's play; every round of blackjack has one."""
    assert seen.play is not None
    return seen.play


def hand_draws(seen: Round, hand: Hand) -> tuple[Draw, ...]:
    return tuple(draw for draw in seen.hands if draw.place == hand.place)


def cards(seen: Round, hand: Hand) -> tuple[Read, ...]:
    """The hand's cards; None for one whose value is not known to all."""
    return tuple(draw.card if isinstance(draw.card, Card) else None for draw in hand_draws(seen, hand))


def is_natural(seen: Round, hand: Hand) -> bool | None:
    return False if hand.split else natural(cards(seen, hand))


def is_bust(seen: Round, hand: Hand) -> bool | None:
    return bust(cards(seen, hand))


def finished(setting: Setting, seen: Round, hand: Hand) -> bool | None:
    """Whether nothing more can come to this hand; None where that hangs on a card that is not known."""
    held = cards(seen, hand)
    if hand.surrendered or hand.settled or hand.collected:
        return True
    if len(held) >= 2 and (hand.stood or hand.stood_early):
        return True
    if hand.doubled is not None and len(held) > hand.doubled:
        return True
    if hand.aces and len(held) >= 2:
        return True
    forbidden = setting.options["draw_on_21"] == "violation"
    answers = [bust(held), is_natural(seen, hand), is_21(held) if forbidden else False]
    if True in answers:
        return True
    return None if None in answers else False


def dealt_in(seen: Round) -> tuple[Hand, ...]:
    """The hands that got a card; a box without any is dead or is served last."""
    return tuple(hand for hand in play_of(seen).hands if cards(seen, hand))


def current(setting: Setting, seen: Round) -> Hand | None:
    """The hand whose turn it is, None when all are finished. A hand that may be finished counts as finished only
    once a later one was served."""
    return next((hand for hand in dealt_in(seen) if finished(setting, seen, hand) is not True), None)


def certainly_unfinished(setting: Setting, seen: Round) -> tuple[Hand, ...]:
    """The hands that wait for a card or a signal on every reading."""
    return tuple(hand for hand in dealt_in(seen) if finished(setting, seen, hand) is False)


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
    waiting = (hand for hand in hands if finished(setting, seen, hand) is not True)
    return next(waiting, hands[-1] if hands else None)


def is_pair(setting: Setting, seen: Round, hand: Hand) -> bool | None:
    held = cards(seen, hand)
    return pair(*held, by=str(setting.options["pair"])) if len(held) == 2 else False


def dealer_draws_of(seen: Round) -> tuple[Draw, ...]:
    return tuple(draw for draw in seen.hands if draw.place == "dealer")


def dealer_cards(seen: Round) -> tuple[Read, ...]:
    return tuple(draw.card if isinstance(draw.card, Card) else None for draw in dealer_draws_of(seen))


def upcard(setting: Setting, seen: Round) -> Draw | None:
    """The dealer's card that lies face up after the deal, None where nobody can say which of the two it is."""
    first_two = dealer_draws_of(seen)[:2]
    up = [draw for draw in first_two if draw.face == "up"]
    if up:
        return up[0]
    down = [draw for draw in first_two if draw.face == "down"]
    if down and len(first_two) == 2:
        return next(draw for draw in first_two if draw is not down[0])
    fixed = setting.procedure.deal.dealer_faces == "up_down" if setting.procedure.deal else False
    one_card = play_of(seen).method == "no-hole"
    return first_two[0] if first_two and (fixed or one_card) else None


def hole_card(setting: Setting, seen: Round) -> Draw | None:
    """The dealer's card that lies face down after the deal."""
    if play_of(seen).method == "no-hole":
        return None
    first_two, up = dealer_draws_of(seen)[:2], upcard(setting, seen)
    others = [draw for draw in first_two if up is None or draw.event != up.event]
    return others[0] if up is not None and others else next((draw for draw in others if draw.face == "down"), None)


def upcard_kind(setting: Setting, seen: Round) -> str | None:
    """`ace`, `ten` or `low`; None where the upcard is not known."""
    up = upcard(setting, seen)
    if up is None or not isinstance(up.card, Card):
        return None
    return "ace" if up.card.rank == "A" else "ten" if up.card.rank in "TJQK" else "low"


def players_served(seen: Round) -> bool:
    """Whether every hand that is in the round has its two cards."""
    return all(len(cards(seen, hand)) >= 2 or hand.split for hand in dealt_in(seen))


def dealer_share(seen: Round) -> int:
    """How many cards the dealer gets in the deal."""
    return 1 if play_of(seen).method == "no-hole" else 2


def deal_complete(seen: Round) -> bool:
    """Whether the deal is over: two cards to each hand, the dealer's share to the dealer."""
    return bool(dealt_in(seen)) and players_served(seen) and len(dealer_draws_of(seen)) >= dealer_share(seen)


def live(seen: Round, hand: Hand) -> bool | None:
    """Whether the dealer's cards can still change what the hand wins; None where that is not certain."""
    if hand.surrendered or hand.settled or hand.collected:
        return False
    if is_bust(seen, hand) is not False:
        return False if is_bust(seen, hand) else None
    blackjack = is_natural(seen, hand)
    if blackjack is False or _dealer_may_have_natural(seen):
        return True
    return None if blackjack is None else False


def _dealer_may_have_natural(seen: Round) -> bool:
    held = dealer_cards(seen)
    if len(held) > 2 or not held:
        return False
    if len(held) == 2:
        return natural(held) is not False and not (play_of(seen).hole_up and natural(held) is False)
    return held[0] is None or held[0].rank in "ATJQK"
