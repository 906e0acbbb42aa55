"""The fault menu: every fault in one small text, `NAME[:VALUE][@WHEN]`, such as `unplug:0.5@card=6`.

`WHEN` is `card=N` (with the Nth card that leaves the shoe), `round=N` (from round N on), `Ns` (so many seconds after
the start) or `p=SHARE` (each time, in this share of the cases). A fault without it strikes at the first occasion; all
but `p=` strike once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from protocols.cards import Card
from protocols.errors import ShoewatchError, did_you_mean
from simulators.texts import at_least, between, one_of, serial_number, whole

Clock = Literal["first", "card", "round", "seconds", "share"]
Place = Literal["line", "between", "device", "shoe", "reader"]
Value = float | Card | str | None


@dataclass(frozen=True, slots=True)
class When:
    """`number` counts cards or rounds from 1, or is seconds or a share (0-1)."""

    clock: Clock = "first"
    number: float = 0.0


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault that shall strike; `value` says how much or what, as its entry explains."""

    name: str
    value: Value = None
    when: When = When()

    @property
    def amount(self) -> float:
        """The value of a fault whose value is a number."""
        assert isinstance(self.value, float)
        return self.value


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the menu: where the fault lies (`between`: somebody who is in the line; `device`: in any device),
    what happens, how its value is read and what it is by itself."""

    place: Place
    about: str
    read: Callable[[str], Value] | None = None
    right: str = ""
    usual: Value = None


def parse_fault(text: str, names: Collection[str] | None = None) -> Fault:
    """The fault of the menu that the text names, one of these `names`; ShoewatchError says what would be right."""
    known = MENU.keys() if names is None else names
    whole, at, when = text.partition("@")
    name, colon, value = whole.partition(":")
    if name not in known:
        raise ShoewatchError(f'fault "{text}": there is no "{name}" here{did_you_mean(name, known)}')
    return Fault(name, _value(text, MENU[name], value if colon else None), _when(text, when) if at else When())


def parse_faults(texts: Iterable[str], names: Collection[str]) -> tuple[Fault, ...]:
    """All of them, in the order given."""
    return tuple(parse_fault(text, names) for text in texts)


def at(*places: Place) -> frozenset[str]:
    """The names of the faults at these places."""
    return frozenset(name for name, entry in MENU.items() if entry.place in places)


def printed() -> Iterator[str]:
    """The menu for a person, line after line."""
    yield __doc__ or ""
    for name, entry in MENU.items():
        number = f"{entry.usual:g}" if isinstance(entry.usual, float) else entry.usual
        usual = "" if number is None else f", {number} by itself"
        value = f" (VALUE: {entry.right}{usual})" if entry.read else ""
        yield f"{name:18}{entry.place:9}{entry.about}{value}"


def _value(text: str, entry: Entry, value: str | None) -> Value:
    if value is None:
        return entry.usual
    if entry.read is None:
        raise ShoewatchError(f'fault "{text}": it takes no value')
    try:
        return entry.read(value)
    except ValueError:
        raise ShoewatchError(f'fault "{text}": its value must be {entry.right}') from None


def _when(text: str, when: str) -> When:
    try:
        return _read_when(when)
    except ValueError:
        right = "card=N or round=N from 1, a number of seconds such as 2.5s, or p=SHARE with 0 to 1"
        raise ShoewatchError(f'fault "{text}": after @ comes {right}') from None


def _read_when(when: str) -> When:
    clock, equals, number = when.partition("=")
    if not equals and when.endswith("s"):
        return When("seconds", _seconds(when[:-1]))
    match clock:
        case "card":
            return When("card", _count(number))
        case "round":
            return When("round", _count(number))
        case "p":
            return When("share", between(0, 1)(number))
    raise ValueError


def _count(text: str) -> float:
    return float(_whole(text))


def _amount(text: str) -> float:
    return float(_so_many(text))


def _room(text: str) -> float:
    return float(_so_much_room(text))


_MOST: Final = 100_000
_LEAST_ROOM: Final = 16
"""Below that, what a device tells of its want of room takes the room."""
_whole: Final = at_least(1)
_so_many: Final = whole(1, _MOST)
_so_much_room: Final = whole(_LEAST_ROOM, _MOST)
_seconds: Final = between(0, 3600)
_ratio: Final = between(0.01, 100)
_OF_S: Final = "seconds, 0 to 3600"
_OF_AMOUNT: Final = f"a whole number, 1 to {_MOST}"
_OF_ROOM: Final = f"a whole number, {_LEAST_ROOM} to {_MOST}"


def _line(about: str) -> Entry:
    return Entry("line", about)


def _lasting(about: str, seconds: float) -> Entry:
    return Entry("line", about, _seconds, _OF_S, seconds)


def _counted(about: str, count: float) -> Entry:
    return Entry("line", about, _amount, _OF_AMOUNT, count)


MENU: Final[Mapping[str, Entry]] = {
    "drop": _counted("so many reports in a row are lost", 1.0),
    "dup": _line("a report comes twice"),
    "corrupt": _counted("so many bits of a report are flipped", 1.0),
    "split": _lasting("a report comes in two parts, so long apart", 0.02),
    "glue": _line("a report comes together with the next"),
    "late": _lasting("a report comes so much later", 0.5),
    "stall": _lasting("the device says and hears nothing for so long, then goes on", 5.0),
    "awol": _line("the device says and hears nothing any more until it is plugged in anew"),
    "wedge": _line("nothing passes until the host opens the line anew"),
    "unplug": _lasting("the line is torn within a report, and there again after so long", 0.5),
    "noise": _counted("so many bytes that mean nothing come before a report", 12.0),
    "oversize": _counted("a report is so many bytes longer than any can be", 400.0),
    "wrong-baud": Entry(
        "line", "the device talks at so many times the host's speed", _ratio, "a ratio, 0.01 to 100", 2.0
    ),
    "replayed-session": Entry("between", "somebody takes the device's place and plays back what it said before"),
    "downgrade": Entry(
        "between",
        "somebody in between changes what the device says it can do, or its version",
        one_of("version", "caps"),
        "version or caps",
        "version",
    ),
    "inject": Entry("between", "somebody in between adds so many frames of his own", _amount, _OF_AMOUNT, 12.0),
    "second-host": Entry("between", "somebody greets the device as a host would, in the midst of a session"),
    "reboot": Entry("device", "the device restarts; its line stands"),
    "brownout": Entry("device", "the power fails for so long, and the line with it", _seconds, _OF_S, 0.3),
    "counter-reset": Entry("device", "the device counts its frames anew in the midst of a session"),
    "overflow": Entry(
        "device",
        "the device has room for so many events, and is away from its host until older ones are gone",
        _room,
        _OF_ROOM,
        64.0,
    ),
    "rollback": Entry("device", "the device restarts without its last so many events", _amount, _OF_AMOUNT, 20.0),
    "other-chain": Entry("device", "the device's chain of events is not the one that the host has"),
    "double-feed": Entry("shoe", "two cards leave at once; the second is pushed back"),
    "misread": Entry(
        "shoe", "a card cannot be read, or is read as this other one", Card.parse, "a card such as 4c", None
    ),
    "reverse": Entry("shoe", "a card runs back before it comes out"),
    "lid": Entry("shoe", "the lid is opened and closed"),
    "cut-card-missed": Entry("shoe", "the cutting card comes out unnoticed"),
    "foreign": Entry("shoe", "a card is none of the deck"),
    "other-value": Entry("shoe", "a withheld card is turned as another one than the shoe was committed to"),
    "overdraw": Entry("shoe", "one card more than is due leaves the shoe, which notices it"),
    "locked": Entry("shoe", "a card leaves the shoe while it is locked"),
    "burst": Entry("shoe", "so many events come at once", _amount, _OF_AMOUNT, 16.0),
    "swap-device": Entry(
        "device",
        "another device is put in its place",
        serial_number,
        "1 to 16 characters of ASCII without blanks",
        "OTHER-0001",
    ),
    "clone-serial": Entry("device", "another device with the same serial number is put in its place"),
    "old-firmware": Entry("device", "the device comes back with firmware that nobody has approved"),
    "never-seated": Entry("reader", "the cards never lie in the reader as they should"),
    "removed-early": Entry("reader", "the cards are taken out before the answer, then put in again"),
    "skewed": Entry("reader", "the cards lie askew at first, then as they should"),
    "unarmed-peek": Entry("reader", "cards lie in the reader before it is armed"),
    "second-peek": Entry("reader", "the cards are put into the reader once more after its answer"),
    "light": Entry("reader", "too much light falls into the reader"),
    "lamp": Entry("reader", "the reader's lamp is broken"),
    "late-verdict": Entry("reader", "the answer comes so much later", _seconds, _OF_S, 4.0),
    "torn": Entry(
        "reader",
        "the reader's line is torn when the cards are to go in, lie in it, or were answered for",
        one_of("armed", "seated", "verdict"),
        "armed, seated or verdict",
        "armed",
    ),
    "left-in-slot": Entry("reader", "a card is left in the reader"),
    "wrong-result": Entry("reader", "the reader says the contrary of what is true"),
    "hang-after-seated": Entry("reader", "the reader does not answer once the cards lie in it"),
}
