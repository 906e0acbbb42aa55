"""A stage of its own for systemd-udevd: `unshare -m -n python udev_stage.py ETC`, with private /sys, /dev, /run and the
users of ETC. It is told one JSON object a line and answers each with one.

The kernel hands a uevent that is sent in a network namespace to all who listen there, so that udevd takes ours for its
own. Never without `unshare`: it mounts over the system's folders."""

from __future__ import annotations

import grp
import json
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from fake_sysfs import Device, Uevent, build

STAGE = Path("/run/stage")
RULES = Path("/run/udev/rules.d")
LOG = STAGE / "udevd.log"
ENVIRONMENT = {"SYSTEMD_DEVICE_VERIFY_SYSFS": "0", "SYSTEMD_IGNORE_CHROOT": "1"}
UDEVD = "/lib/systemd/systemd-udevd"
WAIT_S = 25
_KOBJECT_UEVENT = 15


class Stage:
    """One udevd, with the devices that are plugged in."""

    def __init__(self, etc: Path) -> None:
        _set_up(etc)
        self._events: dict[str, list[Uevent]] = {}
        self._devices: dict[str, Device] = {}
        with LOG.open("w") as log:
            self._udevd = subprocess.Popen([UDEVD], env=os.environ | ENVIRONMENT, stderr=log, process_group=0)

    def listening(self) -> None:
        """Wait until udevd hears; RuntimeError with what it said where it does not."""
        deadline = time.monotonic() + WAIT_S
        ping = ["udevadm", "control", "--ping"]
        while subprocess.run(ping, env=os.environ | ENVIRONMENT, capture_output=True).returncode:
            if time.monotonic() > deadline or self._udevd.poll() is not None:
                raise RuntimeError(f"udevd does not hear: {self.log()}")
            time.sleep(0.02)

    def rules(self, files: Mapping[str, str]) -> None:
        """Have udevd run the system's rules and these."""
        for old in RULES.iterdir():
            old.unlink()
        for name, text in files.items():
            (RULES / name).write_text(text)
        _udevadm("control", "--reload", f"--timeout={WAIT_S}")

    def plug(self, **device: Any) -> None:
        """A new device in its socket."""
        new = Device(**device)
        self._devices[new.port] = new
        self._events |= build(STAGE / "sys", [new])
        for event in self._events[new.port]:
            self._say("add", event)

    def unplug(self, port: str) -> None:
        """The device leaves, its lines first."""
        for event in reversed(self._events.pop(port)):
            shutil.rmtree(Path("/sys") / event.devpath)
            with suppress(OSError):
                Path(f"/sys/dev/char/{event.major}:{event.minor}").unlink()
            self._say("remove", event)

    def change(self, port: str) -> None:
        """A `change` uevent for the device and its lines."""
        for event in self._events[port]:
            self._say("change", event)

    def look(self) -> dict[str, Any]:
        """Nodes with mode and group, links with where they point, and the properties of each node."""
        nodes: dict[str, Any] = {}
        links: dict[str, str] = {}
        for folder, _, files in os.walk("/dev"):
            for path in (os.path.join(folder, file) for file in files):
                if os.path.islink(path):
                    links[path] = os.path.realpath(path)
                elif "/bus/usb/" in path or "/dev/ttyUSB" in path:
                    nodes[path] = _node(path)
        return {"nodes": nodes, "links": links}

    def log(self) -> str:
        """What udevd has complained about."""
        return LOG.read_text()

    def end(self) -> None:
        os.killpg(self._udevd.pid, signal.SIGKILL)
        self._udevd.wait()

    def _say(self, action: str, event: Uevent) -> None:
        node = Path("/dev") / event.node
        if action == "add":
            node.parent.mkdir(parents=True, exist_ok=True)
            os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(event.major, event.minor))
        _send(event.said(action))
        _udevadm("settle", f"--timeout={WAIT_S}")
        if action == "remove":
            node.unlink()


def _set_up(etc: Path) -> None:
    mount = ["mount", "--make-rprivate", "/"], ["mount", "-t", "tmpfs", "none", "/run"]
    for command in mount:
        subprocess.run(command, check=True)
    RULES.mkdir(parents=True)
    (STAGE / "sys").mkdir(parents=True)
    build(STAGE / "sys", [])
    for name in ("passwd", "group"):
        subprocess.run(["mount", "--bind", etc / name, f"/etc/{name}"], check=True)
    subprocess.run(["mount", "--bind", STAGE / "sys", "/sys"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/dev"], check=True)
    for name, minor in (("null", 3), ("zero", 5), ("random", 8), ("urandom", 9)):
        os.mknod(f"/dev/{name}", stat.S_IFCHR | 0o666, os.makedev(1, minor))


def _node(path: str) -> dict[str, Any]:
    status = os.stat(path)
    told = _udevadm("info", "--query=property", path)
    return {
        "mode": f"{stat.S_IMODE(status.st_mode):04o}",
        "group": grp.getgrgid(status.st_gid).gr_name,
        "properties": dict(line.split("=", 1) for line in told.splitlines()),
    }


def _udevadm(*arguments: str) -> str:
    found = subprocess.run(["udevadm", *arguments], env=os.environ | ENVIRONMENT, capture_output=True, text=True)
    if found.returncode:
        raise RuntimeError(f"udevadm {' '.join(arguments)}: {found.stderr}")
    return found.stdout


def _send(message: bytes) -> None:
    """Inject a uevent: any netlink message of a type from 16 up, which the kernel acknowledges."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _KOBJECT_UEVENT) as line:
        line.bind((0, 0))
        line.sendto(struct.pack("IHHII", 16 + len(message), 0x10, 0x05, 0, 0) + message, (0, 0))
        answer = struct.unpack_from("i", line.recv(4096), 16)[0]
    if answer:
        raise OSError(-answer, os.strerror(-answer))


def main(etc: str) -> None:
    stage = Stage(Path(etc))
    try:
        stage.listening()
        for line in sys.stdin:
            asked = json.loads(line)
            answer = getattr(stage, asked.pop("do"))(**asked)
            print(json.dumps(answer), flush=True)
    finally:
        stage.end()


if __name__ == "__main__":
    main(sys.argv[1])
