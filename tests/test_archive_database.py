"""How an archive's database is named, opened, brought up to date and refused."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from archived import bodies, changing, kept, looking, of, received
from postgres import PASSWORD, Postgres
from told_journal import tell

from controller.archive.config import load_archive_config
from controller.archive.database import ArchiveError, Database, opened_to_read, opened_to_write, parse_database
from controller.archive.schema import METADATA
from controller.archive.store import Store
from protocols.errors import ConfigError, ShoewatchError

ROOT = Path(__file__).parent.parent
REFUSED = {
    "postgresql://shoewatch:secret@db.floor/archive": "a password does not belong",
    "postgresql://db.floor/archive?password=secret": "a password does not belong",
    "postgresql://db.floor": "is no address of a database",
    "mysql://db.floor/archive": "is no address of a database",
    "://": "no address of a database",
    "sqlite:": "names no database",
    "": "names no database",
}


@pytest.mark.parametrize(("address", "why"), REFUSED.items())
def test_an_address_that_is_refused(address: str, why: str) -> None:
    with pytest.raises(ShoewatchError, match=why) as refused:
        parse_database(address)
    assert "secret" not in str(refused.value)


def test_a_password_shows_nowhere() -> None:
    database = parse_database("postgresql://shoewatch@db.floor/archive", "secret")
    assert "secret" not in f"{database} {database!r}"
    assert str(database) == "postgresql://shoewatch:***@db.floor/archive"


def test_the_tables_are_those_that_the_migrations_make(any_database: Database) -> None:
    opened_to_write(any_database).dispose()
    with looking(any_database) as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "archive_version"})
        assert compare_metadata(context, METADATA) == []


def test_several_begin_at_once(any_database: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        for engine in pool.map(opened_to_write, [any_database] * 4):
            engine.dispose()
    opened_to_read(any_database).dispose()


def test_a_newer_version_is_refused(any_database: Database) -> None:
    with changing(any_database) as connection:
        connection.exec_driver_sql("UPDATE archive_version SET version_num = '9999'")
    for opened in (opened_to_write, opened_to_read):
        with pytest.raises(ArchiveError, match="archive schema 9999; a newer shoewatch wrote it"):
            opened(any_database)


def test_an_empty_one_is_read_by_nobody(any_database: Database) -> None:
    if any_database.file is not None:
        with pytest.raises(ArchiveError, match="there is no archive here"):
            opened_to_read(any_database)
        any_database.file.touch()
    with pytest.raises(ArchiveError, match="archive schema none, not 0001"):
        opened_to_read(any_database)


def test_another_file_is_no_archive(tmp_path: Path) -> None:
    journal, text = tmp_path / "journal.db", tmp_path / "text.db"
    tell(journal)
    text.write_text("This is no database, but it is long enough to be looked at as one." * 20)
    before = journal.read_bytes()
    for path, why in ((journal, "this is no archive"), (text, "file is not a database")):
        with pytest.raises(ArchiveError, match=why):
            opened_to_write(parse_database(str(path)))
    assert journal.read_bytes() == before


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    opened_to_write(parse_database(str(path))).dispose()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ArchiveError, match="cannot be used as an archive: No such file"):
        opened_to_write(parse_database(str(tmp_path / "nowhere" / "archive.db")))


def test_a_database_that_takes_nothing_is_told(tmp_path: Path) -> None:
    whole = bodies(tmp_path, "j")
    database = parse_database(str(tmp_path / "archive.db"))
    with Store(database) as store:
        store.take(received(whole[:5]), {})
        with changing(database) as connection:
            full = "CREATE TRIGGER full BEFORE UPDATE ON chain BEGIN SELECT RAISE(FAIL, 'full'); END"
            connection.exec_driver_sql(full)
        with pytest.raises(ArchiveError, match=r"archive\.db: full"):
            store.take(received(whole[5:]), {})
        assert kept(database) == {of(whole[0]): whole[:5]}
        with changing(database) as connection:
            connection.exec_driver_sql("DROP TRIGGER full")
        assert store.take(received(whole[5:]), {}).stored == len(whole) - 5


def test_a_configuration_names_it(tmp_path: Path, postgresql: Postgres) -> None:
    made = postgresql.database()
    password = tmp_path / "password"
    password.write_text(f"{PASSWORD}\n")
    password.chmod(0o600)
    file = tmp_path / "archive.toml"
    name = made.url.database or ""
    file.write_text(f'site = "riverside"\n[database]\nurl = "{postgresql.url(name)}"\npassword = "password"\n')
    opened_to_write(load_archive_config(file).where()).dispose()
    password.write_text("wrong")
    with pytest.raises(ArchiveError, match="password authentication failed") as refused:
        opened_to_write(load_archive_config(file).where())
    assert "wrong" not in str(refused.value).replace(str(tmp_path), "")


MISTAKES = {
    'site = "riverside"\n[database]\nurl = "postgresql://a:b@h/x"': "database.url: a password does not belong",
    'site = "riverside"\n[database]\nurl = 7': "database.url: must be a text",
    'site = "riverside"\n[database]\nurl = "a.db"\npassword = "archive.toml"': "database.password: ",
    'site = "riverside"\n[database]\nurl = "a.db"\npasword = "x"': 'did you mean "password"',
    "[database]\n": "site: is missing",
}


@pytest.mark.parametrize(("text", "why"), MISTAKES.items())
def test_a_configuration_that_is_wrong(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "archive.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_archive_config(file)
    assert why in str(refused.value)


def test_a_file_is_beside_its_configuration(tmp_path: Path) -> None:
    file = tmp_path / "archive.toml"
    file.write_text('site = "riverside"\n[database]\nurl = "archive.db"\n')
    assert load_archive_config(file).where().file == tmp_path / "archive.db"


def test_without_what_it_needs_the_command_says_so() -> None:
    hidden = (
        "import importlib.util as u; find = u.find_spec; u.find_spec = lambda n, *a: n != 'alembic' and find(n, *a);"
        "from controller.cli.main import app_for; app_for(['archive'])(['archive', 'verify'])"
    )
    told = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == 'the archive needs what comes with: pip install "shoewatch[archive]"\n'
