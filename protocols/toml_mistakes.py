"""What is wrong with a text that is no TOML: where, and what is missing, in words for its writer. Nothing of the text
is repeated, which may hold a key."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TOKEN: Final = re.compile(
    r'"""(?:\\.|(?!""").)*(?:"""|\Z)|' + r"'''(?:(?!''').)*(?:'''|\Z)|" + r'"(?:\\.|[^"\\\n])*"?|'
    r"'[^'\n]*'?|#[^\n]*|[\[\]{}]",
    re.DOTALL,
)
_CLOSES: Final = {"[": "]", "{": "}"}
_TWICE: Final = "is given twice, or as a value and as a section"


@dataclass(frozen=True, slots=True)
class _Mistake:
    """`said`: by the parser; `rest`: of the line from there on."""

    text: str
    line: int
    column: int
    said: str

    @property
    def rest(self) -> str:
        return self.text.split("\n")[self.line - 1][self.column - 1 :]

    @property
    def before(self) -> str:
        lines = self.text.split("\n")[: self.line]
        return "\n".join([*lines[:-1], lines[-1][: self.column - 1]])


def toml_mistake(text: str, said: str) -> str:
    """`line 3, column 9: REASON` from what tomllib says of the text."""
    text = text.replace("\r\n", "\n")
    place = _PLACE.search(said)
    end = text.rstrip()
    line, column = end.count("\n") + 1, len(end) - end.rfind("\n")
    if place is not None and place[1] is not None:
        line, column = int(place[1]), int(place[2])
    mistake = _Mistake(text, line, column, _PLACE.sub("", said))
    words = next((words for begins, words in _WORDS.items() if mistake.said.startswith(begins)), _as_said)
    if words in _UNCLOSED and (found := _UNCLOSED[words](mistake)):
        return found
    return f"line {line}, column {column}: {words(mistake) if callable(words) else words}"


def _as_said(mistake: _Mistake) -> str:
    return mistake.said[:1].lower() + mistake.said[1:]


def _unclosed_text(mistake: _Mistake) -> str | None:
    """None where every text is closed, or goes on."""
    if mistake.rest.strip():
        return None
    for quotes, start in reversed(_open(mistake.before)):
        if quotes not in _CLOSES:
            return (
                f"{_at(start, mistake.text)}: the text in quotes that begins here is not closed ({quotes} is missing)"
            )
    return None


def _unclosed_bracket(mistake: _Mistake) -> str | None:
    """None where every bracket is closed."""
    for bracket, start in reversed(_open(mistake.before)):
        if bracket in _CLOSES:
            until = f'"{_CLOSES[bracket]}" or a comma is missing before line {mistake.line}, column {mistake.column}'
            return f'{_at(start, mistake.text)}: the "{bracket}" here is not closed ({until})'
    return None


def _no_value(mistake: _Mistake) -> str:
    if not mistake.rest.strip() or mistake.rest.lstrip().startswith("#"):
        return 'there is no value after "="'
    if re.match(r"(?i)(true|false)\b", mistake.rest):
        return "true and false are written in small letters"
    still = [f'; the "{bracket}" at {_at(at, mistake.text)} is open' for bracket, at in _open(mistake.before)]
    return f"this is no value: a text stands in quotes{''.join(still)}"


def _declared_twice(mistake: _Mistake) -> str:
    names = ".".join(re.findall(r"'([^']*)'", mistake.said))
    return f"[{names}] {_TWICE}"


def _open(text: str) -> list[tuple[str, int]]:
    """What is open at the end of the text, outermost first: a bracket or quotes, and where they stand."""
    found: list[tuple[str, int]] = []
    for token in _TOKEN.finditer(text):
        word = token[0]
        quotes = next((each for each in ('"""', "'''", '"', "'") if word.startswith(each)), None)
        if quotes and (len(word) < 2 * len(quotes) or not word.endswith(quotes)):
            found.append((quotes, token.start()))
        elif word in _CLOSES:
            found.append((word, token.start()))
        elif found and word == _CLOSES.get(found[-1][0]):
            found.pop()
    return found


def _at(start: int, text: str) -> str:
    return f"line {text.count(chr(10), 0, start) + 1}, column {start - text.rfind(chr(10), 0, start)}"


_CHARACTER: Final = "a control character, which no text may hold"
_TEXT: Final = "a text in quotes is not closed"
_BRACKET: Final = "a bracket is not closed, or a comma is missing"
_UNCLOSED: Final[dict[object, Callable[[_Mistake], str | None]]] = {
    _CHARACTER: _unclosed_text,
    _TEXT: _unclosed_text,
    _BRACKET: _unclosed_bracket,
}
"""What may be said better, at the place where it begins."""
_WORDS: Final[dict[str, str | Callable[[_Mistake], str]]] = {
    "Illegal character": _CHARACTER,
    "Found invalid character": _CHARACTER,
    "Unterminated string": _TEXT,
    'Expected "': _TEXT,
    "Unclosed": _BRACKET,
    "Invalid value": _no_value,
    "Expected newline or end of document": (
        "the line must end here: each key has a line of its own, a text stands in quotes, a number has no 0 before it"
    ),
    "Expected '=' after a key": 'after the name of a key comes "="; a name with blanks stands in quotes',
    "Expected ']": 'the name of a section is not closed: "]" is missing',
    "Cannot overwrite a value": f"this key {_TWICE}",
    "Cannot redefine namespace": f"this key {_TWICE}",
    "Cannot mutate immutable namespace": "what stands in braces or brackets is complete: add to it there",
    "Cannot declare": _declared_twice,
    "Duplicate inline table key": "this key is given twice",
    "Invalid statement": "a line is a key with its value, KEY = VALUE, or the beginning of a section, [NAME]",
    "Invalid initial character for a key part": "a name is missing here, or its quotes, or a comma is too many",
    "Unescaped '\\'": 'a "\\" in double quotes begins an escape: write it twice, or the text in single quotes',
}
"""By the beginning of what tomllib says."""
