"""A daemon on a computer that was started anew: `booted_daemon.py BOOT run --config FILE`."""

from __future__ import annotations

import sys
from functools import partial

from controller import app
from controller.cli.main import app_for
from controller.clock import Clock


def main(boot: str, *command: str) -> None:
    setattr(app, "Clock", partial(Clock, boot))  # noqa: B010
    app_for(list(command))(list(command))


if __name__ == "__main__":
    main(*sys.argv[1:])
