"""What docs/security.md and the broker's README name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from table_toml import write

from controller.config_reading import load_config

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


def test_the_section_for_a_table_is_one(tmp_path: Path) -> None:
    [section] = re.findall(r"```toml\n\[mqtt\]\n(.*?)```", (ROOT / "deploy/mosquitto/README.md").read_text(), re.DOTALL)
    for name in ("ca.pem", "bj-07.pem", "bj-07.key"):
        (tmp_path / name).touch(mode=0o600)
    used = load_config(write(tmp_path, mqtt=section)).mqtt
    assert (used.url, used.allow_insecure) == ("mqtts://broker.floor:8883", False)
    assert (used.ca, used.certificate) == (tmp_path / "ca.pem", tmp_path / "bj-07.pem")
