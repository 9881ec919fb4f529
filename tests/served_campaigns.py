"""`evenhand serve` as a process of its own, as an organiser starts it."""

from __future__ import annotations

import csv
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from urllib.request import urlopen

from waiting import LONG


@dataclass(frozen=True)
class Served:
    """A campaign that is served.

    Attributes:
        port: on this machine.
        admin: path of the organiser's page.
        judges: name → path of the judge's page.

    """

    port: int
    admin: str
    judges: dict[str, str]

    def download(self, name: str, path: Path) -> None:
        """Take a file home, as the organiser does."""
        with urlopen(f"http://127.0.0.1:{self.port}{self.admin}/download/{name}") as reply:
            path.write_bytes(reply.read())


@contextmanager
def start(
    folder: Path, *words: str, end: signal.Signals = signal.SIGTERM, stderr: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Start the server in a folder; give its process when it is open, and end it."""
    command = [sys.executable, "-m", "evenhand", "serve", *words]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("serves")
            yield process
        finally:
            process.send_signal(end)
            process.wait(LONG)


@contextmanager
def serve(campaign: Path) -> Iterator[Served]:
    """Serve a campaign on any port."""
    with start(campaign.parent, campaign.name, "--port", "0"):
        links = read_links(campaign)
        assert links["admin"].port is not None
        judges = {name: one.path for name, one in links.items() if name != "admin"}
        yield Served(links["admin"].port, links["admin"].path, judges)


def read_links(campaign: Path) -> dict[str, SplitResult]:
    """Return links from the file beside the campaign: of judges by name, and the organiser's."""
    with campaign.with_name(f"{campaign.stem}.links.csv").open(newline="") as file:
        rows = [one for one in csv.DictReader(file) if one["role"] != "crowd"]
    return {one["judge"] or one["role"]: urlsplit(one["link"]) for one in rows}
