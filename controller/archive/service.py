"""The archive's own daemon put together: `shoewatch archive run`."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Final

from controller.archive.config import ArchiveConfig
from controller.archive.heard import MOST
from controller.archive.store import Store
from controller.archive.taker import Taker
from controller.beside import beside
from controller.certificate_care import watch_certificates
from controller.config import Broker
from controller.floor_link import FloorLink
from controller.heartbeat import Component, Heartbeat
from controller.mqtt import Dialer, Hearing
from controller.notify import ServiceManager
from controller.stopping import on_stop
from firmware_bridge.threads import in_own_thread

_KEPT_S: Final = 7 * 86_400
_log: Final = logging.getLogger(__name__)


async def run_archive(config: ArchiveConfig, broker: Broker) -> None:
    """Run until it is asked to stop; ShoewatchError where the database cannot be had or something goes wrong."""
    stop = asyncio.Event()
    on_stop(stop.set)
    manager = ServiceManager.named_by(os.environ)
    opening = asyncio.create_task(in_own_thread(lambda: _opened(config), "archive"))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([opening, stopping], return_when=asyncio.FIRST_COMPLETED)
    if not opening.done():
        opening.cancel()
        return
    store, known = opening.result()
    taker = Taker(store, config.site, known)
    address = broker.address()
    dialer = Dialer(address, client_id(config), broker.protocol, Hearing(MOST, _KEPT_S))
    heartbeat = Heartbeat([Component("the archive", 120, taker.answer)], manager, lambda: _status(taker))
    work = {
        "the archive": taker.store(),
        "the link to the floor": FloorLink(address, dialer, taker, []).run(),
        "the watch of the certificates": watch_certificates(address.certificates),
        "the heartbeat": heartbeat.run(),
    }
    _log.info("%s: archiving %s into %s", config.instance, config.site, config.where())
    async with beside(work):
        manager.tell(READY="1")
        await stopping
        manager.tell(STOPPING="1")


def client_id(config: ArchiveConfig) -> str:
    """What no table is called: no name of theirs has such a line in it."""
    return f"archive_{config.site}_{config.instance}"


def _opened(config: ArchiveConfig) -> tuple[Store, dict[tuple[str, str], int]]:
    store = Store(config.where(), config.known_keys())
    ours = (chain for chain in store.sources() if chain.source.startswith(f"/{config.site}/"))
    return store, {(chain.source, chain.epoch): chain.mark for chain in ours}


def _status(taker: Taker) -> str:
    trouble = f"; {taker.trouble}" if taker.trouble else ""
    return f"stored {taker.stored}, repeats {taker.repeats}, waiting {taker.waiting}{trouble}"
