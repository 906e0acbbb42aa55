"""A daemon that sends again on a word of the floor, and keeps its last record's number on the broker:
`chaos_daemon.py run --config FILE`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from functools import partial

from controller import app
from controller.cli.main import app_for
from controller.floor_link import Dials, FloorLink, Greeter, Part
from controller.mqtt import Message, Session
from controller.outbox import Outbox

LOOK_S = 0.1


class Hook:
    """The word is `{"from":...,"to":...}` on `cmd/resend`."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._journal = outbox._journal
        self._base = outbox._topics.base
        self.filters: Sequence[str] = (f"{self._base}/cmd/resend",)

    def hear(self, message: Message) -> None:
        asked = json.loads(message.payload)
        if asked["epoch"] == self._journal.epoch:
            self._outbox.resend(asked["from"], asked["to"])

    async def serve(self, session: Session) -> None:
        told = None
        while True:
            if (told != self._journal.last_seq) and self._journal.last_seq:
                told = self._journal.last_seq
                state = json.dumps({"epoch": self._journal.epoch, "seq": told})
                await session.publish(f"{self._base}/state", state.encode(), retain=True)
            await asyncio.sleep(LOOK_S)

    async def left(self) -> None:
        """The next connection begins anew."""

    def came_round(self) -> None:
        """Nothing waits."""


def hooked(broker: object, dialer: Dials, greeter: Greeter, parts: Sequence[Part]) -> FloorLink:
    [outbox] = (part for part in parts if isinstance(part, Outbox))
    return FloorLink(broker, dialer, greeter, [*parts, Hook(outbox)])


def main(*command: str) -> None:
    setattr(app, "FloorLink", partial(hooked))  # noqa: B010
    app_for(list(command))(list(command))


if __name__ == "__main__":
    main(*sys.argv[1:])
