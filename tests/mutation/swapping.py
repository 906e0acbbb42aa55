"""Puts a mutant in the place of code that is already imported, in this process only."""

from __future__ import annotations

import functools
import gc
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final

from mutation.making import Mutant

Where = tuple[str, str, int]
"""A function: its file, qualified name and first line."""

_COMPREHENSIONS: Final = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_RULES: Final = ("protocols.dealing.blackjack", "protocols.dealing.stud", "protocols.dealing.baccarat")


def where(code: CodeType) -> Where:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def changed_functions(mutant: Mutant, original: str, root: Path) -> dict[Where, CodeType]:
    """The functions that the mutant changes, with the code that each gets."""
    file = str(root / mutant.file)
    before, after = (dict(_functions(compile(text, file, "exec"))) for text in (original, mutant.source))
    return {where(before[key]): code for key, code in after.items() if key in before and before[key] != code}


class Loaded:
    """The functions and caches of the code that is imported when this is made."""

    def __init__(self) -> None:
        everything = gc.get_objects()
        self._functions: dict[Where, list[FunctionType]] = defaultdict(list)
        for each in everything:
            if isinstance(each, FunctionType):
                self._functions[where(each.__code__)].append(each)
        cached = [each for each in everything if isinstance(each, functools._lru_cache_wrapper)]
        self._caches = [each for each in cached if str(getattr(each, "__module__", "")).startswith(_RULES)]

    def put_in(self, changed: dict[Where, CodeType]) -> bool:
        """Whether any function was there to be changed; what was computed with the code as it was is forgotten."""
        done = False
        for place, code in changed.items():
            for function in self._functions.get(place, ()):
                if len(code.co_freevars) == len(function.__code__.co_freevars):
                    function.__code__ = code
                    done = True
        self.forget()
        return done

    def forget(self) -> None:
        """Empties the caches of the rules' functions, not those of the documents."""
        for cached in self._caches:
            cached.cache_clear()


def _functions(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """Every function of a module with its name and, for those of one name, its number."""
    seen = Counter[str]()
    waiting = [code]
    while waiting:
        inner = [part for part in waiting.pop(0).co_consts if isinstance(part, CodeType)]
        waiting += inner
        for part in inner:
            if part.co_name not in _COMPREHENSIONS:
                yield (part.co_qualname, seen[part.co_qualname]), part
                seen[part.co_qualname] += 1
