"""`shoewatch certs`: a site's own authority, and the certificates of its broker, tables and clients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.broker_rights import CLIENT_ROLES, access_list, client_user, table_user
from controller.certificate_folder import CertificateFolder, now_utc
from controller.certificates import AUTHORITY_DAYS, BROKER, Subject, as_address
from controller.cli.lines import printable
from controller.cli.mistakes import mistakes_told
from protocols.errors import ShoewatchError, quoted

_HOST: Final = re.compile(
    r"(?=.{1,253}\Z)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
)

app = typer.Typer(help="The certificates of a floor without an authority of its own.", no_args_is_help=True)

FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The authority's folder; keep it from others.")]
DaysOption = Annotated[int, typer.Option(min=1, max=AUTHORITY_DAYS, help="How long it is good.")]
RenewOption = Annotated[bool, typer.Option("--renew", help="Another one beside the one that is in force.")]


@app.callback()
def certs() -> None:
    """The certificates of a floor without an authority of its own."""


@app.command()
def ca(folder: FolderArgument) -> None:
    """Make a site's authority, with an empty list of what is revoked and the tables' rights for the broker."""
    with mistakes_told():
        made = CertificateFolder.make(folder, now_utc())
        print(printable(f"{folder / 'ca.pem'}: good until {made.until:%Y-%m-%d}; its key signs for the whole floor"))


@app.command()
def broker(
    folder: FolderArgument,
    host: Annotated[list[str], typer.Option(help="A name or address by which it is reached; again for another.")],
    days: DaysOption = 730,
    renew: RenewOption = False,
) -> None:
    """Issue the certificate of the broker, by which the tables know it."""
    with mistakes_told():
        hosts = tuple(dict.fromkeys(map(_host, host)))
        _issue(folder, Subject(BROKER, hosts), days, renew=renew)


@app.command()
def table(
    folder: FolderArgument,
    site: Annotated[str, typer.Argument(help="As in table.toml.")],
    name: Annotated[str, typer.Argument(metavar="TABLE", help="As in table.toml.")],
    days: DaysOption = 730,
    renew: RenewOption = False,
) -> None:
    """Issue the certificate of a table."""
    with mistakes_told():
        _issue(folder, Subject(table_user(site, name)), days, renew=renew)


@app.command()
def client(
    folder: FolderArgument,
    name: Annotated[str, typer.Argument(help="Which one it is; every program needs a certificate of its own.")],
    role: Annotated[str, typer.Option(help=f"What it may: {', '.join(CLIENT_ROLES)}.")],
    days: DaysOption = 730,
    renew: RenewOption = False,
) -> None:
    """Issue the certificate of a dashboard, a console or an archive, and enter it into the broker's access list."""
    with mistakes_told():
        _issue(folder, Subject(client_user(role, name)), days, renew=renew)


@app.command()
def acl(
    users: Annotated[
        list[str] | None, typer.Argument(metavar="[ROLE.NAME]...", help="As in their certificates' common names.")
    ] = None,
) -> None:
    """Print the broker's access list for all tables and these clients, for certificates of another authority."""
    with mistakes_told():
        print(access_list(client_user(*_role_and_name(user)) for user in users or ()), end="")


@app.command("list")
def list_certificates(folder: FolderArgument) -> None:
    """Show what was issued, to whom, with serial and end, revoked ones too."""
    with mistakes_told():
        print("\n".join(_lines(CertificateFolder(folder))))


@app.command()
def revoke(
    folder: FolderArgument,
    whose: Annotated[str, typer.Argument(metavar="SERIAL|NAME", help="As `certs list` prints them.")],
) -> None:
    """Take certificates back; the broker knows it once it has the new crl.pem and acl and was restarted."""
    with mistakes_told():
        kept = CertificateFolder(folder)
        for each in kept.revoke(whose, now_utc()):
            print(printable(f"{each.serial}  {each.subject}: revoked"))
        print(printable(f"{folder / 'crl.pem'} and {folder / 'acl'} have to go to the broker, and it to be restarted"))


def _lines(kept: CertificateFolder) -> Iterator[str]:
    now = now_utc()
    yield f"{'':40}  the authority, until {kept.until:%Y-%m-%d}"
    for each in kept.issued():
        state = f"until {each.until:%Y-%m-%d}"
        if each.revoked is not None:
            state = f"revoked {each.revoked:%Y-%m-%d}"
        elif not each.in_force(now):
            state = f"ended {each.until:%Y-%m-%d}"
        yield printable(f"{each.serial:40}  {each.subject}, {state}")


def _issue(folder: Path, subject: Subject, days: int, *, renew: bool) -> None:
    issued, file = CertificateFolder(folder).issue(subject, now_utc(), days, renew=renew)
    print(printable(f"{file} and {file.with_suffix('.key').name}: {subject}, until {issued.until:%Y-%m-%d}"))


def _role_and_name(user: str) -> tuple[str, str]:
    role, dot, name = user.partition(".")
    if not dot:
        raise ShoewatchError(f"{quoted(user)} names no client (ROLE.NAME, such as dashboard.pit-wall)")
    return role, name


def _host(text: str) -> str:
    """A name in small letters, or an address as it is usually written."""
    address = as_address(text)
    if address is not None:
        return str(address)
    if not _HOST.fullmatch(text) or text.rpartition(".")[2].isdigit():
        raise ShoewatchError(f"{quoted(text)} is no name of a host and no address (broker.floor, 192.0.2.10)")
    return text.lower()
