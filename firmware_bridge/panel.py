"""The panel: a Unix socket for the dealer and one for supervisors; who may open the file may speak in that role.

One JSON object a line. In: a table event or `next`, each with an `id`, or `{"watch":true}`. Out: one answer to each
input once all that follows from it is on disk; to a watcher every verdict at once and every record once it is on disk.
What people say goes into the one intake queue, among the cards."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

from firmware_bridge.arrival import Asked, Intake, Role
from firmware_bridge.unix_socket import SocketError, listening
from protocols.errors import LogError
from protocols.tablelog import dump, read_object
from protocols.verdicts import VERDICT, Verdict

ROLES: Final[tuple[Role, ...]] = get_args(Role)
_FOLDER_MODE: Final = 0o750
_PASSABLE: Final = 0o751
_LINE_BYTES: Final = 4096
_ID_LENGTH: Final = 64
_CLIENTS: Final = 16
_IDLE_S: Final = 60.0
_BACKLOG: Final = 2048
_LAST_LINE_S: Final = 2.0
_STOP_S: Final = 0.25
_log: Final = logging.getLogger(__name__)


def socket_path(directory: Path, role: Role) -> Path:
    """`dealer.sock`, `supervisor.sock`"""
    return directory / f"{role}.sock"


class Panel:
    """One table's panel in a directory of its own; nobody who is slow at it delays anything else. `groups`: to whom
    the sockets belong, else to the group of this process."""

    def __init__(self, directory: Path, queue: Intake, groups: Mapping[Role, str] | None = None) -> None:
        self._directory = directory
        self._queue = queue
        self._groups = groups or {}
        self._clients: dict[Role, set[_Client]] = {role: set() for role in ROLES}
        self._shown: bytes | None = None
        self._alarms: bytes | None = None
        self._serving = False
        self._ourselves: object = None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Both sockets are there while the body runs; SocketError where they cannot be made."""
        _make_folder(self._directory, _PASSABLE if self._groups else _FOLDER_MODE)
        with ExitStack() as paths:
            sockets = {
                role: paths.enter_context(listening(socket_path(self._directory, role), self._groups.get(role)))
                for role in ROLES
            }
            async with asyncio.TaskGroup() as group:
                servers = [
                    await asyncio.start_unix_server(partial(self._connected, group, role), sock=sock, limit=_LINE_BYTES)
                    for role, sock in sockets.items()
                ]
                self._serving = True
                try:
                    yield
                finally:
                    self._stop(servers)

    async def answer(self) -> None:
        """Once both sockets have let us in; OSError where one does not."""
        loop = asyncio.get_running_loop()
        for role in ROLES:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as caller:
                caller.bind("")
                self._ourselves = caller.getsockname()
                await loop.sock_connect(caller, str(socket_path(self._directory, role)))
                await loop.sock_recv(caller, 1)

    def show(self, verdict: Verdict | None, due: Sequence[str], remarks: Sequence[str] = ()) -> None:
        """Tell watchers at once how an event was judged, None where there was none yet, what is due next and what else
        is to be said."""
        judged = None if verdict is None else VERDICT.dump_python(verdict, mode="json")
        self._shown = _line({"verdict": judged, "due": [*due], "remarks": [*remarks]})
        self._tell(self._shown)

    def alarm(self, alarms: Sequence[str]) -> None:
        """Tell watchers what is wrong with the daemon itself; those who come later too, while something is."""
        line = _line({"alarms": [*alarms]})
        self._alarms = line if alarms else None
        self._tell(line)

    def committed(self, body: bytes) -> None:
        """Tell watchers a record, as published."""
        self._tell(body)

    def _tell(self, line: bytes) -> None:
        for clients in self._clients.values():
            for client in clients:
                if client.watches:
                    client.say(line)

    def _stop(self, servers: list[asyncio.Server]) -> None:
        self._serving = False
        for server in servers:
            server.close()
        for clients in self._clients.values():
            for client in clients:
                client.end(seconds=_STOP_S)

    def _connected(
        self, group: asyncio.TaskGroup, role: Role, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if not self._serving or writer.get_extra_info("peername") == self._ourselves:
            writer.transport.abort()
            return
        client = _Client(writer)
        present = [each for each in self._clients[role] if not each.ended]
        if len(present) >= _CLIENTS and not _makes_room(present):
            client.end(_refusal(None, f"there are {_CLIENTS} connections to this socket already"))
        self._clients[role].add(client)
        group.create_task(self._attend(role, reader, client))

    async def _attend(self, role: Role, reader: asyncio.StreamReader, client: _Client) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                hearing = group.create_task(self._hear(role, reader, client))
                await client.write()
                hearing.cancel()
        except* OSError:
            _log.debug("a client of the %s panel has left", role)
        except* Exception:
            _log.exception("a client of the %s panel could not be served", role)
        finally:
            self._clients[role].discard(client)
            client.close()

    async def _hear(self, role: Role, reader: asyncio.StreamReader, client: _Client) -> None:
        """Take one line after the other; the next only when the one before is answered."""
        try:
            while True:
                await self._take(role, client, await reader.readuntil(b"\n"))
        except asyncio.LimitOverrunError:
            client.end(_refusal(None, f"a line is longer than {_LINE_BYTES} bytes"))
        except asyncio.IncompleteReadError:
            client.end()

    async def _take(self, role: Role, client: _Client, line: bytes) -> None:
        client.heard()
        try:
            fields = read_object(line.decode())
        except UnicodeDecodeError:
            client.say(_refusal(None, "this line is no UTF-8"))
        except LogError as error:
            client.say(_refusal(None, str(error)))
        else:
            if fields == {"watch": True}:
                client.watch(self._shown, self._alarms)
            else:
                await self._ask(role, client, fields)

    async def _ask(self, role: Role, client: _Client, fields: dict[str, Any]) -> None:
        name = fields.pop("id", None)
        if not (isinstance(name, str) and name.isprintable() and 0 < len(name) <= _ID_LENGTH):
            why = f"field 'id': a text of 1 to {_ID_LENGTH} printable characters, another one for each input"
            client.say(_refusal(None, why))
            return
        answered = asyncio.Event()

        def answer(said: Mapping[str, Any]) -> None:
            client.say(_line(said))
            answered.set()

        with client.waiting():
            await self._queue.put(Asked(name, role, fields, answer, time.monotonic_ns()))
            await answered.wait()


class _Client:
    """One connection: lines go out in order through a bounded queue; who reads too slowly loses the connection."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._lines: deque[bytes] = deque()
        self._more = asyncio.Event()
        self._ended = False
        self._waits = False
        self._spoke = False
        self._heard_at = time.monotonic()
        self.watches = False

    @property
    def ended(self) -> bool:
        """Whether it is told no more than what it was told already."""
        return self._ended

    @property
    def idle_s(self) -> float:
        """How long it has said nothing."""
        return time.monotonic() - self._heard_at

    @property
    def is_idle(self) -> bool:
        """Whether it holds its place for nothing: it does not watch, waits for no answer, and never spoke or not for
        a while."""
        return not (self.watches or self._waits) and (not self._spoke or self.idle_s >= _IDLE_S)

    def heard(self) -> None:
        """It has said a line."""
        self._spoke, self._heard_at = True, time.monotonic()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """It waits for an answer while the body runs."""
        self._waits = True
        try:
            yield
        finally:
            self._waits, self._heard_at = False, time.monotonic()

    def watch(self, *shown: bytes | None) -> None:
        """Begin to watch with what was shown last."""
        self.watches = True
        for line in shown:
            if line is not None:
                self.say(line)

    def say(self, line: bytes) -> None:
        """Send a line when the client reads; after `end` there is nothing more to say."""
        if self._ended:
            return
        if len(self._lines) >= _BACKLOG:
            self._lines.clear()
            self.end(_line({"dropped": f"too slow: more than {_BACKLOG} lines were waiting"}))
            return
        self._lines.append(line)
        self._more.set()

    def end(self, last: bytes | None = None, seconds: float = _LAST_LINE_S) -> None:
        """Close when everything and `last` was read, at the latest in so many seconds."""
        if last is not None and not self._ended:
            self._lines.append(last)
        self._ended = True
        self._more.set()
        asyncio.get_running_loop().call_later(seconds, self._writer.transport.abort)

    async def write(self) -> None:
        """Send until `end`; OSError where the client has left."""
        while self._lines or not self._ended:
            await self._more.wait()
            self._more.clear()
            while self._lines:
                self._writer.write(self._lines.popleft() + b"\n")
                await self._writer.drain()
        self._writer.close()
        await self._writer.wait_closed()

    def close(self) -> None:
        self._writer.close()


def _makes_room(present: list[_Client]) -> bool:
    """Whether one of them can go: the one that has been idle longest goes."""
    idle = [client for client in present if client.is_idle]
    if not idle:
        return False
    max(idle, key=lambda client: client.idle_s).end(_refusal(None, "idle, and somebody else wanted a place"))
    return True


def _make_folder(directory: Path, mode: int) -> None:
    """One that is there stays as it is."""
    try:
        if not directory.is_dir():
            directory.mkdir(parents=True)
            directory.chmod(mode)
    except OSError as error:
        raise SocketError(f"{directory}: the panel's folder cannot be made: {error.strerror}") from None


def _line(fields: Mapping[str, Any]) -> bytes:
    return dump(fields).encode()


def _refusal(name: str | None, why: str) -> bytes:
    return _line({"id": name, "ok": False, "why": why})
