"""`shoewatch journal verify|backup|prune`: a journal is proved, copied, and relieved of what is old."""

from __future__ import annotations

import asyncio
import json as json_text
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from controller.ages import Old, made_before, now, older_than
from controller.cli.lines import printable
from controller.cli.mistakes import mistakes_told
from controller.cli.moments import moment
from controller.journal_backup import back_up
from controller.journal_verify import Verified, verify_journal, verify_messages
from controller.key_files import read_key
from controller.keys_file import read_keys
from controller.pruning import prune_journal
from protocols.errors import ConfigError, ShoewatchError
from protocols.floor.checkpoints import Signer
from protocols.keys import KeyRegistry

JournalArgument = Annotated[Path, typer.Argument(metavar="JOURNAL.db", help="The journal; a daemon may be using it.")]
KeysOption = Annotated[Path | None, typer.Option("--keys", help="The registry of keys: whose signatures are trusted.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object for each epoch of each table.")]


def verify(
    file: Annotated[Path | None, typer.Argument(metavar="JOURNAL.db", help="A journal or a backup.")] = None,
    messages: Annotated[
        Path | None,
        typer.Option(help="Published messages instead, as `shoewatch watch --json` prints them."),
    ] = None,
    keys: KeysOption = None,
    json: JsonOption = False,
) -> None:
    """Prove that a journal, or what was published of it, is what was recorded; name the first record that is not.

    Status 1: it is not. Without --keys the signatures are checked, but not whose they are."""
    with mistakes_told():
        if (file is None) == (messages is None):
            raise ShoewatchError("one of the two says what to verify: JOURNAL.db or --messages FILE")
        known = _known(keys)
        found = [verify_journal(file, known)] if file else verify_messages(_lines_of(messages), known)
        if not found:
            raise ShoewatchError(f"{messages}: no message of a table is in it")
    _print(found, known, as_json=json)


def backup(
    file: JournalArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT.db", help="The copy, which must not be there yet.")],
    keys: KeysOption = None,
    json: JsonOption = False,
) -> None:
    """Copy a journal while its daemon runs, and verify the copy. It is to be read: no daemon continues it.

    Status 1: what was copied is not what was recorded."""
    with mistakes_told():
        known = _known(keys)
        found = back_up(file, out, known)
    _print([found], known, as_json=json)


def prune(
    file: Annotated[Path, typer.Argument(metavar="JOURNAL.db", help="The journal; no daemon may be using it.")],
    before: Annotated[
        str | None, typer.Option(metavar="T", help="Let go what is older than a time, a date, or a span such as 90d.")
    ] = None,
    keep_days: Annotated[int | None, typer.Option(min=1, help="What is surely older than so many days may go.")] = None,
    signing_key: Annotated[
        Path | None, typer.Option(help="The table's key, where it is not beside the journal.")
    ] = None,
) -> None:
    """Let old records go: whole rounds, that the broker has. What is left can be verified as before.

    A running daemon does it by itself: [journal] keep_days."""
    with mistakes_told():
        key = signing_key or Path(f"{file}-signing-key")
        pruning = asyncio.run(prune_journal(file, _old(before, keep_days), Signer(read_key(key))))
    if pruning is None:
        print("nothing can go: what is older is not all published, or not under a checkpoint, or needed for a start")
    else:
        print(f"the records up to {pruning.through} are gone; {len(pruning.kept)} of them stay, for a start needs them")


def _known(keys: Path | None) -> KeyRegistry | None:
    """The registry that is named; ShoewatchError, as for any other argument, where it is none."""
    try:
        return read_keys(keys) if keys else None
    except ConfigError as error:
        raise ShoewatchError(str(error)) from None


def _old(before: str | None, keep_days: int | None) -> Old:
    if (before is None) == (keep_days is None):
        raise ShoewatchError("one of the two says how old: --before T or --keep-days N")
    if keep_days is not None:
        return older_than(keep_days, now())
    return made_before(moment(before or ""))


def _lines_of(messages: Path | None) -> Sequence[bytes]:
    assert messages is not None
    try:
        return messages.read_bytes().removeprefix(BOM_UTF8).splitlines()
    except OSError as error:
        raise ShoewatchError(f"{messages}: cannot be read: {error.strerror}") from None


def _print(found: Sequence[Verified], known: KeyRegistry | None, *, as_json: bool) -> None:
    for each in found:
        lines = [json_text.dumps(asdict(each))] if as_json else verified_lines(each, known)
        print("\n".join(map(printable, lines)))
    if any(each.problem for each in found):
        raise typer.Exit(1)


def verified_lines(found: Verified, known: KeyRegistry | None) -> Iterator[str]:
    """What was proved, for people; `known`: whose keys are known, None where that is not asked."""
    yield f"{found.source[1:]}, epoch {found.epoch}: {found.records} records, {found.first} to {found.last}"
    if found.pruned is not None:
        yield f"  the records up to {found.pruned} were let go; the chain is proved from there on"
    for name, count in found.checkpoints.items():
        yield f"  {count} checkpoints by key {name}, {_whose(name, known)}"
    if found.last > found.signed + 1 or not found.signed:
        yield f"  the records from {found.signed + 1} on are under no checkpoint yet"
    if found.opened or found.unseen:
        unseen = f"; {found.unseen} more were made before what is here" if found.unseen else ""
        yield f"  {found.opened} commitments opened as they were made{unseen}"
    if found.problem is None:
        yield "  sound"
    else:
        where = "" if found.problem.seq is None else f"record {found.problem.seq}: "
        yield f"  NOT SOUND: {where}{found.problem.why}"


def _whose(name: str, known: KeyRegistry | None) -> str:
    return "of which --keys would tell whose it is" if known is None else f"of {known[name].name}"
