"""What the search begins with: whole reports and sessions, as our simulated devices tell them.

`python -m fuzz.seeds` writes them to the corpus anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from protocols.cards import Card
from protocols.device_session import Send
from protocols.recording import Read, Recording, format_recording
from protocols.registry import Registry
from protocols.wire.tdl.handshake import Expected
from protocols.wire.tdl.session import HostSession
from simulators import acts
from simulators.angel_shoe import AngelShoe, frame, slot, value
from simulators.bee_tek_shoe import BeeTekShoe
from simulators.tdl import codes
from simulators.tdl import frames as tdl
from simulators.tdl.device import EVENT_HEAD_BYTES, Device
from simulators.tdl.identity import FIRMWARE, simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader
from simulators.tdl.shoe import UNREADABLE, Face, TdlShoe
from simulators.usb.packets import to_packets

Seeds = Mapping[str, Callable[[], list[bytes]]]

_DEALT: Final = tuple(map(Card.parse, ("4s", "4s", "Th", "Kd", "Ac", "9h")))
_COUP: Final[tuple[acts.Act | acts.Trouble, ...]] = (
    acts.Started(),
    acts.BurnFirst(_DEALT[0]),
    acts.BurnCounted(_DEALT[1], 0),
    acts.StandBy(),
    acts.Dealt("player", 1, _DEALT[2], "down"),
    acts.Dealt("banker", 1, _DEALT[3], "down"),
    acts.ErrorBegun(1),
    acts.Unread("player", 2),
    acts.ErrorOver(1),
    acts.CuttingCard(),
    acts.Dealt("banker", 2, _DEALT[4], "down"),
    acts.Result("banker", player_pair=False, banker_pair=False),
    acts.Surplus(_DEALT[5]),
    acts.SurplusShown(_DEALT[5]),
    acts.SurplusCleared(),
)
_EVENT, _STATUS, _WAIT, _STORE, _RECONNECT, _ORDER = 0, 2, 4, 5, 6, 7
"""The moves of `sessions.Played`."""

_SPOKEN: Final = (
    '{"type":"shoe.loaded","decks":6}',
    '{"watch":true}',
    '{"order":"clear_error","device":"shoe","error":2}',
    '{"type":"round.opened","boxes":[1,2]}',
    '{"next":{"to":"box:1","face":"up"}}',
    '{"type":"call.made","call":"no_more_bets"}',
    '{"type":"card.drawn","card":"Kh","to":"box:1","face":"up","actor":"A. Person"}',
    "{}",
    '{"type":"card.drawn","card":"As","to":"dealer","face":"up"}',
    '{"type":"player.acted","box":1,"action":"stand"}',
    '{"inspected":{"by":"F. Person"}}',
    '{"type":"round.closed"}',
    '{"type":"round.voided","reason":"misdeal","note":"\\ud83c\\udca1"}',
)
_SENT: Final = {
    "player-acted": '{"epoch":"e","based_on":0,"box":1,"hand":"b","action":"double"}',
    "card-drawn": '{"epoch":"e","based_on":0,"to":"box:1","card":"Kh","face":"up"}',
    "resolution": '{"epoch":"e","based_on":0,"round":1,"what":"correct","draw":4,"card":"Kh","why":"the queen"}',
    "clear-error": '{"epoch":"e","based_on":0,"device":"shoe","error":2}',
    "resend": '{"epoch":"e","based_on":0,"from":120,"to":130}',
    "next": '{"epoch":"e","based_on":0,"face":"down"}',
}
"""What is said by commands, by their names."""


def angel_frame() -> bytes:
    """A card that left the shoe."""
    return frame(1, b"D", slot(0, 1) + value(_DEALT[0]))


def bee_tek_line() -> bytes:
    """The same."""
    return b"[Game]<Card:QH>\r\n"


def tdl_frame() -> bytes:
    """A beacon."""
    return tdl.frame(codes.BEACON, 0, bytes(5))


def tdl_packets() -> bytes:
    """The same in packets."""
    return b"".join(to_packets(tdl_frame()))


def _angel_eye(*, withhold: bool) -> bytes:
    shoe = AngelShoe(withhold=withhold)
    return b"".join(shoe.sends(act) for act in _COUP)


def _bee_tek() -> bytes:
    shoe = BeeTekShoe(misreads=0.3)
    return b"".join(shoe.sends(act) for act in _COUP if isinstance(act, acts.CARD_LEAVES_SHOE))


def _shoe() -> TdlShoe:
    rng = random.Random(1)  # noqa: S311
    shoe = TdlShoe(simulated("shoe", "SHOE-1", codes.CAP_LOCK), Memory(), 0.0, random=rng.randbytes)
    shoe.load(6, 0.1)
    faces: tuple[Face, ...] = (*_DEALT, UNREADABLE)
    for number, card in enumerate(faces):
        shoe.draw(card, 0.1, place=("box:1", "dealer")[number % 2], withhold=number == 3)
    shoe.turn(4, 0.1)
    shoe.show_cutting_card(0.1)
    shoe.fail(1, codes.HOLD, 0.1)
    shoe.recover(1, 0.1)
    shoe.preset(1, 2, 0.1)
    shoe.move_lid(0.1, is_open=True)
    shoe.end(0.1)
    return shoe


def _reader() -> TdlReader:
    rng = random.Random(1)  # noqa: S311
    reader = TdlReader(simulated("reader", "SHOE-1"), Memory(), 0.0, random=rng.randbytes)
    for number, natural in enumerate((True, False), start=1):
        reader.obey(codes.PEEK_ARM, number.to_bytes(4, "little") + bytes((1, 1, 20)), 1.0)
        reader.seat(1.0, natural=natural)
        reader.on_time(2.0)
        reader.remove(2.0)
    reader.seat(3.0, natural=True)
    reader.dazzle(3.0)
    return reader


def _said(device: Device) -> bytes:
    """What a device says to a host that takes all of it."""
    identity = device.identity
    registry = Registry({identity.serial: {FIRMWARE: identity.key}})
    host = HostSession(identity.role, Expected(b"HOST", identity.role, registry), None)
    told, outputs = b"", host.connect(bytes(range(32)), 0)
    while heard := b"".join(output.data for output in outputs if isinstance(output, Send)):
        device.hear(heard, 0.2)
        said = device.take()
        told += said
        outputs = host.feed(said, 200_000_000)
    return told


def _in_packets(line: bytes) -> bytes:
    return b"".join(to_packets(line))


def _messages(device: Device) -> bytes:
    found = tdl.Deframer().feed(_said(device))
    return b"".join(bytes([each.type, len(each.body)]) + each.body for each in found)


def _moves(device: Device) -> bytes:
    """The device's events, told, stored and told again, with what comes between."""
    events = [device.memory.event(number)[EVENT_HEAD_BYTES - 1 :] for number in range(1, device.last_event + 1)]
    told = [bytes([_EVENT, 1, 0, len(event)]) + event for event in events]
    again = bytes([_STORE, 0, _RECONNECT, _STATUS, 0, 0])
    return bytes([_STATUS, 0, 0]) + b"".join(told) + again + bytes([_ORDER, 0, _WAIT, 30])


def _recorded(line: bytes) -> bytes:
    reads = tuple(Read(at / 10, "<>"[at % 2], line[at * 9 : at * 9 + 9]) for at in range(5))  # type: ignore[arg-type]
    header = {"device": "shoe", "line": "serial:/dev/shoe", "from": "a table"}
    return (format_recording(Recording(header, reads)) + "# a remark\n\n0530\n").encode()


SEEDS: Final[Seeds] = {
    "angel-eye": lambda: [_angel_eye(withhold=True), _angel_eye(withhold=False)],
    "angel-reports": lambda: [b"1D\x81\xb4\x032D\x91\xc1\x033G\x90\x034E\xc1\x035e\x81\x036M012345\x037L\x81\x03"],
    "bee-tek": lambda: [_bee_tek() + b"[GameAlarm]<Alarm:E3 Card Not Read>\r\n<W0x1f>\r\n[x]<Winner:P>\r\n"],
    "tdl-line": lambda: [_said(_shoe()), _said(_reader())],
    "tdl-packets": lambda: [_in_packets(_said(_shoe())[:600]), _in_packets(_said(_reader())[:600])],
    "tdl-message": lambda: [_messages(_shoe()), _messages(_reader())],
    "tdl-shoe": lambda: [_moves(_shoe())],
    "tdl-reader": lambda: [_moves(_reader())],
    "recording": lambda: [_recorded(_angel_eye(withhold=True))],
    "panel": lambda: ["\n".join(_SPOKEN).encode()],
    "command": lambda: [f"{name}\n{body}".encode() for name, body in _SENT.items()],
}


def write(corpus: Path) -> None:
    """One folder for each target."""
    for name, seeds in SEEDS.items():
        folder = corpus / name
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds(), start=1):
            (folder / f"seed-{number}").write_bytes(seed)


if __name__ == "__main__":
    write(Path(__file__).parent / "corpus")
