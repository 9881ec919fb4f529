"""The server finds no room, may not write, or has lost its database: it says so, and goes on."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evenhand.web.site import UNWRITABLE
from http_judges import check_stored, fetch
from patient_judge import Judge, check_refusal
from started_servers import Servers, run_servers, write_campaign
from waiting import wait_for

Stored = dict[tuple[str, str], str]


@contextmanager
def mount_small(folder: Path) -> Iterator[tuple[str, ...]]:
    """The start of a command that sees a file system of 3 MB in a folder, for itself alone."""
    mount = f'mount -t tmpfs -o size=3m,mode=700 tmpfs "{folder}" && exec "$@"'
    command = ("unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh")
    if (
        shutil.which("unshare") is None
        or subprocess.run([*command, "true"], check=False).returncode
    ):
        pytest.skip("no file system can be mounted here, not even by unshare")
    yield command


def fill_disk(servers: Servers, folder: Path) -> Callable[[], None]:
    """Leave room for some answers on the small file system; return what makes more."""
    file = Path(f"/proc/{servers.parent}/root{folder}/filler")
    with file.open("wb", buffering=0) as filler:
        for size in (65_536, 1):
            try:
                while filler.write(b"\0" * size):
                    pass
            except OSError:
                continue
        filler.truncate(filler.tell() - 400_000)
    return file.unlink


def limit_files(servers: Servers, folder: Path) -> Callable[[], None]:
    """Let no file of the server grow by more than 600 kB; return what ends that."""
    most = max(one.stat().st_size for one in folder.iterdir()) + 600_000
    resource.prlimit(servers.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    free = (resource.RLIM_INFINITY,) * 2
    return lambda: resource.prlimit(servers.pid, resource.RLIMIT_FSIZE, free) and None


def live_through_it(servers: Servers, forbid: Callable[[], Callable[[], None]]) -> Stored:
    """A judge answers, is refused while nothing can be stored, and goes on; no restart."""
    servers.start()
    judge = Judge(servers)
    judge.begin()
    assert judge.send().status == 200
    allow = forbid()
    judge.send_until_refused()
    for _ in range(3):
        check_refusal(judge.send())
    page = judge.ask("", accept="text/html")
    assert page.status == 200 or "The server cannot save anything right now" in page.body
    wait_for_health(servers, 503)
    allow()
    for _ in range(5):
        told = judge.send()
        assert told.status == 200, told
    wait_for_health(servers, 200)
    return judge.stored


def wait_for_health(servers: Servers, status: int) -> None:
    """Ask how the server is until it answers so; an answer holds for some seconds."""
    wait_for(lambda: fetch(servers.port, "/health").status == status, every=0.2)
    assert fetch(servers.port, "/health").body == ("well\n" if status == 200 else f"{UNWRITABLE}\n")


def test_a_file_system_without_room_refuses_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    disk, copy = tmp_path / "disk", tmp_path / "copy"
    disk.mkdir()
    campaign, where = write_campaign(tmp_path, items=400), disk / "campaign.db"
    with (
        mount_small(disk) as before,
        run_servers(tmp_path, campaign, "--database", str(where), before=before) as servers,
    ):
        stored = live_through_it(servers, lambda: fill_disk(servers, disk))
        allow = fill_disk(servers, disk)
        servers.end(signal.SIGKILL)
        servers.start()
        judge = Judge(servers)
        judge.begin()
        judge.send_until_refused()
        servers.end(signal.SIGKILL)
        servers.start()  # also without any room, since the links are what they were
        check_refusal(judge.send())
        allow()
        assert judge.send().status == 200
        stored |= judge.stored
        servers.end(signal.SIGKILL)
        shutil.copytree(f"/proc/{servers.parent}/root{disk}", copy)
        printed = servers.printed.read_text()
    assert "Traceback" not in printed
    assert "evenhand: the database did not save anything: " in printed
    kept = check_stored(str(copy / "campaign.db"), stored)
    print(f"{len(stored)} acknowledged, {len(kept)} stored")  # noqa: T201 - counts of an experiment
    assert len(kept) == len(stored) > 10


def test_files_that_may_not_grow_refuse_and_go_on_when_they_may(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    campaign, where = write_campaign(tmp_path, items=400), str(folder / "campaign.db")
    with run_servers(tmp_path, campaign, "--database", where) as servers:
        stored = live_through_it(servers, lambda: limit_files(servers, folder))
        assert servers.end(signal.SIGTERM) == 0
        assert "Traceback" not in servers.printed.read_text()
    assert len(check_stored(where, stored)) == len(stored) > 10


def test_a_file_that_may_not_be_written_is_shown_and_takes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    campaign, where = write_campaign(tmp_path, items=40), folder / "campaign.db"
    with run_servers(tmp_path, campaign, "--database", str(where), before=obey_modes()) as servers:
        servers.start()
        first = Judge(servers)
        first.begin()
        assert first.send().status == 200
        servers.end()
        for one in folder.iterdir():
            one.chmod(0o400)
        folder.chmod(0o500)
        servers.start()
        judge = Judge(servers)
        assert judge.begin().status == 200  # the item that the judge had is shown
        check_refusal(judge.send())
        wait_for_health(servers, 503)
        new = f"/j/{servers.tokens()['judge', 'judge-2']}/item"
        check_refusal(fetch(servers.port, new))
        admin = fetch(servers.port, f"/a/{servers.tokens()['admin', '']}", accept="text/html")
        assert (admin.status, "<strong>1</strong><span>judged</span>" in admin.body) == (200, True)
        servers.end()
        folder.chmod(0o700)
        for one in folder.iterdir():
            one.chmod(0o600)
        servers.start()
        assert judge.send().status == 200
        servers.end()
        assert "Traceback" not in servers.printed.read_text()
    assert len(check_stored(str(where), first.stored | judge.stored)) == 2


def test_a_file_that_may_not_be_written_from_the_start_is_refused_in_words(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    campaign, where = write_campaign(tmp_path, items=40), folder / "campaign.db"
    with run_servers(tmp_path, campaign, "--database", str(where), before=obey_modes()) as servers:
        servers.start()
        assert servers.end(signal.SIGTERM) == 0
        where.chmod(0o400)
        folder.chmod(0o500)
        with pytest.raises(AssertionError, match="attempt to write a readonly database"):
            servers.start()
        folder.chmod(0o700)
        where.chmod(0o600)
        servers.start()
        servers.end()
        assert "Traceback" not in servers.printed.read_text()


def obey_modes() -> tuple[str, ...]:
    """The start of a command that takes from root the right to write what it may not."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everything, and there is no setpriv to take that right")
    return ("setpriv", "--bounding-set", "-dac_override")


def test_a_database_that_another_program_holds_is_waited_for_and_then_refused(
    tmp_path: Path,
) -> None:
    campaign, where = write_campaign(tmp_path, items=40), str(tmp_path / "campaign.db")
    with run_servers(tmp_path, campaign, "--database", where) as servers:
        servers.start()
        judge = Judge(servers)
        judge.begin()
        holder = sqlite3.connect(where, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        check_refusal(judge.send())
        holder.execute("ROLLBACK")
        holder.close()
        assert judge.send().status == 200
        servers.end()
    assert len(check_stored(where, judge.stored)) == 1
