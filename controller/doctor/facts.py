"""What a diagnosis rests on. Facts only, no opinion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from controller.certificate_care import CertificateTrouble
from controller.disk import DiskTrouble
from controller.link_states import LinkStanding
from firmware_bridge.known_devices import Protocol, Role, UsbId
from firmware_bridge.node import Process
from firmware_bridge.plugged import Plugged
from firmware_bridge.transport import PortAddress
from protocols.records import LossKind


@dataclass(frozen=True, slots=True)
class Rules:
    """The udev rules that are installed. `file` None: there are none. `masked`: a file of the same name, empty or a
    link to nothing, stands before it and takes its place."""

    file: Path | None = None
    text: str = ""
    masked: Path | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A device's node. `opens`: whether the daemon's user may open it; `denial`: why not; `group`: whose members may,
    None where no group may. `ours`: whether our rules have set it up, None where udev tells nothing of it;
    `modem_probed`: whether it is left to ModemManager."""

    path: str
    opens: bool
    user: str = ""
    denial: str = ""
    group: str | None = None
    holders: tuple[Process, ...] = ()
    ours: bool | None = None
    modem_probed: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What came over a line within `seconds`: how many bytes, frames of which protocols at the configured speed, and
    where there were none, what another speed gives."""

    seconds: float
    bytes: int
    frames: Mapping[Protocol, int] = field(default_factory=dict)
    at_other_bauds: Mapping[int, Protocol] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Device:
    """A configured device. `node` None: there is no node; `absent`: why its line is not there, or not to be told from
    another. `link`: as the daemon's records have it; `heard`: only where nobody else has the line."""

    role: Role
    protocol: Protocol
    port: PortAddress
    node: Node | None = None
    absent: tuple[LossKind, str] | None = None
    link: LinkStanding | None = None
    heard: Heard | None = None
    usb_id: UsbId | None = None


@dataclass(frozen=True, slots=True)
class Broker:
    """`why`: what keeps us from it, None where it answers; `distrust`: why TLS does not come about
    then; what is wrong with the `certificates` on this side."""

    host: str
    port: int
    local: bool
    why: str | None
    distrust: str | None = None
    certificates: tuple[CertificateTrouble, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """The panel's folder: `why` it cannot be used, None where it can. Of the groups to which the sockets are to be
    given, those that are `unknown` here, and those that are `foreign` to the daemon's `user`, who is no member. Whether
    it `is_shared`, both sockets being for the same people, and `is_closed` to others than the group of the folder."""

    folder: Path
    why: str | None
    in_the_way: Path | None = None
    user: str = ""
    unknown: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    is_shared: bool = False
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One configuration; `problems`: what is wrong with it, and then nothing else is known. `unread`: why the journal
    cannot be read, None where it can or there is none yet; `disk`: what keeps it from being written. `installed`: it is
    run as a service."""

    config: Path
    installed: bool
    name: str = ""
    site: str = ""
    problems: tuple[str, ...] = ()
    daemon: Process | None = None
    unread: str | None = None
    disk: DiskTrouble | None = None
    devices: tuple[Device, ...] = ()
    broker: Broker | None = None
    panel: Panel | None = None


@dataclass(frozen=True, slots=True)
class Computer:
    """What holds for all tables of this computer. `libusb`, `mosquitto`: whether they are installed; `clock`: what is
    wrong with it."""

    plugged: Plugged
    rules: Rules
    modem_manager: Process | None = None
    libusb: bool = True
    mosquitto: bool = True
    clock: str | None = None
