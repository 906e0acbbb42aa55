"""A table with every secret in place, at the floor's broker: all of it arrives, and no secret comes out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from command import shoewatch
from daemon import Journal, check_chain, daemon, running
from floor_broker import Floor, opened
from mqtt_table import until

from controller.certificate_folder import CertificateFolder, now_utc
from controller.certificates import Subject
from controller.mqtt import Message
from controller.mqtt_address import Certificates
from protocols.floor.topics import Topics

TABLE = """\
site    = "riverside"
table   = "bj-07"
profile = "bench"

[game]
procedure = "nd-card-reader"
observes  = ["positions", "faces", "signals", "wagers", "collection", "cut", "shuffle", "calls"]

[shoe]
port     = "sim:try?rounds=1&pace=0&seed=5&hurry=20"
protocol = "tdl"

[reader]
port = "sim:try"

[devices]
registry = "devices.toml"

[panel]
directory = "panel"

[journal]
path        = "journal.db"
vault_key   = "vault.key"
signing_key = "signing.key"

[mqtt]
url         = "{url}"
ca          = "{tls.ca}"
certificate = "{tls.certificate}"
key         = "{tls.key}"
"""
READY = re.compile(rb'"device":"(shoe|reader)","from":"handshake","to":"ready"')
HEX_KEY = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?! =|[0-9a-f])")
"""Not a firmware's digest, which names a key and is no secret."""
LINE_OF_PEM = re.compile(r"^[A-Za-z0-9+/=]{20,}$", re.MULTILINE)
SAYING = (
    ("config", "check"),
    ("doctor", "--json", "--listen", "0"),
    ("devices", "list", "--config"),
    ("devices", "--config"),
    ("rounds", "list", "--config"),
)


@dataclass
class Evening:
    """What one run left behind: the secrets, by their files, and everything that came out, by where."""

    folder: Path
    secrets: Mapping[str, set[bytes]] = field(repr=False)
    told: dict[str, bytes] = field(repr=False)
    messages: list[Message] = field(default_factory=list, repr=False)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    with opened(tmp_path_factory.mktemp("floor")) as floor:
        left = asyncio.run(played(floor, tmp_path_factory.mktemp("table")))
        left.told |= dict(said_afterwards(floor, left.folder))
        yield left


async def played(floor: Floor, folder: Path) -> Evening:
    floor.add_table("bj-07")
    kept = CertificateFolder(floor.folder / "floor-ca")
    _, certificate = kept.issue(Subject("riverside/bj-07"), now_utc(), 20, renew=True)
    files = Certificates(kept.path / "ca.pem", certificate, certificate.with_suffix(".key"))
    config = folder / "table.toml"
    config.write_text(TABLE.format(url=floor.url, tls=files))
    registry = folder / "devices.toml"
    registry.touch(mode=0o600)
    registry.write_text(shoewatch("sim", "registry").stdout)
    for name in ("vault.key", "signing.key"):
        assert shoewatch("keys", "new", str(folder / name)).status == 0
    secret = [registry, folder / "vault.key", folder / "signing.key", *floor.folder.rglob("*.key")]
    left = Evening(folder, {file.name: needles(file) for file in secret}, {})
    async with floor.dialer(floor.add_client("archive", "one")).connect() as session:
        await session.subscribe(f"{Topics('riverside', 'bj-07').base}/#")
        hearing = asyncio.create_task(listen(session.messages(), left.messages))
        with running(daemon(config, "--until-drained")) as process:
            await until(lambda: b"run" in of_process(process.pid, "cmdline"))
            left.told |= {part: of_process(process.pid, part) for part in ("cmdline", "environ")}
            assert await process.ended() == 0, process.log
        await until(lambda: any(b'"offline"' in each.payload for each in left.messages))
        hearing.cancel()
        await asyncio.wait([hearing])
    left.told["messages"] = b"\n".join(each.payload for each in left.messages)
    return left


def of_process(pid: int, part: str) -> bytes:
    return Path(f"/proc/{pid}/{part}").read_bytes()


def said_afterwards(floor: Floor, folder: Path) -> Iterator[tuple[str, bytes]]:
    """What lies there, and what commands say of it."""
    config = folder / "table.toml"
    for arguments in SAYING:
        said = shoewatch(*arguments, str(config))
        yield " ".join(arguments), (said.stdout + said.stderr).encode()
    for file in (config, *folder.glob("journal.db*"), folder / "daemon.log"):
        yield file.name, file.read_bytes()
    yield "the broker", floor.broker.log.encode()
    yield "certs list", shoewatch("certs", "list", str(floor.folder / "floor-ca")).stdout.encode()


async def listen(messages: AsyncIterator[Message], heard: list[Message]) -> None:
    async for message in messages:
        heard.append(message)


def needles(file: Path) -> set[bytes]:
    """What would give a key away: its digits, its bytes, or a line of its PEM."""
    text = file.read_text()
    if "PRIVATE KEY" in text:
        return {line.encode() for line in LINE_OF_PEM.findall(text)}
    keys = HEX_KEY.findall(text)
    return {key.encode() for key in keys} | {bytes.fromhex(key) for key in keys}


def test_everything_arrives_over_tls(evening: Evening) -> None:
    rows = Journal(evening.folder).rows()
    check_chain(rows)
    assert {b"shoe", b"reader"} <= {device for row in rows for device in READY.findall(row.body)}
    events = [each.payload for each in evening.messages if "/evt/" in each.topic]
    assert events == [row.body for row in rows]
    statuses = [each.payload for each in evening.messages if each.topic.endswith("/status")]
    assert b'"insecure":false' in statuses[0]


def test_the_log_says_that_the_certificate_ends(evening: Evening) -> None:
    assert b"bj-07.2.pem ends 20" in evening.told["daemon.log"]


def test_no_secret_comes_out(evening: Evening) -> None:
    assert {"devices.toml", "vault.key", "signing.key", "ca.key", "bj-07.2.key"} <= set(evening.secrets)
    assert all(evening.secrets.values())
    assert all(evening.told[where] for where in ("cmdline", "daemon.log", "journal.db", "messages", "config check"))
    found = [
        (name, where)
        for name, secret in evening.secrets.items()
        for where, said in evening.told.items()
        if any(needle in said for needle in secret)
    ]
    assert found == []
