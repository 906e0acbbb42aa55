"""`shoewatch devices`: how the links of a table stand, and which devices are trusted."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from controller.cli.lines import printable
from controller.cli.link_lines import change_line, ports, table_lines
from controller.cli.mistakes import mistakes_told
from controller.cli.tables import configurations, is_installed, some_configurations
from controller.config import Config
from controller.config_reading import DeviceUse, load_config, registry_named, uses_of
from controller.daemon_commands import restart_daemon, start_daemon
from controller.disk import disk_trouble
from controller.journal_file import lock_path, read_kinds
from controller.link_states import LINK_KINDS, TableLinks, links_after, read_links
from controller.registry_file import change_registry, read_devices
from protocols.errors import ConfigError, ShoewatchError
from protocols.registry_changes import Document, added, revoked

app = typer.Typer(help="The links of a table's devices, and which devices are trusted.")

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="A table's configuration; else ./table.toml, else the installed tables.")
]
RegistryOption = Annotated[Path | None, typer.Option("--registry", help="The registry's file, without a table.")]

_LOOK_S: Final = 0.5
_NOT_WELL: Final = 1


@app.callback(invoke_without_command=True)
def devices(
    context: typer.Context,
    config: ConfigOption = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on, with a line for every change, until Ctrl-C.")
    ] = False,
) -> None:
    """Show how the links of a table's devices stand, as its running daemon records it.

    Status 1: no daemon runs, or a link is not ready. `list`, `add` and `revoke` are about the devices that are
    trusted."""
    if context.invoked_subcommand is not None:
        return
    with _told():
        found = [(load_config(file), file) for file in some_configurations(config)]
        tables = [(used, _shown(used, file)) for used, file in found]
        if follow:
            _follow(tables)
    raise typer.Exit(0 if all(starmap(_is_well, tables)) else _NOT_WELL)


@app.command("list")
def list_devices(config: ConfigOption = None, registry: RegistryOption = None) -> None:
    """Show the trusted devices: serial numbers, approved firmware, and which table uses them. No key is ever shown."""
    with _told():
        files = some_configurations(config) if registry is None else ()
        uses = [use for file in files for use in uses_of(file)]
        for path in _registries(files, registry):
            print(f"{path}:", flush=True)
            for line in _trusted(read_devices(path), uses):
                print(printable(line))


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="What the maker gave: the same form as the registry, mode 0600.")],
    config: ConfigOption = None,
    registry: RegistryOption = None,
) -> None:
    """Trust the devices in a maker's file: serial numbers, firmware digests and keys.

    A new firmware of a known device is approved beside the older ones."""
    said: tuple[str, ...] = ()

    def change(document: Document) -> Document:
        nonlocal said
        try:
            changed, said = added(document, given)
        except ShoewatchError as error:
            raise ShoewatchError(f"{file}: {error}") from None
        return changed

    with _told():
        given = read_devices(file)
        path = _registry(config, registry)
        is_new = not path.exists()
        change_registry(path, change)
    print("\n".join(map(printable, said)) or f"{path} has all of this already")
    if said:
        _remind(path, config, is_new=is_new)


@app.command()
def revoke(
    serial: Annotated[str, typer.Argument(help="The device's serial number.")],
    config: ConfigOption = None,
    registry: RegistryOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Also where a table uses it.")] = False,
) -> None:
    """Trust a device no more, whatever its firmware.

    Status 2: a table uses it, and --yes was not given; nothing is changed."""
    with _told():
        path = _registry(config, registry)
        revoked(read_devices(path), serial)
        uses = list(_uses_of_device(serial, _tables_of(path, config)))
        for use in uses:
            print(printable(use), file=sys.stderr)
        if uses and not yes:
            raise ShoewatchError(f"{serial} is not revoked: --yes does it all the same")
        change_registry(path, lambda document: revoked(document, serial))
    print(printable(f"{serial}: revoked"))
    _remind(path, config, is_new=False)


@contextmanager
def _told() -> Iterator[None]:
    """Mistakes and Ctrl-C go to stderr, with their status."""
    try:
        with mistakes_told():
            yield
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise typer.Exit(0) from None


def _registry(config: Path | None, named: Path | None) -> Path:
    """The one registry that is meant."""
    files = some_configurations(config) if named is None else ()
    found = _registries(files, named)
    if len(found) != 1:
        raise ShoewatchError(f"the tables here have {len(found)} registries: say which (--config or --registry)")
    return found[0]


def _registries(files: tuple[Path, ...], named: Path | None) -> list[Path]:
    return [named] if named is not None else sorted({registry_named(file) for file in files})


def _tables_of(path: Path, config: Path | None) -> list[Path]:
    """The configurations here that name this registry."""
    found = list[Path]()
    for file in configurations(config):
        with suppress(ConfigError):
            found += [file] if registry_named(file).resolve() == path.resolve() else []
    return found


def _uses_of_device(serial: str, files: Iterable[Path]) -> Iterator[str]:
    """A sentence for each device of a table that is this one; where none is, for each that may be it."""
    uses = [(file, use) for file in files for use in uses_of(file) if use.serial in (serial, None)]
    named = [(file, use) for file, use in uses if use.serial]
    for file, use in named or uses:
        is_it = "is" if use.serial else "may be"
        refused = f"its {use.device} is refused once the daemon is started again"
        yield f"{serial} {is_it} the {use.device} of {use.table} ({file}): {refused}"


def _remind(path: Path, config: Path | None, *, is_new: bool) -> None:
    """A daemon has the registry that it read when it began."""
    if is_new and os.geteuid() == 0:
        print(f"{path} is new and belongs to root: chown shoewatch: {path}")
    tables = _tables_of(path, config)
    for file in tables:
        print(f"A daemon that runs knows of it once it is started again: {_restart(file)}")
    if not tables:
        print("A daemon that runs knows of it once it is started again")


def _restart(file: Path) -> str:
    return restart_daemon(file, installed=is_installed(file))


def _trusted(document: Document, uses: list[DeviceUse]) -> Iterator[str]:
    for serial in sorted(document):
        users = ", ".join(f"{use.device} of {use.table}" for use in uses if use.serial == serial)
        yield f"  {serial}" + (f"  {users}" if users else "")
        for digest in sorted(document[serial]["firmware"]):
            yield f"      firmware {digest.lower()}"
    if not document:
        yield "  no device is trusted"
    for use in uses:
        if use.serial is None:
            yield f"  any of them may be the {use.device} of {use.table}: its configuration names no serial number"


def _shown(used: Config, file: Path) -> TableLinks:
    if not used.journal.path.exists():
        start = start_daemon(file, installed=is_installed(file))
        raise ShoewatchError(f"no daemon has run at {used.table} yet: {start}")
    table = read_links(used.journal.path, lock_path(used.journal.path))
    print("\n".join(table_lines(used, file, table)), flush=True)
    if (trouble := disk_trouble(used.journal.path)) is not None:
        print(printable(f"  ! {trouble}"), flush=True)
    return table


def _is_well(used: Config, table: TableLinks) -> bool:
    found = [table.links.get(device) for device in ports(used)]
    return table.pid is not None and all(link is not None and link.state == "ready" for link in found)


def _follow(tables: Sequence[tuple[Config, TableLinks]]) -> NoReturn:
    standing = [*tables]
    while True:
        time.sleep(_LOOK_S)
        standing = [(used, _followed(used, table)) for used, table in standing]


def _followed(used: Config, table: TableLinks) -> TableLinks:
    """What came since, a line for every state that a device came to."""
    for row in read_kinds(used.journal.path, LINK_KINDS, table.seq):
        after = links_after(table.links, [row])
        changed = [device for device in after if row.kind == "link" and after[device] != table.links.get(device)]
        for device in changed:
            print(change_line(used, device, after[device]), flush=True)
        table = replace(table, links=after, seq=row.seq)
    return table
