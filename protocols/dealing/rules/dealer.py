"""Rules of the dealer's hand in blackjack: the reader, the hole card, drawing, settlement."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.blackjack.hands import (
    cards,
    certainly_unfinished,
    deal_complete,
    dealer_cards,
    dealer_draws_of,
    dealer_share,
    dealt_in,
    hole_card,
    is_bust,
    is_natural,
    live,
    play_of,
    upcard_kind,
)
from protocols.dealing.blackjack.method import own_method, selectable
from protocols.dealing.blackjack.play import Hand
from protocols.dealing.blackjack.totals import dealer_draws, natural, totals
from protocols.dealing.due.blackjack import peek_due
from protocols.dealing.rules import rounds
from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.rules.hands import REPORTED_AS, settled_hands, settles, waiting
from protocols.dealing.table import Draw, Round
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


def _to_dealer(moment: Moment) -> Draw | None:
    """The dealer's card of this event, beyond the dealer's share of the deal."""
    draw, seen = moment.draw, moment.before.round
    if not moment.to_hand or draw is None or draw.place != "dealer" or not deal_complete(seen):
        return None
    return draw if len(dealer_draws_of(seen)) >= dealer_share(seen) else None


def draw_after_dealer_natural(moment: Moment) -> Finding | None:
    if not moment.to_hand or not play_of(moment.before.round).dealer_natural:
        return None
    return Finding("the dealer has a natural, the round is over", event=moment.number)


def hole_not_turned(moment: Moment) -> Finding | None:
    seen = moment.before.round
    play = play_of(seen)
    if dealer_share(seen) == 1 or play.hole_up or not deal_complete(seen) or "hole_not_turned" in seen.reported:
        return None
    if _to_dealer(moment) and not waiting(moment):
        return Finding("the hole card has to be turned first", event=moment.number)
    if settles(moment) and not waiting(moment) and _somebody_lives(seen):
        return Finding("the hole card was not turned")
    return None


def _somebody_lives(seen: Round) -> bool:
    return any(live(seen, hand) is not False for hand in dealt_in(seen))


def method_unreachable(moment: Moment) -> Finding | None:
    event = moment.event
    if not isinstance(event, MethodSelected) or selectable(moment.setting, moment.before, event.procedure):
        return None
    return Finding(f"{event.procedure!r} cannot be reached from here")


def _peek(moment: Moment) -> bool:
    return isinstance(moment.event, ReaderPeeked)


def peek_in_no_peek_mode(moment: Moment) -> Finding | None:
    if not _peek(moment):
        return None
    peeks = own_method(moment.setting) == "peek" and play_of(moment.before.round).method == "peek"
    if peeks and not moment.before.reader.faulted:
        return None
    return Finding("the reader must not be used in this method")


def peek_device_not_approved(moment: Moment) -> Finding | None:
    if not _peek(moment) or moment.setting.options.get("scanner_approved", True):
        return None
    return Finding("this reader is not approved")


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
    if not _peek(moment) or setting.options["insurance"] != "pre_peek_round":
        return None
    play = play_of(seen)
    is_open = play.insurance == "open" or (play.insurance is None and setting.sees("signals"))
    if not is_open or upcard_kind(setting, seen) != "ace":
        return None
    return Finding("insurance has to be closed before the reader is used")


def peek_missing(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not (moment.to_hand or isinstance(moment.event, HoleRevealed)) or "peek_missing" in seen.reported:
        return None
    if not seen.opened or not peek_due(moment.setting, seen):
        return None
    return Finding("under this upcard the reader has to be used", event=moment.number if moment.draw else None)


def dealer_played_early(moment: Moment) -> Finding | None:
    hands = waiting(moment)
    if not hands or play_of(moment.before.round).dealer_natural or not deal_complete(moment.before.round):
        return None
    if not (_to_dealer(moment) or isinstance(moment.event, HoleRevealed)):
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
    if play_of(seen).dealer_natural or not _draws(moment) or not _somebody_lives(seen):
        return None
    return Finding("the dealer has to draw")


def dealer_draw_no_live_hands(moment: Moment) -> Finding | None:
    seen = moment.before.round
    outcome = REPORTED_AS[moment.setting.options["dealer_draw_no_live_hands"]]
    if _to_dealer(moment) is None or outcome == "ok" or _somebody_lives(seen):
        return None
    return Finding("no hand is left that the dealer's cards could change", outcome, moment.number)


def look_at_hole(moment: Moment) -> Finding | None:
    seen, deal = moment.before.round, moment.setting.procedure.deal
    if not isinstance(moment.event, HoleLooked) or deal is None or play_of(seen).hole_up:
        return None
    hole = hole_card(moment.setting, seen) is not None or dealer_share(seen) == 2
    if not hole or (deal.look == "after_players" and _all_done(moment)):
        return None
    return Finding("nobody may look at the hole card yet")


def _all_done(moment: Moment) -> bool:
    seen = moment.before.round
    return deal_complete(seen) and not certainly_unfinished(moment.setting, seen)


def reader_mismatch(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if not isinstance(event, HoleRevealed):
        return None
    hole = hole_card(moment.setting, seen)
    drawn = _value(hole.card) if hole else None
    shown = _value(event.card)
    if drawn is not None and shown is not None and not drawn.could_be(shown):
        return Finding(f"the card turned is {shown}, it was drawn as {drawn}")
    return _wrongly_read(moment)


def _wrongly_read(moment: Moment) -> Finding | None:
    said = [peek for peek in play_of(moment.before.round).peeks if peek in ("natural", "no_natural")]
    held = dealer_cards(moment.after.round)
    turned = natural(held) if len(held) == 2 else None
    if not said or turned is None or turned == (said[-1] == "natural"):
        return None
    return Finding(f"the reader said {said[-1].replace('_', ' ')}, the cards say otherwise")


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
    if event.from_ == "dealer":
        return Finding(f"box {left[-1].box} is collected before the dealer") if left else None
    taken = {hand.box for hand in settled_hands(moment)}
    right = [hand for hand in left if taken and hand.box > max(taken)]
    return Finding(f"box {right[-1].box} is collected first") if right else None


def _complete(moment: Moment) -> bool:
    """Whether the dealer's hand is complete."""
    seen = moment.before.round
    turned = dealer_share(seen) == 1 or play_of(seen).hole_up
    return deal_complete(seen) and turned and (_draws(moment) is False or not _somebody_lives(seen))


def settlement_wrong(moment: Moment) -> Finding | None:
    event, hands = moment.event, settled_hands(moment)
    if not isinstance(event, HandSettled) or event.result is None or not hands:
        return None
    right = _results(moment, hands[0])
    if right is None:
        return Finding("what the hand wins is not known yet", "unobservable")
    return None if event.result in right else Finding(f"the cards say {' or '.join(sorted(right))}")


def _results(moment: Moment, hand: Hand) -> frozenset[str] | None:
    """What the hand may win; None where the dealer's hand is not complete."""
    seen = moment.before.round
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
