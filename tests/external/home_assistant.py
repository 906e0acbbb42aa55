"""Two simulated tables in a real Home Assistant, behind the shipped broker.

    PYTHONPATH=.:tests python -m external.home_assistant --python PYTHON3.13 [--venv FOLDER] [--npm FOLDER]

`--venv`, `--npm`: folders that keep what is installed; otherwise that goes with the end. Needs mosquitto, nodejs, npm
and chromium (apt). Status 0: it found the devices, their entities followed the tables, and it complained of nothing."""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path

from daemon import daemon
from floor_broker import Floor

from external import node_red
from external.home import Home, installed, running_home
from external.page import browsing
from external.tables import SITE, Table, floor_with, wait_for
from protocols.floor.discovery import discovery_message
from protocols.floor.topics import Topics

PICTURE = node_red.PICTURE.with_name("home-assistant.png")
TABLES = (("bj-07", "blackjack", 1221), ("bac-01", "baccarat", 7))
ASKS = "home_assistant = true\n"


def prefix(table: Table) -> str:
    return f"table_{table.name.replace('-', '_')}_{SITE}"


def expected(table: Table, *devices: str) -> int:
    """How many entities the table's message describes."""
    return len(re.findall(rb'"platform"', discovery_message(Topics(SITE, table.name), "", devices)))


def discovered(home: Home, table: Table, *devices: str) -> None:
    count = expected(table, *devices)
    wait_for(lambda: len(home.states(prefix(table))) == count, f"{count} entities of {table.name}")
    round_ = f"sensor.{prefix(table)}_round"
    asked = (("name", f"Table {table.name} ({SITE})"), ("manufacturer", "shoewatch"), ("model", "card table"))
    for attribute, said in asked:
        assert home.rendered(f"{{{{ device_attr('{round_}', '{attribute}') }}}}") == said
    print(f"{table.name}: one device, {count} entities")


def follows(home: Home, table: Table) -> None:
    hands, draws = f"sensor.{prefix(table)}_hands", f"sensor.{prefix(table)}_draws"
    seen, counts = set[str](), set[float]()

    def changed() -> bool:
        seen.add(home.state(hands))
        now = home.state(draws)
        counts.update([float(now)] if now.isdecimal() else [])
        return len(seen) > 6 and len(counts) > 1

    wait_for(changed, "cards that change")
    grew = f"{int(min(counts))} to {int(max(counts))} draws"
    print(f"{table.name}: {len(seen)} times other hands, {grew}; last: {home.state(hands)}")


def tells_of_a_violation(home: Home, tables: list[Table]) -> None:
    of = {f"event.{prefix(table)}_violation": table for table in tables}

    def told() -> list[str]:
        return [event for event in of if home.state(event) not in ("unknown", "unavailable", "missing")]

    wait_for(lambda: bool(told()), "a violation")
    event = told()[0]
    attributes = home.states(event)[event]["attributes"]
    assert attributes["code"] in of[event].violations()
    print(event, {name: attributes[name] for name in ("event_type", "round", "code", "rule", "detail")})


def tells_of_faults(home: Home, table: Table) -> None:
    of = prefix(table)

    def is_now(entity: str, value: str) -> None:
        wait_for(lambda: home.state(entity) == value, f"{entity} {value}")

    wait_for(lambda: "reader out" in home.state(f"sensor.{of}_alarms"), "a reader that is out")
    print("alarm:", home.state(f"sensor.{of}_alarms"), "; problem:", home.state(f"binary_sensor.{of}_problem"))

    is_now(f"binary_sensor.{of}_shoe_link", "on")
    table.unplug()
    is_now(f"binary_sensor.{of}_shoe_link", "off")
    table.plug_in()
    is_now(f"binary_sensor.{of}_shoe_link", "on")
    print("the shoe's link went off and on")


def available(home: Home, table: Table) -> set[str]:
    """Whether its entities are `unavailable`, as a set of what they are."""
    return {"no" if each["state"] == "unavailable" else "yes" for each in home.states(prefix(table)).values()}


def watch(home: Home, floor: Floor, tables: list[Table], npm: Path, picture: Path) -> None:
    blackjack, baccarat = tables
    discovered(home, blackjack, "shoe", "reader")
    discovered(home, baccarat, "shoe")
    follows(home, blackjack)
    tells_of_a_violation(home, tables)
    tells_of_faults(home, blackjack)

    baccarat.daemon.end()
    wait_for(lambda: available(home, baccarat) == {"no"}, "unavailable after a kill")
    print(f"{baccarat.name}: killed, all of it is unavailable")
    with browsing(npm / "node_modules", 1180, 800) as page:
        page.open(f"{home.url}/lovelace/0", home.storage())
        page.see("Shoe link")
        page.see("unavailable")
        page.picture(picture)

    config = baccarat.folder / "table.toml"
    baccarat.daemon = daemon(config)
    try:
        wait_for(lambda: available(home, baccarat) == {"yes"}, "available again")
        print(f"{baccarat.name}: started again, all of it is available")
    finally:
        baccarat.daemon.end()
    config.write_text(config.read_text().replace(ASKS, ""))
    baccarat.daemon = daemon(config)
    try:
        wait_for(lambda: not home.states(prefix(baccarat)), "a device that goes")
        print(f"{baccarat.name}: without home_assistant, the device is gone")
    finally:
        baccarat.daemon.end()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--venv", type=Path)
    parser.add_argument("--npm", type=Path)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shoewatch-home-") as name:
        folder = Path(name)
        npm = node_red.installed((given.npm or folder / "npm").absolute())
        environment = installed((given.venv or folder / "venv").absolute(), given.python)
        given.picture.parent.mkdir(parents=True, exist_ok=True)
        with (
            floor_with(folder, TABLES, ASKS) as (floor, tables),
            running_home(folder / "home", environment) as home,
        ):
            home.onboard()
            home.add_mqtt(floor.broker.port, floor.files(floor.add_client("home-assistant", "pit")))
            watch(home, floor, tables, npm, given.picture.absolute())
            assert not home.complaints(), home.complaints()
    print(f"all was there; {given.picture}: {given.picture.stat().st_size} bytes")


if __name__ == "__main__":
    main()
