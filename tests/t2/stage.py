"""The test's end of a stage: a real systemd-udevd in namespaces of its own, with the users that our own file makes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]
SYSUSERS = ROOT / "deploy/etc/sysusers.d/shoewatch.conf"
_STAGE = Path(__file__).with_name("udev_stage.py")


@dataclass(frozen=True)
class Node:
    """A device node, or the lack of one."""

    mode: str
    group: str
    properties: Mapping[str, str]

    @property
    def rights(self) -> tuple[str, str]:
        return self.group, self.mode


@dataclass(frozen=True)
class Seen:
    """What there is under /dev: nodes by path, and what the links of /dev/shoewatch point to."""

    nodes: Mapping[str, Node]
    links: Mapping[str, str]


class Stage:
    """udevd, and what is plugged in."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin
        assert process.stdout
        self._ears: IO[str] = process.stdin
        self._mouth: IO[str] = process.stdout
        self._ports: list[str] = []
        self._number = 1

    def rules(self, **files: str) -> None:
        """Run these files, `NN_name` as NN-name.rules, with those of the system."""
        self._ask("rules", files={f"{name.replace('_', '-')}.rules": text for name, text in files.items()})

    def plug(self, port: str, **device: Any) -> None:
        """A reader in this socket, or whatever else the fields of Device say."""
        self._number += 1
        self._ask("plug", port=port, number=self._number, **device)
        self._ports.append(port)

    def unplug(self, port: str) -> None:
        self._ports.remove(port)
        self._ask("unplug", port=port)

    def change(self, port: str) -> None:
        self._ask("change", port=port)

    def empty(self) -> None:
        """Unplug whatever is plugged in."""
        for port in list(self._ports):
            self.unplug(port)

    def look(self) -> Seen:
        seen = self._ask("look")
        links = {path: target for path, target in seen["links"].items() if path.startswith("/dev/shoewatch/")}
        return Seen({path: Node(**node) for path, node in seen["nodes"].items()}, links)

    def complaints(self) -> list[str]:
        """What udevd has said since the last call that is not about the system's own rules."""
        lines: list[str] = self._ask("log").splitlines()
        return [line for line in lines if "naming scheme" not in line]

    def _ask(self, what: str, **fields: Any) -> Any:
        self._ears.write(json.dumps({"do": what, **fields}) + "\n")
        self._ears.flush()
        answer = self._mouth.readline()
        assert answer, f"the stage broke down at {what}"
        return json.loads(answer)


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """A stage while the body runs; `folder` gets the users and groups, made from our sysusers file."""
    etc = folder / "etc"
    etc.mkdir()
    for name in ("passwd", "group", "shadow", "gshadow"):
        if Path("/etc", name).exists():
            shutil.copy(f"/etc/{name}", etc)
    subprocess.run(["systemd-sysusers", f"--root={folder}", SYSUSERS], check=True, capture_output=True)
    command = ["unshare", "-m", "-n", sys.executable, str(_STAGE), str(etc)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Stage(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0
