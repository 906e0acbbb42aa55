"""Runs the stories against each mutant: a fork of the process that has collected them, until the first that fails."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any, Final, Literal

import pytest
from coverage import Coverage

from mutation.making import Mutant
from mutation.swapping import Loaded, Where, changed_functions

State = Literal["killed", "timeout", "survived", "untested", "imported"]
"""`untested`: no story comes to its lines; `imported`: only the import of the file runs them."""

_SURVIVED: Final = -1
_NOT_THERE: Final = -2
_SECONDS_A_MUTANT: Final = 240
_SHORT: Final = 2
"""Words of a function's name that are no longer tell nothing of the stories about it."""

Lines = dict[str, dict[int, set[int]]]
"""By file and line: the stories that come there."""


@dataclass(frozen=True, slots=True)
class Result:
    mutant: Mutant
    state: State
    killer: str | None = None


@dataclass
class Stories:
    """The collected tests: how long each takes, which lines it runs, how often it has killed."""

    items: Sequence[pytest.Function]
    loaded: Loaded
    seconds: list[float] = field(default_factory=list)
    lines: Lines = field(default_factory=dict)
    kills: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))

    def learn(self, files: Sequence[str]) -> None:
        """Runs all once. pytest.UsageError where one fails without any mutant."""
        failed, self.seconds, self.lines = _in_fork(lambda: _once_each(self.items, self.loaded, files))
        if failed:
            raise pytest.UsageError(f"fails without a mutant: {', '.join(failed)}")

    def in_order(self, mutant: Mutant) -> list[int]:
        """Those that come to its lines, the likeliest killers first.

        What killed such a mutant goes before what bears its name, and that before the first file of stories."""
        mine, of_file, all_kills = (self.kills[key] for key in _keys(mutant))
        at = self.lines.get(mutant.file, {})
        tests = {test for line in mutant.lines for test in at.get(line, ())}
        words = [word for word in mutant.function.lower().replace(".", "_").split("_") if len(word) > _SHORT]

        def rank(test: int) -> tuple[float, ...]:
            said = sum(word in self.items[test].nodeid for word in words)
            later = self.items[test].path != self.items[0].path
            return (-mine[test], -said, later, -of_file[test], -all_kills[test], self.seconds[test])

        return sorted(tests, key=rank)

    def killed(self, mutant: Mutant, test: int) -> None:
        for key in _keys(mutant):
            self.kills[key][test] += 1


def _keys(mutant: Mutant) -> tuple[str, str, str]:
    return f"{mutant.file} {mutant.function}", mutant.file, ""


@dataclass
class Run:
    """A plugin of pytest that tests the mutants in place of running the tests."""

    root: Path
    mutants: Sequence[Mutant]
    workers: int
    most: int | None
    report: Callable[[Result], None]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        sources = {file: (self.root / file).read_text() for file in {mutant.file for mutant in self.mutants}}
        stories = Stories(
            [item for item in session.items if isinstance(item, pytest.Function) and _is_story(item)], Loaded()
        )
        stories.learn(sorted(sources))
        for result in self._results(stories, sources):
            self.report(result)
        return True

    def _results(self, stories: Stories, sources: dict[str, str]) -> Iterator[Result]:
        waiting, running = iter(self.mutants), dict[int, tuple[Mutant, int]]()
        while True:
            while len(running) < self.workers and (mutant := next(waiting, None)):
                if order := stories.in_order(mutant)[: self.most]:
                    changed = changed_functions(mutant, sources[mutant.file], self.root)
                    child, pipe = _start(stories, order, changed)
                    running[child] = mutant, pipe
                else:
                    yield Result(mutant, "untested")
            if not running:
                return
            child, _ = os.wait()
            yield _ended(*running.pop(child), stories)


def _is_story(item: pytest.Function) -> bool:
    """Whether it needs nothing but its own parameters."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return set(item.fixturenames) - {"request"} == set(given)


def _ended(mutant: Mutant, pipe: int, stories: Stories) -> Result:
    with os.fdopen(pipe) as answer:
        said = answer.read()
    if not said:
        return Result(mutant, "timeout")
    test = int(said)
    if test in (_SURVIVED, _NOT_THERE):
        return Result(mutant, "survived" if test == _SURVIVED else "imported")
    stories.killed(mutant, test)
    return Result(mutant, "killed", stories.items[test].nodeid)


def _start(stories: Stories, order: Sequence[int], changed: dict[Where, CodeType]) -> tuple[int, int]:
    reads, writes = os.pipe()
    child = os.fork()
    if child:
        os.close(writes)
        return child, reads
    signal.alarm(_SECONDS_A_MUTANT)
    there = stories.loaded.put_in(changed)
    answer = next((test for test in order if _fails(stories.items[test])), _SURVIVED) if there else _NOT_THERE
    os.write(writes, str(answer).encode())
    os._exit(0)


def _fails(item: pytest.Function) -> bool:
    try:
        item.obj(**(item.callspec.params if hasattr(item, "callspec") else {}))
    except pytest.skip.Exception:
        return False
    except (Exception, pytest.fail.Exception):
        return True
    return False


def _once_each(
    items: Sequence[pytest.Function], loaded: Loaded, files: Sequence[str]
) -> tuple[list[str], list[float], Lines]:
    """What fails, how long each takes, and which lines of the files it runs."""
    failed, seconds = [], []
    coverage = Coverage(data_file=None, include=list(files))
    coverage.start()
    for number, item in enumerate(items):
        loaded.forget()
        coverage.switch_context(str(number))
        begun = time.perf_counter()
        if _fails(item):
            failed.append(item.nodeid)
        seconds.append(time.perf_counter() - begun)
    coverage.stop()
    data = coverage.get_data()
    lines: Lines = {}
    for file in files:
        at = data.contexts_by_lineno(str(Path(file).resolve()))
        lines[file] = {line: {int(test) for test in tests if test} for line, tests in at.items()}
    return failed, seconds, lines


def _in_fork(work: Callable[[], Any]) -> Any:
    """What the work gives, done in a child that leaves nothing behind here."""
    reads, writes = os.pipe()
    if child := os.fork():
        os.close(writes)
        with os.fdopen(reads, "rb") as answer:
            given = pickle.load(answer)
        os.waitpid(child, 0)
        return given
    with os.fdopen(writes, "wb") as answer:
        pickle.dump(work(), answer)
    os._exit(0)
