"""Bytes that nobody has foreseen: random ones, ones that the protocol likes, and what a device says with some of it
changed, left out, put in or said twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

BLOCK = 4096
_PIECE = 40


def blocks(seeds: Sequence[bytes], count: int, rng: Random) -> Iterator[bytes]:
    """`count` bytes at least, in blocks of up to BLOCK; `seeds`: what a device says."""
    while count > 0:
        block = rng.choice(_KINDS)(seeds, rng)[: rng.randint(1, BLOCK)]
        yield block
        count -= len(block)


def _random(_: Sequence[bytes], rng: Random) -> bytes:
    return rng.randbytes(BLOCK)


def _likely(seeds: Sequence[bytes], rng: Random) -> bytes:
    return bytes(rng.choices(rng.choice(seeds), k=BLOCK))


def _spoilt(seeds: Sequence[bytes], rng: Random) -> bytes:
    said = bytearray()
    while len(said) < BLOCK:
        said += rng.choice(seeds)
    rate = rng.choice((1, 10, 100))
    for _ in range(rate):
        at = rng.randrange(len(said))
        rng.choice(_SPOILERS)(said, at, rng)
    return bytes(said)


def _flip(said: bytearray, at: int, rng: Random) -> None:
    said[at] ^= 1 << rng.randrange(8)


def _lose(said: bytearray, at: int, rng: Random) -> None:
    del said[at : min(at + rng.randint(1, _PIECE), len(said) - 1)]


def _put_in(said: bytearray, at: int, rng: Random) -> None:
    said[at:at] = rng.randbytes(rng.randint(1, _PIECE))


def _repeat(said: bytearray, at: int, rng: Random) -> None:
    said[at:at] = said[at : at + rng.randint(1, _PIECE)]


_KINDS: tuple[Callable[[Sequence[bytes], Random], bytes], ...] = (_random, _likely, _spoilt, _spoilt)
_SPOILERS: tuple[Callable[[bytearray, int, Random], None], ...] = (_flip, _lose, _put_in, _repeat)
