"""The registry of keys as a running daemon follows it: whatever becomes of its file, what was known last stays known,
nobody waits for it, and that something is wrong is told for as long as it is."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mqtt_table import until

from controller import keys_file
from controller.keys_file import change_keys, read_keys
from controller.known_keys import KnownKeys
from protocols.errors import ConfigError
from protocols.floor.checkpoints import Signer, key_id
from protocols.keys import KnownKey, with_key, write_keys

TIME = "2026-11-30T07:03:48.143Z"


def key(number: int) -> KnownKey:
    return KnownKey(f"F. {number}", ("dealer",), Signer(bytes([number]) * 32).public_key, TIME)


def text(*numbers: int) -> str:
    return write_keys({key_id(key(each).public_key): key(each) for each in numbers})


def _unlike_a_file(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        path.unlink()
        make(path)

    return spoil


SPOILED: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "torn": lambda path: path.write_text(text(1)[:-20]),
    "no text": lambda path: path.write_bytes(b"\xff\xfe"),
    "a pipe": _unlike_a_file(os.mkfifo),
    "a folder": _unlike_a_file(Path.mkdir),
    "a device": _unlike_a_file(lambda path: path.symlink_to("/dev/zero")),
    "huge": lambda path: path.write_text("#" * (1 << 20)),
    "a link to itself": _unlike_a_file(lambda path: path.symlink_to(path)),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_whatever_becomes_of_the_file_the_keys_of_before_count(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    path, told = tmp_path / "keys.toml", list[list[str]]()
    path.write_text(text(1))

    async def scenario() -> None:
        known = KnownKeys(path, lambda alarms: told.append(list(alarms)), every_s=0.01)
        before = known.look()
        watching = asyncio.create_task(known.watch())
        spoil(path)
        await until(lambda: len(told) == 1)
        assert known.look() == before != {}
        path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        path.write_text(text(1, 2))
        await until(lambda: len(told) == 2)
        assert len(known.look()) == 2
        watching.cancel()

    asyncio.run(scenario())
    assert [len(each) for each in told] == [1, 0]


def test_what_could_not_be_read_for_a_moment_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file itself is what it was: the system had no descriptor left, or the disk a bad moment."""
    path, told = tmp_path / "keys.toml", list[list[str]]()
    path.write_text(text(1))
    failing = [True]

    def read(file: Path) -> object:
        if failing[0]:
            raise ConfigError(str(file), ["cannot be read: Too many open files"])
        return read_keys(file)

    monkeypatch.setattr("controller.known_keys.read_keys", read)

    async def scenario() -> None:
        known = KnownKeys(path, lambda alarms: told.append(list(alarms)), every_s=0.01)
        watching = asyncio.create_task(known.watch())
        await until(lambda: len(told) == 1)
        failing[0] = False
        await until(lambda: len(known.look()) == 1)
        watching.cancel()

    asyncio.run(scenario())
    assert [len(each) for each in told] == [1, 0]


def test_rights_or_content_that_change_alone_are_noticed(tmp_path: Path) -> None:
    """Neither the size nor the time of what was written tells a file from another one that was put in its place."""
    path = tmp_path / "keys.toml"
    path.write_text(text(1))
    known, written = KnownKeys(path, lambda _: None), path.stat()
    assert [each.name for each in known.look().values()] == ["F. 1"]
    path.write_text(text(2))
    os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (written.st_size, written.st_mtime_ns)
    assert [each.name for each in known.look().values()] == ["F. 2"]


def test_no_registry_is_written_that_could_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.toml"
    change_keys(path, lambda known: with_key(known, key(1)))
    before = path.read_text()
    monkeypatch.setattr(keys_file, "_LARGEST", len(before) + 50)
    with pytest.raises(ConfigError, match="at most"):
        change_keys(path, lambda known: with_key(known, key(2)))
    assert path.read_text() == before
