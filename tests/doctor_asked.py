"""The doctor as a person asks it, in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command import shoewatch


def codes(said: dict[str, Any], where: str) -> list[str]:
    return [finding["code"] for finding in said["findings"] if finding["where"] == where]


def asked(config: Path, *options: str) -> dict[str, Any]:
    """What the doctor says of a table, as JSON."""
    result = shoewatch("doctor", str(config), "--json", *options)
    assert result.status in (0, 1), result.stderr
    said: dict[str, Any] = json.loads(result.stdout)
    assert result.status == bool(said["findings"])
    return said
