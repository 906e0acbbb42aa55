"""The shipped flow in a real Node-RED, seen in Chromium, with three simulated tables behind the shipped broker.

    PYTHONPATH=.:tests python -m external.node_red [--npm FOLDER] [--picture FILE]

`--npm`: a folder that keeps what npm installs; otherwise that goes with the end. Needs mosquitto, nodejs, npm and
chromium (apt). Status 0: draws, a violation, an alarm, a table that is offline and a broker that is gone were shown."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from floor_broker import Floor
from node_red_flow import BROKER, PATH, TLS
from tools import free_port

from controller.tether import tethered
from external.page import Page, browsing
from external.tables import Table, floor_with, wait_for

PACKAGES = ("node-red@4.1.15", "@flowfuse/node-red-dashboard@1.31.0", "playwright-core@1.65.1")
PICTURE = PATH.parents[2] / "docs" / "images" / "node-red.png"
TABLES = (("bj-07", "blackjack", 1221), ("stud-02", "stud", 33), ("bac-01", "baccarat", 7))
SETTINGS = """module.exports = {{
  uiPort: {port}, uiHost: '127.0.0.1', flowFile: 'flows.json', credentialSecret: 'of a test', disableEditor: true,
  telemetry: {{ enabled: false, updateNotification: false }}, logging: {{ console: {{ level: 'info' }} }},
}};
"""
TROUBLE = ("[error]", "missing types", "Waiting for missing")


def installed(folder: Path) -> Path:
    """The folder, with the packages in it."""
    if not (folder / "node_modules" / "node-red").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(folder), "--no-fund", "--no-audit", "--ignore-scripts", *PACKAGES]
        subprocess.run(command, check=True)
    return folder


def filled_in(floor: Floor) -> str:
    """The flow, with what its user fills in: the broker's host and port, and the three files of TLS."""
    nodes = {node["id"]: node for node in json.loads(PATH.read_text())}
    files = floor.files(floor.add_client("dashboard", "pit-wall"))
    nodes[BROKER] |= {"broker": "127.0.0.1", "port": str(floor.broker.port)}
    nodes[TLS] |= {"ca": str(files.ca), "cert": str(files.certificate), "key": str(files.key)}
    return json.dumps([*nodes.values()])


@contextmanager
def node_red(home: Path, npm: Path, flow: str) -> Iterator[str]:
    """The dashboard's address; what Node-RED has to complain of is a failure."""
    home.mkdir()
    port = free_port()
    (home / "node_modules").symlink_to(npm / "node_modules")
    shutil.copy(npm / "package.json", home)
    (home / "flows.json").write_text(flow)
    (home / "settings.js").write_text(SETTINGS.format(port=port))
    log, node = home / "log", shutil.which("node") or "node"
    with log.open("wb") as out:
        command = tethered([node, str(npm / "node_modules/node-red/red.js"), "--userDir", str(home)])
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_for(lambda: "Connected to broker" in log.read_text() and listens(port), "Node-RED at the broker")
        yield f"http://127.0.0.1:{port}/dashboard/floor"
        said = log.read_text()
        assert not any(each in said for each in TROUBLE), said
    finally:
        process.terminate()
        process.wait(20)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def tile(table: str, what: str) -> str:
    """JavaScript: what is asked about the tile of this table, `e`."""
    found = f"[...document.querySelectorAll('.tile')].find(e => e.querySelector('b').textContent === '{table}')"
    return f"(e => Boolean(e && ({what})))({found})"


def says(text: str) -> str:
    return f"e.innerText.includes({json.dumps(text)})"


def watch(page: Page, floor: Floor, tables: list[Table], picture: Path) -> None:
    blackjack, stud, baccarat = tables
    for table in tables:
        page.until(tile(table.name, f"{says('online')} && e.querySelectorAll('.card').length >= 2"))
        page.until(f"window.had = {tile_text(table.name)}, true")
        page.until(f"{tile_text(table.name)} !== window.had")
    print("three tables, and their cards change")

    shown = page.until("document.querySelectorAll('.violations b').length >= 4")
    line = next(each for each in shown.splitlines() if re.match(r"\d\d:\d\d:\d\d\t", each))
    _, name, _, code, *_ = line.split("\t")
    assert code in next(table for table in tables if table.name == name).violations()
    print("violation:", line)

    stud.unplug()
    page.until(tile(stud.name, f"[...e.querySelectorAll('.alarm')].some(e => {says('shoe link')})"))
    print("alarm: the shoe's link at", stud.name)

    baccarat.daemon.end()
    page.until(tile(baccarat.name, f"e.classList.contains('off') && {says('offline')}"))
    print("offline:", baccarat.name)

    page.until(tile(blackjack.name, "e.querySelectorAll('.card').length >= 5"))
    page.picture(picture)

    stud.plug_in()
    page.until(tile(stud.name, f"!({says('shoe link')})"))
    print("the alarm went with its cause")

    floor.broker.kill()
    page.until("Boolean(document.querySelector('.away'))")
    floor.broker.start()
    page.until("!document.querySelector('.away')")
    page.until(tile(blackjack.name, says("online")))
    print("the page tells that the broker is gone, and goes on with it")


def tile_text(table: str) -> str:
    return (
        f"[...document.querySelectorAll('.tile')].find(e => e.querySelector('b').textContent === '{table}').innerText"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--npm", type=Path)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shoewatch-node-red-") as name:
        folder = Path(name)
        npm = installed((given.npm or folder / "npm").absolute())
        given.picture.parent.mkdir(parents=True, exist_ok=True)
        with (
            floor_with(folder, TABLES) as (floor, tables),
            node_red(folder / "node-red", npm, filled_in(floor)) as url,
            browsing(npm / "node_modules", 1240, 860) as page,
        ):
            page.open(url)
            watch(page, floor, tables, given.picture.absolute())
    print(f"all was shown; {given.picture}: {given.picture.stat().st_size} bytes")


if __name__ == "__main__":
    main()
