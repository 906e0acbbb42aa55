"""Standard output and standard error of a command, whether or not anybody reads them to the end."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Final, TextIO

import typer

from controller.cli.lines import printable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_READERS_GONE: Final = set[int]()


class _Pipe(io.FileIO):
    """One of the two; once its reader is gone, what is still written goes nowhere."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            _READERS_GONE.add(self.fileno())
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def outlive_readers() -> None:
    """From here on nobody notices at `print` that a reader has gone, as `head` does."""
    sys.stdout = _outliving(sys.stdout)
    sys.stderr = _outliving(sys.stderr)


def nobody_reads() -> bool:
    """Whether the reader of standard output is known to have gone."""
    return sys.__stdout__ is not None and sys.__stdout__.fileno() in _READERS_GONE


def show(line: str) -> None:
    """Print a line at once; typer.Exit where nobody reads what an endless command shows."""
    print(line, flush=True)
    if nobody_reads():
        raise typer.Exit


def remark(text: str) -> None:
    """What is no part of the output, on standard error, at once."""
    print(printable(text), file=sys.stderr, flush=True)


def _outliving(stream: TextIO) -> TextIO:
    """The same stream; one that is closed, or that is no file, stays as it is."""
    try:
        pipe = _Pipe(stream.fileno(), "wb", closefd=False)
    except (AttributeError, OSError):
        return stream
    lines = bool(stream.line_buffering)
    return io.TextIOWrapper(io.BufferedWriter(pipe), stream.encoding, stream.errors, line_buffering=lines)
