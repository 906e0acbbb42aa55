"""The arrows of the design, held against the source; and that the walker sees what it should."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from arrows import PACKAGES, imports, violations

ROOT = Path(__file__).parent.parent

SOUND = {
    "protocols/cards.py": "import re\nfrom pydantic import BaseModel\nfrom protocols.errors import LogError",
    "protocols/errors.py": "class LogError(Exception): ...",
    "protocols/hidden.py": "import os\nfrom cryptography.hazmat.primitives.ciphers.aead import AESGCM",
    "protocols/wire/angel_eye.py": "from protocols.cards import Card",
    "protocols/intake/angel_eye.py": "from protocols.wire.angel_eye import Report",
    "firmware_bridge/transport.py": "import asyncio",
    "firmware_bridge/ports.py": "def open_sim():\n    from simulators.port import open_sim",
    "firmware_bridge/serial_port.py": "import serial\nfrom firmware_bridge.transport import Transport",
    "controller/app.py": "from firmware_bridge.serial_port import open_serial",
    "controller/table.py": "from firmware_bridge import transport\nimport asyncio\nasyncio.timeout(1)",
    "controller/mqtt.py": "import aiomqtt",
    "controller/cli/sim.py": "def shoe():\n    from simulators import dealer",
    "simulators/port.py": "from firmware_bridge import transport\nfrom . import dealer",
    "simulators/dealer.py": "from protocols.cards import Card",
}

UNSOUND = [
    ("protocols/a.py", "import asyncio", "protocols is pure"),
    ("protocols/a.py", "from logging import getLogger", "protocols is pure"),
    ("protocols/a.py", "def now():\n    import time", "protocols is pure"),
    ("protocols/a.py", "import os", "protocols is pure"),
    ("protocols/a.py", "import typer", "protocols may use pydantic"),
    ("protocols/a.py", "text = open('x').read()", "calls open()"),
    ("protocols/a.py", "from firmware_bridge.transport import Chunk", "protocols may import protocols"),
    ("protocols/wire/a.py", "from protocols.intake import angel_eye", "protocols.wire may not"),
    ("protocols/dealing/a.py", "from ..wire.angel_eye import Report", "protocols.dealing may not"),
    ("firmware_bridge/a.py", "import controller.table", "firmware_bridge may import"),
    ("firmware_bridge/a.py", "from protocols.wire.angel_eye import Report", "firmware_bridge may not"),
    ("firmware_bridge/a.py", "import serial.tools.list_ports", "serial is imported by firmware_bridge.a and"),
    ("firmware_bridge/ports.py", "from simulators.port import open_sim", "inside a function"),
    ("firmware_bridge/a.py", "def open_sim():\n    import simulators.port", "only controller.cli and the sim: port"),
    ("controller/a.py", "from simulators import dealer", "only controller.cli and the sim: port"),
    ("controller/cli/sim.py", "import simulators.dealer", "inside a function"),
    ("controller/a.py", "from firmware_bridge import serial_port", "name concrete classes"),
    ("controller/a.py", "def f():\n    from aiomqtt import Client", "aiomqtt is imported by controller.a and"),
    ("controller/a.py", "import importlib\nimportlib.import_module('simulators.port')", "only controller.cli and"),
    ("controller/a.py", "import importlib\nimportlib.import_module(name)", "known only when it runs"),
    ("controller/a.py", "from asyncio import wait_for", "asyncio.wait_for"),
    ("controller/a.py", "import asyncio\nasyncio.wait_for(x, 1)", "asyncio.wait_for"),
    ("controller/a.py", "from asyncio import to_thread", "asyncio.to_thread"),
    ("firmware_bridge/a.py", "import asyncio\nasyncio.to_thread(f)", "asyncio.to_thread"),
    ("firmware_bridge/a.py", "def f(loop):\n    loop.run_in_executor(None, f)", "run_in_executor"),
    ("controller/a.py", "import tests.arrows", "controller may import"),
    ("controller/a.py", "def f():\n    from controller.archive.store import Store", "only the archive itself"),
    ("simulators/a.py", "from protocols.dealing.model import Procedure", "simulators may not"),
    ("simulators/a.py", "from firmware_bridge import serial_port", "simulators may import"),
    ("simulators/a.py", "if TYPE_CHECKING:\n    from controller.app import App", "simulators may import"),
]


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")


def test_the_source_holds_the_arrows() -> None:
    assert violations(ROOT) == []


def test_the_walker_sees_every_package() -> None:
    importers = {found.importer.partition(".")[0] for found in imports(ROOT)}
    assert importers == set(PACKAGES)


def test_what_is_allowed_is_no_violation(tmp_path: Path) -> None:
    plant(tmp_path, SOUND)
    assert violations(tmp_path) == []


@pytest.mark.parametrize(("name", "text", "why"), UNSOUND)
def test_a_planted_violation_is_found(tmp_path: Path, name: str, text: str, why: str) -> None:
    plant(tmp_path, SOUND | {name: text})
    (found,) = violations(tmp_path)
    assert found.startswith(name.removesuffix(".py").replace("/", ".")) or "is imported by" in found
    assert why in found


def test_the_reference_knows_neither_the_check_nor_the_simulators() -> None:
    files = sorted((ROOT / "tests" / "reference").glob("*.py"))
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    named = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    named += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    strange = {name for name in named if name.split(".")[0] not in {"reference", *sys.stdlib_module_names}}
    assert len(files) > 5
    assert strange == set()
