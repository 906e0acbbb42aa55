"""Whatever comes in from outside is read or counted: every decoder, on random bytes and on what a search has found."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random

import pytest
from any_bytes import blocks

from fuzz.__main__ import main
from fuzz.seeds import SEEDS, write
from fuzz.targets import CORPUS, STREAMS, TARGETS

MILLION = 1_000_000
GROWS_AT_MOST = 256 * 1024
TIMES = [0.25, pytest.param(10, marks=pytest.mark.soak)]
BESIDES_THE_DECODERS = MILLION // 5
FOUND = sorted(CORPUS.glob("*/*"))


@pytest.mark.parametrize("file", FOUND, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_what_was_found_breaks_nothing(file: Path) -> None:
    TARGETS[file.parent.name].check(file.read_bytes())


def test_every_target_has_seeds_and_every_seed_a_target() -> None:
    assert TARGETS.keys() == SEEDS.keys() == {file.parent.name for file in FOUND}


def test_the_seeds_are_what_the_simulators_say(tmp_path: Path) -> None:
    write(tmp_path)
    for fresh in tmp_path.glob("*/*"):
        assert (CORPUS / fresh.relative_to(tmp_path)).read_bytes() == fresh.read_bytes(), "run python -m fuzz.seeds"


def test_a_target_that_there_is_not_is_told_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tdl-shoes"])
    assert "no target 'tdl-shoes' (known: angel-eye" in capsys.readouterr().err


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("name", TARGETS)
def test_random_bytes(name: str, times: float) -> None:
    count = int(times * (MILLION if name in STREAMS else BESIDES_THE_DECODERS))
    for block in blocks(SEEDS[name](), count, Random(f"{name} {count}")):
        TARGETS[name].check(block)


@pytest.mark.parametrize("name", STREAMS)
def test_a_decoder_does_not_grow(name: str) -> None:
    stream = STREAMS[name]
    decoder = stream.decoder()
    tracemalloc.start()
    try:
        for block in blocks(SEEDS[name](), MILLION // 4, Random(name)):
            decoder.feed(block[: len(block) // stream.unit * stream.unit])
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < GROWS_AT_MOST
