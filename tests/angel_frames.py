"""Frames of the Angel Eye's line, built from its description for the tests; knows nothing of the decoder."""

from __future__ import annotations

PLAYER, BANKER, BURN, FIRST_CARD, COUNTED_BURN = 0, 1, 2, 4, 5
WITHHELD = ""


def frame(digit: int, code: str, payload: bytes = b"") -> bytes:
    body = f"{digit}{code}".encode() + payload + b"\x03"
    check = 0
    for byte in body:
        check ^= byte
    return b"\x05" + body + f"{check:02X}".encode()


def slot(target: int, index: int) -> int:
    return 0x80 | target << 4 | index


def value(card: str) -> int:
    """`"Kh"`, `"K"` or WITHHELD."""
    rank, suit = card[:1], card[1:]
    return 0x80 | " dcsh".index(suit or " ") << 4 | ("A23456789TJQK".index(rank) + 1 if rank else 0)


def placed(digit: int, code: str, target: int, index: int, card: str = WITHHELD) -> bytes:
    """`D`, `d`, `R`, `I` or `i`."""
    return frame(digit, code, bytes([slot(target, index), value(card)]))


def result(digit: int, winner: str) -> bytes:
    codes = {"player": 1, "tie": 2, "banker": 4, "forced_quit": 7}
    return frame(digit, "G", bytes([0x80 | codes[winner] << 4]))


def numbered(*codes_and_payloads: tuple[str, bytes], start: int = 0) -> list[bytes]:
    """Frames with running digits: `start`, then the next of 1..9."""
    frames, digit = [], start
    for code, payload in codes_and_payloads:
        frames.append(frame(digit, code, payload))
        digit = digit % 9 + 1
    return frames
