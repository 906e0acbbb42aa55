"""The table log's events as frozen models, told apart by `type`. None in a field means: not observed.

The vocabulary is version 1 of the table log; devices and people produce these events, the check consumes them,
journal and MQTT carry them inside records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, cast, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    WithJsonSchema,
)

from protocols.cards import RANKS, SUITS, Card
from protocols.errors import quoted
from protocols.hidden import Hidden, opened_text
from protocols.places import CUTTER, PLACE, cutter, place

_HAND: Final = re.compile("[a-z]")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


def _text(pattern: str, description: str) -> WithJsonSchema:
    """How a schema tells such a text."""
    return WithJsonSchema({"type": "string", "pattern": f"^({pattern})$", "description": description})


def _time(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise ValueError(f'{quoted(text)} is no RFC 3339 time ("2026-11-30T07:03:48.143Z")')
    return text


def _hand(text: str) -> str:
    if not _HAND.fullmatch(text):
        raise ValueError(f'{quoted(text)} is no hand of a box (one letter: "a", after a split "b" and so on)')
    return text


def _card(value: object) -> Card | Hidden:
    if isinstance(value, Card | Hidden):
        return value
    if not isinstance(value, str):
        raise ValueError(f'{quoted(value)} is no card ("Kh", "T")')  # noqa: TRY004
    return Card.parse(value)


def _write_card(card: Card | Hidden | None) -> str | None:
    if isinstance(card, Hidden):
        raise TypeError("a face-down card is never written out")
    return None if card is None else str(card)


def _peek(value: object) -> object:
    if isinstance(value, Hidden) or value in get_args(PeekResult):
        return value
    raise ValueError(f"{quoted(value)} is nothing that a reader tells ({', '.join(get_args(PeekResult))})")


def _write_peek(result: str | Hidden | None) -> str | None:
    if isinstance(result, Hidden):
        raise TypeError("what a reader told the dealer alone is never written out")
    return result


PeekResult = Literal["natural", "no_natural", "error"]
PeekField = Annotated[
    PeekResult | Hidden,
    PlainValidator(_peek, json_schema_input_type=PeekResult),
    PlainSerializer(_write_peek, return_type=str | None),
]
CardField = Annotated[
    Card | Hidden,
    PlainValidator(_card, json_schema_input_type=str),
    PlainSerializer(_write_card, return_type=str | None),
    _text(f"[{RANKS}][{SUITS}]?", "A card: a rank, then a suit where it is known."),
]
Time = Annotated[str, AfterValidator(_time), _text(_TIME.pattern, "An RFC 3339 time.")]
Place = Annotated[str, AfterValidator(place), _text(PLACE.pattern, "Where a card can go.")]
Cutter = Annotated[str, AfterValidator(cutter), _text(CUTTER.pattern, "Who can cut.")]
Box = Annotated[int, Field(ge=1, le=99)]
Hand = Annotated[str, AfterValidator(_hand), _text(_HAND.pattern, "A hand of a box, after a split the second is b.")]
Face = Literal["up", "down"]
Street = Literal[3, 4, 5]
Decks = Annotated[int, Field(ge=1, le=16)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
DrawNumber = Annotated[int, Field(ge=1, le=1_000_000)]
Winner = Literal["player", "banker", "tie"]
Observed = Literal["positions", "faces", "signals", "wagers", "collection", "cut", "shuffle", "stub", "calls"]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, populate_by_name=True)


class TableEvent(_Line):
    """What every event may carry: `t` RFC 3339 time, `seq` the producer's own number, `actor` who (a key's name
    or a device), `manual` entered by a person in place of a device. Every event defines `type`; `name` is the same."""

    name: ClassVar[str]
    t: Time | None = None
    seq: Annotated[int, Field(description="The producer's own number.")] | None = None
    actor: Annotated[str, Field(description="Who: a key's name, or a device.")] | None = None
    manual: Annotated[bool, Field(description="Entered by a person in place of a device.")] | None = None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        cls.name = cls.model_fields["type"].default


class LogHeader(_Line):
    """The optional first line of a table log."""

    type: Literal["log.header"] = "log.header"
    version: Literal[1] = 1
    procedure: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    shoe: Literal["fresh", "mid", "new_dealer"] = "mid"
    rounds_since_stub_count: Count | None = None
    observes: tuple[Observed, ...] | None = None


class CardsReplaced(TableEvent):
    type: Literal["cards.replaced"] = "cards.replaced"


class CardsShuffled(TableEvent):
    type: Literal["cards.shuffled"] = "cards.shuffled"
    by: Literal["hand", "shuffler"] | None = None
    cards: Literal["all", "discards"] | None = None


class CardsCut(TableEvent):
    type: Literal["cards.cut"] = "cards.cut"
    by: Cutter | None = None
    refused: tuple[Box, ...] | None = None
    occupied: tuple[Box, ...] | None = None


class CutCardPlaced(TableEvent):
    type: Literal["cut_card.placed"] = "cut_card.placed"
    decks_from_back: Annotated[float, Field(ge=0)]
    decks: Decks
    directed_by: Literal["manager"] | None = None
    inspector_notified: bool | None = None


class ShoeLoaded(TableEvent):
    type: Literal["shoe.loaded"] = "shoe.loaded"
    decks: Decks | None = None


class ShoeEmptied(TableEvent):
    type: Literal["shoe.emptied"] = "shoe.emptied"
    reason: Literal["ran_out", "to_hand"] | None = None


class ShoeFaulted(TableEvent):
    type: Literal["shoe.faulted"] = "shoe.faulted"
    code: str | None = None


class ShoeRestored(TableEvent):
    type: Literal["shoe.restored"] = "shoe.restored"
    code: str | None = None


class DealerChanged(TableEvent):
    type: Literal["dealer.changed"] = "dealer.changed"


class RoundOpened(TableEvent):
    type: Literal["round.opened"] = "round.opened"
    boxes: tuple[Box, ...] | None = None


class WagerChanged(TableEvent):
    type: Literal["wager.changed"] = "wager.changed"
    box: Box
    change: Literal["made", "raised", "taken_back"] | None = None


Call = Literal["no_more_bets", "upcard", "total"]


class CallMade(TableEvent):
    type: Literal["call.made"] = "call.made"
    call: Call
    box: Box | None = None


class CallMissed(TableEvent):
    type: Literal["call.missed"] = "call.missed"
    call: Call
    box: Box | None = None


class CardDrawn(TableEvent):
    """One card leaves the shoe, the deck or the hand; with `moved` a card drawn before comes to this place."""

    type: Literal["card.drawn"] = "card.drawn"
    card: CardField | None = None
    to: Place | None = None
    face: Face | None = None
    boxed: bool | None = None
    outside: bool | None = None
    ref: str | None = None
    moved: DrawNumber | None = None


class CardRevealed(TableEvent):
    """The value of a card drawn before becomes known; named by `draw` or by `ref`."""

    type: Literal["card.revealed"] = "card.revealed"
    draw: DrawNumber | None = None
    ref: str | None = None
    card: CardField


class ResultReported(TableEvent):
    type: Literal["result.reported"] = "result.reported"
    winner: Winner


class CardBurned(TableEvent):
    type: Literal["card.burned"] = "card.burned"
    from_: Annotated[Place, Field(alias="from")]


class CutCardReached(TableEvent):
    type: Literal["cut_card.reached"] = "cut_card.reached"
    at: Place | None = None


class InsuranceOpened(TableEvent):
    type: Literal["insurance.opened"] = "insurance.opened"


class InsuranceClosed(TableEvent):
    type: Literal["insurance.closed"] = "insurance.closed"


class ReaderPeeked(TableEvent):
    type: Literal["reader.peeked"] = "reader.peeked"
    result: PeekField | None = None


class ReaderFaulted(TableEvent):
    type: Literal["reader.faulted"] = "reader.faulted"
    code: str | None = None


class ReaderRestored(TableEvent):
    type: Literal["reader.restored"] = "reader.restored"
    code: str | None = None


class MethodSelected(TableEvent):
    type: Literal["method.selected"] = "method.selected"
    procedure: str


class HoleLooked(TableEvent):
    type: Literal["hole.looked"] = "hole.looked"


class HoleRevealed(TableEvent):
    type: Literal["hole.revealed"] = "hole.revealed"
    card: CardField | None = None


class PlayerActed(TableEvent):
    type: Literal["player.acted"] = "player.acted"
    box: Box
    hand: Hand | None = None
    action: Literal["hit", "stand", "double", "surrender", "split", "insure", "bet", "fold"]
    street: Street | None = None
    multiple: Annotated[int, Field(ge=0)] | None = None


class HandsTurned(TableEvent):
    type: Literal["hands.turned"] = "hands.turned"


class CommunityRevealed(TableEvent):
    type: Literal["community.revealed"] = "community.revealed"
    street: Street
    card: CardField | None = None


class StubDiscarded(TableEvent):
    type: Literal["stub.discarded"] = "stub.discarded"
    exposed: bool | None = None


class StubCounted(TableEvent):
    type: Literal["stub.counted"] = "stub.counted"
    count: Count


class HandSettled(TableEvent):
    type: Literal["hand.settled"] = "hand.settled"
    box: Box
    hand: Hand | None = None
    result: Literal["win", "natural", "push", "lose", "surrender"] | None = None


class CardsCollected(TableEvent):
    type: Literal["cards.collected"] = "cards.collected"
    from_: Annotated[Place, Field(alias="from")]


class RoundClosed(TableEvent):
    type: Literal["round.closed"] = "round.closed"
    reason: str | None = None


class RoundVoided(TableEvent):
    type: Literal["round.voided"] = "round.voided"
    reason: str | None = None


class LogGap(TableEvent):
    """The log misses something here; `cards` how many went unseen, None where that is unknown."""

    type: Literal["log.gap"] = "log.gap"
    cards: Count | None = None
    reason: str | None = None


Event = (
    CardsReplaced
    | CardsShuffled
    | CardsCut
    | CutCardPlaced
    | ShoeLoaded
    | ShoeEmptied
    | ShoeFaulted
    | ShoeRestored
    | DealerChanged
    | RoundOpened
    | WagerChanged
    | CallMade
    | CallMissed
    | CardDrawn
    | CardRevealed
    | ResultReported
    | CardBurned
    | CutCardReached
    | InsuranceOpened
    | InsuranceClosed
    | ReaderPeeked
    | ReaderFaulted
    | ReaderRestored
    | MethodSelected
    | HoleLooked
    | HoleRevealed
    | PlayerActed
    | HandsTurned
    | CommunityRevealed
    | StubDiscarded
    | StubCounted
    | HandSettled
    | CardsCollected
    | RoundClosed
    | RoundVoided
    | LogGap
)

EVENT_MODELS: Final[Mapping[str, type[TableEvent]]] = {
    model.model_fields["type"].default: model for model in get_args(Event)
}
EVENT: Final[TypeAdapter[Event]] = TypeAdapter(Annotated[Event, Field(discriminator="type")])


def told_by_peek(result: PeekResult | Hidden | None) -> PeekResult | None:
    """What the reader told, also where only the dealer knows it."""
    return cast(PeekResult, opened_text(result)) if isinstance(result, Hidden) else result


def written(event: TableEvent | LogHeader) -> dict[str, Any]:
    """The event as a table log writes it: `type` first, nothing that was not observed.

    TypeError where a card still lies face down."""
    fields = event.model_dump(by_alias=True, exclude_none=True, mode="json")
    return {"type": fields.pop("type"), **fields}
