"""What a supervisor decides on a round that went wrong: read, held against the round, and what follows from it at the
table. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from controller.journal_file import MOST
from controller.rounds.model import Card as ShownCard
from controller.rounds.model import Reconstruction
from controller.standing import Standing
from protocols.cards import RANKS, SUITS, Card
from protocols.dealing.table import Draw
from protocols.errors import LogError, did_you_mean, quoted
from protocols.events import CardRevealed, RoundVoided, TableEvent
from protocols.hidden import Hidden
from protocols.records import Decision, Resolution

_OF: Final[Mapping[str, tuple[str, ...]]] = {"void": (), "accept": ("remedy",), "correct": ("draw", "card")}
_ALWAYS: Final = ("round", "what", "who", "why")
_LENGTHS: Final[Mapping[str, int]] = {"who": 64, "why": 200, "remedy": 200}
_EXAMPLE: Final = '{"round":12,"what":"void","who":"F. Person","why":"..."}'


def read_resolution(name: str, role: str, said: object, key: str | None = None) -> Resolution:
    """What a person has said under this id, by a command under this `key`; LogError where it is no decision, or not one
    of a supervisor's."""
    if role != "supervisor":
        raise LogError("resolution: only a supervisor says this")
    if not isinstance(said, dict) or not isinstance(what := said.get("what"), str):
        raise LogError(f"resolution: says on which round what is decided, such as {_EXAMPLE}")
    if what not in _OF:
        raise LogError(f"resolution: field 'what': {quoted(what)} is none{did_you_mean(what, _OF)}")
    fields = (*_ALWAYS, *_OF[what])
    for field in said.keys() - set(fields):
        raise LogError(f"resolution: unknown field {quoted(field)} to {what}{did_you_mean(field, fields)}")
    texts = {field: _text(said, field) for field in fields if field in _LENGTHS}
    numbers = {field: _number(said, field) for field in fields if field in ("round", "draw")}
    card = {"card": _card(said.get("card"))} if "card" in fields else {}
    decision: Decision = what  # type: ignore[assignment]
    return Resolution(name, role, what=decision, key=key, **numbers, **texts, **card)  # type: ignore[arg-type]


def objection(resolution: Resolution, found: Reconstruction) -> str | None:
    """Why this cannot be decided on the round as it lies in the journal, None where it can."""
    number = found.round
    if found.ended == "voided" or any(each.what == "void" for each in found.resolutions):
        return f"round {number} is voided already"
    if resolution.what == "void":
        return None
    cards = [card for hand in found.hands for card in hand.cards]
    if not found.findings and not found.disputed and not any(card.manual for card in cards):
        return f"nothing is wrong in round {number}"
    if resolution.what == "accept":
        return None
    return next(_against_the_card(resolution, cards, _corrected(resolution, found)), None)


def follows(resolution: Resolution, standing: Standing) -> TableEvent | str | None:
    """The event by which the table itself learns what was decided on a round that is still open, None where the record
    is all, or why it cannot be decided now."""
    seen = standing.check.state.round
    if resolution.round != standing.round or resolution.what == "accept":
        return None
    if not seen.opened:
        return f"round {resolution.round} is not open yet"
    actor = f"{resolution.role}:{resolution.who}"
    if resolution.what == "void":
        return RoundVoided(reason=resolution.why, actor=actor)
    draw = next((draw for draw in seen.draws if draw.number == resolution.draw), None)
    if draw is None:
        return f"round {resolution.round} has no card {resolution.draw}"
    shown = CardRevealed(draw=draw.number, card=Card.parse(resolution.card or ""), actor=actor, manual=True)
    if _lies_down(draw) or standing.check.stays_down(shown):
        return _closed(resolution)
    return shown


def _lies_down(draw: Draw) -> bool:
    return isinstance(draw.card, Hidden)


def _corrected(resolution: Resolution, found: Reconstruction) -> str | None:
    """What the card was last decided to be, where that is in no event, for its round was over."""
    told = (each.card for each in reversed(found.resolutions) if each.draw == resolution.draw)
    return next(told, None) if found.ended != "open" else None


def _against_the_card(resolution: Resolution, cards: list[ShownCard], corrected: str | None) -> Iterator[str]:
    card = next((card for card in cards if card.draw == resolution.draw), None)
    if card is None:
        yield f"round {resolution.round} has no card {resolution.draw}"
    elif card.lies == "down":
        yield _closed(resolution)
    elif (value := corrected or card.value) == resolution.card:
        yield f"card {resolution.draw} of round {resolution.round} is {value} already"


def _closed(resolution: Resolution) -> str:
    return f"card {resolution.draw} of round {resolution.round} lies face down, its value is told once it is turned"


def _text(said: Mapping[str, Any], field: str) -> str:
    value, length = said.get(field), _LENGTHS[field]
    if not isinstance(value, str) or not value.isprintable() or not value.strip() or len(value) > length:
        raise LogError(f"resolution: field {field!r}: 1 to {length} printable characters")
    return value


def _number(said: Mapping[str, Any], field: str) -> int:
    value = said.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
        raise LogError(f"resolution: field {field!r}: a whole number from 1 to {MOST}")
    return value


def _card(text: object) -> str:
    """The card as the table log writes it; what is wrong with it is told without it."""
    try:
        return str(Card.parse(text)) if isinstance(text, str) else _no_card()
    except ValueError:
        return _no_card()


def _no_card() -> str:
    raise LogError(f'resolution: field \'card\': no card (rank {RANKS}, then a suit {SUITS} where known: "Kh", "T")')
