"""What the commands have in common that run until they are asked to stop."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

import typer

from protocols.errors import ShoewatchError


def begin_log(level: str) -> None:
    """The log goes to stderr from `level` on."""
    levels = logging.getLevelNamesMapping()
    if level.upper() not in levels:
        raise typer.BadParameter(f"{level!r}: it is one of debug, info, warning, error", param_hint="--log-level")
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=levels[level.upper()])


def run_to_end(work: Callable[[], object]) -> None:
    """Status 1 where it could not start or go on; the reasons go to stderr."""
    problems = list[BaseException]()
    try:
        work()
    except* ShoewatchError as errors:
        problems = _single(errors)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        raise typer.Exit(1)


def _single(group: BaseExceptionGroup[ShoewatchError]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _single(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
