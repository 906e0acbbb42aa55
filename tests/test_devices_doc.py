"""docs/devices.md says of each protocol what the code does."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import get_args

import doc_tables
import pytest
from doc_tables import Row
from test_angel_wire import OTHERS, VECTORS
from test_bee_tek import LINES, decoded

from firmware_bridge.known_devices import EVIDENCE, line_of
from protocols.intake import angel_said, tdl_said
from protocols.orders import Attest, ClearError, ConfirmGame, Lock, Order, PeekArm, PeekCancel, SelfTest
from protocols.wire import angel_commands, bee_tek
from protocols.wire.angel_eye import AngelEyeDecoder, Report, UnknownReport
from protocols.wire.tdl import messages
from protocols.wire.tdl.errors import ERRORS
from protocols.wire.tdl.events import KnownEvent
from protocols.wire.tdl.layout import Layout

ORDERS: Mapping[str, Order] = {
    "lock": Lock(locked=True),
    "unlock": Lock(locked=False),
    "clear_error": ClearError(2),
    "confirm_game": ConfirmGame(),
    "self_test": SelfTest(),
    "attest": Attest(),
    "peek_arm": PeekArm(1, "ace"),
    "peek_cancel": PeekCancel(1),
}


def table(*columns: str) -> list[Row]:
    """The one table of docs/devices.md that begins with these columns."""
    return doc_tables.table("devices.md", *columns)


def by_code(rows: list[Row], column: str, value: str) -> Mapping[int, str]:
    found = {int(row[column], 16): row[value] for row in rows}
    assert len(found) == len(rows)
    return found


def test_the_protocols_with_their_lines_and_what_they_prove() -> None:
    rows = {row["protocol"]: row for row in table("protocol", "line")}
    assert rows.keys() == EVIDENCE.keys()
    for protocol, evidence in EVIDENCE.items():
        row = rows[protocol]
        assert row["speed"] == str(line_of(protocol).baud)
        assert (row["assurance"], row["loss detection"]) == (evidence.assurance, evidence.loss_detection)


def words(text: str) -> set[str]:
    return {word.strip(",:") for word in text.split()}


def test_which_orders_each_protocol_takes() -> None:
    rows = {row["protocol"]: words(row["takes orders"]) & ORDERS.keys() for row in table("protocol", "line")}
    assert rows["angel-eye"] == {
        name for name, order in ORDERS.items() if angel_commands.command(order, "with_stx") is not None
    }
    operations = {name for name, order in ORDERS.items() if messages.operation(order) is not None}
    assert rows["tdl"] == operations | {"attest"}
    assert rows["bee-tek"] == set()


def test_the_reports_of_an_angel_eye_shoe() -> None:
    frames = [bytes.fromhex(text) for text, _, _ in VECTORS] + [frame for frame, _, _ in OTHERS]
    reports: list[Report] = [report for frame in frames for report in AngelEyeDecoder().feed(frame)]
    assert not any(isinstance(report, UnknownReport) for report in reports)
    named = {chr(report.frame[2]): angel_said.noted(report, "shoe").report for report in reports}
    assert {row["code"]: row["device record"] for row in table("code", "payload")} == named


def test_the_commands_of_an_angel_eye_shoe() -> None:
    rows = table("type", "data")
    for row in rows:
        said = angel_commands.command(ORDERS[row["order"]], "with_stx")
        assert said is not None
        assert said[3:5].decode() == row["type"]
        assert said[5:7].decode() == row["data"] or "to" in row["data"]
    assert {row["order"] for row in rows} == {
        name for name, order in ORDERS.items() if angel_commands.command(order, "with_stx") is not None
    }


def test_why_an_angel_eye_shoe_refuses() -> None:
    rows = table("NAK", "says")
    meanings = {code: text for code, (text, _) in angel_commands.REFUSALS.items()}
    assert by_code(rows, "NAK", "says") == {**angel_commands.LINE_ERRORS, **meanings}
    answers = by_code(rows, "NAK", "becomes the answer")
    assert {code: answers[code] for code in angel_commands.REFUSALS} == {
        code: answer for code, (_, answer) in angel_commands.REFUSALS.items()
    }
    assert all("three times" in answers[code] for code in angel_commands.LINE_ERRORS)


@pytest.mark.parametrize("row", table("frame", "says")[:5], ids=lambda row: row["frame"])
def test_a_frame_of_a_bee_tek_shoe(row: Row) -> None:
    [report], counters = decoded(row["frame"].encode() + b"\r\n")
    assert counters == bee_tek.Counters()
    records = {"CardRead": ("", "mode, when it changes"), "AlarmRaised": ("alarm",), "Warned": ("warning",)}
    assert row["device record"] in records[type(report).__name__]
    assert row["becomes at the table"].startswith("card.drawn") == isinstance(report, bee_tek.CardRead)


def test_every_sort_of_report_of_a_bee_tek_shoe_is_told() -> None:
    kinds = {type(report) for text, _, _ in LINES.values() for report in decoded(text.encode())[0]}
    assert kinds == set(get_args(bee_tek.Report))
    assert len(table("frame", "says")) == 7
    assert str(bee_tek.LINE_MAX) in (doc_tables.DOCS / "devices.md").read_text()


def size(layout: type[Layout]) -> str:
    return str(Struct("<" + layout.FORMAT).size)


def test_the_messages_of_tdl() -> None:
    rows = table("type", "name")
    known = {kind.TYPE: size(kind) for kind in get_args(messages.ToDevice) if issubclass(kind, Layout)}
    known |= {kind.TYPE: size(kind) for kind in (messages.Beacon, messages.Ident, messages.Status)}
    known |= {messages.EVENT: "13", messages.Response.TYPE: "3", messages.Command.TYPE: "3"}
    assert by_code(rows, "type", "bytes") == known
    assert {int(row["type"], 16) for row in rows if row["direction"] == "host to device"} == {
        kind.TYPE for kind in get_args(messages.ToDevice)
    }


def test_the_events_of_tdl() -> None:
    rows = table("kind", "name")
    assert by_code(rows, "kind", "bytes") == {kind.KIND: size(kind) for kind in get_args(KnownEvent)}
    records = {code: text.split(",")[0] for code, text in by_code(rows, "kind", "device record").items()}
    assert records == {kind.KIND: tdl_said._NAMES[kind] for kind in get_args(KnownEvent)}


def test_the_commands_of_tdl() -> None:
    given = {row["name"]: int(row["op"], 16) for row in table("op", "name")}
    operations = {order.name.upper(): messages.operation(order) for order in ORDERS.values()}
    sent = {name: operation[0] for name, operation in operations.items() if operation}
    sent["CLEAR_ERR"] = sent.pop("CLEAR_ERROR")
    assert given == sent | {"GET_INFO": messages.GET_INFO, "ATTEST": messages.ATTEST}


def test_the_errors_of_tdl() -> None:
    rows = table("code", "name", "severity")
    told = {int(row["code"], 16): (row["name"], row["severity"]) for row in rows}
    assert told == {code: (error.name, error.severity) for code, error in ERRORS.items()}
