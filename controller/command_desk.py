"""Commands of the floor on their way to the table, and its answers back. A part of the floor link.

What a known key has signed goes into the one intake queue, as if it were said at the panel, and the table records what
comes of it. Everything else is counted. However much comes, only a few commands wait before the table at any time."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar

from controller.clock import is_synchronised
from controller.command_names import acting_role, not_permitted, read_input
from controller.floor_link import Part
from controller.known_keys import KnownKeys
from controller.mqtt import Message, Session
from controller.pace import Pace
from controller.rejected import Rejected
from controller.standing import Standing
from firmware_bridge.arrival import Asked, Intake, Signed
from protocols.floor.commands import (
    MAX_BYTES,
    Body,
    Command,
    Objection,
    Void,
    foreign,
    late,
    read_body,
    read_command,
    untimely,
    verify,
)
from protocols.floor.messages import Source
from protocols.floor.topics import Topics
from protocols.keys import KnownKey
from protocols.records import Resend

_BACKLOG: Final = 256
_BEFORE_THE_TABLE: Final = 8
_OF_ONE_KEY: Final = 64
_REMEMBERED: Final = 1000
_ROOM_S: Final = 0.002
_NAME: Final = re.compile(r"[a-z0-9-]{1,64}")
_RETAINED: Final = Objection("retained", "it was sent to be kept by the broker, and a command counts when it is sent")
_TOO_MANY: Final = Objection("too_many", "there are too many commands at once; say it again with the same id")
_REFUSED: Final = "refused"
_Key = TypeVar("_Key")
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Heard:
    name: str
    payload: bytes
    retained: bool
    digest: str


class CommandDesk(Part):
    """`standing`: how the table stands now; `rejected`: where it is counted what is not recorded."""

    def __init__(
        self,
        topics: Topics,
        source: Source,
        keys: KnownKeys,
        intake: Intake,
        standing: Callable[[], Standing],
        rejected: Rejected,
    ) -> None:
        self._topics = topics
        self._source = source
        self._keys = keys
        self._intake = intake
        self._standing = standing
        self._rejected = rejected
        self._session: Session | None = None
        self._heard: asyncio.Queue[_Heard] = asyncio.Queue(_BACKLOG)
        self._looks = Pace(200, 100)
        self._strangers = Pace(50, 20)
        self._refusals = Pace(100, 1)
        self._waiting: Counter[str] = Counter()
        self._of_key: defaultdict[str, Pace] = defaultdict(lambda: Pace(100, 10))
        self._kept: dict[str, None] = {}
        self._refused: dict[tuple[str, str, str], None] = {}

    @property
    def filters(self) -> Sequence[str]:
        return (self._topics.all_commands,)

    def hear(self, message: Message) -> None:
        """Keep it until its turn comes; not what is too large to be looked at, or one too many."""
        name = message.topic.rpartition("/")[2]
        if len(message.payload) > MAX_BYTES:
            self._rejected.count("too_large")
        elif not _NAME.fullmatch(name):
            self._rejected.count("unknown_name")
        elif self._heard.full():
            self._rejected.count(_TOO_MANY.code)
        else:
            digest = hashlib.sha256(message.payload).hexdigest()
            self._heard.put_nowait(_Heard(name, message.payload, message.retained, digest))

    async def serve(self, session: Session) -> None:
        """Look at what came, one after the other, until cancelled."""
        self._session = session
        async with asyncio.TaskGroup() as group:
            group.create_task(self._rejected.tell())
            while True:
                heard = await self._heard.get()
                await asyncio.sleep(self._looks.wait_s)
                self._looks.take()
                await self._take(heard)

    async def left(self) -> None:
        """Who was not answered asks again, on the next connection."""
        self._session = None
        while not self._heard.empty():
            self._heard.get_nowait()

    async def _take(self, heard: _Heard) -> None:
        if heard.retained and not _is_new(self._kept, heard.digest):
            return
        try:
            asked = self._asked(heard)
        except Void as void:
            self._turn_away(heard, void)
            return
        if asked is None:
            return
        while self._intake.qsize() >= _BEFORE_THE_TABLE:  # noqa: ASYNC110
            await asyncio.sleep(_ROOM_S)
        await self._intake.put(asked)
        self._waiting[asked.sender] += 1

    def _asked(self, heard: _Heard) -> Asked | None:
        """What the table is asked, None where it is not asked; Void where nobody known has sent this."""
        command = read_command(heard.payload, heard.name, self._source.path)
        key = verify(command, self._keys.look())
        try:
            body = read_body(command)
            fields = read_input(command, body, key)
            objection = self._objection(heard, command, body, key)
        except Void as void:
            body, fields, objection = Body("", 0, {}), {}, void.objection
        based_on = None if command.name == Resend.name else body.based_on
        objection = objection or self._outdated(based_on)
        if not self._may_ask(heard, command, objection):
            return None
        role = acting_role(command.name, key.roles) or key.roles[-1]
        signed = Signed(command.key, key.name, based_on, objection)
        answer = partial(self._answer, heard, command, objection)
        return Asked(command.id, role, fields, answer, time.monotonic_ns(), signed)

    def _objection(self, heard: _Heard, command: Command, body: Body, key: KnownKey) -> Objection | None:
        """What speaks against it whatever the table says."""
        if heard.retained:
            return _RETAINED
        if acting_role(command.name, key.roles) is None:
            return not_permitted(command.name, key)
        now = datetime.fromtimestamp(time.time(), UTC)
        timely = None if is_synchronised() is False else untimely(command, now)
        return timely or foreign(body, self._source.epoch)

    def _outdated(self, based_on: int | None) -> Objection | None:
        standing = self._standing()
        return None if based_on is None else late(based_on, standing.seq, standing.round_from)

    def _may_ask(self, heard: _Heard, command: Command, objection: Objection | None) -> bool:
        """Whether the table is to hear of it, which makes a record: not of what it has refused already, of a few
        refusals at a time, and of as much as one person or program has to say."""
        if self._waiting[command.key] >= _OF_ONE_KEY:
            objection = _TOO_MANY
        elif objection is None:
            if self._of_key[command.key].take():
                return True
            objection = _TOO_MANY
        elif (command.key, command.id, objection.code) not in self._refused:
            if self._refusals.take():
                return True
            objection = _TOO_MANY
        self._rejected.count(objection.code)
        self._say(heard, command.id, {"ok": False, "why": objection.why, "code": objection.code})
        return False

    def _turn_away(self, heard: _Heard, void: Void) -> None:
        """Nobody known has sent it: it is counted, and answered unless too many are."""
        self._rejected.count(void.objection.code)
        _log.debug("a command %s comes to nothing: %s", heard.name, void)
        if void.id is not None and self._strangers.take():
            self._say(heard, void.id, {"ok": False, "why": str(void), "code": void.objection.code})

    def _answer(self, heard: _Heard, command: Command, objection: Objection | None, said: Mapping[str, Any]) -> None:
        """The table's answer."""
        self._waiting[command.key] -= 1
        if objection is not None and said.get("code") == objection.code:
            _is_new(self._refused, (command.key, command.id, objection.code))
        elif objection is not None:
            self._refusals.give_back()
        if not said["ok"]:
            _log.info("command %s of key %s comes to nothing: %s", command.name, command.key, said["why"])
            said = {**said, "code": said.get("code", _REFUSED)}
        self._say(heard, command.id, said)

    def _say(self, heard: _Heard, name: str, said: Mapping[str, Any]) -> None:
        """Answer while there is a connection; whoever misses the answer asks again."""
        if self._session is not None:
            fields = {"dataschema": "urn:shoewatch:ack:1", "id": name, **said, "command": heard.digest}
            text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
            self._session.publish(self._topics.answer(heard.name), text.encode())


def _is_new(seen: dict[_Key, None], key: _Key) -> bool:
    """Whether it was not there yet; it is then, at the cost of the oldest."""
    if key in seen:
        return False
    seen[key] = None
    if len(seen) > _REMEMBERED:
        del seen[next(iter(seen))]
    return True
