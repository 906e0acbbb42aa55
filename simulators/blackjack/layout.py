"""What lies where in one round of blackjack, kept up act by act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from protocols.cards import Card
from simulators.acts import CuttingCard, Face
from simulators.blackjack.acts import Act, Acted, HoleTurned, InsuranceClosed
from simulators.blackjack.hands import is_natural, points, total
from simulators.boxes.acts import (
    Collected,
    Drawn,
    InsuranceOpened,
    Peeked,
    PeekResult,
    RoundOpened,
    Settled,
    TakenAway,
    WagerChanged,
)


@dataclass(slots=True)
class Hand:
    """One hand of a box; `letter` once the box is split."""

    box: int
    letter: str | None = None
    cards: list[Card] = field(default_factory=list)
    stood: bool = False
    doubled: bool = False
    surrendered: bool = False
    settled: bool = False
    split_ace: bool = False

    @property
    def place(self) -> str:
        return f"box:{self.box}/{self.letter}" if self.letter else f"box:{self.box}"

    @property
    def total(self) -> int:
        return total(self.cards)

    @property
    def is_natural(self) -> bool:
        return self.letter is None and is_natural(self.cards)

    @property
    def is_bust(self) -> bool:
        return self.total > 21

    @property
    def is_live(self) -> bool:
        """Whether the dealer's count still decides it."""
        return not (self.is_bust or self.surrendered or self.is_natural)

    @property
    def is_finished(self) -> bool:
        """Whether it takes no more cards; a split ace pair that may be split again counts as finished too."""
        has_its_card = (self.doubled and len(self.cards) == 3) or (self.split_ace and len(self.cards) == 2)
        return self.stood or self.surrendered or has_its_card or self.is_natural or self.is_bust


@dataclass(slots=True)
class Layout:
    """One round; `boxes` are in order of dealing, the hands of each in order of play.

    `in_play`: the players' turns have begun; `dealt` counts the cards of the round."""

    boxes: tuple[int, ...] = ()
    hands: dict[int, list[Hand]] = field(default_factory=dict)
    dealer: list[tuple[Card, Face]] = field(default_factory=list)
    due_in_deal: list[str] = field(default_factory=list)
    insured: set[int] = field(default_factory=set)
    insurance: str = "not offered"
    peek: PeekResult | None = None
    turned: bool = False
    played: bool = False
    in_play: bool = False
    is_open: bool = False
    dealt: int = 0
    last: Act | None = None

    @property
    def upcard(self) -> Card | None:
        return next((card for card, face in self.dealer if face == "up"), None)

    @property
    def hole(self) -> Card | None:
        return next((card for card, face in self.dealer if face == "down"), None)

    @property
    def dealer_cards(self) -> list[Card]:
        """Face up or not."""
        return [card for card, _ in self.dealer]

    @property
    def is_dealt(self) -> bool:
        return self.is_open and bool(self.dealer) and not self.due_in_deal

    @property
    def dealer_is_done(self) -> bool:
        """Whether all hands are finished and the dealer's cards lie open."""
        return self.hole is None and len(self.dealer) > 1 and self.at_turn() is None

    @property
    def upcard_may_be_natural(self) -> bool:
        """Whether the upcard is an ace or a ten."""
        return self.upcard is not None and points(self.upcard) in (1, 10)

    @property
    def has_ace_up(self) -> bool:
        return self.upcard is not None and self.upcard.rank == "A"

    @property
    def has_drawn(self) -> bool:
        """Whether a hand got a card beyond the deal."""
        return any(hand.letter or len(hand.cards) > 2 for hand in self.in_play_order())

    @property
    def has_live_hands(self) -> bool:
        """Whether the dealer's count still decides a hand."""
        return any(hand.is_live for hand in self.in_play_order())

    def in_play_order(self) -> Iterator[Hand]:
        """All hands, box after box."""
        for box in self.boxes:
            yield from self.hands[box]

    def hand(self, box: int, letter: str | None) -> Hand:
        """The hand of a letter; without one the only hand of the box."""
        return next(hand for hand in self.hands[box] if letter in (None, hand.letter))

    def hand_at(self, place: str) -> Hand:
        """The hand at `box:N` or `box:N/h`."""
        return next(hand for hand in self.in_play_order() if hand.place == place)

    def at_turn(self) -> Hand | None:
        """The first hand that is not finished."""
        return next((hand for hand in self.in_play_order() if not hand.is_finished), None)

    def take(self, act: Act) -> None:
        """The act happens."""
        match act:
            case RoundOpened():
                self.is_open = True
                self._seat(act.boxes)
            case WagerChanged(change="made") if not self.dealt:
                self._seat(tuple(sorted({*self.boxes, act.box})))
            case WagerChanged(change="taken_back") if not self.dealt:
                self._seat(tuple(box for box in self.boxes if box != act.box))
            case Drawn():
                self._card(act)
            case InsuranceOpened():
                self.insurance = "open"
            case InsuranceClosed():
                self.insurance = "closed"
            case Peeked():
                self.peek = act.result
            case _:
                self._take_later(act)
        if not isinstance(act, CuttingCard):
            self.last = act

    def _take_later(self, act: Act) -> None:
        match act:
            case Acted():
                self._acted(act)
            case HoleTurned():
                self.turned = True
                self.dealer = [(card, "up") for card, _ in self.dealer]
            case TakenAway(place="dealer"):
                self.dealer.pop()
            case Settled():
                self.hand(act.box, act.hand).settled = True
            case Collected(place="dealer"):
                self.dealer = []

    def leave_out(self, box: int) -> None:
        """The box got no card at all: its hand is dead."""
        self.boxes = tuple(other for other in self.boxes if other != box)
        del self.hands[box]

    def _seat(self, boxes: tuple[int, ...]) -> None:
        self.boxes, self.hands = boxes, {box: [Hand(box)] for box in boxes}

    def _card(self, act: Drawn) -> None:
        self.dealt += 1
        if self.due_in_deal and self.due_in_deal[0] == act.to:
            del self.due_in_deal[0]
        if act.to == "dealer":
            self.dealer.append((act.card, act.face))
        elif any(hand.place == act.to for hand in self.in_play_order()):
            self.hand_at(act.to).cards.append(act.card)

    def _acted(self, act: Acted) -> None:
        if act.action == "insure":
            self.insured.add(act.box)
            return
        self.played = True
        hand = self.hand(act.box, act.hand)
        match act.action:
            case "stand":
                hand.stood = True
            case "double":
                hand.doubled = True
            case "surrender":
                hand.surrendered = True
            case "split":
                self._split(hand)

    def _split(self, hand: Hand) -> None:
        of_box = self.hands[hand.box]
        hand.letter = hand.letter or "a"
        hand.split_ace = hand.cards[0].rank == "A"
        new = Hand(hand.box, "abcdefghijklmnopqrstuvwxyz"[len(of_box)], [hand.cards.pop()], split_ace=hand.split_ace)
        of_box.insert(of_box.index(hand) + 1, new)
