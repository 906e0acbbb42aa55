"""Mississippi stud: what a hand wins, as far as its cards are known."""

from __future__ import annotations

import pytest
from blackjack_log import lines
from stud_log import stud_holds

HANDS = [
    ("Kd 9s Ks 4c 2h", "win"),
    ("Jd 9s Js 4c 2h", "win"),
    ("Td 9s Ts 4c 2h", "push"),
    ("6d 9s 6s 4c 2h", "push"),
    ("5d 9s 5s 4c 2h", "lose"),
    ("2d 9s 2s 4c 3h", "lose"),
    ("2d 9s 2s 9c 3h", "win"),
    ("2d 2c 2s 9c 3h", "win"),
    ("2d 2c 2s 9c 9h", "win"),
    ("2d 2c 2s 2h 9h", "win"),
    ("Ad 2c 3s 4c 5h", "win"),
    ("Ad Kc Qs Jc Th", "win"),
    ("Qd Kc As 2c 3h", "lose"),
    ("6d 7c 8s 9c Th", "win"),
    ("Kd 9d 7d 4d 2d", "win"),
    ("Kd 9d 7d 4d 2s", "lose"),
]


@pytest.mark.parametrize(("hand", "result"), HANDS)
@pytest.mark.parametrize("told", ["win", "push", "lose", "natural"])
def test_a_hand_is_settled_by_its_five_cards(hand: str, result: str, told: str) -> None:
    cards = " ".join(f"{card}>{to}" for card, to in zip(hand.split(), ["1", "1", "c3", "c4", "c5"], strict=True))
    wrong = "" if told == result else "!settlement_wrong"
    stud_holds(f"mh: mix R1 nmb {cards} all1 settle1={told} {wrong} close go1 1.fold close")


@pytest.mark.parametrize(
    "text",
    lines("""
mh: mix R1 nmb K>1 9>1 7>c3 4>c4 2>c5 all1 settle1=lose ?settlement_wrong close
mh: mix R1 nmb K>1 9>1 7>c3 4>c4 2>c5 all1 settle1=push !settlement_wrong close
mh: mix R1 nmb K>1 K>1 7>c3 4>c4 2>c5 all1 settle1=win close
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose ?settlement_wrong show4=Ks !settlement_wrong close
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose ?settlement_wrong show4=5s close
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose ?settlement_wrong close show4=Ks !settlement_wrong
mh: mix R1 nmb Kd>1 Ks>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose !settlement_wrong
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=natural !settlement_wrong show4=Ks close
mh: go1 1.fold settle1=win !settlement_wrong
mh: go1 1.fold settle1=lose close
mh: go1 all1 settle1 close
"""),
)
def test_a_settlement_as_far_as_the_cards_are_known(text: str) -> None:
    stud_holds(text)
