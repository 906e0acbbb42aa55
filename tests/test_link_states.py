"""How the links of a table stand, told from the journal: folded from its records, and of a real daemon."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest
from command import shoewatch
from daemon import COMMAND_S, Journal, Process, configure, daemon, running, shoe
from mqtt_table import until

from controller.journal_file import Row
from controller.link_states import LinkStanding, links_after
from protocols.floor.messages import Source, digest, message
from protocols.records import NO_HASH, DeviceReported, LinkChanged, PlainFact, SecurityNoted, body_of

SOURCE = Source("riverside", "bac-01", "8f3c")
NOWHERE = "mqtt://127.0.0.1:1"


def row(seq: int, fact: PlainFact) -> Row:
    kind, fields = body_of(fact)
    wall = f"2026-11-30T07:00:{seq:02}Z"
    body = message(SOURCE, seq, NO_HASH, wall, kind, fields)
    return Row(seq, "boot", seq, wall, kind, None, None, body, None, bytes.fromhex(digest(body)))


def folded(*facts: PlainFact) -> LinkStanding:
    return links_after({}, [row(seq, fact) for seq, fact in enumerate(facts, start=1)])["shoe"]


UP = (LinkChanged("shoe", "absent", "opening"), LinkChanged("shoe", "opening", "ready"))


def test_a_link_that_came_and_went() -> None:
    found = folded(*UP, LinkChanged("shoe", "ready", "lost", "gone", "pulled"), LinkChanged("shoe", "lost", "ready"))
    assert (found.state, found.since) == ("ready", "2026-11-30T07:00:04Z")
    assert (found.ready, found.losses, found.loss, found.detail) == (2, 1, "gone", "pulled")


def test_a_stall_is_no_loss_and_its_end_no_new_link() -> None:
    found = folded(*UP, LinkChanged("shoe", "ready", "stalled"), LinkChanged("shoe", "stalled", "ready"))
    assert (found.state, found.ready, found.losses) == ("ready", 1, 0)


def test_a_link_that_never_was_is_no_loss_and_the_same_state_for_another_reason_keeps_its_time() -> None:
    away = LinkChanged("shoe", "opening", "refused", "denied", "not in the group")
    found = folded(UP[0], away, LinkChanged("shoe", "refused", "refused", "busy", "held by minicom (pid 812)"))
    assert (found.state, found.since, found.loss) == ("refused", "2026-11-30T07:00:02Z", "busy")
    assert (found.ready, found.losses, found.detail) == (0, 0, "held by minicom (pid 812)")


def test_what_was_not_used_adds_up_and_an_alarm_ends_with_the_next_ready() -> None:
    counted = [DeviceReported("shoe", "counters", {"discarded": 3, "damaged": number}) for number in (0, 2)]
    alarm = SecurityNoted("unknown_serial", "shoe", "SHOE-9 is not in the registry")
    found = folded(UP[0], *counted, alarm)
    assert found.unused == {"discarded": 6, "damaged": 2}
    assert found.alarm == ("unknown_serial", "SHOE-9 is not in the registry")
    assert folded(UP[0], alarm, UP[1]).alarm is None


def test_devices_are_kept_apart() -> None:
    rows = [row(1, UP[1]), row(2, LinkChanged("reader", "opening", "absent", "absent", "not there"))]
    assert {name: link.state for name, link in links_after({}, rows).items()} == {"shoe": "ready", "reader": "absent"}


def test_the_command_at_a_real_table(tmp_path: Path) -> None:
    asyncio.run(at_a_real_table(tmp_path))


async def at_a_real_table(tmp_path: Path) -> None:
    config = configure(tmp_path, f"serial:{tmp_path}/shoe", NOWHERE)
    of_table = ("devices", "--config", str(config))
    journal = Journal(tmp_path)
    with running(daemon(config)) as table:
        await until(lambda: journal.count(kind="link", device="shoe", to="absent") == 1, COMMAND_S)
        before = shoewatch(*of_table)
        follower = Process(tmp_path / "follow.log", *of_table, "--follow")
        with running(follower):
            await until(lambda: "  shoe    absent" in follower.log, COMMAND_S)
            device = shoe(tmp_path)
            with running(device):
                await until(lambda: "bac-01 shoe: ready\n" in follower.log, COMMAND_S)
                linked = shoewatch(*of_table)
                device.signal(signal.SIGUSR1)
                await until(lambda: "bac-01 shoe: lost (gone)" in follower.log, COMMAND_S)
            follower.signal(signal.SIGINT)
            assert await follower.ended() == 0
        table.signal(signal.SIGTERM)
        assert await table.ended() == 0
    after = shoewatch(*of_table)

    assert (before.status, linked.status, after.status) == (1, 0, 1)
    assert f"bac-01: the daemon runs (pid {table.pid})" in before.stdout
    assert "  shoe    absent since " in before.stdout
    assert f"{tmp_path}/shoe is not there" in before.stdout
    assert "  shoe    ready since " in linked.stdout
    assert "ready once, lost 0 times" in linked.stdout
    assert f"bac-01: no daemon runs ({config})" in after.stdout
    assert f"start it: shoewatch run --config {config}\n" in after.stdout


def test_a_table_at_which_nothing_ever_ran(tmp_path: Path) -> None:
    config = configure(tmp_path, "serial:/dev/ttyS0", NOWHERE)
    found = shoewatch("devices", "--config", str(config))
    assert found.status == 2
    assert f"no daemon has run at bac-01 yet: shoewatch run --config {config}\n" in found.stderr


def test_no_table_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("controller.cli.tables.INSTALLED", tmp_path / "etc")
    found = shoewatch("devices")
    assert (found.status, "no table is configured here" in found.stderr) == (2, True)
    (tmp_path / "etc" / "bj-07").mkdir(parents=True)
    (tmp_path / "etc" / "bj-07" / "table.toml").write_text("site = 7")
    assert "site:" in shoewatch("devices").stderr
