"""A machine that QEMU emulates: the distribution's kernel, on this system's files as they are, none of which it writes.

What it runs tells each case's outcome as a line of a second serial line, and its own end by the status of QEMU."""

from __future__ import annotations

import fcntl
import json
import lzma
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import pytest
from needs import missing
from tools import need_programs, need_root

ROOT: Final = Path(__file__).parents[2]
_CONSOLE: Final = 2000
LIMIT_S: Final = 240.0
"""A hang fails, a busy computer does not."""
_GUEST: Final = Path(__file__).with_name("guest.py")
_CACHE: Final = os.environ.get("XDG_CACHE_HOME", "~/.cache")
_MODULES: Final = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
_APPLETS: Final = ("sh", "mount", "mkdir", "insmod", "switch_root")
_PATH: Final = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_ENDED_WELL: Final = 1
_INIT: Final = """#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
for module in {modules}; do insmod /modules/$module; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro files /files
mount -t tmpfs tmpfs /written
mkdir /written/upper /written/work
mount -t overlay -o lowerdir=/files,upperdir=/written/upper,workdir=/written/work overlay /root
for folder in proc sys dev; do mount --move /$folder /root/$folder; done
exec switch_root /root /usr/bin/env {command}
"""


@dataclass(frozen=True)
class Told:
    """What the machine told of the cases by their names: nothing where all was well, else what was wrong; and what was
    wrong with the machine's own `end`."""

    cases: Mapping[str, str]
    end: str
    console: str

    def check(self, case: str) -> None:
        assert case in self.cases, f"nothing was told of it; {self.end}\n{self.console}"
        assert not self.cases[case], f"{self.cases[case]}\n{self.console[-_CONSOLE:]}"

    def check_end(self) -> None:
        assert not self.end, f"{self.end}\n{self.console}"


def ran_once(factory: pytest.TempPathFactory, cases: str, devices: Sequence[str] = ()) -> Told:
    """What `run` gives, for all processes among which pytest divides the tests."""
    need_machine()
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / cases
    folder.mkdir(exist_ok=True)
    result = folder / "result"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            result.write_text(json.dumps(asdict(run(folder, cases, devices))))
    return Told(**json.loads(result.read_text()))


def need_machine() -> Path:
    """The folder of the kernel; skips, or fails in CI, where something is not installed."""
    need_root()
    need_programs(
        **{"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static"},
        cpio="cpio",
        modprobe="kmod",
        udevadm="udev",
    )
    kernel = Path(os.environ.get("GUEST_KERNEL") or f"{_CACHE}/shoewatch/kernel").expanduser()
    if not (kernel / "boot").is_dir():
        missing(f"a kernel in {kernel} (.ci/guest-kernel)")
    return kernel


def run(folder: Path, cases: str, devices: Sequence[str] = (), limit_s: float = LIMIT_S) -> Told:
    """Run all cases of this module in a machine with these devices; `folder` is a place for files."""
    kernel = need_machine()
    [image] = (kernel / "boot").glob("vmlinuz-*")
    version = image.name.removeprefix("vmlinuz-")
    start = _initramfs(folder, kernel, version, cases)
    told, console = folder / "told", folder / "console"
    command = [
        *("qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-cpu", "max", "-m", "1024"),
        *("-kernel", str(image), "-initrd", str(start), "-append", "console=ttyS0 quiet panic=-1"),
        *("-nodefaults", "-display", "none", "-no-reboot"),
        *("-serial", f"file:{console}", "-serial", f"file:{told}"),
        *("-device", "isa-debug-exit,iobase=0x501,iosize=2"),
        *("-virtfs", "local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap"),
        *devices,
    ]
    try:
        status = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, timeout=limit_s).returncode
        end = "" if status == _ENDED_WELL else f"QEMU ended with {status}"
    except subprocess.TimeoutExpired:
        end = f"it had not ended after {limit_s:.0f} s"
    return Told(_outcomes(told), end, console.read_text(errors="replace"))


def _outcomes(told: Path) -> Mapping[str, str]:
    """Of whole lines; the last one may be torn."""
    *lines, _ = told.read_text().split("\n")
    return {said["case"]: said["wrong"] for said in map(json.loads, lines)}


def _initramfs(folder: Path, kernel: Path, version: str, cases: str) -> Path:
    """busybox, the modules that the files need, and the way to them."""
    root = folder / "initramfs"
    for name in ("bin", "proc", "sys", "dev", "files", "written", "modules", "root"):
        (root / name).mkdir(parents=True)
    busybox = subprocess.run(["which", "busybox"], capture_output=True, text=True, check=True).stdout.strip()
    (root / "bin/busybox").write_bytes(Path(busybox).read_bytes())
    (root / "bin/busybox").chmod(0o755)
    for applet in _APPLETS:
        (root / "bin" / applet).symlink_to("busybox")
    modules = _modules(kernel, version)
    for module in modules:
        packed = module.read_bytes()
        (root / "modules" / module.stem.split(".")[0]).write_bytes(
            lzma.decompress(packed) if module.suffix == ".xz" else packed
        )
    names = " ".join(module.stem.split(".")[0] for module in modules)
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests", _GUEST.parent)))
    environment = {"PATH": _PATH, "HOME": "/root", "PYTHONPATH": paths, "LANG": "C.UTF-8", "GUEST_KERNEL": str(kernel)}
    command = [*(f"{name}={value}" for name, value in environment.items()), sys.executable, str(_GUEST), cases]
    (root / "init").write_text(_INIT.format(modules=names, command=shlex.join(command)))
    (root / "init").chmod(0o755)
    archive = folder / "initramfs.cpio"
    listed = "\n".join(str(path.relative_to(root)) for path in [root, *sorted(root.rglob("*"))])
    with archive.open("wb") as out:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=listed.encode(), stdout=out, check=True)
    return archive


def _modules(kernel: Path, version: str) -> list[Path]:
    """In the order in which they are loaded."""
    command = ["modprobe", "--dirname", str(kernel), "--set-version", version, "--show-depends", "--all", *_MODULES]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": _PATH}).stdout
    paths = [line.split()[1] for line in listed.splitlines() if line.startswith("insmod")]
    return [Path(path) for path in dict.fromkeys(paths)]
