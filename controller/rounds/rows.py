"""The journal's rows as a reconstruction needs them: proved against one another, read as what they say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from controller.by_hand import UNLIKE
from controller.export import said
from controller.journal_file import JournalError, Row
from controller.lasting import Lasting, lasting_after
from controller.recovery import event_of
from controller.rounds.kept import Kept
from controller.rounds.model import Before, Resolved, Unlike
from protocols.dealing.remedies import DISPUTING
from protocols.events import EVENT_MODELS, CardsShuffled, CutCardReached, Event, LogGap, LogHeader, ShoeLoaded
from protocols.records import LinkState, Resolution
from protocols.verdicts import VERDICT, Verdict

LASTING_TYPES: Final = EVENT_MODELS.keys() & {
    "shoe.faulted", "shoe.restored", "reader.faulted", "reader.restored", "method.selected"
}  # fmt: skip
"""The events that begin or end what holds over rounds."""
_LASTING: Final = tuple(f'"type":"{name}"' for name in sorted(LASTING_TYPES))
_GAP: Final = f'"type":"{LogGap.name}"'
_CUTTING: Final = tuple(f'"type":"{model.name}"' for model in (CutCardReached, ShoeLoaded, CardsShuffled))


@dataclass(frozen=True, slots=True)
class Record:
    """A row and what its message says."""

    row: Row
    message: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = self.message["data"]
        return data

    @property
    def seq(self) -> int:
        return self.row.seq

    def event(self) -> Event:
        """The table event, as everybody could see it when it came; JournalError where it holds none."""
        try:
            return event_of(self.data)
        except ValueError:
            raise JournalError(f"record {self.seq} of the journal is damaged: its event is none") from None

    def verdict(self) -> Verdict:
        """Of a table record; JournalError where it holds none."""
        try:
            return VERDICT.validate_json(json.dumps(self.data["verdict"]))
        except (ValueError, LookupError):
            raise JournalError(f"record {self.seq} of the journal is damaged: its verdict is none") from None


@dataclass(frozen=True, slots=True)
class RoundRecords:
    """What the journal holds of a round: the round before it, its own records, and those after it that may open one of
    its cards; `lasting` holds before the first of them all."""

    header: LogHeader
    header_seq: int
    previous: tuple[Record, ...]
    own: tuple[Record, ...]
    following: tuple[Record, ...]
    lasting: Lasting
    before: Before
    gapped: bool
    notes: tuple[str, ...]
    unlike: tuple[Unlike, ...] = ()
    resolutions: tuple[Resolved, ...] = ()


def round_records(kept: Kept, number: int) -> RoundRecords:
    """Everything about round `number` of the epoch; JournalError where there is no such round, or a record of it is
    damaged."""
    missing = kept.missing_through()
    near = tuple(each for each in records(kept.of_rounds(number - 1, number + 1)) if each.seq > missing)
    own = tuple(each for each in near if each.row.round == number and each.row.kind != "header")
    if not any(each.row.kind == "table" for each in own):
        raise JournalError(f"{kept}: there is no round {number} in this journal{_rounds_there(kept)}")
    start = own[0].seq
    header = _header_of(kept, own)
    context = [each for each in near if each.seq > header.seq and each.row.kind != "header"]
    previous = tuple(each for each in context if each.row.round == number - 1)
    after = (each for each in near if each.row.round == number + 1 and each.seq > start)
    following = tuple(takewhile(lambda each: each.row.kind != "header", after))
    lasting = lasting_between(kept, header.seq, previous[0].seq if previous else start)
    return RoundRecords(
        LogHeader.model_validate_json(json.dumps(header.data["event"])),
        header.seq,
        previous,
        own,
        following,
        lasting,
        _before(kept, header.seq, start, _lasting_on(lasting, previous)),
        header.seq <= missing or _is_gapped(kept, header.seq, start),
        tuple(gone(kept)) if header.seq <= missing else (),
        tuple(unlike for about, unlike in unlike_cards(kept) if about == number),
        tuple(resolved for about, resolved in resolutions(kept) if about == number),
    )


def records(rows: Iterable[Row]) -> Iterator[Record]:
    """Rows with what they say; JournalError names the first that does not follow on the one before, or cannot be
    read."""
    last: Row | None = None
    for row in rows:
        record = Record(row, said(row))
        if last and row.seq == last.seq + 1 and record.message.get("prev") != last.hash.hex():
            raise JournalError(
                f"record {row.seq} of the journal does not follow on record {last.seq}: one of the two was changed"
            )
        last = row
        yield record


def resolutions(kept: Kept) -> Iterator[tuple[int, Resolved]]:
    """What supervisors decided on rounds, in order, each with the number of its round."""
    for row in reversed(list(kept.back(["input"], [f'"{Resolution.name}":{{']))):
        decided = said(row)["data"].get(Resolution.name)
        if isinstance(decided, dict):
            yield decided.pop("round"), Resolved(row.seq, row.wall, **decided)


def unlike_cards(kept: Kept) -> Iterator[tuple[int, Unlike]]:
    """The cards by hand that the shoe told otherwise, in order, each with the number of its round."""
    for row in reversed(list(kept.back(["device"], [f'"report":"{UNLIKE}"']))):
        data = said(row)["data"]["data"]
        yield data["round"], Unlike(row.seq, data["draw"], data["record"])


def header_before(kept: Kept, seq: int) -> Row | None:
    """The header in force before this record."""
    return next(kept.back(["header"], ["log.header"], before=seq), None)


def lasting_between(kept: Kept, header: int, begins: int) -> Lasting:
    """What held over rounds before the record `begins`, of that which was told behind `header`."""
    rows = list(kept.back(["table"], _LASTING, before=begins, after=header))
    return _lasting_on({}, (Record(row, said(row)) for row in reversed(rows)))


def leaves_disputed(code: str | None, *, opened: bool) -> bool:
    """Whether this violation leaves its round disputed; a card outside of any round leaves the next one alone."""
    return code in DISPUTING and (opened or code != "draw_outside_round")


def gone(kept: Kept) -> Iterator[str]:
    """What of the journal is not there any more, in words."""
    missing = kept.missing_through()
    if missing:
        yield f"records up to {missing} are no longer in this journal, but for single ones: it was pruned"


def _rounds_there(kept: Kept) -> str:
    dealt = kept.rounds_dealt(kept.missing_through())
    there = f"; it holds rounds {dealt[0]} to {dealt[1]}" if dealt else "; it holds none"
    return there + "".join(f" ({note})" for note in gone(kept))


def _header_of(kept: Kept, own: tuple[Record, ...]) -> Record:
    """The header in force at the first table record of the round."""
    first = next(each.seq for each in own if each.row.kind == "table")
    found = header_before(kept, first)
    if found is None:
        raise JournalError(f"{kept}: the header that record {first} was checked by is not in this journal any more")
    return Record(found, said(found))


def _is_gapped(kept: Kept, header: int, start: int) -> bool:
    """Whether something may be missing of what was dealt under this header before the record `start`."""
    return any(kept.back(["table"], [_GAP], before=start, after=header))


def _lasting_on(lasting: Lasting, following: Iterable[Record]) -> Lasting:
    """What holds once these records have come too."""
    for each in following:
        if each.row.kind == "table" and each.data["event"]["type"] in LASTING_TYPES:
            lasting = lasting_after(lasting, event_of(each.data), each.verdict())
    return lasting


def _before(kept: Kept, header: int, start: int, lasting: Lasting) -> Before:
    faults: dict[str, str | None] = {
        what: getattr(event, "code", None) for what, event in lasting.items() if what != "method"
    }
    newest = next(kept.back(["table"], _CUTTING, before=start, after=header), None)
    shown = None if newest is None else said(newest)["data"]["event"]["type"] == CutCardReached.name
    links: dict[str, LinkState] = {}
    for row in kept.back(["link"], ['"device"'], before=start):
        data = said(row)["data"]
        links.setdefault(data["device"], data["to"])
    return Before(dict(sorted(links.items())), faults, shown)
