"""Where the cards of a round lay: the check, begun anew at the round before, books them as it did live. Only where
they lie is asked of it; what was wrong stands in the records."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controller.journal_file import JournalError
from controller.lasting import Lasting, said_again
from controller.rounds.model import MethodUse
from protocols.dealing.blackjack.hands import meant, named_hand
from protocols.dealing.blackjack.method import method_at_opening
from protocols.dealing.check import Check
from protocols.dealing.laid_out import hand_places, in_order, named, place_of, wagered
from protocols.dealing.model import Procedure
from protocols.dealing.table import Draw, Round
from protocols.errors import LogError
from protocols.events import Event, HandSettled, LogHeader, PlayerActed, RoundOpened

_AT_FIRST: Final = "when the round began"


@dataclass(frozen=True, slots=True)
class Lying:
    """A card where it lay last, at the place as people name it; `seq`: the record with which it came there; `gone`: it
    was burned as a remedy, or carried elsewhere, be it into the next round."""

    seq: int
    place: str
    draw: Draw
    gone: bool


@dataclass(frozen=True, slots=True)
class Tabletop:
    """The round's cards in the order in which they came; the places of its hands in the order of the table; how it was
    dealt; `boxes`: those with a wager, None where that was not observed; `about`: by record, the place of an act.

    `supposed`: more than one history of the round was possible, this is the one that supposes least."""

    cards: tuple[Lying, ...]
    places: tuple[str, ...]
    methods: tuple[MethodUse, ...]
    boxes: tuple[int, ...] | None
    about: Mapping[int, str]
    supposed: bool


class Rebuilding:
    """Rounds booked again, event by event, each by the number of its record; `gapped`: events before these are
    missing, so that some may name cards that nobody saw."""

    def __init__(self, header: LogHeader, procedure: Procedure, lasting: Lasting, *, gapped: bool) -> None:
        self._procedure = procedure
        self._gapped = gapped
        self._check = Check.start(header.model_copy(update={"shoe": "mid"}), procedure)
        for _, after in said_again(lasting, self._check):
            self._check = after
        self._came: dict[int, int] = {}
        self._seen: Round | None = None
        self._methods: list[MethodUse] = []
        self._about: dict[int, str] = {}
        self._carried: set[int] = set()
        self._supposed = False

    def earlier(self, events: Mapping[int, Event]) -> None:
        """The round before, without what is about the one before that."""
        for seq, event in events.items():
            with suppress(JournalError):
                self._step(seq, event)

    def own(self, events: Mapping[int, Event]) -> None:
        """The round itself."""
        self._methods = [MethodUse(None, self._method(), _AT_FIRST)]
        for seq, event in events.items():
            before = self._check.state.round
            if place := self._place_of(event):
                self._about[seq] = place
            self._step(seq, event)
            if self._seen is None:
                self._seen = self._check.state.round if isinstance(event, RoundOpened) else before
            self._look()
            self._supposed = self._supposed or len(self._check.histories) > 1
            self._note_method(seq, event)

    def later(self, events: Mapping[int, Event]) -> None:
        """What came after it, of which something may be about one of its cards."""
        for seq, event in events.items():
            self._step(seq, event)
            self._look()

    def found(self) -> Tabletop:
        """The table at the end of the round."""
        seen = self._seen or self._check.state.round
        boxes, hands = wagered(seen), hand_places(seen)
        cards = tuple(
            Lying(self._came[draw.event], place_of(draw, hands), draw, draw.gone or draw.origin in self._carried)
            for draw in seen.draws
            if draw.event in self._came
        )
        places = in_order([*(named(hand, hands) for hand in hands), *(card.place for card in cards)])
        about = {seq: named(place, hands) for seq, place in self._about.items()}
        return Tabletop(
            cards,
            places,
            tuple(self._methods),
            tuple(sorted(boxes)) if boxes is not None else None,
            about,
            self._supposed,
        )

    def _step(self, seq: int, event: Event) -> None:
        try:
            self._check, _ = self._check.step(event)
        except LogError as error:
            if self._gapped:
                return
            raise JournalError(f"record {seq} of the journal cannot be read: {error}") from None
        self._came[self._check.events] = seq

    def _look(self) -> None:
        """The round as it is now, as long as the check remembers it."""
        state, seen = self._check.state, self._seen
        known = [each for each in (state.round, state.previous) if each and seen and each.number == seen.number]
        self._seen = known[0] if known else seen
        if seen and state.round.number != seen.number:
            self._carried |= {draw.origin for draw in state.round.draws if draw.number is None}

    def _method(self) -> str:
        """With a peek, without one or without a hole card; the game's name where there is but one way."""
        seen = self._check.state.round
        if self._procedure.deal is None:
            return self._procedure.family
        if seen.opened and seen.play:
            return seen.play.method
        return method_at_opening(self._check.setting, self._check.state.reader)

    def _note_method(self, seq: int, event: Event) -> None:
        ended = self._seen is not self._check.state.round
        if not ended and self._method() != self._methods[-1].method:
            code = getattr(event, "code", None) or getattr(event, "procedure", None)
            self._methods.append(MethodUse(seq, self._method(), f"{event.name}{f' {code}' if code else ''}"))

    def _place_of(self, event: Event) -> str | None:
        """The hand of an act or settlement."""
        setting, seen = self._check.setting, self._check.state.round
        if not isinstance(event, PlayerActed | HandSettled):
            return None
        box = f"box:{event.box}"
        if seen.play is None:
            return box
        if isinstance(event, HandSettled):
            return next((hand.place for hand in meant(setting, seen, event)), box)
        hand = named_hand(setting, seen, event)
        return hand.place if hand else box
