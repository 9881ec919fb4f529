"""The cases of the corpus, and what runs them: a process that holds Evenhand, and forks for each.

A case is a line of `cases.toml`. It is run once for each of its forms (JSON, CSV, LaTeX, text), in
an empty folder with links to the input files. Importing Evenhand takes as long as most commands,
so it is done once, before the forks. No engine is opened there and no thread started, but for an
idle one of DuckDB's allocator, which is made for forks. Each child has one processor and one thread
of linear algebra: what is added in another order differs in the last digits.

Of Evenhand only the entry point of its command line is used.
"""

from __future__ import annotations

import gc
import json
import os
import shlex
import shutil
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
PARTS: Final = ("fast", "whole")
FORMS: Final = ("json", "csv", "latex", "text")
USUAL: Final = {
    "refusals": "text!",
    "help": "text",
    "python": "json",
    "convert": "text",
    "demo": "text!",
    "report": "json",
}
"""Section → the forms of its cases that say none; of all others JSON and text."""
ANY_VERB: Final = ("help", "layouts", "python", "refusals")
"""Sections whose words begin with the verb, or are no command."""
DATA: Final = "data/"
"""How paths under the folder of EVENHAND_DATA begin in `cases.toml`."""
ARROW: Final = "->"
LIMIT: Final = 300
"""Seconds after which a command is given up: the slowest takes a fifth of it."""
AT_ONCE: Final = 2
ENVIRONMENT: Final = {
    "COLUMNS": "80",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",  # newer processors have products with other last digits
    "OPENBLAS_NUM_THREADS": "1",
    "TERM": "dumb",
    "TZ": "UTC",
}
"""Of every command. What is read when numpy is imported must stand before that."""
AHEAD: Final = (
    *(
        "matplotlib.figure",
        "scipy.linalg",
        "scipy.optimize",
        "scipy.sparse.csgraph",
        "scipy.sparse.linalg",
    ),
    *("scipy.special", "scipy.stats"),
    *("narwhals._interchange.dataframe", "narwhals.group_by", "narwhals._duckdb.namespace"),
    *("narwhals._duckdb.group_by", "encodings.utf_8_sig"),
)
"""Libraries that Evenhand imports when it needs them. Never pandas: its presence changes paths."""


@dataclass(frozen=True)
class Case:
    """A command, or a call, with what is kept of it.

    Attributes:
        name: its section and its name, `rank/table1`.
        part: `fast` or `whole`.
        words: of the command line; of a call, the name of the function.
        forms: each is a run.
        exact: whether text and LaTeX are always compared.
        files: patterns of files that the command writes, whose content is part of the answer.

    """

    name: str
    part: str
    words: tuple[str, ...]
    forms: tuple[str, ...]
    exact: bool = False
    files: tuple[str, ...] = ()

    @property
    def section(self) -> str:
        return self.name.partition("/")[0]

    @property
    def compared(self) -> tuple[str, ...]:
        """Give the forms that are compared without `--text`; of the others only that they end."""
        every = self.exact or "json" not in self.forms
        return tuple(form for form in self.forms if every or form in ("json", "csv"))

    @property
    def needs_data(self) -> bool:
        """Say whether it reads judgments that are not distributed."""
        return any(DATA in word for word in self.words)


@dataclass(frozen=True)
class Run:
    """One form of a case, and what became of it."""

    case: Case
    form: str
    code: int
    out: str
    err: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    seconds: float = 0.0


def read_cases(path: Path = FOLDER / "cases.toml") -> tuple[Case, ...]:
    """Read the list, sorted by name; a name that appears twice is refused."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    cases = [
        _make_case(part, section, name, line)
        for part in PARTS
        for section, lines in told.get(part, {}).items()
        for name, line in lines.items()
    ]
    names = sorted(case.name for case in cases)
    doubled = [one for one, other in pairwise(names) if one == other]
    unknown = told.keys() - set(PARTS)
    if doubled or unknown:
        message = f"{path.name}: names that stand twice: {doubled}; unknown parts: {unknown}"
        raise ValueError(message)
    return tuple(sorted(cases, key=lambda case: case.name))


def _make_case(part: str, section: str, name: str, line: str) -> Case:
    """Read `words -> forms`: see the head of `cases.toml`."""
    command, _, kept = line.partition(f" {ARROW} ")
    first = () if section in ANY_VERB else (section,)
    wanted = kept.replace("all", " ".join(FORMS)).split()
    files = tuple(word[1:] for word in wanted if word.startswith("="))
    asked = [word for word in wanted if not word.startswith("=")]
    asked = asked or USUAL.get(section, "json text").split()
    forms = tuple(word.removesuffix("!") for word in asked)
    if unknown := set(forms) - set(FORMS):
        message = f"{section}/{name}: there is no form {unknown}"
        raise ValueError(message)
    exact = any(word.endswith("!") for word in asked)
    return Case(f"{section}/{name}", part, (*first, *shlex.split(command)), forms, exact, files)


def select(cases: Sequence[Case], only: Sequence[str]) -> tuple[Case, ...]:
    """Choose cases by section or by pattern of their names; all, where nothing is said."""
    chosen = [one if "/" in one else f"{one}/*" for one in only]
    return tuple(
        case for case in cases if not only or any(fnmatchcase(case.name, one) for one in chosen)
    )


def prepare() -> None:
    """Import all of Evenhand and what it may need; call it once, before anything is run."""
    for name in ("EVENHAND_DATABASE", "EVENHAND_TRACEBACK"):
        os.environ.pop(name, None)
    os.environ.update(ENVIRONMENT)
    for name in AHEAD:
        import_module(name)
    import evenhand

    for module in walk_packages(evenhand.__path__, "evenhand."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, all that was imported


def run_command(words: Sequence[str]) -> None:
    """Run the command line as its console script does; it ends with SystemExit."""
    from evenhand.cli.main import main

    sys.argv = ["evenhand", *words]
    main([*words], "evenhand")


def run_call(name: str) -> None:
    """Call a function of `calls.py` and print what it returns as JSON."""
    from corpus import calls

    json.dump(getattr(calls, name)(), sys.stdout, ensure_ascii=False)


@dataclass
class Runner:
    """Runs cases in folders below one of its own.

    Attributes:
        folder: an empty one; `inputs` is made in it.
        data: the folder of EVENHAND_DATA, None where there is none.
        rewrite: what is done to the words of a command before it runs.

    """

    folder: Path
    data: Path | None = None
    rewrite: Callable[[Sequence[str]], Sequence[str]] = tuple

    def make_inputs(self) -> None:
        """Write the input files, the bundled tables by commands."""
        from corpus import inputs

        self._inputs.mkdir(parents=True)
        inputs.make_inputs(self._inputs)
        for table, file in inputs.DEMOS.items():
            where = self.folder / "demo" / table
            words = ["demo", table, "-o", str(self._inputs / file)]
            child = self._start(lambda words=words: run_command(words), where, 0)  # type: ignore[misc]
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
                raise RuntimeError((where / "err").read_text())
        if self.data is not None:
            (self._inputs / DATA.rstrip("/")).symlink_to(self.data)

    @property
    def _inputs(self) -> Path:
        return self.folder / "inputs"

    def run(self, cases: Sequence[Case]) -> Iterator[Run]:
        """Run each form of each case, some at a time, and give what became of it as it ends."""
        waiting = [(case, form) for case in cases for form in case.forms]
        waiting.reverse()
        running: dict[int, tuple[Case, str, int, float]] = {}
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                case, form = waiting.pop()
                place = min(set(range(AT_ONCE)) - {one[2] for one in running.values()})
                child = self._start(self._job(case, form), self._work(case, form), place)
                running[child] = (case, form, place, time.monotonic())
            child, status = os.wait()
            case, form, _, began = running.pop(child)
            with suppress(ProcessLookupError):  # what it started, where it was given up
                os.killpg(child, signal.SIGKILL)
            seconds = time.monotonic() - began
            yield self._collect(case, form, os.waitstatus_to_exitcode(status), seconds)

    def _work(self, case: Case, form: str) -> Path:
        return self.folder / "runs" / f"{case.name.replace('/', '.')}.{form}"

    def _job(self, case: Case, form: str) -> Callable[[], None]:
        if case.section == "python":
            return lambda: run_call(case.words[0])
        flags = () if form == "text" else (f"--{form}",)
        return lambda: run_command((*self.rewrite(case.words), *flags))

    def _start(self, job: Callable[[], None], where: Path, place: int) -> int:
        """Fork a child that does something in a folder of its own, and return its number."""
        work = where / "work"
        work.mkdir(parents=True)
        for entry in self._inputs.iterdir():
            (work / entry.name).symlink_to(entry)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _be_a_child(job, where, place)
        return child

    def _collect(self, case: Case, form: str, code: int, seconds: float) -> Run:
        where = self._work(case, form)
        out, err = (
            (where / name).read_bytes().decode("utf-8", "backslashreplace")
            for name in ("out", "err")
        )
        files = {
            path.relative_to(where / "work").as_posix(): path.read_bytes()
            for pattern in case.files
            for path in sorted((where / "work").glob(pattern))
            if path.is_file()
        }
        shutil.rmtree(where)
        return Run(case, form, code, out, err, files, seconds)


def _be_a_child(job: Callable[[], None], where: Path, place: int) -> None:
    """Do a job with its own folder, streams and processor; never return."""
    code = 1
    try:
        os.setsid()
        signal.alarm(LIMIT)
        if hasattr(os, "sched_setaffinity"):
            free = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {free[place % len(free)]})
        os.chdir(where / "work")
        opened = os.open(os.devnull, os.O_RDONLY)
        os.dup2(opened, 0)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(where / name, os.O_WRONLY | os.O_CREAT, 0o600), number)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(0, "r"),
            os.fdopen(1, "w", encoding="utf-8", closefd=False),
            os.fdopen(2, "w", encoding="utf-8", closefd=False),
        )
        job()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as Python does at the top; the fork must not return
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def read_json(text: str) -> Any:
    """Read one JSON value, or one for each line; what is neither stays text."""
    for read in (json.loads, lambda lines: [json.loads(line) for line in lines.splitlines()]):
        try:
            return read(text)
        except ValueError:
            continue
    return text
