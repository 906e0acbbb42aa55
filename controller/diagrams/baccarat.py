"""A coup of punto banco."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.diagrams.chart import Line, arrow, choice, path, state
from controller.diagrams.shoe import between_rounds
from protocols.dealing.model import Procedure

_FACES: Final = {"up": "face up", "down": "face down", "either": "all face up or all face down"}
_ERROR: Final = {"burn": "is burned", "next_hand": "is the first of the next coup unless it was seen"}


def round_of(procedure: Procedure) -> Iterator[Line]:
    """The coup by the document's defaults."""
    faces = str(procedure.options["deal_faces"].default)
    deal = [state("Deal", f"four cards, player and banker in turn, {_FACES[faces]}")]
    if faces != "up":
        deal.append(
            state("Turn", "the four cards are turned" + ("" if faces == "down" else " where they lie face down"))
        )
    called = [state("Bets", "no more bets called")] if "no_more_bets" in procedure.calls.required else []
    opening = [*called, *deal]
    yield from between_rounds(procedure, opening[0].name)
    yield from path(*opening, choice("Points"))
    yield from _draws()
    error = str(procedure.options["error_card"].default)
    yield state("Error", f"a card drawn in error {_ERROR[error]}")
    yield arrow("Result", "Error", "a card too many")
    yield arrow("Error", "Between")


def _draws() -> Iterator[Line]:
    yield state("PlayerThird", "player's third card, face up")
    yield state("BankerThird", "banker's third card, face up")
    yield state("Result", "result, coup closed")
    yield choice("BankerDue")
    yield arrow("Points", "Result", "eight or nine on a side")
    yield arrow("Points", "PlayerThird", "player 0 to 5")
    yield arrow("Points", "BankerDue", "player 6 or 7")
    yield arrow("PlayerThird", "BankerDue")
    yield arrow("BankerDue", "BankerThird", "banker draws by the table")
    yield arrow("BankerDue", "Result", "banker stands")
    yield arrow("BankerThird", "Result")
    yield arrow("Result", "Between", "coup over")
