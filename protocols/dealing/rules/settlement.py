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
from protocols.dealing.blackjack.totals import (
    TWENTY_ONE,
    Read,
    Total,
    dealer_stands_on,
    dealer_totals,
    played_totals,
)
from protocols.dealing.due.blackjack import short
from protocols.dealing.rules.dealer import hand_is_complete
from protocols.dealing.rules.finding import Finding, Moment, doubtful, on
from protocols.dealing.rules.hands import settled_hands
from protocols.events import CardsCollected, HandSettled


@on(CardsCollected)
def pickup_order(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if not isinstance(event, CardsCollected) or moment.setting.options["pickup"] != "checked":
        return None
    complete = hand_is_complete(moment)
    if complete is False:
        return None
    left = [hand for hand in dealt_in(seen) if not hand.collected]
    if event.from_ == "dealer":
        return _certain(Finding(f"box {left[-1].box} is collected before the dealer"), complete) if left else None
    taken = [hand for hand in settled_hands(moment) if hand in left and live(seen, hand) is not False]
    if not taken or left[-1] in taken:
        return None
    sure = complete and any(live(seen, hand) for hand in taken)
    return _certain(Finding(f"{short(seen, left[-1].place)} is collected first"), sure)


def _certain(finding: Finding, sure: bool | None) -> Finding | None:
    return finding if sure else doubtful(finding)


@on(HandSettled)
def settlement_wrong(moment: Moment) -> Finding | None:
    event, hands = moment.event, _may_be_settled(moment)
    if not isinstance(event, HandSettled) or not hands:
        return None
    natural_too_early = all(is_natural(moment.before.round, hand) for hand in hands)
    if event.result is None and not natural_too_early:
        return None
    results = [_results(moment, hand) for hand in hands]
    if None in results:
        return Finding("what the hand wins is not known yet", "unobservable")
    right = frozenset().union(*(result for result in results if result))
    if event.result is None or frozenset({event.result}) in results:
        return None
    wrong = Finding(f"the cards say {' or '.join(sorted(right))}")
    return doubtful(wrong) if event.result in right else wrong


def _may_be_settled(moment: Moment) -> tuple[Hand, ...]:
    """The hand that the event settles; each hand of a split box where it does not say which."""
    event, hands = moment.event, settled_hands(moment)
    if not isinstance(event, HandSettled) or event.hand is not None or not hands:
        return hands
    return play_of(moment.before.round).of_box(event.box)


def _results(moment: Moment, hand: Hand) -> frozenset[str] | None:
    """What the hand may win, its cards turned; None where the dealer's hand is not complete."""
    seen = moment.after.round
    if hand.surrendered and not _turn_never_came(moment):
        return frozenset({"surrender"} if hand.void is False else {"surrender", "natural", "push"})
    if is_bust(seen, hand):
        return frozenset({"lose"})
    if is_natural(seen, hand) and live(seen, hand) is False:
        return frozenset({"natural"})
    dealt = dealer_cards(seen)
    if hand_is_complete(moment) is False and not play_of(seen).dealer_natural:
        return None
    held, soft_17 = cards(seen, hand), str(moment.setting.options["soft_17"])
    dealer = dealer_stands_on(dealt, soft_17) or dealer_totals(dealt, soft_17)
    return frozenset(
        _result(_is_natural(player, held, hand), player.points, _is_natural(total, dealt), total.points)
        for player in played_totals(held, split=hand.split)
        for total in dealer
    )


def _turn_never_came(moment: Moment) -> bool:
    """Whether a natural that the reader found ended the round before any hand could be given up."""
    options, found = moment.setting.options, "natural" in play_of(moment.before.round).results
    return found and options["surrender"] == "late" and options.get("peek") == "required"


def _is_natural(total: Total, held: tuple[Read, ...], hand: Hand | None = None) -> bool:
    return total.points == TWENTY_ONE and len(held) == 2 and not (hand and hand.split)


def _result(player_natural: bool, player: int, dealer_natural: bool, dealer: int) -> str:
    if player > 21:
        return "lose"
    if player_natural or dealer_natural:
        return "push" if player_natural and dealer_natural else "natural" if player_natural else "lose"
    if dealer > 21 or player > dealer:
        return "win"
    return "push" if player == dealer else "lose"
