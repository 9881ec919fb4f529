"""Several processes write the parts of one report; what they write is what one would have written.

A table cannot leave its process, so each process opens the judgments itself.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw

from evenhand.judgments.engine import COUNT, fetch_columns, one_thread
from evenhand.judgments.holding import hold_rows
from evenhand.judgments.rankings import Rankings
from evenhand.numerics.sampling import one_blas_thread
from evenhand.report.caveat import add_caveat
from evenhand.report.document import Part
from evenhand.report.parts import write_part
from evenhand.report.study import Data, Settings, Study

if TYPE_CHECKING:
    from concurrent.futures import Future

Opener = Callable[[], Data]
Step = Callable[[str], Any]
# Sections of a single task that whichever process is free writes, the longest first
SLOW: Final = ("fragility", "choices", "model", "learning", "scoring", "scorers", "parts")
LEAST: Final = 3_000  # Judgments from which on a second process pays for its start


@dataclass(frozen=True)
class Job:
    """Sections of one task."""

    task: str  # its name; "" for a table without tasks
    sections: Mapping[str, str]  # name → heading
    size: float = 1.0  # judgments
    answers: bool = True  # whether it also writes the answer


def write_parts(
    data: Data,
    settings: Settings,
    wanted: Mapping[str, str],
    *,
    sizes: Mapping[str, int],
    opener: Opener | None = None,
    step: Step = lambda _: None,
) -> list[Part]:
    """Write a part for each task."""
    jobs = _divide(data, wanted, sizes)
    crews = 1 if opener is None else _count_crews(jobs)
    waiting = _line_up(jobs, crews)
    with one_thread(data.source.connection):
        if opener is None or min(crews, len(waiting)) == 1:
            whole = Study(data, settings)
            return _join([_work(whole, job, step) for job in jobs], wanted)
        first, whole = waiting.popleft(), Study(data, settings)
        with one_blas_thread(), _call(opener, settings, waiting, crews - 1) as others:
            written = [_work(whole, first, step)]
            written += [_work(whole, job, step) for job in _take(waiting)]
            written += [part for other in others for part in other.result()]
    return _join(written, wanted, [job.task for job in jobs])


@contextmanager
def _call(
    opener: Opener, settings: Settings, waiting: deque[Job], others: int
) -> Iterator[list[Future[list[Part]]]]:
    """Let other processes take jobs from a line, each when it is free."""
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from multiprocessing import get_context

    with (
        ProcessPoolExecutor(others, mp_context=get_context("spawn")) as pool,
        ThreadPoolExecutor(others) as runners,
    ):

        def run() -> list[Part]:
            jobs = _take(waiting)
            return [pool.submit(_work_on, opener, settings, job).result() for job in jobs]

        try:
            yield [runners.submit(run) for _ in range(others)]
        finally:
            waiting.clear()


def _take(waiting: deque[Job]) -> Iterator[Job]:
    """Take jobs until none is left; several may take from the same line."""
    while True:
        try:
            job = waiting.popleft()
        except IndexError:
            return
        yield job


def _divide(data: Data, wanted: Mapping[str, str], sizes: Mapping[str, int]) -> list[Job]:
    """Return a job for each task, or one for all where there are not several."""
    if len(sizes) < 2:
        return [Job("", wanted, sum(sizes.values()) or _count_rows(data))]
    return [Job(task, wanted, size) for task, size in sizes.items()]


def _count_rows(data: Data) -> int:
    rows = data.frame.select(nw.len().alias(COUNT))
    return int(fetch_columns(rows)[COUNT][0])


def _count_crews(jobs: Sequence[Job]) -> int:
    """Return how many processes work."""
    if sum(job.size for job in jobs) < LEAST:
        return 1
    free = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(free or 1, max(2, len(jobs)))


def _split_single(jobs: list[Job]) -> list[Job]:
    """Divide a single job: what is quick, with the answer, and each section that is slow."""
    if len(jobs) > 1:
        return jobs
    (job,) = jobs
    quick = {name: title for name, title in job.sections.items() if name not in SLOW}
    slow = [name for name in SLOW if name in job.sections]
    lone = [replace(job, sections={name: job.sections[name]}, answers=False) for name in slow]
    if quick:
        return [replace(job, sections=quick), *lone]
    return [replace(lone[0], answers=True), *lone[1:]]


def _line_up(jobs: list[Job], crews: int) -> deque[Job]:
    """Return the jobs in the order in which they are begun: the largest first."""
    jobs = _split_single(jobs) if crews > 1 else jobs
    return deque(sorted(jobs, key=lambda job: -job.size))


@cache
def _open_desk() -> dict[str, Any]:
    """Return where a process keeps the judgments from one job to the next."""
    return {}


def _work_on(opener: Opener, settings: Settings, job: Job) -> Part:
    """Write a part in another process, on one thread."""
    desk = _open_desk()
    if "whole" not in desk:
        desk["whole"] = Study(hold_rows(opener()), settings)
    with one_blas_thread(), one_thread(desk["whole"].data.source.connection):
        return _work(desk["whole"], job, lambda _: None)


def _work(whole: Study, job: Job, step: Step) -> Part:
    """Write the sections of a job; those of a single task share what they find."""
    study = whole
    if job.task:
        own = whole.data.select_task(job.task, recorded=False)
        if not isinstance(own, Rankings):  # a copy of rankings would expand in another order
            own = hold_rows(own)
        study = Study(own, whole.settings, job.task)
    return write_part(study, job.sections, step, answers=job.answers)


def _join(
    written: Sequence[Part], wanted: Mapping[str, str], tasks: Sequence[str] | None = None
) -> list[Part]:
    """Return one part for each task, its sections in the order of the contents."""
    places = list(wanted)
    joined: dict[str, Part] = {}
    for part in written:
        known = joined.get(part.name)
        sections = (*(known.sections if known else ()), *part.sections)
        ordered = sorted(sections, key=lambda section: places.index(section.name))
        answered = part if part.answer or known is None else known
        joined[part.name] = replace(answered, sections=tuple(ordered))
    return [add_caveat(joined[task]) for task in (tasks or joined)]
