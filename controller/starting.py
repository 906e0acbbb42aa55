"""What a start finds in the table's journal, and what it begins with."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Final

from controller.answers import Recalled, recalled
from controller.clock import Clock
from controller.config import Config
from controller.journal import Journal
from controller.journal_care import find_signer, open_vault, refuse_sealed
from controller.journal_file import read_all
from controller.ledger import Ledger
from controller.recovery import Recovered, fresh, recovered
from controller.standing import Standing
from controller.vault import Vault
from firmware_bridge.known_devices import EVIDENCE
from protocols.events import LogHeader
from protocols.floor.checkpoints import Signer

_INPUTS_WITHIN: Final = 20_000
"""How many records back a start looks for inputs and their answers."""
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """What the daemon before left: how the table stands, what people said, and the keys that go on."""

    found: Recovered
    past: Recalled
    vault: Vault
    signer: Signer


async def left_behind(config: Config, journal: Journal, *, without_sealed: bool) -> LeftBehind:
    """From this journal, which gets its first header where it is new; ShoewatchError where it cannot be taken up."""
    vault, signer = open_vault(config, journal), find_signer(config, journal)
    _log.info("shoewatch %s for %s by %s", version("shoewatch"), journal.source.path, config.game.procedure)
    _log.info("journal %s, record %d", config.journal.path, journal.last_seq)
    found = await _recover(config, journal, vault)
    if not without_sealed:
        refuse_sealed(found, config.journal.path, vault)
    return LeftBehind(found, _past_inputs(config, found), vault, signer)


async def _recover(config: Config, journal: Journal, vault: Vault) -> Recovered:
    found = recovered(config.journal.path, journal.epoch, config.catalog.named, vault)
    if found is None:
        return await _begun(config, journal, vault)
    if found.differs is not None:
        _log.warning("record %d and others are answered differently by this version of the rules", found.differs)
    return found


def _past_inputs(config: Config, found: Recovered) -> Recalled:
    """What people said before this start; nothing where there is neither a panel at which they could say it again nor a
    key whose commands count."""
    if config.panel is None and config.keys.registry is None:
        return Recalled()
    return recalled(read_all(config.journal.path, before_inputs(found.standing)))


def before_inputs(standing: Standing) -> int:
    """The record behind which people's inputs are known again: all of this round, in which a command counts, however
    much was said since."""
    return max(0, min(standing.seq - _INPUTS_WITHIN, standing.round_from - 1))


async def _begun(config: Config, journal: Journal, vault: Vault) -> Recovered:
    """The first record of a journal is its header."""
    begun = fresh(header_of(config), config.procedure())
    ledger = Ledger(journal.source, begun.standing, header_of(config), config.procedure(), vault, Clock())
    await journal.append([ledger.header(time.monotonic_ns())])
    return Recovered(ledger.standing)


def header_of(config: Config) -> LogHeader:
    """The header that this configuration wants in force."""
    return LogHeader(procedure=config.game.procedure, options=config.game.options, observes=config.observes)


def start_of(config: Config, vault: Vault) -> Mapping[str, Any]:
    """What is to be known of a start: with which devices, what their word is worth, and which key seals."""
    spoken = {"shoe": config.shoe.protocol} | ({"reader": config.reader.protocol} if config.reader else {})
    devices = {role: {"protocol": protocol, **asdict(EVIDENCE[protocol])} for role, protocol in spoken.items()}
    return {
        "version": version("shoewatch"),
        "procedure": config.game.procedure,
        "devices": devices,
        "vault_key": vault.key_ids[0],
    }


def goes_on(config: Config, found: Recovered) -> bool:
    """Whether this start goes on under the header that the journal ends with, at least to the end of the round."""
    standing = found.standing
    return standing.header == header_of(config) or standing.check.state.round.opened
