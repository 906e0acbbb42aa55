"""The daemon and the simulated shoe as processes of their own, for the tests: configuration, log, journal and end."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mqtt_table import SITE, TABLE, until

from controller.journal_file import JournalError, Row, read_all
from protocols.records import NO_HASH
from protocols.tablelog import dump
from simulators.live.play import READER_SERIAL, SHOE_SERIAL
from simulators.tdl.identity import registry_entry

COMMAND = [sys.executable, "-m", "controller"]
COMMAND_S = 60.0
HASTY, AT_ONCE = (
    [sys.executable, str(Path(__file__).with_name("hasty_daemon.py")), seconds] for seconds in ("0.5", "0")
)
"""In place of COMMAND: a daemon that takes its reader back after half a second without fault, or at once."""
CONFIG = """\
site    = "{site}"
table   = "{table}"
profile = "bench"

[game]
procedure = "{procedure}"

[shoe]
port     = "{port}"
protocol = "angel-eye"

[journal]
path = "journal.db"

[mqtt]
url = "{url}"
"""
TABLE_CONFIG = """\
site    = "{site}"
table   = "{table}"
profile = "bench"

[game]
{procedure}
options   = {options}
observes  = {observes}

[shoe]
port     = "{shoe}"
protocol = "tdl"

[reader]
port    = "{reader}"
restore = "{restore}"

[devices]
registry = "devices.toml"

[panel]
directory = "panel"
{panel}

[journal]
path = "journal.db"

[mqtt]
url = "{url}"
"""
BY_OURS = 'procedure = "nd-card-reader"'
OBSERVES = ["positions", "faces", "signals", "wagers", "collection", "cut", "shuffle", "stub", "calls"]


def configure(folder: Path, port: str, url: str, *, procedure: str = "pb-nj", table: str = TABLE) -> Path:
    """Write `table.toml` in this folder, which also gets the journal."""
    config = folder / "table.toml"
    config.write_text(CONFIG.format(site=SITE, table=table, procedure=procedure, port=port, url=url))
    return config


def configure_table(
    folder: Path,
    shoe: str,
    reader: str,
    url: str,
    *,
    procedure: str = BY_OURS,
    options: str = "{}",
    restore: str = "supervisor",
    panel: str = "",
) -> Path:
    """The same for a blackjack table with a reader and a panel, at which everything is observed; `procedure`: the
    lines of the configuration that name it, `panel`: more lines about the panel."""
    registry = folder / "devices.toml"
    registry.write_text("\n".join(registry_entry(serial).toml() for serial in (SHOE_SERIAL, READER_SERIAL)))
    registry.chmod(0o600)
    config = folder / "table.toml"
    ports = {"shoe": shoe, "reader": reader, "url": url}
    names = {
        "site": SITE,
        "table": TABLE,
        "procedure": procedure,
        "options": options,
        "observes": json.dumps(OBSERVES),
        "restore": restore,
        "panel": panel,
    }
    config.write_text(TABLE_CONFIG.format(**names, **ports))
    return config


class Process:
    """A running shoewatch command; what it says goes to the end of `log_file`."""

    def __init__(
        self,
        log_file: Path,
        *arguments: str,
        command: Sequence[str] = COMMAND,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._log_file = log_file
        with log_file.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )

    @property
    def log(self) -> str:
        return self._log_file.read_text()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def status(self) -> int:
        """What it ended with."""
        return int(self._process.returncode)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    async def ended(self, seconds: float = COMMAND_S) -> int:
        """The status, once it has ended by itself."""
        await until(lambda: self.has_ended, seconds)
        return self.status

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def descriptors(self) -> list[str]:
        """What it has open, by name."""
        return sorted(_names(f"/proc/{self._process.pid}/fd"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self._process.pid}/task"))


def _names(folder: str) -> Iterator[str]:
    for number in os.listdir(folder):
        with suppress(OSError):
            yield re.sub(r"(?<=/pts/)\d+|:.*", "", os.readlink(f"{folder}/{number}"))


@contextmanager
def running(process: Process) -> Iterator[Process]:
    try:
        yield process
    finally:
        process.end()


def daemon(
    config: Path, *options: str, command: Sequence[str] = COMMAND, environment: Mapping[str, str] | None = None
) -> Process:
    """The daemon of this table; its log is `daemon.log`."""
    arguments = ("run", "--config", str(config), *options)
    return Process(config.with_name("daemon.log"), *arguments, command=command, environment=environment)


def shoe(folder: Path, *options: str) -> Process:
    """A simulated shoe at `folder/shoe`, which tells the truth in `truth.jsonl`; a line that is as fast as it can."""
    link, truth = str(folder / "shoe"), str(folder / "truth.jsonl")
    return Process(folder / "shoe.log", "sim", "shoe", "--link", link, "--truth", truth, "--no-baud-real", *options)


def live_table(folder: Path, *options: str) -> Process:
    """A simulated blackjack table: shoe and reader at `folder/shoe` and `folder/reader`, people at `folder/panel`."""
    places = {"shoe-link": "shoe", "reader-link": "reader", "panel": "panel", "truth": "truth.jsonl"}
    given = [part for name, place in places.items() for part in (f"--{name}", str(folder / place))]
    return Process(folder / "table.log", "sim", "table", *given, *options)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A shoewatch command that ends by itself."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=COMMAND_S)


class Journal:
    """`folder/journal.db`, read on while the daemon writes; nothing in it before there is one."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "journal.db"
        self._rows: list[Row] = []
        self._records: list[dict[str, Any]] = []

    def rows(self) -> Sequence[Row]:
        with suppress(JournalError):
            self._rows += read_all(self._path, after=len(self._rows))
        return self._rows

    def records(self) -> Sequence[dict[str, Any]]:
        """The `data` of each record."""
        self._records += map(data_of, self.rows()[len(self._records) :])
        return self._records

    def count(self, **fields: str) -> int:
        """How many records have these fields."""
        return sum(all(data.get(name) == value for name, value in fields.items()) for data in self.records())


def data_of(row: Row) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(row.body)["data"]
    return data


def check_chain(rows: Sequence[Row]) -> None:
    """Numbers without gap, each record chained to the one before it, each with the hash of its body and its seal."""
    before = NO_HASH
    for number, row in enumerate(rows, start=1):
        fields = json.loads(row.body)
        assert row.seq == fields["seq"] == number
        assert fields["prev"] == before
        assert row.hash == hashlib.sha256(row.body).digest()
        assert fields.get("sealed") == (row.sealed and hashlib.sha256(row.sealed).hexdigest())
        before = row.hash.hex()


def check_export(folder: Path, *options: str) -> None:
    """What `journal export` writes gives, through `check` with these options, the live verdicts bit for bit."""
    exported = command("journal", "export", str(folder / "journal.db"))
    assert (exported.returncode, exported.stderr) == (0, "")
    log = folder / "exported.jsonl"
    log.write_text(exported.stdout)
    checked = command("check", str(log), *options)
    records = Journal(folder).records()
    begins = max(index for index, data in enumerate(records) if data["kind"] == "header")
    verdicts = [dump(data["verdict"]) for data in records[begins:] if data["kind"] == "table"]
    assert checked.stdout.splitlines() == verdicts
    assert checked.returncode == any('"outcome":"violation"' in verdict for verdict in verdicts), checked.stderr
