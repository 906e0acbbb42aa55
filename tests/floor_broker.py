"""A floor's broker as `deploy/mosquitto/README.md` sets one up: its commands are run, line by line, below a folder.

What only a real system has is replaced: `/etc/` by the same below the folder, the broker's address by loopback, and
systemd by what it would do."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from command import shoewatch
from needs import missing

from controller import broker
from controller.broker import EmbeddedBroker
from controller.mqtt import Dialer
from controller.mqtt_address import Certificates, parse_address

ROOT = Path(__file__).parents[1]
README = ROOT / "deploy" / "mosquitto" / "README.md"
RELOADS = "Reloading config"
PORT = "listener 8883"
BLOCK = re.compile(r"<!-- run: (\w+) -->\n```sh\n(.*?)```", re.DOTALL)
LIKE_DEBIANS = """\
persistence true
persistence_location {folder}/
log_dest stderr
{user}
include_dir {etc}/mosquitto/conf.d
"""


def blocks() -> Mapping[str, list[str]]:
    """The README's commands by the name of their block."""
    return {name: text.splitlines() for name, text in BLOCK.findall(README.read_text())}


@dataclass
class Floor:
    """`folder` holds `floor-ca`, as the site keeps it, and `etc`, as it is on the broker's computer."""

    folder: Path
    broker: EmbeddedBroker

    def do(self, block: str, names: Mapping[str, str] | None = None) -> None:
        """Run the commands of a block, with other names in place of the README's."""
        for line in blocks()[block]:
            for old, new in (names or {}).items():
                line = re.sub(rf"\b{re.escape(old)}\b", new, line)
            self._run(line)

    def add_table(self, table: str) -> str:
        """The new table's user."""
        self.do("table", {"bj-07": table})
        return f"riverside/{table}"

    def add_client(self, role: str, name: str) -> str:
        """The new client's user."""
        self.do("client", {"dashboard": role, "pit-wall": name})
        return f"{role}.{name}"

    def _run(self, line: str) -> None:
        here = {
            "sudo ": "",
            " floor-ca": f" {self.folder}/floor-ca",
            " deploy/": f" {ROOT}/deploy/",
            " /etc/": f" {self.folder}/etc/",
            "192.0.2.10": "127.0.0.1",
            " -o shoewatch": "",
            **({} if os.geteuid() == 0 else {" -g mosquitto": "", " -o mosquitto": ""}),
        }
        for old, new in here.items():
            line = line.replace(old, new)
        match shlex.split(line):
            case ["apt", *_]:
                pass
            case ["systemctl", "restart", "mosquitto"]:
                self.restart()
            case ["systemctl", "reload", "mosquitto"]:
                self.reload()
            case ["shoewatch", *arguments]:
                told = shoewatch(*arguments)
                assert (told.status, told.stderr) == (0, ""), line
            case command:
                subprocess.run(command, check=True)

    def restart(self) -> None:
        self.broker.kill()
        self.broker.start()

    def reload(self) -> None:
        """As systemd does it; what comes to the broker afterwards comes after it."""
        assert self.broker._process is not None
        before = self.broker.log.count(RELOADS)
        self.broker._process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 5
        while self.broker.log.count(RELOADS) == before:
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def files(self, user: str) -> Certificates:
        """Who this user is, as its certificate has it."""
        kept = self.folder / "floor-ca" / ("tables" if "/" in user else "clients")
        return Certificates(self.folder / "floor-ca/ca.pem", kept / f"{user}.pem", kept / f"{user}.key")

    def dialer(self, user: str, client_id: str | None = None) -> Dialer:
        return self.dialer_with(self.files(user), client_id)

    def dialer_with(self, files: Certificates, client_id: str | None = None) -> Dialer:
        return Dialer(parse_address(self.url, files), client_id)

    @property
    def url(self) -> str:
        return f"mqtts://127.0.0.1:{self.broker.port}"


@contextmanager
def opened(folder: Path) -> Iterator[Floor]:
    """A floor with its broker and no certificates but that one's."""
    engine = broker.mosquitto() or missing("mosquitto (apt install mosquitto)")
    etc = folder / "etc"
    (etc / "mosquitto/conf.d").mkdir(parents=True)

    def config(port: int, home: Path) -> str:
        installed = etc / "mosquitto/conf.d/shoewatch.conf"
        shipped = (ROOT / "deploy/mosquitto/shoewatch.conf").read_text()
        assert shipped.count(PORT) == 1
        shipped = shipped.replace(PORT, f"listener {port} 127.0.0.1").replace(" /etc/", f" {etc}/")
        installed.write_text(shipped)
        return LIKE_DEBIANS.format(folder=home, etc=etc, user="user root" if os.geteuid() == 0 else "")

    floor = Floor(folder, EmbeddedBroker(replace(engine, config=config)))
    try:
        floor.do("broker")
        yield floor
    finally:
        floor.broker.stop()
