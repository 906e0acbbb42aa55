"""A daemon that soon gives an alarm where an archive confirms nothing: `doubting_daemon.py SECONDS run ...`."""

from __future__ import annotations

import sys
from functools import partial

from controller import floor
from controller.cli.main import app_for
from controller.confirmations import Confirmations


def main(seconds: str, *command: str) -> None:
    setattr(floor, "Confirmations", partial(Confirmations, alarm_s=float(seconds)))  # noqa: B010
    app_for(list(command))(list(command))


if __name__ == "__main__":
    main(*sys.argv[1:])
