"""Follows a round of blackjack act by act and fails at the first that the texts do not allow, written a second time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from blackjack_seats import Seat, best, is_blackjack_hand, is_soft

from protocols.cards import Card
from simulators.acts import CuttingCard, ShoeLoaded
from simulators.blackjack import acts
from simulators.blackjack.rules import BlackjackRules
from simulators.boxes import acts as common
from simulators.rounds import Round

Dealt = Round[acts.Act]
NO_HOLE_CARD: Final = {"nd-no-hole", "nz", "fr"}
HOLE_CARD_IS_SECOND: Final = {"sl", "pa", "us-card-reader"}
WITH_READER: Final = {"nd-card-reader", *HOLE_CARD_IS_SECOND}
AT_THE_SHOE: Final = (
    ShoeLoaded
    | CuttingCard
    | acts.Shuffled
    | acts.Cut
    | acts.CutCardPlaced
    | common.Burned
    | acts.ShoeEmptied
    | acts.Boxed
    | common.CardsReplaced
    | common.DealerChanged
    | acts.ReaderRestored
)


class Watch:
    """Follows one legal round; `reader_out` says whether the reader was out of use before it."""

    def __init__(self, rules: BlackjackRules, reader_out: bool) -> None:
        self.rules = rules
        self.reader_out = reader_out
        self.peeked: str | None = None
        self.seats: dict[int, list[Seat]] = {}
        self.dealer: list[tuple[Card, str]] = []
        self.dealing: list[str] = []
        self.signal: acts.Acted | None = None
        self.turned = self.begun = False
        self.calls: set[str] = set()
        self.total_called: dict[int, int] = {}
        self.insurance = "no"
        self.insured: set[int] = set()
        self.collected: list[str] = []
        self.late: list[int] = []

    def order(self) -> list[Seat]:
        return [seat for box in sorted(self.seats) for seat in self.seats[box]]

    def up(self) -> Card:
        [card] = [card for card, face in self.dealer if face == "up"][:1]
        return card

    def hole(self) -> list[Card]:
        return [card for card, face in self.dealer if face == "down"]

    def see(self, act: acts.Act) -> None:
        match act:
            case common.RoundOpened():
                self.wagers(act.boxes)
            case common.WagerChanged():
                assert act.change == "made"
                assert not self.dealer
                self.wagers(tuple(sorted({*self.seats, act.box})))
            case acts.Called():
                self.call(act)
            case common.Drawn():
                self.card(act)
            case common.InsuranceOpened() | acts.InsuranceClosed():
                self.insuring(act)
            case acts.Acted():
                self.choice(act)
            case acts.Shuffled(cards="all"):
                assert not self.begun
            case _:
                self.see_later(act)

    def see_later(self, act: acts.Act) -> None:
        match act:
            case common.Peeked():
                self.peek(act)
            case acts.ReaderFailed():
                assert self.reader_is_used()
                self.reader_out = True
            case common.MethodSelected():
                self.select(act)
            case acts.HoleLooked():
                assert self.rules.procedure in ("nd-card-reader", "nd-no-peek")
                assert all(self.may_be_left(seat) for seat in self.order())
            case acts.HoleTurned():
                self.turn(act)
            case common.Settled():
                self.settle(act)
            case common.Collected():
                self.collect(act.place)
            case common.RoundClosed():
                self.close()
            case _:
                assert isinstance(act, AT_THE_SHOE), act

    def wagers(self, boxes: tuple[int, ...]) -> None:
        assert boxes == tuple(sorted(set(boxes)))
        assert boxes[0] >= 1
        assert boxes[-1] <= self.rules.max_boxes
        self.seats = {box: [Seat(f"box:{box}")] for box in boxes}
        places = [f"box:{box}" for box in boxes]
        self.dealing = [*places, "dealer", *places]

    def call(self, act: acts.Called) -> None:
        assert act.made
        self.calls.add(act.call)
        if act.call == "no_more_bets":
            assert not self.begun
        if act.call == "upcard":
            assert self.dealer
            assert not self.dealing
        if act.box is not None:
            self.total_called[act.box] = sum(len(seat.cards) for seat in self.seats[act.box])

    def said_enough(self, box: int) -> None:
        """Before a player's decision everything is said that has to be."""
        if self.rules.procedure.startswith("nd"):
            assert "upcard" in self.calls
        if self.rules.procedure == "sl":
            assert self.total_called.get(box) == sum(len(seat.cards) for seat in self.seats[box])

    def card(self, act: common.Drawn) -> None:
        assert self.begun or self.rules.procedure != "nz" or "no_more_bets" in self.calls
        self.begun = True
        if self.dealing:
            assert act.to == self.dealing.pop(0)
        elif act.to == "dealer":
            self.dealers_card(act)
            return
        else:
            self.hit_card(act)
        if act.to == "dealer":
            assert act.face == "up" or self.may_lie_down()
            self.dealer.append((act.card, act.face))
        else:
            assert act.face == "up"
            [seat] = [seat for seat in self.order() if seat.name == act.to]
            seat.cards.append(act.card)

    def may_lie_down(self) -> bool:
        """Whether the dealer's first card may."""
        fallen_back = self.reader_out and self.rules.procedure in WITH_READER
        return self.rules.procedure in ("nd-card-reader", "nd-no-peek") or fallen_back

    def dealers_card(self, act: common.Drawn) -> None:
        if len(self.dealer) == 1 and act.face == "down":
            assert self.dealer[0][1] == "up"
            assert not any(seat.said for seat in self.order())
            assert self.rules.procedure not in NO_HOLE_CARD
        elif self.hole():
            assert len(self.dealer) == 1
        else:
            self.dealer_draws(act)
        self.dealer.append((act.card, act.face))

    def dealer_draws(self, act: common.Drawn) -> None:
        assert act.face == "up"
        assert not self.hole()
        assert all(self.may_be_left(seat) for seat in self.order())
        cards = [card for card, _ in self.dealer]
        anyway = self.live() or self.rules.dealer_draw_no_live_hands == "allow"
        if len(cards) == 1:
            tens = self.up().rank in "ATJQK"
            assert anyway or (tens and any(seat.natural for seat in self.order()))
        else:
            assert anyway
            assert self.must_draw(cards)

    def must_draw(self, cards: list[Card]) -> bool:
        count = best(cards)
        return count < 17 or (count == 17 and is_soft(cards) and self.rules.soft_17 == "hit")

    def live(self) -> bool:
        return any(best(s.cards) <= 21 and not s.natural and "surrender" not in s.said for s in self.order())

    def may_be_left(self, seat: Seat) -> bool:
        """Whether the dealer may go on: no word is needed on 21 where a card on it is forbidden."""
        return seat.needs_nothing or (best(seat.cards) == 21 and self.rules.draw_on_21 == "violation")

    def hit_card(self, act: common.Drawn) -> None:
        [seat] = [seat for seat in self.order() if seat.name == act.to]
        assert not seat.needs_nothing
        if len(seat.cards) == 1:
            assert not seat.whole
        else:
            assert best(seat.cards) < 21 or self.rules.draw_on_21 == "allow"
            self.asked_for(seat)
        at_once = len(seat.cards) == 1 and self.rules.split_second_card == "at_split"
        earlier = self.order()[: self.order().index(seat)]
        assert at_once or all(self.may_be_left(before) for before in earlier)

    def asked_for(self, seat: Seat) -> None:
        signal, self.signal = self.signal, None
        if signal is None:
            assert self.rules.signal == "optional"
            self.said_enough(int(seat.name[4:].split("/")[0]))
        else:
            assert signal.action in ("hit", "double")
            assert self.named(signal.box, signal.hand) is seat

    def named(self, box: int, hand: str | None) -> Seat:
        name = f"box:{box}/{hand}" if hand else f"box:{box}"
        [seat] = [seat for seat in self.order() if seat.name == name]
        return seat

    def insuring(self, act: common.InsuranceOpened | acts.InsuranceClosed) -> None:
        assert self.up().rank == "A"
        assert not any(seat.said for seat in self.order() if "surrender" not in seat.said)
        if isinstance(act, common.InsuranceOpened):
            assert self.rules.insurance != "none"
            assert self.insurance == "no"
            self.insurance = "open"
        else:
            assert self.rules.insurance == "pre_peek_round"
            self.insurance = "closed"

    def choice(self, act: acts.Acted) -> None:
        if act.action == "insure":
            self.insure(act.box)
            return
        seat = self.named(act.box, act.hand)
        if act.action == "surrender":
            assert self.rules.surrender != "none"
            assert len(seat.cards) == 2
            assert seat.whole
        if act.action != "surrender" or self.rules.surrender == "late":
            self.in_turn(seat, act)
        if act.action == "split":
            self.split(seat, act.box)
        else:
            seat.said.append(act.action)
            self.signal = act if act.action in ("hit", "double") else None

    def insure(self, box: int) -> None:
        assert self.up().rank == "A"
        assert box not in self.insured
        self.insured.add(box)
        if self.rules.insurance == "at_turn":
            [seat] = self.seats[box]
            assert not seat.said
            assert len(seat.cards) == 2
            assert self.peeked in (None, "error")
        else:
            assert self.insurance == "open"

    def in_turn(self, seat: Seat, act: acts.Acted) -> None:
        self.said_enough(act.box)
        waiting = [s for s in self.order() if not self.may_be_left(s) or (s is seat and self.takes_word(s, act))]
        assert waiting[0] is seat
        assert self.insurance != "open" or self.rules.insurance == "at_turn"
        assert self.peeked != "natural"
        if act.action == "double":
            assert len(seat.cards) == 2
            assert seat.whole or self.rules.double_after_split

    def takes_word(self, seat: Seat, act: acts.Acted) -> bool:
        """Whether a hand that needs nothing may still split its aces again, or stand on its 21."""
        return (act.action == "split" and seat.aces) or (act.action == "stand" and not seat.needs_nothing)

    def split(self, seat: Seat, box: int) -> None:
        hands = self.seats[box]
        first, second = seat.cards
        ranks = (first.rank, second.rank)
        assert ranks[0] == ranks[1] or (self.rules.pair == "value" and set(ranks) <= set("TJQK"))
        assert self.rules.max_hands == "none" or len(hands) < self.rules.max_hands
        assert not seat.aces or self.rules.resplit_aces
        if seat.whole:
            seat.name += "/a"
        new = Seat(f"box:{box}/{chr(ord('a') + len(hands))}", [seat.cards.pop()])
        seat.whole = new.whole = False
        seat.aces = new.aces = first.rank == "A"
        hands.insert(hands.index(seat) + 1, new)
        self.signal = None

    def reader_is_used(self) -> bool:
        return self.rules.procedure in WITH_READER and self.rules.scanner_approved and not self.reader_out

    def peek(self, act: common.Peeked) -> None:
        assert self.reader_is_used()
        assert self.up().rank in "ATJQK"
        if self.rules.insurance == "pre_peek_round":
            assert self.insurance == ("closed" if self.up().rank == "A" else "no")
        assert self.peeked in (None, "error")
        assert len(self.hole()) == 1
        natural = is_blackjack_hand([card for card, _ in self.dealer])
        assert act.result in ("error", "natural" if natural else "no_natural")
        self.peeked = act.result

    def select(self, act: common.MethodSelected) -> None:
        assert self.reader_out
        faces = [face for _, face in self.dealer]
        assert act.procedure == "nd-no-peek" or (act.procedure == "nd-no-hole" and faces in ([], ["up"]))

    def turn(self, act: acts.HoleTurned) -> None:
        assert self.hole() == [act.card]
        if self.peeked != "natural":
            assert all(self.may_be_left(seat) for seat in self.order())
        if self.reader_is_used() and self.up().rank in "ATJQK" and self.rules.peek == "required":
            assert self.peeked == ("natural" if is_blackjack_hand([c for c, _ in self.dealer]) else "no_natural")
        self.turned = True
        self.dealer = [(card, "up") for card, _ in self.dealer]

    def settle(self, act: common.Settled) -> None:
        seat = self.named(act.box, act.hand)
        over = self.peeked == "natural" and self.turned
        if self.hole() or not (over or all(self.may_be_left(other) for other in self.order())):
            assert self.is_decided(act.box)
        assert act.result == self.fair(seat)

    def fair(self, seat: Seat) -> str:
        house = [card for card, _ in self.dealer]
        if "surrender" in seat.said:
            return "surrender"
        if best(seat.cards) > 21:
            return "lose"
        if is_blackjack_hand(house):
            return "push" if seat.natural else "lose"
        if seat.natural:
            return "natural"
        if best(house) > 21:
            return "win"
        return "win" if best(seat.cards) > best(house) else "push" if best(seat.cards) == best(house) else "lose"

    def is_decided(self, box: int) -> bool:
        """Whether nothing of the dealer's can change the result of the box any more."""
        [seat, *others] = self.seats[box]
        natural = seat.natural and self.up().rank not in "ATJQK"
        over = best(seat.cards) > 21 or natural or "surrender" in seat.said
        return over and not others and "double" not in seat.said and box not in self.insured

    def collect(self, place: str) -> None:
        self.collected.append(place)
        dealer_is_done = len(self.dealer) > 1 and not self.hole() and all(map(self.may_be_left, self.order()))
        if place != "dealer" and (dealer_is_done or self.peeked == "natural"):
            self.late.append(int(place[4:]))

    def close(self) -> None:
        assert self.collected[-1] == "dealer"
        boxes = [int(place[4:]) for place in self.collected[:-1]]
        assert sorted(boxes) == sorted(self.seats)
        assert self.late == sorted(self.late, reverse=True)
        assert all(face == "up" for _, face in self.dealer)
        cards = [card for card, _ in self.dealer]
        assert not self.live() or not self.must_draw(cards)
        self.deal_fits_method()

    def deal_fits_method(self) -> None:
        if self.rules.procedure in NO_HOLE_CARD:
            assert not self.turned
        elif self.rules.procedure == "nd-no-peek" or not self.reader_out:
            assert self.turned


def watch(rules: BlackjackRules, rounds: Iterable[Dealt]) -> None:
    """Every round is legal; each failing reader is out until it is restored."""
    out = False
    for dealt in rounds:
        out = out and acts.ReaderRestored() not in dealt.acts
        watcher = Watch(rules, out)
        for number, act in enumerate(dealt.acts):
            try:
                watcher.see(act)
            except AssertionError as error:
                error.add_note("\n".join(map(str, [*dealt.acts[:number], "--> ", act])))
                raise
        out = watcher.reader_out
