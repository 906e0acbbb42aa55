"""A dealing procedure as a document: what the texts fix, what a table may choose, and where each of it stands.

A mark says how sure a fact is: `seed` and `verified` were read in the cited text, `analogue` in a sister rule,
`recalled` is from general knowledge of the rule family, `default` has no text, `site` is what a site states itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from protocols.dealing.options import OPTIONS, OptionValue, plain_value, problem_with
from protocols.errors import ProcedureError, did_you_mean, quoted
from protocols.events import Face, Street

Mark = Literal["seed", "verified", "analogue", "recalled", "default", "site"]
Family = Literal["baccarat", "blackjack", "stud"]
Method = Literal["peek", "no-peek", "no-hole"]
DealerFaces = Literal["up_down", "either", "up"]
Seat = Literal["far_left", "far_right", "first_player", "that_box"]
"""A player by his box: the lowest number, the highest, the first who came, the one where the cutting card appeared."""
Text = Annotated[str, Field(min_length=1)]


_ID: Final = re.compile(r"[a-z][a-z0-9-]*")


def _id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise ValueError(f'{quoted(text)} is no id (a-z, 0-9 and "-", a letter first, such as "riverside-21")')
    return text


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Sourced(_Part):
    """Where a fact stands and how sure it is.

    In a site's document, which validation knows by a context that names the site as a source, both may be left out."""

    paragraph: Text
    mark: Mark

    @model_validator(mode="before")
    @classmethod
    def _by_the_site(cls, stated: Any, info: ValidationInfo) -> Any:
        if info.context is None or not isinstance(stated, dict) or stated.get("mark", "site") != "site":
            return stated
        return {"paragraph": info.context, "mark": "site"} | stated


class OptionDefault(Sourced):
    """An option of the procedure; `settled`: the text fixes the value and no other is accepted; `choices`: the values
    that can be chosen here, empty where the option itself says them."""

    default: Annotated[OptionValue, PlainValidator(plain_value)]
    settled: bool = False
    choices: tuple[OptionValue, ...] = ()

    def open_to(self, name: str) -> str:
        """What a table can choose for the option `name`, in words."""
        return "settled" if self.settled else ", ".join(map(str, self.choices)) or str(OPTIONS[name])

    def problem_with(self, name: str, value: object) -> str | None:
        """Why `value` cannot be chosen for the option `name`, or None."""
        problem = problem_with(name, value)
        if problem is None and self.choices and value not in self.choices:
            return f"{value!r} is none of {', '.join(map(str, self.choices))}"
        return problem


class Burn(Sourced):
    """How many cards are burned after the shoe was loaded: by the first card's value, or as the option `burn` says.

    `first_face`: how the first of them must lie, None where that is not judged; `new_dealer`: whether each new
    dealer burns one, where the table burns at all."""

    count: Literal["by_first_card", "option"]
    first_face: Literal["up", "down"] | None = None
    new_dealer: bool = False


class CuttingCard(Sourced):
    """Where the cutting card goes, counted from the back: so many cards, so many decks, or at least so many decks or
    such a share of all; nothing of these where this is not judged.

    `about`: how many decks more or less count as that place; `directed_share`: on the manager's direction, an
    inspector told of it, any other place up to this share of the decks is right too."""

    cards_from_back: Annotated[int, Field(ge=1)] | None = None
    decks: Annotated[float, Field(gt=0)] | None = None
    at_least_decks: Annotated[float, Field(gt=0)] | None = None
    at_least_share: Annotated[float, Field(gt=0, le=1)] | None = None
    about: Annotated[float, Field(ge=0)] = 0.0
    directed_share: Annotated[float, Field(gt=0, le=1)] | None = None


class Deal(Sourced):
    """How the dealer is dealt to, where there is a dealer's hand.

    `method`: with a hole card and a reader, with a hole card and no peek, or without a hole card. `dealer_faces`:
    first up then down, one up and one down in either order, or one card up. `faces_without_reader`: the same for a
    round with a hole card that begins while the reader is out of use, None: no other. `look`: when a person may look
    at the hole card otherwise than through the reader. `double`: how the card of a double lies."""

    method: Method
    dealer_faces: DealerFaces
    faces_without_reader: Literal["up_down", "either"] | None = None
    look: Literal["never", "after_players"] = "never"
    double: Literal["up", "either"] = "up"


class StudDeal(Sourced):
    """How a round of stud is dealt and bet on, where the game is stud.

    `hand_cards`: dealt to each box, then one community card for each of the `streets`, all with `face`; `boxes_from`:
    whether the boxes are dealt from the hand or by a shoe, from which the cards are taken for the community cards;
    `shuffler`: whether a shuffling device must be used; `multiples` of the ante that may be bet on a street;
    `winning_pairs`, `pushing_pairs`: the ranks of which a single pair wins or pushes."""

    hand_cards: Annotated[int, Field(ge=1, le=5)]
    streets: Annotated[tuple[Street, ...], Field(min_length=1)]
    face: Face
    boxes_from: Literal["hand", "shoe"]
    shuffler: bool
    multiples: tuple[int, ...]
    winning_pairs: str
    pushing_pairs: str


class Cut(Sourced):
    """Who is offered the cut first, and clockwise from there; where no seat is named this is not judged.

    `first`: on every occasion. Else by occasion: `start` before the start of play, `new_cards` when other cards were
    brought in, `on_box` and `on_dealer` where the cutting card appeared in the last round, `house` when the cards
    are shuffled for none of these reasons. `nobody`: who cuts when every player refuses, None: whoever."""

    first: Seat | None = None
    start: Seat | None = None
    new_cards: Seat | None = None
    on_box: Seat | None = None
    on_dealer: Seat | None = None
    house: Seat | None = None
    nobody: Literal["supervisor"] | None = None


class Calls(Sourced):
    """The calls that the dealer has to make."""

    required: tuple[Literal["no_more_bets", "upcard", "total"], ...] = ()


class Rule(Sourced):
    """One rule in one sentence, and the codes by which the check names a breach of it."""

    text: Text
    codes: tuple[str, ...]


class Procedure(_Part):
    """One procedure document; `extends`: the document from which it takes what it does not state itself."""

    id: Annotated[str, AfterValidator(_id)]
    extends: str | None = None
    title: Text
    family: Family
    jurisdiction: Text
    citation: Text
    options: dict[str, OptionDefault]
    burn: Burn
    cutting_card: CuttingCard
    cut: Cut
    calls: Calls
    deal: Deal | None = None
    stud: StudDeal | None = None
    rules: dict[str, Rule]

    _fallbacks: Mapping[str, Method] = PrivateAttr(default_factory=dict)

    def falling_back(self, fallbacks: Mapping[str, Method]) -> Procedure:
        """This procedure, knowing by which method each procedure is dealt that its table may fall back to."""
        known = self.model_copy()
        known._fallbacks = dict(fallbacks)
        return known

    def fallback_method(self, procedure: str) -> Method | None:
        """The method of a procedure that the table may fall back to; None for any other."""
        return self._fallbacks.get(procedure)

    def choose(self, chosen: Mapping[str, Any]) -> Mapping[str, OptionValue]:
        """Every option's value for a table that chose `chosen`; ProcedureError names the first wrong one."""
        for name, value in chosen.items():
            if problem := self._objection(name, value):
                raise ProcedureError(f"option {name!r} of {self.id}: {problem}")
        defaults = {name: option.default for name, option in self.options.items()}
        return MappingProxyType({**defaults, **chosen})

    def needs_reader(self, chosen: Mapping[str, Any]) -> bool:
        """Whether a table that chose `chosen` cannot be dealt without a hole-card reader."""
        options = {**{name: option.default for name, option in self.options.items()}, **chosen}
        peeks = self.deal is not None and self.deal.method == "peek" and options.get("peek") == "required"
        return peeks and options.get("scanner_approved") is not False

    def paragraph_of(self, code: str) -> str | None:
        """The paragraph behind a code of the check."""
        return next((rule.paragraph for rule in self.rules.values() if code in rule.codes), None)

    def _objection(self, name: str, value: Any) -> str | None:
        option = self.options.get(name)
        if option is None:
            return f"this procedure does not have it{did_you_mean(name, self.options)}"
        if option.settled and value != option.default:
            return f"{value!r} is no choice, {option.paragraph} settles {option.default!r}"
        return option.problem_with(name, value)
