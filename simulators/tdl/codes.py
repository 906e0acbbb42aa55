"""The numbers of TDL/1 (devices 6.3 to 6.8)."""

from __future__ import annotations

from typing import Final

BEACON: Final = 0x01
IDENT: Final = 0x02
EVENT: Final = 0x10
STATUS: Final = 0x11
RESPONSE: Final = 0x12
HELLO: Final = 0x40
AUTH: Final = 0x41
ACK: Final = 0x50
RESEND: Final = 0x51
COMMAND: Final = 0x52
PING: Final = 0x53

BOOT: Final = 0x01
SHOE_LOADED: Final = 0x02
CARD: Final = 0x03
REVEAL: Final = 0x04
CARD_FIX: Final = 0x05
CUT_CARD: Final = 0x06
SHOE_END: Final = 0x07
ERR_SET: Final = 0x08
ERR_CLR: Final = 0x09
LID: Final = 0x0A
LOCK: Final = 0x0B
BUTTON: Final = 0x0D
CONFIG: Final = 0x0E
SELFTEST: Final = 0x0F
SECURITY: Final = 0x10
PEEK_ARMED: Final = 0x20
SEATED: Final = 0x21
REMOVED: Final = 0x22
VERDICT: Final = 0x23
PEEK_REFUSED: Final = 0x24

GET_INFO: Final = 0x01
DO_SELF_TEST: Final = 0x02
ATTEST: Final = 0x03
DO_LOCK: Final = 0x04
CLEAR_ERR: Final = 0x05
NEW_SHOE: Final = 0x06
SET_DISCLOSURE: Final = 0x07
DO_REVEAL: Final = 0x08
LAMP: Final = 0x09
PEEK_ARM: Final = 0x10
PEEK_CANCEL: Final = 0x11

OK: Final = 0
BAD_ARG: Final = 1
UNKNOWN_OP: Final = 2
BUSY: Final = 3
WRONG_STATE: Final = 4
DENIED: Final = 5
UNSUPPORTED: Final = 6

AUTO, BY_BUTTON, BY_KEY, BY_HOST = range(4)
"""Who did it: the text names them in this order and gives them no numbers."""

AUTH_FAILURE: Final = 1
CAP_LOCK: Final = 1 << 0
CAP_DISCLOSURE: Final = 1 << 1
CAP_POSITIONS: Final = 1 << 2
CAP_SELF_TEST: Final = 1 << 3

JOURNAL_FULL: Final = 0x0D
NOT_FOR_HOSTS: Final = frozenset({0x06, 0x09, 0x0A, 0x0E, 0x10, 0x11, 0x12})
"""Faults, which need hands at the device; a host may clear the others."""

WITHHELD: Final = 0x01
DOUBLE_FEED: Final = 0x04
OUTSIDE: Final = 0x08
VALUE_WITHHELD: Final = 0x00
VALUE_FOREIGN: Final = 0x7E
VALUE_UNREADABLE: Final = 0x7F
SLOT_UNKNOWN: Final = 0xFF

INFO, WARN, RETRY, HOLD, FAULT = range(5)
"""Severities: the text names them in this order and gives them no numbers."""
