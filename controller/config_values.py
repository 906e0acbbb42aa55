"""The values of a configuration that mean more than their text: ports, files, keys."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from datetime import time
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, PlainValidator, ValidationInfo

from controller.listen_address import ListenAddress
from firmware_bridge.known_devices import UsbId
from firmware_bridge.panel import ROLES, socket_path
from firmware_bridge.ports import parse_port
from firmware_bridge.transport import PortAddress
from firmware_bridge.unix_socket import fits
from protocols.dealing.options import plain_value
from protocols.errors import ShoewatchError

LEVEL: Final = re.compile(r"[a-z0-9-]{1,32}")
_TIME_OF_DAY: Final = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)
_GROUP: Final = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_YOUNGEST_S: Final = 1.5
_OLDEST_S: Final = 60.0
_CREDENTIAL: Final = "credential:"
_FILE_SCHEMES: Final = ("serial", "replay")


@dataclass(frozen=True, slots=True)
class KeyFile:
    """Where a secret lies: `credential:NAME`, handed over by systemd, or a file that only its owner may read.

    `path` is None for a credential while $CREDENTIALS_DIRECTORY is not set, as in a check from a terminal."""

    text: str
    path: Path | None

    @property
    def is_handed_over(self) -> bool:
        """By systemd, which keeps it from others in its own way."""
        return self.text.startswith(_CREDENTIAL)

    def file(self) -> Path:
        """The file to read; ShoewatchError where systemd has not handed it over."""
        if self.path is None:
            raise ShoewatchError(f"{self.text} comes from systemd (LoadCredential=), which did not start this process")
        return self.path


def _text(value: object, example: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"must be a text, such as {example!r}")
    return value


def _level(value: object) -> str:
    text = _text(value, "bj-07")
    if not LEVEL.fullmatch(text):
        raise ValueError(f'{text!r} is no topic level (1 to 32 of a-z, 0-9 and "-")')
    return text


def _path(value: object, info: ValidationInfo) -> Path:
    assert isinstance(info.context, Path)
    return Path(os.path.normpath(info.context / _text(value, "journal.db")))


def _existing_file(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path


def _existing_folder(path: Path) -> Path:
    if not path.is_dir():
        raise ValueError(f"there is no folder {path}")
    return path


def _in_existing_folder(path: Path) -> Path:
    _existing_folder(path.parent)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is no file")
    return path


def _holds_sockets(path: Path) -> Path:
    if not all(fits(socket_path(path, role)) for role in ROLES):
        raise ValueError(f"{path} is too long a path for the sockets in it")
    return path


def _group(value: object) -> str:
    text = _text(value, "shoewatch-dealer")
    if not _GROUP.fullmatch(text):
        raise ValueError(f'{text!r} is no name of a group (1 to 32 of a-z, 0-9, "_" and "-")')
    return text


def _port(value: object, info: ValidationInfo) -> PortAddress:
    try:
        address = parse_port(_text(value, "serial:/dev/ttyUSB0"))
    except ShoewatchError as error:
        raise ValueError(str(error)) from None
    if address.scheme not in _FILE_SCHEMES:
        return address
    path = _path(address.target, info)
    if address.scheme == "replay":
        _existing_file(path)
    return replace(address, target=str(path))


def _key(value: object, info: ValidationInfo) -> KeyFile:
    found = _secret(value, info)
    if found.path is not None and not found.is_handed_over:
        _private(found.path)
    return found


def _secret(value: object, info: ValidationInfo) -> KeyFile:
    text = _text(value, "credential:vault")
    if text.startswith(_CREDENTIAL):
        return _credential(text)
    path = _existing_file(_path(text, info))
    return KeyFile(str(path), path)


def _credential(text: str) -> KeyFile:
    name = text.removeprefix(_CREDENTIAL)
    if not name or "/" in name:
        raise ValueError(f'{text!r} names no credential ("credential:vault")')
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    return KeyFile(text, _existing_file(Path(folder, name)) if folder else None)


def _private(path: Path) -> Path:
    if path.stat().st_mode & 0o077:
        raise ValueError(f"others may read {path} (chmod 0600 {path})")
    return path


def _usb_id(value: object) -> str:
    return str(UsbId.parse(_text(value, "1209:ca4d")))


def _age(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _YOUNGEST_S <= value <= _OLDEST_S:
        raise ValueError(
            f"must be a number of seconds from {_YOUNGEST_S} to {_OLDEST_S:.0f}: a reader tells once a second how it is"
        )
    return float(value)


def _listen(value: object) -> ListenAddress:
    return ListenAddress.parse(_text(value, "127.0.0.1:9464"))


def _time_of_day(value: object) -> time:
    """`HH:MM`"""
    if not isinstance(value, str) or not _TIME_OF_DAY.fullmatch(value):
        raise ValueError('must be a time of day such as "06:00"')
    return time.fromisoformat(value)


Level = Annotated[str, PlainValidator(_level)]
Option = Annotated[Any, PlainValidator(plain_value)]
Port = Annotated[PortAddress, PlainValidator(_port)]
Key = Annotated[KeyFile, PlainValidator(_key)]
UsbIdText = Annotated[str, PlainValidator(_usb_id)]
RegistryFile = Annotated[KeyFile, PlainValidator(_secret)]
Age = Annotated[float, PlainValidator(_age)]
Listen = Annotated[ListenAddress, PlainValidator(_listen)]
TimeOfDay = Annotated[time, PlainValidator(_time_of_day)]
NewFile = Annotated[Path, PlainValidator(_path), AfterValidator(_in_existing_folder)]
File = Annotated[Path, PlainValidator(_path), AfterValidator(_existing_file)]
GroupName = Annotated[str, PlainValidator(_group)]
SocketFolder = Annotated[Path, PlainValidator(_path), AfterValidator(_holds_sockets)]
Folder = Annotated[Path, PlainValidator(_path), AfterValidator(_existing_folder)]
