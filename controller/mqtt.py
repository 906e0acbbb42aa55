"""Our own small interface to MQTT, and the only importer of aiomqtt.

What aiomqtt 2 leaves open is closed here: a refusal (reason code >= 0x80) raises, a lost connection fails at once
whatever waits on it, a client object serves one connection and is never entered again. It connects in a thread of ours,
which a stop leaves behind: a name server or a host that never answers cannot hold up the end of the daemon. The
writer of a closed socket is never put into the loop, so a lost connection leaves no traceback and no spinning loop."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

import aiomqtt
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.dial import Unreachable, dial
from controller.mqtt_address import BrokerAddress
from firmware_bridge.threads import bear

Protocol = Literal["auto", "5", "3.1.1"]

ANSWER_S: Final = 3.0
"""How long a broker may take to answer; after that it counts as dead."""
_FAREWELL_S: Final = 0.5
_KEEPALIVE_S: Final = 5
_KEEPALIVE_WITH_WILL_S: Final = 2
"""A broker lets a client be silent one and a half times as long: then everybody who waits for its end hears of it."""
_REFUSED: Final = 0x80
_UNSUPPORTED_VERSION: Final = 0x84
_VERSIONS: Final = {"5": aiomqtt.ProtocolVersion.V5, "3.1.1": aiomqtt.ProtocolVersion.V311}

_log: Final = logging.getLogger(__name__)
_library_log: Final = logging.getLogger(f"{__name__}.library")
_library_log.setLevel(logging.CRITICAL)


class Disconnected(Exception):
    """The connection is lost, or there is none to be had; a new one may help."""


class OtherVersionWanted(Disconnected):
    """The broker refused the protocol version, or was silent, as some are that do not know it."""

    def __init__(self, what: str, *, refused: bool) -> None:
        super().__init__(what)
        self.refused = refused


class Rejected(Exception):
    """The broker refused this message for good; the connection may still be there."""


@dataclass(frozen=True, slots=True)
class Message:
    """`retained`: it was sent to be kept by the broker; over 3.1.1 only one that stood there already shows it."""

    topic: str
    payload: bytes
    retained: bool = False

    def matches(self, filters: Sequence[str]) -> bool:
        """Whether a subscription to one of the filters brings it."""
        return any(aiomqtt.Topic(self.topic).matches(each) for each in filters)


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes, retained, when the connection is lost."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Hearing:
    """How somebody listens. `backlog`: how many messages may wait to be heard, what comes then is lost; 0: any number.
    `kept_s`: how long the broker is to keep what comes while the line is lost.

    No largest packet is asked for: mosquitto 2.0.11 keeps back what is larger, counts it as under way for ever, and
    after twenty of them sends nothing any more. How large a message may be is the broker's own to say."""

    backlog: int = 0
    kept_s: int = 0


class _Client(aiomqtt.Client):
    """One connection; `lost` holds the reason once it is gone."""

    def __init__(
        self, address: BrokerAddress, version: str, client_id: str | None, will: Will | None, hearing: Hearing
    ) -> None:
        newest = version == "5"
        super().__init__(
            address.host,
            address.port,
            identifier=client_id,
            protocol=_VERSIONS[version],
            keepalive=_KEEPALIVE_WITH_WILL_S if will else _KEEPALIVE_S,
            timeout=ANSWER_S,
            logger=_library_log,
            max_queued_incoming_messages=hearing.backlog,
            clean_session=None if newest else not hearing.kept_s,
            clean_start=not hearing.kept_s if newest else MQTT_CLEAN_START_FIRST_ONLY,
            properties=_greeting(hearing) if newest else None,
            will=aiomqtt.Will(will.topic, will.payload, qos=1, retain=True) if will else None,
        )
        hint = ": does the broker trust our certificate?" if address.certificates else ""
        self._closed_early = f"closed before the CONNACK{hint}"
        self._wish: Any = SubscribeOptions(qos=1, retainAsPublished=True) if version == "5" else 1
        self.pending_calls_threshold = 1000
        self.receive_maximum = 65535
        self.lost: str | None = None
        self._said: str | None = None
        self._acks: dict[int, asyncio.Future[None]] = {}
        self._connected.add_done_callback(bear)
        self._disconnected.add_done_callback(self._fail_waiting)

    async def open(self, sock: socket.socket) -> None:
        """Speak MQTT on a connected socket, to the broker's CONNACK; closes it where that fails."""
        self._client._create_socket = lambda: sock  # type: ignore[method-assign]
        try:
            self._client.connect(
                self._hostname, self._port, self._keepalive, "", 0, self._clean_start, self._properties
            )
            async with asyncio.timeout(ANSWER_S):
                await self._connected
        except TimeoutError:
            self._client._sock_close()
            raise OtherVersionWanted("no answer to CONNECT", refused=False) from None
        except BaseException:
            self._client._sock_close()
            raise

    async def close(self) -> None:
        """Say DISCONNECT where there is still a line, and free the socket."""
        try:
            if self.lost is None:
                self._client.disconnect()
                async with asyncio.timeout(_FAREWELL_S):
                    await asyncio.wait([self._disconnected])
        except TimeoutError:
            _log.debug("the broker's line does not take the DISCONNECT")
        finally:
            self._client._sock_close()
            if not self._disconnected.done():
                self._disconnected.set_result(None)

    def send(self, topic: str, payload: bytes, *, retain: bool) -> asyncio.Future[None]:
        ack: asyncio.Future[None] = self._loop.create_future()
        ack.add_done_callback(bear)
        sent = None if self.lost else self._client.publish(topic, payload, 1, retain)
        if sent is None or sent.rc != 0:
            ack.set_exception(Disconnected(self.lost or "the line is closed"))
        else:
            self._acks[sent.mid] = ack
        return ack

    def mention(self, topic: str, payload: bytes) -> None:
        if not self.lost:
            self._client.publish(topic, payload, 0)

    async def ask_for(self, filters: Sequence[str]) -> list[int]:
        """Subscribe with QoS 1; the reason code of each filter."""
        _, mid = self._client.subscribe([(each, self._wish) for each in filters])
        if self.lost is not None or mid is None:
            raise Disconnected(self.lost or "the line is closed")
        answer = self._pending_subscribes[mid] = self._loop.create_future()
        try:
            async with asyncio.timeout(ANSWER_S):
                return [code if isinstance(code, int) else code.value for code in await answer]
        except TimeoutError:
            raise Disconnected("no answer to SUBSCRIBE") from None

    def _fail_waiting(self, disconnected: asyncio.Future[None]) -> None:
        error = disconnected.exception()
        self.lost = self._said or str(error or "closed")
        waits: list[asyncio.Future[Any]] = [self._connected, *self._acks.values(), *self._pending_subscribes.values()]
        for waiting in waits:
            if not waiting.done():
                waiting.set_exception(Disconnected(self.lost))
        self._acks.clear()

    def _on_connect(self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Any = None) -> None:
        self.receive_maximum = getattr(properties, "ReceiveMaximum", self.receive_maximum)
        if reason_code.value == _UNSUPPORTED_VERSION and not self._connected.done():
            self._connected.set_exception(OtherVersionWanted(str(reason_code), refused=True))
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_disconnect(self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Any = None) -> None:
        if not self._connected.done():
            self._connected.set_exception(OtherVersionWanted(self._closed_early, refused=False))
        by_broker = flags.is_disconnect_packet_from_server
        self._said = f"the broker disconnects: {reason_code}" if by_broker else "the line broke"
        super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: Any, properties: Any) -> None:
        super()._on_publish(client, userdata, mid, reason_code, properties)
        ack = self._acks.pop(mid, None)
        if ack is None or ack.done():
            return
        if reason_code.value >= _REFUSED:
            ack.set_exception(Rejected(str(reason_code)))
        else:
            ack.set_result(None)

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:  # noqa: ARG002
        self._loop.call_soon(self._watch_writable, sock)

    def _watch_writable(self, sock: socket.socket) -> None:
        if self._client.socket() is sock:
            self._loop.add_writer(sock, self._write)

    def _write(self) -> None:
        try:
            self._client.loop_write()
        except Exception as error:
            if not self._disconnected.done():
                self._disconnected.set_exception(error)


def _greeting(hearing: Hearing) -> Properties:
    """What of it the broker is asked for."""
    asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    if hearing.kept_s:
        asked.SessionExpiryInterval = hearing.kept_s
    return asked


class Session:
    """One connection, from CONNACK to its loss; whatever waits on it then raises Disconnected.

    `useful`: it has carried more than a greeting, which a broker may take that takes nothing else."""

    def __init__(self, client: _Client) -> None:
        self._client = client
        self.useful = False

    @property
    def receive_maximum(self) -> int:
        """How many unacknowledged messages the broker takes at once."""
        return self._client.receive_maximum

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Send with QoS 1, in the order of the calls; done on the PUBACK, Rejected or Disconnected else."""
        return self._client.send(topic, payload, retain=retain)

    def mention(self, topic: str, payload: bytes) -> None:
        """Send with QoS 0: nobody waits for it, and nobody misses it."""
        self._client.mention(topic, payload)

    async def subscribe(self, *filters: str) -> None:
        """With QoS 1; Rejected where the broker refuses one."""
        for each, code in zip(filters, await self._client.ask_for(filters), strict=True):
            if code >= _REFUSED:
                raise Rejected(f"{each}: reason code {code:#x}")

    async def messages(self) -> AsyncIterator[Message]:
        """What comes on the subscriptions; Disconnected at once when the connection is lost."""
        try:
            async for message in self._client.messages:
                yield Message(message.topic.value, bytes(message.payload), bool(message.retain))
        except aiomqtt.MqttError as error:
            raise Disconnected(self._client.lost or str(error)) from None


class Dialer:
    """Makes connections to one broker, and remembers which protocol version worked.

    `auto` starts with 5.0. Where the broker refuses the version the other one is tried at once, and where it is silent
    too as long as no version has worked. `client_id` None: a new one for each connection."""

    def __init__(
        self,
        address: BrokerAddress,
        client_id: str | None = None,
        protocol: Protocol = "auto",
        hearing: Hearing = Hearing(),
    ) -> None:
        self.address = address
        self._client_id = client_id
        self._hearing = hearing
        self._auto = protocol == "auto"
        self._version: str = "5" if self._auto else protocol
        self._worked = False

    @asynccontextmanager
    async def connect(self, will: Will | None = None) -> AsyncIterator[Session]:
        """A connection for the body; Disconnected where there is none to be had."""
        client = await self._open(will)
        try:
            yield Session(client)
        finally:
            await client.close()

    async def _open(self, will: Will | None) -> _Client:
        try:
            return await self._attempt(self._version, will)
        except OtherVersionWanted as answer:
            if not self._auto or (self._worked and not answer.refused):
                raise
        return await self._attempt("3.1.1" if self._version == "5" else "5", will)

    async def _attempt(self, version: str, will: Will | None) -> _Client:
        try:
            sock = await dial(self.address, ANSWER_S)
            client = _Client(self.address, version, self._client_id, will, self._hearing)
            await client.open(sock)
        except (Unreachable, aiomqtt.MqttError) as error:
            raise Disconnected(str(error)) from None
        self._version, self._worked = version, True
        return client
