"""What text and page say alike of a round. Pure; nothing here is escaped or cleaned for where it is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from controller.cli.lines import data_words, event_words
from controller.rounds.model import Card, Finding, Reconstruction, Resolved, Step, Who

LIES: Final = {
    "up": "face up",
    "turned": "turned later",
    "down": "face down, never turned",
    "unread": "not read",
}
_ENDED: Final = {"open": "still open", "overtaken": "not ended before the next round was opened"}
_METHODS: Final = {"peek": "hole card with a peek", "no-peek": "hole card without a peek", "no-hole": "no hole card"}


def outcome(found: Reconstruction) -> str:
    """`closed; 2 violations, 1 warning; disputed`"""
    counts = Counter(finding.outcome for finding in found.findings)
    said = [
        f"{counts[kind]} {kind}{'s' if counts[kind] != 1 and kind != 'unobservable' else ''}"
        for kind in ("violation", "warning", "unobservable")
        if counts[kind]
    ]
    ended = _ENDED.get(found.ended, found.ended) + (f" ({found.reason})" if found.reason else "")
    gaps = ["the log has a gap, it is not judged"] if found.gaps else []
    return "; ".join([ended, *([", ".join(said)] if said else []), *(["disputed"] if found.disputed else []), *gaps])


def times(found: Reconstruction) -> str:
    """`2026-11-30 18:29:29.123 to 18:29:31.001 UTC`"""
    begun = found.started.replace("T", " ").rstrip("Z")
    return f"{begun} to {clock(found.finished)} UTC" if found.finished else f"from {begun} UTC on"


def clock(time: str) -> str:
    """The time of day of an RFC 3339 time in UTC."""
    return time.partition("T")[2].rstrip("Z")


def wagers(found: Reconstruction) -> str:
    """`boxes 3, 5, 6`"""
    return "not observed" if found.boxes is None else f"boxes {', '.join(map(str, found.boxes))}"


def at_first(found: Reconstruction) -> Iterator[str]:
    """How things stood when the round began, a sentence each."""
    yield from (f"{device}: link {state}" for device, state in found.before.links.items())
    for device, code in found.before.faults.items():
        yield f"{device}: out of use{f' ({code})' if code else ''}"
    shown = found.before.cutting_card
    yield f"cutting card: {'not known' if shown is None else 'had shown' if shown else 'had not shown'}"


def methods(found: Reconstruction) -> Iterator[str]:
    """How it was dealt, first at the beginning and then from each change on."""
    for use in found.methods:
        since = "" if use.seq is None else f" from record {use.seq} on ({use.why})"
        yield f"{_METHODS.get(use.method, use.method)}{since}"


def place_words(place: str) -> str:
    """`box 3`, `box 3, hand b`, `community card 4`"""
    place = {"outside": "belongs to no hand", "unknown": "place not known"}.get(place, place)
    box, _, letter = place.partition("/")
    box = box.replace("community:", "community card ").replace(":", " ")
    return f"{box}, hand {letter}" if letter else box


def remarks(card: Card) -> Iterator[str]:
    """What is to say of a card besides its value and face."""
    yield from (["burned or carried away"] if card.gone else [])
    yield from (["found face up in the shoe"] if card.boxed else [])
    yield from (["entered by hand"] if card.manual else [])
    yield from (["told late"] if card.replayed else [])
    yield from ([f"had been read as {card.drawn_as}"] if card.drawn_as else [])
    yield from ([] if card.sure else ["place concluded"])


def resolution_words(resolved: Resolved) -> str:
    """`record 812, 2026-11-30 18:40:01: corrected: card 4 was Qd, by F. Person: misread at the table`"""
    decided = {
        "void": "voided",
        "accept": f"accepted: {resolved.remedy}",
        "correct": f"corrected: card {resolved.draw} was {resolved.card}",
    }
    when = resolved.time[:19].replace("T", " ")
    return f"record {resolved.seq}, {when}: {decided[resolved.what]}, by {resolved.who}: {resolved.why}"


def step_words(step: Step) -> str:
    """What a record says, without its verdict."""
    unread = "face down" if step.verdict and step.verdict.face == "down" else "not read"
    if step.event is not None:
        left = {name: value for name, value in step.event.items() if name not in ("actor", "manual")}
        words = event_words(left, unread)
    else:
        words = data_words({"kind": step.kind, **(step.data or {})})
    return words + (" (told late)" if step.replayed else "")


def who_words(who: Who) -> str:
    """`dealer`, `shoe`, `supervisor by hand`"""
    return (who.role or who.actor or "") + (" by hand" if who.manual else "")


def finding_words(finding: Finding) -> str:
    """`VIOLATION hand_skipped: box 3 is not finished`"""
    name = finding.outcome if finding.outcome == "unobservable" else finding.outcome.upper()
    said = " ".join(each for each in (name, finding.code) if each)
    return f"{said}: {finding.detail}" if finding.detail else said


def proofs(found: Reconstruction) -> str:
    """What the openings of sealed values prove."""
    wrong = [f"record {each.seq}" for each in found.openings if not each.proved]
    if wrong:
        return f"OPENED VALUES THAT ARE NOT THOSE COMMITTED TO: {', '.join(wrong)}"
    count = len(found.openings)
    return f"{count} sealed value{'s were' if count != 1 else ' was'} opened, each as committed to" if count else ""
