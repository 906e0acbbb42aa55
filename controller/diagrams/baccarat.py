"""A coup of punto banco."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.diagrams.chart import Arrow, Choice, Line, State, path
from controller.diagrams.shoe import between_rounds
from protocols.dealing.model import Procedure

_FACES: Final = {"up": "face up", "down": "face down", "either": "all face up or all face down"}
_ERROR: Final = {"burn": "is burned", "next_hand": "is the first of the next coup unless it was seen"}


def round_of(procedure: Procedure) -> Iterator[Line]:
    """The coup by the document's defaults."""
    faces = str(procedure.options["deal_faces"].default)
    deal = [State("Deal", f"four cards, player and banker in turn, {_FACES[faces]}")]
    if faces != "up":
        deal.append(
            State("Turn", "the four cards are turned" + ("" if faces == "down" else " where they lie face down"))
        )
    called = [State("Bets", "no more bets called")] if "no_more_bets" in procedure.calls.required else []
    opening = [*called, *deal]
    yield from between_rounds(procedure, opening[0].name)
    yield from path(*opening, Choice("Points"))
    yield from _draws()
    error = str(procedure.options["error_card"].default)
    yield State("Error", f"a card drawn in error {_ERROR[error]}")
    yield Arrow("Result", "Error", "a card too many")
    yield Arrow("Error", "Between")


def _draws() -> Iterator[Line]:
    yield State("PlayerThird", "player's third card, face up")
    yield State("BankerThird", "banker's third card, face up")
    yield State("Result", "result, coup closed")
    yield Choice("BankerDue")
    yield Arrow("Points", "Result", "eight or nine on a side")
    yield Arrow("Points", "PlayerThird", "player 0 to 5")
    yield Arrow("Points", "BankerDue", "player 6 or 7")
    yield Arrow("PlayerThird", "BankerDue")
    yield Arrow("BankerDue", "BankerThird", "banker draws by the table")
    yield Arrow("BankerDue", "Result", "banker stands")
    yield Arrow("BankerThird", "Result")
    yield Arrow("Result", "Between", "coup over")
