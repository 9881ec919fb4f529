"""A PostgreSQL server of our own in a temporary folder, reached by a Unix socket alone.

EVENHAND_POSTGRES names the folder of initdb and postgres where Debian's package is not installed.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from waiting import LONG

FOLDERS = (*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),)


def find_programs() -> Path:
    """The folder of initdb and postgres; skips the test where there is none."""
    named = os.environ.get("EVENHAND_POSTGRES")
    for folder in (Path(named),) if named else FOLDERS:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    found = None if named else shutil.which("initdb")
    if found is None:
        why = f"EVENHAND_POSTGRES is {named}" if named else "Debian: apt-get install postgresql"
        pytest.skip(f"no PostgreSQL on this machine ({why})")
    return Path(found).parent


def _find_user() -> dict[str, str | int]:
    """As whom the server runs: it refuses to be root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            who = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": who.pw_uid, "group": who.pw_gid}
    pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")


class Server:
    """A server that can be killed and started again."""

    def __init__(self, folder: Path, *, fsync: bool) -> None:
        self.fsync = fsync
        self.folder, self.programs, self.who = folder, find_programs(), _find_user()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return self.name("postgres")

    def name(self, database: str) -> str:
        return f"postgresql://judge@/{database}?host={self.folder}"

    def make_database(self, database: str, *, like: str = "template1") -> str:
        """Make a copy of a database that nobody uses, at first an empty one; return its address."""
        command = [self.programs / "createdb", "-h", self.folder, "-U", "judge", database]
        command += ["-T", like]
        subprocess.run(command, check=True, capture_output=True, env=_environment())
        return self.name(database)

    def drop_database(self, database: str) -> None:
        """Drop a database that nobody uses any more, before all of it is written to the disk."""
        command = [self.programs / "dropdb", "-h", self.folder, "-U", "judge", database]
        subprocess.run(command, check=False, capture_output=True, env=_environment())

    def run(self, order: str, *, writes: bool = False) -> None:
        """Give an order as the one user there is, also where writing is forbidden."""
        from psycopg import connect

        with connect(self.url, autocommit=True) as connection:
            if writes:
                connection.execute("SET default_transaction_read_only = off")
            connection.execute(order.encode())

    def drop_connections(self, database: str) -> None:
        """End all connections of a database; new ones have its new settings."""
        self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = '{database}' AND pid <> pg_backend_pid()"
        )

    def make(self) -> None:
        if self.who:
            os.chown(self.folder, int(self.who["user"]), int(self.who["group"]))
        command = [self.programs / "initdb", "--pgdata", self.folder / "data", "--username=judge"]
        command += ["--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]
        subprocess.run(
            command, check=True, capture_output=True, env=_environment(), cwd="/", **self.who
        )

    def start(self) -> None:
        command: list[str | Path] = [self.programs / "postgres", "-D", self.folder / "data"]
        command += ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"]
        command += ["-c", "shared_buffers=32MB", "-c", "max_connections=20"]
        command += ["-c", f"fsync={'on' if self.fsync else 'off'}"]
        self._run(command)
        ready = [self.programs / "pg_isready", "-h", self.folder, "-q"]
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            if subprocess.run(ready, check=False, env=_environment()).returncode == 0:
                return
            if self.process.poll() is not None:  # processes of a killed one are still ending
                time.sleep(0.2)
                self._run(command)
            time.sleep(0.05)
        pytest.fail("PostgreSQL did not start: " + (self.folder / "log").read_text()[-2000:])

    def _run(self, command: list[str | Path]) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env=_environment(), cwd="/", **self.who
            )

    def end(self, how: signal.Signals = signal.SIGINT) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(LONG)
            self.process = None


def _environment() -> dict[str, str]:
    mark = {name: os.environ[name] for name in ("EVENHAND_CI",) if name in os.environ}
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC", **mark}


@contextmanager
def run_server(*, fsync: bool = False) -> Iterator[Server]:
    """Run a server; its folder has a short name, since sockets allow no long one.

    Without fsync it loses nothing as long as the machine itself stays up: a test that kills
    processes needs none.
    """
    find_programs()
    with tempfile.TemporaryDirectory(prefix="evenhand") as name:
        server = Server(Path(name), fsync=fsync)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.end()
