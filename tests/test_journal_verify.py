"""What is done to a journal, or to what was published of it, is found, and the first such record named."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from told_journal import SIGNER, STRANGER, changing, found, rechained, rewritten, round_of, tell

from controller.journal_file import JournalError, Row
from controller.journal_verify import Problem, Verified, verify_journal, verify_messages
from protocols.floor.commitments import commitment
from protocols.keys import KnownKey, with_key, without_key
from protocols.records import STOP, SystemNoted

Rows = list[Row]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "journal.db"
    tell(path)
    return path


@pytest.fixture(scope="module")
def rows(whole: Path) -> Rows:
    return found(whole)


def changed(whole: Path, rows: Rows, folder: Path) -> Verified:
    path = folder / "changed.db"
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    shutil.copy(whole, path)
    rewritten(path, rows)
    return verify_journal(path)


def problem(whole: Path, rows: Rows, folder: Path) -> Problem:
    told = changed(whole, rows, folder).problem
    assert told is not None
    return told


def seqs_of(rows: Rows, what: str) -> list[int]:
    return [row.seq for row in rows if json.loads(row.body)["data"].get("what") == what]


def test_what_was_recorded_is_sound(whole: Path, rows: Rows) -> None:
    told = verify_journal(whole)
    assert told.problem is None
    assert (told.records, told.first, told.last) == (len(rows), 1, len(rows))
    assert told.checkpoints == {SIGNER.key_id: 3}
    assert told.signed == seqs_of(rows, "checkpoint")[-1] - 1
    assert (told.opened, told.unseen) == (2, 0)


positions = st.integers(min_value=0, max_value=10_000)


@settings(max_examples=60, deadline=None)
@given(at=positions, byte=positions, bit=st.integers(0, 7))
def test_a_flipped_bit_is_found_where_it_is(
    whole: Path, rows: Rows, tmp_path_factory: pytest.TempPathFactory, at: int, byte: int, bit: int
) -> None:
    index = at % len(rows)
    body = bytearray(rows[index].body)
    body[byte % len(body)] ^= 1 << bit
    forged = [*rows[:index], replace(rows[index], body=bytes(body)), *rows[index + 1 :]]
    assert problem(whole, forged, tmp_path_factory.getbasetemp()).seq == rows[index].seq


@settings(max_examples=40, deadline=None)
@given(at=positions, kind=st.sampled_from(["body", "sealed", "wall", "kind", "n", "round"]))
def test_a_column_that_says_something_else_is_found(
    whole: Path, rows: Rows, tmp_path_factory: pytest.TempPathFactory, at: int, kind: str
) -> None:
    row = rows[at % len(rows)]
    if kind == "round" and row.kind != "table":
        kind = "n"
    other: Mapping[str, Any] = {
        "body": row.body + b" ",
        "sealed": b"something else",
        "wall": "2020-01-01T00:00:00.000Z",
        "kind": "order" if row.kind != "order" else "link",
        "n": (row.n or 0) + 1,
        "round": (row.round or 0) + 1,
    }
    forged = [replace(each, **{kind: other[kind]}) if each is row else each for each in rows]
    assert problem(whole, forged, tmp_path_factory.getbasetemp()).seq == row.seq


@settings(max_examples=40, deadline=None)
@given(at=positions)
def test_a_deleted_record_is_named_by_the_one_behind_it(
    whole: Path, rows: Rows, tmp_path_factory: pytest.TempPathFactory, at: int
) -> None:
    index = at % (len(rows) - 1)
    told = problem(whole, rows[:index] + rows[index + 1 :], tmp_path_factory.getbasetemp())
    assert (told.seq, f"records {index + 1} to {index + 1} are missing" in told.why) == (index + 2, True)


@settings(max_examples=40, deadline=None)
@given(at=positions, other=positions)
def test_records_in_another_order_are_found(
    whole: Path, rows: Rows, tmp_path_factory: pytest.TempPathFactory, at: int, other: int
) -> None:
    first, second = sorted((at % len(rows), other % len(rows)))
    if first == second:
        return
    swapped = list(rows)
    swapped[first] = replace(rows[second], seq=rows[first].seq)
    swapped[second] = replace(rows[first], seq=rows[second].seq)
    assert problem(whole, swapped, tmp_path_factory.getbasetemp()).seq == rows[first].seq


def next_signature(rows: Rows, seq: int) -> int:
    """The record of the first checkpoint that covers this one."""
    return next(signed for signed in seqs_of(rows, "checkpoint") if signed >= seq)


Forgery = Callable[[Rows, int], Rows]


def said_otherwise(rows: Rows, index: int) -> Rows:
    fields = json.loads(rows[index].body)
    fields["time"] = "2020-01-01T00:00:00.000Z"
    body = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    return [*rows[:index], replace(rows[index], body=body, wall=fields["time"]), *rows[index + 1 :]]


def left_out(rows: Rows, index: int) -> Rows:
    return rows[:index] + rows[index + 1 :]


def put_in(rows: Rows, index: int) -> Rows:
    return rows[: index + 1] + rows[index:]


@settings(max_examples=60, deadline=None)
@given(at=positions, forge=st.sampled_from([said_otherwise, left_out, put_in]))
def test_whoever_chains_anew_has_no_signature(
    whole: Path, rows: Rows, tmp_path_factory: pytest.TempPathFactory, at: int, forge: Forgery
) -> None:
    """Every hash is right again: the next checkpoint tells, and says how far back it may be."""
    index = at % (seqs_of(rows, "checkpoint")[-1] - 1)
    told = problem(whole, rechained(forge(rows, index)), tmp_path_factory.getbasetemp())
    assert told.seq is not None
    assert index < told.seq <= next_signature(rows, index + 2) + 1
    assert "was changed" in told.why


@settings(max_examples=30, deadline=None)
@given(left=positions)
def test_a_journal_that_is_cut_short_is_told_by_what_was_signed(
    whole: Path, rows: Rows, tmp_path_factory: pytest.TempPathFactory, left: int
) -> None:
    last = left % (seqs_of(rows, "checkpoint")[-1] - 1)
    told = problem(whole, rows[:last], tmp_path_factory.getbasetemp())
    assert (told.seq, "was signed" in told.why) == (last + 1, True)


def test_the_last_record_is_told_by_what_was_published(whole: Path, rows: Rows, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    shutil.copy(whole, path)
    with changing(path) as file:
        file.execute("INSERT INTO cursor VALUES('mqtt', ?)", (len(rows),))
        file.execute("DELETE FROM record WHERE seq = ?", (len(rows),))
    told = verify_journal(path).problem
    assert told is not None
    assert (told.seq, "was published" in told.why) == (len(rows), True)


def test_another_signature_beside_the_record_is_found(whole: Path, rows: Rows, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    shutil.copy(whole, path)
    signed = seqs_of(rows, "checkpoint")[0]
    with changing(path) as file:
        file.execute("UPDATE checkpoint SET key_id = 'deadbeefdeadbeef' WHERE seq = ?", (signed - 1,))
    told = verify_journal(path).problem
    assert told is not None
    assert told.seq == signed


TRIGGER = "CREATE TRIGGER quiet AFTER INSERT ON record BEGIN DELETE FROM record WHERE seq = 3; END"
NONE_LISTED = "listed as signed, and no checkpoint"


@pytest.mark.parametrize(
    ("changes", "seq", "why"),
    [
        (["UPDATE record SET round = 99 WHERE seq = 3"], 3, "its round is 99"),
        (["UPDATE record SET round = NULL WHERE seq = 3"], 3, "its round is None"),
        (["UPDATE record SET round = 2 WHERE seq = 3"], 3, "its round is 2 in the journal, ahead of"),
        (["UPDATE record SET round = 1 WHERE seq = 19"], 19, "its round is 1 in the journal, behind"),
        (["INSERT INTO checkpoint VALUES(3, x'00', 'deadbeefdeadbeef')"], 3, NONE_LISTED),
        (["INSERT INTO checkpoint VALUES(-9, x'00', 'deadbeefdeadbeef')"], -9, NONE_LISTED),
        ([TRIGGER], 29, "a trigger 'quiet'"),
        (["ALTER TABLE record RENAME TO r", "CREATE VIEW record AS SELECT * FROM r"], 29, "a view 'record'"),
        (["CREATE TABLE r AS SELECT * FROM record", "DROP TABLE record", "ALTER TABLE r RENAME TO record",
          "UPDATE record SET sealed = 'text' WHERE seq = 8"], 8, "its sealed is 'text'"),
    ],
)  # fmt: skip
def test_what_is_done_beside_the_messages_is_found(
    whole: Path, tmp_path: Path, changes: list[str], seq: int | None, why: str
) -> None:
    path = tmp_path / "journal.db"
    shutil.copy(whole, path)
    with changing(path) as file:
        for change in changes:
            file.execute(change)
    told = verify_journal(path).problem
    assert told is not None
    assert (told.seq, why in told.why) == (seq, True)


def resigned(rows: Rows) -> Rows:
    """Everything again, signed by somebody else."""
    made: Rows = []
    for row in rows:
        fields = json.loads(row.body)
        if fields["data"].get("what") == "checkpoint":
            before = made[-1]
            fields["data"]["data"] = STRANGER.checkpoint(fields["epoch"], before.seq, before.hash.hex()).data()
        prev = made[-1].hash.hex() if made else "0" * 64
        body = json.dumps(fields | {"prev": prev}, ensure_ascii=False, separators=(",", ":")).encode()
        made.append(replace(row, body=body, hash=hashlib.sha256(body).digest()))
    return made


def test_whoever_signs_anew_is_not_the_table(whole: Path, rows: Rows, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    shutil.copy(whole, path)
    forged = resigned(rows)
    rewritten(path, forged)
    with changing(path) as file:
        for row in forged:
            data = json.loads(row.body)["data"]
            if data.get("what") == "checkpoint":
                signed = (bytes.fromhex(data["data"]["signature"]), STRANGER.key_id, data["data"]["seq"])
                file.execute("UPDATE checkpoint SET signature = ?, key_id = ? WHERE seq = ?", signed)
    known = with_key({}, KnownKey("bj-07", ("table",), SIGNER.public_key, "2026-11-30T00:00:00Z"))
    assert verify_journal(path).problem is None
    told = verify_journal(path, known).problem
    assert told is not None
    assert (told.seq, STRANGER.key_id in told.why) == (seqs_of(rows, "checkpoint")[0], True)
    assert verify_journal(whole, known).problem is None


@pytest.mark.parametrize(
    ("roles", "revoked"), [(("console",), None), (("table",), "2020-01-01T00:00:00Z")], ids=["role", "revoked"]
)
def test_a_key_that_may_not_sign_is_told(whole: Path, roles: Any, revoked: str | None) -> None:
    known = with_key({}, KnownKey("bj-07", roles, SIGNER.public_key, "2019-01-01T00:00:00Z"))
    if revoked:
        known = without_key(known, SIGNER.key_id, revoked)
    told = verify_journal(whole, known).problem
    assert told is not None
    assert "is not trusted to sign as a table" in told.why


def test_a_key_that_is_revoked_later_signed_well(whole: Path) -> None:
    known = with_key({}, KnownKey("bj-07", ("table",), SIGNER.public_key, "2019-01-01T00:00:00Z"))
    assert verify_journal(whole, without_key(known, SIGNER.key_id, "2999-01-01T00:00:00Z")).problem is None


@pytest.mark.parametrize("announced", [True, False])
def test_another_key_signs_only_where_a_record_tells_of_it(tmp_path: Path, announced: bool) -> None:
    path = tmp_path / "journal.db"
    tell(path)
    news = SystemNoted("key.changed", {"from": SIGNER.key_id, "to": STRANGER.key_id})
    tell(path, [*([news] if announced else []), STOP], STRANGER)
    told = verify_journal(path)
    assert (told.problem is None) is announced
    assert told.problem is None or "no record tells of the change" in told.problem.why


def test_an_opening_that_is_none_is_found(whole: Path, rows: Rows, tmp_path: Path) -> None:
    """The chain is made anew up to the next checkpoint: only the commitment tells, and it tells first."""
    index = next(at for at, row in enumerate(rows) if b'"disclosed":' in row.body)
    body = rows[index].body.replace(b'"value":"Kh"', b'"value":"Ah"')
    assert body != rows[index].body
    forged = rechained([*rows[:index], replace(rows[index], body=body), *rows[index + 1 :]])
    told = problem(whole, forged, tmp_path)
    assert (told.seq, "Ah is not the card" in told.why) == (index + 1, True)


def test_the_openings_are_what_anybody_can_reckon(rows: Rows) -> None:
    messages = [json.loads(row.body) for row in rows]
    opened = [(each, message["epoch"]) for message in messages for each in message["data"].get("disclosed", ())]
    assert len(opened) == 2
    for each, epoch in opened:
        commit = commitment(bytes.fromhex(each["nonce"]), epoch, each["seq"], each["field"], each["value"])
        assert messages[each["seq"] - 1]["data"]["commit"][each["field"]] == commit


def test_published_messages_prove_the_same(rows: Rows) -> None:
    lines = [row.body for row in rows]
    status = b'{"status":"online","epoch":"x","boot":"y","insecure":false}'
    [told] = verify_messages([status, *lines[:5], b"", *lines[3:], status])
    assert (told.problem, told.records, told.opened) == (None, len(rows), 2)
    assert told.checkpoints == {SIGNER.key_id: 3}
    [later] = verify_messages(lines[6:])
    assert (later.problem, later.first) == (None, 7)


def test_messages_that_a_resend_brought_late_are_taken_at_their_place(rows: Rows) -> None:
    lines = [row.body for row in rows]
    [told] = verify_messages([*lines[4:], *lines])
    assert (told.problem, told.records, told.first) == (None, len(rows), 1)
    [filled] = verify_messages([*lines[:2], *lines[5:], *lines[2:5]])
    assert (filled.problem, filled.records) == (None, len(rows))
    [gap] = verify_messages([*lines[:2], *lines[5:]])
    assert gap.problem == Problem(6, "records 3 to 5 are missing")


@settings(max_examples=40, deadline=None)
@given(at=positions, forge=st.sampled_from([said_otherwise, left_out, put_in]))
def test_messages_that_were_changed_are_found(rows: Rows, at: int, forge: Forgery) -> None:
    index = at % (seqs_of(rows, "checkpoint")[-1] - 1)
    [told] = verify_messages([row.body for row in rechained(forge(rows, index))])
    assert told.problem is not None
    if forge is not put_in and index:
        plain = verify_messages([row.body for row in forge(rows, index)])[0].problem
        assert plain is not None
        assert plain.seq == index + 2


def with_fields(body: bytes, old: str, new: str) -> bytes:
    assert old.encode() in body
    return body.replace(old.encode(), new.encode())


@pytest.mark.parametrize(
    ("what", "old", "new", "why"),
    [
        ("checkpoint", '"data":{"seq":', '"data":{"seq":1e400,"was":', "it is no checkpoint"),
        ("checkpoint", '"data":{"seq":', '"data":{"seq":NaN,"was":', "NaN"),
        ("checkpoint", '"time":"2', '"time":"x2', "its fields are not those of its kind"),
    ],
)
def test_a_message_that_nobody_made_so_is_named(rows: Rows, what: str, old: str, new: str, why: str) -> None:
    """Also where the registry makes a reader look at its time."""
    seq = seqs_of(rows, what)[0]
    known = with_key({}, KnownKey("bj-07", ("table",), SIGNER.public_key, "2019-01-01T00:00:00Z"))
    lines = [with_fields(row.body, old, new) if row.seq == seq else row.body for row in rows]
    told = verify_messages(lines, without_key(known, SIGNER.key_id, "2999-01-01T00:00:00Z"))[0].problem
    assert told is not None
    assert (told.seq, why in told.why) == (seq, True)


@pytest.mark.parametrize("line", [b'{"status":' + b"[" * 100_000, b"[" * 100_000, b'{"status":"\xff"}', b"\0"])
def test_a_line_that_is_no_message_is_named(rows: Rows, line: bytes) -> None:
    with pytest.raises(JournalError, match=r"^line 2: it is no record's message"):
        verify_messages([rows[0].body, line])


def test_two_tables_and_two_epochs_are_told_apart(rows: Rows, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    tell(other, round_of("9h"))
    mixed = [row.body for pair in zip(found(other), rows, strict=False) for row in pair]
    assert [told.problem for told in verify_messages(mixed)] == [None, None]
    assert len({told.epoch for told in verify_messages(mixed)}) == 2
