"""Rules of a deck that is dealt anew in every round of stud: its shuffle, and what is left of it after the deal."""

from __future__ import annotations

from protocols.dealing.rules import shoe
from protocols.dealing.rules.finding import Finding, Moment, first_card, on
from protocols.dealing.stock import CARDS_IN_DECK
from protocols.dealing.stud.hands import deal_of, over
from protocols.events import CardDrawn, CardsReplaced, CardsShuffled, StubCounted, StubDiscarded
from protocols.verdicts import Outcome


@on(CardDrawn, when=first_card)
def shuffle_overdue(moment: Moment) -> Finding | None:
    done = moment.before.shoe.shuffle.done
    if not moment.first_card or done:
        return None
    if not moment.setting.sees("shuffle"):
        return Finding("whether the cards were shuffled is not observed", "unobservable")
    if done is None:
        first = moment.before.round.number == 1
        return None if first else Finding("whether these cards were shuffled is not known", "unobservable")
    return Finding("the cards were not shuffled since the last round")


@on(CardsShuffled, CardsReplaced)
def shuffle_midround(moment: Moment) -> Finding | None:
    return None if over(moment.setting, moment.before.round) else shoe.shuffle_midround(moment)


@on(CardDrawn, when=first_card)
def shuffler_required(moment: Moment) -> Finding | None:
    shuffle = moment.before.shoe.shuffle
    if not moment.first_card or not shuffle.done or not deal_of(moment.setting).shuffler or shuffle.by == "shuffler":
        return None
    outcome: Outcome = "violation" if shuffle.by else "unobservable"
    return Finding("the cards have to be shuffled by a shuffling device", outcome)


@on(CardDrawn, when=first_card)
def stub_count_overdue(moment: Moment) -> Finding | None:
    stub, most = moment.before.shoe.stub, int(moment.setting.options["stub_count_rounds"])
    if not moment.first_card or (stub.certain and stub.rounds < most):
        return None
    sure = stub.rounds >= most and moment.setting.sees("stub")
    return Finding(
        f"the stub has to be counted at least every {most} rounds",
        "violation" if sure else "unobservable",
    )


@on(StubCounted)
def stub_count_mismatch(moment: Moment) -> Finding | None:
    event, before = moment.event, moment.before
    if not isinstance(event, StubCounted):
        return None
    left = before.shoe.decks * CARDS_IN_DECK - before.shoe.stock.drawn
    if event.count == left:
        return None
    sure = not before.shoe.stub.unseen and (before.round.begun or moment.setting.sees("shuffle"))
    return Finding(f"{event.count} cards are counted, {left} have to be left", "violation" if sure else "unobservable")


@on(StubDiscarded)
def stub_exposed(moment: Moment) -> Finding | None:
    exposed = isinstance(moment.event, StubDiscarded) and moment.event.exposed
    return Finding("cards of the stub were exposed") if exposed else None
