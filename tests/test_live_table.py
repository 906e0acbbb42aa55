"""The live table within this process, at blackjack with a reader, with a daemon that the test writes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from device_lines import until
from live_story import at_table, expected, played, played_at, run, without_boot
from table_daemon import Daemon, TdlHost

from firmware_bridge.transport import LinkLost
from protocols.cards import Card
from protocols.errors import ShoewatchError
from simulators.live.play import SHOE_SERIAL, TablePlay
from simulators.port import open_sim
from simulators.tdl.shoe import written as byte


@pytest.mark.parametrize("withhold", [False, True])
def test_cards_words_and_peeks_come_in_the_order_in_which_they_happen(tmp_path: Path, withhold: bool) -> None:
    daemon = run(played(tmp_path, rounds="12", seed="5", faults="0.3", withhold=str(int(withhold))))
    play = TablePlay(rounds=12, seed=5, misdeals=0.3, withhold=withhold, pace=0, hurry=100)
    assert without_boot(daemon.story) == expected(play)
    assert {entry[0] for entry in daemon.story} == {"shoe", "card", "verdict", "dealer", "supervisor"}


def test_faults_strike_at_both_devices(tmp_path: Path) -> None:
    fault, reader_fault = "misread@card=6,lid@card=9", "removed-early@round=2"
    daemon = run(played(tmp_path, rounds="2", seed="6", fault=fault, reader_fault=reader_fault))
    cards = [told["card"] for kind, told in daemon.story if kind == "card"]
    assert [number for number, card in enumerate(cards, start=1) if card == 0x7F] == [6]
    assert [verdict for kind, verdict in daemon.story if kind == "verdict"] == [0, 3, 0]
    assert daemon.story.count(("shoe", 0x0A)) == 2


def test_both_ports_end_after_the_last_round_and_stay_ended(tmp_path: Path) -> None:
    async def twice() -> list[str]:
        async with at_table(tmp_path, rounds="1") as (daemon, over):
            await over
            assert daemon.reader
            await daemon.reader.ended.wait()
            kinds = []
            for params in ({"device": "reader"}, parameters(daemon)):
                with pytest.raises(LinkLost) as lost:
                    await (await open_sim("t1", params)).read()
                kinds.append(str(lost.value.kind))
            return kinds

    def parameters(daemon: Daemon) -> dict[str, str]:
        return {
            "procedure": "nd-card-reader",
            "pace": "0",
            "hurry": "100",
            "panel": str(daemon.panel),
            "rounds": "1",
        }

    assert run(twice()) == ["ended", "ended"]


def test_a_daemon_that_goes_and_comes_gets_everything_once(tmp_path: Path) -> None:
    async def disturbed() -> Daemon:
        async with at_table(tmp_path, rounds="25", seed="8") as (daemon, over):
            assert daemon.shoe
            disturbing = asyncio.create_task(disturb(daemon))
            await over
            disturbing.cancel()
        return daemon

    async def disturb(daemon: Daemon) -> None:
        while True:
            await asyncio.sleep(0.3)
            daemon.drop_answers = 1

    daemon = run(disturbed())
    play = TablePlay(rounds=25, seed=8, pace=0, hurry=100)
    assert without_boot(daemon.story) == expected(play)
    assert daemon.repeated > 0


def test_a_shoe_whose_host_comes_back_tells_what_was_missed(tmp_path: Path) -> None:
    async def interrupted() -> tuple[Daemon, int]:
        async with at_table(tmp_path, rounds="25", seed="8") as (daemon, over):
            lives = 0
            while not over.done():
                await asyncio.wait([over], timeout=0.15)
                if not over.done() and daemon.shoe:
                    lives += 1
                    transport = await daemon.shoe.opener()
                    await transport.close()
        return daemon, lives

    daemon, lives = run(interrupted())
    assert lives > 1
    play = TablePlay(rounds=25, seed=8, pace=0, hurry=100)
    assert without_boot(daemon.story) == expected(play)


def test_the_next_act_waits_for_the_answer(tmp_path: Path) -> None:
    async def unanswered() -> tuple[int, int]:
        daemon = Daemon(tmp_path / "panel")
        shoe = TdlHost(
            lambda: open_sim("t1", {"procedure": "nd-no-peek", "pace": "0", "panel": str(daemon.panel)}),
            SHOE_SERIAL,
            daemon.shoe_told,
        )
        running = asyncio.create_task(shoe.run())
        await asyncio.sleep(0.5)
        before = len(daemon.story)
        async with daemon.open():
            await until(lambda: len(daemon.story) >= before + 20)
        running.cancel()
        return before, len(daemon.story)

    before, after = run(unanswered())
    assert before <= 1
    assert after >= 20


def test_a_refusal_stops_nobody(tmp_path: Path) -> None:
    async def refused() -> Daemon:
        async with at_table(tmp_path, rounds="3") as (daemon, over):
            daemon.refuse = "call.made"
            await over
        return daemon

    daemon = run(refused())
    assert sum(entry[0] == "dealer" and entry[1]["type"] == "round.closed" for entry in daemon.story) == 3


def test_the_host_knows_of_a_reader_fault_before_the_next_card(tmp_path: Path) -> None:
    daemon = run(played(tmp_path, rounds="8", seed="3", reader_faults="1"))
    story = [entry for entry in daemon.story if entry[0] in ("verdict", "reader.faulted", "reader.restored")]
    faults = [place for place, entry in enumerate(story) if entry[0] == "reader.faulted"]
    assert len(faults) > 1
    for fault in faults:
        later = [entry[0] for entry in story[fault + 1 :]]
        until = later.index("reader.restored") if "reader.restored" in later else len(later)
        assert "verdict" not in later[:until]
    opened = sum(entry[0] == "dealer" and entry[1]["type"] == "round.opened" for entry in daemon.story)
    assert opened == 8


def test_a_reader_that_nobody_arms_is_put_out_of_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulators.live.reader_hand._ARMED_S", 0.2)

    async def unarmed() -> Daemon:
        async with at_table(tmp_path, rounds="12") as (daemon, over):
            assert daemon.reader
            daemon.reader.on_event = lambda kind, data: None
            daemon.round = 1
            reader, daemon.reader = daemon.reader, None
            await over
            daemon.reader = reader
        return daemon

    daemon = run(unarmed())
    assert ("reader.faulted", None) in daemon.story
    assert not any(entry[0] == "verdict" for entry in daemon.story)


def test_places_that_the_shoe_does_not_sense_are_said_before_the_card(tmp_path: Path) -> None:
    play = TablePlay("nd-no-peek", rounds=3, pace=0, places=False)
    cards = [entry[1] for entry in run(played_at(tmp_path, play)).story if entry[0] == "card"]
    assert {card["slot"] for card in cards} == {0xFF}
    assert {card["to"] for card in cards} >= {"dealer"}
    assert all("face" in card for card in cards if card["to"] == "dealer")


def test_the_reader_waits_for_its_table() -> None:
    async def too_early() -> str:
        with pytest.raises(LinkLost) as lost:
            await open_sim("t1", {"device": "reader"})
        return str(lost.value.kind)

    assert run(too_early()) == "absent"


def test_one_name_is_one_table() -> None:
    async def two() -> None:
        await open_sim("t1", {"procedure": "nd-no-peek", "seed": "1"})
        await open_sim("t2", {"procedure": "nd-no-peek", "seed": "2"})
        await open_sim("t1", {"procedure": "nd-no-peek", "seed": "1"})
        with pytest.raises(ShoewatchError, match="sim:t1: this table is played otherwise already"):
            await open_sim("t1", {"procedure": "nd-no-peek", "seed": "2"})

    run(two())


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"procedure": "nd-no-peek", "hury": "2"}, 'did you mean "hurry"'),
        ({"procedure": "nd-no-peek", "hurry": "0"}, "a number from 1"),
        ({"procedure": "nd-no-peek", "reader_faults": "2"}, "a share"),
        ({"procedure": "pb-nj", "hurry": "2"}, "unknown parameter 'hurry'"),
        ({"procedure": "nj-ms-shoe", "hurry": "2"}, "unknown parameter 'hurry'"),
        ({"procedure": "nj-ms-shoe", "shoe_faults": "2"}, "a share"),
        ({"procedure": "nd-no-peek", "shoe_faults": "0"}, "unknown parameter 'shoe_faults'"),
        ({"device": "reader", "seed": "2"}, "belongs to the shoe's port"),
        ({"device": "printer"}, "must be shoe or reader"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, str], complaint: str) -> None:
    with pytest.raises(ShoewatchError, match=complaint):
        run(open_sim("t1", params))


def test_cards_of_a_story_are_cards() -> None:
    assert byte(Card.parse("Kh")) == 0x4D
