"""What the configuration of one table, `table.toml`, can say; `config_reading.py` reads one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import time
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from controller.config_values import (
    Age,
    File,
    Folder,
    GroupName,
    Key,
    Level,
    Listen,
    NewFile,
    Option,
    Port,
    RegistryFile,
    SocketFolder,
    TimeOfDay,
    UsbIdText,
)
from controller.enforced_codes import USUAL_CODES
from controller.mqtt_address import BrokerAddress, Certificates, parse_address
from controller.procedures import site_catalog
from controller.registry_file import read_registry
from firmware_bridge.arrival import Role
from firmware_bridge.transport import PortAddress
from protocols.dealing.catalog import Catalog
from protocols.dealing.model import Procedure
from protocols.events import Observed
from protocols.floor.discovery import PREFIX
from protocols.orders import CommandCheck
from protocols.registry import Registry

ShoeProtocol = Literal["angel-eye", "bee-tek", "tdl"]

_OBSERVED_BY: Final[Mapping[ShoeProtocol, tuple[Observed, ...]]] = {
    "angel-eye": ("positions",),
    "bee-tek": (),
    "tdl": (),
}
_TOLD_BY: Final[Mapping[ShoeProtocol, frozenset[str]]] = {
    "angel-eye": frozenset({"shoe.loaded", "round.opened", "round.closed"}),
    "bee-tek": frozenset(),
    "tdl": frozenset({"shoe.loaded", "shoe.emptied"}),
}
NAMELESS: Final[tuple[ShoeProtocol, ...]] = ("angel-eye", "bee-tek")
"""What shoes speak that tell no serial number."""
_KEYED_IN: Final[tuple[Observed, ...]] = ("signals", "wagers", "collection", "cut", "shuffle", "stub", "calls")
"""What people enter at a panel; a face or a place there is said of single cards only, so that neither is counted on."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Game(_Section):
    """Which procedure is in force, with which of the site's choices, and what the table can observe."""

    procedure: str = Field(examples=["pb-nj"])
    options: dict[str, Option] = Field(default_factory=dict)
    observes: Annotated[tuple[Observed, ...], Field(strict=False)] | None = None
    procedures: Folder | None = None


class Shoe(_Section):
    """How the shoe is reached and what it speaks; `serial` is the identity that is expected of it, `command_bcc` how an
    Angel Eye shoe wants the check of a command, `record` the file that all of its line goes to."""

    port: Port = Field(examples=["serial:/dev/ttyUSB0"])
    protocol: ShoeProtocol = Field(examples=["angel-eye"])
    serial: str | None = None
    record: NewFile | None = None
    command_bcc: CommandCheck | None = None


class Reader(_Section):
    """How the hole-card reader is reached, how old what it tells may be, who brings it back after a failure, and
    whether a floorperson has to inspect it on every gaming day, which begins at `day_starts`; `usb_id` where its
    maker's is not that of the reference reader."""

    port: Port = Field(examples=["tcp:192.0.2.8:4001"])
    protocol: Literal["tdl"] = "tdl"
    serial: str | None = None
    usb_id: UsbIdText | None = None
    record: NewFile | None = None
    max_age_s: Age = 2.0
    restore: Literal["supervisor", "automatic"] = "supervisor"
    inspection: Literal["off", "required"] = "off"
    day_starts: TimeOfDay = time(6)


class Devices(_Section):
    """The registry of the devices that are trusted, with their keys, a file (0600) or a credential of systemd; whether
    the shoe may be told anything; whether it is locked after a violation, and of which codes."""

    registry: RegistryFile | None = Field(None, examples=["devices.toml"])
    allow_commands: bool = False
    enforce: Literal["off", "lock"] = "off"
    enforce_codes: Annotated[tuple[str, ...], Field(strict=False)] | None = None

    def trusted(self) -> Registry:
        """The registry; ConfigError where it is wrong, ShoewatchError where systemd has not handed it over."""
        if self.registry is None:
            return Registry({})
        return read_registry(self.registry.file(), handed_over=self.registry.is_handed_over)


class Panel(_Section):
    """The folder of the two sockets for dealer and supervisor; it is made where it is missing. The groups whose members
    may use them, each the daemon's own where none is named."""

    directory: SocketFolder = Field(examples=["/run/shoewatch/bac-01"])
    dealer_group: GroupName | None = Field(None, examples=["shoewatch-dealer"])
    supervisor_group: GroupName | None = Field(None, examples=["shoewatch-supervisor"])

    @property
    def groups(self) -> Mapping[Role, str]:
        """Those that are named."""
        named: dict[Role, str | None] = {"dealer": self.dealer_group, "supervisor": self.supervisor_group}
        return {role: group for role, group in named.items() if group is not None}


class Journal(_Section):
    """Where the records are kept and for how many days, for ever where that is left out; the key that seals what lies
    face down, and the one that signs."""

    path: NewFile = Field(examples=["journal.db"])
    vault_key: Key | None = None
    signing_key: Key | None = None
    keep_days: Annotated[int, Field(ge=1)] | None = None

    @property
    def own_key(self) -> Path:
        """The vault's key that is made, and used, where none is configured."""
        return Path(f"{self.path}-vault-key")

    @property
    def own_signing_key(self) -> Path:
        """The same of the key that signs."""
        return Path(f"{self.path}-signing-key")


class Keys(_Section):
    """The keys of people, consoles and tables that are known here: the public ones."""

    registry: NewFile | None = None


class Metrics(_Section):
    """Where the daemon's numbers can be fetched as OpenMetrics, over plain HTTP."""

    listen: Listen = Field(examples=["127.0.0.1:9464"])
    allow_insecure: bool = False


class Broker(_Section):
    """The broker, the protocol version to speak with it, and the files for TLS."""

    url: str = Field(examples=["mqtts://broker.floor:8883"])
    protocol: Literal["auto", "5", "3.1.1"] = "auto"
    ca: File | None = None
    certificate: File | None = None
    key: Key | None = None
    allow_insecure: bool = False

    def address(self) -> BrokerAddress:
        """The broker with its files; ShoewatchError where systemd has not handed over the key."""
        key = self.key.file() if self.key else None
        return broker_address(self.url, Certificates(self.ca, self.certificate, key), self.allow_insecure)


class Mqtt(Broker):
    """Besides, whether an archive has to confirm what is delivered; whether Home Assistant is to find the table, and
    the first level of the topics where it looks."""

    archive: bool = False
    home_assistant: bool = False
    discovery_prefix: Level = PREFIX


class Config(_Section):
    """Everything that the daemon of one table is told; every path in it is absolute."""

    site: Level = Field(examples=["riverside"])
    table: Level = Field(examples=["bac-01"])
    profile: Literal["bench", "production"] = Field(examples=["bench"])
    game: Game
    shoe: Shoe
    reader: Reader | None = None
    devices: Devices = Devices()
    panel: Panel | None = None
    journal: Journal
    keys: Keys = Keys()
    mqtt: Mqtt
    metrics: Metrics | None = None

    @cached_property
    def catalog(self) -> Catalog:
        """Our procedures and the site's own; ProcedureError where a document went wrong since the configuration was
        read."""
        return site_catalog(self.game.procedures)

    def procedure(self) -> Procedure:
        """The procedure in force; ProcedureError as for the catalog."""
        return self.catalog.named(self.game.procedure)

    @property
    def observes(self) -> tuple[Observed, ...]:
        """What this table observes: as configured, else what its devices and its panel can tell."""
        if self.game.observes is not None:
            return self.game.observes
        return (*_OBSERVED_BY[self.shoe.protocol], *(_KEYED_IN if self.panel else ()))

    def port_of(self, device: Literal["shoe", "reader"]) -> PortAddress:
        """Where the device is; a simulator is told what else it has to know of this table."""
        if device == "reader":
            assert self.reader is not None
            own = {"usb_id": self.reader.usb_id} if self.reader.usb_id else {}
            return _at_table(self.reader.port, {"device": "reader"}, own)
        known = {"procedure": self.game.procedure}
        if self.shoe.protocol == "bee-tek":
            known["protocol"] = self.shoe.protocol
        if self.panel and self.shoe.protocol == "tdl":
            known["panel"] = str(self.panel.directory)
        return _at_table(self.shoe.port, known)

    @property
    def may_order(self) -> frozenset[Literal["shoe", "reader"]]:
        """The devices that this table may tell something."""
        return frozenset({"shoe", "reader"} if self.devices.allow_commands else {"reader"})

    @property
    def enforced(self) -> frozenset[str] | None:
        """The codes of violations after which the shoe is locked; None where it never is."""
        if self.devices.enforce == "off":
            return None
        return USUAL_CODES if self.devices.enforce_codes is None else frozenset(self.devices.enforce_codes)

    @property
    def command_check(self) -> CommandCheck | None:
        """How the check of a command to an Angel Eye shoe is made; None where it is told nothing."""
        return self.shoe.command_bcc or "with_stx" if "shoe" in self.may_order else None

    @property
    def insecure(self) -> bool:
        """Whether anything crosses a network in plain text."""
        return self.mqtt.address().insecure or bool(self.metrics and not self.metrics.listen.local)

    @property
    def roles(self) -> tuple[Literal["shoe", "reader"], ...]:
        """The devices that this table has."""
        return ("shoe", "reader") if self.reader else ("shoe",)

    @property
    def told_by_devices(self) -> frozenset[str]:
        """The events that this table's devices tell although people could."""
        return _TOLD_BY[self.shoe.protocol]


def _at_table(port: PortAddress, known: Mapping[str, str], on_usb: Mapping[str, str] | None = None) -> PortAddress:
    """The port with what else its scheme has to know."""
    more = {"sim": known, "usb": on_usb or {}}.get(port.scheme, {})
    return replace(port, params={**more, **port.params}) if more else port


def broker_address(url: str, files: Certificates, allow_insecure: bool) -> BrokerAddress:
    """The broker at the URL, with these files where there are any; AddressError where it is wrong."""
    return parse_address(url, None if files == Certificates() else files, allow_insecure=allow_insecure)
