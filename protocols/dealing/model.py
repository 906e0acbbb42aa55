"""A dealing procedure as a document: what the texts fix, what a table may choose, and where each of it stands.

A mark says how sure a fact is: `seed` and `verified` were read in the cited text, `analogue` in a sister rule,
`recalled` is from general knowledge of the rule family, `default` has no text, `site` is what a site states itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, PrivateAttr, ValidationInfo, model_validator

from protocols.dealing.options import OPTIONS, OptionValue, plain_value, problem_with
from protocols.errors import ProcedureError, did_you_mean

Mark = Literal["seed", "verified", "analogue", "recalled", "default", "site"]
Method = Literal["peek", "no-peek", "no-hole"]
Text = Annotated[str, Field(min_length=1)]


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

    method: Method
    dealer_faces: Literal["up_down", "either", "up"]
    look: Literal["never", "after_players"] = "never"


class Cut(Sourced):
    """Who is offered the cut first; None where this is not judged."""

    first: Literal["far_left"] | None = None


class Calls(Sourced):
    """The calls that the dealer has to make."""

    required: tuple[Literal["no_more_bets", "upcard", "total"], ...] = ()


class Rule(Sourced):
    """One rule in one sentence, and the codes by which the check names a breach of it."""

    text: Text
    codes: tuple[str, ...]


class Procedure(_Part):
    """One procedure document; `extends`: the document from which it takes what it does not state itself."""

    id: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")]
    extends: str | None = None
    title: Text
    family: Literal["baccarat", "blackjack"]
    jurisdiction: Text
    citation: Text
    options: dict[str, OptionDefault]
    burn: Burn
    cutting_card: CuttingCard
    cut: Cut
    calls: Calls
    deal: Deal | None = None
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
