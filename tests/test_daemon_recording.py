"""`shoewatch run --until-drained` on whole recordings, with real brokers: nothing lost, twice or too early."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from angel_evening import evening, received, recording
from angel_frames import numbered
from angel_story import START, drawn
from daemon import Journal, check_chain, check_export, configure, daemon, running
from mqtt_table import listening, until
from proxy import Proxy

from controller.broker import EmbeddedBroker
from controller.journal_file import Row
from protocols.floor.commitments import commitment
from protocols.recording import Read, Recording, format_recording, parse_recording

RECORDING_1 = Path(__file__).parents[2] / "shared/data/angel-eye/recording-1.txt"
POINTS = {**{str(number): number for number in range(2, 10)}, "A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}


@dataclass(frozen=True, slots=True)
class Played:
    """What one run left behind."""

    folder: Path
    messages: list[bytes]
    rows: Sequence[Row]
    log: str

    def data(self) -> Iterator[dict[str, Any]]:
        return (json.loads(message)["data"] for message in self.messages)

    def table(self) -> Iterator[dict[str, Any]]:
        return (data for data in self.data() if data["kind"] == "table")


def play(folder: Path, broker: EmbeddedBroker, played: Recording, procedure: str, *, cut_until: int = 0) -> Played:
    """Run the daemon on a recording; with `cut_until` it reaches the broker only once so many records are on disk."""
    folder.mkdir()
    (folder / "recording.txt").write_text(format_recording(played))
    return asyncio.run(_play(folder, broker, procedure, cut_until))


async def _play(folder: Path, broker: EmbeddedBroker, procedure: str, cut_until: int) -> Played:
    journal = Journal(folder)
    async with Proxy(broker.port) as proxy, listening(broker.url) as listener:
        port = f"replay:recording.txt?pace={1 if cut_until else 0}"
        config = configure(folder, port, proxy.url, procedure=procedure)
        if cut_until:
            proxy.cut()
        with running(daemon(config, "--until-drained", "--log-level", "debug")) as process:
            if cut_until:
                await until(lambda: len(journal.rows()) >= cut_until, 30)
                assert listener.ids == []
                assert not any(data.get("loss") == "ended" for data in journal.records())
                proxy.restore()
            assert await process.ended() == 0, process.log
        await until(lambda: len(listener.ids) >= len(journal.rows()))
    records = [each.payload for each in listener.messages if "/evt/" in each.topic]
    return Played(folder, records, journal.rows(), process.log)


@dataclass(slots=True)
class Coup:
    """A coup as a subscriber learns of it; `judged` while no gap fell into it."""

    cards: dict[str, str] = field(default_factory=dict)
    told: str | None = None
    judged: bool = True
    codes: list[str] = field(default_factory=list)

    @property
    def winner(self) -> str | None:
        """By the cards; None where not all are known."""
        if (
            not {"P1", "P2", "B1", "B2"} <= {ref for ref, card in self.cards.items() if card}
            or "" in self.cards.values()
        ):
            return None
        player, banker = (
            sum(POINTS[card[0]] for ref, card in self.cards.items() if ref[0] == side) % 10 for side in "PB"
        )
        return "tie" if player == banker else "player" if player > banker else "banker"


def coups(messages: Iterable[bytes]) -> list[Coup]:
    """The coups in the order of their opening; a voided one counts as not judged."""
    all_coups: list[Coup] = []
    places: dict[int, tuple[Coup, str]] = {}
    coup = Coup()
    for fields in map(json.loads, messages):
        data = fields["data"]
        if data["kind"] == "table":
            if data["event"]["type"] == "round.opened":
                coup = Coup()
                all_coups.append(coup)
            _tell(coup, data)
            places[fields["seq"]] = coup, data["event"].get("ref", "")
            for opening in data.get("disclosed", ()):
                other, ref = places[opening["seq"]]
                other.cards[ref] = opening["value"]
    for each in all_coups:
        each.cards = {ref: card for ref, card in each.cards.items() if ref[:1] in ("P", "B")}
    return all_coups


def _tell(coup: Coup, data: dict[str, Any]) -> None:
    event, verdict = data["event"], data["verdict"]
    match event["type"]:
        case "card.drawn" if "ref" in event:
            coup.cards[event["ref"]] = event.get("card", "")
        case "card.revealed":
            coup.cards[event["ref"]] = event["card"]
        case "result.reported":
            coup.told = event["winner"]
        case "log.gap" | "round.voided":
            coup.judged = False
    coup.codes += [verdict["code"]] if verdict["outcome"] == "violation" else []


def essence(messages: Sequence[bytes]) -> list[tuple[int, dict[str, Any]]]:
    """Number and data of each message, without what is random wherever a card lies face down."""
    return [(json.loads(message)["seq"], _certain(json.loads(message)["data"])) for message in messages]


def _certain(data: dict[str, Any]) -> dict[str, Any]:
    openings = [{**opening, "nonce": None} for opening in data.get("disclosed", ())]
    keyed: dict[str, Any] = {"data": None} if data.get("what") == "checkpoint" else {}
    if data.get("what") == "start":
        keyed = {"data": {**data["data"], "vault_key": None}}
    return {**data, "commit": None, "state": None, "disclosed": openings, **keyed}


def check_messages(played: Played) -> None:
    """One message a record, with the bytes of the journal, and the chain whole."""
    assert played.messages == [row.body for row in played.rows]
    check_chain(played.rows)
    assert not any(data.get("report") == "impossible" for data in played.data())
    noted = [data["what"] for data in played.data() if data["kind"] == "system"]
    assert [what for what in noted if what != "checkpoint"] == ["start", "stop"]
    assert noted[-1] == "checkpoint"


def check_cards(played: Played, recorded: Recording) -> None:
    """Each card that the shoe said it drew is drawn once; one told only by a retransmission is a moved one or a gap."""
    events = [data["event"] for data in played.table()]
    places = [index for index, event in enumerate(events) if event["type"] == "card.drawn"]
    for digit, code, payload in received(recorded):
        if code not in "DdR" or len(payload) != 2:
            continue
        drawn_now = bool(places) and _named(events[places[0]]) == (digit, _ref(code, payload))
        assert drawn_now or code == "R", (digit, code, events[places[0]])
        if drawn_now:
            place = places.pop(0)
            before = [event["type"] for event in events[max(place - 2, 0) : place]]
            assert code != "R" or "moved" in events[place] or "log.gap" in before
    assert places == []


def _named(event: dict[str, Any]) -> tuple[int, str | None]:
    return event["seq"], event.get("ref")


def _ref(code: str, payload: bytes) -> str | None:
    target, index = payload[0] >> 4 & 7, payload[0] & 15
    return "x" if code == "d" else f"{'PB'[target]}{index}" if target < 2 else None


def check_results(played: Played) -> int:
    """How many coups have a result; each is the one that the cards give, or the shoe's mistake is a violation."""
    finished = [coup for coup in coups(played.messages) if coup.judged and coup.told and coup.winner]
    for coup in finished:
        assert (coup.told == coup.winner) != ("result_mismatch" in coup.codes), coup
    return len(finished)


def check_commitments(played: Played) -> int:
    """How many cards were turned; each fits what was published when it was drawn."""
    records = [json.loads(message) for message in played.messages]
    openings = [opening for record in records for opening in record["data"].get("disclosed", ())]
    for opening in openings:
        drawn_in = records[opening["seq"] - 1]
        nonce, name, epoch = bytes.fromhex(opening["nonce"]), opening["field"], drawn_in["epoch"]
        made = commitment(nonce, epoch, opening["seq"], name, opening["value"])
        assert drawn_in["data"]["commit"] == {name: made}
        assert "sealed" in drawn_in
    assert max(Counter(opening["seq"] for opening in openings).values(), default=1) == 1
    return len(openings)


def check_nothing_is_told_early(played: Played) -> None:
    """Between the drawing of a face-down card and its turning its value stands in no message and in no log line."""
    messages = [_without_shown_card(message) for message in played.messages]
    logged = {int(match[1]): match[0] for match in re.finditer(r"shoewatch: event (\d+) .*", played.log)}
    for turned, record in enumerate(map(json.loads, played.messages)):
        for opening in record["data"].get("disclosed", ()):
            drawn_in, value = opening["seq"] - 1, word(opening["value"])
            assert not any(value.search(message) for message in messages[drawn_in:turned]), (drawn_in, turned)
            first = json.loads(played.messages[drawn_in])["data"]["n"]
            assert not any(value.search(logged[number]) for number in range(first, record["data"]["n"])), (
                first,
                record,
            )


def _without_shown_card(message: bytes) -> str:
    """A card that is shown while others lie face down may be like one of them."""
    fields = json.loads(message)
    data = fields["data"]
    shown = data.get("event", data.get("data", {}))
    if shown.get("type") == "card.revealed" or data.get("report") in ("reveal", "surplus-reveal"):
        shown.pop("card", None)
    return json.dumps(fields)


def word(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![0-9A-Za-z]){value}(?![0-9A-Za-z])")


@pytest.mark.parametrize("cut", [False, True], ids=["broker there", "broker away for the first half"])
def test_nine_coups_of_a_real_shoe(any_broker: EmbeddedBroker, tmp_path: Path, cut: bool) -> None:
    if not RECORDING_1.exists():
        pytest.skip(f"no recording of a real shoe at {RECORDING_1}")
    reads = parse_recording(RECORDING_1.read_text()).reads
    timed = Recording({}, tuple(Read(number / 200, "<", read.data) for number, read in enumerate(reads)))
    played = play(tmp_path / "run", any_broker, timed, "pb-nj", cut_until=70 if cut else 0)
    check_messages(played)
    check_cards(played, timed)
    assert check_results(played) == 9
    assert [coup.codes for coup in coups(played.messages)] == [[]] * 9
    revealed = [data["event"]["ref"] for data in played.table() if data["event"]["type"] == "card.revealed"]
    assert revealed == [_ref(code, payload) for _, code, payload in received(timed) if code == "I"]
    assert len(played.messages) == 142
    check_export(played.folder)


def check_evening(broker: EmbeddedBroker, folder: Path, seed: int, *, withhold: bool, noisy: bool) -> None:
    told = evening(seed, withhold=withhold, noisy=noisy)
    at_once = play(folder / "at once", broker, told.recording, told.procedure)
    later = play(folder / "later", broker, told.recording, told.procedure, cut_until=len(at_once.rows) // 2)
    assert essence(later.messages) == essence(at_once.messages)
    check_messages(at_once)
    check_messages(later)
    check_cards(at_once, told.recording)
    assert check_results(at_once) > 40
    assert (check_commitments(at_once) > 200) != withhold
    check_nothing_is_told_early(at_once)
    check_export(at_once.folder)
    events = [data["event"] for data in at_once.table()]
    said = {event["type"] for event in events}
    assert {"shoe.loaded", "shoe.faulted", "shoe.restored"} <= said
    assert noisy or "cut_card.reached" in said, "the noise may take all three copies of it"
    assert any("outside" in event for event in events)
    assert any(event["type"] == "log.gap" for event in events) == noisy
    codes = Counter(code for coup in coups(at_once.messages) for code in coup.codes)
    assert noisy or codes == told.codes


EVENINGS = pytest.mark.parametrize(
    ("seed", "withhold", "noisy"),
    [(1, True, False), (2, True, True), (3, False, False), (4, False, True)],
    ids=["withheld", "withheld-noisy", "disclosed", "disclosed-noisy"],
)


@EVENINGS
def test_an_evening(mosquitto: EmbeddedBroker, tmp_path: Path, seed: int, withhold: bool, noisy: bool) -> None:
    check_evening(mosquitto, tmp_path, seed, withhold=withhold, noisy=noisy)


@pytest.mark.soak
@pytest.mark.parametrize("more", range(10))
@EVENINGS
def test_an_evening_soak(
    mosquitto: EmbeddedBroker, tmp_path: Path, seed: int, withhold: bool, noisy: bool, more: int
) -> None:
    check_evening(mosquitto, tmp_path, 5 * more + seed + 4, withhold=withhold, noisy=noisy)


CARDS = ["Kh", "Qs", "Jh", "Ts"]


def test_cards_that_are_never_turned_stand_nowhere_in_clear(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    places = ["P1", "B1", "P2", "B2"]
    frames = numbered(START, *(drawn(place, card) for place, card in zip(places, CARDS, strict=True)))
    told = recording(b"".join(frame * 3 for frame in frames), random.Random(1))
    played = play(tmp_path / "run", mosquitto, told, "pb-fr")
    drawn_cards = [data for data in played.table() if data["event"]["type"] == "card.drawn"]
    assert [data["commit"].keys() for data in drawn_cards] == [{"card"}] * 4
    in_clear = re.compile("|".join(word(card).pattern for card in CARDS))
    assert not in_clear.search(played.log)
    assert not any(in_clear.search(message.decode()) for message in played.messages)
    files = b"".join(file.read_bytes() for file in played.folder.glob("journal.db*"))
    for frame, card in zip(frames[1:], CARDS, strict=True):
        assert frame not in files
        assert frame.hex() not in played.log
        assert f'"{card}"'.encode() not in files
