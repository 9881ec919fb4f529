"""A command that is told to end leaves no copies of files from elsewhere."""

import os
import signal
import subprocess
import sys
from threading import Event

import pytest

from evenhand.cli.main import end_orderly
from waiting import LONG
from web_site import VOTES, Handler, Site, serve

TOLD = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.fixture
def slow(monkeypatch):
    """A server that sends the half of a file and waits."""
    site, half, go_on = Site(), Event(), Event()

    def answer(self, path, data):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        half.set()
        go_on.wait(LONG)

    monkeypatch.setattr(Handler, "answer", answer)
    site.files["/votes.csv"] = VOTES.sample(20_000, with_replacement=True).write_csv().encode()
    with serve(site) as url:
        yield f"{url}/votes.csv", half
        go_on.set()


@pytest.fixture(params=TOLD)
def told(request):
    """A signal that a started command does not ignore, even where the tests do (nohup)."""
    before = signal.signal(request.param, lambda *_: None)
    yield request.param
    signal.signal(request.param, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
def test_copies_are_removed_when_a_command_is_told_to_end(told, slow, tmp_path):
    url, half = slow
    started = subprocess.Popen(
        [sys.executable, "-m", "evenhand", "rank", url],
        env={**os.environ, "TMPDIR": str(tmp_path), "no_proxy": "*"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        assert half.wait(LONG)
        while not list(tmp_path.glob("evenhand-*/*/votes.csv")):
            assert started.poll() is None
        started.send_signal(told)
        said, _ = started.communicate(timeout=LONG)
    finally:
        started.kill()
    assert started.returncode == 128 + told
    assert not list(tmp_path.glob("evenhand-*"))
    assert b"Traceback" not in said


def test_what_ignores_a_signal_goes_on_ignoring_it(told):
    signal.signal(told, signal.SIG_IGN)
    with end_orderly():
        assert signal.getsignal(told) == signal.SIG_IGN


def test_a_command_within_python_leaves_signals_as_they_were(told):
    signal.signal(told, signal.SIG_DFL)
    with end_orderly():
        assert callable(signal.getsignal(told))
    assert signal.getsignal(told) == signal.SIG_DFL
