"""What somebody without rights may do, in a test that runs as root."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_the_group(name: str | None) -> Iterator[None]:
    """This process is nobody, in this group alone or in none of its own."""
    nobody = pwd.getpwnam("nobody")
    os.setgroups([grp.getgrnam(name).gr_gid] if name else [])
    os.setegid(nobody.pw_gid)
    os.seteuid(nobody.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups([])
