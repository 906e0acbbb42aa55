"""What a table's messages prove, read in their order: the chain, the signatures under it, and the commitments opened.

Whoever has the messages can check them; what else a journal holds beside them is checked where the journal is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from protocols.errors import ShoewatchError
from protocols.floor.chain import START, Link
from protocols.floor.checkpoints import WHAT, Checkpoint
from protocols.floor.commitments import commitment
from protocols.floor.messages import digest
from protocols.keys import KeyRegistry
from protocols.texts import TextError, read_json

KEY_CHANGED: Final = "key.changed"


class Unsound(ShoewatchError):
    """What is found is not what was recorded; `seq`: of another record than the one that is read just now."""

    def __init__(self, why: str, seq: int | None = None) -> None:
        super().__init__(why)
        self.seq = seq


@dataclass(frozen=True, slots=True)
class Message:
    """A record's message as it was found; `hash` of its bytes."""

    source: str
    epoch: str
    seq: int
    prev: str
    time: str
    sealed: str | None
    data: Mapping[str, Any]
    hash: str


def read_message(body: bytes) -> Message:
    """The message in these bytes; Unsound where they are none."""
    try:
        fields = read_json(body.decode())
        found = Message(
            source=fields["source"],
            epoch=fields["epoch"],
            seq=fields["seq"],
            prev=fields["prev"],
            time=fields["time"],
            sealed=fields.get("sealed"),
            data={"kind": fields["data"]["kind"], **fields["data"]},
            hash=digest(body),
        )
    except (TextError, UnicodeDecodeError, LookupError, TypeError, AttributeError) as error:
        raise Unsound(f"it is no record's message ({error})") from None
    texts = (found.source, found.epoch, found.time)
    if type(found.seq) is not int or not all(isinstance(each, str) for each in texts):
        raise Unsound("it is no record's message (its seq is no number, or its source, epoch or time no text)")
    return found


@dataclass(slots=True)
class Evidence:
    """What has been read of one epoch of one table. `keys`: whose signatures are trusted, None where that is not asked.

    `last`: the record read last; `signed`: the last one under a checkpoint, 0 where there is none; `keys_used`: how
    many checkpoints each key made; `opened`, `unseen`: commitments that were opened as they were made, and that were
    opened here but made before what is read; `signer`: whose signature stands under the chain, `commits` by record and
    field what is not opened yet."""

    keys: KeyRegistry | None = None
    last: Link = START
    signed: int = 0
    keys_used: Counter[str] = field(default_factory=Counter)
    opened: int = 0
    unseen: int = 0
    signer: str | None = None
    commits: dict[tuple[int, str], str] = field(default_factory=dict)
    _of: tuple[str, str] | None = None

    def take(self, message: Message) -> Checkpoint | None:
        """Take the next message, and give the checkpoint that it is, if it is one; Unsound where it proves that
        something is not as it was recorded."""
        self._of = self._of or (message.source, message.epoch)
        if (message.source, message.epoch) != self._of:
            raise Unsound(f"it is of {message.source} epoch {message.epoch}, not of {' epoch '.join(self._of)}")
        problem = self.last.break_before(message.seq, message.prev)
        if problem is not None:
            raise Unsound(problem)
        self.last = Link(message.seq, message.hash)
        try:
            self._open(message)
            return self._take_system(message) if message.data["kind"] == "system" else None
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise Unsound(f"its fields are not those of its kind ({error!r})") from None

    def _open(self, message: Message) -> None:
        data = message.data
        for name, commit in data.get("commit", {}).items():
            self.commits[message.seq, name] = commit
        for opening in data.get("disclosed", ()):
            seq, name, value = opening["seq"], opening["field"], opening["value"]
            made = self.commits.pop((seq, name), None)
            if made is None:
                self.unseen += 1
            elif commitment(_nonce(opening["nonce"]), message.epoch, seq, name, value) != made:
                raise Unsound(f"{value} is not the {name} that record {seq} is committed to")
            else:
                self.opened += 1

    def _take_system(self, message: Message) -> Checkpoint | None:
        what, data = message.data["what"], message.data["data"]
        if what == KEY_CHANGED:
            self.signer = str(data["to"])
        if what != WHAT:
            return None
        try:
            checkpoint = Checkpoint.read(data)
        except ValueError as error:
            raise Unsound(str(error)) from None
        self._believe(checkpoint, message)
        self.signed = checkpoint.seq
        self.keys_used[checkpoint.key_id] += 1
        return checkpoint

    def _believe(self, checkpoint: Checkpoint, message: Message) -> None:
        since = f"something in records {self.signed + 1} to {message.seq} was changed"
        if (checkpoint.seq, checkpoint.hash) != (message.seq - 1, message.prev):
            raise Unsound(f"the checkpoint is not of the record before it: {since}")
        if not checkpoint.is_signed(message.epoch):
            raise Unsound(f"the signature of the checkpoint does not hold: {since}")
        if self.signer not in (None, checkpoint.key_id):
            raise Unsound(
                f"key {checkpoint.key_id} signs, before it was {self.signer}, and no record tells of the change"
            )
        self.signer = checkpoint.key_id
        known = None if self.keys is None else self.keys.get(checkpoint.key_id)
        if self.keys is not None and (known is None or not known.was_trusted("table", message.time)):
            why = "is not in the registry" if known is None else f"is not trusted to sign as a table at {message.time}"
            raise Unsound(f"the checkpoint is signed by key {checkpoint.key_id}, which {why}")


def _nonce(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Unsound("an opening in it has no nonce") from None
