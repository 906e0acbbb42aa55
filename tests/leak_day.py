"""A day at a blackjack table, played fast: everything that its daemon lets out, and what of it told too early."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon import AT_ONCE, Journal, Process, configure_table, daemon, live_table, running
from mqtt_table import until
from own_table import Display
from proxy import Proxy

from controller.broker import EmbeddedBroker

Fields = dict[str, Any]

CARD = re.compile(r"(?<![A-Za-z0-9_./-])[2-9TJQKA][cdhs](?![A-Za-z0-9_./-])")
STATE = re.compile(rb'\{"dataschema":"urn:shoewatch:state:1",.*?"alarms":\[[^\]]*\]\}', re.DOTALL)
RESULTS = {"natural", "no_natural"}
TURNS = {"hole.revealed", "hand.settled", "cards.collected", "round.closed"}
"""What shows a card that lay face down."""
OPENS = {"card": TURNS, "result": TURNS | {"player.acted", "card.drawn"}}
"""What may open a card, and what the reader said: play that goes on behind the peek shows everybody that it was no
natural."""
RECORD = re.compile(rb'\{"specversion":"1[.]0","id":"([^"]+)"')
"""How a record begins, with its own id."""
_DAY_S = 3600.0


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a day: the data of its records, and all other bytes and lines that came out of the daemon, by
    where they came out; `truth`: what was dealt."""

    records: Sequence[Fields]
    others: dict[str, str]
    truth: Sequence[Fields]
    states: Sequence[Fields] = ()


async def _played(folder: Path, broker: EmbeddedBroker, options: Sequence[str]) -> dict[str, bytes]:
    truth, journal = folder / "truth.jsonl", Journal(folder)
    async with Proxy(broker.port) as proxy:
        config = configure_table(folder, f"serial:{folder}/shoe", f"serial:{folder}/reader", proxy.url)
        display = Display(folder / "panel" / "dealer.sock")
        watching = asyncio.create_task(display.run())
        with running(live_table(folder, *options)):
            await until((folder / "shoe").is_symlink)
            for life in range(2):
                with running(daemon(config, "--log-level", "debug", command=AT_ONCE)) as process:
                    if life == 0:
                        await until(lambda: journal.count(kind="table") > 200, _DAY_S)
                        continue
                    await until(lambda: '{"finished": true}' in truth.read_text(), _DAY_S)
                    seen = _of_process(process)
                    process.signal(signal.SIGTERM)
                    assert await process.ended() == 0
        watching.cancel()
        await asyncio.wait([watching])
        return {"traffic": bytes(proxy.traffic), "panel": b"\n".join(display.lines), **seen}


def _of_process(process: Process) -> dict[str, bytes]:
    """What everybody on this computer can read of a process."""
    return {
        name: Path(f"/proc/{process.pid}/{name}").read_bytes() for name in ("environ", "cmdline", "status", "limits")
    }


def played(folder: Path, broker: EmbeddedBroker, *options: str) -> Left:
    out = asyncio.run(_played(folder, broker, options))
    rows = Journal(folder).rows()
    bodies = [row.body for row in rows]
    out["log"] = (folder / "daemon.log").read_bytes()
    out["journal"] = _columns(folder / "journal.db")
    for name in ("traffic", "panel"):
        out[name] = _without(out[name], bodies)
    states = [json.loads(body) for body in STATE.findall(out["traffic"])]
    out["traffic"] = STATE.sub(b"", out["traffic"])
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    others = {name: data.decode("latin-1") for name, data in out.items()}
    return Left(Journal(folder).records(), others, truth, states)


def _without(data: bytes, bodies: Sequence[bytes]) -> bytes:
    """What is left once these records are cut out, in one pass."""
    named = {match[1]: body for body in bodies if (match := RECORD.match(body))}
    left, at = list[bytes](), 0
    for match in RECORD.finditer(data):
        body, start = named.get(match[1]), match.start()
        if body is not None and start >= at and data.startswith(body, start):
            left.append(data[at:start])
            at = start + len(body)
    return b"".join([*left, data[at:]])


def _columns(journal: Path) -> bytes:
    """All that the journal holds unsealed besides the messages, but for what looks like random bytes."""
    with closing(sqlite3.connect(journal)) as file:
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        lines = []
        for table in tables:
            columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
            shown = ", ".join(name for name in columns if name not in ("body", "sealed", "hash", "signature"))
            lines += [repr(row) for row in file.execute(f"SELECT {shown} FROM {table}")]
    return "\n".join(lines).encode()


def texts(value: Any) -> Iterator[str]:
    """Every text in it, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def told_too_early(left: Left) -> list[str]:
    """What a record tells of a card or a reader's answer before it, or a record before it, makes that public."""
    down = {act["event"] for act in left.truth if act.get("act") == "drawn" and act["face"] == "down"}
    cards, cards_before, answers, found = set[str](), set[str](), set[str](), list[str]()
    stood = defaultdict[int, list[Fields]](list)
    for state in left.states:
        stood[state["seq"]].append(state)
    for seq, data in enumerate(left.records, start=1):
        event, opened = data.get("event", {}), data.get("disclosed", [])
        if event.get("type") == "round.opened":
            cards, cards_before, answers = set(), cards, set()
        wrong = [each for each in opened if event["type"] not in OPENS[each["field"]]]
        found += [f"opened by {event['type']}: {each}" for each in wrong]
        if event.get("type") == "card.drawn" and event["seq"] not in down:
            cards |= {event["card"]} if "card" in event else set()
        cards |= {event["card"]} if event.get("type") == "hole.revealed" and "card" in event else set()
        cards |= {each["value"] for each in opened if each["field"] == "card"}
        answers |= {each["value"] for each in opened if each["field"] == "result"}
        early = _cards_told(data) - cards - cards_before | _answers_told(data) - answers
        found += [f"{each}: {json.dumps(data)}" for each in sorted(early)]
        for state in stood[seq]:
            early = _cards_told(state) - cards - cards_before | RESULTS.intersection(texts(state))
            found += [f"{each}: {json.dumps(state)}" for each in sorted(early)]
    return found


def _cards_told(data: Fields) -> set[str]:
    return {card for text in texts(data) for card in CARD.findall(text)}


def _answers_told(data: Fields) -> set[str]:
    """What could be a reader's answer; a hand can be paid as a natural too."""
    paid = data.get("event", {}).get("type") == "hand.settled"
    return RESULTS.intersection(texts({**data, "event": {}} if paid else data))


def lying_open(left: Left) -> set[str]:
    """The cards that lay open in the last two rounds, and those that were burned."""
    last = max(act.get("round", 0) for act in left.truth)
    seen = [act for act in left.truth if "card" in act and act.get("face") != "down"]
    return {act["card"] for act in seen if act["act"] == "burned" or act["round"] >= last - 1}
