"""The registry of keys as the daemon uses it: a change of its file counts from the next look on.

A file that cannot be read, or is wrong, changes nothing but that it is told: what was known last stays known."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from controller.keys_file import read_keys
from protocols.errors import ConfigError
from protocols.keys import KeyRegistry

_EVERY_S: Final = 5.0

_log: Final = logging.getLogger(__name__)

_Mark = tuple[int, int, int, int]


class KnownKeys:
    """`tell` gets what is wrong with the file now, nothing once all is well."""

    def __init__(self, path: Path, tell: Callable[[Sequence[str]], None], every_s: float = _EVERY_S) -> None:
        self._path = path
        self._tell = tell
        self._every_s = every_s
        self._known: KeyRegistry = {}
        self._seen: _Mark | str | None = ""
        self._trouble: str | None = None

    def look(self) -> KeyRegistry:
        """The keys that are known now."""
        mark = self._mark()
        if mark != self._seen:
            self._seen = mark
            self._read(is_there=mark is not None)
        return self._known

    async def watch(self) -> NoReturn:
        """Look now and then, whether anybody commands or not, until cancelled; what could not be read is read again."""
        while True:
            if self._trouble is not None:
                self._seen = ""
            self.look()
            await asyncio.sleep(self._every_s)

    def _mark(self) -> _Mark | None:
        """Another one where its content or its rights may be others."""
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self, *, is_there: bool) -> None:
        if not is_there and not self._known:
            _log.warning("%s is not there: no key is known yet", self._path)
            return
        try:
            self._known = read_keys(self._path)
        except ConfigError as error:
            self._say(error)
            return
        _log.info("%s: %d keys are known", self._path, len(self._known))
        self._say(None)

    def _say(self, error: ConfigError | None) -> None:
        trouble = None if error is None else str(error)
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if error is None:
            self._tell([])
            return
        _log.error("the keys of before go on being trusted: %s", trouble)
        self._tell([f"the registry of keys is wrong, those of before count: {error.problems[0]}"])
