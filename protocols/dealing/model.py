"""A dealing procedure as a document: what the texts fix, what a table may choose, and where each of it stands.

A mark says how sure a fact is: `seed` and `verified` were read in the cited text, `analogue` in a sister rule,
`recalled` is from general knowledge of the rule family, `default` has no text, `site` was changed by a site."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from protocols.dealing.options import OPTIONS, OptionValue, problem_with
from protocols.errors import ProcedureError, did_you_mean
from protocols.events import Face, Street

Mark = Literal["seed", "verified", "analogue", "recalled", "default", "site"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Sourced(_Part):
    """Where a fact stands and how sure it is."""

    paragraph: str
    mark: Mark


class OptionDefault(Sourced):
    """An option of the procedure; `settled`: the text fixes the value and no other is accepted; `choices`: the values
    that can be chosen here, empty where the option itself says them."""

    default: OptionValue
    settled: bool = False
    choices: tuple[OptionValue, ...] = ()

    def problem_with(self, name: str, value: object) -> str | None:
        """Why `value` cannot be chosen for the option `name`, or None."""
        if self.choices and value not in self.choices:
            return f"{value!r} is none of {', '.join(map(str, self.choices))}"
        return problem_with(name, value)


class Burn(Sourced):
    """How many cards are burned after the shoe was loaded: by the first card's value, or as the option `burn` says.

    `first_face`: how the first of them must lie, None where that is not judged."""

    count: Literal["by_first_card", "option"]
    first_face: Literal["up", "down"] | None = None


class CuttingCard(Sourced):
    """Where the cutting card goes, in cards from the back; None where this is not judged."""

    cards_from_back: Annotated[int, Field(ge=1)] | None = None


class Deal(Sourced):
    """How the dealer is dealt to, where there is a dealer's hand.

    `method`: with a hole card and a reader, with a hole card and no peek, or without a hole card. `dealer_faces`:
    first up then down, one up and one down in either order, or one card up. `look`: when a person may look at the
    hole card otherwise than through the reader."""

    method: Literal["peek", "no-peek", "no-hole"]
    dealer_faces: Literal["up_down", "either", "up"]
    look: Literal["never", "after_players"] = "never"


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
    """Who is offered the cut first; None where this is not judged."""

    first: Literal["far_left"] | None = None


class Calls(Sourced):
    """The calls that the dealer has to make."""

    required: tuple[Literal["no_more_bets", "upcard", "total"], ...] = ()


class Rule(Sourced):
    """One rule in one sentence, and the codes by which the check names a breach of it."""

    text: str
    codes: tuple[str, ...]


class Procedure(_Part):
    """One procedure document."""

    id: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")]
    title: str
    family: Literal["baccarat", "blackjack", "stud"]
    jurisdiction: str
    citation: str
    options: dict[str, OptionDefault]
    burn: Burn
    cutting_card: CuttingCard
    cut: Cut
    calls: Calls
    deal: Deal | None = None
    stud: StudDeal | None = None
    rules: dict[str, Rule]

    @model_validator(mode="after")
    def _options_are_known_and_right(self) -> Procedure:
        for name, option in self.options.items():
            if name not in OPTIONS:
                raise ValueError(f"options.{name}: no such option{did_you_mean(name, OPTIONS)}")
            if problem := option.problem_with(name, option.default):
                raise ValueError(f"options.{name}.default: {problem}")
        return self

    def choose(self, chosen: Mapping[str, Any]) -> Mapping[str, OptionValue]:
        """Every option's value for a table that chose `chosen`; ProcedureError names the first wrong one."""
        for name, value in chosen.items():
            if problem := self._objection(name, value):
                raise ProcedureError(f"option {name!r} of {self.id}: {problem}")
        defaults = {name: option.default for name, option in self.options.items()}
        return MappingProxyType({**defaults, **chosen})

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


def read_procedure(text: str, where: str) -> Procedure:
    """A document from its text; ProcedureError names the file, the key and the reason."""
    try:
        return Procedure.model_validate_json(_as_json(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        raise ProcedureError(f"{where}: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = ".".join(map(str, first["loc"])) or "document"
        raise ProcedureError(f"{where}: {key}: {first['msg'].removeprefix('Value error, ')}") from None


@cache
def procedures() -> Mapping[str, Procedure]:
    """The procedures that shoewatch brings, by id."""
    folder = resources.files("protocols.dealing") / "procedures"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    found = [read_procedure(file.read_text(encoding="utf-8"), file.name) for file in files]
    return MappingProxyType({procedure.id: procedure for procedure in found})


def procedure_named(name: str) -> Procedure:
    """The procedure with this id; ProcedureError with the nearest known one."""
    try:
        return procedures()[name]
    except KeyError:
        raise ProcedureError(f"unknown procedure {name!r}{did_you_mean(name, procedures())}") from None


def _as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, default=str)
