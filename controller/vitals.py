"""How the daemon itself is, for `health` and its plain numbers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.clock import Clock, is_synchronised
from controller.journal import Journal
from controller.metric import Metric
from controller.outbox import Outbox
from controller.tally import Tally
from protocols.floor.contract.health import ClockHealth, Component, Health, JournalHealth
from protocols.records import LinkState

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sources:
    """Where it is asked for: `components` and how they answer, `links` by device, `alarms` of the daemon."""

    components: Callable[[], Mapping[str, Component]]
    links: Callable[[], Mapping[str, LinkState]]
    alarms: Callable[[], Sequence[str]]


class Vitals:
    """Of a daemon that begins now."""

    def __init__(self, version: str, journal: Journal, outbox: Outbox, tally: Tally, sources: Sources) -> None:
        self._version = version
        self._journal = journal
        self._outbox = outbox
        self._tally = tally
        self._sources = sources
        self._clock = Clock()
        self._began = time.monotonic()

    def health(self) -> Health:
        components, alarms = dict(self._sources.components()), tuple(self._sources.alarms())
        trouble = self._journal.trouble
        return Health(
            source=self._journal.source.path,
            epoch=self._journal.epoch,
            time=self._clock.wall(),
            version=self._version,
            uptime_s=round(time.monotonic() - self._began, 1),
            ok=not alarms and all(each.ok for each in components.values()),
            components=components,
            journal=JournalHealth(
                last_seq=self._journal.last_seq,
                published_seq=self._outbox.published_seq,
                confirmed_seq=self._outbox.confirmed_seq,
                first_seq=self._journal.missing_through + 1,
                parked=self._journal.parked,
                trouble=trouble.why if trouble else None,
            ),
            links=dict(self._sources.links()),
            clock=ClockHealth(synchronised=is_synchronised()),
            memory_bytes=resident_bytes(),
            alarms=alarms,
        )

    def metrics(self) -> Iterator[Metric]:
        """Each by a name of its own."""
        yield from self._tally.metrics(time.monotonic_ns())
        lag = self._journal.last_seq - self._outbox.published_seq
        yield Metric("parked", "Records that the broker refused", self._journal.parked)
        yield Metric("outbox-lag", "Records that the broker has not acknowledged yet", max(0, lag))
        confirmed = self._outbox.confirmed_seq
        if confirmed is not None:
            behind = max(0, self._journal.last_seq - confirmed)
            yield Metric("archive-lag", "Records that the archive has not confirmed yet", behind)
        memory = resident_bytes()
        if memory is not None:
            yield Metric("memory-bytes", "Memory that the daemon holds", memory)
        yield Metric("cpu-seconds", "Time of the processor that the daemon has used", time.process_time(), counts=True)


def what_matters(health: Health) -> Health:
    """Health without what is other each time it is asked for."""
    components = {name: each.model_copy(update={"waits_s": 0.0}) for name, each in health.components.items()}
    journal = health.journal.model_copy(update={"last_seq": 0, "published_seq": 0, "confirmed_seq": None})
    flows = {"time": "", "uptime_s": 0.0, "memory_bytes": None}
    return health.model_copy(update={"components": components, "journal": journal, **flows})


def resident_bytes() -> int | None:
    """None where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return None
