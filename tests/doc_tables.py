"""The tables of a document in docs/, to be held against the code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

Row = Mapping[str, str]
DOCS = Path(__file__).parents[1] / "docs"


def tables(document: str) -> list[list[Row]]:
    """All tables of the document, a row as what its columns hold; code quotes are taken away."""
    found: list[list[Row]] = []
    names: list[str] = []
    for line in (DOCS / document).read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            names = []
            continue
        cells = [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
        if not names:
            names = cells
            found.append([])
        elif set(cells) != {"---"}:
            found[-1].append(dict(zip(names, cells, strict=True)))
    return found


def table(document: str, *columns: str) -> list[Row]:
    """The one table that begins with these columns."""
    [rows] = [rows for rows in tables(document) if list(rows[0])[: len(columns)] == list(columns)]
    return rows
