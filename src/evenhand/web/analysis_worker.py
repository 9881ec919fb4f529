"""The process that computes for the organiser's page, at the lowest priority of the machine.

It is started by `analysis_process.py`, reads the database over a connection of its own, and takes
questions from its standard input. When that ends, the server has ended, however it did: then this
process deletes the folder of temporary files that its argument names, and ends too. Nothing but
messages goes to its standard output.
"""

from __future__ import annotations

import itertools
import logging
import os
import select
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import msgspec

if TYPE_CHECKING:
    from evenhand.web.analysis import Analysis
    from evenhand.web.site import Message
    from evenhand.web.store.boards import SavedBoard

UNASKED: Final = 5.0  # Seconds for which the libraries are not loaded unless something is asked
# Where memory runs out, Linux ends a process of this score before the server, which has 0
MEMORY_SCORE: Final = 900
_log: Final = logging.getLogger("evenhand")


class Setup(msgspec.Struct):
    where: str  # the database; an address may hold a password, so it is not on the command line
    now: int  # the clock of the store, in milliseconds since 1970


class Wire(logging.Handler):
    """The way back to the server; lines of the log take it too."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(logging.WARNING)
        self._file, self._turn = file, threading.Lock()

    def send(self, message: Message) -> None:
        """Send a message; without a server there is nobody to read it."""
        from evenhand.web.site import pack

        line = pack(message)
        with self._turn, suppress(OSError):
            self._file.write(line)
            self._file.flush()

    def emit(self, record: logging.LogRecord) -> None:
        from evenhand.web.site import Message

        self.send(Message(log=record.getMessage()))

    def save(self, made: Mapping[str, SavedBoard]) -> None:
        from evenhand.web.site import Message

        self.send(Message(boards={name: (one.record, one.body) for name, one in made.items()}))


def lower_priority() -> None:
    """Let every other process go first: processor, disk, and memory when it runs out."""
    # A system that lacks one of these, or forbids it, has the others.
    with suppress(OSError, AttributeError):
        os.nice(19)
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # idle for the disk, too
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(MEMORY_SCORE))


def work(lines: FileIO, wire: Wire) -> None:
    first, early = lines.readline(), b""
    if not first:  # the server ended as it started this process
        return
    # The server begins to serve meanwhile; one that ends within that time has cost next to nothing
    if os.name == "posix" and select.select([lines], [], [], UNASKED)[0]:
        early = lines.readline()
        if not early:
            return
    from evenhand.web.analysis import Analysis
    from evenhand.web.site import Message, unpack
    from evenhand.web.store.database import Clock, connect_to_read
    from evenhand.web.store.queries import Readable

    setup = msgspec.json.decode(first, type=Setup)
    store = Readable(connect_to_read(setup.where), Clock.start_at(setup.now))
    analysis = Analysis(store, save=wire.save)
    threading.Thread(target=_follow, args=(analysis,), daemon=True).start()
    for line in itertools.chain([early] if early else [], lines):
        message = unpack(line)
        wire.send(Message(message.number, taken=True))
        threading.Thread(target=_answer, args=(analysis, message, wire), daemon=True).start()


def _follow(analysis: Analysis) -> None:
    """Count what is new on the boards, also while nobody asks: deletions rest on them."""
    while True:
        time.sleep(analysis.cache.follow())


def _answer(analysis: Analysis, message: Message, wire: Wire) -> None:
    """Answer a question, or say why not; the server gets a word in any case."""
    from evenhand.errors import EvenhandError
    from evenhand.web.findings import FAULTS
    from evenhand.web.site import FAULT, FAULTY, Message, number

    assert message.question is not None
    reply = Message(message.number, word=FAULT, why=FAULTY)
    try:
        reply = Message(message.number, answer=analysis.answer(message.question))
    except FAULTS as error:
        if isinstance(error, EvenhandError):
            reply = Message(message.number, word=number(error)[1], why=str(error))
        else:
            trace = traceback.format_exception_only(error)[-1].strip()
            _log.warning("evenhand: %s could not be computed: %s", message.question.what, trace)
    finally:
        wire.send(reply)


def main() -> None:
    lower_priority()  # before threads are: they inherit it
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole group: the server ends this
        signal.signal(number, signal.SIG_IGN)
    wire = Wire(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what a library prints is no message
    _log.addHandler(wire)
    _log.propagate = False
    try:
        work(os.fdopen(0, "rb", buffering=0), wire)  # what is buffered, `select` does not see
    finally:
        shutil.rmtree(sys.argv[1], ignore_errors=True)
    os._exit(0)  # threads may still compute


if __name__ == "__main__":
    main()
