"""The command `shoewatch`. Each command lives in a module of its own, imported only when it is called."""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Sequence
from typing import Final

import typer

from controller.cli.mistakes import Program
from controller.cli.output import outlive_readers

COMMANDS: Final = {
    "run": "Run the daemon of one table.",
    "check": "Check a table log against a dealing procedure.",
    "procedures": "Look at the dealing procedures there are.",
    "monitor": "Show a table's records and what is due, from its panel.",
    "watch": "Show what tables publish, as it comes.",
    "command": "Send a command to a table, and print its answer.",
    "demo": "Deal on a simulated table and show each verdict.",
    "config": "Look at a table's configuration.",
    "rounds": "Look at a table's rounds afterwards.",
    "journal": "Read a table's journal, prove it, copy it, let old records go.",
    "keys": "Keys that sign, and whose signatures are trusted.",
    "certs": "The certificates of a floor without an authority of its own.",
    "doctor": "Say why a table does not work, and what mends it.",
    "record": "Record what comes over a device's line.",
    "devices": "Show the links of a table's devices, and which devices are trusted.",
    "archive": "Keep, prove and search the records of all tables of a site.",
    "sim": "Run simulated devices.",
    "schema": "Show the messages on MQTT as JSON Schema and AsyncAPI.",
    "udev": "Write the udev rules for the devices.",
}


def run() -> None:
    """The entry point of the console script. A stop that comes while the daemon is still being loaded is a stop."""
    outlive_readers()
    if sys.argv[1:2] == ["run"]:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, lambda *_: sys.exit(0))
    app_for(sys.argv[1:])()


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The program with the command that `arguments` call in full and of the others their names and help."""
    app = typer.Typer(cls=Program, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback()(shoewatch)
    for name, text in COMMANDS.items():
        if list(arguments[:1]) == [name]:
            _mount(app, name)
        else:
            app.command(name, help=text)(shoewatch)
    return app


def shoewatch() -> None:
    """Checks every card that leaves a table's electronic shoe against the dealing procedure in force."""


def _mount(app: typer.Typer, name: str) -> None:
    module = importlib.import_module(f"controller.cli.{name}")
    if hasattr(module, "app"):
        app.add_typer(module.app, name=name)
    else:
        app.command(name)(getattr(module, name))
