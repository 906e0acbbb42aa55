"""A PostgreSQL server of one's own, from the distribution, in a temporary folder and at a Unix socket."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from needs import missing
from sqlalchemy import create_engine

from controller.archive.database import Database, parse_database

USER: Final = "shoewatch"
PASSWORD: Final = "only-for-tests"
_START_S: Final = 30.0
_STOP_S: Final = 10.0
_SETTINGS: Final = ("listen_addresses=", "fsync=off", "autovacuum=off", "shared_buffers=16MB", "timezone=UTC")


@dataclass(slots=True)
class Postgres:
    """A running server; `folder` holds its socket."""

    folder: Path
    process: subprocess.Popen[bytes]
    made: int = 0

    def url(self, name: str) -> str:
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def database(self) -> Database:
        """A new database with nothing in it."""
        self.made += 1
        name = f"archive{self.made}"
        engine = create_engine(parse_database(self.url("postgres"), PASSWORD).url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name} STRATEGY = file_copy")
        engine.dispose()
        return parse_database(self.url(name), PASSWORD)

    def is_ready(self) -> bool:
        return (self.folder / ".s.PGSQL.5432").exists() and self._answers()

    def _answers(self) -> bool:
        asked = [_program("pg_isready"), "--host", str(self.folder), "--quiet"]
        return subprocess.run(asked, check=False).returncode == 0


@contextmanager
def running() -> Iterator[Postgres]:
    """The server, as somebody who is not root: it starts for nobody else."""
    folder = Path(tempfile.mkdtemp(prefix="shoewatch-pg-", dir="/tmp"))
    data, password = folder / "data", folder / "password"
    password.write_text(PASSWORD)
    if os.geteuid() == 0:
        owner = pwd.getpwnam("nobody")
        for path in (folder, password):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    try:
        made = [_program("initdb"), f"--pgdata={data}", f"--username={USER}", f"--pwfile={password}"]
        options = ["--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run([*_as_nobody(), *made, *options], check=True, capture_output=True, cwd="/")
        settings = [part for each in _SETTINGS for part in ("-c", each)]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [*_as_nobody(), _program("postgres"), "-D", str(data), "-k", str(folder), *settings],
                stdout=log,
                stderr=log,
                cwd="/",
            )
        try:
            yield _begun(Postgres(folder, process))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(_STOP_S)
    finally:
        shutil.rmtree(folder)


def _begun(server: Postgres) -> Postgres:
    ends = time.monotonic() + _START_S
    while not server.is_ready():
        said = (server.folder / "log").read_text()
        assert server.process.poll() is None, said
        assert time.monotonic() < ends, said
        time.sleep(0.05)
    return server


def _as_nobody() -> list[str]:
    """Begins a command that ends with this process, and is not root's."""
    nobody = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", "--pdeathsig", "KILL", *nobody]


def _program(name: str) -> str:
    """Debian puts those of the server where no PATH leads."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name))
    path = os.pathsep.join([*map(str, reversed(folders)), os.environ.get("PATH", os.defpath)])
    return shutil.which(name, path=path) or missing("postgresql (apt install postgresql)")
