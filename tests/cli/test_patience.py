from __future__ import annotations

import io
import re
import sys
import time

import pytest
from click import unstyle

from evenhand.cli import running as patience
from evenhand.cli.running import ProgressDisplay
from waiting import LONG, wait_for


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(patience, "SOON", 0.01)


def wait_for_word(stream, word):
    """Wait until a word is there: the bar is drawn by another thread."""
    wait_for(lambda: word in stream.getvalue())


def test_long_work_is_shown_on_a_terminal(soon, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressDisplay("ranking") as work:
        wait_for_word(stream, "ranking")
        work.step(1, 2)
    assert "ranking" in stream.getvalue()


def test_short_work_is_not_shown(monkeypatch):
    monkeypatch.setattr(patience, "SOON", LONG)  # whatever a loaded machine takes
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressDisplay("ranking") as work:
        work.step(1, 2)
    assert stream.getvalue() == ""


def test_nothing_is_shown_in_a_pipe(soon, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressDisplay("ranking"):
        time.sleep(0.1)
    assert stream.getvalue() == ""


def test_left_stands_behind_the_time_that_is_left_and_only_where_an_end_is_known(soon, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressDisplay("ranking") as work:
        wait_for_word(stream, "0:0")
        assert "left" not in stream.getvalue()
        work.step(1, 4)
        wait_for_word(stream, "left")
    assert re.search(r"─{6}·{18}  0:\d\d  0:\d\d left", unstyle(stream.getvalue()))
