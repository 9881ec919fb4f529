"""A report made of its parts: the sections on each task, on several processes, and the overview."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    Openable,
    advise_llm_judges,
    find_excluded,
    keep_all_judges,
    leave_out_llm_judges,
    require_one_source,
    require_systems,
    split_people,
    take_pairs,
    takes_judgments,
)
from evenhand.data.engine import COUNT, count_labels, fetch_columns, one_thread
from evenhand.data.held_tables import hold_rows
from evenhand.data.joining import count_tasks, note_llm_names
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import read_scale
from evenhand.data.ratings import Ratings
from evenhand.data.slips import find_slips
from evenhand.data.source import write_log_check
from evenhand.data.tally import take_names
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    sentence_hint,
    suggest,
)
from evenhand.metrics.scores import find_metrics, gather_scores
from evenhand.models.registry import RATING_MODELS, name_settings
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.inference import choose_model
from evenhand.ranking.ranking import GroupedRankings
from evenhand.ranking.ratings import choose_rating_model
from evenhand.render.document import Column, Finding, Table
from evenhand.report.analysis import (
    GROUPS,
    LEVEL,
    LLM,
    METRICS,
    PREFERENCE,
    RATING,
    Analysis,
    Data,
    Settings,
    shorten,
)
from evenhand.report.answer import add_warnings, is_warning, say, say_answer, say_refused
from evenhand.report.document import FAILED, KEY_CHECKS, NOT_RUN, REFUSED, Part, Section
from evenhand.report.html import Report
from evenhand.report.methods import write_section_methods
from evenhand.report.sections import data as judged
from evenhand.report.sections import judges, metrics, robustness, systems
from evenhand.report.sections import model as fitted

if TYPE_CHECKING:
    from concurrent.futures import Future

WRITERS: Final[Mapping[str, Callable[[Analysis], Section]]] = {
    "ranking": systems.write_section_ranking,
    "groups": systems.write_section_groups,
    "heads": systems.write_section_heads,
    "outcomes": systems.write_section_outcomes,
    "scores": systems.write_section_scores,
    "criteria": systems.write_section_criteria,
    "judges": judges.write_section_judges,
    "scorers": judges.write_section_scorers,
    "agreement": judges.write_section_agreement,
    "scoring": judges.write_section_scoring,
    "model": fitted.write_section_model,
    "circles": fitted.write_section_circles,
    "learning": fitted.write_section_learning,
    "choices": robustness.write_section_choices,
    "fragility": robustness.write_section_fragility,
    "order": robustness.write_section_order,
    "llm": systems.write_section_llm,
    "metrics": metrics.write_section_metrics,
    "data": judged.write_section_data,
    "items": judged.write_section_items,
    "rated": judged.write_section_rated,
    "next": judged.write_section_next,
    "more": judged.write_section_more,
    "methods": write_section_methods,
}

# What keeps a section empty, which then says so
REFUSALS: Final = (NotIdentified, NotConverged, UnknownOption, UnknownColumn)
# Section → the check that it makes, which is not run where the section is empty
LIT: Final = {
    "model": fitted.ModelCheck,
    "judges": judges.JudgesCheck,
    "scorers": judges.JudgesCheck,
    "agreement": judges.AgreementCheck,
    "scoring": judges.AgreementCheck,
}


def find_answer(analysis: Analysis) -> tuple[tuple[str, ...], str]:
    try:
        if isinstance(analysis.data, Ratings):
            return systems.find_answer_of_ratings(analysis)
        place, answer = robustness.say_one_sided(analysis), say_answer(analysis.ranking)
        warning = (say("one-sided", "warning", issue=place),) if place else ()
    except REFUSALS as refusal:
        return (say(REFUSED, why=say_refused(refusal)),), ""
    return (*answer, *warning), analysis.ranking.signature


def find_joint_answer(analysis: Analysis) -> tuple[tuple[str, ...], str]:
    """Return the decisions with verdicts, where there are some, before those by people alone."""
    alone, signature = find_answer(analysis)
    if not analysis.settings.has_verdicts:
        return alone, signature
    try:
        fused = analysis.fused
    except (InvalidJudgments, *REFUSALS):  # a warning says why
        return alone, signature
    found = fused.groups if isinstance(fused, GroupedRankings) else {"": fused}
    joint = [one for name in found for one in systems.say_joint(name, found[name])]
    if len(found) == 1:
        (ranking,) = found.values()
        used = ranking.fused is not None and ranking.fused.weight > 0
        first = [say("alone", answer=alone[0])] if used else [say("adds-nothing")]
        alone = (*first, *filter(is_warning, alone))
    else:
        alone = ()
    return (*joint, *alone), " ; ".join(one.signature for one in found.values())


# Several processes write the parts of one report; what they write is what one would have written.
#
# A table cannot leave its process, so each process opens the judgments itself.

Opener = Callable[[], Data]
Step = Callable[[str, int, int], Any]  # What is written, how many sections were begun, of how many
# Sections of a single task that whichever process is free writes, the longest first
SLOW: Final = ("fragility", "choices", "model", "learning", "scoring", "scorers")
MIN_PARALLEL_JUDGMENTS: Final = 3_000  # From so many on a second process pays for its start


@dataclass(frozen=True)
class Job:
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
    step: Step = lambda *_: None,
) -> list[Part]:
    if len(sizes) < 2:
        counted = data.frame.select(nw.len().alias(COUNT))
        size = sum(sizes.values()) or fetch_columns(counted)[COUNT][0]
        jobs = [Job("", wanted, int(size))]
    else:
        jobs = [Job(task, wanted, size) for task, size in sizes.items()]
    # a single task is divided only where its checks take minutes: a second process would import,
    # read and fit all of it again
    alone = opener is None or (len(jobs) == 1 and not settings.full)
    processes = 1 if alone else _count_processes(jobs)
    ordered = _make_queue(jobs, processes)
    analysis = Analysis(data, settings)
    with one_thread(data.source.connection):
        begun, total = count(), len(wanted) * max(len(sizes), 1)

        def tell(doing: str) -> None:
            step(doing, next(begun), total)

        if opener is None or min(processes, len(ordered)) == 1:
            return _join([_write_job(analysis, job, tell) for job in jobs], wanted)
        first, *rest = ordered
        queue = iter(rest)  # each process takes the next job when it is free
        with one_blas_thread(), _share(opener, settings, queue, processes - 1, begun) as others:
            parts = [_write_job(analysis, first, tell)]
            parts += [_write_job(analysis, job, tell) for job in queue]
            parts += [part for other in others for part in other.result()]
    return _join(parts, wanted, [job.task for job in jobs])


def _count_processes(jobs: Sequence[Job]) -> int:
    if sum(job.size for job in jobs) < MIN_PARALLEL_JUDGMENTS:
        return 1
    free = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(free or 1, max(2, len(jobs)))


def _make_queue(jobs: Sequence[Job], processes: int) -> list[Job]:
    """Return the jobs, the largest first; a single one as what is quick and what is slow."""
    if processes == 1 or len(jobs) > 1:
        return sorted(jobs, key=lambda job: -job.size)
    (job,) = jobs
    quick = {name: title for name, title in job.sections.items() if name not in SLOW}
    slow = [{name: job.sections[name]} for name in SLOW if name in job.sections]
    divided = enumerate([quick, *slow] if quick else slow)
    return [replace(job, sections=some, answers=place == 0) for place, some in divided]


@contextmanager
def _share(
    opener: Opener, settings: Settings, queue: Iterator[Job], others: int, begun: Iterator[int]
) -> Iterator[list[Future[list[Part]]]]:
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from multiprocessing import get_context

    with (
        ProcessPoolExecutor(others, mp_context=get_context("spawn")) as pool,
        ThreadPoolExecutor(others) as threads,
    ):

        def run() -> list[Part]:
            parts = []
            for job in queue:
                parts.append(pool.submit(_write_elsewhere, opener, settings, job).result())
                deque(islice(begun, len(job.sections)), maxlen=0)
            return parts

        try:
            yield [threads.submit(run) for _ in range(others)]
        finally:
            deque(queue, maxlen=0)  # where writing fails, nobody begins another one


_OPENED: Final[list[Analysis]] = []  # The judgments that a process keeps from one job to the next


def _write_elsewhere(opener: Opener, settings: Settings, job: Job) -> Part:
    if not _OPENED:
        _OPENED.append(Analysis(hold_rows(leave_out_llm_judges(opener())), settings))
    (analysis,) = _OPENED
    with one_blas_thread(), one_thread(analysis.data.source.connection):
        return _write_job(analysis, job, lambda _: None)


def _write_job(analysis: Analysis, job: Job, step: Callable[[str], None]) -> Part:
    """Write the sections of a job; those of a single task share what they find."""
    if job.task:
        data = analysis.data.select_task(job.task, recorded=False)
        if not isinstance(data, Rankings):  # a copy of rankings would expand in another order
            data = hold_rows(data)
        analysis = Analysis(data, analysis.settings, job.task)
    written = []
    for name, title in job.sections.items():
        step(f"{analysis.task} {title}".strip())
        try:
            section = replace(WRITERS[name](analysis), title=title)
        except REFUSALS as refusal:
            why = say_refused(refusal)
            section = Section(name, title, not_run=why)
            if name in LIT:
                says = (f"Nothing can be said here: {why}.",)
                section = Section(name, title, says, (LIT[name](NOT_RUN, why),))
        written.append(section)
    answer, signature = find_joint_answer(analysis) if job.answers else ((), "")
    return Part(analysis.task, answer, tuple(written), signature)


def _join(
    written: Sequence[Part], wanted: Mapping[str, str], tasks: Sequence[str] | None = None
) -> list[Part]:
    places = list(wanted)
    joined: dict[str, Part] = {}
    for part in written:
        known = joined.get(part.name)
        sections = (*(known.sections if known else ()), *part.sections)
        ordered = sorted(sections, key=lambda section: places.index(section.name))
        answered = part if part.answer or known is None else known
        joined[part.name] = replace(answered, sections=tuple(ordered))
    return [add_warnings(joined[task]) for task in (tasks or joined)]


# Several tasks on one screen: the answer of each, and its key checks.


def write_overview(parts: Sequence[Part]) -> Section | None:
    if len(parts) < 2:
        return None
    rows = []
    for part in parts:
        states = dict.fromkeys(KEY_CHECKS) | {one.name: one.state for one in part.key_checks}
        first, *others = part.answer or ("",)
        others = [one for one in others if not is_warning(one)]  # lights say those
        rows.append({"task": part.name, "answer": " ".join([first, *others]), **states})
    made = [name for name in KEY_CHECKS if any(row[name] is not None for row in rows)]
    states_of = (Column(name, name, "state") for name in made)
    columns = (Column("task", "task"), Column("answer", "answer"), *states_of)
    said = [f"{len(parts)} tasks, each ranked by itself."]
    ranked = [[part.section(name) for name in ("llm", "ranking")] for part in parts]
    sections = [next((one for one in both if one and one.tables), None) for both in ranked]
    boards = [one.tables[0] for one in sections if one]
    clear = sum(board.rows[0]["ranks"] == "1" for board in boards)
    if boards and not clear:
        said.append("In none of them is a single system the best: several may be.")
    elif boards:
        rest = f"; in {len(boards) - clear} several may be" if clear < len(boards) else ""
        said.append(f"In {clear} a single system is the best{rest}.")
    for kind in KEY_CHECKS:
        lit = [check for part in parts for check in part.key_checks if check.name == kind]
        wrong = sum(check.state == FAILED for check in lit)
        if wrong:
            said.append(f"{lit[0].asks} It changes the answer in {wrong} of {len(lit)} tasks.")
    table = Table("tasks", "The answer for each task", columns, tuple(rows))
    return Section("overview", "All tasks", says=tuple(said), tables=(table,))


# From judgments to a report: a part for each task, a section for each question.


@takes_judgments("data")
def make_report(
    data: Data | Openable,
    settings: Settings | None = None,
    *,
    title: str = "",
    sections: Sequence[str] = (),
    level: float = LEVEL,
    seed: int = SEED,
    model: Any = None,
    full: bool = False,
    cluster: str | None = None,
    group_by: str | None = None,
    scores: Any = None,
    llm: Any = None,
    llm_judges: Sequence[str] = (),
    unpaired: str | None = None,
    opener: Opener | None = None,
    progress: Step = lambda *_: None,
) -> Report:
    """Say all that judgments show.

    Args:
        data: comparisons, rankings or ratings; each task becomes a part.
        settings: all of how it is made at once, as the command line says it; in its place `level`,
            `seed`, `model`, `full`, `cluster`, `group_by` and `unpaired` do.
        title: of the report; by itself the name of the file.
        sections: names of those to write, of `contents`; all where none is named.
        level: of intervals, rank sets and tests (proportion).
        seed: of everything random.
        model: settings of the model that ranks, or its name in the registry; None for what `rank`
            takes by itself. Examinations that have a model of their own keep it.
        full: whether checks are made that take minutes.
        cluster: judgment | judge | item | ranking | judge+item; by default what the data have.
        group_by: a column of which each value is also ranked by itself.
        scores: of automatic metrics, as `meta_evaluate` takes them; by default the columns of
            metrics beside people's scores, where there are any.
        llm: verdicts of LLM judges on the same items and more, as `rank` takes them.
        llm_judges: the same where verdicts are among the judgments: names of the LLM judges.
        unpaired: as in `rank`.
        opener: opens the same judgments in another process, which then writes half of a large
            report; it must be picklable. None to stay in this process.
        progress: called before each section with what is written, how many sections were begun
            before, and how many there are.

    Raises:
        UnknownOption: there is no section of a name, a model that does not rank here, or something
            that is not a table of judgments.
        InvalidJudgments: a value that cannot be.
    """
    import evenhand

    # Refuse what type checkers would
    if not isinstance(data, Comparisons | Rankings | Ratings):
        raise UnknownOption(
            f"a report is made of judgments, not of a {type(data).__name__}:"
            " make_report(evenhand.read(...))"
        )
    require_systems(data)
    if isinstance(sections, str):
        raise UnknownOption(f"sections is a list of names, such as ['{sections}']")
    by: dict[str, Any] = {"cluster": cluster, "group_by": group_by, "unpaired": unpaired}
    chosen = settings or Settings(level=level, seed=seed, model=model, full=full, **by)
    chosen = replace(chosen, model=_choose_model(data, chosen.model, chosen.seed))
    if names := tuple(take_names(llm_judges)) or chosen.llm_judges:
        require_one_source(chosen.llm or None if llm is None else llm, names)
        both = leave_out_llm_judges(data, names)  # of those who are marked, the others
        both = both if isinstance(both, Ratings) else take_pairs(both)
        names, people, _ = split_people(both, names)
        if people is None:
            why = "all judges are LLM judges: no judgments of people are left to rank by"
            raise InvalidJudgments(why)
        llm = keep_all_judges(both.where(nw.col("judge").cast(nw.String).is_in(names)))
        data, opener, chosen = people, None, replace(chosen, llm_judges=names)
    if not isinstance(data, Ratings) and (chosen.better or chosen.rank_references):
        raise UnknownOption(
            f"--better and --rank-references are of ratings; {data.source.name} holds comparisons"
            " or rankings: leave them out"
        )
    if chosen.scale is not None:
        read_scale(chosen.scale)
        if not isinstance(data, Ratings):
            source = data.source.name
            raise UnknownOption(f"scale '{chosen.scale}' is of scores, and {source} holds none")
    known = RATING if isinstance(data, Ratings) else PREFERENCE
    if chosen.group_by is not None:
        table = data if isinstance(data, Ratings) else take_pairs(data)
        chosen = replace(chosen, group_by=table.require(chosen.group_by))
        if chosen.group_by == "task":
            raise UnknownOption("each task is a part of the report already: leave group_by out")
        first, *others = known.items()
        known = dict([first, *GROUPS.items(), *others])
    chosen, known = _add_companions(data, chosen, known, sections, (scores, llm))
    wanted = _choose(known, sections)
    data = leave_out_llm_judges(data)
    held = hold_rows(data)
    sizes = count_tasks(held.frame, held.source)
    chosen = replace(chosen, tasks=max(1, len(sizes)), with_metrics="metrics" in wanted)
    if not sections and not chosen.full:
        wanted = shorten(wanted, chosen.tasks)
    words = ["--sections", ",".join(sections)] if sections else []
    words += [*(["--title", title] if title else []), *chosen.exclude_metrics]
    parts = write_parts(held, chosen, wanted, sizes=sizes, opener=opener, step=progress)
    asked: tuple[Finding, ...] = ()
    if held.has("judge"):
        judges = count_labels(held.frame, "judge", as_text=True)
        asked = note_llm_names(filter(None, judges), held.columns)
    return Report(
        title=title or PurePath(data.source.name).name,
        parts=tuple(parts),
        command=chosen.write_command("report", *words),
        version=evenhand.__version__,
        overview=write_overview(parts),
        notes=tuple(data.source.notes),
        log_head=data.source.log_head,
        log_check=data.source.log_head and write_log_check(data.source.name, data.source.log_head),
        excluded=find_excluded(data),
        # without times, rows that are equal may be second answers: the section of data has them
        warnings=(
            *asked,
            *(() if chosen.has_verdicts else advise_llm_judges(data, "report")),
            *_warn_companions(chosen, parts),
            *find_slips(held, pasted="shown_at" in data.source.find_annotations(data.columns)),
        ),
    )


def _warn_companions(chosen: Settings, parts: Sequence[Part]) -> list[Finding]:
    given = {"metrics": "scores of metrics"} | ({"llm": "verdicts"} if chosen.has_verdicts else {})
    return [
        say("unused", "warning", what=given[one.name], why=about + one.not_run.rstrip("."))
        for part in parts
        for about in [f"{part.name}: " if part.name else ""]
        for one in part.sections
        if one.not_run and one.name in given
    ]


def _add_companions(
    data: Data,
    chosen: Settings,
    known: Mapping[str, str],
    sections: Sequence[str],
    given: tuple[Any, Any],
) -> tuple[Settings, dict[str, str]]:
    """Add the sections on scores of metrics and on verdicts of LLM judges, where there are any."""
    scores, llm = given
    scores = list(chosen.metrics) or None if scores is None else scores
    if scores is not None:
        chosen = replace(chosen, scores=gather_scores(scores, settings=chosen.of_scores))
    listed = [*known.items()]
    if scores is not None or (isinstance(data, Ratings) and find_metrics(data)):
        place = [*known].index("data")
        listed[place:place] = METRICS.items()
    elif "metrics" in sections:
        raise UnknownOption(
            f"{data.source.name} has no columns of metrics: give their scores (--metrics FILE)"
        )
    if llm is not None:
        chosen = replace(chosen, verdicts=llm)
    if chosen.unpaired and not chosen.has_verdicts:
        raise UnknownOption("unpaired judgments are those without a verdict: give verdicts (--llm)")
    if chosen.has_verdicts:
        (first, title), *rest = listed
        listed = [*LLM.items(), (first, f"{title}, by people alone"), *rest]
    elif "llm" in sections:
        raise UnknownOption(
            "there are no verdicts of LLM judges: give them (--llm VERDICTS or --llm-judges NAME)"
        )
    return chosen, dict(listed)


def _choose_model(data: Data, model: Any, seed: int) -> Any:
    """Refuse a model of judgments of another kind, before anything is written."""
    if model is None:
        return None
    name = model if isinstance(model, str) else name_settings(model)
    rated, names = isinstance(data, Ratings), " | ".join(RATING_MODELS)
    if rated and name in RATING_MODELS:
        return choose_rating_model(model)
    if rated:
        raise UnknownOption(
            f"--ties, --order-effect, --prior, --control and --model {name} are for comparisons and"
            f" rankings; {data.source.name} holds ratings: leave them out, or choose a model of"
            f" ratings (--model {names})"
        )
    if name in RATING_MODELS:
        raise UnknownOption(
            f"{name} is a model of ratings, and {data.source.name} holds comparisons or rankings:"
            " leave it out"
        )
    return choose_model(model, (), seed)


def _choose(known: Mapping[str, str], requested: Sequence[str]) -> dict[str, str]:
    for name in requested:
        if name not in known:
            hint = sentence_hint(suggest(name, known))
            raise UnknownOption(
                f"no section '{name}' in a report on these judgments{hint or ''}: there are"
                f" {', '.join(known)}"
            )
    return {name: title for name, title in known.items() if not requested or name in requested}
