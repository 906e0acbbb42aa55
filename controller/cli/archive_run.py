"""`shoewatch archive run`: the archive of a site at work."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from controller.archive.config import ArchiveConfig, load_archive_config
from controller.archive.service import run_archive
from controller.cli.running import begin_log, run_to_end
from controller.config import Broker
from protocols.errors import ConfigError


def run(
    config: Annotated[Path, typer.Option(metavar="archive.toml", help="The archive's configuration.")],
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Store every record of every table of a site, and confirm what is stored, until SIGTERM or SIGINT.

    Status 0: stopped. 78: the configuration is wrong. 1: it could not start or go on."""
    begin_log(log_level)
    loaded, broker = _load(config)
    run_to_end(lambda: asyncio.run(run_archive(loaded, broker)))


def _load(path: Path) -> tuple[ArchiveConfig, Broker]:
    try:
        loaded = load_archive_config(path)
    except ConfigError as error:
        problem = error
    else:
        if loaded.mqtt is not None:
            return loaded, loaded.mqtt
        problem = ConfigError(str(path), ["mqtt: the section is missing; its url says where the broker is"])
    print(problem, file=sys.stderr)
    raise typer.Exit(os.EX_CONFIG)
