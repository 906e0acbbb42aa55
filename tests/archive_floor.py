"""Tables, a broker and archives as processes of their own, each ended and begun anew at will."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from archived import chains, kept, proved
from daemon import COMMAND, Process, configure, daemon, shoe
from mqtt_table import SITE
from postgres import PASSWORD
from test_chaos import wait_for

from controller.archive.database import Database
from controller.archive.taking import Of
from controller.broker import EmbeddedBroker
from controller.journal_file import JournalError, Row, read_all
from protocols.floor.evidence import read_message

CATCH_UP_S = 120.0


def archive_config(folder: Path, database: Database, url: str, instance: str = "main", more: str = "") -> Path:
    """`INSTANCE.toml` of an archive of the tests' site."""
    lies = f'url = "{database.file}"'
    if database.file is None:
        password = folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o600)
        where = str(database).replace(":***@", "@")
        lies = f'url = "{where}"\npassword = "{password}"'
    config = folder / f"{instance}.toml"
    config.write_text(
        f'site = "{SITE}"\ninstance = "{instance}"\n\n[database]\n{lies}\n\n[mqtt]\nurl = "{url}"\n{more}'
    )
    return config


def archive(config: Path) -> Process:
    """`shoewatch archive run`; its log lies beside its configuration."""
    return Process(config.with_suffix(".log"), "archive", "run", "--config", str(config))


@dataclass
class Table:
    """A table that an archive has to confirm for; its devices stay while its daemon comes and goes."""

    folder: Path
    name: str
    url: str
    seed: int
    shoe: Process = field(init=False)
    daemon: Process = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.config = configure(self.folder, f"serial:{self.folder}/shoe", self.url, table=self.name)
        with self.config.open("a") as file:
            file.write("archive = true\n")
        self.shoe = shoe(self.folder, "--pace", "0.02", "--faults", "0.2", "--seed", str(self.seed))
        wait_for((self.folder / "shoe").is_symlink, 30)
        self.begin()

    @property
    def journal(self) -> Path:
        return self.folder / "journal.db"

    def rows(self) -> Sequence[Row]:
        with suppress(JournalError):
            return list(read_all(self.journal))
        return []

    def begin(self, command: Sequence[str] = COMMAND) -> None:
        self.daemon = daemon(self.config, command=command)

    def stop(self) -> None:
        self.daemon.signal(signal.SIGTERM)
        wait_for(lambda: self.daemon.has_ended, CATCH_UP_S)

    def close_the_shoe(self) -> None:
        """It takes its line away with it: the number of a pty is soon another's."""
        self.shoe.signal(signal.SIGTERM)
        wait_for(lambda: self.shoe.has_ended, CATCH_UP_S)

    def end(self) -> None:
        self.shoe.end()
        self.daemon.end()


@dataclass
class ArchiveFloor:
    folder: Path
    broker: EmbeddedBroker
    database: Database
    dice: random.Random
    tables: list[Table] = field(default_factory=list)
    archives: dict[str, Process] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)

    def add_table(self, name: str) -> Table:
        table = Table(self.folder / name, name, self.broker.url, self.dice.randint(1, 999))
        self.tables.append(table)
        return table

    def begin_archive(self, instance: str) -> None:
        self.archives[instance] = archive(archive_config(self.folder, self.database, self.broker.url, instance))

    def kill(self, kind: str) -> None:
        """End one of them as a power cut would, and have it back after a moment."""
        self.kills[kind] += 1
        if kind == "broker":
            self.broker.kill()
            time.sleep(self.dice.uniform(0, 1.0))
            self.broker.start()
        elif kind == "daemon":
            table = self.dice.choice(self.tables)
            table.daemon.end()
            time.sleep(self.dice.uniform(0, 0.5))
            table.begin()
        else:
            instance = self.dice.choice(list(self.archives))
            self.archives[instance].end()
            time.sleep(self.dice.uniform(0, 1.0))
            self.begin_archive(instance)

    def dealt(self) -> dict[Of, list[bytes]]:
        """What the journals hold."""
        found: dict[Of, list[bytes]] = {}
        for row in (row for table in self.tables for row in table.rows()):
            message = read_message(row.body)
            found.setdefault((message.source, message.epoch), []).append(row.body)
        return found

    def count(self) -> int:
        """How many records the journals hold."""
        return sum(map(len, self.dealt().values()))

    def wait_for_more(self, records: int) -> None:
        """Until the tables have written so many more."""
        before = self.count()
        wait_for(lambda: self.count() >= before + records, CATCH_UP_S)

    def logs(self) -> str:
        of_tables = [table.daemon.log for table in self.tables]
        return "\n".join([*of_tables, *(each.log for each in self.archives.values())])

    def check(self) -> None:
        """The archive has every record of every table once, in order, byte for byte, and proves it."""
        for table in self.tables:
            table.close_the_shoe()
        for table in self.tables:
            table.stop()
        self.catch_up()
        assert kept(self.database) == self.dealt()
        assert [each.problem for each in proved(self.database)] == [None] * len(self.tables)
        assert "Traceback" not in self.logs(), self.logs()

    def catch_up(self) -> None:
        """Until nothing that the journals hold is missing, and no daemon writes any more."""
        ends = time.monotonic() + CATCH_UP_S
        while True:
            for table in self.tables:
                table.begin()
            self.wait_for_more(len(self.tables))
            wait_for(self.has_all, CATCH_UP_S)
            for table in self.tables:
                table.daemon.end()
            if self.has_all():
                return
            assert time.monotonic() < ends

    def has_most(self) -> bool:
        """Whether every table has begun to be stored."""
        return len(self.stored()) == len(self.tables)

    def check_beside(self, past: dict[Of, list[bytes]], before: dict[Of, list[bytes]]) -> None:
        """The archive has all that the journals hold; of the journals of the `past` it has what it had `before`, and
        nothing else than what was in them."""
        for table in self.tables:
            table.close_the_shoe()
        wait_for(lambda: self.stored().items() >= self._ends().items(), CATCH_UP_S)
        for table in self.tables:
            table.daemon.end()
        found = kept(self.database)
        assert found.keys() == {*past, *self.dealt()}
        assert {of: found[of] for of in self.dealt()} == self.dealt()
        for of, bodies in past.items():
            assert found[of] == bodies[: len(found[of])]
            assert len(found[of]) >= len(before[of])

    def _ends(self) -> dict[Of, int]:
        return {of: len(bodies) for of, bodies in self.dealt().items()}

    def has_all(self) -> bool:
        return self.stored() == self._ends()

    def stored(self) -> dict[Of, int]:
        return {(chain.source, chain.epoch): chain.mark for chain in chains(self.database)}


@contextmanager
def archive_floor(
    folder: Path,
    broker: EmbeddedBroker,
    database: Database,
    seed: int,
    tables: Sequence[str],
    instances: Sequence[str] = ("main",),
) -> Iterator[ArchiveFloor]:
    floor = ArchiveFloor(folder, broker, database, random.Random(seed))
    try:
        for instance in instances:
            floor.begin_archive(instance)
        for name in tables:
            floor.add_table(name)
        yield floor
    finally:
        for table in floor.tables:
            table.end()
        for process in floor.archives.values():
            process.end()
