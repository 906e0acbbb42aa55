"""What docs/security.md and the broker's README name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`((?:tests|deploy|docs|fuzz|controller|protocols|firmware_bridge|requirements)/[^` ]*)`")


@pytest.mark.parametrize("document", ["docs/security.md", "deploy/mosquitto/README.md"])
def test_files_that_are_named_are_there(document: str) -> None:
    text = (ROOT / document).read_text()
    links = re.findall(r"\]\(([^)#]+)\)", text)
    missing = [name for name in NAMED.findall(text) if not (ROOT / name).exists()]
    missing += [link for link in links if not (ROOT / document).parent.joinpath(link).exists()]
    assert missing == []


def test_every_claim_against_an_attack_names_what_shows_it() -> None:
    text = (ROOT / "docs/security.md").read_text().split("## Who, and what is done")[1].split("## Secrets")[0]
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| attack", "| ---"))]
    assert len(rows) > 20
    assert [row for row in rows if not NAMED.search(row.split(" | ")[-1])] == []
