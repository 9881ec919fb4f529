"""The server's side of the process that computes for the organiser's page.

Judges never wait for it: a question has a time limit, after which the last answer is shown with its
time. If the process ends, the page and the log say so, and it is started again after a while.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from evenhand.errors import EvenhandError
from evenhand.web.analysis_worker import Setup
from evenhand.web.site import REFUSALS, Answer, Message, NotComputed, Question, pack, unpack
from evenhand.web.store.boards import SavedBoard, save_boards
from evenhand.web.store.store import Store

SOON: Final = 2.0  # Seconds to wait for an answer where an older one can be shown
FIRST: Final = 20.0  # Seconds to wait where there is none
LONG: Final = 600.0  # Seconds to wait for a file
FILES: Final = ("download", "export")
MAX_QUESTIONS_WAITING: Final = 32  # Questions that may wait at a time
AGAIN: Final = 30.0  # Seconds from the end of the process to its next start
SILENT: Final = 300.0  # Seconds after which a process that does not even take a question is ended
MEMORY: Final = "/dev/shm"  # A file system in memory, on Linux
ROOM: Final = 2**29  # Free bytes there from which temporary files are made in it
# What is run; `-P` as nothing is to be imported from the folder where the server was started
COMMAND: Final = (sys.executable, "-P", "-m", "evenhand.web.analysis_worker")
# Libraries that would take all processors
THREADS: Final = ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
_log: Final = logging.getLogger("evenhand")


@dataclass
class _Waiting:
    question: Question
    asked_at: float = field(default_factory=time.monotonic)
    taken: bool = False  # whether the process has taken it
    done: Future[Answer] = field(default_factory=Future)


class AnalysisProcess:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._last: dict[Question, Answer] = {}
        self._fault = ""

    @property
    def pid(self) -> int:
        process = self._process  # another thread may set it to None
        return 0 if process is None else process.pid

    def begin(self) -> None:
        self._thread = threading.Thread(target=self._keep_up, name="analysis", daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        with self._lock:
            process = self._process
            if process is not None:
                assert process.stdin is not None
                with suppress(OSError):
                    process.stdin.close()
        if process is not None:
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
        if self._thread is not None:
            self._thread.join(5)

    async def ask(self, question: Question) -> Answer:
        last = self._last.get(question)
        waiting = self._send(question)
        if waiting is None:
            return _show(question, last, self._fault or "The analysis is being started.")
        limit = LONG if question.what in FILES else FIRST if last is None else SOON
        future = asyncio.wrap_future(waiting.done)
        future.add_done_callback(asyncio.Future.exception)  # taken note of, also where time is up
        await asyncio.wait([future], timeout=limit)
        if not future.done():
            if question.what in FILES:  # nobody waits for it any more
                waiting.done.add_done_callback(_discard)
            return _show(question, self._last.get(question), self._explain(waiting))
        try:
            return future.result()
        except NotComputed as refusal:
            return _show(question, self._last.get(question), str(refusal))

    def _send(self, question: Question) -> _Waiting | None:
        """Ask the process, unless it was asked the same already; None where there is none."""
        with self._lock:
            if self._process is None or self._over.is_set():
                return None
            for one in self._waiting.values():
                if one.question == question and question.what not in FILES:
                    return one
            if len(self._waiting) >= MAX_QUESTIONS_WAITING:
                raise NotComputed("too many computations are running: try again later")
            assert self._process.stdin is not None
            number, made = next(self._numbers), _Waiting(question)
            self._waiting[number] = made
            with suppress(OSError):  # it has ended: its reader says so to all who wait
                self._process.stdin.write(pack(Message(number, question)))
                self._process.stdin.flush()
        return made

    def _explain(self, waiting: _Waiting) -> str:
        """Say why there is no answer yet; end a process that has been silent for long."""
        if waiting.taken:
            return "A new analysis is being computed, at low priority so that judges do not wait."
        with self._lock:
            if time.monotonic() > waiting.asked_at + SILENT and self._process is not None:
                self._process.kill()
        return "The analysis process does not respond."

    def _keep_up(self) -> None:
        while not self._over.is_set():
            try:
                # in memory where there is room: a process of low priority that is interrupted while
                # it writes to a disk can hold up the file system's journal, and with it the commits
                # of answers
                place = None
                with suppress(OSError):
                    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM:
                        place = MEMORY
                with TemporaryDirectory(
                    prefix="evenhand-", dir=place, ignore_cleanup_errors=True
                ) as folder:
                    ended = self._run(folder)
            except OSError as fault:
                ended = f"could not be started ({fault.strerror or fault})"
            if self._over.is_set():
                return
            when = datetime.now(UTC).strftime("%H:%M:%S UTC")
            again = f"it is started again after {AGAIN:.0f} seconds"
            self._fault = f"The analysis process {ended} at {when}; {again}."
            _log.warning("evenhand: the analysis process %s; %s", ended, again)
            with self._lock:
                refused, self._waiting = self._waiting, {}
            for one in refused.values():
                one.done.set_exception(NotComputed(self._fault))
            self._over.wait(AGAIN)

    def _run(self, folder: str) -> str:
        # The environment of the process: it imports what the server would
        path = os.pathsep.join(str(Path(one).resolve()) for one in sys.path)
        single = {f"{one}_NUM_THREADS": "1" for one in THREADS}
        env = {**os.environ, **single, "PYTHONPATH": path, "TMPDIR": folder}
        pipe = subprocess.PIPE
        process = subprocess.Popen((*COMMAND, folder), stdin=pipe, stdout=pipe, env=env)
        assert process.stdin is not None
        assert process.stdout is not None
        where = self._store.engine.url.render_as_string(hide_password=False)
        setup = msgspec.json.encode(Setup(where, self._store.clock.now())) + b"\n"
        with process:
            with suppress(OSError):
                process.stdin.write(setup)
                process.stdin.flush()
                with self._lock:
                    self._process = process
                    if self._over.is_set():
                        process.stdin.close()
                for line in process.stdout:
                    with suppress(msgspec.DecodeError):  # cut off where it ended as it wrote
                        self._take(unpack(line))
            with self._lock:  # before its pipes are closed: nobody is to write to it
                self._process = None
        code = process.returncode
        if code >= 0:
            return f"ended with code {code}"
        return f"was ended by {signal.Signals(-code).name}"

    def _take(self, message: Message) -> None:
        if message.log:
            _log.warning("%s", message.log)
        elif message.boards:
            made = {name: SavedBoard(*one) for name, one in message.boards.items()}
            with suppress(EvenhandError):  # where these cannot be stored, later ones are
                self._store.do(save_boards, made)
        elif message.taken:
            with self._lock:
                if message.number in self._waiting:
                    self._waiting[message.number].taken = True
        else:
            with self._lock:
                waiting = self._waiting.pop(message.number, None)
            if waiting is None:
                return
            if message.answer is None:
                waiting.done.set_exception(REFUSALS.get(message.word, EvenhandError)(message.why))
            else:
                self._fault = ""
                if not message.answer.path:
                    self._last[waiting.question] = message.answer
                waiting.done.set_result(message.answer)


def _discard(done: Future[Answer]) -> None:
    if done.exception() is None:
        done.result().open().close()


def _show(question: Question, last: Answer | None, why: str) -> Answer:
    if question.what in FILES or (last is None and question.what in ("board", "public")):
        raise NotComputed(f"{why} Nothing is lost: try again.")
    if last is None:
        words = f'<p class="hint">{why} It will stand here as soon as it is there.</p>'
        return Answer(f'<div class="found" data-record="">{words}</div>')
    if question.what == "board":
        payload = msgspec.json.decode(last.body)
        payload["faults"] = [*payload["faults"], why]
        return Answer(msgspec.json.encode(payload).decode(), last.made)
    if question.what == "public":  # it says of when it is
        return last
    at = datetime.fromtimestamp(last.made / 1000, UTC)
    shown = f'<time data-when="{last.made}">{at:%H:%M:%S} UTC</time>'
    words = f'<p class="warning" role="status">{why} What is shown is of {shown}.</p>'
    return Answer(words + last.body, last.made)
