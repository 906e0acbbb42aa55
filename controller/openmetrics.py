"""The daemon's numbers for a scraper: `GET /metrics`, in the text of OpenMetrics, over plain HTTP.

Each answer is made at once from what is counted anyway and sent within a time; whoever reads slowly, says nothing or
comes too often is hung up on, and nobody waits for him."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from controller.listen_address import ListenAddress
from controller.metric import Metric
from protocols.errors import ShoewatchError

if TYPE_CHECKING:
    from prometheus_client.core import Metric as Family

_CONNECTIONS: Final = 8
_HEAD_BYTES: Final = 8192
_WITHIN_S: Final = 5.0
_PATH: Final = "/metrics"
_LACKING: Final = '[metrics] needs prometheus-client: pip install "shoewatch[metrics]", or leave it out'
_log: Final = logging.getLogger(__name__)

Collect = Callable[[], Iterable[Metric]]
Answer = tuple[str, str, bytes]
"""The status, the content's type, the content."""


def missing() -> str | None:
    """What the section [metrics] needs and this computer lacks."""
    return _LACKING if find_spec("prometheus_client") is None else None


class OpenMetrics:
    """`collect` gives the numbers of now, of this table; `open_lines`: how many are asking. ShoewatchError where the
    library is not there."""

    def __init__(self, address: ListenAddress, collect: Collect, site: str, table: str) -> None:
        _load()
        self._address = address
        self._collect = collect
        self._labels = {"site": site, "table": table}
        self.open_lines = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[int]:
        """Listen for as long as the body runs, which gets the port; ShoewatchError where that cannot be."""
        host, port = self._address.host, self._address.port
        try:
            server = await asyncio.start_server(self._serve, host, port, limit=_HEAD_BYTES)
        except OSError as error:
            raise ShoewatchError(f"metrics.listen: cannot listen on {self._address}: {_why(error)}") from None
        _log.info("metrics at http://%s%s", self._address, _PATH)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open_lines += 1
        try:
            if self.open_lines <= _CONNECTIONS:
                async with asyncio.timeout(_WITHIN_S):
                    await self._answer(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.transport.abort()
        finally:
            self.open_lines -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = head.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")
        status, kind, content = self._respond(method, rest.split(" ")[0].split("?")[0])
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(content)}", "Connection: close"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + (b"" if method == "HEAD" else content))
        await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    def _respond(self, method: str, path: str) -> Answer:
        if method not in ("GET", "HEAD"):
            return "405 Method Not Allowed\r\nAllow: GET, HEAD", "text/plain; charset=utf-8", b"GET only\n"
        if path != _PATH:
            return "404 Not Found", "text/plain; charset=utf-8", f"there is only {_PATH}\n".encode()
        return "200 OK", *exposition(self._collect(), self._labels)


def _load() -> None:
    """Have the library read from the disk now: who asks first would hold up the table's cards for as long."""
    try:
        import_module("prometheus_client.openmetrics.exposition")
    except ImportError:
        raise ShoewatchError(_LACKING) from None


def exposition(metrics: Iterable[Metric], labels: dict[str, str]) -> tuple[str, bytes]:
    """The type of the text, and the text."""
    from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest

    text: bytes = generate_latest(_Collected(tuple(_families(metrics, labels))))  # type: ignore[no-untyped-call]
    return CONTENT_TYPE_LATEST, text


class _Collected:
    """What the library takes for a registry, of one moment."""

    def __init__(self, families: tuple[Family, ...]) -> None:
        self._families = families

    def collect(self) -> tuple[Family, ...]:
        return self._families


def _families(metrics: Iterable[Metric], labels: dict[str, str]) -> Iterator[Family]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
    for each in metrics:
        names = [*labels, *(["device"] if each.device else [])]
        values = [*labels.values(), *([each.device] if each.device else [])]
        if each.name not in families:
            kind = CounterMetricFamily if each.counts else GaugeMetricFamily
            families[each.name] = kind(f"shoewatch_{each.name.replace('-', '_')}", f"{each.said}.", labels=names)
        families[each.name].add_metric(values, each.value)
    return iter(families.values())


def _why(error: OSError) -> str:
    return f"{error.strerror or error}"
