"""The connection to the broker: its address, TLS, the protocol versions, refusals, silence."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from mqtt_table import until
from proxy import Proxy

from controller.broker import EmbeddedBroker
from controller.mqtt import ANSWER_S, Dialer, Disconnected, Hearing, Message, Rejected, Session
from controller.mqtt_address import AddressError, Certificates, parse_address


@pytest.mark.parametrize(
    ("url", "host", "port", "insecure"),
    [
        ("mqtt://127.0.0.1", "127.0.0.1", 1883, False),
        ("mqtt://localhost:1884/", "localhost", 1884, False),
        ("mqtt://[::1]:1885", "::1", 1885, False),
        ("mqtts://broker.floor", "broker.floor", 8883, False),
        ("mqtt://broker.floor:1883", "broker.floor", 1883, True),
    ],
)
def test_an_address_is_read(url: str, host: str, port: int, insecure: bool) -> None:
    address = parse_address(url, allow_insecure=True)
    assert (address.host, address.port, address.insecure) == (host, port, insecure)
    assert parse_address(str(address), allow_insecure=True) == address


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mqtt://broker.floor", "allow_insecure"),
        ("mqtt://10.0.0.7:1883", "mqtts://"),
        ("mqt://127.0.0.1", 'did you mean "mqtt"'),
        ("127.0.0.1:1883", r"has no scheme: a broker's address is mqtt://HOST\[:PORT\] or mqtts://HOST\[:PORT\]"),
        ("foo", r"'foo' has no scheme: .* mqtt://HOST\[:PORT\]"),
        ("", "'' has no scheme"),
        ("http://127.0.0.1", r"unknown scheme 'http' .*mqtts://HOST\[:PORT\]"),
        ("mqtt://", "no broker's address"),
        ("mqtt://127.0.0.1:99999", "PORT from 1 to 65535"),
        ("mqtt://127.0.0.1:0", "no broker's address"),
        ("mqtt://127.0.0.1/tables", "no broker's address"),
        ("mqtt://dealer:letmein@127.0.0.1", "no user or password"),
        ("mqtt://dealer:letmein@[127.0.0.1", "no user or password"),
    ],
)
def test_a_wrong_address_is_told(url: str, says: str) -> None:
    with pytest.raises(AddressError, match=says) as told:
        parse_address(url)
    assert "letmein" not in str(told.value)


def test_certificates_go_with_tls_and_a_key_with_its_certificate(tmp_path: Path) -> None:
    with pytest.raises(AddressError, match="mqtts:// only"):
        parse_address("mqtt://127.0.0.1", Certificates(ca=tmp_path / "ca.pem"))
    with pytest.raises(AddressError, match="both or neither"):
        parse_address("mqtts://127.0.0.1", Certificates(key=tmp_path / "key.pem"))
    with pytest.raises(AddressError, match=r"ca\.pem: .*No such file"):
        parse_address("mqtts://127.0.0.1", Certificates(ca=tmp_path / "ca.pem")).tls_context()


def make_certificate(folder: Path, name: str, signer: str | None) -> None:
    """NAME.pem and NAME.key, signed by SIGNER, or an authority of its own."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer, issuer_key = subject, key
    if signer is not None:
        issuer = x509.load_pem_x509_certificate((folder / f"{signer}.pem").read_bytes()).subject
        loaded = serialization.load_pem_private_key((folder / f"{signer}.key").read_bytes(), None)
        assert isinstance(loaded, ec.EllipticCurvePrivateKey)
        issuer_key = loaded
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
    (folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def test_tls_with_certificates_on_both_sides(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    for name, signer in (("ca", None), ("server", "ca"), ("table", "ca"), ("other", None)):
        make_certificate(tmp_path, name, signer)
    plain = mosquitto.engine.config
    tls = (
        f"cafile {tmp_path}/ca.pem\ncertfile {tmp_path}/server.pem\nkeyfile {tmp_path}/server.key\n"
        "require_certificate true\n"
    )
    engine = replace(mosquitto.engine, config=lambda port, folder: plain(port, folder) + tls)
    ours = Certificates(tmp_path / "ca.pem", tmp_path / "table.pem", tmp_path / "table.key")

    async def publish(port: int, certificates: Certificates) -> None:
        address = parse_address(f"mqtts://127.0.0.1:{port}", certificates)
        async with Dialer(address, "table").connect() as session:
            for _ in range(50):
                await session.publish("casino/test", b"x" * 1000)

    with EmbeddedBroker(engine) as secure:
        asyncio.run(publish(secure.port, ours))
        with pytest.raises(Disconnected, match="CERTIFICATE_VERIFY_FAILED"):
            asyncio.run(publish(secure.port, replace(ours, ca=tmp_path / "other.pem")))
        with pytest.raises(Disconnected):
            asyncio.run(publish(secure.port, Certificates(ca=tmp_path / "ca.pem")))


@asynccontextmanager
async def knowing_only_3_1_1(port: int) -> AsyncIterator[int]:
    """A broker that is silent to MQTT 5, as some are: a gate before one that is not."""

    async def gate(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.read(1024)
        if first[8] == 5:
            await reader.read()
        else:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
            far_writer.write(first)
            writer.write(await far_reader.read(1024))
            await reader.read()
            far_writer.close()
        writer.close()

    server = await asyncio.start_server(gate, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def test_silence_to_version_5_leads_to_3_1_1_which_is_remembered(mosquitto: EmbeddedBroker) -> None:
    async def scenario() -> None:
        async with knowing_only_3_1_1(mosquitto.port) as port:
            dialer = Dialer(parse_address(f"mqtt://127.0.0.1:{port}"), "table")
            async with asyncio.timeout(5 * ANSWER_S), dialer.connect():
                await until(lambda: "as table (p2," in mosquitto.log)
            begun = asyncio.get_running_loop().time()
            async with dialer.connect():
                assert asyncio.get_running_loop().time() - begun < ANSWER_S
            with pytest.raises(Disconnected, match="no answer to CONNECT"):
                async with Dialer(dialer.address, "table", "5").connect():
                    pass

    asyncio.run(scenario())


def test_version_5_is_kept_once_it_worked(mosquitto: EmbeddedBroker) -> None:
    async def scenario() -> None:
        async with Proxy(mosquitto.port) as proxy:
            dialer = Dialer(parse_address(proxy.url), "table")
            async with dialer.connect() as session:
                assert session.receive_maximum == 20
            proxy.cut()
            with pytest.raises(Disconnected):
                async with dialer.connect():
                    pass
            proxy.restore()
            async with dialer.connect() as session:
                assert session.receive_maximum == 20

    asyncio.run(scenario())


def test_both_versions_of_every_broker_that_has_them(any_broker: EmbeddedBroker) -> None:
    async def scenario() -> None:
        address = parse_address(any_broker.url)
        for protocol in ("auto", "3.1.1", *(("5",) if any_broker.engine.name == "mosquitto" else ())):
            async with Dialer(address, "table", protocol).connect() as session:
                await session.publish("casino/test", b"{}")

    asyncio.run(scenario())


async def first_message(session: Session) -> Message:
    return await anext(session.messages())


def test_a_lost_connection_fails_whatever_waits_on_it_at_once(mosquitto: EmbeddedBroker) -> None:
    async def scenario() -> None:
        async with Proxy(mosquitto.port) as proxy:  # noqa: SIM117
            async with Dialer(parse_address(proxy.url), "table").connect() as session:
                proxy.freeze()
                acks = [session.publish("casino/test", b"{}") for _ in range(5)]
                reader = asyncio.create_task(first_message(session))
                await asyncio.sleep(0.05)
                proxy.break_lines()
                async with asyncio.timeout(1):
                    answers = await asyncio.gather(*acks, reader, return_exceptions=True)
                assert {type(answer) for answer in answers} == {Disconnected}
                with pytest.raises(Disconnected):
                    await session.publish("casino/test", b"{}")
                with pytest.raises(Disconnected):
                    await session.subscribe("casino/#")

    asyncio.run(scenario())


def test_a_refusal_is_no_success(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text("topic read #\n")
    plain = mosquitto.engine.config
    engine = replace(mosquitto.engine, config=lambda port, folder: f"acl_file {acl}\n{plain(port, folder)}")

    async def publish(url: str) -> None:
        async with Dialer(parse_address(url), "table").connect() as session:
            await session.publish("casino/test", b"{}")

    with EmbeddedBroker(engine) as strict, pytest.raises(Rejected, match="Not authorized"):
        asyncio.run(publish(strict.url))


def test_many_huge_messages_keep_back_none_behind_them(any_broker: EmbeddedBroker) -> None:
    async def scenario() -> None:
        address = parse_address(any_broker.url)
        async with (
            Dialer(address, "table", hearing=Hearing(backlog=1024)).connect() as session,
            Dialer(address).connect() as sender,
        ):
            await session.subscribe("to/table")
            for size in (*[200_000] * 40, 1):
                await sender.publish("to/table", bytes(size))
            async with asyncio.timeout(15):
                async for message in session.messages():
                    if len(message.payload) == 1:
                        break

    asyncio.run(scenario())
