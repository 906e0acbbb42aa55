"""Texts to procedures: each is read, completed by the document that it extends, and examined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from protocols.dealing.deriving import beside, derived, unmarked, without
from protocols.dealing.model import Method, Procedure
from protocols.dealing.readable import Readable, as_far_as_readable, stated_wrongly
from protocols.dealing.soundness import fallbacks, method_without_reader, unsound, wrong_options
from protocols.errors import did_you_mean
from protocols.texts import TextError, read_toml

_NAMELESS: Final = "nameless"
"""Stands in for the id of a document that has none, so that the rest of it can be read."""


@dataclass(frozen=True, slots=True)
class Read:
    """What documents gave: the sound ones by id, what is wrong with each file, `KEY: REASON`, and the ids that were
    read, also of those that are wrong."""

    procedures: Mapping[str, Procedure]
    problems: Mapping[str, tuple[str, ...]]
    ids: frozenset[str]

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
    problems = {where: tuple(reading.problems.get(where, ())) for where in texts}
    return Read(reading.procedures, problems, frozenset(reading.named))


@dataclass(frozen=True, slots=True)
class _Draft:
    """A document as it was written; `id` None: it has none that it could be known by; `gone`: the keys of what it
    extends that it takes away."""

    where: str
    id: str | None
    document: Mapping[str, Any]
    extends: str | None = None
    gone: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reading:
    """`named`: the drafts that others can name; `whole`: by file what is known of a document with all that it takes
    from the one that it extends."""

    known: Mapping[str, Procedure]
    site: bool
    drafts: list[_Draft] = field(default_factory=list)
    named: dict[str, _Draft] = field(default_factory=dict)
    whole: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)

    def take(self, where: str, text: str) -> None:
        """Read one text, which becomes a draft, a problem or both."""
        try:
            document = _frozen(read_toml(text))
        except TextError as error:
            self._wrong(where, f"is no TOML: {error}")
            return
        name = document.get("id")
        if problem := self._wrong_id(name):
            self._wrong(where, f"id: {problem}")
            draft = _draft(where, None, {**document, "id": _NAMELESS})
        else:
            draft = self.named[name] = _draft(where, name, document)
        self.drafts.append(draft)

    def complete(self) -> None:
        """Make procedures of the drafts, each after the one that it extends."""
        readable = list[tuple[_Draft, Readable]]()
        waiting = list(self.drafts)
        while ready := [draft for draft in waiting if self._has_parent(draft)]:
            for draft in ready:
                waiting.remove(draft)
                readable.append((draft, self._examine(draft)))
        for draft in waiting:
            self._examine_alone(draft)
        joined = [(draft, self._joined(draft, each)) for draft, each in readable]
        self.procedures = {
            draft.id: procedure
            for draft, procedure in joined
            if draft.id is not None and procedure is not None and draft.where not in self.problems
        }

    @property
    def _sound(self) -> Mapping[str, Procedure]:
        return {**self.known, **self.procedures}

    def _wrong_id(self, name: object) -> str | None:
        if not isinstance(name, str):
            return "is missing" if name is None else "must be a text in quotes"
        if name in self.known:
            return f"there is a procedure {name!r} already, give it an id of its own"
        return f"{self.named[name].where} has the id {name!r} too" if name in self.named else None

    def _has_parent(self, draft: _Draft) -> bool:
        """Whether all is known that the document takes from another one."""
        parent = self._parent(draft)
        return draft.extends in (None, *self.known) or (parent is not None and parent.where in self.whole)

    def _examine(self, draft: _Draft) -> Readable:
        parent = self._parent(draft)
        if parent and parent.id not in self.procedures:
            self._wrong(draft.where, f"extends: {self._not_there(str(parent.id))}")
        self.whole[draft.where] = document = self._with_parent(draft)
        found = as_far_as_readable(document, self._context(draft), next(iter(self.known.values()), None))
        self._wrong_here(draft, [*wrong_options(document), *found.problems])
        if found.procedure is not None:
            told = self.problems.get(draft.where, [])
            self._wrong_here(
                draft, [each for each in unsound(found.procedure, found.unread) if not _is_told(each, told)]
            )
            if draft.id is not None and draft.where not in self.problems:
                self.procedures[draft.id] = found.procedure
        return found

    def _examine_alone(self, draft: _Draft) -> None:
        """What is wrong with a document whatever it extends."""
        stated = unmarked(draft.document) if self.site else draft.document
        self._wrong(draft.where, f"extends: {self._no_parent(draft)}")
        self._wrong(draft.where, *wrong_options(stated), *stated_wrongly(stated, self._context(draft)))

    def _parent(self, draft: _Draft) -> _Draft | None:
        """What the document extends, where it is one of these."""
        return self.named.get(str(draft.extends))

    def _context(self, draft: _Draft) -> str | None:
        return f"site document {draft.id}" if self.site else None

    def _with_parent(self, draft: _Draft) -> Mapping[str, Any]:
        if draft.extends is None:
            return draft.document
        known = self._sound.get(draft.extends)
        parent = known.model_dump() if known else self.whole[self.named[draft.extends].where]
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
        chain = [draft]
        while (parent := self._parent(chain[-1])) is not None and parent not in chain:
            chain.append(parent)
        if parent is draft:
            return f"{' extends '.join(str(each.id) for each in [*chain, draft])}: a circle"
        return self._not_there(str(draft.extends))

    def _not_there(self, name: str) -> str:
        if name in self.named:
            return f"{name!r} is wrong itself, see {self.named[name].where}"
        return f"unknown procedure {name!r}{did_you_mean(name, {**self._sound, **self.named})}"

    def _joined(self, draft: _Draft, found: Readable) -> Procedure | None:
        """The procedure with the methods of those that its table may fall back to."""
        if found.procedure is None or "options" in found.unread:
            return found.procedure
        methods: dict[str, Method] = {}
        for fallback in fallbacks(found.procedure):
            known = self._sound.get(fallback)
            method = method_without_reader(known) if known else None
            if method:
                methods[fallback] = method
            else:
                why = f"{fallback!r} is not dealt without a reader" if known else self._not_there(fallback)
                self._wrong(draft.where, f"options.fallback.choices: {why}")
        return found.procedure.falling_back(methods)

    def _wrong_here(self, draft: _Draft, problems: Iterable[str]) -> None:
        """Problems but those that are told of the document that this one extends."""
        parent = self._parent(draft)
        told = self.problems.get(parent.where, []) if parent else []
        self._wrong(draft.where, *(problem for problem in problems if problem not in told))

    def _wrong(self, where: str, *problems: str) -> None:
        if problems:
            self.problems.setdefault(where, []).extend(problems)


def _is_told(problem: str, told: list[str]) -> bool:
    """Whether something is known to be wrong already with the key, or with a part of what stands there."""
    key = problem.partition(":")[0]
    return any(f"{each.partition(':')[0]}.".startswith(f"{key}.") for each in told)


def _draft(where: str, name: str | None, document: Mapping[str, Any]) -> _Draft:
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
