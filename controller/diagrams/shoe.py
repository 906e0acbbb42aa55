"""What goes on between two rounds, the same in every family: shuffle, cut, burn, the end of the shoe."""

from __future__ import annotations

from collections.abc import Iterator

from controller.diagrams.chart import ENDS, Arrow, Line, Note, State
from protocols.dealing.model import Procedure


def between_rounds(procedure: Procedure, opened: str) -> Iterator[Line]:
    """From `Between`, where a round ends, to the state `opened`, with which one begins."""
    yield State("Between", "between rounds")
    yield Arrow(ENDS, "Between")
    yield Arrow("Between", opened, "round opened")
    yield from _refill(procedure)
    settled = [name for name, option in procedure.options.items() if option.settled]
    if settled:
        yield Note("Between", f"settled by the text, not by the table - {', '.join(settled)}")


def _refill(procedure: Procedure) -> Iterator[Line]:
    yield State("Shuffle", ", ".join(["shuffle", *_cut(procedure), *_placing(procedure)]))
    yield Arrow("Between", "Shuffle", _shuffled_when(procedure))
    burn = _burn(procedure)
    if burn is None:
        yield Arrow("Shuffle", "Between", "shoe loaded")
        return
    yield State("Burn", burn)
    yield Arrow("Shuffle", "Burn", "shoe loaded")
    yield Arrow("Burn", "Between")


def _cut(procedure: Procedure) -> Iterator[str]:
    if procedure.cut.first is not None:
        yield f"cut offered first to the {procedure.cut.first.replace('_', ' ')}"


def _placing(procedure: Procedure) -> Iterator[str]:
    if procedure.cutting_card.cards_from_back is not None:
        yield f"cutting card {procedure.cutting_card.cards_from_back} cards from the back"


def _shuffled_when(procedure: Procedure) -> str:
    options = {name: option.default for name, option in procedure.options.items()}
    if options.get("last_coup") == "one_more":
        return "one coup after the one with the cutting card"
    if options.get("cut_card_first") == "reshuffle":
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
