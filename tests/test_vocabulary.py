"""The shared vocabulary: cards, places, face-down values, every event of the table log, and its errors."""

from __future__ import annotations

import copy
import json
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from protocols.cards import RANKS, SUITS, Card
from protocols.errors import LogError
from protocols.events import EVENT, EVENT_MODELS, CardDrawn, CardRevealed, HoleRevealed, LogHeader, written
from protocols.hidden import hide, opened
from protocols.places import box_number, cutter, place
from protocols.tablelog import dump, read_line, read_log, write_log

CARDS = [rank + suit for rank in RANKS for suit in ("", *SUITS)]

EVERY_FIELD: list[dict[str, Any]] = [
    {"type": "cards.replaced", "t": "2026-11-30T07:03:48.143Z", "seq": 4, "actor": "shoe", "manual": False},
    {"type": "cards.shuffled", "by": "shuffler", "cards": "all"},
    {"type": "cards.cut", "by": "box:2", "refused": [1], "occupied": [1, 2]},
    {
        "type": "cut_card.placed",
        "decks_from_back": 1.5,
        "decks": 6,
        "directed_by": "manager",
        "inspector_notified": True,
    },
    {"type": "shoe.loaded", "decks": 8},
    {"type": "shoe.emptied", "reason": "ran_out"},
    {"type": "shoe.faulted", "code": "angel-4"},
    {"type": "shoe.restored", "code": "angel-4"},
    {"type": "dealer.changed"},
    {"type": "round.opened", "boxes": []},
    {"type": "wager.changed", "box": 3, "change": "raised"},
    {"type": "call.made", "call": "total", "box": 2},
    {"type": "call.missed", "call": "no_more_bets", "box": 2},
    {"type": "card.drawn", "card": "Kh", "to": "box:3/b", "face": "up", "boxed": True, "outside": True, "ref": "P3"},
    {"type": "card.drawn", "to": "player", "moved": 7},
    {"type": "card.revealed", "draw": 3, "card": "T"},
    {"type": "card.revealed", "ref": "P3", "card": "2c"},
    {"type": "result.reported", "winner": "tie"},
    {"type": "card.burned", "from": "banker"},
    {"type": "cut_card.reached", "at": "burn"},
    {"type": "insurance.opened"},
    {"type": "insurance.closed"},
    {"type": "reader.peeked", "result": "no_natural"},
    {"type": "reader.faulted", "code": "gone"},
    {"type": "reader.restored", "code": "gone"},
    {"type": "method.selected", "procedure": "nd-no-peek"},
    {"type": "hole.looked"},
    {"type": "hole.revealed", "card": "As"},
    {"type": "player.acted", "box": 1, "hand": "a", "action": "bet", "street": 3, "multiple": 2},
    {"type": "hands.turned"},
    {"type": "community.revealed", "street": 5, "card": "9d"},
    {"type": "stub.discarded", "exposed": True},
    {"type": "stub.counted", "count": 31},
    {"type": "hand.settled", "box": 2, "hand": "b", "result": "push"},
    {"type": "cards.collected", "from": "dealer"},
    {"type": "round.closed", "reason": "shift"},
    {"type": "round.voided", "reason": "forced_quit"},
    {"type": "log.gap", "cards": 2, "reason": "link lost"},
]


@pytest.mark.parametrize("text", CARDS)
def test_a_card_is_written_as_it_was_read(text: str) -> None:
    assert str(Card.parse(text)) == text


@pytest.mark.parametrize("text", ["", "h", "1h", "10h", "kh", "KH", "Kx", "Khs", "??", "K ", "A2"])
def test_what_is_no_card(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        Card.parse(text)


def test_a_rank_alone_could_be_any_suit_of_it() -> None:
    assert Card("K").could_be(Card("K", "h"))
    assert Card("K", "h").could_be(Card("K"))
    assert not Card("K", "s").could_be(Card("K", "h"))
    assert not Card("Q").could_be(Card("K", "h"))


@pytest.mark.parametrize("text", ["box:1", "box:12", "box:3/b", "dealer", "burn", "community:3", "player", "banker"])
def test_places(text: str) -> None:
    assert place(text) == text


@pytest.mark.parametrize("text", ["box", "box:0", "box:3/", "box:3/B", "community:6", "Dealer", "shoe", "player ", ""])
def test_what_is_no_place(text: str) -> None:
    with pytest.raises(ValueError, match="is no place"):
        place(text)


def test_a_box_has_a_number_and_who_cuts_is_a_person() -> None:
    assert (box_number("box:3/b"), box_number("box:12"), box_number("banker")) == (3, 12, None)
    assert cutter("supervisor") == "supervisor"
    with pytest.raises(ValueError, match="cannot cut"):
        cutter("burn")


def test_the_samples_name_every_event_and_every_field() -> None:
    seen: dict[str, set[str]] = {name: set() for name in EVENT_MODELS}
    for fields in EVERY_FIELD:
        seen[fields["type"]] |= set(fields)
    common = {"t", "seq", "actor", "manual"}
    for name, model in EVENT_MODELS.items():
        known = {field.alias or key for key, field in model.model_fields.items()}
        assert seen[name] | common == known | {"type"}, name
    assert common <= seen["cards.replaced"]


@pytest.mark.parametrize("fields", EVERY_FIELD, ids=lambda fields: fields["type"])
def test_every_event_is_written_as_it_was_read(fields: dict[str, Any]) -> None:
    event = read_line(dump(fields), 1)
    assert type(event) is EVENT_MODELS[fields["type"]]
    assert written(event) == fields
    assert next(iter(written(event))) == "type"
    assert EVENT.validate_json(dump(written(event))) == event


def test_a_whole_log_is_written_as_it_was_read() -> None:
    header = '{"type":"log.header","version":1,"procedure":"pb-nj","options":{"decks":6},"shoe":"fresh"}\n'
    text = header + "".join(dump(fields) + "\n" for fields in EVERY_FIELD)
    log = read_log(text)
    assert write_log(log.header, log.events) == text
    assert log.lines == tuple(range(2, len(EVERY_FIELD) + 2))


def test_blank_lines_count_as_lines_only() -> None:
    log = read_log('\n{"type":"dealer.changed"}\r\n  \n{"type":"hands.turned"}\n\n')
    assert (log.header, len(log.events), log.lines) == (None, 2, (2, 4))


@pytest.mark.parametrize("fields", EVERY_FIELD, ids=lambda fields: fields["type"])
def test_null_is_missing(fields: dict[str, Any]) -> None:
    model = EVENT_MODELS[fields["type"]]
    optional = {field.alias or key for key, field in model.model_fields.items() if not field.is_required()} - {"type"}
    needed = {key: value for key, value in fields.items() if key not in optional}
    assert read_line(dump(needed | dict.fromkeys(optional)), 1) == read_line(dump(needed), 1)
    assert written(read_line(dump(needed | dict.fromkeys(optional)), 1)) == needed


def test_events_are_frozen() -> None:
    event = CardDrawn(to="player")
    with pytest.raises(ValidationError, match="frozen"):
        event.to = "banker"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"type":"card.drwan"}', "unknown event type 'card.drwan' (did you mean \"card.drawn\"?)"),
        ('{"type":"card.drawn","too":"player"}', "card.drawn: unknown field 'too' (did you mean \"to\"?)"),
        ('{"type":"card.burned","form":"player"}', "card.burned: field 'from' is missing"),
        ('{"type":"card.burned","from":"player","from_":"player"}', "unknown field 'from_' (did you mean \"from\"?)"),
        ('{"type":"card.drawn","to":"plyer"}', "card.drawn: field 'to': 'plyer' is no place"),
        ('{"type":"card.drawn","card":"1h"}', "card.drawn: field 'card': '1' is no rank"),
        ('{"type":"card.drawn","card":7}', "card.drawn: field 'card': 7 is no card"),
        ('{"type":"card.drawn","face":"sideways"}', "card.drawn: field 'face': 'sideways' is not possible here"),
        ('{"type":"card.drawn","boxed":"yes"}', "card.drawn: field 'boxed': must be true or false (given: \"yes\")"),
        ('{"type":"card.drawn","moved":0}', "card.drawn: field 'moved': must be 1 or more (given: 0)"),
        ('{"type":"player.acted","box":1,"action":"hit","hand":"ab"}', "field 'hand': 'ab' is no hand of a box"),
        ('{"type":"log.header","options":3}', "field 'options': must be an object such as"),
        ('{"type":"card.revealed","card":null,"draw":1}', "card.revealed: field 'card': None is no card"),
        ('{"type":"round.opened","boxes":[1,0]}', "round.opened: field 'boxes.1': must be 1 or more (given: 0)"),
        ('{"type":"stub.counted","count":1.5}', "stub.counted: field 'count': must be a whole number (given: 1.5)"),
        ('{"type":"stub.counted"}', "stub.counted: field 'count' is missing"),
        ('{"type":"cut_card.placed","decks":6,"decks_from_back":NaN}', "field 'decks_from_back': must be a number"),
        ('{"type":"dealer.changed","t":"yesterday"}', "dealer.changed: field 't': 'yesterday' is no RFC 3339 time"),
        ('{"type":"dealer.changed","seq":1,"seq":2}', "field 'seq' is given twice"),
        ('{"type":"log.header","version":2}', "log.header: field 'version': "),
        ('{"type":"log.header","proceduer":"pb"}', "unknown field 'proceduer' (did you mean \"procedure\"?)"),
        ('{"to":"player"}', 'field "type": every line names its event'),
        ('{"type":null}', 'field "type": every line names its event'),
        ("[]", "no JSON object: an event looks like"),
        ('{"type":"card.drawn"', "no JSON object: "),
        ("[" * 100_000, "no JSON object: nested too deeply"),
        ("9" * 5_000, "no JSON object: "),
        ('{"type":"dealer.changed","actor":"\\ud800"}', "no JSON object: \\ud800 is half a character"),
        ('{"type":"log.header"}', "log.header: a header can only be the first line"),
    ],
)  # fmt: skip
def test_an_error_names_the_line_the_field_and_the_nearest_name(line: str, says: str) -> None:
    with pytest.raises(LogError) as caught:
        read_log(f'{{"type":"dealer.changed"}}\n\n{line}\n')
    assert caught.value.line == 3
    assert str(caught.value).startswith("line 3: ")
    assert says in str(caught.value)


def refusal(text: str) -> LogError | None:
    try:
        read_log(text)
    except LogError as error:
        return error
    return None


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_text_is_a_log_or_an_error_with_its_line(text: str) -> None:
    error = refusal(text)
    assert text.strip() == "" if error is None else error.line is not None


JSON_VALUE = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=3)


@given(st.sampled_from(EVERY_FIELD), st.data())
def test_any_value_in_any_field_is_an_event_or_an_error_that_names_the_field(fields: Any, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([key for key in fields if key != "type"] or ["t"]))
    line = json.dumps(fields | {name: data.draw(JSON_VALUE)})
    error = refusal(line)
    if error is None:
        event = read_line(line, 1)
        assert read_line(dump(written(event)), 1) == event
    else:
        assert f"field '{name}" in str(error)


def leaks(text: str, card: Card) -> bool:
    return str(card) in text or repr(card) in text or repr(card.suit) in text


@pytest.mark.parametrize("text", CARDS)
def test_a_hidden_card_opens_to_the_same_card(text: str) -> None:
    assert opened(hide(Card.parse(text))) == Card.parse(text)


def test_equal_hidden_cards_look_different_and_all_are_of_one_length() -> None:
    sealed = [hide(card)._sealed for card in (Card("K", "h"), Card("K", "h"), Card("T"))]
    assert len(set(sealed)) == 3
    assert len({len(one) for one in sealed}) == 1
    assert hide(Card("K", "h")) != hide(Card("K", "h"))


def test_a_hidden_card_has_no_text() -> None:
    king = Card("K", "h")
    down = hide(king)
    event = CardDrawn(card=down, to="banker")
    for text in (repr(down), str(down), f"{down}", f"{down!r:>30}", repr(event), str(event), repr([down])):
        assert "face down" in text
        assert not leaks(text, king)


@pytest.mark.parametrize("copies", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_hidden_card_is_never_copied_or_pickled(copies: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="never pickled or copied"):
        copies(hide(Card("K", "h")))


@pytest.mark.parametrize("copies", [copy.deepcopy, pickle.dumps, lambda event: event.model_copy(deep=True)])
def test_nor_is_an_event_that_holds_one(copies: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="never pickled or copied"):
        copies(CardDrawn(card=hide(Card("K", "h"))))


@pytest.mark.parametrize(
    "write",
    [
        lambda event: json.dumps({"card": event.card}),
        lambda event: event.model_dump(),
        lambda event: event.model_dump_json(),
        EVENT.dump_json,
        written,
    ],
)
def test_a_hidden_card_is_never_json(write: Callable[[CardDrawn], object]) -> None:
    king = Card("K", "h")
    with pytest.raises((TypeError, PydanticSerializationError)) as caught:
        write(CardDrawn(card=hide(king)))
    assert not leaks(str(caught.value), king)


def test_a_traceback_with_locals_tells_nothing() -> None:
    king = Card("K", "h")
    event = CardDrawn(card=hide(king), to="banker", face="down")
    shown = "".join(traceback.TracebackException.from_exception(failing(event), capture_locals=True).format())
    assert "event = " in shown
    assert "face down" in shown
    assert not leaks(shown, king)


def failing(event: CardDrawn) -> Exception:
    """The exception of a frame that holds a face-down card in its locals."""

    def fail() -> None:
        down = event.card
        raise RuntimeError(f"cannot go on with {down}")

    try:
        fail()
    except RuntimeError as error:
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return error
    raise AssertionError


def test_a_refused_value_beside_a_hidden_card_tells_nothing() -> None:
    king = Card("K", "h")
    with pytest.raises(ValidationError) as caught:
        CardDrawn(card=hide(king), face="sideways")  # type: ignore[arg-type]
    assert not leaks(str(caught.value), king)


def test_a_hidden_card_can_stand_wherever_a_card_stands() -> None:
    down = hide(Card("9"))
    assert CardDrawn(card=down).card is down
    assert CardRevealed(ref="P1", card=down).card is down
    assert HoleRevealed(card=down).card is down


def test_a_header_alone_is_a_log() -> None:
    log = read_log('{"type":"log.header"}')
    assert log.header == LogHeader()
    assert (log.events, log.lines) == ((), ())
