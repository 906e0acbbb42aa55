"""The retained status is right after every way in which daemon, broker and the line between them end and begin."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from needs import missing
from presence_bench import ANOTHER_BOOT, PresenceBench, Way, persistent, presence_bench

from controller import broker
from controller.broker import Engine


async def begun(bench: PresenceBench) -> None:
    bench.begin()
    await bench.right("online")


async def begun_on_another_boot(bench: PresenceBench) -> None:
    bench.begin(ANOTHER_BOOT)
    await bench.right("online", "another-boot")
    bench.boot, bench.first_boot = "another-boot", bench.boot


async def terminated(bench: PresenceBench) -> None:
    await bench.end(signal.SIGTERM)
    await bench.right("offline")


async def interrupted(bench: PresenceBench) -> None:
    await bench.end(signal.SIGINT)
    await bench.right("offline")


async def hung_up(bench: PresenceBench) -> None:
    await bench.end(signal.SIGHUP)
    await bench.right("offline")


async def killed(bench: PresenceBench) -> None:
    await bench.end(signal.SIGKILL)
    await bench.right("offline")
    bench.boot = bench.first_boot or bench.boot


async def killed_and_begun_at_once(bench: PresenceBench) -> None:
    await bench.end(signal.SIGKILL)
    await begun(bench)


async def stopped(bench: PresenceBench) -> None:
    bench.running.signal(signal.SIGSTOP)
    await bench.right("offline")


async def continued(bench: PresenceBench) -> None:
    bench.running.signal(signal.SIGCONT)
    await bench.right("online")


async def line_broken(bench: PresenceBench) -> None:
    bench.proxy.break_lines()
    await bench.next_line()
    await bench.right("online")


async def line_half_open(bench: PresenceBench) -> None:
    bench.proxy.freeze()
    await bench.next_line()
    await bench.right("online")


async def out_of_reach(bench: PresenceBench) -> None:
    bench.proxy.cut()
    await bench.right("offline")
    bench.proxy.restore()
    await bench.right("online")


async def false_offline(bench: PresenceBench) -> None:
    await bench.say(b'{"status":"offline"}')
    await bench.right("online")


async def false_online(bench: PresenceBench) -> None:
    await bench.say(b'{"status":"online","epoch":"0","boot":"0","insecure":true,"alarms":[]}')
    await bench.right("online")


async def cleared(bench: PresenceBench) -> None:
    await bench.say(b"")
    await bench.right("online")


async def second_client(bench: PresenceBench) -> None:
    await bench.twice()
    await bench.right("online")


async def broker_terminated(bench: PresenceBench) -> None:
    bench.end_broker(signal.SIGTERM)
    bench.broker.start()
    await bench.right("online")


async def broker_killed(bench: PresenceBench) -> None:
    bench.broker.kill()
    bench.broker.start()
    await bench.right("online")


async def broker_away_for_long(bench: PresenceBench) -> None:
    bench.broker.kill()
    await asyncio.sleep(4)
    bench.broker.start()
    await bench.right("online")


async def retained_set_back_without_flood(bench: PresenceBench) -> None:
    """Each once, for somebody who listened before the daemon came back; health and metrics tell of themselves."""
    bench.proxy.cut()
    bench.broker.kill()
    bench.broker.start()
    listening = asyncio.create_task(bench.told(seconds=4))
    await asyncio.sleep(0.3)
    bench.proxy.restore()
    told = {name: times for name, times in (await listening).items() if name.partition("/")[0] in ("status", "state")}
    assert told.pop("status") == 1
    assert all(times == 1 for times in told.values()), told
    await bench.right("online")


async def status_refused_for_a_while(bench: PresenceBench) -> None:
    bench.broker.kill()
    bench.acl.write_text("topic read #\n")
    bench.broker.start()
    await bench.logged("refuses the status")
    assert await bench.retained() == {}
    bench.acl.write_text("topic readwrite #\n")
    bench.signal_broker(signal.SIGHUP)
    await bench.right("online")


DISTURBED = (
    begun,
    false_offline,
    false_online,
    cleared,
    second_client,
    line_broken,
    out_of_reach,
    broker_terminated,
    broker_killed,
    retained_set_back_without_flood,
)
LANES: Mapping[str, Sequence[Way]] = {
    "ends": (
        begun,
        killed_and_begun_at_once,
        terminated,
        begun_on_another_boot,
        killed,
        begun,
        interrupted,
        begun,
        hung_up,
    ),
    "disturbed": (*DISTURBED, status_refused_for_a_while),
    "half-open": (begun, line_half_open),
    "stopped": (begun, stopped, continued),
}
LONG: Mapping[str, Sequence[Way]] = {
    **LANES,
    "disturbed": (*DISTURBED * 3, broker_away_for_long),
    "half-open": (begun, *[line_half_open] * 4),
    "stopped": (begun, *[stopped, continued] * 3),
}


def run_lanes(folder: Path, engine: Engine, lanes: Mapping[str, Sequence[Way]]) -> None:
    """All at once: mostly they wait."""

    async def run(name: str, ways: Sequence[Way]) -> None:
        async with presence_bench(folder / name, engine) as bench:
            await bench.go(ways)
            print(f"{engine.name}, {name}: {bench.took}")

    async def scenario() -> None:
        async with asyncio.TaskGroup() as group:
            for name, ways in lanes.items():
                group.create_task(run(name, ways))

    asyncio.run(scenario())


def test_the_status_is_right_after_every_way(tmp_path: Path) -> None:
    run_lanes(tmp_path, broker.mosquitto() or missing("mosquitto (apt install mosquitto)"), LANES)


@pytest.mark.soak
@pytest.mark.parametrize("keeps", [False, True], ids=["memory", "disk"])
def test_the_status_is_right_soak(tmp_path: Path, keeps: bool) -> None:
    engine = broker.mosquitto() or missing("mosquitto (apt install mosquitto)")
    without_flood = {
        name: [way for way in ways if not keeps or "flood" not in way.__name__] for name, ways in LONG.items()
    }
    run_lanes(tmp_path, persistent(engine) if keeps else engine, without_flood)


@pytest.mark.soak
def test_the_status_is_right_on_nats_soak(tmp_path: Path) -> None:
    lanes = {name: [way for way in ways if "flood" not in way.__name__] for name, ways in LONG.items()}
    run_lanes(tmp_path, broker.nats() or missing("nats-server"), lanes)
