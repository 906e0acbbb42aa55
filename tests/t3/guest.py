"""The first process of the machine: sets the system up, runs every case of a module in a process of its own, and ends.

`guest.py MODULE`, whose `machine()` gives what the cases need, once."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RULES = Path("/run/udev/rules.d/62-shoewatch.rules")
_SYSUSERS = ROOT / "deploy/etc/sysusers.d/shoewatch.conf"

Case = Callable[[Any], Coroutine[Any, Any, None]]


def load(*modules: str) -> None:
    do("modprobe", "--dirname", os.environ["GUEST_KERNEL"], "--all", *modules)


def do(*command: str) -> str:
    """What it says; a failure says it too."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}"
    return done.stdout


def set_up(rules: str) -> None:
    """A system with our user, udevd with these rules of ours, and whatever nobody needs to see everything."""
    for kind, place in (("tmpfs", "/run"), ("devpts", "/dev/pts"), ("tmpfs", "/dev/shm")):
        os.makedirs(place, exist_ok=True)
        do("mount", "-t", kind, kind, place)
    do("busybox", "ifconfig", "lo", "up")
    do("systemd-sysusers", str(_SYSUSERS))
    for file in (ROOT, Path(sys.prefix), Path(sys.executable).resolve()):
        for folder in file.parents:
            os.chmod(folder, os.stat(folder).st_mode | 0o755)
    RULES.parent.mkdir(parents=True)
    RULES.write_text(rules)
    do("/lib/systemd/systemd-udevd", "--daemon")
    do("udevadm", "control", "--ping")


def outcome(case: Case, bench: Any) -> str:
    """What was wrong; nothing where all was well."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        wrong = ""
        try:
            asyncio.run(case(bench))
        except BaseException:
            wrong = traceback.format_exc()
        os.write(writing, wrong[-8000:].encode())
        sys.stdout.flush()
        os._exit(0)
    os.close(writing)
    with open(reading) as said:
        wrong = said.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return wrong or ("" if code == 0 else f"its process ended with {code}")


def main(module: str) -> None:
    with open("/dev/ttyS1", "w") as told:
        do("stty", "-F", "/dev/ttyS1", "raw")
        told_cases(import_module(module), lambda line: print(line, file=told, flush=True))


def told_cases(module: Any, tell: Callable[[str], None]) -> None:
    cases: Mapping[str, Case] = module.CASES
    with module.machine() as bench:
        for name, case in cases.items():
            began = time.monotonic()
            wrong = outcome(case, bench)
            tell(json.dumps({"case": name, "wrong": wrong, "seconds": round(time.monotonic() - began, 1)}))
            module.between(bench)


def power_off(status: int) -> None:
    """QEMU's device for this: it ends with twice this and one."""
    port = os.open("/dev/port", os.O_WRONLY)
    os.pwrite(port, bytes([status]), 0x501)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os.sync()
        power_off(1)
    power_off(0)
