"""A shoe that the table locks after a violation, and a supervisor unlocks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from daemon import Journal, daemon, running, shoe
from mqtt_table import until
from own_table import OwnTable, own_table
from panel_client import connected
from scenario_run import CARDS
from table_toml import write
from test_orders_at_table import angel_table, orders

from controller.config_reading import load_config
from controller.enforced_codes import USUAL_CODES
from controller.enforcement import Enforcement, LockStanding, last_lock
from protocols.cards import Card
from protocols.dealing.catalog import procedures
from protocols.dealing.remedies import DISPUTING
from protocols.errors import ConfigError
from protocols.events import CardDrawn, HoleRevealed
from protocols.orders import Lock, Order
from protocols.records import DeviceReported, Fact, LinkChanged, Ordered
from protocols.verdicts import Verdict
from simulators.tdl import codes

LOCK = {"locked": True}
READY = LinkChanged("shoe", "handshake", "ready")
S = 1_000_000_000
DEVICES = 'allow_commands = true\nenforce = "lock"\n'


def verdict(outcome: str = "violation", code: str | None = "hand_skipped") -> Verdict:
    return Verdict("verdict", 1, 1, None, outcome, code, None, None, (), None, None)  # type: ignore[arg-type]


class Table:
    """A lock, and the orders that it gave."""

    def __init__(self, standing: LockStanding | None = None) -> None:
        self.given: list[tuple[str, Order, str]] = []
        self.lock = Enforcement(USUAL_CODES, lambda *order: self.given.append(order), standing)
        self.now = 0

    def judged(self, told: Verdict, record: int = 7) -> Ordered | None:
        order = self.lock.judged(told, record)
        if order:
            self.lock.after(order, self.now)
        return order

    def answered(self, answer: str, locked: bool = True, by: str | None = None) -> None:
        name = "u" if by else "lock-hand_skipped-7"
        self.lock.after(Ordered("shoe", "lock", {"locked": locked}, name, answer, by), self.now)

    @property
    def remarks(self) -> list[str]:
        return list(self.lock.remarks())


def test_a_violation_locks_once_until_a_supervisor_unlocks() -> None:
    table = Table()
    assert table.judged(verdict()) == Ordered("shoe", "lock", LOCK, "lock-hand_skipped-7", "given")
    assert table.given == [("shoe", Lock(locked=True), "lock-hand_skipped-7")]
    assert table.remarks == ["the shoe is to be locked: hand_skipped"]
    table.answered("ok")
    assert table.remarks == ["the shoe is locked: hand_skipped"]
    assert table.judged(verdict(code="draw_after_stand")) is None
    table.answered("failed", locked=False, by="supervisor")
    assert table.remarks == ["the shoe is locked: hand_skipped"]
    table.answered("ok", locked=False, by="supervisor")
    assert (table.remarks, len(table.given)) == ([], 1)
    table.lock.after(READY, 0)
    assert len(table.given) == 1
    assert table.judged(verdict(code="draw_after_stand"), 9) is not None


@pytest.mark.parametrize(
    "told",
    [verdict("ok", None), verdict("warning"), verdict("unobservable"), verdict(code="pickup_order")],
)
def test_nothing_else_locks(told: Verdict) -> None:
    table = Table()
    assert table.judged(told) is None
    assert table.given == []


def test_what_came_to_nothing_is_tried_again_ever_more_rarely() -> None:
    table = Table()
    table.judged(verdict())
    waits = []
    for _ in range(7):
        table.answered("no_answer")
        assert table.lock.deadline is not None
        waits.append((table.lock.deadline - table.now) // S)
        table.lock.pass_time(table.lock.deadline - 1)
        before = len(table.given)
        table.now = table.lock.deadline
        table.lock.pass_time(table.now)
        assert len(table.given) == before + 1
    assert waits == [1, 2, 4, 8, 16, 30, 30]
    assert table.remarks == ["the shoe is to be locked: hand_skipped (no_answer)"]


@pytest.mark.parametrize("answer", ["no_link", "unsupported", "denied"])
@pytest.mark.parametrize(
    "again",
    [READY, DeviceReported("shoe", "boot"), DeviceReported("shoe", "start")],
    ids=["link", "boot", "start"],
)
def test_what_is_of_no_use_now_waits_for_the_shoe_to_come_anew(answer: str, again: Fact) -> None:
    table = Table()
    table.judged(verdict())
    table.answered(answer)
    assert table.lock.deadline is None
    table.lock.after(LinkChanged("shoe", "stalled", "ready"), 0)
    assert len(table.given) == 1
    table.lock.after(again, 0)
    assert len(table.given) == 2


@pytest.mark.parametrize(
    ("answer", "is_over"),
    [
        ("ok", True),
        ("unsupported", True),
        ("unknown_op", True),
        *((answer, False) for answer in ("no_link", "no_answer", "not_allowed", "busy", "denied", "failed")),
    ],
)
def test_an_unlocking_ends_the_lock_where_the_shoe_is_open_then(answer: str, is_over: bool) -> None:
    table = Table()
    table.judged(verdict())
    table.answered("unsupported" if answer in ("unsupported", "unknown_op") else "ok")
    table.answered(answer, locked=False, by="supervisor")
    assert (table.remarks == []) == is_over
    table.lock.after(READY, 0)
    assert len(table.given) == (1 if is_over else 2)


@pytest.mark.parametrize("answer", ["ok", "no_link", "no_answer"])
@pytest.mark.parametrize(
    "meanwhile",
    [READY, DeviceReported("shoe", "boot"), DeviceReported("shoe", "lock", {"state": 0, "by": 2})],
    ids=["link", "boot", "key"],
)
def test_a_shoe_that_comes_anew_before_its_answer_is_heard_is_asked_again(answer: str, meanwhile: Fact) -> None:
    table = Table()
    table.judged(verdict())
    table.lock.after(meanwhile, 0)
    assert len(table.given) == 1
    table.answered(answer)
    assert len(table.given) == 2
    table.answered("ok")
    assert (len(table.given), table.remarks) == (2, ["the shoe is locked: hand_skipped"])


@pytest.mark.parametrize(("by", "orders_"), [(1, 2), (2, 2), (3, 1)], ids=["button", "key", "us"])
def test_nobody_else_unlocks_it_for_long(by: int, orders_: int) -> None:
    table = Table()
    table.judged(verdict())
    table.answered("ok")
    table.lock.after(DeviceReported("shoe", "lock", {"state": 0, "by": by}), 0)
    assert len(table.given) == orders_


def test_the_usual_codes_are_codes() -> None:
    assert DISPUTING < USUAL_CODES <= procedures().codes
    text = (Path(__file__).parent.parent / "docs/panel.md").read_text().partition("that cannot be in the shoe:")[2]
    assert text.split("It needs")[0].replace("`", "").split() == sorted(USUAL_CODES)


@pytest.mark.parametrize(
    ("devices", "found"),
    [
        ("", None),
        ('enforce = "off"\nenforce_codes = ["order"]', None),
        (DEVICES, USUAL_CODES),
        (f'{DEVICES}enforce_codes = ["order", "face"]', {"order", "face"}),
        (f"{DEVICES}enforce_codes = []", set()),
    ],
)
def test_which_codes_lock(tmp_path: Path, devices: str, found: frozenset[str] | None) -> None:
    assert load_config(write(tmp_path, devices=devices, panel='directory = "panel"')).enforced == found


@pytest.mark.parametrize(
    ("parts", "problems"),
    [
        ({"devices": 'enforce = "lock"'}, ['devices.enforce: "lock" tells the shoe something']),
        ({"devices": 'enforce = "look"'}, ["devices.enforce: 'look' is not possible here"]),
        (
            {"devices": f'{DEVICES}enforce_codes = ["ordr", "face"]'},
            ["devices.enforce_codes: unknown code 'ordr' (did you mean \"order\"?)"],
        ),
        (
            {"devices": 'enforce = "lock"', "shoe": 'port = "sim:try"\nprotocol = "bee-tek"'},
            ['devices.enforce: "lock" tells', "devices.enforce: a shoe that speaks bee-tek cannot be locked"],
        ),
        ({"devices": DEVICES, "panel": None}, ["devices.enforce: without a [panel] no supervisor"]),
    ],
)
def test_a_lock_that_cannot_be_is_a_mistake(tmp_path: Path, parts: Mapping[str, Any], problems: list[str]) -> None:
    given = {"panel": 'directory = "panel"', **parts}
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, **{name: text for name, text in given.items() if text is not None}))
    assert len(caught.value.problems) == len(problems)
    for problem, begins in zip(caught.value.problems, problems, strict=True):
        assert problem.startswith(begins)


def at_table(folder: Path, story: Callable[[OwnTable], Any], caps: int = codes.CAP_LOCK) -> None:
    async def told() -> None:
        async with asyncio.timeout(90), own_table(folder, devices=DEVICES, caps=caps) as table:
            await story(table)

    asyncio.run(told())


async def skip_a_hand(table: OwnTable) -> None:
    """Box 1 stands on two cards, gets another one, and a supervisor is wanted."""
    await table.deal(up="5s")
    await table.stand()
    await table.card("2c", "box:1")


def locks(table: OwnTable) -> list[tuple[Any, ...]]:
    return [(*order[2].values(), *order[3:]) for order in orders(table.journal) if order[1] == "lock"]


def lock_of(table: OwnTable) -> str:
    wrong = table.last("card.drawn")
    assert wrong["verdict"]["code"] == "draw_after_stand"
    row = [row for row in table.journal.rows() if row.kind == "table"][-1]
    return f"lock-draw_after_stand-{row.seq}"


async def unlock(table: OwnTable, name: str = "u") -> None:
    async with connected(table.folder / "panel/supervisor.sock") as supervisor:
        answer = await supervisor.ask(name, order="unlock")
        assert answer["ok"], answer


def test_a_tdl_shoe_is_locked_stays_so_over_a_kill_and_is_unlocked(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        device = table.shoe.device
        await skip_a_hand(table)
        name = lock_of(table)
        await until(lambda: len(locks(table)) == 2)
        assert locks(table) == [(True, name, "given", None), (True, name, "ok", None)]
        assert device.is_shut
        await until(lambda: "the shoe is locked: draw_after_stand" in table.display.remarks)
        table.kill()
        await table.start()
        await until(lambda: len(locks(table)) == 3)
        assert locks(table)[2] == (True, name, "ok", None)
        await until(lambda: "the shoe is locked: draw_after_stand" in table.display.remarks)
        await unlock(table)
        assert not device.is_shut
        await until(lambda: "the shoe is locked: draw_after_stand" not in table.display.remarks)
        table.kill()
        await table.start()
        await table.stand()
        assert not device.is_shut
        assert len(locks(table)) == 4
        assert last_lock(tmp_path / "journal.db") == LockStanding()

    at_table(tmp_path, story)


def test_a_shoe_that_was_away_is_locked_when_it_is_back_but_not_for_what_it_tells_late(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        device = table.shoe.device
        await table.deal(up="5s")
        await table.stand()
        lost = table.links("shoe", "lost")
        table.shoe.line.unplug()
        await until(lambda: table.links("shoe", "lost") > lost)
        table.shoe.do(partial(device.draw, Card.parse("2c"), place="box:1"))
        ready = table.links("shoe", "ready")
        table.shoe.line.plug_in()
        await until(lambda: table.links("shoe", "ready") > ready)
        assert table.last("card.drawn")["verdict"]["code"] == "draw_after_stand"
        assert table.last("card.drawn")["replayed"] is True
        assert locks(table) == []

    at_table(tmp_path, story)


def test_a_shoe_that_is_away_is_locked_once_it_is_back(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal(up="5s")
        lost = table.links("shoe", "lost")
        table.shoe.line.unplug()
        await until(lambda: table.links("shoe", "lost") > lost)
        assert (await table.say(HoleRevealed()))["verdict"]["code"] == "dealer_played_early"
        await until(lambda: [order[2] for order in locks(table)] == ["given", "no_link"])
        table.shoe.line.plug_in()
        await until(lambda: [order[2] for order in locks(table)] == ["given", "no_link", "ok"])
        assert table.shoe.device.is_shut

    at_table(tmp_path, story)


def test_a_shoe_without_a_lock_is_asked_once_and_the_display_says_so(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await skip_a_hand(table)
        await until(lambda: "the shoe is to be locked: draw_after_stand (unsupported)" in table.display.remarks)
        assert [order[2] for order in locks(table)] == ["given", "unsupported"]

    at_table(tmp_path, story, caps=0)


def test_a_supervisor_who_corrects_a_card_locks_nothing(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        lost = table.links("shoe", "lost")
        table.shoe.line.unplug()
        await until(lambda: table.links("shoe", "lost") > lost)
        by_hand = CardDrawn(card=Card.parse("9s"), to="box:1", face="up")
        assert (await table.say(by_hand, supervisor=True))["ok"]
        corrected = {"round": 1, "what": "correct", "draw": 1, "card": "8s", "who": "F. Person", "why": "misread"}
        async with connected(table.folder / "panel/supervisor.sock") as supervisor:
            assert (await supervisor.ask("c", resolution=corrected))["ok"]
        told = table.last("card.revealed")["verdict"]
        assert (told["outcome"], told["code"]) == ("violation", "reader_mismatch")
        assert locks(table) == []

    at_table(tmp_path, story)


def cards_in(folder: Path) -> int:
    """How many cards have left the simulated shoe."""
    told = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    return sum(line.get("act") in CARDS for line in told)


def shown_in(journal: Journal) -> int:
    events = [data["event"] for data in journal.records() if data["kind"] == "table"]
    return sum(event["type"] == "card.drawn" and "moved" not in event for event in events)


def test_an_angel_eye_shoe_gives_no_card_while_it_is_locked(tmp_path: Path) -> None:
    config, journal = angel_table(tmp_path, f"[devices]\n{DEVICES}"), Journal(tmp_path)

    def cards_follow(drawn: int) -> bool:
        return cards_in(tmp_path) > drawn

    async def stands_still(number: int) -> None:
        await until(lambda: journal.count(report="lock") == 2 * number + 1)
        await until(lambda: shown_in(journal) == cards_in(tmp_path))
        drawn = cards_in(tmp_path)
        await asyncio.sleep(1)
        assert cards_in(tmp_path) == drawn

    async def scenario() -> None:
        playing = shoe(tmp_path, "--pace", "0.05", "--faults", "1", "--disclose", "--seed", "3")
        with running(playing), running(daemon(config)):
            async with connected(tmp_path / "panel/supervisor.sock") as supervisor:
                for number in range(2):
                    await stands_still(number)
                    drawn = cards_in(tmp_path)
                    assert (await supervisor.ask(f"u{number}", order="unlock"))["ok"]
                    await until(partial(cards_follow, drawn))

    asyncio.run(scenario())
    given = [order[3] for order in orders(journal) if order[4] == "given"]
    assert len(given) >= 2
    assert all(name.split("-")[1] in USUAL_CODES for name in given)


def test_a_table_that_enforces_nothing_is_as_before(tmp_path: Path) -> None:
    async def story() -> None:
        async with asyncio.timeout(90), own_table(tmp_path, caps=codes.CAP_LOCK) as table:
            await skip_a_hand(table)
            await table.stand()
            assert table.codes() == ["draw_after_stand"]
            assert locks(table) == []
            assert not table.shoe.device.is_shut
            assert not any("lock" in remark for remark in table.display.remarks)

    asyncio.run(story())
