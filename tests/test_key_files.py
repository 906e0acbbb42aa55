"""A key's file is whole or not there, is its owner's alone, and holds nothing but a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.key_files import KEY_BYTES, KeyFileError, make_key, read_key, read_key_ring, rotate_key_ring


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "key"
    make_key(path)
    made = path.read_text()
    make_key(path)
    assert (path.read_text(), path.stat().st_mode & 0o777, list(tmp_path.iterdir())) == (made, 0o600, [path])
    assert len(read_key(path)) == KEY_BYTES


@pytest.mark.parametrize("text", ["", "00" * 16, "zz" * 32, "00" * 33])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    with pytest.raises(KeyFileError, match="64 hex digits"):
        read_key(path)


def test_a_file_that_is_not_there_or_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="No such file"):
        read_key(tmp_path / "key")
    with pytest.raises(KeyFileError, match="cannot be made: No such file"):
        make_key(tmp_path / "missing" / "key")


def test_a_new_key_goes_to_the_head_of_the_ring(tmp_path: Path) -> None:
    path = tmp_path / "key"
    make_key(path)
    first = read_key(path)
    second, *older = rotate_key_ring(path, forget=False)
    assert older == [first]
    assert read_key_ring(path) == (second, first)
    third, *kept = rotate_key_ring(path, forget=False)
    assert (kept, path.stat().st_mode & 0o777) == ([second, first], 0o600)
    assert len({first, second, third}) == 3
    with pytest.raises(KeyFileError, match="64 hex digits"):
        read_key(path)
    (last,) = rotate_key_ring(path, forget=True)
    assert read_key(path) == last
    assert last not in (first, second, third)


@pytest.mark.parametrize("forget", [False, True])
@pytest.mark.parametrize("text", ["", "\n", "SQLite format 3", "00" * 32 + "\nkey", "00" * 32 + "\n" + "00" * 16])
def test_what_is_no_ring_is_refused_and_stays(tmp_path: Path, text: str, forget: bool) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    with pytest.raises(KeyFileError, match="64 hex digits a line"):
        rotate_key_ring(path, forget=forget)
    assert path.read_text() == text
