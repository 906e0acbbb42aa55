"""What a person has to mend before a command can do its work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer
from typer.core import TyperGroup

from controller.cli.lines import printable
from protocols.errors import ConfigError, ShoewatchError, quoted

_WRONG: Final = 2


class Program(TyperGroup):
    """The program, which says in words of ours what is wrong with the value of an option or argument."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if error.__cause__ is not None:
                error.message = _in_our_words(error.__cause__, error.message)
            raise


def _in_our_words(cause: BaseException, said: str) -> str:
    from pydantic import ValidationError

    from protocols.validation import reason

    if not isinstance(cause, ValidationError):
        return said
    problem = cause.errors(include_url=False)[0]
    return f"{quoted(problem['input'])}: {reason(problem)}"


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
