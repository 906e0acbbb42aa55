"""Plays a scenario against the real daemon: its own composition with real codecs, ports and journal, and simulated
devices behind a pty or TCP.

What has to follow stands under `[expect]`:

`end`: what is waited for: `over` (the last round is dealt, and everything is stored), or the record that has to come
last, as in `records`. `records`: for each text how many records there are, `N`, or at least, `N+`; a text names them,
`table:card.drawn`, `unobservable:card.drawn`, `link:shoe:lost`, `device:shoe:error`, `security:auth_failed`,
`order:peek_arm:ok`. `codes`: all violations in their order. `links`: what the link of a device went through, in order,
from its first `ready` on, if it ever was, without what is chance: a stall that is over before the link was lost, and a
look at a line that is away. `rounds`: how each round ended (`closed`, `voided`, `open`), in order. `cards`: `all` where
each card that the dealer has dealt is in the journal exactly once, else how many are not; below 0, how many came
besides. Every fault of the scenario has to strike, and no record may tell what lies face down.

All of it has to hold in the end: once it does, the daemon is stopped, and it has to hold still."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from daemon import Journal, configure, configure_table
from leaks import card_secret
from mqtt_table import until
from pydantic import ValidationError
from tools import free_port

from controller import app
from controller.config_reading import load_config
from controller.reader_care import ReaderCare
from protocols.floor.contract.records import Record
from simulators.faults.schedule import Schedule
from simulators.live.play import READER_SERIAL, SHOE_SERIAL
from simulators.live.process import Address, line_at
from simulators.live.setting import Equipment, set_up
from simulators.scenario import Scenario
from simulators.shoe import standing
from simulators.truth import TruthFile

NOWHERE = "mqtt://127.0.0.1:1"
DEADLINE_S, ENDS_S, SETTLES_S = 90.0, 45.0, 15.0
HOLD_S = 0.5
CARDS = {"burn_first", "burn_counted", "dealt", "surplus", "drawn", "burned", "boxed", "stray"}
_TURNED = {"hole.revealed", "card.revealed", "hands.turned"}
_BY_CHANCE = ("lost", "absent")
_ENDS = {"round.closed": "closed", "round.voided": "voided"}

Data = dict[str, Any]


class Played:
    """What a scenario has led to."""

    def __init__(self, folder: Path) -> None:
        self._journal = Journal(folder)
        self._truth = folder / "truth.jsonl"
        self.schedules: Sequence[Schedule] = ()

    @property
    def records(self) -> Sequence[Data]:
        return self._journal.records()

    def strange(self) -> list[bytes]:
        """The messages that are not as the contract says."""
        return [row.body for row in self._journal.rows() if not _is_record(row.body)]

    def names(self) -> Counter[str]:
        """How many records there are of each name, and of each beginning of a name."""
        return Counter(name for data in self.records for name in names_of(data))

    def codes(self) -> list[str]:
        verdicts = [data["verdict"] for data in self.records if data["kind"] == "table"]
        return [verdict["code"] for verdict in verdicts if verdict["outcome"] == "violation"]

    def links(self, device: str) -> list[str]:
        states = [data["to"] for data in self.records if data["kind"] == "link" and data["device"] == device]
        states = states[states.index("ready") :] if "ready" in states else states
        after = [state for before, state in zip(["", *states], states, strict=False) if (before, state) != _BY_CHANCE]
        return " ".join(after).replace(" stalled ready", "").split()

    def rounds(self) -> list[str]:
        ends: list[str] = []
        for event in (data["event"]["type"] for data in self.records if data["kind"] == "table"):
            if event == "round.opened":
                ends.append("open")
            elif event in _ENDS and ends:
                ends[-1] = _ENDS[event]
        return ends

    def drawn(self) -> list[str | None]:
        """The device's names of the cards in the journal, in order."""
        events = [data["event"] for data in self.records if data["kind"] == "table"]
        return [event.get("ref") for event in events if event["type"] == "card.drawn" and "moved" not in event]

    def idle(self) -> list[str]:
        """The faults that never struck."""
        return [fault.name for schedule in self.schedules for fault in schedule.idle()]

    def truth(self) -> list[Data]:
        return [json.loads(line) for line in self._truth.read_text().splitlines()]

    def cards(self) -> int:
        """How many cards left the shoe."""
        return sum(line.get("act") in CARDS for line in self.truth())

    def holes(self) -> dict[int, set[str]]:
        """By round, the cards that were dealt face down, but for those of which another one was dealt in it."""
        found: dict[int, list[tuple[str, str]]] = {}
        for line in self.truth():
            if line.get("act") in CARDS:
                found.setdefault(line["round"], []).append((line["card"], line.get("face", "up")))
        return {
            number: {card for card, face in cards if face == "down" and len([c for c, _ in cards if c == card]) == 1}
            for number, cards in found.items()
        }

    def leaks(self) -> list[str]:
        """The records that tell what lay face down in a round before anything was turned in it."""
        number, turned, found, holes = 0, False, list[str](), self.holes()
        for data in self.records:
            kind = data.get("event", {}).get("type")
            if kind == "round.opened":
                number, turned = number + 1, False
            turned |= kind in _TURNED
            text = "" if turned else json.dumps(data)
            found += [text for card in holes.get(number, ()) if card_secret(card).words.search(text)]
        return found

    def refused(self) -> list[str]:
        """What the daemon did not take of what people said."""
        return [line["refused"] for line in self.truth() if "refused" in line]


def _is_record(body: bytes) -> bool:
    try:
        return bool(Record.read(body))
    except ValidationError:
        return False


def names_of(data: Data) -> list[str]:
    match data:
        case {"kind": "table", "event": {"type": event}}:
            parts = ["table", event, *filter(None, [data["event"].get("code")])]
            return [*_beginnings(parts), f"{data['verdict']['outcome']}:{event}"]
        case {"kind": "link", "device": device, "to": state}:
            parts = ["link", device, state, *filter(None, [data.get("loss")])]
        case {"kind": "device", "device": device, "report": report}:
            parts = ["device", device, report, *filter(None, [str(data.get("code", ""))])]
        case {"kind": "security", "code": code}:
            parts = ["security", code]
        case {"kind": "order", "order": order, "answer": answer}:
            parts = ["order", order, answer]
        case {"kind": kind}:
            parts = [kind]
    return _beginnings(parts)


def _beginnings(parts: Sequence[str]) -> list[str]:
    return [":".join(parts[: length + 1]) for length in range(len(parts))]


def differences(scenario: Scenario, played: Played) -> list[str]:
    """What is not as it stands under `[expect]`, or is not known there."""
    expect, found = dict(scenario.expect), list[str]()
    expect.pop("end", None)
    names = played.names()
    for text, count in expect.pop("records", {}).items():
        least = int(str(count).rstrip("+"))
        right = names[text] >= least if str(count).endswith("+") else names[text] == least
        found += [] if right else [f"{text}: {names[text]}, not {count}, in {sorted(names)}"]
    for device, states in expect.pop("links", {}).items():
        found += _compared(f"links of the {device}", played.links(device), states)
    missing = played.cards() - len(played.drawn())
    seen = {"codes": played.codes(), "rounds": played.rounds(), "cards": "all" if missing == 0 else missing}
    for name, value in expect.items():
        found += _compared(name, seen[name], value)
    numbers = [ref for ref in played.drawn() if ref and "/" in ref]
    found += _compared("cards that came twice", len(numbers) - len(set(numbers)), 0)
    found += _compared("records that tell what lies face down", played.leaks(), [])
    found += _compared("faults that never struck", played.idle(), [])
    return found + _compared("what people said and was refused", played.refused(), [])


def _compared(name: str, seen: object, right: object) -> list[str]:
    return [] if seen == right else [f"{name}: {seen}, not {right}"]


@dataclass(frozen=True, slots=True)
class Site:
    """Where a scenario is played: the devices are behind a pty or `tcp`; `reader`: more lines of that section of the
    configuration."""

    folder: Path
    tcp: bool
    url: str
    reader: str


async def play(
    scenario: Scenario,
    folder: Path,
    *,
    tcp: bool = False,
    url: str = NOWHERE,
    reader: str = "",
    settles_s: float = SETTLES_S,
) -> Played:
    """Play the scenario to its end, and stop the daemon once all is as expected, or after `settles_s`."""
    played, site = Played(folder), Site(folder, tcp, url, reader)
    end = scenario.expect.get("end", "over")
    setting_up = _punto_banco if scenario.is_punto_banco else _table
    async with asyncio.timeout(DEADLINE_S), setting_up(scenario, played, site) as is_over:
        with suppress(TimeoutError):
            await until(is_over if end == "over" else lambda: played.names()[end] > 0, ENDS_S)
            await until(lambda: not differences(scenario, played), settles_s)
    return played


@asynccontextmanager
async def _punto_banco(scenario: Scenario, played: Played, site: Site) -> AsyncIterator[Callable[[], bool]]:
    address, port = _address(site, "shoe")
    config = configure(site.folder, port, site.url, procedure=str(scenario.play["procedure"]))
    config.write_text(config.read_text().replace("angel-eye", scenario.protocol))
    truth = TruthFile(site.folder / "truth.jsonl")
    shoe = standing(scenario.of_shoe(), address, truth, real_baud=False)
    played.schedules = (shoe.schedule,)
    shoe.line.plug_in()
    dealing, *others = (asyncio.create_task(each) for each in (shoe.deal(), shoe.attend(), shoe.reply()))
    async with _daemon(config, dealing, *others):
        yield dealing.done
    shoe.line.unplug()
    truth.close()


@asynccontextmanager
async def _table(scenario: Scenario, played: Played, site: Site) -> AsyncIterator[Callable[[], bool]]:
    game = scenario.of_table()
    folder = site.folder
    shoe_address, shoe_port = _address(site, "shoe")
    reader_address, reader_port = _address(site, "reader")
    shoe, reader = line_at(shoe_address), line_at(reader_address)
    options = ", ".join(f"{name} = {json.dumps(value)}" for name, value in game.options.items())
    procedure = f'procedure = "{game.procedure}"'
    config = configure_table(folder, shoe_port, reader_port, site.url, procedure=procedure, options=f"{{{options}}}")
    config.write_text(config.read_text().replace("[reader]", f"[reader]\n{site.reader}"))
    truth = TruthFile(folder / "truth.jsonl")
    equipment = Equipment(shoe, reader, SHOE_SERIAL, READER_SERIAL, folder / "panel")
    setting = set_up(game, equipment, truth)
    assert setting.reader_hears
    played.schedules = setting.schedules
    shoe.plug_in()
    reader.plug_in()
    tasks = [
        asyncio.create_task(setting.run()),
        asyncio.create_task(shoe.attend(setting.shoe_hears)),
        asyncio.create_task(reader.attend(setting.reader_hears)),
    ]
    async with _daemon(config, *tasks):
        yield setting.table.is_over.is_set
    shoe.unplug()
    reader.unplug()
    truth.close()


@asynccontextmanager
async def _daemon(config: Path, *others: asyncio.Task[None]) -> AsyncIterator[None]:
    """The daemon at work, until it is told to stop as a service manager tells it; the others end with it."""
    running = asyncio.create_task(app.run_table(load_config(config), lambda *_: None, until_drained=False))
    try:
        yield
        failed = [task.exception() for task in (running, *others) if task.done() and not task.cancelled()]
        assert [error for error in failed if error] == []
        os.kill(os.getpid(), signal.SIGTERM)
        await running
    finally:
        for task in (running, *others):
            task.cancel()
        await asyncio.wait([running, *others])
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(number)


def _address(site: Site, device: str) -> tuple[Address, str]:
    """Where a device stands, and the daemon's word for it."""
    link = site.folder / device
    if not site.tcp:
        return link, f"serial:{link}"
    port = free_port()
    return port, f"tcp:127.0.0.1:{port}"


def be_hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader is sound again after a short time."""
    monkeypatch.setattr(app, "ReaderCare", partial(ReaderCare, hold_s=HOLD_S))
