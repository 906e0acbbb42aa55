"""What the daemon of a simulated table is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from protocols.floor.topics import Topics

_OBSERVED_AT_PANEL: Final = (
    *("positions", "faces", "signals", "wagers", "collection"),
    *("cut", "shuffle", "stub", "calls"),
)


@dataclass(frozen=True, slots=True)
class Devices:
    """The ports of shoe and reader, and the folder of the panel; a shoe without a panel speaks angel-eye, one with a
    panel TDL/1, and `registry` holds its key."""

    shoe: str
    reader: str | None = None
    panel: Path | None = None
    registry: Path | None = None


def table_toml(topics: Topics, procedure: str, devices: Devices, url: str) -> str:
    """The text of the table's configuration, with its journal beside it."""
    sections: Mapping[str, Mapping[str, object]] = {
        "": {"site": topics.site, "table": topics.table, "profile": "bench"},
        "game": {"procedure": procedure, "observes": _OBSERVED_AT_PANEL if devices.panel else None},
        "shoe": {"port": devices.shoe, "protocol": "tdl" if devices.panel else "angel-eye"},
        "reader": {"port": devices.reader},
        "devices": {"registry": _text(devices.registry)},
        "panel": {"directory": _text(devices.panel)},
        "journal": {"path": "journal.db"},
        "mqtt": {"url": url},
    }
    return "\n".join(_section(name, fields) for name, fields in sections.items() if any(fields.values()))


def trust_simulators(registry: Path) -> None:
    """Write the file that lets a daemon trust the simulated devices, which have keys like real ones."""
    registry.touch(mode=0o600)
    registry.write_text(registry_text())


def registry_text() -> str:
    """The section of devices.toml that names the simulated devices with their keys."""
    from simulators.live.play import READER_SERIAL, SHOE_SERIAL
    from simulators.tdl.identity import registry_entry

    return "\n".join(registry_entry(serial).toml() for serial in (SHOE_SERIAL, READER_SERIAL))


def misdeals(truth: Path) -> Counter[str]:
    """The misdeals that the simulated dealer made, by code, from the file of what really happened; none without one."""
    lines = [json.loads(line) for line in truth.read_text().splitlines()] if truth.exists() else []
    return Counter(line["code"] for line in lines if "code" in line)


def listed(codes: Mapping[str, int]) -> str:
    """Codes with their counts in words."""
    return ", ".join(f"{count} {code}" for code, count in sorted(codes.items())) or "none"


def _section(name: str, fields: Mapping[str, object]) -> str:
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items() if value is not None]
    return "\n".join([*([f"[{name}]"] if name else []), *lines, ""])


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
