"""Everything between this table and the floor, put together: what goes over the link to the broker, and the numbers
for a scraper."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from controller.announced import Announced
from controller.beside import beside
from controller.bus import Bus
from controller.certificate_care import watch_certificates
from controller.clock import Clock
from controller.command_desk import CommandDesk
from controller.config import Config
from controller.confirmations import Confirmations
from controller.floor_link import FloorLink, Part
from controller.health import HealthTeller
from controller.journal import Journal
from controller.journal_file import Row
from controller.known_keys import KnownKeys
from controller.mqtt import Dialer, Hearing
from controller.openmetrics import OpenMetrics
from controller.outbox import Outbox
from controller.presence import Presence
from controller.rejected import Rejected
from controller.retained import Retained
from controller.shown import Shown
from controller.standing import Standing
from controller.state_teller import StateTeller
from controller.table_state import state_of
from controller.tally import Tally
from controller.vitals import Sources, Vitals
from firmware_bridge.arrival import Intake
from protocols.floor.contract.health import Component
from protocols.floor.discovery import discovery_message, discovery_topic
from protocols.floor.topics import Topics
from protocols.records import LinkState, SecurityNoted, SystemNoted

_HEARING: Final = Hearing(backlog=1024)


@dataclass(frozen=True, slots=True)
class OfTable:
    """What the floor asks about the table: how it stands, what of that is on disk, how its parts answer, its links by
    device."""

    standing: Callable[[], Standing]
    on_disk: Callable[[], Shown]
    components: Callable[[], Mapping[str, Component]]
    links: Callable[[], Mapping[str, LinkState]]


class Floor:
    """`intake` takes the commands that come from there; `note` gets what the journal should know, `announce` what is
    wrong, by the part that it is wrong with."""

    def __init__(
        self,
        config: Config,
        journal: Journal,
        clock: Clock,
        intake: Intake,
        table: OfTable,
        note: Callable[[SystemNoted | SecurityNoted], None],
        announce: Callable[[str, Sequence[str]], None],
    ) -> None:
        topics = Topics(config.site, config.table)
        self._config = config
        self._journal = journal
        self._clock = clock
        self._table = table
        self._alarms: Sequence[str] = ()
        confirmed = partial(announce, "archive")
        self._archive = Confirmations(journal, topics, note, confirmed) if config.mqtt.archive else None
        self.outbox = Outbox(journal, topics, note, self._archive)
        self._presence = Presence(topics.status, journal.epoch, clock.boot, config.insecure)
        self._retained = Retained([topics.state], Announced.of(journal), _elsewhere(config, topics))
        self._state = StateTeller(self._state_now, partial(self._retained.keep, topics.state))
        self._tally = Tally()
        sources = Sources(table.components, table.links, lambda: self._alarms)
        self._vitals = Vitals(version("shoewatch"), journal, self.outbox, self._tally, sources)
        self._metrics = self._make_metrics()
        registry = config.keys.registry
        self._keys = KnownKeys(registry, partial(announce, "keys")) if registry else None
        self._link = self._make_link(topics, list(self._make_command_desk(topics, intake, note)))

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """The floor is told everything while the body runs, and may ask."""
        if self._keys is not None:
            self._keys.look()
        await self.outbox.published()
        metrics = self._metrics.serving() if self._metrics else nullcontext()
        async with beside({"the link to the floor": self._link.run()}), metrics:
            yield

    def working(self, bus: Bus) -> Mapping[str, Coroutine[Any, Any, None]]:
        """What has to run besides, from before the floor is served until after."""
        keys = {"the watch of the keys": self._keys.watch()} if self._keys else {}
        archive = {"the watch of the archive": self._archive.watch()} if self._archive else {}
        return {
            **keys,
            **archive,
            "the watch of the certificates": watch_certificates(self._config.mqtt.address().certificates),
            "the state for the floor": self._state.run(),
            "the counts": bus.deliver("counts", self._count, backlog=0),
        }

    def committed(self) -> None:
        """There is something new on disk."""
        self.outbox.wake()
        self._state.changed()

    def alarm(self, alarms: Sequence[str]) -> None:
        """What is wrong with the daemon now."""
        self._alarms = alarms
        self._presence.alarm(alarms)
        self._state.changed()

    async def settled(self) -> None:
        """Wait until the broker has all there is to say."""
        self._state.tell()
        await self.outbox.drained()
        await self._retained.settled()

    def _state_now(self) -> bytes:
        with_reader, shown = self._config.reader is not None, self._table.on_disk()
        source, now = self._journal.source, self._clock.wall()
        return state_of(shown, source, now, reader=with_reader, alarms=self._alarms).message()

    async def _count(self, row: Row) -> None:
        self._tally.take(row, time.monotonic_ns())

    def _make_link(self, topics: Topics, more: Sequence[Part]) -> FloorLink:
        mqtt, client_id = self._config.mqtt, f"{topics.site}-{topics.table}"
        dialer = Dialer(mqtt.address(), client_id, mqtt.protocol, _HEARING)
        parts: list[Part] = [self.outbox, self._retained, HealthTeller(self._vitals, topics), *more]
        return FloorLink(dialer.address, dialer, self._presence, parts)

    def _make_command_desk(
        self, topics: Topics, intake: Intake, note: Callable[[SystemNoted | SecurityNoted], None]
    ) -> Iterator[Part]:
        """Without a registry of keys nobody's command counts, and none is asked for."""
        if self._keys is not None:
            yield CommandDesk(topics, self._journal.source, self._keys, intake, self._table.standing, Rejected(note))

    def _make_metrics(self) -> OpenMetrics | None:
        config, wanted = self._config, self._config.metrics
        return OpenMetrics(wanted.listen, self._vitals.metrics, config.site, config.table) if wanted else None


def _elsewhere(config: Config, topics: Topics) -> Mapping[str, bytes]:
    """What stands on topics that are not the table's own."""
    if not config.mqtt.home_assistant:
        return {}
    message = discovery_message(topics, version("shoewatch"), config.roles)
    return {discovery_topic(config.mqtt.discovery_prefix, topics): message}
