"""A broker for demo and tests: a child process on loopback, with all that it writes in a temporary folder."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from controller.tether import tethered
from protocols.errors import ShoewatchError

_START_S: Final = 10.0
_STOP_S: Final = 3.0
_ATTEMPTS: Final = 5


class BrokerError(ShoewatchError):
    """There is no broker to be started here."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A broker program, run as `PROGRAM -c FILE`. `config` writes the file for a port and a folder of its own;
    `ready` is what the program logs once it listens."""

    name: str
    program: str
    config: Callable[[int, Path], str]
    ready: str


def mosquitto() -> Engine | None:
    """mosquitto, which Debian puts where a plain user's PATH may not lead; None where it is not installed."""
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    return Engine("mosquitto", found, _mosquitto_config, "running") if found else None


def nats() -> Engine | None:
    """The nats-server of the extra `broker`, beside this Python; None where it is not installed."""
    found = shutil.which("nats-server", path=str(Path(sys.executable).parent))
    return Engine("nats-server", found, _nats_config, "Server is ready") if found else None


def find_engine() -> Engine:
    """The best broker there is on this computer; BrokerError says how to get one."""
    engine = mosquitto() or nats()
    if engine is None:
        raise BrokerError(
            "no MQTT broker is installed: `sudo apt install mosquitto`, or `pip install shoewatch[broker]`"
        )
    return engine


class EmbeddedBroker:
    """A running broker within a `with`. It ends with the thread that started it, however that ends."""

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine or find_engine()
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the broker has said since its last start."""
        return self._log_file.read_text(errors="replace") if self._folder else ""

    def __enter__(self) -> EmbeddedBroker:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Start, and return once it listens; again on the same port after `kill`."""
        for _ in range(_ATTEMPTS):
            if self._start_on(self.port or _free_port()):
                return
        said = self.log
        self.stop()
        raise BrokerError(f"{self.engine.program} does not start:\n{said}")

    def kill(self) -> None:
        """SIGKILL: the broker forgets what it holds in memory, its connections break."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """End it and remove what it wrote; harmless when stopped already."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @property
    def _log_file(self) -> Path:
        return self._home / "broker.log"

    @property
    def _home(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="shoewatch-broker-")
        return Path(self._folder.name)

    def _start_on(self, port: int) -> bool:
        """Whether it came up; another program may have taken the port meanwhile."""
        config = self._home / "broker.conf"
        config.write_text(self.engine.config(port, self._home))
        with self._log_file.open("wb") as log:
            self._process = subprocess.Popen(
                tethered([self.engine.program, "-c", str(config)]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        if not self._comes_up(self._process):
            return False
        self.port = port
        return True

    def _comes_up(self, process: subprocess.Popen[bytes]) -> bool:
        deadline = time.monotonic() + _START_S
        while process.poll() is None and time.monotonic() < deadline:
            if self.engine.ready in self.log:
                return True
            time.sleep(0.01)
        self.kill()
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _mosquitto_config(port: int, folder: Path) -> str:  # noqa: ARG001
    lines = [
        f"listener {port} 127.0.0.1",
        "allow_anonymous true",
        "persistence false",
        "max_queued_messages 0",
        "set_tcp_nodelay true",
        "log_dest stderr",
    ]
    return "\n".join([*(["user root"] if os.geteuid() == 0 else []), *lines]) + "\n"


def _nats_config(port: int, folder: Path) -> str:
    return (
        "server_name: shoewatch\n"
        'listen: "127.0.0.1:-1"\n'
        f'jetstream {{ store_dir: "{folder}" }}\n'
        f'mqtt {{ listen: "127.0.0.1:{port}" }}\n'
    )
