"""What this table has put outside its own topics, so that it can be taken away again: remembered over restarts, since
only the table itself knows of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import Final

from controller.journal import Journal
from controller.journal_file import JournalError, read_remembered

_NAME: Final = "announced"
_log: Final = logging.getLogger(__name__)


class Announced:
    """`topics`: those that may hold something of ours."""

    def __init__(self, journal: Journal, topics: Iterable[str]) -> None:
        self._journal = journal
        self.topics = set(topics)

    @classmethod
    def of(cls, journal: Journal) -> Announced:
        """Those that the daemon before has left; JournalError where that cannot be read."""
        text = read_remembered(journal.path, _NAME)
        return cls(journal, json.loads(text) if text else ())

    async def stands(self, topic: str) -> None:
        """Something comes to stand there."""
        await self._change(self.topics | {topic})

    async def is_gone(self, topic: str) -> None:
        """The broker has forgotten what stood there."""
        await self._change(self.topics - {topic})

    async def _change(self, topics: set[str]) -> None:
        if topics == self.topics:
            return
        self.topics = topics
        try:
            await self._journal.remember(_NAME, json.dumps(sorted(topics)))
        except JournalError as error:
            _log.warning("what stands on %s cannot be written down: %s", ", ".join(sorted(topics)), error)
