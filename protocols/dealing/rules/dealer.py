"""Rules of the dealer's hand in blackjack: the reader, the hole card, drawing, settlement."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.blackjack.hands import (
    beyond_deal,
    cards,
    certainly_unfinished,
    deal_complete,
    dealer_cards,
    dealer_draws_of,
    dealt_in,
    hole_card,
    hole_is_down,
    is_bust,
    is_natural,
    live,
    peeked,
    play_of,
    somebody_lives,
    upcard_kind,
)
from protocols.dealing.blackjack.method import own_method, selectable
from protocols.dealing.blackjack.play import Hand
from protocols.dealing.blackjack.totals import dealer_draws, natural, totals
from protocols.dealing.due.blackjack import insurance_is_open, peek_due, short
from protocols.dealing.rules import rounds
from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.rules.hands import REPORTED_AS, settled_hands, settles, waiting
from protocols.dealing.table import Draw
from protocols.events import (
    CardRevealed,
    CardsCollected,
    HandSettled,
    HoleLooked,
    HoleRevealed,
    MethodSelected,
    ReaderPeeked,
)
from protocols.hidden import Hidden, opened
from protocols.verdicts import Outcome


def _to_dealer(moment: Moment) -> Draw | None:
    """The dealer's card of this event, beyond the dealer's share of the deal."""
    draw = moment.draw
    if not moment.to_hand or draw is None or draw.place != "dealer":
        return None
    return draw if beyond_deal(moment.before.round, "dealer") else None


def draw_after_dealer_natural(moment: Moment) -> Finding | None:
    if not moment.to_hand or not play_of(moment.before.round).dealer_natural:
        return None
    return Finding("the dealer has a natural, the round is over", event=moment.number)


def hole_not_turned(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not hole_is_down(seen) or "hole_not_turned" in seen.reported:
        return None
    if _to_dealer(moment):
        return Finding("the hole card has to be turned first", event=moment.number)
    played = play_of(seen).dealer_natural or not waiting(moment)
    if not (settles(moment) and deal_complete(seen) and played):
        return None
    return _where_somebody_lives(moment, "the hole card was not turned")


def _where_somebody_lives(moment: Moment, detail: str) -> Finding | None:
    """The objection to an act that is missing for the sake of hands that are still live."""
    alive = somebody_lives(moment.before.round)
    if not moment.setting.sees("signals") and moment.setting.options["surrender"] != "none":
        alive = None if alive else alive
    return Finding(detail, "violation" if alive else "unobservable") if alive is not False else None


def method_unreachable(moment: Moment) -> Finding | None:
    event = moment.event
    if not isinstance(event, MethodSelected):
        return None
    answer = selectable(moment.setting, moment.before, event.procedure)
    outcome: Outcome = "unobservable" if answer is None else "violation"
    return None if answer else Finding(f"{event.procedure!r} cannot be reached from here", outcome)


def _peek(moment: Moment) -> bool:
    return isinstance(moment.event, ReaderPeeked)


def peek_in_no_peek_mode(moment: Moment) -> Finding | None:
    if not _peek(moment):
        return None
    peeks = own_method(moment.setting) == "peek" and play_of(moment.before.round).method == "peek"
    if peeks and not moment.before.reader.faulted:
        return None
    return Finding("the reader must not be used in this method")


def peek_forbidden_upcard(moment: Moment) -> Finding | None:
    if not _peek(moment):
        return None
    kind = upcard_kind(moment.setting, moment.before.round)
    if kind == "low":
        return Finding("the reader is used under an ace or ten only")
    return Finding("the upcard is not known", "unobservable") if kind is None else None


def peek_repeated(moment: Moment) -> Finding | None:
    play = play_of(moment.before.round)
    if not _peek(moment) or not play.peeks:
        return None
    if play.peeks[-1] == "error" and not play.card_since_peek:
        return None
    return Finding("the reader was used in this round already")


def peek_before_insurance_closed(moment: Moment) -> Finding | None:
    setting, seen = moment.setting, moment.before.round
    if not _peek(moment):
        return None
    if not insurance_is_open(setting, play_of(seen)) or upcard_kind(setting, seen) != "ace":
        return None
    return Finding("insurance has to be closed before the reader is used")


def peek_missing(moment: Moment) -> Finding | None:
    seen = moment.before.round
    place = moment.draw.place if moment.draw and moment.to_hand else None
    shows = isinstance(moment.event, HoleRevealed) or (place is not None and beyond_deal(seen, place))
    if not shows or "peek_missing" in seen.reported:
        return None
    due = peek_due(moment.setting, seen) if seen.opened else False
    if due is False or (due is None and play_of(seen).acted):
        return None
    outcome: Outcome = "violation" if due else "unobservable"
    return Finding("under this upcard the reader has to be used", outcome, moment.number if moment.draw else None)


def dealer_played_early(moment: Moment) -> Finding | None:
    hands, seen = waiting(moment), moment.before.round
    turned = isinstance(moment.event, HoleRevealed) and deal_complete(seen)
    if not hands or play_of(seen).dealer_natural or not (_to_dealer(moment) or turned):
        return None
    return Finding(f"box {hands[0].box} is not finished", event=moment.number if moment.draw else None)


def _draws(moment: Moment) -> bool | None:
    """Whether the dealer has to draw, as the table stood before the event; None where that is not certain."""
    seen = moment.before.round
    if not dealer_draws_of(seen):
        return None
    return dealer_draws(dealer_cards(seen), str(moment.setting.options["soft_17"]))


def dealer_overdraw(moment: Moment) -> Finding | None:
    if _to_dealer(moment) is None or _draws(moment) is not False:
        return None
    return Finding("the dealer has to stand", event=moment.number)


def dealer_underdraw(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not settles(moment) or not deal_complete(seen) or "dealer_underdraw" in seen.reported:
        return None
    if play_of(seen).dealer_natural or not _draws(moment):
        return None
    return _where_somebody_lives(moment, "the dealer has to draw")


def dealer_draw_no_live_hands(moment: Moment) -> Finding | None:
    seen = moment.before.round
    outcome = REPORTED_AS[moment.setting.options["dealer_draw_no_live_hands"]]
    if _to_dealer(moment) is None or outcome == "ok" or somebody_lives(seen) is not False:
        return None
    return Finding("no hand is left that the dealer's cards could change", outcome, moment.number)


def look_at_hole(moment: Moment) -> Finding | None:
    seen, deal = moment.before.round, moment.setting.procedure.deal
    if not isinstance(moment.event, HoleLooked) or deal is None or not hole_is_down(seen):
        return None
    if deal.look == "after_players" and _all_done(moment):
        return None
    known = deal.look == "never" or moment.setting.sees("signals")
    return Finding("nobody may look at the hole card yet", "violation" if known else "unobservable")


def _all_done(moment: Moment) -> bool:
    seen = moment.before.round
    return deal_complete(seen) and not certainly_unfinished(moment.setting, seen)


def reader_mismatch(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if not isinstance(event, HoleRevealed):
        return None
    hole, shown = hole_card(moment.setting, seen), _value(event.card)
    drawn = [_value(draw.card) for draw in ((hole,) if hole else dealer_draws_of(seen)[:2])]
    if shown is not None and drawn and not any(card is None or card.could_be(shown) for card in drawn):
        return Finding(f"the card turned is {shown}, it was drawn as {drawn[0]}")
    return _wrongly_read(moment)


def _wrongly_read(moment: Moment) -> Finding | None:
    said = peeked(play_of(moment.before.round))
    held = dealer_cards(moment.after.round)
    turned = natural(held) if len(held) == 2 else None
    if said is None or turned is None or turned == (said == "natural"):
        return None
    return Finding(f"the reader said {said.replace('_', ' ')}, the cards say otherwise")


def _value(card: object) -> Card | None:
    return opened(card) if isinstance(card, Hidden) else card if isinstance(card, Card) else None


def card_mismatch(moment: Moment) -> Finding | None:
    """A card shown by the shoe that is not the one it drew."""
    return rounds.reader_mismatch(moment) if isinstance(moment.event, CardRevealed) else reader_mismatch(moment)


def pickup_order(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if not isinstance(event, CardsCollected) or moment.setting.options["pickup"] != "checked" or not _complete(moment):
        return None
    left = [hand for hand in dealt_in(seen) if not hand.collected]
    taken = settled_hands(moment)
    if event.from_ == "dealer":
        return Finding(f"box {left[-1].box} is collected before the dealer") if left else None
    judged = any(live(seen, hand) for hand in taken)
    if not judged or left[-1] in taken:
        return None
    return Finding(f"{short(seen, left[-1].place)} is collected first")


def _complete(moment: Moment) -> bool:
    """Whether the dealer's hand is complete."""
    seen = moment.before.round
    played = _draws(moment) is False or somebody_lives(seen) is False
    return deal_complete(seen) and not hole_is_down(seen) and played


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
    if not _complete(moment) and not play_of(seen).dealer_natural:
        return None
    player = [(is_natural(seen, hand), total.points) for total in totals(cards(seen, hand))]
    dealer = [(natural(dealer_cards(seen)), total.points) for total in totals(dealer_cards(seen))]
    return frozenset(_result(bool(a), p, bool(b), d) for a, p in player for b, d in dealer)


def _result(player_natural: bool, player: int, dealer_natural: bool, dealer: int) -> str:
    if player > 21:
        return "lose"
    if player_natural or dealer_natural:
        return "push" if player_natural and dealer_natural else "natural" if player_natural else "lose"
    if dealer > 21 or player > dealer:
        return "win"
    return "push" if player == dealer else "lose"
