"""Lines of words, each held against the reference: every word that can come next, legal or not, after every legal line.

The first violation ends a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from random import Random

from blackjack_log import event_of, header_of

from protocols.dealing.check import Check
from protocols.events import Event
from protocols.verdicts import Verdict

Line = tuple[str, ...]
_SIGNS = {"violation": "!", "warning": "~", "unobservable": "?"}


@dataclass(frozen=True, slots=True)
class Lines:
    """`head`: table and options as in a story, `start`: words that open each line, `event`: what a word stands for.

    `answer`: what the last word of a line must get, `words`: those that can come next after a line that is right,
    `alike`: the same for lines of one length of which one stands for all."""

    head: str
    start: Line
    answer: Callable[[Line], str]
    words: Callable[[Line], Iterable[str]]
    event: Callable[[str], Event] = event_of
    alike: Callable[[Line], Hashable] = tuple


@dataclass(slots=True)
class Compared:
    """How many words got which answer, and the stories on which the check differs."""

    answers: Counter[str]
    different: list[str]

    @property
    def count(self) -> int:
        return self.answers.total()

    def right(self, line: Line, lines: Lines, verdict: Verdict) -> bool:
        """Compares the verdict on the last word of a line; whether the line can go on."""
        due = lines.answer(line)
        said = f"{_SIGNS[verdict.outcome]}{verdict.code}" if verdict.outcome != "ok" else ""
        self.answers[due] += 1
        if not agrees(due, said):
            story = " ".join((*lines.start, *line))
            self.different.append(f"{lines.head}: {story} {due or 'ok'}, the check says {said or 'ok'}")
        return agrees(due, said) and due[:1] not in ("!", "?")


def compare(lines: Lines, most: int | None = None) -> Compared:
    """Walks all lines, or at most so many of each length: an even sample, the same for the same table and start."""
    random, event = Random(f"{lines.head}: {' '.join(lines.start)}"), cache(lines.event)
    compared, check = Compared(Counter(), []), _opened(lines)
    level: list[tuple[Line, Check]] = [((), check)]
    while level:
        kept = list({lines.alike(line): (line, check) for line, check in level}.values())
        level = []
        for line, check in kept if most is None else random.sample(kept, min(most, len(kept))):
            for word in lines.words(line):
                after, verdict = check.step(event(word))
                if compared.right((*line, word), lines, verdict):
                    level.append(((*line, word), after))
    return compared


def _opened(lines: Lines) -> Check:
    check = Check.start(header_of(lines.head))
    for word in lines.start:
        check, verdict = check.step(lines.event(word))
        assert verdict.outcome == "ok", (lines.head, word, verdict)
    return check


def agrees(due: str, said: str) -> bool:
    """Whether the check says what is due; what nobody can tell may be anything but a violation, and what is right may
    come with something that nobody can tell."""
    if due == "?":
        return not said.startswith("!")
    return said == due or (not due and said.startswith("?"))
