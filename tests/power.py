"""What a disk may hold after its power was cut: the calls that a program made to the kernel, and what each leaves."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from needs import missing

_CALLS = "trace=pwrite64,write,fdatasync,fsync,ftruncate,unlink"
_LINE = re.compile(r"(?P<thread>\d+) +(?P<said>.*)")
_RESUMED = re.compile(r"<\.\.\. \w+ resumed>")
_CALL = re.compile(
    r'(?P<name>\w+)\((?:(?P<fd>\d+)<(?P<path>[^>]*)>|"(?P<name_given>[^"]*)")(?:, (?P<rest>.*))?\) += \d+'
)
_DATA = re.compile(r'"(?P<data>[^"]*)", \d+(?:, (?P<at>\d+))?')
_SECTOR = 512


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was answered: to `write` bytes `at` a place, to `sync`, `cut` a file to `at` bytes, or `remove` it;
    `said`: what was written to standard output."""

    name: str
    path: str = ""
    at: int = 0
    data: bytes = b""


def calls_of(*arguments: str, folder: Path) -> Sequence[Call]:
    """What this Python program did to files, in order, and what it said."""
    strace = shutil.which("strace") or missing("strace (apt install strace)")
    told = folder / "calls"
    command = [strace, "-f", "-y", "-xx", "-s", "65536", "-o", str(told), "-e", _CALLS, sys.executable, *arguments]
    subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL)
    return list(_read(told.read_text()))


def _read(text: str) -> Iterator[Call]:
    begun: dict[str, str] = {}
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        assert found, line
        thread, said = found["thread"], found["said"]
        if said.endswith("<unfinished ...>"):
            begun[thread] = said.removesuffix("<unfinished ...>").rstrip()
            continue
        if said.startswith(("+++", "---")) or " = -1 " in said or said.endswith("= ?"):
            continue
        if resumed := _RESUMED.match(said):
            said = begun.pop(thread) + said[resumed.end() :]
        call = _CALL.fullmatch(said)
        assert call, f"{said[:60]} ... {said[-60:]}"
        yield _call(call)


def _call(call: re.Match[str]) -> Call:
    name, rest = call["name"], call["rest"] or ""
    path = _bytes(call["path"] or call["name_given"]).decode()
    if name in ("pwrite64", "write"):
        data = _DATA.fullmatch(rest)
        assert data, rest[-40:]
        said = name == "write" and call["fd"] == "1"
        return Call("said" if said else "write", path, int(data["at"] or 0), _bytes(data["data"]))
    if name == "ftruncate":
        return Call("cut", path, int(rest))
    return Call("remove" if name == "unlink" else "sync", path)


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def left_on_disk(calls: Sequence[Call], names: Sequence[str], dice: random.Random) -> dict[str, bytes]:
    """What these files may hold when the power fails after these calls: all that was written before the last `sync` of
    each, and of what came later any of its sectors."""
    return {
        name: left for name in names if (left := _left([call for call in calls if call.path == name], dice)) is not None
    }


def _left(calls: Sequence[Call], dice: random.Random) -> bytes | None:
    synced = max((number for number, call in enumerate(calls) if call.name == "sync"), default=-1)
    left: bytearray | None = None
    for number, call in enumerate(calls):
        left = _after(left, call, dice if number > synced else None)
    return None if left is None else bytes(left)


def _after(left: bytearray | None, call: Call, dice: random.Random | None) -> bytearray | None:
    """The file after a call; `dice` says what of it has come to the disk, None: all."""
    if call.name == "remove":
        return None
    left = bytearray() if left is None else left
    if call.name == "cut" and (dice is None or dice.random() < 0.5):
        del left[call.at :]
        left.extend(bytes(call.at - len(left)))
    if call.name == "write":
        for start in range(0, len(call.data), _SECTOR):
            if dice is None or dice.random() < 0.5:
                _write(left, call.at + start, call.data[start : start + _SECTOR])
    return left


def _write(left: bytearray, at: int, data: bytes) -> None:
    left.extend(bytes(max(0, at - len(left))))
    left[at : at + len(data)] = data


def lay_out(folder: Path, files: dict[str, bytes]) -> None:
    """Write these files, by the names that they had elsewhere."""
    for name, data in files.items():
        (folder / os.path.basename(name)).write_bytes(data)
