"""A daemon that does not wait long before it takes its reader back: `hasty_daemon.py SECONDS run --config FILE`."""

from __future__ import annotations

import sys
from functools import partial

from controller import app
from controller.cli.main import app_for
from controller.reader_care import ReaderCare


def main(seconds: str, *command: str) -> None:
    setattr(app, "ReaderCare", partial(ReaderCare, hold_s=float(seconds)))  # noqa: B010
    app_for(list(command))(list(command))


if __name__ == "__main__":
    main(*sys.argv[1:])
