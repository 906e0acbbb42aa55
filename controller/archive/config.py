"""What the archive is told, `archive.toml`; every mistake in it is told in one report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, ValidationInfo

from controller.archive.database import Database, is_file, parse_database
from controller.config import Broker, Keys
from controller.config_reading import read_document
from controller.config_values import Folder, Key, Level
from controller.keys_file import read_keys
from controller.mqtt_address import AddressError
from protocols.errors import ConfigError, ShoewatchError
from protocols.keys import KeyRegistry
from protocols.validation import sentences


def _url(value: object, info: ValidationInfo) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("must be a text, such as 'archive.db'")
    assert isinstance(info.context, Path)
    try:
        found = parse_database(value)
    except ShoewatchError as error:
        raise ValueError(str(error)) from None
    return value if found.file is None else os.path.normpath(info.context / found.file)


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Lies(_Section):
    """Where the records lie: a file, or `postgresql://USER@HOST/DB` and a file with the password."""

    url: Annotated[str, PlainValidator(_url)] = Field(examples=["archive.db"])
    password: Key | None = None


class ArchiveConfig(_Section):
    """Everything that the archive of one site is told; every path in it is absolute.

    `instance`: its name on the broker, which no other archive there has; `mqtt` is needed to run one."""

    site: Level = Field(examples=["riverside"])
    instance: Level = "main"
    procedures: Folder | None = None
    database: Lies
    keys: Keys = Keys()
    mqtt: Broker | None = None

    def where(self) -> Database:
        """The database, with its password; ShoewatchError where that cannot be had."""
        password = None if self.database.password is None else _password(self.database.password.file())
        return parse_database(self.database.url, password)

    def known_keys(self) -> KeyRegistry | None:
        """Whose signatures are trusted, None where nobody said; ConfigError where the registry is wrong."""
        return None if self.keys.registry is None else read_keys(self.keys.registry)


def load_archive_config(path: Path) -> ArchiveConfig:
    """The configuration in the file; ConfigError with every mistake in it."""
    document, folder = read_document(path), path.absolute().parent
    try:
        found = ArchiveConfig.model_validate(document, context=folder)
    except ValidationError as error:
        raise ConfigError(str(path), sentences(error, ArchiveConfig)) from None
    if found.database.password is not None and is_file(found.database.url):
        raise ConfigError(str(path), ["database.password: an SQLite file has none"])
    if found.mqtt is not None:
        try:
            found.mqtt.address()
        except AddressError as error:
            raise ConfigError(str(path), [f"mqtt: {problem}" for problem in error.problems]) from None
    return found


def _password(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        raise ShoewatchError(f"{path}: the database's password cannot be read") from None
