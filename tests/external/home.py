"""A real Home Assistant on loopback, driven as its front end does it: by its REST interface."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tools import free_port

from controller.mqtt_address import Certificates
from controller.tether import tethered
from external.tables import wait_for

RELEASE: Final = "2025.4.4"
_USED: Final = ("mqtt", "frontend", "config", "api", "onboarding", "logger")
_CONFIGURATION: Final = """\
homeassistant:
  name: Floor
  time_zone: UTC
  country: MT
  unit_system: metric
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
config:
frontend:
onboarding:
logger:
  default: warning
"""


def installed(folder: Path, python: str) -> Path:
    """The virtual environment in this folder, with Home Assistant and what its parts that are used here need."""
    pip = (str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if not (folder / "bin" / "hass").exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        subprocess.run([*pip, f"homeassistant=={RELEASE}"], check=True)
    [components] = folder.glob("lib/python3.*/site-packages/homeassistant/components")
    subprocess.run([*pip, *sorted(_requirements(components))], check=True)
    return folder


def _requirements(components: Path) -> set[str]:
    needed, found = [*_USED], set[str]()
    seen = set[str]()
    while needed:
        name = needed.pop()
        if name not in seen:
            seen.add(name)
            manifest = json.loads((components / name / "manifest.json").read_text())
            needed += manifest.get("dependencies", [])
            found |= {*manifest.get("requirements", [])}
    return found


@dataclass
class Home:
    """One that runs; `log` is what it complains of."""

    url: str
    log: Path
    token: str = ""

    def up(self) -> bool:
        try:
            return isinstance(self.get("/api/onboarding"), list)
        except OSError:
            return False

    def onboard(self) -> None:
        """Its first user, and what its first pages ask for."""
        client = f"{self.url}/"
        user = {"client_id": client, "name": "Pit", "username": "pit", "password": "of-a-test", "language": "en"}
        code = self.post("/api/onboarding/users", user)["auth_code"]
        grant = {"grant_type": "authorization_code", "code": code, "client_id": client}
        asked = urllib.parse.urlencode(grant).encode()
        self.token = self._ask("/auth/token", asked, "application/x-www-form-urlencoded")["access_token"]
        for step in ("core_config", "analytics"):
            self.post(f"/api/onboarding/{step}", {})
        self.post("/api/onboarding/integration", {"client_id": client, "redirect_uri": f"{client}?auth_callback=1"})

    def add_mqtt(self, port: int, files: Certificates) -> None:
        """The integration, as its dialogue asks: the broker, then that there are certificates, then these."""
        asked = self.post("/api/config/config_entries/flow", {"handler": "mqtt", "show_advanced_options": True})
        flow = f"/api/config/config_entries/flow/{asked['flow_id']}"
        told: dict[str, Any] = {"broker": "127.0.0.1", "port": port}
        self.post(flow, told | {"advanced_options": True})
        told |= {"set_ca_cert": "custom", "set_client_cert": True, "protocol": "5", "transport": "tcp"}
        self.post(flow, told)
        uploads = {"certificate": files.ca, "client_cert": files.certificate, "client_key": files.key}
        done = self.post(flow, told | {name: self._upload(path) for name, path in uploads.items() if path})
        assert done["type"] == "create_entry", done

    def states(self, part: str) -> dict[str, dict[str, Any]]:
        """The entities with this in their ids."""
        return {each["entity_id"]: each for each in self.get("/api/states") if part in each["entity_id"]}

    def state(self, entity: str) -> str:
        """`missing` where there is no such entity."""
        return str(self.states(entity).get(entity, {}).get("state", "missing"))

    def rendered(self, template: str) -> str:
        """What one of its own templates says."""
        return str(self.post("/api/template", {"template": template}))

    def complaints(self) -> list[str]:
        """Its log's lines of warnings and errors about MQTT or templates."""
        lines = self.log.read_text().splitlines()
        return [line for line in lines if "mqtt" in line.lower() or "template" in line.lower()]

    def storage(self) -> Mapping[str, str]:
        """What the front end keeps of a login."""
        tokens = {"access_token": self.token, "token_type": "Bearer", "expires_in": 1800, "hassUrl": self.url}
        tokens |= {"clientId": f"{self.url}/", "expires": 4102444800000, "refresh_token": ""}
        return {"hassTokens": json.dumps(tokens), "dockedSidebar": '"always_hidden"'}

    def get(self, path: str) -> Any:
        return self._ask(path, None, "application/json")

    def post(self, path: str, fields: Mapping[str, Any]) -> Any:
        return self._ask(path, json.dumps(fields).encode(), "application/json")

    def _upload(self, file: Path) -> str:
        bound = "shoewatch-boundary"
        head = f'--{bound}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n'
        body = f"{head}Content-Type: application/octet-stream\r\n\r\n{file.read_text()}\r\n--{bound}--\r\n"
        told = self._ask("/api/file_upload", body.encode(), f"multipart/form-data; boundary={bound}")
        return str(told["file_id"])

    def _ask(self, path: str, body: bytes | None, kind: str) -> Any:
        headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                said = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read()!r}") from None
        try:
            return json.loads(said)
        except ValueError:
            return said.decode()


@contextmanager
def running_home(folder: Path, environment: Path) -> Iterator[Home]:
    """`environment`: where it is installed; everything that it keeps goes to `folder`."""
    folder.mkdir()
    port = free_port()
    (folder / "configuration.yaml").write_text(_CONFIGURATION.format(port=port))
    path = f"{environment}/bin:{os.environ['PATH']}"
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(
            tethered([str(environment / "bin" / "python"), "-m", "homeassistant", "-c", str(folder), "--skip-pip"]),
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "PATH": path},
        )
    home = Home(f"http://127.0.0.1:{port}", folder / "home-assistant.log")
    try:
        wait_for(lambda: process.poll() is not None or home.up(), "Home Assistant")
        assert process.poll() is None, (folder / "out").read_text()
        yield home
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
