"""The Node-RED flow that is shipped, put together from the texts beside it. `make flow` writes it anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from protocols.floor.topics import ROOT

FOLDER: Final = Path(__file__).parents[1] / "deploy" / "node-red"
PATH: Final = FOLDER / "shoewatch-flow.json"
BROKER, TLS = "shoewatch-broker", "shoewatch-tls"
"""The ids of the two nodes that whoever imports the flow fills in."""

_TAB, _PAGE, _UI, _THEME = "shoewatch-floor", "shoewatch-page", "shoewatch-ui", "shoewatch-theme"
_KEEP, _LINK, _NEWEST, _SHOW = "shoewatch-keep", "shoewatch-link", "shoewatch-newest", "shoewatch-show"
_HEARD: Final = ("state", "status", "evt/#")
_SHOWN: Final = {"tables": "Tables", "violations": "Last violations"}

Node = dict[str, Any]


def flow() -> list[Node]:
    """Every node, as Node-RED imports them."""
    return [*_to_fill_in(), *_look(), *_nodes()]


def text() -> str:
    return json.dumps(flow(), ensure_ascii=False, indent=2) + "\n"


def _to_fill_in() -> Iterator[Node]:
    yield {
        "id": BROKER,
        "type": "mqtt-broker",
        "name": "the floor's broker",
        "broker": "broker.floor",
        "port": "8883",
        "tls": TLS,
        "usetls": True,
        "clientid": "",
        "autoConnect": True,
        "protocolVersion": "5",
        "keepalive": "30",
        "cleansession": True,
        "autoUnsubscribe": True,
    }
    yield {
        "id": TLS,
        "type": "tls-config",
        "name": "this dashboard's certificate",
        "ca": "/etc/node-red/shoewatch/ca.pem",
        "cert": "/etc/node-red/shoewatch/dashboard.pit-wall.pem",
        "key": "/etc/node-red/shoewatch/dashboard.pit-wall.key",
        "verifyservercert": True,
        "servername": "",
    }


def _look() -> Iterator[Node]:
    yield {
        "id": _UI,
        "type": "ui-base",
        "name": "Floor",
        "path": "/dashboard",
        "includeClientData": True,
        "acceptsClientConfig": ["ui-notification", "ui-control"],
        "showPathInSidebar": False,
        "headerContent": "page",
        "navigationStyle": "default",
        "titleBarStyle": "default",
    }
    colours = {
        "surface": "#101a22",
        "primary": "#0a7d4f",
        "bgPage": "#101820",
        "groupBg": "#16222c",
        "groupOutline": "#33475b",
    }
    sizes = {
        "density": "default",
        "pagePadding": "14px",
        "groupGap": "14px",
        "groupBorderRadius": "6px",
        "widgetGap": "12px",
    }
    yield {"id": _THEME, "type": "ui-theme", "name": "shoewatch", "colors": colours, "sizes": sizes}
    page = {"name": "Card tables", "ui": _UI, "path": "/floor", "icon": "cards", "layout": "grid", "theme": _THEME}
    columns = [{"name": "Default", "px": "0", "cols": "12"}]
    shown = {"order": 1, "className": "", "visible": True, "disabled": False}
    yield {"id": _PAGE, "type": "ui-page", **page, "breakpoints": columns, **shown}
    for order, (part, title) in enumerate(_SHOWN.items(), start=1):
        group = {"name": title, "page": _PAGE, "width": 12, "height": 1, "showTitle": True, "groupType": "default"}
        yield {"id": _group(part), "type": "ui-group", **group, **shown, "order": order}


def _nodes() -> Iterator[Node]:
    about = (FOLDER / "parts" / "about.md").read_text(encoding="utf-8")
    yield {"id": _TAB, "type": "tab", "label": "shoewatch", "disabled": False, "info": about}
    for row, heard in enumerate(_HEARD, start=1):
        topic = {"topic": f"{ROOT}/+/+/{heard}", "qos": "1", "datatype": "auto-detect", "broker": BROKER}
        flags = {"nl": False, "rap": True, "rh": 0, "inputs": 0}
        yield _node(_input(heard), "mqtt in", heard, 150, 60 * row, [_KEEP], **topic, **flags)
    watched = {"scope": [_input(heard) for heard in _HEARD[:1]]}
    yield _node("shoewatch-broker-status", "status", "the broker's link", 150, 240, [_LINK], **watched)
    yield _function(_KEEP, "keep", 360, 120, [_NEWEST])
    yield _function(_LINK, "link", 360, 240, [_NEWEST])
    newest = {"op1": "", "op1type": "nul", "op2": "", "op2type": "payl", "duration": "300", "units": "ms"}
    often = {"extend": False, "overrideDelay": False, "reset": "", "bytopic": "all", "topic": "topic", "outputs": 1}
    yield _node(_NEWEST, "trigger", "at most every 300 ms", 560, 180, [_SHOW], **newest, **often)
    yield _function(_SHOW, "show", 750, 180, [_template(part) for part in _SHOWN])
    for row, part in enumerate(_SHOWN, start=1):
        shown = {"group": _group(part), "page": "", "ui": "", "order": 1, "width": 0, "height": 0, "head": ""}
        kept = {"storeOutMessages": True, "passthru": False, "resendOnRefresh": True, "templateScope": "local"}
        vue = {"format": _part(f"{part}.vue"), "className": ""}
        yield _node(_template(part), "ui-template", part, 930, 90 + 60 * row, [], **shown, **vue, **kept)


def _function(name: str, part: str, x: int, y: int, to: list[str]) -> Node:
    plain = {"outputs": 1, "timeout": 0, "noerr": 0, "initialize": "", "finalize": "", "libs": []}
    return _node(name, "function", part, x, y, to, func=_part(f"{part}.js"), **plain)


def _node(name: str, kind: str, label: str, x: int, y: int, to: list[str], **fields: Any) -> Node:
    return {"id": name, "type": kind, "z": _TAB, "name": label, **fields, "x": x, "y": y, "wires": [to]}


def _part(name: str) -> str:
    return (FOLDER / "parts" / name).read_text(encoding="utf-8")


def _input(heard: str) -> str:
    return f"shoewatch-{heard.split('/')[0]}"


def _group(part: str) -> str:
    return f"shoewatch-{part}-group"


def _template(part: str) -> str:
    return f"shoewatch-{part}"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
