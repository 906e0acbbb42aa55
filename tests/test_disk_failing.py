"""A disk that fails under a running daemon, an error of the device or read only at once: the table goes on, everybody
can see it, nothing is torn, and once the disk works again so does the journal."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from daemon import check_chain
from manager import Manager
from mqtt_table import in_order_without_gap, listening, until
from needs import missing
from panel_client import connected
from test_disk_full import alarm, alarms_published, goes_on, manager, table

from controller.broker import EmbeddedBroker
from controller.journal_verify import verify_journal

__all__ = ["manager"]
IMAGE_BYTES = 32 << 20


@asynccontextmanager
async def failing(pid: int, folder: Path, calls: str, error: str) -> AsyncIterator[None]:
    """Every such call of the process for the journal's files is answered with this error."""
    strace = shutil.which("strace") or missing("strace (apt install strace)")
    files = [word for name in ("journal.db", "journal.db-wal") for word in ("-P", str(folder / name))]
    inject = ["-e", f"trace={calls}", "-e", f"inject={calls}:error={error}"]
    command = [strace, "-f", "-p", str(pid), "-o", os.devnull, *files, *inject]
    tracer = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
    try:
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        await tracer.wait()


@pytest.mark.parametrize(
    ("calls", "error"),
    [
        pytest.param("pwrite64,fdatasync", "EIO", id="no write"),
        pytest.param("fdatasync", "EIO", id="no sync", marks=pytest.mark.soak),
        pytest.param("pwrite64", "EROFS", id="read only", marks=pytest.mark.soak),
    ],
)
def test_the_daemon_outlives_a_disk_that_fails(
    tmp_path: Path, mosquitto: EmbeddedBroker, manager: Manager, calls: str, error: str
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()

    async def scenario() -> None:
        async with listening(mosquitto.url) as listener, table(tmp_path, mosquitto, manager) as (process, journal):
            await until(lambda: journal.count(kind="table") > 20)
            async with connected(tmp_path / "panel" / "dealer.sock") as panel:
                panel.tell({"watch": True})
                async with failing(process.pid, disk, calls, error):
                    [why] = await alarm(panel)
                    assert "the journal cannot be written" in why
                    on_disk = len(journal.rows())
                    await goes_on(panel, 30)
                    assert len(journal.rows()) == on_disk
                    check_chain(journal.rows())
                    await until(lambda: alarms_published(listener)[-1:] == [[why]])
                    await until(lambda: any("STATUS=the journal cannot" in said for said in manager.heard()))
                assert await alarm(panel) == []
            await until(lambda: journal.count(kind="system", what="disk.full") == 1)
            [told] = [each["data"] for each in journal.records() if each.get("what") == "disk.full"]
            assert told["waited"] >= 30
            await until(lambda: alarms_published(listener)[-1] == [])
            await until(lambda: in_order_without_gap(listener.ids, len(journal.rows())))
            assert not process.has_ended
            check_chain(journal.rows())
        assert verify_journal(disk / "journal.db").problem is None

    asyncio.run(scenario())


@contextmanager
def broken_on_demand(folder: Path) -> Iterator[Path]:
    """A disk of its own mounted at `folder`; who writes into the file that is given makes the kernel take it for
    broken, whereupon it is read only under those who have files open on it."""
    image = folder.with_name("image")
    with image.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    folder.mkdir()
    make = ["mkfs.ext4", "-q", str(image)]
    mount = ["mount", "-o", "loop,errors=remount-ro", str(image), str(folder)]
    able = os.geteuid() == 0 and shutil.which("mkfs.ext4")
    if not able or any(subprocess.run(each, capture_output=True, check=False).returncode for each in (make, mount)):
        missing("the right to mount a file system")
    try:
        numbers = os.stat(folder).st_dev
        device = Path(f"/sys/dev/block/{os.major(numbers)}:{os.minor(numbers)}").resolve().name
        yield Path("/sys/fs/ext4", device, "trigger_fs_error")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def test_a_file_system_that_becomes_read_only_under_the_daemon(
    tmp_path: Path, mosquitto: EmbeddedBroker, manager: Manager
) -> None:
    """The kernel lets nobody write to it again before it is mounted anew: so what waited is lost, but for what the
    shoe keeps, and that is told."""
    disk = tmp_path / "disk"

    async def scenario() -> int:
        async with table(tmp_path, mosquitto, manager) as (process, journal):
            await until(lambda: journal.count(kind="table") > 20)
            async with connected(tmp_path / "panel" / "dealer.sock") as panel:
                panel.tell({"watch": True})
                trigger.write_text("test")
                [why] = await alarm(panel)
                assert "the journal cannot be written" in why
                await goes_on(panel, 30)
                assert not process.has_ended
            process.signal(signal.SIGTERM)
            assert await process.ended() == 1
            assert "at the stop the disk still took nothing" in process.log
        return 20

    with broken_on_demand(disk) as trigger:
        least = asyncio.run(scenario())
    again = tmp_path / "again"
    again.mkdir()
    image = str(tmp_path / "image")
    assert subprocess.run(["e2fsck", "-p", image], capture_output=True, check=False).returncode in (0, 1)
    subprocess.run(["mount", "-o", "loop", image, str(again)], check=True)
    try:
        found = verify_journal(again / "journal.db")
        assert found.problem is None
        assert found.last > least
    finally:
        subprocess.run(["umount", "-l", str(again)], check=False)
