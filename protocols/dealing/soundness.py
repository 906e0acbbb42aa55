"""Whether a document that has the right form can be dealt by: its options, its sections and the codes of its rules.

Every mistake is one sentence, `KEY: REASON`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from protocols.dealing.games import GAMES
from protocols.dealing.model import Method, Procedure
from protocols.dealing.options import OPTIONS, problem_with
from protocols.errors import did_you_mean

_OF_ALL: Final = frozenset({"decks", "pickup"})
_OF_BLACKJACK: Final = _OF_ALL | {
    *("max_boxes", "max_hands", "soft_17", "pair", "split_second_card", "resplit_aces", "double_after_split"),
    *("surrender", "insurance", "signal", "burn", "draw_on_21", "dealer_draw_no_live_hands", "cut_card_first"),
}
_NEEDED: Final[Mapping[str, frozenset[str]]] = {
    "baccarat": _OF_ALL | {"deal_faces", "last_coup", "error_card", "cut_card_first"},
    "blackjack": _OF_BLACKJACK,
    "stud": _OF_ALL | {"max_boxes", "burn", "deal_pattern", "stub_count_rounds"},
}
"""The options without which the rules of a family cannot judge."""
_OF_READER: Final = frozenset({"peek", "fallback"})
_MAY: Final = frozenset({"scanner_approved"})
"""The options with which a reader is dealt with, and those that a document with one may leave out."""


def wrong_options(document: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the options of a document whose form need not be right."""
    options = document.get("options")
    for name, option in options.items() if isinstance(options, Mapping) else ():
        default = option.get("default") if isinstance(option, Mapping) else None
        if name not in OPTIONS:
            yield f"options.{name}: no such option{did_you_mean(name, OPTIONS)}"
        elif isinstance(default, bool | int | str) and (problem := problem_with(name, default)):
            yield f"options.{name}.default: {problem}"


def unsound(procedure: Procedure, unread: Collection[str] = ()) -> Iterator[str]:
    """What is wrong with a document of the right form; what rests on a part that is `unread` is left out."""
    for parts, check in _CHECKS:
        if parts.isdisjoint(unread):
            yield from check(procedure)


def fallbacks(procedure: Procedure) -> tuple[str, ...]:
    """The procedures that a table may fall back to."""
    return tuple(map(str, procedure.options["fallback"].choices)) if "fallback" in procedure.options else ()


def method_without_reader(procedure: Procedure) -> Method | None:
    """The method of a procedure that a table can fall back to; None where it is none."""
    return procedure.deal.method if procedure.deal is not None and procedure.deal.method != "peek" else None


def _wrong_choices(procedure: Procedure) -> Iterator[str]:
    peek = procedure.deal is not None and procedure.deal.method == "peek"
    needed = _NEEDED[procedure.family] | (_OF_READER if peek else frozenset())
    for name in sorted(needed - set(procedure.options)):
        yield f"options.{name}: is missing: {procedure.family}{' with a reader' if peek else ''} has it"
    for name in sorted(set(procedure.options) - needed - (_MAY if peek else frozenset())):
        yield f"options.{name}: {procedure.family}{'' if peek else ' without a reader'} does not have it"
    for name, option in procedure.options.items():
        if problem := option.problem_with(name, option.default):
            yield f"options.{name}.default: {problem}"
    if peek and "fallback" in procedure.options and not fallbacks(procedure):
        yield "options.fallback.choices: is missing: the procedures that the table can fall back to"


def _wrong_sections(procedure: Procedure) -> Iterator[str]:
    if (procedure.family == "blackjack") != (procedure.deal is not None):
        yield f"deal: {'is missing' if procedure.deal is None else f'{procedure.family} does not have it'}"
    if (procedure.family == "stud") != (procedure.stud is not None):
        yield f"stud: {'is missing' if procedure.stud is None else f'{procedure.family} does not have it'}"
    if procedure.deal is not None and (procedure.deal.method == "no-hole") != (procedure.deal.dealer_faces == "up"):
        yield 'deal.dealer_faces: is "up" without a hole card, "up_down" or "either" with one'
    by_option = procedure.family != "baccarat"
    if by_option != (procedure.burn.count == "option"):
        yield f"burn.count: {procedure.family} burns {'as the option burn says' if by_option else 'by the first card'}"


def _wrong_claims(procedure: Procedure) -> Iterator[str]:
    given = {rule.code for rule in GAMES[procedure.family].rules}
    claims = Counter(code for rule in procedure.rules.values() for code in rule.codes)
    for name, rule in procedure.rules.items():
        for code in sorted(set(rule.codes) - given):
            yield f"rules.{name}.codes: the check of {procedure.family} has no {code!r}{did_you_mean(code, given)}"
        for code in (code for code in rule.codes if claims[code] > 1):
            yield f"rules.{name}.codes: {code!r} is claimed {claims[code]} times, one rule claims a code"
    if unclaimed := sorted(given - set(claims)):
        yield f"rules: no rule claims {', '.join(unclaimed)}"


_CHECKS: Final[tuple[tuple[frozenset[str], Callable[[Procedure], Iterator[str]]], ...]] = (
    (frozenset({"family", "deal", "options"}), _wrong_choices),
    (frozenset({"family", "deal", "stud", "burn"}), _wrong_sections),
    (frozenset({"family", "rules"}), _wrong_claims),
)
"""What is looked at, and the parts of a document that it rests on."""
