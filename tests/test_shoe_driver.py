"""The shoe's driver on real lines, with the Angel Eye protocol."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from pathlib import Path

import pytest
from angel_frames import PLAYER, frame, placed
from device_lines import PtyLine, TcpLine, descriptors, until

from firmware_bridge import driver
from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.driver import SessionDriver
from firmware_bridge.link import Backoff, Opener
from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings
from protocols.errors import ShoewatchError
from protocols.events import CardDrawn
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.line_session import LineSession
from protocols.records import DeviceReported, Fact, LinkChanged
from protocols.wire.angel_eye import AngelEyeDecoder

READY_DEADLINE_S = 5 * 3.0
SHARED = Path(__file__).parents[2] / "shared" / "data" / "angel-eye" / "recording-1.txt"


class Table:
    """A driver on a port, and the facts that came out of it."""

    def __init__(self, port: str, room: int = 0, backoff: Backoff | None = None) -> None:
        self.queue: Intake = asyncio.Queue(room)
        self.arrivals: list[Arrival] = []
        session = LineSession(AngelEyeDecoder)
        self.driver = SessionDriver("shoe", opener(port), session, AngelEyeIntake("shoe"), self.queue, backoff)

    def start(self) -> None:
        self._task = asyncio.create_task(self.driver.run())

    async def stop(self) -> None:
        self._task.cancel()
        async with asyncio.timeout(2):
            await asyncio.gather(self._task, return_exceptions=True)

    def facts(self) -> list[Fact]:
        while not self.queue.empty():
            arrival = self.queue.get_nowait()
            assert isinstance(arrival, Arrival)
            self.arrivals.append(arrival)
        return [fact for arrival in self.arrivals for fact in arrival.facts]

    def states(self) -> list[str]:
        return [fact.now for fact in self.facts() if isinstance(fact, LinkChanged)]

    def reports(self) -> list[str]:
        return [fact.report for fact in self.facts() if isinstance(fact, DeviceReported)]

    def counters(self) -> list[dict[str, int]]:
        told = [fact for fact in self.facts() if isinstance(fact, DeviceReported) and fact.report == "counters"]
        return [dict(fact.data) for fact in told]

    async def ready(self, times: int = 1) -> None:
        await until(lambda: self.states().count("ready") == times, READY_DEADLINE_S)

    async def entered(self, state: str) -> None:
        await until(lambda: self.states()[-1] == state)

    async def reported(self, report: str, times: int = 1) -> None:
        await until(lambda: self.reports().count(report) == times)


def opener(port: str) -> Opener:
    return lambda: open_port(parse_port(port), LineSettings(4800))


FORGIVING = Backoff(steady_s=0)


@pytest.mark.parametrize(
    "backoff", [pytest.param(FORGIVING, id="quick"), pytest.param(Backoff(), id="as-shipped", marks=pytest.mark.soak)]
)
def test_a_line_closed_and_reopened_is_ready_again_and_nothing_grows(tmp_path: Path, backoff: Backoff) -> None:
    async def main() -> None:
        line = PtyLine(tmp_path / "shoe")
        table = Table(f"serial:{line.path}", backoff=backoff)
        table.start()
        await table.ready()
        held = held_now()
        for replug in range(1, 21):
            line.unplug()
            await table.entered("absent" if replug % 2 else "lost")
            line.plug()
            await table.ready(1 + replug)
            line.send(frame(1 + replug % 9, "P"))
            await table.reported("stand-by", replug)
        await until(lambda: all(now <= then for now, then in zip(held_now(), held, strict=True)))
        await table.stop()
        await until(lambda: threading.active_count() == 1)
        line.unplug()

    asyncio.run(main())


def held_now() -> tuple[int, int, int]:
    return len(descriptors()), threading.active_count(), len(asyncio.all_tasks())


def test_a_server_that_was_away_is_found_again() -> None:
    async def main() -> None:
        line = TcpLine()
        port = await line.start()
        table = Table(f"tcp:127.0.0.1:{port}")
        table.start()
        await table.ready()
        await line.stop()
        await table.entered("absent")
        again = TcpLine(port)
        await again.start()
        await table.ready(2)
        await table.stop()
        await again.stop()

    asyncio.run(main())


def test_a_server_that_hangs_up_at_once_does_not_fill_the_journal() -> None:
    async def main() -> None:
        line = TcpLine()
        table = Table(f"tcp:127.0.0.1:{await line.start()}")
        table.start()
        hung_up = 0
        while hung_up < 4:
            hung_up += line.hang_up()
            await asyncio.sleep(0.005)
        assert table.states() == ["opening", "lost"]
        await table.stop()
        await line.stop()

    asyncio.run(main())


def test_a_report_is_an_arrival_with_the_time_of_its_bytes(tmp_path: Path) -> None:
    async def main() -> None:
        line = PtyLine(tmp_path / "shoe")
        table = Table(f"serial:{line.path}")
        table.start()
        await table.ready()
        before = time.monotonic_ns()
        line.send(frame(0, "S") + placed(1, "D", PLAYER, 1, "Kh"))
        await until(lambda: any(isinstance(fact, CardDrawn) for fact in table.facts()))
        start, card = table.arrivals[-2:]
        assert before < start.mono_ns == card.mono_ns < time.monotonic_ns()
        assert [type(fact).__name__ for fact in card.facts] == ["RoundOpened", "CardDrawn"]
        await table.stop()
        line.unplug()

    asyncio.run(main())


def test_half_a_frame_is_counted_when_its_line_is_lost_not_joined_to_the_next(tmp_path: Path) -> None:
    async def main() -> None:
        line = PtyLine(tmp_path / "shoe")
        table = Table(f"serial:{line.path}")
        table.start()
        await table.ready()
        whole = frame(1, "P")
        line.send(b"\x00\xff" + whole + whole[:3])
        await table.reported("stand-by")
        line.unplug()
        line.plug()
        await table.ready(2)
        assert table.counters() == [{"discarded": 2, "bad_checks": 0, "malformed": 0}]
        line.send(whole[3:] + frame(2, "P"))
        await table.reported("stand-by", 2)
        await table.stop()
        line.unplug()

    asyncio.run(main())


def test_counters_go_out_while_the_line_runs_but_not_with_every_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_COUNTERS_NS", 100_000_000)

    async def main() -> None:
        line = PtyLine(tmp_path / "shoe")
        table = Table(f"serial:{line.path}")
        table.start()
        await table.ready()
        before = time.monotonic()
        sent = 0
        while len(table.counters()) < 3:
            line.send(b"\xff")
            sent += 1
            await asyncio.sleep(0.002)
        assert time.monotonic() - before >= 0.2
        line.unplug()
        await until(lambda: "lost" in table.states())
        assert sum(counted["discarded"] for counted in table.counters()) == sent
        await table.stop()

    asyncio.run(main())


def test_a_full_queue_holds_the_driver_up_and_loses_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        path = tmp_path / "recording.txt"
        path.write_text("".join(f"{frame(1 + number % 9, 'P').hex()}\n" for number in range(200)))
        table = Table(f"replay:{path}?pace=0", room=1)
        table.start()
        while table.states()[-1:] != ["lost"]:
            assert table.queue.qsize() <= 1
            await asyncio.sleep(0)
        assert table.reports().count("stand-by") == 200
        await table.stop()

    asyncio.run(main())


def test_a_cancellation_ends_a_driver_whose_queue_is_full(tmp_path: Path) -> None:
    async def main() -> None:
        line = PtyLine(tmp_path / "shoe")
        table = Table(f"serial:{line.path}", room=1)
        table.start()
        await until(table.queue.full)
        await table.stop()
        await until(lambda: threading.active_count() == 1)
        line.unplug()

    asyncio.run(main())


def test_a_recording_ends_the_driver() -> None:
    if not SHARED.exists():
        pytest.skip("no shared data beside the repository")

    async def main() -> Table:
        table = Table(f"replay:{SHARED}?pace=0")
        async with asyncio.timeout(10):
            await table.driver.run()
        return table

    table = asyncio.run(main())
    assert table.states() == ["opening", "ready", "lost"]
    assert table.facts()[-1] == LinkChanged("shoe", "ready", "lost", "ended", "the recording is over")
    assert len([fact for fact in table.facts() if isinstance(fact, CardDrawn)]) == _draws_in(SHARED)
    assert not table.counters()


def _draws_in(path: Path) -> int:
    """Different frames of a drawn card, by a plain search of the bytes."""
    joined = b"".join(bytes.fromhex(line) for line in path.read_text().split("\n") if line[:1] not in ("#", ""))
    return len(re.findall(rb"(\x05.D..\x03..)\1\1", joined, re.DOTALL))


def test_a_recording_that_cannot_be_read_is_refused_and_ends_the_driver(tmp_path: Path) -> None:
    (tmp_path / "recording.txt").write_text("05\nno read\n")

    async def main() -> Table:
        table = Table(f"replay:{tmp_path}/recording.txt")
        with pytest.raises(ShoewatchError, match="line 2"):
            await table.driver.run()
        return table

    assert asyncio.run(main()).states() == ["opening", "refused"]
