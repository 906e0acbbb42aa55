"""Commands over a real broker to a real daemon at a blackjack table: done, refused, said twice, and forged."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

from daemon import check_chain
from floor_console import KEYS, Answer, Console, console, moment
from floor_table import Fields, floor
from mqtt_table import TOPICS, until

from controller.broker import EmbeddedBroker
from controller.command_names import WORDS
from controller.mqtt import Dialer
from controller.mqtt_address import parse_address
from protocols.events import CallMade, RoundClosed, RoundOpened

REFUSED = {
    "shoe-loaded": "the shoe of this table tells it",
    "shoe-emptied": "the shoe of this table tells it",
    "card-drawn": "the shoe is in order and tells its cards itself",
    "card-revealed": "no card 1 was drawn",
    "hands-turned": "does not have this act",
    "community-revealed": "does not have this act",
    "reader-restored": "the reader has first to be sound for a while",
    "clear-error": "bad_arg",
    "confirm-game": "the device has nothing like it",
}
"""What this table does not do now, and what is said of it at the panel."""
EVENING: tuple[tuple[str, str, Fields], ...] = (
    ("dealer", "cards-replaced", {}),
    ("dealer", "cards-shuffled", {"by": "hand"}),
    ("dealer", "cards-cut", {"by": "box:1"}),
    ("dealer", "cut-card-placed", {"decks_from_back": 1.5, "decks": 6}),
    ("dealer", "shoe-loaded", {}),
    ("dealer", "dealer-changed", {}),
    ("supervisor", "method-selected", {"procedure": "nd-no-hole"}),
    ("dealer", "wager-changed", {"box": 1, "change": "made"}),
    ("dealer", "round-opened", {"boxes": [1]}),
    ("supervisor", "round-voided", {"reason": "a box was passed over"}),
    ("dealer", "round-opened", {"boxes": [1, 2]}),
    ("dealer", "next", {"face": "up"}),
    ("dealer", "call-made", {"call": "no_more_bets"}),
    ("dealer", "call-missed", {"call": "no_more_bets"}),
    ("dealer", "card-burned", {"from": "box:1"}),
    ("supervisor", "card-drawn", {"to": "box:1", "card": "5h", "face": "up"}),
    ("supervisor", "card-revealed", {"draw": 1, "card": "5h"}),
    ("dealer", "insurance-opened", {}),
    ("dealer", "insurance-closed", {}),
    ("dealer", "player-acted", {"box": 1, "action": "stand"}),
    ("dealer", "hole-looked", {}),
    ("dealer", "hole-revealed", {}),
    ("dealer", "hands-turned", {}),
    ("dealer", "community-revealed", {"street": 3}),
    ("dealer", "hand-settled", {"box": 1, "result": "lose"}),
    ("dealer", "cards-collected", {"from": "box:1"}),
    ("dealer", "round-closed", {}),
    ("dealer", "stub-discarded", {}),
    ("dealer", "stub-counted", {"count": 12}),
    ("dealer", "shoe-emptied", {}),
    ("supervisor", "inspected", {}),
    ("supervisor", "reader-faulted", {}),
    ("supervisor", "reader-restored", {}),
    ("supervisor", "resolution", {"round": 2, "what": "void", "why": "agreed"}),
    ("supervisor", "lock", {}),
    ("supervisor", "unlock", {"device": "shoe"}),
    ("supervisor", "clear-error", {"error": 2}),
    ("supervisor", "confirm-game", {}),
    ("console", "self-test", {"device": "reader"}),
    ("console", "attest", {"device": "reader"}),
    ("archive", "resend", {"from": 1, "to": 3}),
)


def test_every_command_comes_to_the_table(tmp_path: Path, any_broker: EmbeddedBroker) -> None:
    """Its record says whose it was, its answer what came of it."""
    assert {name for _, name, _ in EVENING} == WORDS.keys()
    refused: dict[str, str] = {}

    async def scenario() -> None:
        async with floor(tmp_path, any_broker) as at:
            for by, name, fields in EVENING:
                answer = await at.ask(name, by, **fields)
                [told] = at.of(answer["id"])
                given = told.get("input", told)
                assert (given["id"], given["key"]) == (answer["id"], KEYS[by].key_id)
                if answer["ok"]:
                    assert at.record(answer["seq"]) == told
                else:
                    assert answer["code"] == "refused"
                    refused[name] = answer["why"]
                if told["kind"] == "table":
                    assert told["event"]["actor"] == f"{by}:F. {by}"
                    assert answer["verdict"] == told["verdict"]
            at.said.put("lock", b"x" * 100_000)
            assert (await at.ask("call-made", call="no_more_bets"))["ok"]
            assert await at.table.stop() == 0

    asyncio.run(scenario())
    assert refused.keys() == REFUSED.keys(), refused
    for name, why in refused.items():
        assert REFUSED[name] in why


def test_a_command_counts_once_whatever_happens_between(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    async def scenario() -> None:
        async with floor(tmp_path, mosquitto) as at:
            sent = [
                ("round-opened", at.payload("round-opened", "dealer", {"boxes": [1]})),
                ("next", at.payload("next", "dealer", {"face": "up"})),
                ("player-acted", at.payload("player-acted", "dealer", {"box": 9, "action": "stand"})),
                ("lock", at.payload("lock")),
                ("inspected", at.payload("inspected")),
                ("resend", at.payload("resend", "archive", {"from": 1})),
                ("unlock", at.payload("unlock", "dealer")),
            ]
            first = [await at.said.send(name, payload) for name, payload in sent]
            assert [answer["ok"] for answer in first] == [True, True, False, True, False, True, False]
            count = len(at.table.journal.records())
            again = [await at.said.send(name, payload) for name, payload in sent]
            assert again == first
            other = at.payload("player-acted", "dealer", {"box": 1, "action": "stand"}, id=first[0]["id"])
            assert "another input had this id before" in (await at.said.send("player-acted", other))["why"]
            mine = at.payload("round-opened", "supervisor", {"boxes": [1]}, id=first[0]["id"])
            assert (await at.said.send("round-opened", mine))["ok"]
            at.table.kill()
            await at.starts()
            after = [await at.said.send(name, payload) for name, payload in sent]
            assert after == first
            told = at.table.journal.records()[:count]
            assert [data["kind"] for data in told].count("order") == 1
            assert len(at.of(first[0]["id"])) == 3

    asyncio.run(scenario())


def test_what_is_refused_as_it_is_says_why(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    """By who sends it, by its times, by what the sender knew; each is recorded once, with its key."""

    async def scenario() -> None:
        async with floor(tmp_path, mosquitto) as at:
            first = at.seq
            for _ in range(2):
                assert (await at.table.say(RoundOpened(boxes=(1,))))["ok"]
                assert (await at.table.say(RoundClosed()))["ok"]
            begins = at.seq + 1

            async def code(name: str, by: str, fields: Fields, **more: str) -> str:
                payload = at.payload(name, by, fields, **more)
                answer = await at.said.send(name, payload)
                assert not answer["ok"]
                assert answer == await at.said.send(name, payload)
                [told] = at.of(answer["id"])
                assert (told["key"], told["code"], told["why"]) == (KEYS[by].key_id, answer["code"], answer["why"])
                return str(answer["code"])

            late: Fields = {"issued": moment(-100), "not_after": moment(-1)}
            assert await code("unlock", "dealer", {}) == "not_permitted"
            assert await code("round-opened", "console", {"boxes": [1]}) == "not_permitted"
            assert await code("resend", "table", {"from": 1}) == "not_permitted"
            assert await code("lock", "archive", {}) == "not_permitted"
            assert await code("lock", "supervisor", {}, **late) == "expired"
            assert await code("lock", "supervisor", {}, issued=moment(90), not_after=moment(100)) == "not_yet"
            assert await code("lock", "supervisor", {}, not_after=moment(4000)) == "lifetime"
            assert await code("lock", "supervisor", {"epoch": "another"}) == "other_epoch"
            assert await code("lock", "supervisor", {"based_on": at.seq + 100}) == "no_such_record"
            assert await code("lock", "supervisor", {"based_on": first}) == "round_over"
            assert await code("peel", "supervisor", {}) == "unknown_name"
            assert await code("lock", "supervisor", {"order": "unlock"}) == "malformed"
            assert await code("lock", "supervisor", {}, body="{}") == "malformed"
            assert at.table.journal.count(kind="order") == 0
            end = max(
                data["data"]["seq"]
                for data in at.table.journal.records()[: begins - 1]
                if data.get("what") == "checkpoint"
            )
            at.said.seq = end
            assert (await at.said.ask("lock"))["ok"]
            at.said.seq = first
            again = await at.said.ask("resend", "archive", **{"from": 1, "to": 2})
            assert (again["ok"], again["resend"]) == (True, {"from": 1, "to": 2})

            at.table.daemon.signal(signal.SIGUSR1)
            assert (await at.said.send("unlock", at.payload("unlock", **late)))["ok"]
            assert await code("lock", "supervisor", {"based_on": first}) == "round_over"

    asyncio.run(scenario())


def test_a_command_that_the_broker_kept_is_not_done(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    """It is answered once, however often the daemon comes back to this broker."""

    async def scenario() -> None:
        async with floor(tmp_path, mosquitto) as at:
            meanwhile = await at.said.send("lock", at.payload("lock"), retain=True)
            assert (meanwhile["ok"], meanwhile["code"]) == (False, "retained")
            at.table.kill()
            kept = at.payload("lock")
            at.said.put("lock", kept, retain=True)
            forged = at.payload("unlock", "stranger")
            at.said.put("unlock", forged, retain=True)
            await at.starts()
            answer = await at.said.answer_to(kept)
            assert (answer["ok"], answer["code"]) == (False, "retained")
            assert (await at.said.answer_to(forged))["code"] == "unknown_key"
            connections = at.connections
            async with Dialer(parse_address(mosquitto.url), f"{TOPICS.site}-{TOPICS.table}").connect():
                await until(lambda: "trying again" in at.table.daemon.log)
            await until(lambda: at.connections > connections)
            assert (await at.ask("unlock"))["ok"]
            assert at.said.unheard == 0
            assert [data["code"] for data in at.of(answer["id"])] == ["retained"]
            orders = [data["args"] for data in at.table.journal.records() if data["kind"] == "order"]
            assert orders == [{"locked": False}]

    asyncio.run(scenario())


def test_consoles_people_and_cards_at_once(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    """Each is taken once, in one order; nobody waits for another, and a program that never ends fills no journal."""

    async def scenario() -> None:
        async with floor(tmp_path, mosquitto) as at, console(mosquitto.url, at.said.epoch, 0) as other:
            await at.table.open_round()
            other.seq = at.said.seq = at.seq

            async def speaks(said: Console, by: str) -> list[Answer]:
                return [await said.ask("call-made", by, call="no_more_bets", box=box) for box in range(1, 13)]

            async def at_panel() -> list[Answer]:
                return [await at.table.say(CallMade(call="no_more_bets")) for _ in range(12)]

            async def cards() -> None:
                for card in ("9s", "Ks", "9d", "7c"):
                    await at.table.card(card, "box:1" if card[0] == "9" else "dealer")

            talk = [speaks(at.said, "dealer"), speaks(other, "supervisor"), at_panel()]
            async with asyncio.TaskGroup() as group:
                group.create_task(cards())
                tasks = [group.create_task(each) for each in talk]
            answers = [answer for task in tasks for answer in task.result()]
            assert all(answer["ok"] for answer in answers), answers
            assert len({answer["seq"] for answer in answers}) == 36
            events = [data["event"] for data in at.table.journal.records() if data["kind"] == "table"]
            actors = [event["actor"] for event in events if event["type"] == "call.made"]
            assert {actor: actors.count(actor) for actor in actors} == {
                "dealer:F. dealer": 12,
                "supervisor:F. supervisor": 12,
                "dealer": 12,
            }
            begun = time.monotonic()
            endless = [at.payload("self-test", "console", {"device": "none"}) for _ in range(250)]
            for payload in endless:
                at.said.put("self-test", payload)
            assert (await other.ask("call-made", "supervisor", call="no_more_bets"))["ok"]
            codes = [(await at.said.answer_to(payload))["code"] for payload in endless]
            assert set(codes) == {"refused", "too_many"}
            assert 100 <= codes.count("refused") <= 101 + 10 * (time.monotonic() - begun)
            check_chain(at.table.journal.rows())

    asyncio.run(scenario())
