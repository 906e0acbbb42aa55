"""Who imports whom, read from the source text, and the arrows of the design that this must follow."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PACKAGES: Final = ("protocols", "firmware_bridge", "controller", "simulators")

ALLOWED: Final = {
    "protocols": ("protocols",),
    "firmware_bridge": ("protocols", "firmware_bridge"),
    "controller": ("protocols", "firmware_bridge", "controller"),
    "simulators": ("protocols", "firmware_bridge.transport", "simulators"),
}
FORBIDDEN: Final = {
    "protocols.wire": ("protocols.intake", "protocols.dealing", "protocols.floor"),
    "protocols.intake": ("protocols.dealing", "protocols.floor"),
    "protocols.dealing": ("protocols.wire", "protocols.intake", "protocols.floor"),
    "simulators": ("protocols.wire", "protocols.intake", "protocols.dealing"),
    "firmware_bridge": ("protocols.wire", "protocols.intake", "protocols.dealing"),
}
MAY_IMPORT_SIMULATORS_LATE: Final = ("controller.cli", "firmware_bridge.ports")
COMPOSERS: Final = ("controller.app", "controller.device_drivers", "controller.cli")
CONCRETE: Final = (
    "protocols.wire",
    "protocols.intake",
    *(f"firmware_bridge.{name}" for name in ("serial_port", "tcp_port", "usb_port", "replay_port", "driver")),
)
MAY_IMPORT_THE_ARCHIVE: Final = ("controller.archive", "controller.cli")
ONE_IMPORTER: Final = ("serial", "usb", "pyudev", "aiomqtt", "prometheus_client")
PURE_LIBRARIES: Final = ("pydantic", "pydantic_core", "annotated_types", "cryptography")
IMPURE: Final = (
    *("asyncio", "concurrent", "fcntl", "http", "importlib", "logging", "multiprocessing", "os", "pathlib", "queue"),
    *("random", "sched", "secrets", "select", "selectors", "shutil", "signal", "socket", "sqlite3", "ssl"),
    *("subprocess", "sys", "tempfile", "termios", "threading", "time", "tty", "urllib"),
)
IMPURE_BUT: Final = {"protocols.hidden": "os", "protocols.dealing.catalog": "importlib"}
IMPURE_CALLS: Final = ("open", "print", "input", "exec", "eval", "breakpoint")

UNKNOWN: Final = "a name that is known only when it runs"
_DYNAMIC: Final = ("import_module", "__import__")


@dataclass(frozen=True, slots=True)
class Import:
    """`importer` imports `imported`, both dotted; `late` inside a function; `line` in the importer's file."""

    importer: str
    imported: str
    late: bool
    line: int


def inside(module: str, *packages: str) -> bool:
    """Whether the module is one of the packages or lies in one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """Every module of our packages under `root`, with its dotted name."""
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, ast.parse(file.read_text(encoding="utf-8"), str(file))


def imports(root: Path) -> list[Import]:
    """Every import under `root`, those inside functions and by `import_module("...")` too."""
    return [found for name, tree in modules(root) for found in _imports_of(root, name, tree)]


def violations(root: Path) -> list[str]:
    """One sentence for every import or call under `root` that the design does not allow."""
    found = imports(root)
    wrong = [f"{i.importer}:{i.line} imports {i.imported}: {why}" for i in found for why in _objections(i)]
    wrong += [sentence for library in ONE_IMPORTER for sentence in _second_importers(library, found)]
    return wrong + [sentence for name, tree in modules(root) for sentence in _wrong_calls(name, tree)]


def _imports_of(root: Path, name: str, tree: ast.Module) -> Iterator[Import]:
    late = {id(node) for function in ast.walk(tree) if _is_function(function) for node in ast.walk(function)}
    is_package = (root / Path(*name.split("."))).is_dir()
    for node in ast.walk(tree):
        for imported in _imported(root, name if is_package else name.rpartition(".")[0], node):
            yield Import(name, imported, id(node) in late, getattr(node, "lineno", 0))


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def _imported(root: Path, package: str, node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            start = package.split(".")[: len(package.split(".")) - level + 1] if level else []
            base = ".".join([*start, *([module] if module else [])])
            return [_module_or_name_in_it(root, base, alias.name) for alias in names]
        case ast.Call(func=func, args=[ast.Constant(value=str(target)), *_]) if _called(func) in _DYNAMIC:
            return [target]
        case ast.Call(func=func) if _called(func) in _DYNAMIC:
            return [UNKNOWN]
    return []


def _module_or_name_in_it(root: Path, base: str, name: str) -> str:
    """`base.name` where that is a module of ours, else `base`: what the import loads."""
    folder = root.joinpath(*base.split("."))
    return f"{base}.{name}" if (folder / name).is_dir() or (folder / f"{name}.py").is_file() else base


def _called(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _objections(found: Import) -> Iterator[str]:
    package = found.importer.partition(".")[0]
    if found.imported == UNKNOWN:
        if not inside(found.importer, "controller.cli"):
            yield "only controller.cli may"
    elif inside(found.imported, "simulators") and package != "simulators":
        if not (found.late and inside(found.importer, *MAY_IMPORT_SIMULATORS_LATE)):
            yield "only controller.cli and the sim: port may, inside a function"
    elif inside(found.imported, *PACKAGES, "tests", "bench"):
        yield from _wrong_arrows(found, package)
    elif package == "protocols":
        yield from _impurities(found)


def _wrong_arrows(found: Import, package: str) -> Iterator[str]:
    if not inside(found.imported, *ALLOWED[package]):
        yield f"{package} may import {', '.join(ALLOWED[package])}"
    for part, forbidden in FORBIDDEN.items():
        if inside(found.importer, part) and inside(found.imported, *forbidden):
            yield f"{part} may not"
    if inside(found.imported, "controller.archive") and not inside(found.importer, *MAY_IMPORT_THE_ARCHIVE):
        yield "only the archive itself and controller.cli may"
    if package == "controller" and inside(found.imported, *CONCRETE) and not inside(found.importer, *COMPOSERS):
        yield "only controller.app, controller.device_drivers and controller.cli name concrete classes"


def _impurities(found: Import) -> Iterator[str]:
    top = found.imported.partition(".")[0]
    if inside(found.imported, *IMPURE) and IMPURE_BUT.get(found.importer) != top:
        yield "protocols is pure"
    elif top not in PURE_LIBRARIES and top not in sys.stdlib_module_names:
        yield f"protocols may use {', '.join(PURE_LIBRARIES)}"


def _second_importers(library: str, found: Iterable[Import]) -> Iterator[str]:
    importers = sorted({each.importer for each in found if inside(each.imported, library)})
    if len(importers) > 1:
        yield f"{library} is imported by {' and '.join(importers)}: one module may"


def _wrong_calls(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if wrong := _WRONG_NAMES.get(_name_of_asyncio(node) or ""):
            yield f"{name}:{getattr(node, 'lineno', 0)} {wrong}"
        if inside(name, "protocols") and isinstance(node, ast.Call) and _bare_name(node.func) in IMPURE_CALLS:
            yield f"{name}:{node.lineno} calls {_bare_name(node.func)}(): protocols is pure"


def _bare_name(func: ast.expr) -> str | None:
    return func.id if isinstance(func, ast.Name) else None


_WRONG_NAMES = {
    "wait_for": "uses asyncio.wait_for: use asyncio.timeout",
    "to_thread": "uses asyncio.to_thread: the end of the program would wait for it",
    "run_in_executor": "uses run_in_executor: the end of the program would wait for it",
}


def _name_of_asyncio(node: ast.AST) -> str | None:
    """The one of the wrong names that is used here."""
    match node:
        case ast.Attribute(value=ast.Name(id="asyncio"), attr="wait_for" | "to_thread" as name):
            return name
        case ast.Attribute(attr="run_in_executor" as name):
            return name
        case ast.ImportFrom(module="asyncio", names=names):
            return next((alias.name for alias in names if alias.name in _WRONG_NAMES), None)
    return None
