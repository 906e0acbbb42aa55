"""`shoewatch keys`: keys that sign, whose signatures are trusted, and the keys of a vault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.lines import printable
from controller.cli.mistakes import mistakes_told
from controller.cli.tables import configurations, some_configurations
from controller.clock import Clock
from controller.config import Config
from controller.config_reading import load_config
from controller.key_files import make_key, read_key, read_key_ring, rotate_key_ring
from controller.key_uses import refuse_unless
from controller.keys_file import change_keys, read_keys
from controller.vault import vault_key_id
from protocols.errors import ConfigError, ShoewatchError
from protocols.floor.checkpoints import Signer, key_id
from protocols.keys import ROLES, KeyRegistry, KnownKey, read_name, read_public_key, read_roles, with_key, without_key

app = typer.Typer(help="Keys that sign, and whose signatures are trusted.", no_args_is_help=True)

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="A table's configuration; else ./table.toml, else the installed tables.")
]
RegistryOption = Annotated[Path | None, typer.Option("--registry", help="The registry's file, without a table.")]
KeyFileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The private key's file (0600).")]


@app.callback()
def keys() -> None:
    """Keys that sign, and whose signatures are trusted."""


@app.command()
def new(file: KeyFileArgument) -> None:
    """Make a private key, for its owner alone, and print the public one."""
    with mistakes_told():
        if file.exists():
            raise ShoewatchError(f"{file} is there already; a key is never overwritten")
        make_key(file)
        _print_key(file)


@app.command()
def show(
    file: KeyFileArgument,
    vault: Annotated[
        bool,
        typer.Option("--vault", help="The file is a vault's: print the ids of its keys, by which records name them."),
    ] = False,
) -> None:
    """Print the public key that belongs to a private one."""
    with mistakes_told():
        refuse_unless("vault" if vault else "signing", file, _tables())
        if vault:
            print("\n".join(_of_vault(map(vault_key_id, read_key_ring(file)))))
        else:
            _print_key(file)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Whose key it is: a person, a console, a table.")],
    public_key: Annotated[str, typer.Argument(help="64 hex digits, as `keys new` and `keys show` print them.")],
    role: Annotated[list[str], typer.Option(help=f"What it may sign as: {', '.join(ROLES)}; again for another.")],
    config: ConfigOption = None,
    registry: RegistryOption = None,
) -> None:
    """Trust a key in these roles."""
    with mistakes_told():
        public = read_public_key(public_key)
        key = KnownKey(read_name(name), read_roles(role), public, Clock().wall())
        path = _registry(config, registry)
        change_keys(path, lambda known: with_key(known, key))
        print(printable(f"{key_id(public)}: {key.name} ({', '.join(key.roles)})"))


@app.command("list")
def list_keys(config: ConfigOption = None, registry: RegistryOption = None) -> None:
    """Show the known keys, revoked ones too."""
    with mistakes_told():
        path = _registry(config, registry)
        known = read_keys(path) if path.exists() else {}
        print("\n".join(map(printable, _lines(known))) or f"{path}: no key is known")


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="KEY_ID", help="The key's id, 16 hex digits.")],
    config: ConfigOption = None,
    registry: RegistryOption = None,
) -> None:
    """Trust what a key signs from now on no more; what it signed before stays good."""
    with mistakes_told():
        time = Clock().wall()
        change_keys(_registry(config, registry), lambda known: without_key(known, key, time))
        print(printable(f"{key}: revoked at {time}"))


@app.command("rotate-vault")
def rotate_vault(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file (0600) with the keys of a table's vault.")],
    forget: Annotated[
        bool, typer.Option("--forget", help="Destroy the older keys: what was never turned stays closed for good.")
    ] = False,
) -> None:
    """Put a new key at the head of a vault's file: it seals from the daemon's next start on, the older ones open."""
    with mistakes_told():
        if not file.exists():
            raise ShoewatchError(
                f"{file} is not there: a daemon makes its first key itself, `keys new` makes one elsewhere"
            )
        refuse_unless("vault", file, _tables())
        new, *older = map(vault_key_id, rotate_key_ring(file, forget=forget))
        print(f"{new} seals from the daemon's next start on; older keys that open: {', '.join(older) or 'none'}")


def _tables() -> Iterator[Config]:
    """Those that are configured here, as far as their configurations are right."""
    for file in configurations(None):
        with suppress(ConfigError):
            yield load_config(file)


def _registry(config: Path | None, named: Path | None) -> Path:
    """The one registry that is meant."""
    if named is not None:
        return named
    found = {load_config(file).keys.registry for file in some_configurations(config)}
    if len(found) != 1 or (path := found.pop()) is None:
        raise ShoewatchError('no one registry of keys is configured: [keys] registry = "keys.toml", or --registry FILE')
    return path


def _print_key(file: Path) -> None:
    signer = Signer(read_key(file))
    print(f"{signer.public_key.hex()}  key {signer.key_id}")


def _of_vault(ids: Iterable[str]) -> Iterator[str]:
    for place, name in enumerate(ids):
        yield f"{name}  {'opens' if place else 'seals, and opens'}"


def _lines(known: KeyRegistry) -> Iterator[str]:
    for name, key in known.items():
        state = f", revoked {key.revoked}" if key.revoked else ""
        yield f"{name}  {key.name} ({', '.join(key.roles)}), added {key.added}{state}"
