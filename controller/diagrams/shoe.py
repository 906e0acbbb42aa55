"""What goes on between two rounds, the same in every family: shuffle, cut, burn, the end of the shoe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from controller.diagrams.chart import ENDS, Line, arrow, note, state
from protocols.dealing.model import Procedure, Seat

_SEATS: Final[Mapping[Seat, str]] = {
    "far_left": "the far left",
    "far_right": "the far right",
    "first_player": "the first player",
    "that_box": "that box",
}


def between_rounds(procedure: Procedure, opened: str) -> Iterator[Line]:
    """From `Between`, where a round ends, to the state `opened`, with which one begins."""
    yield state("Between", "between rounds")
    yield arrow(ENDS, "Between")
    yield arrow("Between", opened, "round opened")
    yield from _refill(procedure)
    settled = [name for name, option in procedure.options.items() if option.settled]
    if settled:
        yield note("Between", f"settled by the text, not by the table - {', '.join(settled)}")


def _refill(procedure: Procedure) -> Iterator[Line]:
    yield state("Shuffle", ", ".join(["shuffle", *_cut(procedure), *_placing(procedure)]))
    yield arrow("Between", "Shuffle", _shuffled_when(procedure))
    burn = _burn(procedure)
    if burn is None:
        yield arrow("Shuffle", "Between", "shoe loaded")
        return
    if procedure.burn.new_dealer:
        burn += ", the same at a new dealer"
    yield state("Burn", burn)
    yield arrow("Shuffle", "Burn", "shoe loaded")
    yield arrow("Burn", "Between")


def _cut(procedure: Procedure) -> Iterator[str]:
    cut = procedure.cut
    seats = {
        "": cut.first,
        " at the start": cut.start,
        " with new cards": cut.new_cards,
        " when the cutting card showed at a box": cut.on_box,
        " when it showed at the dealer": cut.on_dealer,
        " at any other time": cut.house,
    }
    named = [f"{_SEATS[seat]}{when}" for when, seat in seats.items() if seat is not None]
    if named:
        yield f"cut offered first to {', '.join(named)}"


def _placing(procedure: Procedure) -> Iterator[str]:
    card = procedure.cutting_card
    if card.cards_from_back is not None:
        yield f"cutting card {card.cards_from_back} cards from the back"
    if card.decks is not None:
        yield f"cutting card {card.decks:g} decks from the back"
    if card.at_least_decks is not None:
        yield f"cutting card at least {card.at_least_decks:g} decks from the back"
    if card.at_least_share is not None:
        yield f"cutting card at least {card.at_least_share:.0%} of the cards from the back"


def _shuffled_when(procedure: Procedure) -> str:
    options = {name: option.default for name, option in procedure.options.items()}
    if options.get("last_coup") == "one_more":
        return "one coup after the one with the cutting card"
    if "cut_card_first" not in options:
        return "after every round"
    if options["cut_card_first"] == "reshuffle":
        return "cutting card shown, also before the first card of a round"
    return "cutting card shown, the round with it is dealt to its end"


def _burn(procedure: Procedure) -> str | None:
    if procedure.burn.count == "by_first_card":
        face = f", dealt {procedure.burn.first_face}" if procedure.burn.first_face else ""
        return f"burn one card{face}, then as many as it counts"
    number = procedure.options["burn"].default
    if number == 0:
        return None
    return "burn none or one card" if number == "unset" else f"burn {number} card{'' if number == 1 else 's'}"
