"""Simulated tables of a floor, each with its real daemon, at a broker that is set up as `deploy/mosquitto` says."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from daemon import Journal, Process, daemon, running
from floor_broker import Floor, opened

from controller.cli.demo_games import GAMES

SITE = "riverside"
PATIENCE_S = 180.0


class Table:
    """One table; its files are in `folder`."""

    def __init__(self, floor: Floor, table: str, game: str, seed: int, extra: str = "") -> None:
        self.name = table
        self.folder = floor.folder / "at" / table
        self.folder.mkdir(parents=True)
        played = GAMES[game]
        played.set_up(self.folder, floor.url)
        files = floor.files(floor.add_table(table))
        mqtt = f'ca = "{files.ca}"\ncertificate = "{files.certificate}"\nkey = "{files.key}"\n{extra}'
        config = self.folder / "table.toml"
        text = config.read_text()
        text = re.sub(r"^site .*\ntable .*$", f'site = "{SITE}"\ntable = "{table}"', text, count=1, flags=re.MULTILINE)
        config.write_text(re.sub(r"^url = .*$", lambda url: f"{url[0]}\n{mqtt}", text, count=1, flags=re.MULTILINE))
        self.simulator = Process(self.folder / "sim.log", *played.simulator(self.folder, None, seed, 0.5))
        wait_for(lambda: (self.folder / "shoe").exists(), f"the simulated {game}")
        self.daemon = daemon(config)

    def unplug(self) -> None:
        """The shoe's line."""
        self.simulator.signal(signal.SIGUSR1)

    def plug_in(self) -> None:
        self.simulator.signal(signal.SIGUSR2)

    def violations(self) -> list[str]:
        """The codes that the journal has."""
        told = [each["verdict"] for each in Journal(self.folder).records() if each["kind"] == "table"]
        return [each["code"] for each in told if each["outcome"] == "violation"]


def wait_for(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.1)


@contextmanager
def floor_with(
    folder: Path, tables: Sequence[tuple[str, str, int]], extra: str = ""
) -> Iterator[tuple[Floor, list[Table]]]:
    """A floor with these tables (name, game, seed of the cards); `extra`: more lines of their section `[mqtt]`."""
    with opened(folder) as floor, ExitStack() as stack:
        played = []
        for name, game, seed in tables:
            table = Table(floor, name, game, seed, extra)
            stack.enter_context(running(table.simulator))
            stack.enter_context(running(table.daemon))
            played.append(table)
        yield floor, played
