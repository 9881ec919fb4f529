"""What the organiser's page says of all answers, computed from the store by this process."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from starlette.concurrency import run_in_threadpool

from evenhand.errors import UnknownOption
from evenhand.web import downloads
from evenhand.web.looks import Looks
from evenhand.web.outside import make_file
from evenhand.web.promises import Promises
from evenhand.web.questions import Answer, Question
from evenhand.web.sayings import write_sentence
from evenhand.web.sight import take_sight
from evenhand.web.site import make_pages
from evenhand.web.store.kept_boards import KeptBoard
from evenhand.web.store.readable import Readable


class Analysis:
    """Computes what is asked; several threads may ask."""

    def __init__(
        self,
        store: Readable,
        *,
        keep: Callable[[Mapping[str, KeptBoard]], object] | None = None,
    ) -> None:
        """Compute nothing yet; `keep` is as in `LiveBoards`."""
        self.store = store
        self.looks, self.promises = Looks(store, keep=keep), Promises(store)
        self._files = threading.Lock()

    @cached_property
    def _pages(self) -> jinja2.Environment:
        return make_pages()

    def begin(self) -> None:
        """Nothing is to be made ready."""

    def end(self) -> None:
        """Nothing runs."""

    async def ask(self, question: Question) -> Answer:
        """Return an answer, computed in a thread of this process."""
        return await run_in_threadpool(self.answer, question)

    def answer(self, question: Question) -> Answer:
        """Compute an answer."""
        match question.what:
            case "findings":
                return self._find()
            case "board":
                sight = take_sight(self.store, self.looks)
                assert sight is not None  # no state is known to whoever asks
                return Answer(msgspec.json.encode(sight).decode(), sight.now, sight.mark)
            case "promises":
                made, check = self.store.clock.now(), self.promises.count()
                return Answer(self._render("promises.html", {"check": check}), made)
            case "download":
                pieces = downloads.open_download(self.store, question.name)
                if pieces is None:
                    raise UnknownOption(f"there is no table {question.name}")
                with self._files:  # one at a time: each holds rows in memory
                    return self._write(question.name, pieces)
            case "export":
                with self._files:
                    name, body = make_file(self.store, question.name, question.kind)
                    return self._write(name, [body])

    def _find(self) -> Answer:
        """Return findings as a part of the page."""
        look = self.looks.look()
        states = {one.name: one.state for one in self.store.judges()}
        planned = self.store.campaign
        names = {*states, *planned.systems}
        told = {"look": look, "states": states, "tasks": planned.tasks}
        told |= {"write": lambda words: write_sentence(words, names)}
        body = self._render("findings.html", told)
        return Answer(body, look.made)

    def _write(self, name: str, pieces: Iterable[bytes]) -> Answer:
        """Write a file for whoever takes it; only this user can read it."""
        made = self.store.clock.now()
        handle, path = tempfile.mkstemp(prefix="evenhand-")
        with ExitStack() as stack:
            stack.callback(Path(path).unlink)
            with os.fdopen(handle, "wb") as file:
                file.writelines(pieces)
            stack.pop_all()  # it is whole, and stays
        return Answer(made=made, name=name, path=path)

    def _render(self, page: str, told: dict[str, Any]) -> str:
        return self._pages.get_template(page).render(told)
