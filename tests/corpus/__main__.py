"""`python -m corpus`: run the cases, and say where their answers differ from those that are kept.

Python must look for modules in the folder `tests`; `make same` does all of this. The exit code is
1 where something differs, and 0 where nothing does, or where answers were kept anew.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from corpus.answers import KEPT, Answer, Renamed, answer, compare, keep, read_kept
from corpus.runner import PARTS, Case, Run, Runner, prepare, read_cases, select

MOST = 20
"""Differences of one case that are printed; more of them say the same."""


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for; return the exit code."""
    asked = _read_words(words)
    named = os.environ.get("EVENHAND_DATA")
    data = Path(named).resolve() if named else None
    every = read_cases()
    chosen = [case for case in select(every, asked.only) if case.part in (asked.part or PARTS)]
    cases = [case for case in chosen if data is not None or not case.needs_data]
    renamed = Renamed.read()
    cases = [case for case in cases if not renamed.is_deleted(case.name)]
    if asked.compared:
        cases = [replace(case, forms=case.compared) for case in cases]
    if not cases:
        say(f"no case is called {' or '.join(asked.only)}: {_count(every)}")
        return 2
    runs = _run_all(cases, data, renamed)
    answers = [answer(run) for run in runs]
    if asked.to:
        Path(asked.to).write_text("".join(f"{json.dumps(one)}\n" for one in answers))
        return 0
    differ = _say_differences(answers, cases, renamed, text=asked.text, most=asked.most)
    if len(chosen) > len(cases):
        say(f"not run: {len(chosen) - len(cases)} cases (EVENHAND_DATA is not set, or deleted)")
    _say_times(runs, cases)
    if asked.keep:
        _keep(answers, every, renamed)
        return 0
    return int(differ)


def _read_words(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m corpus", description=__doc__)
    parser.add_argument("only", nargs="*", help="a section such as rank, or a pattern: rank/t*")
    parser.add_argument("--keep", action="store_true", help="write the answers anew")
    parser.add_argument("--text", action="store_true", help="compare text, LaTeX and help as well")
    parser.add_argument("--part", choices=PARTS, action="append", help="fast, or whole: the others")
    parser.add_argument("--compared", action="store_true", help="no text that is not compared")
    parser.add_argument("--most", type=int, default=MOST, help="differences printed of each case")
    parser.add_argument("--to", help="only write the answers to this file, as JSON Lines")
    return parser.parse_args(words)


def _run_all(cases: Sequence[Case], data: Path | None, renamed: Renamed) -> list[Run]:
    prepare()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # each run makes 100 links
    folder = Path(mkdtemp(prefix="corpus-", dir=memory))
    try:
        runner = Runner(folder, data, renamed.rewrite)
        runner.make_inputs()
        return list(runner.run(cases))
    finally:
        shutil.rmtree(folder)


def _say_differences(
    answers: Sequence[Answer], cases: Sequence[Case], renamed: Renamed, *, text: bool, most: int
) -> bool:
    """Print each difference by its key; return whether there is any."""
    kept, differ = read_kept(), 0
    exact = {case.name for case in cases if case.exact}
    for one in sorted(answers, key=lambda value: (value["case"], value["form"])):
        name = f"{one['case']} {one['form']}"
        old = kept.get((one["case"], one["form"]))
        if old is None:
            lines = ["no answer is kept"]
        else:
            whole = text or one["case"] in exact
            lines = [str(line) for line in compare(old, one, renamed, text=whole)]
        differ += bool(lines)
        for line in lines[:most]:
            say(f"{name}: {line}")
        if len(lines) > most:
            say(f"{name}: ... and {len(lines) - most} differences more (--most)")
    say(f"{len(answers)} answers compared, {differ} differ")
    return differ > 0


def _say_times(runs: Sequence[Run], cases: Sequence[Case]) -> None:
    slowest = sorted(runs, key=lambda run: -run.seconds)[:5]
    told = ", ".join(f"{run.case.name} {run.form} {run.seconds:.1f} s" for run in slowest)
    whole, clock = sum(run.seconds for run in runs), time.monotonic() - BEGAN
    say(f"{_count(cases)}; {whole:.0f} s of commands in {clock:.0f} s; slowest: {told}")


def _count(cases: Iterable[Case]) -> str:
    counts: Mapping[str, int] = {}
    for case in cases:
        counts = {**counts, case.section: counts.get(case.section, 0) + 1}
    told = ", ".join(f"{section} {number}" for section, number in counts.items())
    return f"{sum(counts.values())} cases: {told}"


def _keep(answers: Sequence[Answer], every: Sequence[Case], renamed: Renamed) -> None:
    """Keep the answers, beside those of cases that were not run and are still there."""
    there = {
        (case.name, form)
        for case in every
        if not renamed.is_deleted(case.name)
        for form in case.forms
    }
    old = {name: one for name, one in read_kept().items() if name in there}
    new = {(one["case"], one["form"]): one for one in answers}
    keep({**old, **new}.values())
    size = sum(path.stat().st_size for path in KEPT.iterdir())
    say(f"kept {len({**old, **new})} answers in {KEPT.name}/: {size / 1e6:.2f} MB")


def say(line: str) -> None:
    """Print a line at once: the whole takes minutes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


BEGAN = time.monotonic()

if __name__ == "__main__":
    sys.exit(main())
