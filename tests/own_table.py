"""A blackjack table that the test deals at itself: the daemon in its own process, shoe and reader behind ptys, a
dealer and a supervisor at the panel, and somebody who reads the dealer's display."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from struct import pack
from typing import Any, Protocol

from daemon import BY_OURS, COMMAND, Journal, Process, configure_table, daemon
from mqtt_table import until

from protocols.cards import Card
from protocols.events import Event, HandSettled, HoleRevealed, PlayerActed, ReaderRestored, RoundClosed, RoundOpened
from simulators.faults.line import Line
from simulators.live.people import Speaker
from simulators.live.play import READER_SERIAL, SHOE_SERIAL
from simulators.live.station import Station
from simulators.pty_line import PtyLine
from simulators.tdl import codes
from simulators.tdl.identity import simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader
from simulators.tdl.shoe import TdlShoe, written

NOWHERE = "mqtt://127.0.0.1:1"
HURRY = 20.0
_AGAIN_S = 0.05
_TRIAL_S = 0.2
_TICK_S = 0.005
_LINE_MAX = 1 << 20

Fields = dict[str, Any]


def read_again(shoe: TdlShoe, draw_no: int, card: Card, now: float) -> int:
    """A card of this load that could not be read is read after all."""
    return shoe.note(codes.CARD_FIX, pack("<IHBB", shoe.shoe_no, draw_no, written(card), 0), now)


class Display:
    """Watches at the dealer's socket, and again whenever the daemon comes back; `lines` is all that came."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lines: list[bytes] = []
        self.verdict: Fields = {}
        self.remarks: list[str] = []
        self.due: list[str] = []
        self.seq = 0

    async def run(self) -> None:
        while True:
            with suppress(OSError):
                await self._watch()
            await asyncio.sleep(_AGAIN_S)

    async def _watch(self) -> None:
        reader, writer = await asyncio.open_unix_connection(self._path, limit=_LINE_MAX)
        writer.write(b'{"watch":true}\n')
        try:
            while line := await reader.readline():
                self._take(line)
        finally:
            writer.close()

    def _take(self, line: bytes) -> None:
        self.lines.append(line)
        said = json.loads(line)
        if "due" in said:
            self.verdict, self.due, self.remarks = said["verdict"] or {}, said["due"], said["remarks"]
        self.seq = said.get("seq", self.seq)


class AttendedLine(Line, Protocol):
    """A line that passes on what comes, for ever."""

    async def attend(self, hear: Callable[[bytes], None]) -> None: ...


@dataclass(frozen=True, slots=True)
class DeviceAt:
    """Where a device is, for the daemon and for the device itself."""

    port: str
    line: AttendedLine


class OwnTable:
    """Every method returns once the daemon has on disk what it tells."""

    def __init__(
        self,
        folder: Path,
        config: Path,
        shoe: AttendedLine,
        reader: AttendedLine,
        command: Sequence[str] = COMMAND,
        environment: Mapping[str, str] | None = None,
        caps: int = 0,
    ) -> None:
        panel, now = folder / "panel", asyncio.get_running_loop().time()
        caps |= codes.CAP_DISCLOSURE | codes.CAP_POSITIONS
        self.shoe = Station(TdlShoe(simulated("shoe", SHOE_SERIAL, caps), Memory(), now), shoe)
        self.reader = Station(TdlReader(simulated("reader", READER_SERIAL), Memory(), now), reader)
        self.reader.device.hurry = HURRY
        self.dealer = Speaker(panel / "dealer.sock")
        self.supervisor = Speaker(panel / "supervisor.sock")
        self.display = Display(panel / "dealer.sock")
        self.journal = Journal(folder)
        self.answers: list[Fields] = []
        self.folder = folder
        self._config = config
        self._command = command
        self._environment = environment
        self._daemon: Process | None = None

    async def run(self) -> None:
        """The devices and the display, for ever."""
        async with asyncio.TaskGroup() as group:
            for station in (self.shoe, self.reader):
                group.create_task(station.run())
                group.create_task(station.line.attend(station.hear))  # type: ignore[attr-defined]
            group.create_task(self.display.run())

    async def start(self, *options: str) -> None:
        """Start the daemon; both devices are ready."""
        shoe, reader = self.links("shoe", "ready"), self.links("reader", "ready")
        options = ("--log-level", "debug", *options)
        self._daemon = daemon(self._config, *options, command=self._command, environment=self._environment)
        await until(lambda: self.links("shoe", "ready") > shoe and self.links("reader", "ready") > reader)

    def configure(self, old: str, new: str) -> None:
        """Another line in the configuration, for the next start."""
        text = self._config.read_text()
        assert text.count(old) == 1
        self._config.write_text(text.replace(old, new))

    def kill(self) -> None:
        """End the daemon as by kill -9."""
        if self._daemon:
            self._daemon.end()

    @property
    def daemon(self) -> Process:
        assert self._daemon
        return self._daemon

    async def stop(self) -> int:
        """Ask the daemon to end; its status."""
        self.daemon.signal(signal.SIGTERM)
        return await self.daemon.ended()

    def links(self, device: str, state: str) -> int:
        """How often the journal says that a link came to this state."""
        return self.journal.count(kind="link", device=device, to=state)

    async def card(self, card: str, to: str, face: str | None = None, *, withhold: bool = False) -> Fields:
        """A card leaves the shoe, `face` as the dealer says before; its record."""
        if face:
            assert (await self.dealer.announce(face=face))["ok"]
        value = Card.parse(card)
        self.shoe.do(lambda now: self.shoe.device.draw(value, now, place=to, withhold=withhold))
        await self.shoe.until(lambda: self.shoe.is_stored)
        return self.last("card.drawn")

    async def say(self, event: Event, *, supervisor: bool = False) -> Fields:
        """The answer to what a person says."""
        answer = dict(await (self.supervisor if supervisor else self.dealer).say(event))
        self.answers.append(answer)
        return answer

    async def due(self) -> list[str]:
        """What the display shows once it has shown the last event and its record."""
        last = next(row for row in reversed(self.journal.rows()) if row.kind == "table")
        await until(lambda: self.display.verdict.get("event") == last.n and self.display.seq >= last.seq)
        return self.display.due

    def events(self, kind: str) -> list[Fields]:
        """The records of such events."""
        return [data for data in self.journal.records() if data.get("event", {}).get("type") == kind]

    def last(self, kind: str) -> Fields:
        return self.events(kind)[-1]

    async def recorded(self, kind: str, count: int = 1) -> Fields:
        """The last record of such events, once there are so many."""
        await until(lambda: len(self.events(kind)) >= count)
        return self.last(kind)

    def codes(self) -> list[str]:
        """Of all violations so far."""
        verdicts = [data["verdict"] for data in self.journal.records() if data["kind"] == "table"]
        return [verdict["code"] for verdict in verdicts if verdict["outcome"] == "violation"]

    def orders(self) -> list[tuple[str, int, str]]:
        """Name, round and answer of every order of a round."""
        records = [data for data in self.journal.records() if data["kind"] == "order" and "round" in data["args"]]
        return [(data["order"], data["args"]["round"], data["answer"]) for data in records]

    async def ordered(self, count: int) -> list[tuple[str, int, str]]:
        """All orders, once there are so many."""
        await until(lambda: len(self.orders()) >= count)
        return self.orders()

    async def peek(self, *, natural: bool) -> None:
        """The cards go into the reader, which is armed, and out of it after its answer."""
        reader, device = self.reader, self.reader.device
        assert await reader.until(lambda: device.armed_for is not None, 15)
        assert reader.do(lambda now: device.seat(now, natural=natural))
        await reader.until(lambda: not device.timers())
        reader.do(device.remove)
        await reader.until(lambda: reader.is_stored)

    async def lose_reader(self) -> Fields:
        """Its line is cut; the record of what follows."""
        count = len(self.events("reader.faulted"))
        self.reader.line.unplug()
        return await self.recorded("reader.faulted", count + 1)

    async def reader_links_up(self) -> None:
        ready = self.links("reader", "ready")
        self.reader.line.plug_in()
        await until(lambda: self.links("reader", "ready") > ready)

    async def restore_reader(self) -> str | None:
        """A supervisor brings the reader back once it has passed its trial; why not, where not."""
        while True:
            answer = await self.say(ReaderRestored(), supervisor=True)
            if answer["ok"]:
                return None
            if "sound for a while" not in answer["why"]:
                return str(answer["why"])
            await asyncio.sleep(_TRIAL_S)

    async def open_round(self) -> None:
        assert (await self.say(RoundOpened(boxes=(1,))))["ok"]

    async def first_cards(self, card: str, face: str) -> None:
        """A nine for box 1, then this one for the dealer."""
        await self.card("9s", "box:1")
        await self.card(card, "dealer", face)

    async def second_cards(self, card: str | None, face: str = "down") -> None:
        """Another nine for box 1, then this one for the dealer, or none."""
        await self.card("9d", "box:1")
        if card:
            await self.card(card, "dealer", face)

    async def deal(self, up: str = "Ks", hole: str = "7c") -> None:
        """A round in which the first of the dealer's cards lies face up."""
        await self.open_round()
        await self.first_cards(up, "up")
        await self.second_cards(hole)

    async def stand(self) -> None:
        assert (await self.say(PlayerActed(box=1, action="stand")))["ok"]

    async def pay(self) -> None:
        """Box 1 wins with 18, and the round is over."""
        assert (await self.say(HandSettled(box=1, result="win")))["ok"]
        assert (await self.say(RoundClosed()))["ok"]

    async def finish(self) -> None:
        """Box 1 stands, the hole card is turned, and 18 wins against 17."""
        await self.stand()
        assert (await self.say(HoleRevealed()))["ok"]
        await self.pay()


@asynccontextmanager
async def own_table(
    folder: Path,
    *,
    procedure: str = BY_OURS,
    options: str = "{}",
    restore: str = "supervisor",
    url: str = NOWHERE,
    command: Sequence[str] = COMMAND,
    shoe_at: DeviceAt | None = None,
    reader_at: DeviceAt | None = None,
    environment: Mapping[str, str] | None = None,
    panel: str = "",
    devices: str = "",
    caps: int = 0,
) -> AsyncIterator[OwnTable]:
    """A table with its daemon at work, whose devices are behind ptys where nothing else is said, and whose daemon has
    this environment; `panel`, `devices`: more lines of those sections; `caps`: what else its shoe can. Calls are not
    observed at it."""
    shoe, reader = shoe_at or _behind_pty(folder / "shoe"), reader_at or _behind_pty(folder / "reader")
    config = configure_table(
        folder, shoe.port, reader.port, url, procedure=procedure, options=options, restore=restore, panel=panel
    )
    text = config.read_text().replace(', "calls"', "")
    config.write_text(text.replace("[devices]", f"[devices]\n{devices}"))
    lines = (shoe.line, reader.line)
    for line in lines:
        line.plug_in()
    table = OwnTable(folder, config, *lines, command, environment, caps)
    running = asyncio.create_task(table.run())
    try:
        await table.start()
        yield table
    finally:
        table.kill()
        running.cancel()
        await asyncio.wait([running])
        for line in lines:
            line.unplug()


def _behind_pty(link: Path) -> DeviceAt:
    return DeviceAt(f"serial:{link}", PtyLine(link, _TICK_S))
