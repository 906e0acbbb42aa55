"""Where a recording comes from, as the lines at its head."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version

from firmware_bridge.transport import PortAddress

IN_CLEAR = "the values of cards may stand in it in clear: keep it to yourself"


def provenance(device: str, protocol: str | None, port: PortAddress, *notes: str) -> dict[str, str]:
    """Which line it is, when the recording began, and by whose hand; a `note` for each of `notes`, on one line."""
    header = {
        "device": device,
        "protocol": protocol or "not said",
        "line": f"{port.scheme}:{port.target}",
        **{name: value for name, value in port.params.items() if name == "baud"},
        "recorded": datetime.now(UTC).isoformat(timespec="seconds"),
        "by": f"shoewatch {version('shoewatch')}",
        "secret": IN_CLEAR,
    }
    return header | {
        f"note-{number}" if number > 1 else "note": " ".join(note.split()) for number, note in enumerate(notes, 1)
    }
