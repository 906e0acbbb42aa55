"""The procedures that a table can be put on: those that shoewatch brings, and the site's own documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from protocols.dealing.catalog import Catalog, procedures
from protocols.dealing.reading import read
from protocols.errors import ProcedureError


@dataclass(frozen=True, slots=True)
class Site:
    """Our procedures with those of a site's documents that are sound; `problems`: every mistake in the others, `wrong`:
    their ids."""

    catalog: Catalog
    problems: tuple[str, ...] = ()
    wrong: frozenset[str] = frozenset()


def site_catalog(folder: Path | None) -> Catalog:
    """Our procedures and those of the documents in `folder`; ProcedureError with every mistake in all of them."""
    found = site_documents(folder)
    if found.problems:
        raise ProcedureError(*found.problems)
    return found.catalog


def site_documents(folder: Path | None) -> Site:
    """The documents in `folder`, whether or not all are sound; ProcedureError where there is no such folder."""
    if folder is None:
        return Site(procedures())
    texts, unreadable = read_documents(documents_in(folder))
    found = read(texts, procedures(), site=True)
    problems = [f"{where}: {why}" for where, why in unreadable.items()]
    return Site(procedures().with_sound(found), (*problems, *found.report), found.ids - found.procedures.keys())


def documents_in(folder: Path) -> list[Path]:
    """The documents of a site; ProcedureError where there is no such folder."""
    if not folder.is_dir():
        raise ProcedureError(f"there is no folder {folder}")
    return sorted(folder.glob("*.toml"))


def read_documents(files: Iterable[Path]) -> tuple[dict[str, str], dict[str, str]]:
    """The texts by file, and by file why it cannot be read."""
    texts, unreadable = dict[str, str](), dict[str, str]()
    for file in files:
        try:
            texts[str(file)] = file.read_text(encoding="utf-8")
        except OSError as error:
            unreadable[str(file)] = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError as error:
            unreadable[str(file)] = f"is no UTF-8 text: {error}"
    return texts, unreadable


def is_ours(file: Path) -> bool:
    """Whether this is one of the documents that shoewatch brings."""
    return file.resolve().parent == Path(str(resources.files("protocols.dealing") / "procedures")).resolve()
