"""What Home Assistant is told of a table: one device, and entities whose templates say what the messages say."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from blackjack_log import story
from kept_rounds import VAULT, as_told_by_devices
from shown_table import SOURCE, Fields, states

from controller.clock import Clock
from controller.ledger import Ledger
from controller.recovery import fresh
from protocols.dealing.catalog import procedure_named
from protocols.floor.discovery import discovery_message, discovery_topic
from protocols.floor.topics import Topics
from protocols.records import LinkChanged

TOPICS = Topics("riverside", "bj-07")
SAID: Fields = json.loads(discovery_message(TOPICS, "1.2.3", ("shoe", "reader")))
AT_ROOT = {"device", "origin", "components", "qos", "state_topic"}
AT_ROOT |= {"availability_topic", "availability_template", "payload_available", "payload_not_available"}


def rendered(template: str, payload: str) -> str:
    """As Home Assistant renders it: the payload as a text and, where it is JSON, as a value."""
    jinja2 = pytest.importorskip("jinja2")
    try:
        value_json = json.loads(payload)
    except ValueError:
        value_json = jinja2.Undefined()
    text: str = jinja2.Environment(autoescape=False).from_string(template).render(value=payload, value_json=value_json)
    return text.strip()


def shown(state: Fields) -> dict[str, str]:
    """What each entity of the state shows."""
    of_state = {key: each for key, each in SAID["components"].items() if "state_topic" not in each}
    return {key: rendered(each["value_template"], json.dumps(state)) for key, each in of_state.items()}


def test_it_is_one_device_with_names_of_its_own() -> None:
    assert discovery_topic("homeassistant", TOPICS) == "homeassistant/device/riverside/bj-07/config"
    assert SAID.keys() == AT_ROOT
    ids = [component["unique_id"] for component in SAID["components"].values()]
    assert len({*ids}) == len(ids) == 13
    assert all("riverside_bj-07" in each for each in [*ids, *SAID["device"]["identifiers"]])
    platforms = [component["platform"] for component in SAID["components"].values()]
    assert {*platforms} == {"sensor", "binary_sensor", "event"}
    assert all(re.match(r"casino/v1/riverside/bj-07/", topic) for topic in topics(SAID))


def topics(value: Any) -> list[str]:
    if not isinstance(value, dict):
        return []
    own = [each for name, each in value.items() if name.endswith("_topic")]
    return [*own, *(topic for each in value.values() for topic in topics(each))]


def test_a_table_without_a_reader_shows_no_link_of_one() -> None:
    components = json.loads(discovery_message(TOPICS, "1.2.3", ("shoe",)))["components"]
    assert "shoe-link" in components
    assert "reader-link" not in components


@pytest.mark.parametrize(("status", "there"), [("online", "online"), ("offline", "offline")])
def test_it_is_there_as_the_status_says(status: str, there: str) -> None:
    assert rendered(SAID["availability_template"], json.dumps({"status": status})) == there


def test_the_entities_show_what_the_state_says() -> None:
    told = story("cr: R1,2 9s>1 9c>2 As>d 9d>1 9h>2 Kh>d-")
    links = [LinkChanged("shoe", "handshake", "ready"), LinkChanged("reader", "ready", "lost", "gone")]
    begin, *_, last = states((told.header, (*links, *told.events)))
    assert shown(begin) == {
        "round": "0",
        "hands": "none",
        "method": "peek",
        "due": "round.opened",
        "last": "none",
        "alarms": "none",
        "problem": "OFF",
        "shoe-link": "OFF",
        "reader-link": "OFF",
        "open": "OFF",
    }
    now = shown(last)
    assert now["hands"] == "dealer As ##, box:1 9s 9d, box:2 9c 9h"
    assert (now["round"], now["open"], now["shoe-link"], now["reader-link"]) == ("1", "ON", "ON", "OFF")


def test_the_alarms_say_what_is_wrong_and_that_is_the_problem() -> None:
    told = story("cr: R1 9s>1 6d>d 9d>1 7h>d- 1.stand 5h>1")
    *_, last = states((told.header, told.events))
    assert shown(last)["last"] == last["last"]["code"]
    right = {**last, "round": {**last["round"], "disputed": False}}
    wrong = {
        "none": right,
        "round disputed": last,
        "the disk is full": {**right, "alarms": ["the disk is full"]},
        "reader out": {**right, "reader": {"out": True, "code": None}},
        "shoe in error": {**right, "shoe": {**last["shoe"], "faulted": True}},
        "a; b; shoe in error": {**right, "alarms": ["a", "b"], "shoe": {**last["shoe"], "faulted": True}},
    }
    for said, state in wrong.items():
        assert (shown(state)["alarms"], shown(state)["problem"]) == (said, "OFF" if said == "none" else "ON")


def test_numbers_are_those_of_the_metrics() -> None:
    draws = SAID["components"]["draws"]
    assert draws["state_topic"] == "casino/v1/riverside/bj-07/metric/draws"
    assert [rendered(draws["value_template"], text) for text in ("12", "12.0")] == ["12", "12"]


def test_only_a_violation_is_an_event() -> None:
    told = story("cr: R1 9s>1 6d>d 9d>1 7h>d- 1.stand 5h>1")
    procedure = procedure_named(told.header.procedure or "")
    ledger = Ledger(SOURCE, fresh(told.header, procedure).standing, told.header, procedure, VAULT, Clock("boot"))
    rows = [ledger.header(0), *ledger.enter(LinkChanged("shoe", "opening", "ready"), 0).rows]
    rows += [row for event in told.events for row in ledger.enter(as_told_by_devices(event), 0).rows]
    event = SAID["components"]["violation"]
    found = [rendered(event["value_template"], row.body.decode()) for row in rows]
    assert found[:-1] == [""] * (len(rows) - 1)
    said = json.loads(found[-1])
    assert [said["event_type"]] == event["event_types"]
    assert (said["seq"], said["round"], said["code"]) == (
        rows[-1].seq,
        1,
        json.loads(rows[-1].body)["data"]["verdict"]["code"],
    )
