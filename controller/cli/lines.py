"""A message as one line for people. Pure; a message that is none of ours gives a line too, never an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

_OUTCOMES: Final = {"warning": "WARNING", "violation": "VIOLATION", "unobservable": "unobservable"}


def parse(payload: bytes) -> dict[str, Any] | None:
    """The fields of a record's or a status's message, None where it is no JSON object."""
    try:
        fields = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def record_line(message: Mapping[str, Any]) -> str:
    """`07:03:48.143 riverside/bj-07 #128 round 12 card.drawn Kh to dealer face down: ok`"""
    data = _mapping(message.get("data"))
    time = str(message.get("time")).partition("T")[2].rstrip("Zz")
    source = str(message.get("source")).lstrip("/")
    return printable(f"{time} {source} #{message.get('seq')} {data_words(data)}")


def due_line(shown: Mapping[str, Any]) -> str:
    """`event 57 ok; the shoe is in error; next: card.drawn to banker`, from what a panel shows at once; before
    the first event without the verdict."""
    verdict = _mapping(shown.get("verdict"))
    judged = [f"event {verdict.get('event')} {verdict_words(verdict)}"] if verdict else []
    acts = ", ".join(_texts(shown.get("due"))) or "nobody can say"
    return printable("; ".join([*judged, *_texts(shown.get("remarks")), f"next: {acts}"]))


def alarm_line(shown: Mapping[str, Any]) -> str:
    """`! the journal cannot be written: ...`, from what a panel or a status says of the daemon itself."""
    alarms = _texts(shown.get("alarms"))
    return printable(f"! {'; '.join(alarms)}" if alarms else "the daemon has no alarm any more")


def status_line(topic: str, payload: bytes) -> str:
    """`riverside/bj-07 is online (epoch 8f3c..., boot 17...)`"""
    status = parse(payload)
    table = "/".join(topic.split("/")[2:4])
    if status is None:
        return printable(f"{table} has no status that can be read")
    plain = ", in plain text over the network" if status.get("insecure") is True else ""
    said = f"{table} is {status.get('status')} (epoch {status.get('epoch')}, boot {status.get('boot')}{plain})"
    return printable(f"{said} {alarm_line(status)}" if status.get("alarms") else said)


def data_words(data: Mapping[str, Any]) -> str:
    """What a record says, verdict included."""
    if data.get("kind") != "table":
        return f"{data.get('kind')}: {_words({name: value for name, value in data.items() if name != 'kind'})}"
    unread = "face down" if _mapping(data.get("commit")).get("card") else "not read"
    words = f"round {data.get('round')} {event_words(_mapping(data.get('event')), unread)}"
    return f"{words}: {verdict_words(_mapping(data.get('verdict')))}{_opened_words(data.get('disclosed'))}"


def _opened_words(disclosed: object) -> str:
    """`; opened: #7 Kh, #8 no_natural`"""
    openings = [_mapping(each) for each in disclosed] if isinstance(disclosed, list) else []
    turned = [f"#{opening.get('seq')} {opening.get('value')}" for opening in openings]
    return f"; opened: {', '.join(turned)}" if turned else ""


def event_words(event: Mapping[str, Any], unread: str = "not read") -> str:
    """`card.drawn Kh to dealer face down`; `unread` stands for a card without a value."""
    left = {name: value for name, value in event.items() if name not in ("t", "seq")}
    words = [str(left.pop("type", "event without a type"))]
    if words == ["card.drawn"]:
        words.append(str(left.pop("card", f"({unread})")))
    elif "card" in left:
        words.append(str(left.pop("card")))
    words += [f"{lead}{left.pop(name)}" for name, lead in (("to", "to "), ("face", "face ")) if name in left]
    return " ".join(word for word in (*words, _words(left)) if word)


def verdict_words(verdict: Mapping[str, Any]) -> str:
    """`ok`, or `VIOLATION bac_draw: the banker drew on 7 (DICJ 46-3)`."""
    outcome = verdict.get("outcome")
    if outcome == "ok":
        return "ok"
    words = str(_OUTCOMES.get(str(outcome), outcome))
    words += f" {verdict['code']}" if verdict.get("code") else ""
    words += f": {verdict['detail']}" if verdict.get("detail") else ""
    return words + (f" ({verdict['rule']})" if verdict.get("rule") else "")


def printable(text: str) -> str:
    """Without control characters: what comes from a broker must not steer a terminal."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def _words(fields: Mapping[str, Any]) -> str:
    return " ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in fields.items()
        if value not in (None, {}, [])
    )


def _texts(value: object) -> list[str]:
    return list(map(str, value)) if isinstance(value, list | tuple) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
