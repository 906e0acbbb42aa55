"""From facts to findings: what is wrong, and the one command that mends it. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from controller.certificate_care import CertificateTrouble
from controller.daemon_commands import start_daemon
from controller.doctor.device_findings import device_findings
from controller.doctor.facts import Broker, Computer, Panel, Table
from controller.doctor.finding import Finding, ask_again

_OURS: Final = "this computer"
_CLOSED: Final = "Permission denied"
_NOBODY_THERE: Final = "refused"
_MQTT: Final = 1883
"""The port of a mosquitto as it is installed."""


def findings(computer: Computer, tables: Iterable[Table]) -> tuple[Finding, ...]:
    """Everything that was found, the computer's own first."""
    return tuple(_all(computer, tables))


def _all(computer: Computer, tables: Iterable[Table]) -> Iterator[Finding]:
    if computer.clock:
        yield Finding("clock", _OURS, computer.clock, "sudo timedatectl set-ntp true")
    for table in tables:
        yield from _of_table(computer, table)


def _of_table(computer: Computer, table: Table) -> Iterator[Finding]:
    if table.problems:
        yield _wrong_configuration(table)
        return
    if table.daemon is None and table.installed and not table.unread:
        yield Finding(
            "no_daemon", table.name, "no daemon runs for this table", start_daemon(table.config, installed=True)
        )
    if table.unread:
        yield Finding("journal_closed", table.name, table.unread, f"sudo {ask_again(table.config)}")
    if table.disk:
        folder = str(table.disk.folder)
        writable = ["sudo", "mount", "-o", "remount,rw", folder]
        largest = ["sudo", "du", "-xah", "--threshold=10M", folder]
        yield Finding("disk", table.name, str(table.disk), shlex.join(writable if table.disk.read_only else largest))
    for device in table.devices:
        yield from device_findings(computer, table, device)
    yield from _around(computer, table)


def _wrong_configuration(table: Table) -> Finding:
    closed = next((problem for problem in table.problems if _CLOSED in problem), None)
    if closed is not None:
        return Finding("config_closed", str(table.config), closed, f"sudo {ask_again(table.config)}")
    more = f" (and {len(table.problems) - 1} more)" if len(table.problems) > 1 else ""
    check = shlex.join(["shoewatch", "config", "check", str(table.config)])
    return Finding("config_wrong", str(table.config), f"{table.problems[0]}{more}", check)


def _around(computer: Computer, table: Table) -> Iterator[Finding]:
    broker, panel = table.broker, table.panel
    if broker and broker.why:
        where = f"{broker.host} port {broker.port}"
        mend, hint = _mend_broker(computer, table, broker, broker.why)
        yield Finding("broker", table.name, f"the broker at {where} is not reached: {broker.why}{hint}", mend)
    if broker and broker.distrust:
        what = f"the broker answers, but there is no TLS with it: {broker.distrust}"
        yield Finding("broker_tls", table.name, what, ask_again(table.config))
    for trouble in broker.certificates if broker else ():
        yield _certificate(table, trouble)
    if panel and panel.why:
        folder = shlex.quote(str(panel.folder))
        owner = "-o shoewatch -g shoewatch" if table.installed else '-o "$(id -un)" -g "$(id -gn)"'
        make = f"sudo install -d {owner} -m 0750 {folder}"
        mend = f"sudo rm {shlex.quote(str(panel.in_the_way))}" if panel.in_the_way else make
        yield Finding("panel", table.name, panel.why, mend)
    elif panel:
        yield from _groups(table, panel)


def _certificate(table: Table, trouble: CertificateTrouble) -> Finding:
    """Of an authority that ends, nothing that it signed lasts longer."""
    code = "certificate_ends" if trouble.ends else "certificate_wrong"
    if trouble.role == "ca":
        what = f"{trouble}: a new authority is wanted, and with it new certificates for all"
        return Finding(code, table.name, what, "shoewatch certs ca FOLDER")
    what = f"{trouble}: another one is wanted of the site's authority"
    return Finding(code, table.name, what, f"shoewatch certs table FOLDER {table.site} {table.name} --renew")


def _groups(table: Table, panel: Panel) -> Iterator[Finding]:
    """Who may open the sockets. A table that is no service is left to whoever runs it."""
    again = f" && sudo systemctl restart shoewatch@{table.name}" if table.installed else ""
    for group in panel.unknown:
        what = f"there is no group {group}, to which a socket of the panel is to be given"
        yield Finding("panel_group", table.name, what, f"sudo groupadd --system {group}")
    for group in panel.foreign:
        what = f"{panel.user} is not in the group {group} and cannot give it a socket of the panel"
        yield Finding("panel_group", table.name, what, f"sudo usermod -aG {group} {panel.user}{again}")
    if panel.is_closed:
        what = f"{panel.folder} lets nobody through to the sockets in it but its own group"
        yield Finding("panel_closed", table.name, what, f"sudo chmod o+x {shlex.quote(str(panel.folder))}")
    if panel.is_shared and table.installed:
        what = "whoever may speak as the dealer may speak as a supervisor: [panel] needs dealer_group, supervisor_group"
        yield Finding("panel_shared", table.name, what, f"sudoedit {shlex.quote(str(table.config))}")


def _mend_broker(computer: Computer, table: Table, broker: Broker, why: str) -> tuple[str, str]:
    """The command, and what hands have to do before."""
    if not broker.local:
        if _NOBODY_THERE not in why:
            return f"ping -c 3 {shlex.quote(broker.host)}", ": is it on, and on the network?"
        return ask_again(table.config), ": nothing listens there: start it there, or correct url in [mqtt]"
    if broker.port != _MQTT:
        return ask_again(table.config), ": start what shall listen there, or correct url in [mqtt]"
    return "sudo systemctl start mosquitto" if computer.mosquitto else "sudo apt install mosquitto", ""
