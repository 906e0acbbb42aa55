"""What is wrong with the next word of a round of blackjack: a card to the wrong hand, an act too early or too late."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from reference.hands import TENS, Hand, makes_natural, total, worth
from reference.houses import House
from reference.table import ACT, CARD, DEALT, SETTLED, Table

WEIGHT = {"warn": "~", "violation": "!"}


def answer(house: House, boxes: Sequence[int], line: Sequence[str]) -> str:
    """What the check must say to the last word of a line whose other words are no violations.

    A dealer's card of which nobody saw how it lies may lie either way: what is a violation on one reading only is
    none."""
    unseen = [number for number, word in enumerate(line) if re.fullmatch(r".>d\.", word)]
    if not unseen or not house.hole:
        return _answer(house, boxes, line)
    answers = set()
    for faces in product(("", "-"), repeat=len(unseen)):
        reading = list(line)
        for number, face in zip(unseen, faces, strict=True):
            reading[number] = reading[number][:3] + face
        so_far = (_answer(house, boxes, reading[: count + 1]) for count in range(len(reading) - 1))
        if not any(said.startswith("!") for said in so_far):
            answers.add(_answer(house, boxes, reading))
    violations = {said for said in answers if said.startswith("!")}
    if len(answers) == 1:
        return answers.pop()
    return "?" if len(violations) < len(answers) else min(violations)


def _answer(house: House, boxes: Sequence[int], line: Sequence[str]) -> str:
    fits = list(table_after(house, boxes, line[:-1]).judge(line[-1]))
    return next((fit for weight in "!~?" for fit in fits if fit[0] == weight), "")


def table_after(house: House, boxes: Sequence[int], line: Sequence[str]) -> Judge:
    """The table after words that were no violations."""
    table = Judge(house, list(boxes), {box: [Hand()] for box in boxes})
    for word in line:
        table.take(word)
    return table


class Judge(Table):
    """The table, and what the check must say of a word, in the order in which one code goes before the other."""

    def judge(self, word: str) -> Iterator[str]:
        """Everything that is wrong with the word, the first one first."""
        if card := CARD.fullmatch(word):
            if card["place"] == "b":
                yield from self._after_natural()
                yield "!burn_extra"
            elif card["place"] == "d":
                yield from self._card_to_dealer(card["face"])
            else:
                yield from self._card_to_box(int(card["place"]), card["letter"], card["face"])
        elif act := ACT.fullmatch(word):
            yield from self._act(int(act["box"]), act["letter"], act["act"])
        elif done := SETTLED.fullmatch(word):
            yield from self._settled(done["kind"], int(done["box"]), done["letter"], done["result"] or "")
        elif word.startswith("peek"):
            yield from self._peek()
        else:
            others = {"hole": self._hole, "close": self._end, "collectd": self._collect_dealer}
            others |= {"look": self._look, "ins+": self._insure, "ins-": self._close_insurance}
            yield from others[word]()

    def _after_natural(self) -> Iterator[str]:
        if self.natural_found:
            yield "!draw_after_dealer_natural"

    def _card_to_box(self, box: int, letter: str, face: str) -> Iterator[str]:
        yield from self._after_natural()
        if box not in self.boxes:
            yield "!box_without_wager"
            return
        hand = self.hand_meant(box, letter)
        if hand is not None and not hand.split and len(hand.ranks) < DEALT:
            if self.next_place != str(box):
                yield "!order"
            yield from ("!face",) if face == "-" else ()
            return
        if not self.deal_complete:
            hole_is_all = self.boxes_have(DEALT) and self.house.hole
            if not self.acted and not hole_is_all:
                yield "!extra_card"
            if self.house.hole:
                yield "!hole_missing"
        if self.peek_is_due:
            yield "!peek_missing"
        if hand is None:
            yield "!split_order"
            return
        yield from self._card_of_play(box, hand, face)

    def _card_of_play(self, box: int, hand: Hand, face: str) -> Iterator[str]:
        skipped, order = self.before(box, hand), self.in_turn()
        if skipped:
            yield "!hand_skipped" if skipped[0][0] < box else "!split_order"
        if len(hand.ranks) >= DEALT:
            yield from self._card_too_many(hand)
        if any(other.void for _, other in order[: order.index((box, hand)) + 1]):
            yield "!action_not_offered"
        if face == "-" and not hand.doubled:
            yield "!face"
        if len(hand.ranks) >= DEALT and self.house.signal == "required" and hand.asked not in ("hit", "double"):
            yield "!draw_without_signal"

    def _card_too_many(self, hand: Hand) -> Iterator[str]:
        wrong = {
            "split_ace_extra": hand.split_aces,
            "draw_after_stand": bool(hand.stood),
            "draw_after_double": hand.got_its_double,
            "draw_after_bust": hand.bust,
            "draw_after_surrender": hand.surrendered,
            "draw_on_blackjack": hand.natural,
        }
        yield from (f"!{code}" for code, holds in wrong.items() if holds)
        if total(hand.ranks)[0] == 21 and self.house.draw_on_21 != "allow":
            yield f"{WEIGHT[self.house.draw_on_21]}draw_on_21"

    def _card_to_dealer(self, face: str) -> Iterator[str]:
        yield from self._after_natural()
        if len(self.dealer) < self.share:
            if self.next_place != "d":
                yield "!order"
            if face != "." and not self._lies_well(face):
                yield "!face"
            return
        if not self.house.hole and not self.boxes_have(DEALT):
            yield "!extra_card"
        yield from self._dealer_plays(face)

    def _dealer_plays(self, face: str) -> Iterator[str]:
        waiting = [hand for _, hand in self.waiting()]
        early = [hand for hand in waiting if not hand.void]
        like_a_hole_card = face == "-" or (face == "." and not self.acted)
        wrong = {
            "hole_not_allowed": not self.house.hole and bool(early) and like_a_hole_card,
            "hole_not_turned": self.hole_is_down,
            "peek_missing": self.peek_is_due,
            "dealer_played_early": bool(early),
            "dealer_overdraw": not self.dealer_draws,
        }
        yield from (f"!{code}" for code, holds in wrong.items() if holds)
        if not self.somebody_lives and self.house.dealer_draw_no_live_hands != "allow":
            yield f"{WEIGHT[self.house.dealer_draw_no_live_hands]}dealer_draw_no_live_hands"
        if len(waiting) > len(early):
            yield "!action_not_offered"
        if face == "-":
            yield "!face"

    def _lies_well(self, face: str) -> bool:
        if self.house.faces == "up" or (self.house.faces == "up_down" and not self.dealer):
            return face == ""
        if self.house.faces == "up_down":
            return face == "-"
        return not self.dealer or face != self.dealer[0][1]

    def _act(self, box: int, letter: str, act: str) -> Iterator[str]:
        if act == "insure":
            yield from self._insure(box)
        if act != "split":
            return
        hand = self.hand_meant(box, letter)
        if hand is None:
            yield "!split_order"
            return
        if not self._pair(hand):
            yield "!split_not_pair"
        skipped = self.before(box, hand)
        if skipped:
            yield "!hand_skipped" if skipped[0][0] < box else "!split_order"
        most = self.house.max_hands
        full = most != "none" and len(self.hands[box]) >= int(most)
        if full or (hand.split_aces and not self.house.resplit_aces):
            yield "!split_limit"
        order = self.in_turn()
        if any(other.void for _, other in order[: order.index((box, hand))]):
            yield "!action_not_offered"
        if not self.deal_complete and not self._only_hole_is_missing:
            yield "!missing_card"

    @property
    def _only_hole_is_missing(self) -> bool:
        return self.house.hole and self.boxes_have(DEALT)

    def _pair(self, hand: Hand) -> bool:
        if len(hand.ranks) != DEALT:
            return False
        first, second = hand.ranks
        return first == second or (self.house.pair == "value" and worth(first) == worth(second))

    def _insure(self, box: int = 0) -> Iterator[str]:
        if self.house.insurance == "none":
            yield "!action_not_offered"
        if self.upcard != "A":
            yield "!insurance_without_ace"
        done = any(result != "error" for result in self.peeks) or self.turned or len(self.dealer) > self.share
        if self.house.insurance == "pre_peek_round":
            done = done or self._played
        elif self.house.insurance == "at_turn" and box:
            hands = self.hands[box]
            done = done or any(hand.split or hand.stood or len(hand.ranks) > DEALT for hand in hands)
        if self.insurance == "closed" or done:
            yield "!insurance_late"

    def _close_insurance(self) -> Iterator[str]:
        yield from ()

    def _peek(self) -> Iterator[str]:
        if self.house.hole and len(self.dealer) < self.share:
            yield "!hole_missing"
        if self.house.reader == "never":
            yield "!peek_in_no_peek_mode"
        if not self.house.scanner_approved:
            yield "!peek_device_not_approved"
        if self.upcard not in (*TENS, "A"):
            yield "!peek_forbidden_upcard"
        if self.peeks and self.peeks[-1] != "error":
            yield "!peek_repeated"
        open_yet = self.house.insurance == "pre_peek_round" and self.insurance != "closed"
        if self.upcard == "A" and open_yet:
            yield "!peek_before_insurance_closed"

    def _hole(self) -> Iterator[str]:
        if len(self.dealer) < self.share:
            yield "!hole_missing"
        if self.peek_is_due:
            yield "!peek_missing"
        waiting = [hand for _, hand in self.waiting()]
        early = [hand for hand in waiting if not hand.void]
        if early and self.deal_complete and not self.natural_found:
            yield "!dealer_played_early"
        if len(waiting) > len(early):
            yield "!action_not_offered"
        yield from self._wrongly_read()

    def _wrongly_read(self) -> Iterator[str]:
        said = [result for result in self.peeks if result in ("natural", "no_natural")][-1:]
        if said and (said[0] == "natural") != makes_natural(self.dealer_ranks[:DEALT]):
            yield "!reader_mismatch"

    def _look(self) -> Iterator[str]:
        allowed = self.house.look == "after_players" and self.deal_complete and not self.waiting()
        if self.hole_is_down and not allowed:
            yield "!look_at_hole"

    def _end(self) -> Iterator[str]:
        """The round is closed, or a hand settled or collected that is not done with before the dealer plays."""
        if not self.begun:
            return
        if self.house.hole and len(self.dealer) < self.share:
            yield "!hole_missing"
        waiting = [hand for _, hand in self.waiting()]
        early = [hand for hand in waiting if not hand.void]
        if self.deal_complete:
            over = self.natural_found or not early
            if over and self.hole_is_down and self.somebody_lives:
                yield "!hole_not_turned"
            if early and not self.natural_found:
                yield "!hand_skipped"
            if not self.natural_found and self.dealer_draws and self.somebody_lives:
                yield "!dealer_underdraw"
            if len(waiting) > len(early):
                yield "!action_not_offered"
        short = any(len(hand.ranks) == 1 and not hand.split for _, hand in self.all_hands)
        if short or (not self.house.hole and not self.dealer):
            yield "!missing_card"

    @property
    def _dealer_is_done(self) -> bool:
        return self.deal_complete and not self.hole_is_down and not (self.dealer_draws and self.somebody_lives)

    def _collect_dealer(self) -> Iterator[str]:
        yield from self._end()
        left = [box for box, hand in self.all_hands if hand.ranks and box not in self.collected]
        if self.house.pickup == "checked" and self._dealer_is_done and left:
            yield "!pickup_order"

    def _settled(self, kind: str, box: int, letter: str, result: str) -> Iterator[str]:
        hand = self.hand_meant(box, letter)
        assert hand is not None
        if hand.natural and self.lives(hand) and not self._dealer_is_done and not self.natural_found:
            yield "?"
            return
        if not (hand.bust or hand.surrendered or (hand.natural and not self.lives(hand))):
            yield from self._end()
        if kind == "settle" and result and result != self._result(hand):
            yield "!settlement_wrong"

    def _result(self, hand: Hand) -> str:
        if hand.surrendered:
            return "surrender"
        points, dealer = total(hand.ranks)[0], total(self.dealer_ranks)[0]
        if hand.bust:
            return "lose"
        if hand.natural and not self.lives(hand):
            return "natural"
        if hand.natural or self.natural_found:
            return "push" if hand.natural and self.natural_found else "natural" if hand.natural else "lose"
        if dealer > 21 or points > dealer:
            return "win"
        return "push" if points == dealer else "lose"
