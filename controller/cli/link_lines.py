"""How a table's links stand, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller.cli.lines import printable
from controller.cli.tables import is_installed
from controller.config import Config
from controller.daemon_commands import start_daemon
from controller.link_states import LinkStanding, TableLinks
from firmware_bridge.transport import PortAddress


def table_lines(used: Config, file: Path, table: TableLinks) -> Iterator[str]:
    """Whether a daemon runs, and each device."""
    if table.pid is not None:
        yield f"{used.table}: the daemon runs (pid {table.pid}), since {table.began or 'now'}"
    else:
        yield f"{used.table}: no daemon runs ({file}); start it: {start_daemon(file, installed=is_installed(file))}"
        yield f"  what follows is how the one that began {table.began} left it"
    for device, port in ports(used).items():
        yield from map(printable, _device_lines(device, port, table.links.get(device)))


def ports(used: Config) -> dict[str, PortAddress]:
    """The table's devices and where they are."""
    return {"shoe": used.shoe.port, **({"reader": used.reader.port} if used.reader else {})}


def change_line(used: Config, device: str, link: LinkStanding) -> str:
    """`07:03:48.143 bj-07 reader: refused (busy): ...`"""
    time = link.since.partition("T")[2].rstrip("Z")
    why = f": {link.detail}" if link.detail and link.state != "ready" else ""
    return printable(f"{time} {used.table} {device}: {_state(link)}{why}")


def _device_lines(device: str, port: PortAddress, link: LinkStanding | None) -> Iterator[str]:
    where = f"{port.scheme}:{port.target}"
    if link is None:
        yield f"  {device:<8}nothing is recorded of it, at {where}"
        return
    yield f"  {device:<8}{_state(link)} since {link.since}, at {where}"
    yield f"          ready {_times(link.ready)}, lost {_times(link.losses)}"
    if link.detail:
        yield f"          {'last: ' if link.state == 'ready' else ''}{link.detail}"
    if link.alarm:
        yield f"          security: {link.alarm[0]}: {link.alarm[1]}"
    if any(link.unused.values()):
        yield "          not used: " + ", ".join(f"{count} {name}" for name, count in link.unused.items() if count)


def _state(link: LinkStanding) -> str:
    return f"{link.state} ({link.loss})" if link.loss and link.state not in ("ready", link.loss) else link.state


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
