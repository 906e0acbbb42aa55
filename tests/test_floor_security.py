"""A real mosquitto with the shipped configuration, set up by the shipped README: who gets in, and who may do what."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from floor_broker import Floor, blocks, opened
from mqtt_table import until

from controller.broker_rights import CLIENT_ROLES
from controller.certificate_folder import CertificateFolder, now_utc
from controller.certificates import Subject
from controller.mqtt import Disconnected, Rejected, Session, Will
from controller.mqtt_address import Certificates

OURS, OTHER, LATER = "bj-07", "bj-08", "bj-09"
TABLE, NEIGHBOUR = f"riverside/{OURS}", f"riverside/{OTHER}"
CLIENTS = tuple(f"{role}.one" for role in CLIENT_ROLES)
DASHBOARD, CONSOLE, ARCHIVE, HOME = CLIENTS
TOLD = ("evt/card-drawn", "state", "status", "health", "metric/cards", "cmd/next/ack")
ASKED = ("cmd/next", "cmd/resend", "archive/ack", "archive/hello")
BASES = (f"casino/v1/{TABLE}", f"casino/v1/{NEIGHBOUR}")
CONNECT, CONNACK = b"\x10\x10\x00\x04MQTT\x04\x02\x00\x05\x00\x04ours", b"\x20"
DISCOVERY = "homeassistant/device"
OWN_NAMES = [f"casino/v1/{user}/evt/evt/card-drawn" for user in CLIENTS]
TOPICS = (
    *(f"{base}/{topic}" for base in BASES for topic in (*TOLD, *ASKED)),
    *(f"{DISCOVERY}/{user}/config" for user in (TABLE, NEIGHBOUR, *CLIENTS)),
    "homeassistant/status",
    "casino/v1/riverside/bj-07",
    "casino/v1/elsewhere/bj-07/evt/card-drawn",
    "$SYS/broker/version",
    *OWN_NAMES,
)


def both(*topics: str) -> set[str]:
    return {f"{base}/{topic}" for base in BASES for topic in topics}


def own(base: str, *topics: str) -> set[str]:
    return {f"{base}/{topic}" for topic in topics}


WRITES = {
    TABLE: own(BASES[0], *TOLD) | {f"{DISCOVERY}/{TABLE}/config"},
    NEIGHBOUR: own(BASES[1], *TOLD) | {f"{DISCOVERY}/{NEIGHBOUR}/config"},
    DASHBOARD: set(),
    CONSOLE: both("cmd/next", "cmd/resend"),
    ARCHIVE: both("archive/ack", "archive/hello", "cmd/resend"),
    HOME: {"homeassistant/status"},
}
READS = {
    TABLE: own(BASES[0], "status", *ASKED),
    NEIGHBOUR: own(BASES[1], "status", *ASKED),
    DASHBOARD: both(*TOLD),
    CONSOLE: both(*TOLD),
    ARCHIVE: both(*TOLD, *ASKED),
    HOME: both(*TOLD) | {f"{DISCOVERY}/{user}/config" for user in (TABLE, NEIGHBOUR)} | {"homeassistant/status"},
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with opened(tmp_path_factory.mktemp("floor")) as floor:
        for table in (OURS, OTHER):
            floor.add_table(table)
        for role in CLIENT_ROLES:
            floor.add_client(role, "one")
        yield floor


def test_each_may_write_what_is_its_own_and_nothing_else(floor: Floor) -> None:
    assert asyncio.run(written(floor)) == WRITES


async def written(floor: Floor) -> dict[str, set[str]]:
    return {user: {topic for topic in TOPICS if await may_write(floor, user, topic)} for user in WRITES}


async def may_write(floor: Floor, user: str, topic: str) -> bool:
    try:
        async with floor.dialer(user).connect() as session, asyncio.timeout(5):
            await session.publish(topic, b"{}")
    except (Rejected, Disconnected):
        return False
    return True


def test_each_may_read_what_it_has_to_and_nothing_else(floor: Floor) -> None:
    assert asyncio.run(read(floor)) == READS


async def read(floor: Floor) -> dict[str, set[str]]:
    """What reaches whom, each having asked for everything, when everything is said that anybody may say."""
    heard: dict[str, list[str]] = {user: [] for user in READS}
    last = {user: BASES[1 if user == NEIGHBOUR else 0] + "/status" for user in READS}
    async with AsyncExitStack() as stack:
        sessions = {user: await stack.enter_async_context(floor.dialer(user).connect()) for user in READS}
        group = await stack.enter_async_context(asyncio.TaskGroup())
        for user, session in sessions.items():
            await session.subscribe("#", "$SYS/broker/version")
            group.create_task(listen(session, heard[user], last[user]))
        for user, session in sessions.items():
            for topic in sorted(WRITES[user]):
                await session.publish(topic, b"{}")
        for user in (TABLE, NEIGHBOUR):
            await sessions[user].publish(f"casino/v1/{user}/status", b"last")
    return {user: set(topics) for user, topics in heard.items()}


async def listen(session: Session, heard: list[str], last: str) -> None:
    async with asyncio.timeout(10):
        async for message in session.messages():
            heard.append(message.topic)
            if (message.topic, message.payload) == (last, b"last"):
                return


@pytest.mark.parametrize("taken", ["riverside/bj-07", "riverside-bj-07"])
def test_another_certificate_does_not_end_a_tables_session(floor: Floor, taken: str) -> None:
    asyncio.run(stays(floor, taken))


async def stays(floor: Floor, taken: str) -> None:
    will = Will(f"{BASES[0]}/status", b"gone")
    async with floor.dialer(TABLE, "riverside-bj-07").connect(will) as session:
        await session.subscribe(f"{BASES[0]}/status")
        for user in (NEIGHBOUR, DASHBOARD):
            async with floor.dialer(user, taken).connect() as intruder:
                await intruder.subscribe("#")
        await session.publish(f"{BASES[0]}/status", b"still here")
        async with asyncio.timeout(5):
            async for message in session.messages():
                assert message.payload != b"gone"
                if message.payload == b"still here":
                    return


def refused(floor: Floor, files: Certificates) -> str:
    """How the broker refuses the connection."""

    async def connect() -> None:
        async with floor.dialer_with(files).connect():
            pass

    with pytest.raises(Disconnected) as caught:
        asyncio.run(connect())
    return str(caught.value)


def test_without_a_certificate_nobody_comes_in(floor: Floor) -> None:
    assert "alert handshake failure" in handshake(floor, replace(floor.files(TABLE), certificate=None, key=None))
    refused(floor, Certificates(ca=floor.files(TABLE).ca))


def test_nor_with_one_of_another_authority_of_the_same_name(floor: Floor, tmp_path: Path) -> None:
    other = CertificateFolder.make(tmp_path / "ca", now_utc())
    _, file = other.issue(Subject(TABLE), now_utc(), 30, renew=False)
    stranger = replace(floor.files(TABLE), certificate=file, key=file.with_suffix(".key"))
    assert "alert unknown ca" in handshake(floor, stranger)
    refused(floor, stranger)


def test_nor_with_the_brokers_own(floor: Floor) -> None:
    broker = floor.folder / "floor-ca/broker/broker.floor.pem"
    assert "alert unsupported certificate" in handshake(
        floor, replace(floor.files(TABLE), certificate=broker, key=broker.with_suffix(".key"))
    )


def test_a_tables_certificate_is_no_brokers(floor: Floor) -> None:
    files = floor.files(TABLE)
    assert files.certificate
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(files.certificate, files.key)
    client = ssl.create_default_context(cafile=files.ca)
    client.check_hostname = False
    with pytest.raises(ssl.SSLCertVerificationError, match="purpose"):
        joined(client, server)


def joined(client: ssl.SSLContext, server: ssl.SSLContext) -> None:
    """A handshake in memory."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True))
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue


def handshake(floor: Floor, files: Certificates, version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2) -> str:
    """What the broker answers to this version of TLS alone and a CONNECT: its alert, or `welcome`. An alert can be lost
    when the line is reset behind it."""
    answers = (attempt(floor, files, version) for _ in range(10))
    return next(answer for answer in answers if answer != "reset")


def attempt(floor: Floor, files: Certificates, version: ssl.TLSVersion) -> str:
    context = ssl.create_default_context(cafile=files.ca)
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    if files.certificate:
        context.load_cert_chain(files.certificate, files.key)
    try:
        with (
            socket.create_connection(("127.0.0.1", floor.broker.port), 5) as line,
            context.wrap_socket(line, server_hostname="127.0.0.1") as secured,
        ):
            secured.sendall(CONNECT)
            return "welcome" if secured.recv(4) == CONNACK + b"\x02\x00\x00" else "closed"
    except ssl.SSLError as error:
        return str(error).lower()
    except ConnectionResetError:
        return "reset"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
@pytest.mark.parametrize(
    ("version", "answer"),
    [
        (ssl.TLSVersion.TLSv1_3, "welcome"),
        (ssl.TLSVersion.TLSv1_2, "welcome"),
        (ssl.TLSVersion.TLSv1_1, "alert protocol version"),
        (ssl.TLSVersion.TLSv1, "alert protocol version"),
    ],
)
def test_tls_is_new_enough_or_refused(floor: Floor, version: ssl.TLSVersion, answer: str) -> None:
    assert answer in handshake(floor, floor.files(DASHBOARD), version)


def test_plain_text_is_not_understood(floor: Floor) -> None:
    with socket.create_connection(("127.0.0.1", floor.broker.port), 5) as line:
        line.sendall(CONNECT)
        answer = b""
        with suppress(ConnectionResetError):
            answer = line.recv(64)
        assert not answer.startswith(CONNACK)


def test_websockets_are_not_spoken(floor: Floor) -> None:
    files = floor.files(DASHBOARD)
    assert files.certificate
    context = ssl.create_default_context(cafile=files.ca)
    context.load_cert_chain(files.certificate, files.key)
    upgrade = (
        "GET /mqtt HTTP/1.1\r\nHost: broker\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with (
        socket.create_connection(("127.0.0.1", floor.broker.port), 5) as line,
        context.wrap_socket(line, server_hostname="127.0.0.1") as secured,
    ):
        secured.sendall(upgrade.encode())
        assert secured.recv(64) == b""


def test_a_message_has_its_size(floor: Floor) -> None:
    async def publish(size: int) -> None:
        async with floor.dialer(TABLE).connect() as session, asyncio.timeout(10):
            await session.publish(f"{BASES[0]}/health", bytes(size))

    asyncio.run(publish(262_000))
    with pytest.raises(Disconnected):
        asyncio.run(publish(262_200))
    assert "oversize packet" in floor.broker.log


def test_what_is_retained_outlives_a_kill_of_the_broker(floor: Floor) -> None:
    async def say() -> None:
        async with floor.dialer(TABLE).connect() as session:
            await session.publish(f"{BASES[0]}/state", b"the last", retain=True)

    async def heard() -> bytes:
        async with floor.dialer(DASHBOARD).connect() as session, asyncio.timeout(5):
            await session.subscribe(f"{BASES[0]}/state")
            return (await anext(session.messages())).payload

    asyncio.run(say())
    store = floor.broker._home / "mosquitto.db"
    asyncio.run(until(lambda: store.exists() and b"the last" in store.read_bytes()))
    floor.restart()
    assert asyncio.run(heard()) == b"the last"


def test_a_revoked_certificate_is_refused_and_its_connection_ends(floor: Floor) -> None:
    user = floor.add_table(LATER)

    async def lost() -> None:
        async with floor.dialer(user).connect() as session:
            await session.publish(f"casino/v1/{user}/health", b"{}")
            floor.do("revoke", {OURS: LATER})
            async for _ in session.messages():
                pass

    with pytest.raises(Disconnected):
        asyncio.run(lost())
    assert "alert certificate revoked" in handshake(floor, floor.files(user))
    refused(floor, floor.files(user))
    assert handshake(floor, floor.files(TABLE)) == "welcome"


def test_the_readme_has_a_command_a_line() -> None:
    assert set(blocks()) == {"broker", "table", "client", "revoke"}
    for line in (line for lines in blocks().values() for line in lines):
        assert line.startswith(("sudo ", "shoewatch certs "))
        assert not set(line) & set("|&;<>$`\\")
