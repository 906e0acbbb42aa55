"""The Node-RED flow that is shipped: that it is what its parts make, and what its functions make of messages."""

from __future__ import annotations

import json
import shutil
import subprocess
from copy import deepcopy
from typing import Any

import node_red_flow
import pytest
from needs import missing

from controller.contract.asyncapi import examples
from protocols.floor.topics import Topics

NODES = {node["id"]: node for node in node_red_flow.flow()}
OTHERS = ("broker", "tls", "ui", "page", "theme", "group", "z")
RUN = """
const { functions, messages } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const kept = {}, flow = { get: name => kept[name], set: (name, value) => { kept[name] = value; } };
const run = (name, msg) => new Function('msg', 'flow', functions[name])(msg, flow);
const passed = messages.map(msg => run(msg.status ? 'link' : 'keep', msg) !== null);
console.log(JSON.stringify({ passed, shown: run('show', {}).payload }));
"""

Message = dict[str, Any]


def test_the_flow_is_what_its_parts_make() -> None:
    assert node_red_flow.PATH.read_text(encoding="utf-8") == node_red_flow.text(), "make flow"


def test_every_wire_and_every_reference_leads_to_a_node() -> None:
    assert len(NODES) == len(node_red_flow.flow())
    for node in NODES.values():
        told = [to for wires in node.get("wires", ()) for to in wires] + node.get("scope", [])
        told += [
            node[name] for name in OTHERS if node.get(name) and not (node["type"] == "mqtt-broker" and name == "broker")
        ]
        assert {*told} <= NODES.keys(), node["id"]


def test_it_reads_what_a_table_says_and_says_nothing() -> None:
    topics = Topics("+", "+")
    heard = {node["topic"] for node in NODES.values() if node["type"] == "mqtt in"}
    assert heard == {topics.state, topics.status, topics.all_events}
    assert not [node for node in NODES.values() if node["type"] == "mqtt out"]


def shown(*messages: Message) -> tuple[list[bool], Message]:
    """Which messages went on behind `keep`, and what the page gets after them."""
    node = shutil.which("node") or missing("node (apt install nodejs)")
    functions = {each["name"]: each["func"] for each in NODES.values() if each["type"] == "function"}
    given = json.dumps({"functions": functions, "messages": messages})
    told = subprocess.run([node, "-e", RUN], input=given, capture_output=True, text=True, check=True)
    answer = json.loads(told.stdout)
    return answer["passed"], answer["shown"]


def payloads(name: str) -> list[Message]:
    """The contract's examples of this message."""
    return [deepcopy(each["payload"]) for each in examples()[name]]


def said(topic: str, payload: Any) -> Message:
    return {"topic": f"casino/v1/riverside/bj-07/{topic}", "payload": payload}


def state(**fields: Any) -> Message:
    return said("state", {**payloads("state")[0], **fields})


ONLINE = said("status", {**payloads("status")[0], "status": "online", "insecure": False, "alarms": []})
LINKED = {"status": {"fill": "green"}}
RIGHT: Message = {
    "alarms": [],
    "links": {"shoe": {"state": "ready"}},
    "reader": None,
    "shoe": {"faulted": False},
    "round": {"number": 3, "open": True, "disputed": False},
}


@pytest.mark.parametrize(("name", "topic"), [("state", "state"), ("status", "status"), ("record", "evt/some-kind")])
def test_every_example_of_the_contract_is_understood(name: str, topic: str) -> None:
    told = payloads(name)
    passed, page = shown(*(said(topic, each) for each in told))
    assert passed == [
        name != "record" or each["data"].get("verdict", {}).get("outcome") == "violation" for each in told
    ]
    assert len(page["tables"]) == (name != "record")


def test_a_table_is_shown_as_it_stands() -> None:
    hands = [{"place": "dealer", "cards": ["Kh", None]}]
    _, page = shown(LINKED, ONLINE, state(**RIGHT, hands=hands, due=["card.drawn to box:1 up"], method="peek"))
    [table] = page["tables"]
    assert page["connected"]
    assert (table["online"], table["round"], table["method"], table["hands"]) == (True, "3", "peek", hands)
    assert (table["due"], table["alarms"]) == (["card.drawn to box:1 up"], [])
    assert table["links"] == [{"device": "shoe", "up": True}]


def test_what_is_wrong_is_an_alarm() -> None:
    wrong: dict[str, Message] = {
        "the disk is full": {"alarms": ["the disk is full"]},
        "shoe link: lost": {"links": {"shoe": {"state": "lost"}}},
        "reader out: link-lost": {"reader": {"out": True, "code": "link-lost"}},
        "shoe in error": {"shoe": {"faulted": True}},
        "round disputed": {"round": {**RIGHT["round"], "disputed": True}},
    }
    for alarm, fields in wrong.items():
        _, page = shown(ONLINE, state(**{**RIGHT, **fields}))
        assert page["tables"][0]["alarms"] == [alarm]
    insecure = said("status", {**ONLINE["payload"], "insecure": True})
    assert shown(insecure)[1]["tables"][0]["alarms"] == ["messages cross the network in plain text"]


def test_offline_is_shown_and_so_is_a_broker_that_is_gone() -> None:
    gone = said("status", {**ONLINE["payload"], "status": "offline"})
    _, page = shown(LINKED, ONLINE, state(**RIGHT), gone, {"status": {"fill": "red"}})
    assert (page["tables"][0]["online"], page["connected"]) == (False, False)


def test_a_violation_is_listed_once_and_the_newest_first() -> None:
    told = next(each for each in payloads("record") if "verdict" in each["data"])
    told["data"]["verdict"] |= {"outcome": "violation", "code": "extra_card", "rule": "1.2", "detail": "one too many"}
    many = [{**told, "id": f"epoch-{number}"} for number in range(20)]
    passed, page = shown(*(said("evt/card-drawn", each) for each in (*many, many[-1])))
    assert passed == [True] * 20 + [False]
    assert [each["id"] for each in page["violations"]] == [f"epoch-{number}" for number in range(19, 7, -1)]
    first, verdict = page["violations"][0], told["data"]["verdict"]
    assert (first["site"], first["table"], first["time"]) == ("riverside", "bj-07", told["time"])
    assert all(first[name] == verdict[name] for name in ("code", "rule", "detail", "round"))


def test_what_is_no_message_of_a_table_is_passed_over() -> None:
    passed, page = shown(said("state", ""), said("state", "{ no json"), said("status", None), said("state", 7))
    assert passed == [False] * 4
    assert page == {"connected": False, "tables": [], "violations": []}
