"""Misdeals that show by the first card of a round at the latest: shuffle, burn, wagers, the call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.boxes.acts import Burned, Drawn, RoundOpened, Stray, WagerChanged
from simulators.boxes.wrong import any_of
from simulators.stud.acts import NoMoreBets, ShoeFaulted, Shuffled, StubCounted
from simulators.stud.misdeals import Misdeal
from simulators.stud.wrong import Here, Temptation, Wrong, first_card


def shuffle_overdue(here: Here) -> Wrong | None:
    due = isinstance(here.due, Shuffled) and here.book.dealt and not here.layout.replaced
    return Wrong((), "instead", first_card) if due else None


def shuffler_required(here: Here) -> Wrong | None:
    return Wrong((Shuffled("hand"),), "instead", first_card) if isinstance(here.due, Shuffled) else None


def burn_missing(here: Here) -> Wrong | None:
    due = isinstance(here.due, Burned) and here.rules.least_burned > 0 and here.layout.burned == 0
    return Wrong((), "instead", first_card) if due else None


def burned_too_few(here: Here) -> Wrong | None:
    due = isinstance(here.due, Burned) and here.rules.least_burned > 1 and here.layout.burned > 0
    return Wrong((), "instead", first_card) if due else None


def burned_too_many(here: Here) -> Wrong | None:
    due = isinstance(here.due, RoundOpened) and (here.layout.loaded or here.rules.burn == 0)
    cards = here.rules.most_burned + 1 - here.layout.burned
    return Wrong(tuple(Burned(here.stock.draw()) for _ in range(cards)), "go_on") if due else None


def burned_in_deal(here: Here) -> Wrong | None:
    due = isinstance(here.due, Drawn) and here.layout.places and here.layout.burned == here.rules.most_burned
    return here.maybe(Burned(here.stock.draw())) if due else None


def box_limit(here: Here) -> Wrong | None:
    if not isinstance(here.due, RoundOpened):
        return None
    beyond = here.rules.max_boxes + here.rng.randint(1, 3)
    at_once = RoundOpened((*here.due.boxes, beyond))
    return Wrong(here.rng.choice(((at_once,), (here.due, WagerChanged(beyond, "made")))))


def nmb_missing(here: Here) -> Wrong | None:
    missed = (NoMoreBets(made=False),)
    return Wrong(missed, "instead", first_card) if isinstance(here.due, NoMoreBets) else None


def stub_count_overdue(here: Here) -> Wrong | None:
    due = isinstance(here.due, StubCounted) and here.book.runs_out(here.rules.stub_count_rounds)
    return Wrong((), "instead", first_card) if due else None


def drawn_between_rounds(here: Here) -> Wrong | None:
    return Wrong((Stray(here.stock.draw()),), "go_on") if isinstance(here.due, RoundOpened) else None


def drawn_in_round(here: Here) -> Wrong | None:
    return here.maybe(Stray(here.stock.draw())) if here.in_round else None


def opened_without_shoe(here: Here) -> Wrong | None:
    due = isinstance(here.due, RoundOpened) and here.rules.from_shoe and here.may_void
    return Wrong((ShoeFaulted(), *here.first_card())) if due else None


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.SHUFFLE_OVERDUE: shuffle_overdue,
    Misdeal.SHUFFLER_REQUIRED: shuffler_required,
    Misdeal.BURN_MISSING: burn_missing,
    Misdeal.BURN_COUNT: any_of(burned_too_few, burned_too_many),
    Misdeal.BURN_EXTRA: any_of(burned_too_many, burned_in_deal),
    Misdeal.BOX_LIMIT: box_limit,
    Misdeal.NMB_MISSING: nmb_missing,
    Misdeal.STUB_COUNT_OVERDUE: stub_count_overdue,
    Misdeal.DRAW_OUTSIDE_ROUND: any_of(drawn_between_rounds, drawn_in_round, opened_without_shoe),
}
