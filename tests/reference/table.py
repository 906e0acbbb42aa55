"""What lies on a blackjack table, and what each word of a story makes of it. Nothing here judges."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from reference.hands import TENS, Hand, makes_natural, must_draw, total
from reference.houses import House

CARD = re.compile(r"(?P<rank>[2-9TJQKA])>(?P<place>d|b|\d)(?P<letter>[a-z]?)(?P<face>[-.]?)")
ACT = re.compile(r"(?P<box>\d)(?P<letter>[a-z]?)\.(?P<act>\w+)")
SETTLED = re.compile(r"(?P<kind>settle|collect)(?P<box>\d)(?P<letter>[a-z]?)(?:=(?P<result>\w+))?")
DEALT = 2


@dataclass(slots=True)
class Table:
    """What lies on the table; `dealer`: rank and face of each card, `acted`: a signal or a card of play came."""

    house: House
    boxes: list[int]
    hands: dict[int, list[Hand]]
    dealer: list[tuple[str, str]] = field(default_factory=list)
    acted: bool = False
    turned: bool = False
    peeks: list[str] = field(default_factory=list)
    insurance: str = ""
    settled: set[int] = field(default_factory=set)
    collected: set[int] = field(default_factory=set)

    @property
    def all_hands(self) -> list[tuple[int, Hand]]:
        return [(box, hand) for box in self.boxes for hand in self.hands[box]]

    @property
    def share(self) -> int:
        return 2 if self.house.hole else 1

    @property
    def begun(self) -> bool:
        return bool(self.dealer) or any(hand.ranks for _, hand in self.all_hands)

    def boxes_have(self, count: int) -> bool:
        return all(hand.split or len(hand.ranks) >= count for _, hand in self.all_hands)

    @property
    def deal_complete(self) -> bool:
        return self.boxes_have(DEALT) and len(self.dealer) >= self.share

    @property
    def next_place(self) -> str:
        """Where the next card of the deal goes; nowhere once the deal is complete."""
        for count in range(1, DEALT + 1):
            for box, hand in self.all_hands:
                if not hand.split and len(hand.ranks) < count:
                    return str(box)
            if len(self.dealer) < min(count, self.share):
                return "d"
        return ""

    @property
    def upcard(self) -> str:
        """The rank of the dealer's card that lies open, empty where none does."""
        return next((rank for rank, face in self.dealer[:DEALT] if face != "-"), "")

    @property
    def hole_is_down(self) -> bool:
        return self.house.hole and not self.turned and any(face == "-" for _, face in self.dealer[:DEALT])

    @property
    def dealer_ranks(self) -> list[str]:
        return [rank for rank, _ in self.dealer]

    @property
    def natural_found(self) -> bool:
        """Whether the dealer's natural was told by the reader or lies open."""
        if self.hole_is_down:
            return "natural" in self.peeks
        return makes_natural(self.dealer_ranks[:DEALT]) and len(self.dealer) >= DEALT

    def finished(self, hand: Hand) -> bool:
        """Whether nothing more comes to the hand."""
        if hand.stood or hand.surrendered or hand.got_its_double or hand.natural or hand.bust:
            return True
        if hand.split_aces and len(hand.ranks) >= DEALT:
            return True
        return self.house.draw_on_21 == "violation" and total(hand.ranks)[0] == 21

    def waiting(self) -> list[tuple[int, Hand]]:
        """The hands that nobody may pass over, in the order of their turns."""
        return [(box, hand) for box, hand in self.in_turn() if hand.ranks and not self.finished(hand)]

    def in_turn(self) -> list[tuple[int, Hand]]:
        """All hands in the order of their turns: where the second cards come at the split, those go first."""
        if self.house.split_second_card == "when_played":
            return self.all_hands
        return [
            (box, hand)
            for box in self.boxes
            for short in (True, False)
            for hand in self.hands[box]
            if (hand.split and len(hand.ranks) < DEALT) is short
        ]

    def before(self, box: int, hand: Hand) -> list[tuple[int, Hand]]:
        """The hands that wait although their turn comes before this one's; one not offered counts as gone over."""
        order = self.in_turn()
        return [turn for turn in self.waiting() if not turn[1].void and order.index(turn) < order.index((box, hand))]

    def lives(self, hand: Hand) -> bool:
        """Whether the dealer's cards can still change what the hand wins."""
        if hand.surrendered or hand.bust:
            return False
        return not hand.natural or self.dealer_may_have_natural

    @property
    def dealer_may_have_natural(self) -> bool:
        if len(self.dealer) > DEALT or (self.hole_is_down and "no_natural" in self.peeks):
            return False
        if self.hole_is_down or len(self.dealer) < DEALT:
            return self.upcard in (*TENS, "A")
        return makes_natural(self.dealer_ranks)

    @property
    def somebody_lives(self) -> bool:
        return any(self.lives(hand) for _, hand in self.all_hands if hand.ranks)

    @property
    def dealer_draws(self) -> bool:
        return must_draw(self.dealer_ranks, self.house.soft_17)

    @property
    def peek_is_due(self) -> bool:
        needed = self.house.reader == "required" and self.house.scanner_approved and self.upcard in (*TENS, "A")
        return needed and self.deal_complete and self.hole_is_down and not self.peeks

    def hand_meant(self, box: int, letter: str) -> Hand | None:
        """The hand of a box by its letter; without one the hand whose turn it is, else the last."""
        hands = self.hands.get(box, [])
        if letter:
            return next((hand for hand in hands if hand.letter == letter), None)
        turns = [hand for owner, hand in self.waiting() if owner == box]
        return next(iter(turns or hands[-1:]), None)

    def take(self, word: str) -> None:
        """Enters a word that was no violation."""
        if card := CARD.fullmatch(word):
            self._take_card(card["rank"], card["place"], card["letter"], card["face"])
        elif act := ACT.fullmatch(word):
            self._take_act(int(act["box"]), act["letter"], act["act"])
        elif done := SETTLED.fullmatch(word):
            (self.settled if done["kind"] == "settle" else self.collected).add(int(done["box"]))
        elif word.startswith("peek"):
            self.peeks.append(word.partition("=")[2])
        elif word in ("ins+", "ins-"):
            self.insurance = "open" if word == "ins+" else "closed"
        elif word == "hole":
            self.turned = True

    def _take_card(self, rank: str, place: str, letter: str, face: str) -> None:
        if place == "d":
            self.dealer.append((rank, face))
            return
        hand = self.hand_meant(int(place), letter)
        assert hand is not None
        if len(hand.ranks) >= DEALT:
            hand.asked = ""
        self.acted = self.acted or hand.split or len(hand.ranks) >= DEALT
        hand.ranks.append(rank)

    def _take_act(self, box: int, letter: str, act: str) -> None:
        self.acted = self.acted or act != "insure"
        hand = self.hand_meant(box, letter)
        if hand is None or act == "insure":
            return
        if act == "split":
            self._split(box, hand)
        else:
            self._signal(box, hand, act)

    def _split(self, box: int, hand: Hand) -> None:
        aces = hand.ranks == ["A", "A"]
        hands = self.hands[box]
        kept = Hand(hand.letter, hand.ranks[:1], split=True, split_aces=aces)
        new = Hand("abcdefghijkl"[len(hands)], hand.ranks[1:], split=True, split_aces=aces)
        place = hands.index(hand)
        hands[place : place + 1] = [kept, new]

    def _signal(self, box: int, hand: Hand, act: str) -> None:
        its_turn = not [other for _, other in self.before(box, hand)]
        if act == "stand" and (not self.finished(hand) or hand.stood == "early"):
            hand.stood, hand.asked, hand.void, hand.doubled = "in_turn" if its_turn else "early", "", False, False
        if act == "stand" or hand.surrendered or hand.got_its_double:
            return
        if hand.stood == "early" and its_turn:
            hand.stood = ""
        hand.asked, hand.doubled, hand.doubled_at = act, act == "double", len(hand.ranks)
        hand.void = not self._offered(hand, act)
        hand.surrendered = act == "surrender" and not hand.void

    def _offered(self, hand: Hand, act: str) -> bool:
        if act == "double":
            return len(hand.ranks) == DEALT and (not hand.split or self.house.double_after_split)
        if act == "surrender":
            first = len(hand.ranks) == DEALT and not hand.split and not hand.natural
            return first and (self.house.surrender == "late" or (self.house.surrender == "early" and not self._played))
        return True

    @property
    def _played(self) -> bool:
        """Whether any card came after the deal."""
        return any(hand.split or len(hand.ranks) > DEALT for _, hand in self.all_hands)
