"""Somebody who keeps every record of a table, whatever breaks: `chaos_subscriber.py FOLDER PORT 3.1.1|5`.

A persistent session; a message is acknowledged once its record is in `FOLDER/records.jsonl`, one a line. What was
dropped as a repeat leaves a byte in `FOLDER/repeats`, what was asked for one in `FOLDER/asked`."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import paho.mqtt.client as paho
from floor_console import KEYS, command
from mqtt_table import TOPICS
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from protocols.floor.chain import Link
from protocols.floor.commands import sign
from protocols.floor.following import Broken, Following, Gap, New, NotOurs, Place, Repeat
from protocols.floor.messages import digest

PATIENCE_S, LONGEST_PATIENCE_S = 1.0, 8.0
SESSION_S = 3600
SOURCE = f"/{TOPICS.site}/{TOPICS.table}"


class Store:
    """The records on disk; a last line that a kill left torn is none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = folder / "records.jsonl"
        kept = path.read_bytes() if path.exists() else b""
        whole = kept[: kept.rfind(b"\n") + 1]
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.truncate(path, len(whole))
        self.last = whole.rstrip(b"\n").rpartition(b"\n")[2]

    def keep(self, body: bytes) -> None:
        os.write(self._file, body + b"\n")

    def count(self, what: str) -> None:
        with (self._folder / what).open("ab") as file:
            file.write(b".")


class Subscriber:
    def __init__(self, folder: Path, port: int, version: str) -> None:
        self._store = Store(folder)
        self._port = port
        self._following = Following(SOURCE, place_of(self._store.last))
        self._known: tuple[str, int] | None = None
        self._silent_since = 0.0
        self._patience_s = PATIENCE_S
        newest = version == "5"
        protocol = MQTTProtocolVersion.MQTTv5 if newest else MQTTProtocolVersion.MQTTv311
        session: dict[str, Any] = {} if newest else {"clean_session": False}
        self._client = paho.Client(CallbackAPIVersion.VERSION2, "keeper", protocol=protocol, manual_ack=True, **session)
        self._options: dict[str, Any] = {"keepalive": 5}
        if newest:
            lasting = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            lasting.SessionExpiryInterval = SESSION_S
            self._options |= {"clean_start": False, "properties": lasting}
        self._client.on_connect = self._greet
        self._client.on_message = self._hear

    def run(self) -> None:
        while True:
            try:
                self._client.connect("127.0.0.1", self._port, **self._options)
                while self._client.loop(0.1) == 0:
                    self._look()
            except OSError:
                pass
            time.sleep(0.1)

    def _greet(self, *_: Any) -> None:
        """What was asked for on the connection before may be lost with it."""
        self._patience_s = PATIENCE_S
        self._client.subscribe([(TOPICS.all_events, 1), (f"{TOPICS.base}/state", 1)])

    def _hear(self, client: paho.Client, _: Any, message: paho.MQTTMessage) -> None:
        if message.topic.endswith("/state"):
            said = json.loads(message.payload)
            self._learn(said["epoch"], said["seq"])
        else:
            self._take(bytes(message.payload))
        client.ack(message.mid, message.qos)

    def _take(self, body: bytes) -> None:
        self._following, heard = self._following.take(body)
        match heard:
            case New():
                self._store.keep(body)
                self._silent_since, self._patience_s = time.monotonic(), PATIENCE_S
            case Repeat():
                self._store.count("repeats")
            case Gap(epoch, _, last):
                self._learn(epoch, last + 1)
            case Broken() | NotOurs():
                self._store.count("broken")

    def _learn(self, epoch: str, seq: int) -> None:
        """There is such a record; what comes late may know of fewer."""
        before = self._known[1] if self._known and self._known[0] == epoch else 0
        self._known = epoch, max(before, seq)

    def _look(self) -> None:
        """Ask for what is lacking when nothing new has come for a while, and more and more patiently: what comes again
        stands in the broker's queue behind all that cannot be taken."""
        lacks = self._known and self._following.lacks(*self._known)
        if lacks and time.monotonic() - self._silent_since > self._patience_s:
            self._silent_since = time.monotonic()
            self._patience_s = min(2 * self._patience_s, LONGEST_PATIENCE_S)
            self._store.count("asked")
            body = {"epoch": lacks.epoch, "based_on": lacks.first - 1, "from": lacks.first}
            word = sign(command("resend", body, id=uuid4().hex), KEYS["console"])
            self._client.publish(TOPICS.command("resend"), word, qos=1)


def place_of(body: bytes) -> Place | None:
    if not body:
        return None
    fields = json.loads(body)
    return Place(fields["epoch"], Link(fields["seq"], digest(body)))


if __name__ == "__main__":
    Subscriber(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]).run()
