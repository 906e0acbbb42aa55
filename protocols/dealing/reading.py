"""Texts to procedures: each is read, completed by the document that it extends, and examined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from protocols.dealing.deriving import beside, derived, unmarked, without
from protocols.dealing.model import Method, Procedure
from protocols.dealing.soundness import fallbacks, method_without_reader, unsound, wrong_options
from protocols.errors import did_you_mean
from protocols.texts import TextError, read_toml
from protocols.validation import sentences


@dataclass(frozen=True, slots=True)
class Read:
    """What documents gave: the sound ones by id, and what is wrong with each file, `KEY: REASON`."""

    procedures: Mapping[str, Procedure]
    problems: Mapping[str, tuple[str, ...]]

    @property
    def report(self) -> tuple[str, ...]:
        """Every mistake as `FILE: KEY: REASON`."""
        return tuple(f"{where}: {problem}" for where, found in self.problems.items() for problem in found)


def read(texts: Mapping[str, str], known: Mapping[str, Procedure], *, site: bool) -> Read:
    """The documents in `texts`, by file; what they extend is among them or in `known`.

    `site`: they are a site's own: what they state needs neither mark nor paragraph."""
    reading = _Reading(known, site)
    for where, text in texts.items():
        reading.take(where, text)
    reading.complete()
    return Read(reading.procedures, {where: tuple(reading.problems.get(where, ())) for where in texts})


@dataclass(frozen=True, slots=True)
class _Draft:
    """A document as it was written; `gone`: the keys of what it extends that it takes away."""

    where: str
    id: str
    document: Mapping[str, Any]
    extends: str | None = None
    gone: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reading:
    known: Mapping[str, Procedure]
    site: bool
    drafts: dict[str, _Draft] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)

    def take(self, where: str, text: str) -> None:
        """Read one text, which becomes a draft or a problem."""
        try:
            document = _frozen(read_toml(text))
        except TextError as error:
            self._wrong(where, f"is no TOML: {error}")
            return
        name = document.get("id")
        if not isinstance(name, str):
            self._wrong(where, "id: is missing" if name is None else "id: must be a text in quotes")
        elif name in self.known:
            self._wrong(where, f"id: there is a procedure {name!r} already, give it an id of its own")
        elif name in self.drafts:
            self._wrong(where, f"id: {self.drafts[name].where} has the id {name!r} too")
        else:
            self.drafts[name] = _draft(where, name, document)

    def complete(self) -> None:
        """Make procedures of the drafts, each after the one that it extends."""
        waiting = dict(self.drafts)
        while ready := [draft for draft in waiting.values() if draft.extends in (None, *self._sound)]:
            for draft in ready:
                del waiting[draft.id]
                self._examine(draft)
        for draft in waiting.values():
            self._wrong(draft.where, f"extends: {self._no_parent(draft)}")
        joined = {name: self._joined(name, procedure) for name, procedure in self.procedures.items()}
        self.procedures = {name: each for name, each in joined.items() if self.drafts[name].where not in self.problems}

    @property
    def _sound(self) -> Mapping[str, Procedure]:
        return {**self.known, **self.procedures}

    def _examine(self, draft: _Draft) -> None:
        document = self._whole(draft)
        self._wrong(draft.where, *wrong_options(document))
        try:
            procedure = Procedure.model_validate(document, context=f"site document {draft.id}" if self.site else None)
        except ValidationError as error:
            self._wrong(draft.where, *sentences(error, Procedure))
            return
        if draft.where not in self.problems:
            self._wrong(draft.where, *unsound(procedure))
        if draft.where not in self.problems:
            self.procedures[draft.id] = procedure

    def _whole(self, draft: _Draft) -> Mapping[str, Any]:
        if draft.extends is None:
            return draft.document
        parent: Mapping[str, Any] = self._sound[draft.extends].model_dump()
        for path in draft.gone:
            left = without(parent, path)
            if left is None:
                self._wrong(
                    draft.where, f"without: {draft.extends} has no {path!r}{did_you_mean(path, beside(parent, path))}"
                )
            parent = left or parent
        return derived(parent, unmarked(draft.document) if self.site else draft.document)

    def _no_parent(self, draft: _Draft) -> str:
        """Why the document that a draft extends is not there."""
        chain = [draft.id]
        while (parent := self.drafts[chain[-1]].extends) in self.drafts and parent not in chain:
            chain.append(str(parent))
        if parent == draft.id:
            return f"{' extends '.join([*chain, draft.id])}: a circle"
        return self._not_there(str(draft.extends))

    def _not_there(self, name: str) -> str:
        if name in self.drafts:
            return f"{name!r} is wrong itself, see {self.drafts[name].where}"
        return f"unknown procedure {name!r}{did_you_mean(name, {**self._sound, **self.drafts})}"

    def _joined(self, name: str, procedure: Procedure) -> Procedure:
        """The procedure with the methods of those that its table may fall back to."""
        found: dict[str, Method] = {}
        for fallback in fallbacks(procedure):
            known = self._sound.get(fallback)
            method = method_without_reader(known) if known else None
            if method:
                found[fallback] = method
            else:
                why = f"{fallback!r} is not dealt without a reader" if known else self._not_there(fallback)
                self._wrong(self.drafts[name].where, f"options.fallback.choices: {why}")
        return procedure.falling_back(found)

    def _wrong(self, where: str, *problems: str) -> None:
        if problems:
            self.problems.setdefault(where, []).extend(problems)


def _draft(where: str, name: str, document: Mapping[str, Any]) -> _Draft:
    whole = {**document, "options": _options_in_full(document["options"])} if "options" in document else document
    if "extends" not in document:
        return _Draft(where, name, whole)
    gone = document.get("without", ())
    rest = {key: value for key, value in whole.items() if key != "without"}
    return _Draft(
        where, name, rest, str(document["extends"]), tuple(map(str, gone if isinstance(gone, tuple) else (gone,)))
    )


def _options_in_full(options: Any) -> Any:
    """An option that is given as a plain value has it as its default."""
    if not isinstance(options, Mapping):
        return options
    return {name: each if isinstance(each, Mapping) else {"default": each} for name, each in options.items()}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
