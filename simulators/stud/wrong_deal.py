"""Misdeals of the deal: where the cards go, how they lie, what becomes of the stub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.boxes.acts import Drawn, WagerChanged
from simulators.boxes.wrong import any_of
from simulators.stud.acts import Act, Acted, ShoeFaulted, Shuffled, StubCounted, StubDiscarded, TakenToHand, Turned
from simulators.stud.layout import BOARD, served
from simulators.stud.misdeals import Misdeal
from simulators.stud.wrong import Here, Temptation, Wrong


def _right_places(here: Here) -> set[str]:
    """Where the next card may go, whichever pattern the dealer has begun."""
    done = here.layout.places
    deals = [served(here.boxes, pattern) for pattern in here.rules.patterns]
    return {deal[len(done)] for deal in deals if deal[: len(done)] == done}


def order(here: Here) -> Wrong | None:
    if not isinstance(here.due, Drawn):
        return None
    in_stacks = here.rules.from_shoe and not here.layout.in_hand
    reachable = [place for place in here.layout.due if not (in_stacks and place in BOARD)]
    wrong = sorted(set(reachable) - _right_places(here))
    return here.maybe(here.card(here.rng.choice(wrong)), then="instead") if wrong else None


def face(here: Here) -> Wrong | None:
    return here.maybe(here.card(here.due.to, "up"), then="instead") if isinstance(here.due, Drawn) else None


def box_without_wager(here: Here) -> Wrong | None:
    empty = [box for box in range(1, here.rules.max_boxes + 1) if box not in here.boxes]
    due = isinstance(here.due, Drawn | Acted | Turned)
    return here.maybe(here.card(f"box:{here.rng.choice(empty)}")) if due and empty else None


def extra_card(here: Here) -> Wrong | None:
    full = here.layout.full()
    return here.maybe(here.card(here.rng.choice(full))) if here.in_round and full else None


def last_card_missing(here: Here) -> Wrong | None:
    if not isinstance(here.due, Drawn) or here.layout.due != [BOARD[-1]]:
        return None
    later: tuple[Act, ...] = (
        StubDiscarded(),
        StubCounted(len(here.stock)),
        Acted(here.layout.live[0], "bet", 3, 1),
    )
    return Wrong((here.rng.choice(later),))


def players_card_missing(here: Here) -> Wrong | None:
    due = isinstance(here.due, Drawn) and here.rules.from_shoe and here.layout.due[1:] == [*BOARD]
    return Wrong((TakenToHand(),)) if due else None


def community_from_shoe(here: Here) -> Wrong | None:
    return here.maybe(here.card(BOARD[0])) if isinstance(here.due, TakenToHand) else None


def round_void(here: Here) -> Wrong | None:
    in_stacks = here.rules.from_shoe and here.layout.places and here.layout.players_wait
    due = isinstance(here.due, Drawn) and in_stacks and here.may_void
    return Wrong((ShoeFaulted(), here.card(here.layout.due[0]))) if due else None


def shuffle_midround(here: Here) -> Wrong | None:
    """Once every hand has folded the cards may be shuffled."""
    return Wrong((Shuffled("shuffler"),)) if here.in_round and here.layout.live else None


def wager_raised(here: Here) -> Wrong | None:
    return here.maybe(WagerChanged(here.rng.choice(here.boxes), "raised")) if here.in_round else None


def wager_made(here: Here) -> Wrong | None:
    empty = [box for box in range(1, here.rules.max_boxes + 1) if box not in here.boxes]
    return Wrong((WagerChanged(here.rng.choice(empty), "made"),)) if here.in_round and empty else None


def stub_exposed(here: Here) -> Wrong | None:
    exposed = StubDiscarded(exposed=True)
    return here.maybe(exposed, then="instead") if isinstance(here.due, StubDiscarded) else None


def stub_count_mismatch(here: Here) -> Wrong | None:
    if not isinstance(here.due, StubCounted):
        return None
    wrong = here.due.count + here.rng.choice((-13, -2, -1, 1, 2))
    return here.maybe(StubCounted(wrong), then="instead")


def inventory(here: Here) -> Wrong | None:
    """A card of the deck is there twice: the second one is turned after the first."""
    if not isinstance(here.due, Drawn) or here.due.to not in BOARD[1:] or here.layout.due[0] != here.due.to:
        return None
    at = BOARD.index(here.due.to)
    here.stock.draw()
    twin = here.layout.cards[here.rng.choice(BOARD[:at])][0]
    drawn = Drawn(here.due.to, twin, "down")
    return Wrong((drawn,), "instead", lambda act: isinstance(act, Turned) and act.street == at + 3)


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.ORDER: order,
    Misdeal.FACE: face,
    Misdeal.BOX_WITHOUT_WAGER: box_without_wager,
    Misdeal.EXTRA_CARD: extra_card,
    Misdeal.MISSING_CARD: any_of(last_card_missing, players_card_missing),
    Misdeal.COMMUNITY_FROM_SHOE: community_from_shoe,
    Misdeal.ROUND_VOID: round_void,
    Misdeal.SHUFFLE_MIDROUND: shuffle_midround,
    Misdeal.WAGER_CHANGED: any_of(wager_raised, wager_made),
    Misdeal.STUB_EXPOSED: stub_exposed,
    Misdeal.STUB_COUNT_MISMATCH: stub_count_mismatch,
    Misdeal.INVENTORY: inventory,
}
