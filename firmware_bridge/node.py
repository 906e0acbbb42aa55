"""What the system tells about a device node: who holds it, and who may open it."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.udev_rules import FILE, FOLDERS, GROUP


@dataclass(frozen=True, slots=True, order=True)
class Process:
    """A running process; `name` is empty where the system does not tell it."""

    name: str
    pid: int

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})" if self.name else f"pid {self.pid}"


def holders(path: str) -> tuple[Process, ...]:
    """The processes that have the node open; only those that we may look into."""
    node = os.stat(path)
    return tuple(sorted({process(int(link.parts[2])) for link in _descriptors() if _points_to(link, node)}))


def running(name: str) -> Process | None:
    """A process of this name; None where there is none."""
    found = (process(int(folder.name)) for folder in Path("/proc").glob("[0-9]*"))
    return next((each for each in found if each.name == name), None)


def process(pid: int) -> Process:
    """What the system says of it."""
    try:
        name = Path("/proc", str(pid), "comm").read_bytes().decode(errors="replace").strip()
    except OSError:
        return Process("", pid)
    return Process("".join(each if each.isprintable() else "?" for each in name), pid)


def locked_by(path: Path) -> int | None:
    """The process that has locked the file with flock, found without touching the lock; None where none has."""
    try:
        status = path.stat()
        locks = Path("/proc/locks").read_text()
    except OSError:
        return None
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    held = (line.split() for line in locks.splitlines())
    return next((int(words[4]) for words in held if words[1] == "FLOCK" and words[5] == file), None)


@dataclass(frozen=True, slots=True)
class User:
    """Who wants to open something; `groups` by number."""

    name: str
    uid: int
    groups: frozenset[int]

    def is_in(self, group: int) -> bool:
        """Whether it can give what it owns to this group."""
        return self.uid == 0 or group in self.groups


def this_user() -> User:
    """Who runs this process."""
    return User(_user(os.geteuid()), os.geteuid(), frozenset({os.getegid(), *os.getgroups()}))


def may_open(status: os.stat_result, user: User) -> bool:
    """Whether a node with this owner, group and mode lets the user read and write."""
    if user.uid in (0, status.st_uid):
        return user.uid == 0 or status.st_mode & 0o600 == 0o600
    return status.st_mode & (0o060 if status.st_gid in user.groups else 0o006) in (0o060, 0o006)


def opening_group(status: os.stat_result) -> str | None:
    """The group whose members the node lets in; None where it is root's, or has no right to write."""
    return group_name(status.st_gid) if status.st_gid and _group_may_use(status.st_mode) else None


def denial(path: str, user: User | None = None) -> str:
    """Why the user, else this process, may not open the node, and what would let it."""
    user, status = user or this_user(), os.stat(path)
    group = group_name(status.st_gid)
    text = f"{path} belongs to {_user(status.st_uid)}:{group}, mode {stat.S_IMODE(status.st_mode):04o}"
    if status.st_gid in user.groups or not _group_may_use(status.st_mode):
        return f"{text}, which does not let {user.name} in"
    return f"{text}; {user.name} is not in the group {group}"


def rules_hint() -> str:
    """What the udev rules, which set group and mode of a node, have to do with it."""
    files = [folder / FILE for folder in FOLDERS]
    found = next((file for file in files if file.exists()), None)
    if found:
        return f"{found} gives it to the group {GROUP}: plug the device in again"
    return f"there is no {files[0]} that gives it to the group {GROUP} (`shoewatch udev rules` writes it)"


def _group_may_use(mode: int) -> bool:
    return mode & (stat.S_IRGRP | stat.S_IWGRP) == stat.S_IRGRP | stat.S_IWGRP


def _descriptors() -> Iterator[Path]:
    return Path("/proc").glob("[0-9]*/fd/*")


def _points_to(link: Path, node: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(link), node)
    except OSError:
        return False


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group_name(gid: int) -> str:
    """Its name, else its number."""
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def group_number(name: str) -> int | None:
    """Of the group with this name; None where there is none."""
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        return None
