"""A simulated table's numbers in a real Prometheus, by the scrape configuration that docs/dashboards.md shows.

    PYTHONPATH=.:tests python -m external.prometheus [--program FILE]

Needs mosquitto and prometheus (apt), and the extra `metrics`. Status 0: it scrapes the table, and the counts grow."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools import free_port

from controller.tether import tethered
from external.tables import SITE, floor_with, wait_for

DOCUMENT = Path(__file__).parents[2] / "docs" / "dashboards.md"
SHOWN, EVERY = "127.0.0.1:9464", "scrape_interval: 15s"
QUERIES = (
    "shoewatch_draws_total",
    "shoewatch_rounds_total",
    "shoewatch_outbox_lag",
    "shoewatch_commit_p99_seconds",
)


def scrape_configuration(port: int) -> str:
    """The document's, for a table at this port, and without its patience."""
    [text] = re.findall(r"```yaml\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert SHOWN in text
    assert EVERY in text
    return str(text).replace(SHOWN, f"127.0.0.1:{port}").replace(EVERY, "scrape_interval: 1s")


@contextmanager
def prometheus(folder: Path, program: str, port: int) -> Iterator[str]:
    """The address of one that scrapes this port."""
    folder.mkdir()
    (folder / "prometheus.yml").write_text(scrape_configuration(port))
    own = free_port()
    paths = {"config.file": folder / "prometheus.yml", "storage.tsdb.path": folder / "kept"}
    options = {**{name: str(path) for name, path in paths.items()}, "web.listen-address": f"127.0.0.1:{own}"}
    command = tethered([program, *(f"--{name}={value}" for name, value in options.items())])
    with (folder / "log").open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield f"http://127.0.0.1:{own}"
    finally:
        process.terminate()
        process.wait(20)


def found(url: str, query: str) -> list[dict[str, Any]]:
    """What it has for this query now; nothing before it is up."""
    try:
        with urllib.request.urlopen(f"{url}/api/v1/query?query={urllib.parse.quote(query)}", timeout=10) as answer:
            result: list[dict[str, Any]] = json.load(answer)["data"]["result"]
            return result
    except OSError:
        return []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="/usr/bin/prometheus")
    given = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="shoewatch-prometheus-") as name:
        folder = Path(name)
        listen = f'\n[metrics]\nlisten = "127.0.0.1:{port}"\n'
        with (
            floor_with(folder, [("bj-07", "blackjack", 1221)], listen) as (_, [table]),
            prometheus(folder / "prometheus", given.program, port) as url,
        ):
            for query in QUERIES:
                wait_for(lambda query=query: bool(found(url, query)), query)  # type: ignore[misc]
                [one] = found(url, query)
                assert (one["metric"]["site"], one["metric"]["table"]) == (SITE, table.name)
                print(query, "=", one["value"][1])
            wait_for(lambda: bool(found(url, "rate(shoewatch_draws_total[20s]) > 0")), "draws that grow")
            table.daemon.end()
            wait_for(lambda: bool(found(url, 'up{job="shoewatch"} == 0')), "a table that is down")
            print("draws grow; a daemon that is killed is down")


if __name__ == "__main__":
    main()
