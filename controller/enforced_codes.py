"""For which violations a shoe is locked where the configuration names none."""

from __future__ import annotations

from typing import Final

from protocols.dealing.remedies import DISPUTING

USUAL_CODES: Final = DISPUTING | {"inventory"}
"""What leaves a round disputed at once, and a card that cannot be in the shoe any more."""
