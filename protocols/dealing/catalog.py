"""The procedures there are: those that shoewatch brings and, joined to them, the documents of a site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from protocols.dealing.model import Procedure
from protocols.dealing.reading import Read, read
from protocols.errors import ProcedureError, did_you_mean


@dataclass(frozen=True, slots=True, eq=False)
class Catalog(Mapping[str, Procedure]):
    """Procedures by id; `own`: the ids of those that are a site's own."""

    known: Mapping[str, Procedure]
    own: frozenset[str] = field(default_factory=frozenset)

    def __getitem__(self, name: str) -> Procedure:
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def named(self, name: str) -> Procedure:
        """The procedure with this id; ProcedureError with the nearest known one."""
        if name not in self.known:
            raise ProcedureError(f"unknown procedure {name!r}{did_you_mean(name, self.known)}")
        return self.known[name]

    @property
    def codes(self) -> frozenset[str]:
        """All codes of verdicts that there can be."""
        return frozenset(code for each in self.values() for rule in each.rules.values() for code in rule.codes)

    def joined(self, texts: Mapping[str, str]) -> Catalog:
        """These and a site's own documents, given as texts by file; ProcedureError with every mistake in them."""
        found = read(texts, self.known, site=True)
        if found.report:
            raise ProcedureError(*found.report)
        return self.with_sound(found)

    def with_sound(self, found: Read) -> Catalog:
        """These and what is sound of a site's own documents."""
        return Catalog({**self.known, **found.procedures}, self.own | frozenset(found.procedures))


@cache
def procedures() -> Catalog:
    """The procedures that shoewatch brings."""
    folder = resources.files("protocols.dealing") / "procedures"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    found = read({file.name: file.read_text(encoding="utf-8") for file in files}, {}, site=False)
    if found.report:
        raise ProcedureError(*found.report)
    return Catalog(found.procedures)


def procedure_named(name: str) -> Procedure:
    """The procedure with this id of those that shoewatch brings; ProcedureError with the nearest known one."""
    return procedures().named(name)
