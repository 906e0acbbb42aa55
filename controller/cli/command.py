"""`shoewatch command`: a command to a table, signed and sent as any program on the floor would send it."""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from controller.cli.lines import parse
from controller.cli.mistakes import mistakes_told
from controller.key_files import read_key
from controller.mqtt import Dialer, Disconnected, Rejected, Session
from controller.mqtt_address import Certificates, parse_address
from protocols.errors import ShoewatchError
from protocols.floor.checkpoints import Signer
from protocols.floor.commands import Command, sign
from protocols.floor.topics import Topics
from protocols.tablelog import dump

_TABLE: Final = re.compile(r"/?([a-z0-9-]{1,32})/([a-z0-9-]{1,32})")
_STATE_S: Final = 3.0
_ANSWER_S: Final = 30.0
_REFUSED: Final = 1

_Known = tuple[str, int]
"""The table's epoch, and its last record."""


def command(
    url: Annotated[str, typer.Argument(help="The broker.")],
    table: Annotated[str, typer.Argument(help="The table, SITE/TABLE.")],
    name: Annotated[str, typer.Argument(help="The command, such as player-acted.")],
    key: Annotated[Path, typer.Option(help="The file (0600) of the private key that signs it.")],
    fields: Annotated[
        list[str] | None, typer.Argument(metavar="FIELD=VALUE...", help="What it says; a value is JSON or a text.")
    ] = None,
    body: Annotated[str | None, typer.Option(metavar="JSON", help="The same as one JSON object.")] = None,
    valid_s: Annotated[float, typer.Option(min=0, max=3600, help="For how long it is good.")] = 30.0,
    command_id: Annotated[str | None, typer.Option("--id", help="To say it again: the id of before.")] = None,
    epoch: Annotated[str | None, typer.Option(help="The table's epoch; with --based-on.")] = None,
    based_on: Annotated[int | None, typer.Option(min=0, help="The last record that is known; with --epoch.")] = None,
    ca: Annotated[Path | None, typer.Option(help="Whom to trust, for mqtts://.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Who we are, for mqtts://; with --tls-key.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The key of --certificate.")] = None,
    allow_insecure: Annotated[bool, typer.Option(help="Plain text beyond this computer.")] = False,
) -> None:
    """Send a command to a table and print what it answers, as JSON.

    What the sender knows of the table, epoch and last record, comes from its retained state.
    Status 0: done. 1: refused. 2: nobody could be asked."""
    with mistakes_told():
        files = Certificates(ca, certificate, tls_key)
        address = parse_address(url, None if files == Certificates() else files, allow_insecure=allow_insecure)
        said = _said(fields or (), body)
        known = _known(epoch, based_on)
        signer, topics, id_ = Signer(read_key(key)), _topics(table), command_id or str(uuid.uuid4())
        until = timedelta(seconds=valid_s)
        answer = asyncio.run(_Sender(topics, signer, id_, name, until).ask(Dialer(address), said, known))
    print(dump(answer))
    if not answer.get("ok"):
        raise typer.Exit(_REFUSED)


class _Sender:
    def __init__(self, topics: Topics, signer: Signer, command_id: str, name: str, valid: timedelta) -> None:
        self._topics = topics
        self._signer = signer
        self._id = command_id
        self._name = name
        self._valid = valid

    async def ask(self, dialer: Dialer, said: dict[str, Any], known: _Known | None) -> dict[str, Any]:
        """The table's answer; ShoewatchError where there is none."""
        try:
            async with dialer.connect() as session:
                await session.subscribe(self._topics.answer(self._name))
                epoch, seq = known or await self._state(session)
                payload = self._payload(dump({"epoch": epoch, "based_on": seq, **said}))
                async with asyncio.timeout(_ANSWER_S):
                    await session.publish(self._topics.command(self._name), payload)
                    return await self._answer(session, sha256(payload).hexdigest())
        except TimeoutError:
            raise ShoewatchError(f"no answer of {self._topics.base}; say it again with --id {self._id}") from None
        except Disconnected as lost:
            raise ShoewatchError(f"{dialer.address}: {lost}; say it again with --id {self._id}") from None
        except Rejected as refusal:
            raise ShoewatchError(f"{dialer.address}: the broker refuses it: {refusal}") from None

    async def _state(self, session: Session) -> _Known:
        await session.subscribe(self._topics.state)
        try:
            async with asyncio.timeout(_STATE_S):
                async for message in session.messages():
                    state = parse(message.payload) if message.topic == self._topics.state else None
                    if state and isinstance(state.get("epoch"), str) and isinstance(state.get("seq"), int):
                        return state["epoch"], state["seq"]
        except TimeoutError:
            pass
        raise ShoewatchError(f"{self._topics.state}: no state of a table stands there; say --epoch and --based-on")

    def _payload(self, body: str) -> bytes:
        now = datetime.fromtimestamp(time.time(), UTC)
        issued, not_after = (_written(each) for each in (now, now + self._valid))
        table = f"/{self._topics.site}/{self._topics.table}"
        return sign(Command(self._id, table, self._name, issued, not_after, body), self._signer)

    async def _answer(self, session: Session, digest: str) -> dict[str, Any]:
        async for message in session.messages():
            answer = parse(message.payload)
            if answer and answer.get("id") == self._id and answer.get("command") == digest:
                return answer
        raise Disconnected("the connection has ended")


def _topics(table: str) -> Topics:
    named = _TABLE.fullmatch(table)
    if named is None:
        raise ShoewatchError(f"{table!r} names no table (SITE/TABLE, each 1 to 32 of a-z, 0-9 and -)")
    return Topics(*named.groups())


def _said(fields: Sequence[str], body: str | None) -> dict[str, Any]:
    if body is not None:
        said = parse(body.encode())
        if said is None or fields:
            raise ShoewatchError("--body: a JSON object, in place of FIELD=VALUE")
        return said
    pairs = [field.partition("=") for field in fields]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise ShoewatchError(f"{name!r}: what a command says is FIELD=VALUE")
    return {name: _value(value) for name, _, value in pairs}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _known(epoch: str | None, based_on: int | None) -> _Known | None:
    if epoch is not None and based_on is not None:
        return epoch, based_on
    if epoch is not None or based_on is not None:
        raise ShoewatchError("--epoch and --based-on go together")
    return None


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
