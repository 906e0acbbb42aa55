"""At a running daemon: what the reader tells grows old though its line is up, and its inspection of the day."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mqtt_table import until
from own_table import OwnTable
from reader_table import STAND, at_table

from simulators.tdl.device import Device

DEADLINE_S = 120.0
_NO_MESSAGE = 0x1F
WANTED = 'restore = "supervisor"\ninspection = "required"'
BY = {"by": "F. Person"}


def reports(table: OwnTable, name: str) -> list[dict[str, Any]]:
    return [data["data"] for data in table.journal.records() if data.get("report") == name]


def babbles(device: Device) -> None:
    """From now on the device tells nothing that means anything, in frames that are its own."""
    device._say_how_it_stands = lambda now: device._send(_NO_MESSAGE, b"")  # type: ignore[method-assign]


def test_a_reader_whose_line_is_up_and_that_tells_nothing_new_is_out(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        device = table.reader.device
        sound = device._say_how_it_stands
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        babbles(device)
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "stale"
        [stale] = reports(table, "stale")
        assert stale["age_s"] >= stale["max_age_s"] == 2.0
        assert await table.due() == STAND
        assert table.links("reader", "lost") + table.links("reader", "stalled") == 0
        await table.finish()
        assert await table.restore_reader() == "reader.restored: the reader tells nothing new"
        assert table.events("reader.restored") == []
        device._say_how_it_stands = sound  # type: ignore[method-assign]
        await until(lambda: len(reports(table, "fresh")) == 1)
        assert reports(table, "fresh")[0]["away_s"] >= 2.0
        assert await table.restore_reader() is None
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        assert table.codes() == []

    at_table(tmp_path, story, within_s=DEADLINE_S)


def test_a_reader_that_has_to_be_inspected_is_out_until_it_was(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        assert await table.stop() == 0
        table.configure('restore = "supervisor"', WANTED)
        await table.start()
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "not-inspected"
        assert await table.restore_reader() == "reader.restored: the reader was not inspected on this gaming day"
        await table.deal()
        assert await table.due() == STAND
        refused = await table.supervisor.inspect(BY)
        assert refused["why"] == "inspected: the reader cannot test itself now, a round is open"
        await table.finish()
        assert (await table.dealer.inspect(BY))["why"] == "inspected: only a supervisor says this"
        assert (await table.supervisor.inspect({"by": " "}))["why"].startswith("inspected: who has inspected")
        answer = await table.supervisor.inspect(BY)
        assert answer["ok"]
        record = table.journal.records()[answer["seq"] - 1]
        assert (record["kind"], record["role"]) == ("input", "supervisor")
        assert record["inspected"] == {"device": "reader", "by": "F. Person"}
        await table.recorded("reader.restored")
        assert [test["result"] for test in reports(table, "self-test")] == [0]
        table.kill()
        await table.start()
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        assert len(table.events("reader.faulted")) == 1
        assert table.codes() == []

    at_table(tmp_path, story, within_s=DEADLINE_S)
