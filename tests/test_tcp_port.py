"""The TCP line over real sockets."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from device_lines import TcpLine, descriptors, until

from firmware_bridge.tcp_port import open_tcp
from firmware_bridge.transport import LinkLost

KEEP_ALIVE_TIMER = "02"


def test_an_idle_line_is_kept_alive() -> None:
    async def main() -> None:
        line = TcpLine()
        port = await line.start()
        transport = await open_tcp("127.0.0.1", port)
        assert _timer_towards(port) == KEEP_ALIVE_TIMER
        await transport.close()
        await line.stop()

    asyncio.run(main())


def _timer_towards(port: int) -> str:
    """The kernel's running timer of the connection to `port`, from its table of sockets."""
    for row in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, _, remote, _, _, timer, *_ = row.split()
        if remote.endswith(f":{port:04X}"):
            return timer.partition(":")[0]
    raise AssertionError("no such connection")


def test_a_peer_that_reads_nothing_is_wedged() -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            before = descriptors()
            transport = await open_tcp("127.0.0.1", server.getsockname()[1])
            with pytest.raises(LinkLost) as caught:
                await transport.write(bytes(50_000_000))
            assert caught.value.kind == "wedged"
            assert descriptors() <= before

    asyncio.run(main())


def test_a_reset_is_a_loss() -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            transport = await open_tcp("127.0.0.1", server.getsockname()[1])
            client, _ = server.accept()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
            client.close()
            with pytest.raises(LinkLost) as caught:
                await transport.read()
            assert caught.value.kind == "gone"

    asyncio.run(main())


def test_a_peer_that_does_not_answer_is_absent() -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as server, socket.socket() as waiting:
            waiting.connect(server.getsockname())
            before = descriptors()
            async with asyncio.timeout(10):
                with pytest.raises(LinkLost) as caught:
                    await open_tcp("127.0.0.1", server.getsockname()[1])
            assert caught.value.kind == "absent"
            assert "does not answer" in caught.value.detail
            assert descriptors() <= before

    asyncio.run(main())


def test_a_name_that_nobody_knows_is_absent() -> None:
    async def main() -> None:
        with pytest.raises(LinkLost) as caught:
            await open_tcp("no-such-host.invalid", 4001)
        assert caught.value.kind == "absent"

    asyncio.run(main())


@pytest.mark.parametrize("steps", range(8))
def test_an_opening_that_is_cancelled_leaves_nothing(steps: int) -> None:
    async def main() -> None:
        line = TcpLine()
        port = await line.start()
        before = descriptors()
        opening = asyncio.create_task(open_tcp("127.0.0.1", port))
        for _ in range(steps):
            await asyncio.sleep(0.0005)
        opening.cancel()
        transport = (await asyncio.gather(opening, return_exceptions=True))[0]
        if not isinstance(transport, BaseException):
            await transport.close()
        await until(lambda: not line.hang_up() and descriptors() <= before)
        await line.stop()

    asyncio.run(main())
