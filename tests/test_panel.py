"""The panel's sockets: whose they are, and what goes in and out."""

from __future__ import annotations

import asyncio
import grp
import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from as_nobody import in_the_group
from panel_alone import dealer, next_asked, table, with_table
from panel_client import connected
from tools import need_root

from firmware_bridge.arrival import Asked, Intake, Role
from firmware_bridge.panel import ROLES, Panel, socket_path
from firmware_bridge.unix_socket import SocketError, fits
from protocols.verdicts import Verdict

OK = Verdict("verdict", 1, 1, None, "ok", None, None, None, (), None, None)
SHOWN_BYTES = 100_000


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


def test_what_people_enter_is_in_no_text_of_an_input() -> None:
    asked = Asked("1", "supervisor", {"type": "card.drawn", "card": "Kh", "face": "down"}, lambda _: None, 0)
    assert "Kh" not in repr(asked)
    assert "Kh" not in str(asked)
