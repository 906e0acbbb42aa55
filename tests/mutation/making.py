"""Makes the mutants of a file: the same source with one small change inside one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, PositionProvider
from mutmut.mutation import mutators

_ALSO_IN_MUTMUT: Final = (mutators.operator_arg_removal, mutators.operator_string)
_OPERATORS: Final = [(kind, make) for kind, make in mutators.mutation_operators if make not in _ALSO_IN_MUTMUT]
_LEFT_ALONE: Final = (cst.Annotation, cst.Decorator, cst.Parameters)
_NO_MUTANTS_IN_CALLS_OF: Final = ("isinstance", "len")
_SENTENCE_FIRST: Final = "Finding"
"""Its first argument is a sentence for people, which no test pins."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: `was` and `now` are the lines that differ, `source` the whole file with the change.

    `lines`: those of the statement in which it stands."""

    file: str
    function: str
    lines: range
    was: str
    now: str
    which: int
    source: str

    @property
    def name(self) -> str:
        """The same from run to run as long as its function is; `which` tells equal lines apart."""
        return f"{self.file} {self.function}: {self.was} -> {self.now} #{self.which}"


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """All mutants of the functions in this source."""
    wrapper = cst.MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    module, found, text = wrapper.module, _Changes(), source.encode()
    spans = wrapper.resolve(ByteSpanPositionProvider)
    wrapper.visit(found)
    seen = Counter[tuple[str, str, str]]()
    for function, lines, node, changed in found.changes:
        span = spans[node]
        head, tail = text[: span.start], text[span.start + span.length :]
        mutated = (head + module.code_for_node(changed).encode() + tail).decode()
        was, now = _difference(source, mutated)
        key = (function, was, now)
        if was != now:
            yield Mutant(file, function, lines, was, now, seen[key], mutated)
        seen[key] += 1


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that differ, each side in one."""
    was, now = before.splitlines(), after.splitlines()
    while was and now and was[0] == now[0]:
        del was[0], now[0]
    while was and now and was[-1] == now[-1]:
        del was[-1], now[-1]
    return " ".join(" ".join(was).split()), " ".join(" ".join(now).split())


class _Changes(cst.CSTVisitor):
    """Collects what to put in the place of what, with the function and the lines in which it stands."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[str, range, cst.CSTNode, cst.CSTNode]] = []
        self._lines = range(0)
        self._names: list[str] = []
        self._functions = 0
        self._sentences: set[cst.CSTNode] = set()
        self._narrows = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _LEFT_ALONE) or node in self._sentences or _called(node) in _NO_MUTANTS_IN_CALLS_OF:
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            self._names.append("<lambda>" if isinstance(node, cst.Lambda) else node.name.value)
            self._functions += not isinstance(node, cst.ClassDef)
        if isinstance(node, cst.FunctionDef):
            self._narrows = _asked_of_one_kind(node)
        if _called(node) == _SENTENCE_FIRST and isinstance(node, cst.Call):
            self._sentences.add(node.args[0])
        self._lines = self._lines_of(node) or self._lines
        if self._narrows and _narrowing(node):
            return True
        if isinstance(node, cst.If):
            self.changes.append((".".join(self._names), self._lines, node.test, cst.Name("False")))
        if self._functions:
            self.changes += [(".".join(self._names), self._lines, node, changed) for changed in _changed(node)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            self._names.pop()
            self._functions -= not isinstance(original_node, cst.ClassDef)

    def _lines_of(self, node: cst.CSTNode) -> range | None:
        """Of a statement; of one with a block, those of its head."""
        part = node.test if isinstance(node, cst.If) else node.iter if isinstance(node, cst.For) else node
        if not isinstance(node, cst.If | cst.For | cst.SimpleStatementLine | cst.Lambda):
            return None
        place = self.get_metadata(PositionProvider, part)
        return range(place.start.line, place.end.line + 1)


def _asked_of_one_kind(node: cst.FunctionDef) -> bool:
    """Whether a rule is asked about one kind of event, so that its `isinstance` only tells the type checker so."""
    marks = [mark.decorator for mark in node.decorators if _called(mark.decorator) == "on"]
    kinds = [kind for mark in marks if isinstance(mark, cst.Call) for kind in mark.args if kind.keyword is None]
    return len(kinds) == 1 and not kinds[0].star


def _narrowing(node: cst.CSTNode) -> bool:
    tested = node.test if isinstance(node, cst.If | cst.IfExp) else node
    parts = (tested.left, tested.right) if isinstance(tested, cst.BooleanOperation) else (tested,)
    bare = [part.expression if isinstance(part, cst.UnaryOperation) else part for part in parts]
    return isinstance(node, cst.If | cst.IfExp | cst.BooleanOperation) and any(map(_is_isinstance, bare))


def _is_isinstance(node: cst.CSTNode) -> bool:
    return _called(node) == "isinstance"


def _called(node: cst.CSTNode) -> str | None:
    return node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) else None


def _changed(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, make in _OPERATORS:
        if isinstance(node, kind):
            yield from make(node)
    yield from _own(node)


def _own(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    """What mutmut does not do: a part of a condition goes, a branch is never taken, a filter lets all through."""
    if isinstance(node, cst.BooleanOperation):
        yield from (_bracketed(part) for part in (node.left, node.right))
    if isinstance(node, cst.CompFor) and node.ifs:
        yield node.with_changes(ifs=())
    if isinstance(node, cst.SimpleString) and not node.value.startswith('"""'):
        yield node.with_changes(value='"XX"')
    if isinstance(node, cst.Call):
        for number, argument in enumerate(node.args):
            if argument.keyword:
                yield node.with_changes(args=[*node.args[:number], *node.args[number + 1 :]])


def _bracketed(part: cst.BaseExpression) -> cst.BaseExpression:
    if part.lpar:
        return part
    return part.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
