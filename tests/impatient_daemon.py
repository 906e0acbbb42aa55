"""A daemon whose components have a twentieth of their time to answer: `impatient_daemon.py run --config FILE`."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

from controller import app
from controller.cli.main import app_for
from controller.heartbeat import Component


def impatient(name: str, within_s: float, answer: Callable[[], Awaitable[object]]) -> Component:
    return Component(name, within_s / 20, answer)


def main(*command: str) -> None:
    setattr(app, "Component", impatient)  # noqa: B010
    app_for(list(command))(list(command))


if __name__ == "__main__":
    main(*sys.argv[1:])
