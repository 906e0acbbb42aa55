"""The panel's sockets: whose they are, what goes in and out, and that nobody at them delays anything."""

from __future__ import annotations

import asyncio
import grp
import json
import os
import socket
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from as_nobody import in_the_group
from device_lines import until
from panel_client import Client, connected
from tools import need_root

from firmware_bridge.arrival import Arrival, Asked, Intake, Role
from firmware_bridge.panel import ROLES, Panel, socket_path
from firmware_bridge.unix_socket import SocketError, fits
from protocols.verdicts import Verdict

OK = Verdict("verdict", 1, 1, None, "ok", None, None, None, (), None, None)
SHOWN_BYTES = 100_000


@asynccontextmanager
async def table(folder: Path, size: int = 256) -> AsyncIterator[tuple[Panel, Intake]]:
    queue: Intake = asyncio.Queue(size)
    panel = Panel(folder / "panel", queue)
    async with panel.serving():
        yield panel, queue


def with_table(folder: Path, scenario: Callable[[Panel, Intake], Awaitable[None]], size: int = 256) -> None:
    async def run() -> None:
        async with table(folder, size) as (panel, queue):
            await scenario(panel, queue)

    asyncio.run(run())


async def next_asked(queue: Intake) -> Asked:
    async with asyncio.timeout(5):
        asked = await queue.get()
    assert isinstance(asked, Asked)
    return asked


def dealer(folder: Path) -> Path:
    return folder / "panel" / "dealer.sock"


def test_the_files_are_for_the_group_and_go_with_the_daemon(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        folder = tmp_path / "panel"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o750
        files = {path.name: path.stat().st_mode for path in folder.iterdir()}
        assert files.keys() == {"dealer.sock", "supervisor.sock"}
        assert all(stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660 for mode in files.values())

    with_table(tmp_path, scenario)
    assert list((tmp_path / "panel").iterdir()) == []


def test_each_group_may_speak_in_its_own_role_alone(tmp_path: Path) -> None:
    need_root()
    others = [group.gr_name for group in grp.getgrall() if group.gr_gid]
    tmp_path.chmod(0o711)
    groups: dict[Role, str] = {"dealer": others[0], "supervisor": others[1]}

    async def may_speak(role: Role) -> bool:
        try:
            _, writer = await asyncio.open_unix_connection(socket_path(Path("panel"), role))
        except PermissionError:
            return False
        writer.close()
        return True

    async def scenario() -> None:
        async with Panel(tmp_path / "panel", asyncio.Queue(), groups).serving():
            for group, may in ((others[0], [True, False]), (others[1], [False, True]), (None, [False, False])):
                with in_the_group(group):
                    assert [await may_speak(role) for role in ROLES] == may

    with working_in(tmp_path):
        asyncio.run(scenario())


@pytest.mark.parametrize(
    ("group", "says"), [("none-such", "there is no group none-such"), ("tty", "only a member of the group tty")]
)
def test_a_group_that_cannot_have_a_socket(tmp_path: Path, group: str, says: str) -> None:
    need_root()
    tmp_path.chmod(0o777)

    async def scenario() -> None:
        with pytest.raises(SocketError, match=says):
            async with Panel(Path("panel"), asyncio.Queue(), {"supervisor": group}).serving():
                pytest.fail("the socket was given away")

    with working_in(tmp_path), in_the_group(None):
        asyncio.run(scenario())
    assert list((tmp_path / "panel").glob("*.sock")) == []


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Whoever is there needs no right to get there."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def test_a_stale_socket_is_replaced_and_a_live_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "panel").mkdir()
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(dealer(tmp_path)))
    stale.close()

    async def scenario(panel: Panel, queue: Intake) -> None:
        with pytest.raises(SocketError, match="another shoewatch"):
            async with table(tmp_path):
                pytest.fail("two daemons in one folder")
        async with connected(dealer(tmp_path)) as client:
            client.tell({"id": "1", "type": "call.made"})
            assert (await next_asked(queue)).id == "1"

    with_table(tmp_path, scenario)


def test_what_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "panel").mkdir()
    dealer(tmp_path).write_text("minutes")
    with pytest.raises(SocketError, match=r"dealer\.sock: this is no socket"):
        with_table(tmp_path, lambda panel, queue: asyncio.sleep(0))
    assert dealer(tmp_path).read_text() == "minutes"


def test_a_folder_that_cannot_be_made_and_a_path_too_long_are_told(tmp_path: Path) -> None:
    (tmp_path / "panel").write_text("")
    with pytest.raises(SocketError, match="folder cannot be made"):
        with_table(tmp_path, lambda panel, queue: asyncio.sleep(0))
    long = tmp_path / ("x" * 100)
    assert not fits(long / "panel" / "supervisor.sock")
    with pytest.raises(SocketError, match="no socket can be made"):
        with_table(long, lambda panel, queue: asyncio.sleep(0))


@pytest.mark.parametrize("role", ["dealer", "supervisor"])
def test_an_input_goes_into_the_queue_and_its_answer_comes_back(tmp_path: Path, role: str) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with connected(tmp_path / "panel" / f"{role}.sock") as client:
            before = time.monotonic_ns()
            client.tell({"id": "a-1", "type": "call.made", "call": "upcard"})
            asked = await next_asked(queue)
            assert (asked.id, asked.role, asked.fields) == ("a-1", role, {"type": "call.made", "call": "upcard"})
            assert before <= asked.mono_ns <= time.monotonic_ns()
            asked.answer({"id": "a-1", "ok": True, "seq": 7})
            assert await client.line() == b'{"id":"a-1","ok":true,"seq":7}\n'

    with_table(tmp_path, scenario)


def test_inputs_of_one_client_wait_for_each_other(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with connected(dealer(tmp_path)) as client:
            for name in "abc":
                client.tell({"id": name, "type": "call.made"})
            for name in "abc":
                asked = await next_asked(queue)
                await asyncio.sleep(0.02)
                assert queue.empty()
                asked.answer({"id": asked.id})
                assert await client.hear() == {"id": name}

    with_table(tmp_path, scenario)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hello", "no JSON object"),
        (b"[1]", "no JSON object"),
        (b'{"id":"1","id":"2"}', "'id' is given twice"),
        (b"[" * 3000, "nested too deeply"),
        (b"\xff\xfe", "no UTF-8"),
        (b'{"type":"call.made"}', "field 'id'"),
        (b'{"id":7,"type":"call.made"}', "field 'id'"),
        (b'{"id":"","type":"call.made"}', "field 'id'"),
        (b'{"id":"\\u001b[2J","type":"call.made"}', "field 'id'"),
        (b'{"id":"\\ud800","type":"call.made"}', "half a character"),
        (json.dumps({"id": "x" * 65}).encode(), "field 'id'"),
    ],
)
def test_what_is_no_input_is_answered_and_goes_no_further(tmp_path: Path, line: bytes, why: str) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with connected(dealer(tmp_path)) as client:
            client.send(line + b"\n")
            answer = await client.hear()
            assert (answer["id"], answer["ok"]) == (None, False)
            assert why in answer["why"]
            assert queue.empty()
            client.tell({"id": "1", "type": "call.made"})
            assert (await next_asked(queue)).id == "1"

    with_table(tmp_path, scenario)


def test_a_line_without_end_is_cut_off(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with connected(dealer(tmp_path)) as client:
            client.send(b"x" * 10_000)
            assert "longer than 4096 bytes" in (await client.hear())["why"]
            assert await client.line() == b""

    with_table(tmp_path, scenario)


def test_a_line_torn_by_the_end_is_no_input(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with connected(dealer(tmp_path)) as client:
            client.send(b'{"id":"1","type":"round.closed"}')
            client._writer.write_eof()
            assert await client.line() == b""
            assert queue.empty()

    with_table(tmp_path, scenario)


def test_one_connection_too_many_is_told_so(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(dealer(tmp_path))) for _ in range(16)]
            for number, client in enumerate(clients):
                client.tell({"id": str(number), "type": "call.made"})
                assert (await next_asked(queue)).id == str(number)
            async with connected(dealer(tmp_path)) as late:
                assert "16 connections" in (await late.hear())["why"]
                assert await late.line() == b""
            async with connected(tmp_path / "panel" / "supervisor.sock") as other:
                other.tell({"id": "s", "type": "call.made"})
                assert (await next_asked(queue)).role == "supervisor"

    with_table(tmp_path, scenario)


def test_who_never_spoke_makes_room_and_who_watches_or_waits_does_not(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with AsyncExitStack() as stack:

            async def come() -> Client:
                client = await stack.enter_async_context(connected(dealer(tmp_path)))
                count = len(clients) + 1
                await until(lambda: len(panel._clients["dealer"]) >= min(count, 16))
                clients.append(client)
                return client

            clients: list[Client] = []
            for _ in range(16):
                await come()
            clients[0].tell({"watch": True})
            clients[1].tell({"id": "1", "type": "call.made"})
            asked = await next_asked(queue)
            await until(lambda: any(client.watches for client in panel._clients["dealer"]))
            for dropped in (2, 3):
                late = await come()
                assert (await clients[dropped].hear())["why"] == "idle, and somebody else wanted a place"
                assert await clients[dropped].line() == b""
                late.tell({"id": f"late-{dropped}", "type": "call.made"})
                assert (await next_asked(queue)).id == f"late-{dropped}"
            panel.show(OK, ())
            assert (await clients[0].hear())["due"] == []
            asked.answer({"id": "1"})
            assert await clients[1].hear() == {"id": "1"}

    with_table(tmp_path, scenario)


def test_who_spoke_a_while_ago_makes_room_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(dealer(tmp_path))) for _ in range(16)]
            for number, client in enumerate(clients):
                client.tell({"id": str(number), "type": "call.made"})
                (await next_asked(queue)).answer({"id": str(number)})
                await client.hear()
            async with connected(dealer(tmp_path)) as refused:
                assert "16 connections" in (await refused.hear())["why"]
            monkeypatch.setattr("firmware_bridge.panel._IDLE_S", 0.0)
            async with connected(dealer(tmp_path)) as late:
                late.tell({"id": "late", "type": "call.made"})
                assert (await next_asked(queue)).id == "late"
            assert (await clients[0].hear())["why"] == "idle, and somebody else wanted a place"

    with_table(tmp_path, scenario)


def test_a_place_at_the_panel_is_free_again_when_somebody_leaves(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        for number in range(40):
            async with connected(dealer(tmp_path)) as client:
                client.tell({"watch": True})
                client.tell({"id": str(number), "type": "call.made"})
                (await next_asked(queue)).answer({"id": str(number)})
                assert await client.hear() == {"id": str(number)}

    with_table(tmp_path, scenario)


def test_watchers_see_verdicts_and_records_and_others_do_not(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        panel.show(OK, ("round.opened",))
        async with connected(dealer(tmp_path)) as watcher, connected(dealer(tmp_path)) as other:
            watcher.tell({"watch": True})
            assert (await watcher.hear())["due"] == ["round.opened"]
            panel.show(OK, ("card.drawn to player",), ("the shoe is in error",))
            panel.committed(b'{"seq":8}')
            shown = await watcher.hear()
            assert (shown["due"], shown["remarks"]) == (["card.drawn to player"], ["the shoe is in error"])
            assert (shown["verdict"]["type"], shown["verdict"]["outcome"], len(shown["verdict"])) == (
                "verdict",
                "ok",
                11,
            )
            assert await watcher.line() == b'{"seq":8}\n'
            other.tell({"id": "1", "type": "call.made"})
            (await next_asked(queue)).answer({"id": "1"})
            assert await other.hear() == {"id": "1"}

    with_table(tmp_path, scenario)


def test_a_watcher_that_does_not_read_is_dropped_and_delays_nobody(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        with deaf_watcher(tmp_path) as slow:
            async with connected(dealer(tmp_path)) as quick:
                quick.tell({"watch": True})
                panel.show(OK, ())
                await quick.hear()
                for number in range(2600):
                    panel.committed(json.dumps({"seq": number, "pad": "x" * 2000}).encode())
                    assert (await quick.hear())["seq"] == number
                lines = (await received(slow)).splitlines()
        assert json.loads(lines[-1]) == {"dropped": "too slow: more than 2048 lines were waiting"}
        assert len(lines) < 2600

    with_table(tmp_path, scenario)


def deaf_watcher(folder: Path) -> socket.socket:
    watcher = socket.socket(socket.AF_UNIX)
    watcher.connect(str(dealer(folder)))
    watcher.sendall(b'{"watch":true}\n')
    return watcher


async def received(sock: socket.socket) -> bytes:
    """Everything up to the end."""
    sock.setblocking(False)
    data = b""
    async with asyncio.timeout(10):
        while more := await asyncio.get_running_loop().sock_recv(sock, 1 << 20):
            data += more
    return data


def test_a_client_that_never_reads_again_is_cut_off(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        with deaf_watcher(tmp_path):
            await until(lambda: any(client.watches for client in panel._clients["dealer"]))
            line = b"x" * SHOWN_BYTES
            for _ in range(2100):
                panel.committed(line)
                await asyncio.sleep(0)
            assert panel._clients["dealer"]
            await until(lambda: not panel._clients["dealer"], 10)

    with_table(tmp_path, scenario)


def test_the_end_of_the_daemon_does_not_wait_for_anybody(tmp_path: Path) -> None:
    async def scenario() -> float:
        with socket.socket(socket.AF_UNIX) as deaf:
            async with table(tmp_path, 1) as (panel, queue):
                deaf.connect(str(dealer(tmp_path)))
                deaf.sendall(b'{"watch":true}\n{"id":"1","type":"call.made"}\n')
                async with connected(dealer(tmp_path)) as client:
                    client.tell({"id": "2", "type": "call.made"})
                    await until(queue.full)
                    for _ in range(50):
                        panel.committed(b"x" * SHOWN_BYTES)
                    begun = time.monotonic()
        return time.monotonic() - begun

    assert asyncio.run(scenario()) < 1.25


def test_a_full_queue_holds_up_the_person_and_not_the_loop(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        queue.put_nowait(Arrival((), 0))
        async with connected(dealer(tmp_path)) as client:
            client.tell({"id": "1", "type": "call.made"})
            await asyncio.sleep(0.05)
            assert isinstance(await queue.get(), Arrival)
            assert (await next_asked(queue)).id == "1"

    with_table(tmp_path, scenario, 1)


def test_what_people_enter_is_in_no_text_of_an_input() -> None:
    asked = Asked("1", "supervisor", {"type": "card.drawn", "card": "Kh", "face": "down"}, lambda _: None, 0)
    assert "Kh" not in repr(asked)
    assert "Kh" not in str(asked)
