"""The journal's last number of a device, and the registry's file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.device_numbers import last_attested, last_numbered
from controller.journal_file import Row, insert, open_file
from controller.registry_file import read_registry
from protocols.errors import ConfigError
from protocols.events import CardDrawn, RoundOpened, TableEvent, written
from protocols.floor.messages import Source, message
from protocols.intake.tdl import TdlIntake
from protocols.records import NO_HASH, DeviceReported, Fact, Kind, LinkChanged, body_of

VERDICT: Mapping[str, Any] = {}


def journal(folder: Path, facts: list[Fact]) -> Path:
    path = folder / "journal.db"
    with closing(open_file(path, "riverside", "bj-07")) as connection:
        insert(connection, [row(seq, fact) for seq, fact in enumerate(facts, 1)])
    return path


def row(seq: int, fact: Fact) -> Row:
    kind: Kind
    if isinstance(fact, TableEvent):
        kind, fields = "table", {"n": seq, "event": written(fact), "verdict": VERDICT}
    else:
        kind, fields = body_of(fact)
    body = message(Source("riverside", "bj-07", "e"), seq, NO_HASH, "2026-11-30T07:03:48.143Z", kind, fields)
    return Row(seq, "boot", seq, "2026-11-30T07:03:48.143Z", kind, None, None, body, None, b"")


def test_the_last_number_of_each_device_is_found_however_far_back(tmp_path: Path) -> None:
    late = [fact for number in range(300) for fact in (RoundOpened(boxes=(1,)), noise(number))]
    reader = DeviceReported("reader", "removed", {"eseq": 41, "round": 7})
    shoe = CardDrawn(ref="5/12", seq=1007, actor="shoe")
    path = journal(tmp_path, [DeviceReported("reader", "seated", {"eseq": 40}), reader, shoe, *late])
    assert last_numbered(path, "reader") == (reader,)
    assert last_numbered(path, "shoe") == (shoe,)
    assert last_numbered(path, "other") == ()
    for device, role, number in (("reader", "reader", 41), ("shoe", "shoe", 1007)):
        intake = TdlIntake(device, role)  # type: ignore[arg-type]
        intake.resume(last_numbered(path, device))
        assert intake.position is not None
        assert intake.position.eseq == number


def noise(number: int) -> Fact:
    """What names a device, but no number of its."""
    kinds: list[Fact] = [
        DeviceReported("shoe", "counters", {"discarded": number}),
        DeviceReported("reader", "status", {"state": number}),
        LinkChanged("reader", "ready", "lost"),
        RoundOpened(boxes=(1,), actor="shoe"),
        CardDrawn(ref="1/1", seq=number, actor="dealer"),
    ]
    return kinds[number % 5]


def test_what_a_device_attested_last_is_found_unless_it_told_of_a_change(tmp_path: Path) -> None:
    def attested(device: str, digest: str) -> DeviceReported:
        return DeviceReported(device, "attested", {"firmware": "c7" * 32, "settings": digest * 32, "boot": 7})

    late = [noise(number) for number in range(300)]
    shoe, reader = attested("shoe", "02"), attested("reader", "03")
    changed = DeviceReported("reader", "setting", {"eseq": 9, "param": 1, "old": 0, "new": 2})
    path = journal(tmp_path, [attested("shoe", "01"), shoe, reader, changed, *late])
    assert last_attested(path, "shoe") == (shoe,)
    assert last_attested(path, "reader") == ()
    intake = TdlIntake("shoe", "shoe")
    intake.resume(last_attested(path, "shoe"))
    assert intake.settings == b"" * 32
    intake = TdlIntake("reader", "reader")
    intake.resume([reader, changed])
    assert intake.settings is None


def test_a_journal_without_the_device(tmp_path: Path) -> None:
    path = journal(tmp_path, [])
    assert last_numbered(path, "shoe") == last_attested(path, "shoe") == ()


def test_the_registrys_file(tmp_path: Path) -> None:
    path = tmp_path / "devices.toml"
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_registry(path)
    path.write_text(f'[SHOE-1.firmware]\n{"c7" * 32} = "{"3e" * 32}"\n')
    path.chmod(0o640)
    with pytest.raises(ConfigError, match=f"others may read the keys in it .chmod 0600 {path}"):
        read_registry(path)
    path.chmod(0o600)
    assert read_registry(path).knows("SHOE-1")
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_registry(path)
