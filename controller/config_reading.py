"""Reads the configuration of one table, `table.toml`: once at the start, every mistake told in one report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from controller.config import NAMELESS, Config, Devices, Game, broker_address
from controller.listen_address import ListenAddress
from controller.mqtt_address import AddressError, Certificates
from controller.procedures import Site, site_documents
from firmware_bridge.ports import parse_port
from protocols.dealing.catalog import Catalog
from protocols.dealing.model import Procedure
from protocols.dealing.options import OptionValue
from protocols.dealing.soundness import wrong_options
from protocols.errors import ConfigError, ProcedureError, ShoewatchError, did_you_mean
from protocols.texts import TextError, read_toml
from protocols.validation import sentences


def load_config(path: Path) -> Config:
    """The configuration in the file; ConfigError with every mistake in it."""
    document = read_document(path)
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
    return str(read_document(path).get("profile"))


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """A table's device that is trusted by its key; `serial` None where the configuration names none."""

    table: str
    device: Literal["shoe", "reader"]
    serial: str | None


def registry_named(path: Path) -> Path:
    """Where the configuration puts the registry, which need not be there yet; ConfigError where it does not say."""
    named = _section(read_document(path), "devices").get("registry")
    if not isinstance(named, str) or not named:
        raise ConfigError(str(path), ['devices.registry: is missing (for example registry = "devices.toml")'])
    if named.startswith("credential:"):
        why = f"{named!r} comes from systemd: say with --registry which file LoadCredential= names"
        raise ConfigError(str(path), [f"devices.registry: {why}"])
    return Path(os.path.normpath(path.absolute().parent / named))


def uses_of(path: Path) -> tuple[DeviceUse, ...]:
    """The devices that the configuration wants, without a look at anything else in it."""
    document = read_document(path)
    found: tuple[tuple[Literal["shoe", "reader"], Mapping[str, Any]], ...] = (
        ("shoe", _section(document, "shoe")),
        ("reader", {"protocol": "tdl", **_section(document, "reader")} if "reader" in document else {}),
    )
    table = str(document.get("table"))
    return tuple(DeviceUse(table, name, part.get("serial")) for name, part in found if part.get("protocol") == "tdl")


def read_document(path: Path) -> dict[str, Any]:
    """What the file says; ConfigError where it cannot be read or is no TOML."""
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
    site = _site(game, folder)
    yield from (f"game.procedures: {problem}" for problem in site.problems)
    yield from _wrong_codes(_section(document, "devices"), site.catalog)
    name = game.get("procedure")
    if name in site.catalog:
        yield from _wrong_choice(game, site.catalog.named(str(name)), reader="reader" in document)
        return
    is_all = "procedures" not in game or site.catalog.own or site.wrong
    if isinstance(name, str) and is_all and name not in site.wrong:
        yield f"game.procedure: unknown procedure {name!r}{did_you_mean(name, site.catalog)}"
    options = {key: {"default": value} for key, value in _section(game, "options").items()}
    yield from (f"game.{problem.replace('.default:', ':')}" for problem in wrong_options({"options": options}))


def _wrong_codes(devices: Mapping[str, Any], catalog: Catalog) -> Iterator[str]:
    named = devices.get("enforce_codes")
    for code in named if isinstance(named, list) else ():
        if isinstance(code, str) and code not in catalog.codes:
            yield f"devices.enforce_codes: unknown code {code!r}{did_you_mean(code, catalog.codes)}"


def _site(game: Mapping[str, Any], folder: Path) -> Site:
    """The procedures to choose from; ours alone where the folder is wrong itself."""
    try:
        only = {name: value for name, value in game.items() if name == "procedures"}
        return site_documents(Game.model_validate({"procedure": "", **only}, context=folder).procedures)
    except (ValidationError, ProcedureError):
        return site_documents(None)


def _wrong_choice(game: Mapping[str, Any], procedure: Procedure, *, reader: bool) -> Iterator[str]:
    if not reader and procedure.needs_reader(_section(game, "options")):
        yield f"reader: is missing: {procedure.id} is dealt with a hole-card reader"
    for name, value in _section(game, "options").items():
        try:
            procedure.choose({name: value} if isinstance(value, OptionValue) else {})
        except ProcedureError as error:
            yield f"game.options.{name}: {error}"


def _wrong_registry(document: Mapping[str, Any], folder: Path) -> Iterator[str]:
    try:
        named = {name: value for name, value in _section(document, "devices").items() if name == "registry"}
        devices = Devices.model_validate(named, context=folder)
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
        yield from _refused_in_production(document)
    if "registry" not in _section(document, "devices") and (shoe.get("protocol") == "tdl" or "reader" in document):
        yield 'devices.registry: is missing: a tdl device is trusted by its key (for example registry = "devices.toml")'
    if _section(document, "reader").get("inspection") == "required" and "panel" not in document:
        yield "reader.inspection: is required, but without a [panel] nobody can say that it was made"
    if shoe.get("protocol") in NAMELESS and "serial" in shoe:
        yield f"shoe.serial: a shoe that speaks {shoe['protocol']} tells no serial number, leave it out"
    if "command_bcc" in shoe and shoe.get("protocol") != "angel-eye":
        yield 'shoe.command_bcc: belongs to protocol = "angel-eye", leave it out'
    if str(shoe.get("port")).startswith("usb:") and shoe.get("protocol") != "tdl":
        yield f"shoe.port: usb: carries tdl, not {shoe.get('protocol')} (its serial adapter is a port of serial:)"
    if _section(document, "devices").get("enforce") == "lock":
        yield from _cannot_be_locked(document, shoe)
    reader = _section(document, "reader")
    if "usb_id" in reader and not str(reader.get("port")).startswith("usb:"):
        yield "reader.usb_id: belongs to a port of usb: (reader.port is none)"
    if isinstance(mqtt.get("url"), str):
        yield from _wrong_broker(mqtt)
    yield from _wrong_for_others(mqtt, _section(document, "metrics"))


def _wrong_for_others(mqtt: Mapping[str, Any], metrics: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with what dashboards of others get."""
    if "discovery_prefix" in mqtt and mqtt.get("home_assistant") is not True:
        yield "mqtt.discovery_prefix: belongs to home_assistant = true, leave it out"
    try:
        listen = ListenAddress.parse(str(metrics["listen"]))
    except (LookupError, ValueError):
        return
    if not listen.local and metrics.get("allow_insecure") is not True:
        right = "listen on 127.0.0.1, or allow_insecure = true"
        yield f"metrics.listen: '{listen}' tells everything in plain text beyond this computer: {right}"


def _cannot_be_locked(document: Mapping[str, Any], shoe: Mapping[str, Any]) -> Iterator[str]:
    if _section(document, "devices").get("allow_commands") is not True:
        yield 'devices.enforce: "lock" tells the shoe something, which needs allow_commands = true'
    if shoe.get("protocol") == "bee-tek":
        yield "devices.enforce: a shoe that speaks bee-tek cannot be locked (angel-eye and tdl can)"
    if str(shoe.get("port")).startswith("replay:"):
        yield "devices.enforce: a recording cannot be locked (shoe.port is replay:)"
    if "panel" not in document:
        yield "devices.enforce: without a [panel] no supervisor can unlock the shoe"


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


def _refused_in_production(document: Mapping[str, Any]) -> Iterator[str]:
    for device in ("shoe", "reader"):
        scheme = str(_section(document, device).get("port")).partition(":")[0]
        if scheme in ("replay", "sim"):
            yield f'{device}.port: {scheme}: is refused where profile = "production" (allowed: serial:, tcp:, usb:)'
        if "record" in _section(document, device):
            yield f'{device}.record: is refused where profile = "production": a recording tells cards in clear'
    for section in ("mqtt", "metrics"):
        if _section(document, section).get("allow_insecure") is True:
            yield f'{section}.allow_insecure: is refused where profile = "production"'


def _wrong_broker(mqtt: Mapping[str, Any]) -> Iterator[str]:
    files = Certificates(*(Path(str(mqtt[name])) if name in mqtt else None for name in ("ca", "certificate", "key")))
    try:
        broker_address(mqtt["url"], files, mqtt.get("allow_insecure") is True)
    except AddressError as error:
        yield from (f"mqtt: {problem}" for problem in error.problems)
