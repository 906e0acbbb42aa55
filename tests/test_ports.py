"""Port addresses as people write them."""

from __future__ import annotations

import asyncio

import pytest
from device_lines import read_to_the_end

from firmware_bridge.ports import host_and_port, open_port, parse_port
from firmware_bridge.transport import LineSettings, PortAddress
from protocols.errors import ShoewatchError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("serial:/dev/ttyS0", PortAddress("serial", "/dev/ttyS0", {})),
        (
            "serial:/dev/shoewatch/shoe-SH42?baud=9600",
            PortAddress("serial", "/dev/shoewatch/shoe-SH42", {"baud": "9600"}),
        ),
        ("tcp:192.0.2.7:4001", PortAddress("tcp", "192.0.2.7:4001", {})),
        ("tcp:[2001:db8::7]:4001", PortAddress("tcp", "[2001:db8::7]:4001", {})),
        ("replay:data/recording.txt?pace=0", PortAddress("replay", "data/recording.txt", {"pace": "0"})),
        ("usb:HCR-0007", PortAddress("usb", "HCR-0007", {})),
        ("usb:1-1.4?usb_id=1209:0001", PortAddress("usb", "1-1.4", {"usb_id": "1209:0001"})),
        ("sim:bj-07?seed=12", PortAddress("sim", "bj-07", {"seed": "12"})),
    ],
)
def test_an_address_has_scheme_target_and_parameters(text: str, address: PortAddress) -> None:
    assert parse_port(text) == address


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/dev/ttyS0", 'did you mean "serial:/dev/ttyS0"?'),
        ("/dev/serial/by-path/a:b", 'did you mean "serial:/dev/serial/by-path/a:b"?'),
        ("serail:/dev/ttyS0", 'no scheme "serail" (did you mean "serial"?)'),
        ("modbus:host", "(known: replay, serial, sim, tcp, usb)"),
        ("serial:", "serial:/dev/ttyS0"),
        ("serial:/dev/ttyS0?buad=4800", 'no parameter "buad" (did you mean "baud"?)'),
        ("serial:/dev/ttyS0?baud=fast", "'fast' is no speed in baud"),
        ("serial:/dev/ttyS0?baud=0", "'0' is no speed in baud"),
        ("serial:/dev/ttyS0?baud=4800&baud=9600", '"baud" is given twice'),
        ("serial:/dev/ttyS0?baud", '"baud" is no NAME=VALUE'),
        ("tcp:host:4001?baud=4800", 'tcp has no parameter "baud" (it takes none)'),
        ("tcp:host", "does not end in a TCP port"),
        ("tcp:host:0", "does not end in a TCP port"),
        ("tcp:host:65536", "does not end in a TCP port"),
        ("tcp::4001", "no HOST:PORT"),
        ("tcp:2001:db8::7:4001", "stands in brackets"),
        ("tcp:[not-ipv6]:4001", "'not-ipv6' is no IPv6 address"),
        ("tcp:a..b:4001", "'a..b' is no name of a host"),
        ("tcp: 192.0.2.7:4001", "' 192.0.2.7' is no name of a host"),
        (f"tcp:{'a' * 64}:4001", "is no name of a host"),
        ("usb:", "usb:HCR-0007"),
        ("usb:0000", "tells no device from another"),
        ("usb:HCR-0007?usb_id=1209", "'1209' is no USB id"),
        ("replay:r.txt?pace=-1", "'-1' is no pace"),
        ("replay:r.txt?pace=inf", "'inf' is no pace"),
        ("replay:r.txt?pace=slow", "'slow' is no pace"),
    ],
)
def test_a_wrong_address_says_what_would_be_right(text: str, said: str) -> None:
    with pytest.raises(ShoewatchError) as caught:
        parse_port(text)
    assert said in str(caught.value)
    assert text in str(caught.value)


def test_an_ipv6_host_loses_its_brackets() -> None:
    assert host_and_port("[2001:db8::7]:4001") == ("2001:db8::7", 4001)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sim:demo?sed=1", 'did you mean "seed"?'),
        ("sim:demo?seed=x", "seed=x: must be a whole number"),
    ],
)
def test_a_simulator_checks_its_own_parameters(text: str, said: str) -> None:
    with pytest.raises(ShoewatchError) as caught:
        asyncio.run(open_port(parse_port(text), LineSettings(4800)))
    assert said in str(caught.value)


def test_a_simulated_shoe_speaks() -> None:
    async def main() -> bytes:
        transport = await open_port(parse_port("sim:demo?seed=1&rounds=1&pace=0"), LineSettings(4800))
        data, lost = await read_to_the_end(transport)
        assert lost.kind == "ended"
        return data

    assert asyncio.run(main()).startswith(b"\x050S")
