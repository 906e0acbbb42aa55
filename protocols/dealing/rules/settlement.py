"""Rules of settling and collecting the hands of a round of blackjack."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import (
    cards,
    dealer_cards,
    dealt_in,
    is_bust,
    is_natural,
    live,
    play_of,
)
from protocols.dealing.blackjack.play import Hand
from protocols.dealing.blackjack.totals import TWENTY_ONE, Read, totals
from protocols.dealing.due.blackjack import short
from protocols.dealing.rules.dealer import hand_is_complete
from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.rules.hands import settled_hands
from protocols.events import (
    CardsCollected,
    HandSettled,
)


def pickup_order(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if not isinstance(event, CardsCollected) or moment.setting.options["pickup"] != "checked":
        return None
    if not hand_is_complete(moment):
        return None
    left = [hand for hand in dealt_in(seen) if not hand.collected]
    taken = [hand for hand in settled_hands(moment) if hand in left and live(seen, hand)]
    if event.from_ == "dealer":
        return Finding(f"box {left[-1].box} is collected before the dealer") if left else None
    if not taken or left[-1] in taken:
        return None
    return Finding(f"{short(seen, left[-1].place)} is collected first")


def settlement_wrong(moment: Moment) -> Finding | None:
    event, hands = moment.event, _may_be_settled(moment)
    if not isinstance(event, HandSettled) or not hands:
        return None
    natural_too_early = all(is_natural(moment.before.round, hand) for hand in hands)
    if event.result is None and not natural_too_early:
        return None
    results = [_results(moment, hand) for hand in hands]
    right = frozenset().union(*(result for result in results if result))
    if None in results:
        return Finding("what the hand wins is not known yet", "unobservable")
    return None if event.result in (*right, None) else Finding(f"the cards say {' or '.join(sorted(right))}")


def _may_be_settled(moment: Moment) -> tuple[Hand, ...]:
    """The hand that the event settles; each hand of a split box where it does not say which."""
    event, hands = moment.event, settled_hands(moment)
    if not isinstance(event, HandSettled) or event.hand is not None or not hands:
        return hands
    return play_of(moment.before.round).of_box(event.box)


def _results(moment: Moment, hand: Hand) -> frozenset[str] | None:
    """What the hand may win, its cards turned; None where the dealer's hand is not complete."""
    seen = moment.after.round
    if hand.surrendered:
        return frozenset({"surrender"})
    if is_bust(seen, hand):
        return frozenset({"lose"})
    if is_natural(seen, hand) and live(seen, hand) is False:
        return frozenset({"natural"})
    if not hand_is_complete(moment) and not play_of(seen).dealer_natural:
        return None
    player, dealer = _counts(cards(seen, hand), split=hand.split), _counts(dealer_cards(seen))
    return frozenset(_result(a, p, b, d) for a, p in player for b, d in dealer)


def _counts(held: tuple[Read, ...], *, split: bool = False) -> frozenset[tuple[bool, int]]:
    """What the cards may count: whether they are a natural, and their total."""
    return frozenset(
        (len(held) == 2 and not split and total.points == TWENTY_ONE, total.points) for total in totals(held)
    )


def _result(player_natural: bool, player: int, dealer_natural: bool, dealer: int) -> str:
    if player > 21:
        return "lose"
    if player_natural or dealer_natural:
        return "push" if player_natural and dealer_natural else "natural" if player_natural else "lose"
    if dealer > 21 or player > dealer:
        return "win"
    return "push" if player == dealer else "lose"
