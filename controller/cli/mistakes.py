"""What a person has to mend before a command can do its work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from controller.cli.lines import printable
from protocols.errors import ConfigError, ShoewatchError

_WRONG: Final = 2


@contextmanager
def mistakes_told() -> Iterator[None]:
    """A mistake goes to stderr, with its status: 78 for one in the configuration, else 2."""
    try:
        yield
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(os.EX_CONFIG) from None
    except ShoewatchError as error:
        print("\n".join(map(printable, str(error).splitlines())), file=sys.stderr)
        raise typer.Exit(_WRONG) from None
