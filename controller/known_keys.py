"""The registry of keys as the daemon uses it: a change of its file counts from the next look on.

A file that cannot be read, or is wrong, changes nothing but that it is told: what was known last stays known."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from controller.keys_file import read_keys
from protocols.errors import ConfigError
from protocols.keys import KeyRegistry

_log: Final = logging.getLogger(__name__)

_Mark = tuple[int, int, int]


class KnownKeys:
    """`tell` gets what is wrong with the file now, nothing once all is well."""

    def __init__(self, path: Path, tell: Callable[[Sequence[str]], None]) -> None:
        self._path = path
        self._tell = tell
        self._known: KeyRegistry = {}
        self._seen: _Mark | str | None = ""
        self._troubled = False

    def look(self) -> KeyRegistry:
        """The keys that are known now."""
        mark = self._mark()
        if mark != self._seen:
            self._seen = mark
            self._read(is_there=mark is not None)
        return self._known

    def _mark(self) -> _Mark | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self, *, is_there: bool) -> None:
        if not is_there and not self._known:
            _log.warning("%s is not there: no key is known yet", self._path)
            return
        try:
            self._known = read_keys(self._path)
        except ConfigError as error:
            _log.error("the keys of before go on being trusted: %s", error)
            self._say([f"the registry of keys is wrong, those of before count: {error.problems[0]}"])
            return
        _log.info("%s: %d keys are known", self._path, len(self._known))
        self._say([])

    def _say(self, alarms: Sequence[str]) -> None:
        if alarms or self._troubled:
            self._troubled = bool(alarms)
            self._tell(alarms)
