"""The configuration of one table, `table.toml`: read once at the start, every mistake told in one report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import time
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.config_values import (
    Age,
    File,
    Folder,
    Key,
    Level,
    NewFile,
    Option,
    Port,
    RegistryFile,
    SocketFolder,
    TimeOfDay,
    UsbIdText,
)
from controller.mqtt_address import AddressError, BrokerAddress, Certificates, parse_address
from controller.procedures import site_catalog
from controller.registry_file import read_registry
from firmware_bridge.ports import parse_port
from firmware_bridge.transport import PortAddress
from protocols.dealing.catalog import Catalog
from protocols.dealing.model import Procedure
from protocols.dealing.options import OptionValue
from protocols.errors import ConfigError, ProcedureError, ShoewatchError, did_you_mean
from protocols.events import Observed
from protocols.orders import CommandCheck
from protocols.registry import Registry
from protocols.texts import TextError, read_toml
from protocols.validation import sentences

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
_NAMELESS: Final = ("angel-eye", "bee-tek")
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
    the shoe may be told anything."""

    registry: RegistryFile | None = Field(None, examples=["devices.toml"])
    allow_commands: bool = False

    def trusted(self) -> Registry:
        """The registry; ConfigError where it is wrong, ShoewatchError where systemd has not handed it over."""
        if self.registry is None:
            return Registry({})
        return read_registry(self.registry.file(), handed_over=self.registry.is_handed_over)


class Panel(_Section):
    """The folder of the two sockets for dealer and supervisor; it is made where it is missing."""

    directory: SocketFolder = Field(examples=["/run/shoewatch/bac-01"])


class Journal(_Section):
    """Where the records are kept, and the key that seals what lies face down."""

    path: NewFile = Field(examples=["journal.db"])
    vault_key: Key | None = None

    @property
    def own_key(self) -> Path:
        """The key that is made, and used, where none is configured."""
        return Path(f"{self.path}-vault-key")


class Mqtt(_Section):
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
        return _address(self.url, Certificates(self.ca, self.certificate, key), self.allow_insecure)


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
    mqtt: Mqtt

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
    def command_check(self) -> CommandCheck | None:
        """How the check of a command to an Angel Eye shoe is made; None where it is told nothing."""
        return self.shoe.command_bcc or "with_stx" if "shoe" in self.may_order else None

    @property
    def told_by_devices(self) -> frozenset[str]:
        """The events that this table's devices tell although people could."""
        return _TOLD_BY[self.shoe.protocol]


def load_config(path: Path) -> Config:
    """The configuration in the file; ConfigError with every mistake in it."""
    document = _read(path)
    folder = path.absolute().parent
    problems = [
        *_wrong_values(document, folder),
        *_conflicts(document),
        *_one_for_two(document, folder),
        *_wrong_procedure(document, folder),
        *_wrong_registry(document, folder),
    ]
    if problems:
        raise ConfigError(str(path), problems)
    return Config.model_validate(document, context=folder)


def profile_of(path: Path) -> str:
    """The configuration's profile, without a look at anything else in it."""
    return str(_read(path).get("profile"))


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """A table's device that is trusted by its key; `serial` None where the configuration names none."""

    table: str
    device: Literal["shoe", "reader"]
    serial: str | None


def registry_named(path: Path) -> Path:
    """Where the configuration puts the registry, which need not be there yet; ConfigError where it does not say."""
    named = _section(_read(path), "devices").get("registry")
    if not isinstance(named, str) or not named:
        raise ConfigError(str(path), ['devices.registry: is missing (for example registry = "devices.toml")'])
    if named.startswith("credential:"):
        why = f"{named!r} comes from systemd: say with --registry which file LoadCredential= names"
        raise ConfigError(str(path), [f"devices.registry: {why}"])
    return Path(os.path.normpath(path.absolute().parent / named))


def uses_of(path: Path) -> tuple[DeviceUse, ...]:
    """The devices that the configuration wants, without a look at anything else in it."""
    document = _read(path)
    found: tuple[tuple[Literal["shoe", "reader"], Mapping[str, Any]], ...] = (
        ("shoe", _section(document, "shoe")),
        ("reader", {"protocol": "tdl", **_section(document, "reader")} if "reader" in document else {}),
    )
    table = str(document.get("table"))
    return tuple(DeviceUse(table, name, part.get("serial")) for name, part in found if part.get("protocol") == "tdl")


def _at_table(port: PortAddress, known: Mapping[str, str], on_usb: Mapping[str, str] | None = None) -> PortAddress:
    """The port with what else its scheme has to know."""
    more = {"sim": known, "usb": on_usb or {}}.get(port.scheme, {})
    return replace(port, params={**more, **port.params}) if more else port


def _read(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), [f"is no TOML: no UTF-8 at byte {error.start}"]) from None
    except TextError as error:
        raise ConfigError(str(path), [f"is no TOML: {error}"]) from None


def _wrong_values(document: Mapping[str, Any], folder: Path) -> list[str]:
    try:
        Config.model_validate(document, context=folder)
    except ValidationError as error:
        return sentences(error, Config)
    return []


def _wrong_procedure(document: Mapping[str, Any], folder: Path) -> Iterator[str]:
    game = _section(document, "game")
    try:
        catalog = _catalog(game, folder)
    except ProcedureError as error:
        yield from (f"game.procedures: {problem}" for problem in error.problems)
        return
    if catalog is not None and isinstance(game.get("procedure"), str):
        yield from _wrong_choice(game, catalog, reader="reader" in document)


def _catalog(game: Mapping[str, Any], folder: Path) -> Catalog | None:
    """The procedures to choose from; None where the folder is wrong itself."""
    try:
        only = {name: value for name, value in game.items() if name == "procedures"}
        found = Game.model_validate({"procedure": "", **only}, context=folder).procedures
    except ValidationError:
        return None
    return site_catalog(found)


def _wrong_choice(game: Mapping[str, Any], catalog: Catalog, *, reader: bool) -> Iterator[str]:
    try:
        procedure = catalog.named(game["procedure"])
    except ProcedureError as error:
        yield f"game.procedure: {error}"
        return
    if not reader and procedure.needs_reader(_section(game, "options")):
        yield f"reader: is missing: {procedure.id} is dealt with a hole-card reader"
    for name, value in _section(game, "options").items():
        try:
            procedure.choose({name: value} if isinstance(value, OptionValue) else {})
        except ProcedureError as error:
            yield f"game.options.{name}: {error}"


def _wrong_registry(document: Mapping[str, Any], folder: Path) -> Iterator[str]:
    try:
        devices = Devices.model_validate(document.get("devices", {}), context=folder)
        if devices.registry is None or devices.registry.path is None:
            return
        registry = devices.trusted()
    except ValidationError:
        return
    except ConfigError as error:
        yield from (f"devices.registry: {problem}" for problem in error.problems)
        return
    for device in ("shoe", "reader"):
        serial = _section(document, device).get("serial")
        if isinstance(serial, str) and not registry.knows(serial):
            yield f"{device}.serial: {serial!r} is not in the registry{did_you_mean(serial, registry.devices)}"


def _conflicts(document: Mapping[str, Any]) -> Iterator[str]:
    shoe, mqtt = _section(document, "shoe"), _section(document, "mqtt")
    if document.get("profile") == "production":
        yield from _refused_in_production(document, mqtt)
    if "registry" not in _section(document, "devices") and (shoe.get("protocol") == "tdl" or "reader" in document):
        yield 'devices.registry: is missing: a tdl device is trusted by its key (for example registry = "devices.toml")'
    if _section(document, "reader").get("inspection") == "required" and "panel" not in document:
        yield "reader.inspection: is required, but without a [panel] nobody can say that it was made"
    if shoe.get("protocol") in _NAMELESS and "serial" in shoe:
        yield f"shoe.serial: a shoe that speaks {shoe['protocol']} tells no serial number, leave it out"
    if "command_bcc" in shoe and shoe.get("protocol") != "angel-eye":
        yield 'shoe.command_bcc: belongs to protocol = "angel-eye", leave it out'
    if str(shoe.get("port")).startswith("usb:") and shoe.get("protocol") != "tdl":
        yield f"shoe.port: usb: carries tdl, not {shoe.get('protocol')} (its serial adapter is a port of serial:)"
    reader = _section(document, "reader")
    if "usb_id" in reader and not str(reader.get("port")).startswith("usb:"):
        yield "reader.usb_id: belongs to a port of usb: (reader.port is none)"
    if isinstance(mqtt.get("url"), str):
        yield from _wrong_broker(mqtt)


def _one_for_two(document: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Shoe and reader that would be one and the same device; simulators of one name are one table, not one device."""
    shoe, reader = _section(document, "shoe"), _section(document, "reader")
    serial, ports = shoe.get("serial"), [_place(section.get("port"), folder) for section in (shoe, reader)]
    if isinstance(serial, str) and serial == reader.get("serial"):
        yield f"shoe.serial, reader.serial: {serial!r} is both, at {shoe.get('port')} and at {reader.get('port')}"
    if ports[0] is not None and ports[0] == ports[1]:
        yield f"shoe.port, reader.port: {shoe['port']} and {reader['port']} are one line"


def _place(port: object, folder: Path) -> tuple[str, str] | None:
    """What tells one device's line from another's; None where the port tells nothing of the kind."""
    try:
        address = parse_port(port) if isinstance(port, str) else None
    except ShoewatchError:
        return None
    if address is None or address.scheme not in ("serial", "tcp", "usb"):
        return None
    return address.scheme, str((folder / address.target).resolve()) if address.scheme == "serial" else address.target


def _section(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = document.get(name)
    return section if isinstance(section, dict) else {}


def _refused_in_production(document: Mapping[str, Any], mqtt: Mapping[str, Any]) -> Iterator[str]:
    for device in ("shoe", "reader"):
        scheme = str(_section(document, device).get("port")).partition(":")[0]
        if scheme in ("replay", "sim"):
            yield f'{device}.port: {scheme}: is refused where profile = "production" (allowed: serial:, tcp:, usb:)'
        if "record" in _section(document, device):
            yield f'{device}.record: is refused where profile = "production": a recording tells cards in clear'
    if mqtt.get("allow_insecure") is True:
        yield 'mqtt.allow_insecure: is refused where profile = "production"'


def _wrong_broker(mqtt: Mapping[str, Any]) -> Iterator[str]:
    files = Certificates(*(Path(str(mqtt[name])) if name in mqtt else None for name in ("ca", "certificate", "key")))
    if "@" in mqtt["url"]:
        yield "mqtt.url: user and password have no place in it: use certificate and key"
        return
    try:
        _address(mqtt["url"], files, mqtt.get("allow_insecure") is True)
    except AddressError as error:
        yield f"mqtt: {error}"


def _address(url: str, files: Certificates, allow_insecure: bool) -> BrokerAddress:
    return parse_address(url, None if files == Certificates() else files, allow_insecure=allow_insecure)
