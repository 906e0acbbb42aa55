"""Blackjack as a family of games: with a hole card, with and without a reader, and without a hole card."""

from __future__ import annotations

from typing import Final

from protocols.cards import Card
from protocols.dealing.blackjack import books
from protocols.dealing.blackjack.hands import (
    asking,
    current,
    dealer_draws_of,
    finished,
    hand_at,
    hole_card,
    may_be_hole,
    play_of,
    was_turned,
)
from protocols.dealing.blackjack.method import dealt_by, method_at_opening
from protocols.dealing.blackjack.play import Play
from protocols.dealing.blackjack.readings import readings
from protocols.dealing.due import blackjack as due_acts
from protocols.dealing.frozen import replace
from protocols.dealing.games.foreign import refuse_foreign
from protocols.dealing.rules import BLACKJACK
from protocols.dealing.rules.finding import Rule
from protocols.dealing.setting import Reading, Setting
from protocols.dealing.table import Draw, Round, State, place_named
from protocols.errors import LogError
from protocols.events import (
    Face,
    HandSettled,
    HoleRevealed,
    PlayerActed,
    TableEvent,
)
from protocols.hidden import Hidden, opened
from protocols.places import box_number

_FOREIGN: Final = ("hands.turned", "community.revealed", "result.reported")
_ACTIONS: Final = ("hit", "stand", "double", "surrender", "split", "insure")

_ENDING: Final = ("round.closed", "round.opened")
"""What ends a round that is open."""


def _shown_at_the_end(draw: Draw) -> Draw:
    lies_open = draw.face is None and isinstance(draw.card, Hidden) and draw.place != "burn"
    return replace(draw, card=opened(draw.card)) if lies_open and isinstance(draw.card, Hidden) else draw


class Blackjack:
    """Boxes against a dealer."""

    rules: tuple[Rule, ...] = BLACKJACK

    def refuse(self, setting: Setting, state: State, event: TableEvent) -> None:
        procedure = setting.procedure.id
        refuse_foreign(procedure, event, _FOREIGN, _ACTIONS)
        field, place = place_named(event)
        box = box_number(place) if place else event.box if isinstance(event, PlayerActed | HandSettled) else None
        if place is not None and box is None and place not in ("burn", "dealer"):
            raise LogError(f"{event.name}: field {field!r}: {procedure} has no {place!r} (box:N, dealer, burn)")
        if box is not None and not self._is_box(setting, state, box):
            raise LogError(f"{event.name}: {procedure} has no box {box} (1 to {setting.options['max_boxes']})")

    def _is_box(self, setting: Setting, state: State, box: int) -> bool:
        return box <= int(setting.options["max_boxes"]) or bool(play_of(state.round).of_box(box))

    def begun(self, setting: Setting, state: State) -> State:
        play = dealt_by(setting, Play(), method_at_opening(setting, state.reader))
        return replace(state, round=replace(state.round, play=play))

    def place_due(self, setting: Setting, state: State, face: Face | None = None) -> str | None:
        burn, seen = state.shoe.burn, state.round
        if burn.wanted and (burn.in_round or not seen.opened):
            return "burn"
        if not seen.opened or not (setting.sees("positions") or setting.sees("signals")):
            return None
        place = due_acts.deal_place(seen)
        if place is not None or not dealer_draws_of(seen):
            return place
        return self._place_in_play(setting, seen, face)

    def _place_in_play(self, setting: Setting, seen: Round, face: Face | None) -> str | None:
        """Where a card goes once the deal is over: to a hand that asked for one, to the hand whose turn it is, else
        to the dealer, who alone gets a card face down that nobody asked for; None where only a card that is not known
        can tell whether a hand still waits."""
        play = play_of(seen)
        if play.hole_up or play.dealer_natural:
            return "dealer"
        if not setting.sees("signals"):
            return None
        asked, hand = asking(setting, seen), current(setting, seen)
        if asked is not None:
            return asked.place
        if hand is None or (face == "down" and play.method == "no-hole"):
            return "dealer"
        return hand.place if finished(setting, seen, hand) is False else None

    def place_of(self, setting: Setting, state: State, place: str) -> str:
        box = box_number(place)
        if box is None:
            return place
        hand = hand_at(setting, state.round, place)
        return hand.place if hand is not None else place if "/" in place else f"{place}/a"

    def short(self, state: State, place: str) -> str:
        return due_acts.short(state.round, place)

    def lies_down(self, setting: Setting, state: State, place: str | None, face: Face | None, outside: bool) -> bool:
        if face is not None:
            return face == "down"
        if outside or place == "burn" or due_acts.face_due(setting, state, place) != "up":
            return True
        return not setting.sees("signals") and due_acts.box_in_play(state.round, place)

    def face_due(self, setting: Setting, state: State, place: str | None) -> Face | None:
        return due_acts.face_due(setting, state, place)

    def stays_down(self, setting: Setting, state: State, draw: Draw) -> bool:
        """A hole card until it is turned, a burned one, and one that is known to lie face down under a wager; for
        good, where its round is over."""
        seen = state.round_of(draw)
        if draw.shown or isinstance(draw.card, Card) or was_turned(seen, draw):
            return False
        closed = seen.voided or (seen is state.round and may_be_hole(setting, seen, draw))
        return closed or draw.face == "down" or draw.place == "burn"

    def turned_by(self, setting: Setting, state: State, event: TableEvent) -> Draw | None:
        return hole_card(setting, state.round) if isinstance(event, HoleRevealed) else None

    def burn_counts(self, setting: Setting, first: Card | None) -> frozenset[int]:  # noqa: ARG002
        burn = setting.options["burn"]
        return frozenset({0, 1}) if burn == "unset" else frozenset({int(burn)})

    def last_round(self, setting: Setting, seen: Round) -> int:
        reshuffle = not seen.begun and setting.options["cut_card_first"] == "reshuffle"
        return seen.number - 1 if reshuffle else seen.number

    def readings(self, setting: Setting, state: State, event: TableEvent) -> tuple[Reading, ...]:
        return readings(setting, state, event)

    def found(self, setting: Setting, state: State, event: TableEvent) -> State:  # noqa: ARG002
        """What nobody observed to lie face down counts at the end of a round, when all can see it."""
        if not state.round.opened or event.name not in _ENDING:
            return state
        stock = state.shoe.stock
        for draw in state.round.hands:
            if draw.face is None and isinstance(draw.card, Hidden):
                stock = stock.see(opened(draw.card))
        return replace(state, shoe=replace(state.shoe, stock=stock))

    def entered(self, setting: Setting, before: State, after: State, event: TableEvent, number: int) -> State:  # noqa: ARG002
        ended = after.previous
        if before.round.opened and event.name in _ENDING and ended is not None:
            after = replace(after, previous=ended.with_draws(_shown_at_the_end))
        return books.entered(setting, before, after, event)

    def due(self, setting: Setting, state: State) -> tuple[str, ...]:
        return due_acts.due(setting, state)
