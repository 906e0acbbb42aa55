"""`shoewatch udev`: the rules by which the system names the devices and lets us open them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from firmware_bridge.known_devices import UsbId
from firmware_bridge.udev_rules import Shoe
from firmware_bridge.udev_rules import rules as rules_text
from protocols.errors import ShoewatchError

app = typer.Typer(help="Names and permissions of the devices.", no_args_is_help=True)


@app.callback()
def udev() -> None:
    """Names and permissions of the devices."""


@app.command()
def rules(
    shoe: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONVERTER=NAME",
            help="A shoe behind a USB converter: the converter's serial number, or its USB socket where it has none. "
            "May be repeated.",
        ),
    ] = None,
    reader: Annotated[
        list[str] | None, typer.Option(metavar="VENDOR:PRODUCT", help="The USB id of the site's reader, if another.")
    ] = None,
) -> None:
    """Print the udev rules: for the known devices, and for the shoes of this site.

    `shoewatch udev rules --shoe A10K2X3B=SH42` makes /dev/shoewatch/shoe-SH42."""
    try:
        text = rules_text([Shoe.parse(each) for each in shoe or ()], [UsbId.parse(each) for each in reader or ()])
    except (ShoewatchError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    sys.stdout.write(text)
