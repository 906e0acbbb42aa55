"""`shoewatch run`: the daemon of one table."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import sys
from pathlib import Path
from typing import Annotated

import typer

from controller.app import run_table
from controller.cli.lines import due_line
from controller.cli.running import begin_log, run_to_end
from controller.config import Config
from controller.config_reading import load_config
from protocols.dealing.outlook import Outlook
from protocols.errors import ConfigError
from protocols.verdicts import VERDICT, Verdict

_log = logging.getLogger("shoewatch")


def run(
    config: Annotated[Path, typer.Option(help="The table's configuration.")],
    until_drained: Annotated[
        bool, typer.Option("--until-drained", help="Stop once the shoe's line has ended and the broker has everything.")
    ] = False,
    without_sealed: Annotated[
        bool,
        typer.Option(
            "--without-sealed",
            help="Go on although no key opens what lies face down in the open round, which is then not judged.",
        ),
    ] = False,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Run the daemon of one table until SIGTERM or SIGINT.

    No core is ever dumped, for it would hold what lies face down.

    Status 0: stopped. 78: the configuration is wrong. 1: it could not start or go on."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    begin_log(log_level)
    loaded = _load(config)
    run_to_end(
        lambda: asyncio.run(run_table(loaded, _tell, until_drained=until_drained, without_sealed=without_sealed))
    )


def _load(path: Path) -> Config:
    try:
        return load_config(path)
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(os.EX_CONFIG) from None


def _tell(verdict: Verdict | None, after: Outlook) -> None:
    """The log is a display too, the only one where there is no panel."""
    level = logging.WARNING if verdict and verdict.outcome == "violation" else logging.DEBUG
    judged = VERDICT.dump_python(verdict, mode="json") if verdict else None
    shown = {"verdict": judged, "due": after.due, "remarks": after.remarks}
    _log.log(level, "%s", due_line(shown))
