"""`evenhand serve` and `ask` as processes of their own, started and killed as often as one likes.

Run as a program this file is the parent of the commands: it imports everything once, and forks a
process for each line of its standard input, so that fifty starts do not import everything fifty
times. What the commands print goes to a file, as it would to a terminal.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evenhand.web.links import Tokens, read_links
from waiting import LONG, wait_for

CAMPAIGN = """\
name = "pairs"
judges = 8
items = "items.jsonl"
[design]
judges_per_item = 4
[[tasks]]
kind = "pair"
name = "better"
comment = true
"""


def write_campaign(folder: Path, items: int) -> Path:
    """Write a campaign of pairs for eight judges."""
    rows = ({"item": f"i{n}", "outputs": {"A": f"a {n}", "B": f"b {n}"}} for n in range(items))
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = folder / "campaign.toml"
    path.write_text(CAMPAIGN)
    return path


def find_port() -> int:
    """A port that is free now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Commands:
    """The parent of commands, one at a time.

    Attributes:
        parent: the process that starts them.
        pid: the command that was started last.
        printed: what they print, standard output and error.
        codes: how each of them ended.

    """

    def __init__(self, parent: "subprocess.Popen[str]", printed: Path) -> None:
        self._parent, self.printed = parent, printed
        self.codes: list[int] = []
        self.parent = parent.pid
        self.pid = 0

    def run(self, words: Sequence[str]) -> None:
        """Start a command."""
        self.pid = int(self._tell([*words]))

    def is_dead(self) -> bool:
        """Say whether the command ended and waits for its parent to hear of it."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return sys.platform == "linux"  # others do not say it
        return stat.rpartition(")")[2].split()[0] == "Z"

    def wait(self) -> int:
        """Wait until the command has ended, and return its code."""
        self.codes.append(int(self._tell("wait")))
        return self.codes[-1]

    def end(self, how: signal.Signals = signal.SIGKILL) -> int:
        """End the command, and return its code."""
        os.kill(self.pid, how)
        return self.wait()

    def _tell(self, what: Any) -> str:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(what) + "\n")
        self._parent.stdin.flush()
        return self._parent.stdout.readline()


class Servers(Commands):
    """The parent of servers of one campaign, one at a time.

    Attributes:
        port: of every server, so that links stay what they are.
        links: the file of links.

    """

    def __init__(
        self, parent: "subprocess.Popen[str]", words: Sequence[str], links: Path, printed: Path
    ) -> None:
        super().__init__(parent, printed)
        self._words = list(words)
        self.links, self.port = links, find_port()

    def begin(self) -> None:
        """Start a server; it may not be open yet."""
        self.run([*self._words, "--links", str(self.links), "--port", str(self.port)])

    def is_open(self) -> bool:
        """Say whether requests are taken."""
        with socket.socket() as tried:
            tried.settimeout(LONG)
            if tried.connect_ex(("127.0.0.1", self.port)) != 0:
                return False
            tried.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            return tried.recv(20).startswith(b"HTTP/1.1 ")

    def start(self) -> None:
        """Start a server, and wait until it is open."""
        self.begin()
        wait_for(self._is_open_or_dead, every=0.01)
        assert not self.is_dead(), f"a server did not start: {self.printed.read_text()[-2000:]}"

    def _is_open_or_dead(self) -> bool:
        try:
            return self.is_open() or self.is_dead()
        except OSError:
            return self.is_dead()

    def tokens(self) -> Tokens:
        """The links, by role and judge."""
        return read_links(self.links)


@contextmanager
def start_parent(
    printed: Path, before: Sequence[str] = (), **variables: str
) -> Iterator["subprocess.Popen[str]"]:
    """Start the parent of commands, and end it with the command that still runs."""
    path = os.pathsep.join(one for one in sys.path if one)
    with subprocess.Popen(
        [*before, sys.executable, __file__, str(printed)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **variables},
    ) as parent:
        try:
            yield parent
        finally:
            assert parent.stdin is not None
            parent.stdin.close()
            parent.wait(LONG)


@contextmanager
def run_servers(
    folder: Path,
    campaign: Path,
    *words: str,
    before: Sequence[str] = (),
    **variables: str,
) -> Iterator[Servers]:
    """Make the parent of the servers of a campaign.

    Args:
        folder: where the links are, and what the servers print.
        campaign: its file.
        words: more options of `evenhand serve`.
        before: a command that runs the parent.
        variables: of the environment.

    """
    printed = folder / "printed.txt"
    with start_parent(printed, before, **variables) as parent:
        yield Servers(parent, ["serve", str(campaign), *words], folder / "links.csv", printed)


def fork(words: list[str], printed: str) -> int:
    """Start a command, and return its process."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for handle in (1, 2):
            os.dup2(file, handle)
        from evenhand.cli.main import main

        main(words)
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:  # noqa: BLE001 - as Python itself, which the fork does not return to
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def answer_lines(printed: str) -> None:
    """Start a command for each line, or wait for the last one."""
    import alembic.script  # noqa: F401 - imported once for all children
    import uvicorn.lifespan.off
    import uvicorn.protocols.http.auto  # noqa: F401

    from evenhand.cli import ask, main, serve  # noqa: F401
    from evenhand.web import links, site, store  # noqa: F401

    child = 0
    for line in sys.stdin:
        told = json.loads(line)
        if told == "wait":
            _, status = os.waitpid(child, 0)
            child = 0
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = child = fork(told, printed)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    if child:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    answer_lines(sys.argv[1])
