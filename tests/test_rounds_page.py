"""The page of a round in a real browser: printed on A4 everything is on the sheet, and nothing lies over anything."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest
from blackjack_log import story
from kept_rounds import dealt, keep, kept, shown
from tools import need_programs

from controller.rounds.model import Reconstruction
from controller.rounds.page import as_page
from protocols.events import EVENT

PRINT_S = 60
A4 = (595, 842)
MARGIN = 30
OVERLAP = 1.0
_WORD = re.compile(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>')
_SIZE = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">')
LONG = "unbroken-" * 40


@dataclass(frozen=True, slots=True)
class Word:
    """Text on a sheet and its box, in points from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    def lies_over(self, other: Word) -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > OVERLAP and down > OVERLAP + 0.25 * min(self.bottom - self.top, other.bottom - other.top)


def sheets(page: str, folder: Path) -> list[list[Word]]:
    """The words of each printed sheet of this page."""
    need_programs(chromium="chromium", pdftotext="poppler-utils")
    source, pdf, words = folder / "page.html", folder / "page.pdf", folder / "words.html"
    source.write_text(page, encoding="utf-8")
    browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/browser"]
    command = [*browser, "--no-pdf-header-footer", f"--print-to-pdf={pdf}", source.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=PRINT_S)
    subprocess.run(["pdftotext", "-bbox", pdf, words], check=True, timeout=PRINT_S)
    text = words.read_text(encoding="utf-8")
    sizes = [(round(float(width)), round(float(height))) for width, height in _SIZE.findall(text)]
    assert sizes == [A4] * len(sizes)
    return [[_word(*found) for found in _WORD.findall(sheet)] for sheet in text.split("<page ")[1:]]


def _word(left: str, top: str, right: str, bottom: str, text: str) -> Word:
    return Word(float(left), float(top), float(right), float(bottom), text)


def wide(folder: Path) -> Reconstruction:
    """Seven boxes, of which one is split three times, with texts that nobody can break."""
    deal = story("us: R1,2,3,4,5,6,7 8s>1 9s>2 9h>3 9d>4 9c>5 Ts>6 Th>7 6s>d 8h>1 9s>2 9h>3 9d>4 9c>5 Ts>6 Th>7 6d>d-")
    play = story(
        "us: 1.split 8d>1a 1a.split 8c>1a 1a.split 3s>1a 1a.hit 2s>1a 1a.hit 2h>1a 1a.hit 2d>1a 1a.hit 2c>1a 1a.hit"
        " Kd>1b 3h>1d 4c>3 hole close"
    )
    odd = [
        {"type": "card.drawn", "to": "box:2", "ref": LONG, "actor": "shoe"},
        {"type": "round.voided", "reason": LONG},
    ]
    odd_events = [EVENT.validate_python(each) for each in odd]
    events = (*deal.events, *play.events[:-1], *odd_events)
    return shown(keep(folder / "journal.db", (deal.header, events)), 1)


def of_stud(folder: Path) -> Reconstruction:
    return shown(kept(folder / "journal.db", dealt("nj-ms-shoe", 5, 5, 0.4)), 5)


def of_punto_banco(folder: Path) -> Reconstruction:
    return shown(kept(folder / "journal.db", dealt("pb-fr", 5, 11, 0.5)), 11)


@pytest.mark.parametrize("make", [wide, of_stud, of_punto_banco])
def test_everything_is_on_the_sheets_and_nothing_lies_over_anything(
    tmp_path: Path, make: Callable[[Path], Reconstruction]
) -> None:
    found = make(tmp_path)
    printed = sheets(as_page(found), tmp_path)
    assert printed
    for words in printed:
        assert words
        for word in words:
            assert 0 < word.left < word.right <= A4[0] - MARGIN + 1, word
            assert 0 < word.top < word.bottom <= A4[1], word
        assert [pair for pair in combinations(words, 2) if pair[0].lies_over(pair[1])] == []
    said = "".join(word.text for words in printed for word in words)
    assert all(finding.code is None or finding.code in said for finding in found.findings)
    assert str(found.last_hash) in said.replace("\n", "")


def test_words_that_lie_over_one_another_are_found(tmp_path: Path) -> None:
    page = "<p style='position:absolute;top:20px'>first</p><p style='position:absolute;top:22px'>second</p>"
    [words] = [words for words in sheets(f"<style>@page{{size:A4}}</style>{page}", tmp_path) if words]
    assert [a.lies_over(b) for a, b in combinations(words, 2)] == [True]


def test_nothing_of_the_page_is_elsewhere_or_acts(tmp_path: Path) -> None:
    page = as_page(wide(tmp_path))
    assert not re.search(r"<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|\bon\w+=|https?:", page)
