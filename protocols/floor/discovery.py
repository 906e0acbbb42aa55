"""The message with which Home Assistant finds a table as one device with its entities (device discovery, Home Assistant
2024.11 and newer)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from protocols.floor.topics import Topics

PREFIX: Final = "homeassistant"
_MAKER: Final = "shoewatch"
_VIOLATION: Final = "violation"
_FROM_RECORD: Final = (
    "{% set data = value_json.get('data', {}) %}{% set verdict = data.get('verdict', {}) %}"
    "{% if verdict.get('outcome') == 'violation' %}"
    "{{ {'event_type': 'violation', 'code': verdict.code, 'round': data.round, 'seq': value_json.seq,"
    " 'rule': verdict.rule, 'detail': verdict.detail} | tojson }}{% endif %}"
)
_HANDS: Final = (
    "{% set ns = namespace(hands=[]) %}{% for hand in value_json.hands %}{% set cards = namespace(shown=[]) %}"
    "{% for card in hand.cards %}{% set cards.shown = cards.shown + [card or '##'] %}{% endfor %}"
    "{% set ns.hands = ns.hands + [hand.place ~ ' ' ~ cards.shown | join(' ')] %}{% endfor %}"
    "{{ (ns.hands | join(', '))[:250] or 'none' }}"
)
_LAST: Final = "{{ value_json.last.code or value_json.last.outcome if value_json.last else 'none' }}"
_WRONG: Final = (
    "(value_json.alarms"
    " + (['reader out'] if value_json.reader and value_json.reader.out else [])"
    " + (['shoe in error'] if value_json.shoe.faulted else [])"
    " + (['round disputed'] if value_json.round.disputed else []))"
)
_NUMBER: Final = "{{ value | float | round | int }}"

Fields = dict[str, Any]


def discovery_topic(prefix: str, topics: Topics) -> str:
    """Where it stands, retained; an empty message there takes the device away. Site and table are two levels, as in the
    names of the tables' certificates, from which a broker derives what each may write."""
    return f"{prefix}/device/{topics.site}/{topics.table}/config"


def discovery_message(topics: Topics, version: str, devices: Iterable[str]) -> bytes:
    """`devices`: those whose links are shown, such as `shoe`."""
    name = f"{_MAKER}_{topics.site}_{topics.table}"
    fields: Fields = {
        "device": {
            "identifiers": [name],
            "name": f"Table {topics.table} ({topics.site})",
            "manufacturer": _MAKER,
            "model": "card table",
            "sw_version": version,
        },
        "origin": {"name": _MAKER, "sw_version": version},
        "availability_topic": topics.status,
        "availability_template": "{{ value_json.status }}",
        "payload_available": "online",
        "payload_not_available": "offline",
        "state_topic": topics.state,
        "qos": 1,
        "components": {
            key: {"unique_id": f"{name}_{key}", **component} for key, component in _components(topics, devices)
        },
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def _components(topics: Topics, devices: Iterable[str]) -> Iterator[tuple[str, Fields]]:
    yield "round", _sensor("Round", "counter", "{{ value_json.round.number }}")
    yield "hands", _sensor("Hands", "cards-playing", _HANDS)
    yield "method", _sensor("Method", "card-search-outline", "{{ value_json.method or value_json.family }}")
    yield (
        "due",
        _sensor("Due", "arrow-right-circle-outline", "{{ (value_json.due | join(', '))[:250] or 'nobody can say' }}"),
    )
    yield "last", _sensor("Last finding", "gavel", _LAST)
    for metric, icon in (("draws", "cards"), ("violations", "alert-octagon")):
        counted = {"state_topic": topics.metric(metric), "state_class": "total_increasing"}
        yield metric, _sensor(metric.capitalize(), icon, _NUMBER) | counted
    yield "alarms", _sensor("Alarms", "bell-alert", f"{{{{ ({_WRONG} | join('; '))[:250] or 'none' }}}}")
    yield "problem", _binary("Problem", "problem", _WRONG)
    for device in devices:
        up = f"value_json.links.get('{device}', {{}}).get('state') == 'ready'"
        yield f"{device}-link", _binary(f"{device.capitalize()} link", "connectivity", up)
    yield "open", _binary("Round open", "running", "value_json.round.open")
    yield (
        _VIOLATION,
        {
            "platform": "event",
            "name": "Violation",
            "icon": "mdi:alert-octagon-outline",
            "state_topic": f"{topics.base}/evt/+",
            "event_types": [_VIOLATION],
            "value_template": _FROM_RECORD,
        },
    )


def _sensor(name: str, icon: str, template: str) -> Fields:
    return {"platform": "sensor", "name": name, "icon": f"mdi:{icon}", "value_template": template}


def _binary(name: str, kind: str, holds: str) -> Fields:
    template = f"{{{{ 'ON' if {holds} else 'OFF' }}}}"
    return {"platform": "binary_sensor", "name": name, "device_class": kind, "value_template": template}
