"""Of every procedure there is: a log read again gives the same verdicts, whole or event by event, from its first line
or taken up between two rounds, from the check itself or from the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import coup_log
import pytest
import test_check_blackjack_properties as blackjack
import test_check_properties as baccarat
import test_check_stud_properties as stud
from blackjack_log import fields_of
from command import shoewatch
from stud_log import stud_fields

from protocols.cards import RANKS
from protocols.dealing.catalog import procedures
from protocols.dealing.check import Check, verdicts
from protocols.dealing.snapshot import restored, snapshot
from protocols.errors import LogError
from protocols.events import EVENT, LogHeader
from protocols.verdicts import VERDICT, Verdict

Fields = dict[str, Any]
ROUNDS = {
    "blackjack": ["R1,2 9>1 8>2 A>d 9>1 8>2 7>d- 1.stand 2.split 3>2a", "R1 T>1 9>d 8>1 1.stand", "hole 5>d", "close"],
    "stud": ["mix R1,2 nmb 9>1 8>1 7>2 6>2 5>c3 4>c4 3>c5", "1.bet 2.fold turn3 1.bet turn4 1.bet turn5", "close"],
    "baccarat": ["o n P4_ B5_ P3_ B2_ t", "o n P2^ BT^ P3^ B3^ P7^ B2^ c", "=p", "c"],
}
"""Runs of words that bring a log forward, among others that come as they like."""
CARDS = {
    "blackjack": [f"{rank}>{place}" for rank in RANKS for place in ("1", "2", "2b", "d", "d-")],
    "stud": [f"{rank}>{place}" for rank in RANKS for place in ("1", "2", "c3", "c5")],
    "baccarat": [*baccarat.FEW_CARDS, *baccarat.FLAGGED],
}
OTHERS = {
    "blackjack": [
        *blackjack.OTHERS.split(),
        *(f"{hand}.{act}" for hand in ("1", "2", "2a") for act in ("hit", "split")),
    ],
    "stud": [*stud.OTHERS.split(), "1.bet", "2.bet", "2.fold"],
    "baccarat": [*coup_log.WORDS],
}
READ: dict[str, Callable[[str], Fields]] = {
    "blackjack": fields_of,
    "stud": stud_fields,
    "baccarat": coup_log.fields,
}
EVERY_PROCEDURE = pytest.mark.parametrize("name", sorted(procedures()))
EVERY_SEED = pytest.mark.parametrize("seed", range(3))


def some_log(name: str, seed: int) -> tuple[LogHeader, list[Fields]]:
    """A log of this procedure in which much goes wrong but nothing that makes the log itself wrong."""
    random, family = Random(f"{name} {seed}"), procedures()[name].family
    header = LogHeader(procedure=name, shoe=random.choice(["fresh", "mid", "new_dealer"]))
    check, log = Check.start(header), []
    for _ in range(40):
        words = random.choice(random.choices([ROUNDS[family], CARDS[family], OTHERS[family]], [3, 1, 1])[0])
        for word in words.split():
            fields = READ[family](word)
            try:
                check, _ = check.step(EVENT.validate_json(json.dumps(fields)))
            except LogError:
                continue
            log.append(fields)
    return header, log


def read(log: list[Fields]) -> list[Any]:
    return [EVENT.validate_json(json.dumps(fields)) for fields in log]


def one_by_one(header: LogHeader, log: list[Fields]) -> list[Verdict]:
    """The verdicts of a check that is written down and taken up again whenever nothing is withheld."""
    check, found = Check.start(header), []
    for event in read(log):
        check, verdict = check.step(event)
        found.append(verdict)
        if written := snapshot(check):
            check = restored(written, check.setting)
    return found


@EVERY_PROCEDURE
@EVERY_SEED
def test_a_log_gets_the_same_verdicts_again_whole_or_event_by_event(name: str, seed: int) -> None:
    header, log = some_log(name, seed)
    whole = list(verdicts(Check.start(header), read(log)))
    assert whole == list(verdicts(Check.start(header), read(log)))
    assert whole == one_by_one(header, log)
    assert {"ok", "violation"} <= {verdict.outcome for verdict in whole}


@EVERY_PROCEDURE
def test_the_command_says_what_the_check_says(name: str) -> None:
    header, log = some_log(name, 0)
    lines = [header.model_dump_json(exclude_none=True), *map(json.dumps, log)]
    result = shoewatch("check", "-", given="".join(f"{line}\n" for line in lines).encode())
    whole = verdicts(Check.start(header), read(log))
    assert [VERDICT.validate_json(line) for line in result.stdout.splitlines()] == list(whole)
