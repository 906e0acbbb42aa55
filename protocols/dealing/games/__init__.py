"""The families of games that a procedure document can name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from protocols.dealing.games.baccarat import Baccarat
from protocols.dealing.games.blackjack import Blackjack
from protocols.dealing.games.stud import StudGame
from protocols.dealing.setting import Game

GAMES: Final[Mapping[str, Game]] = {"baccarat": Baccarat(), "blackjack": Blackjack(), "stud": StudGame()}
