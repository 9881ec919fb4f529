"""From judgments to a report: a part for each task, a section for each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from evenhand.errors import UnknownOption, end, suggest
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.holding import hold_rows
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.tasks import count_tasks
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.report.contents import PREFERENCE, RATING, shorten
from evenhand.report.crew import Opener, Step, write_parts
from evenhand.report.document import Report
from evenhand.report.overview import write_overview
from evenhand.report.rated import exclude_from
from evenhand.report.rerun import LEVEL
from evenhand.report.study import Data, Settings


def make_report(
    data: Data,
    settings: Settings | None = None,
    *,
    title: str = "",
    sections: Sequence[str] = (),
    level: float = LEVEL,
    seed: int = SEED,
    model: BradleyTerry | None = None,
    full: bool = False,
    opener: Opener | None = None,
    progress: Step = lambda _: None,
) -> Report:
    """Say all that judgments show.

    Args:
        data: comparisons, rankings or ratings; each task becomes a part.
        settings: all of how it is made at once, as the command line says it; in its place `level`,
            `seed`, `model` and `full` do.
        title: of the report; by itself the name of the file.
        sections: names of those to write, of `contents`; all where none is named.
        level: of intervals, rank sets and tests (proportion).
        seed: of everything random.
        model: settings of the log-linear model; None for what `rank` takes by itself.
        full: whether checks are made that take minutes.
        opener: opens the same judgments in another process, which then writes half of a large
            report; it must be picklable. None to stay in this process.
        progress: called with a word before each section.

    Raises:
        UnknownOption: there is no section of a name, a model that does not rank here, or something
            that is not a table of judgments.
        InvalidJudgments: a value that cannot be.

    """
    import evenhand

    _check(data, sections, model)
    chosen = settings or Settings(level=level, seed=seed, model=model, full=full)
    wanted = _choose(RATING if isinstance(data, Ratings) else PREFERENCE, sections)
    held = hold_rows(data)
    sizes = count_tasks(held.frame, held.source)
    chosen = replace(chosen, tasks=max(1, len(sizes)))
    if not sections and not chosen.full:
        wanted = shorten(wanted, chosen.tasks)
    parts = write_parts(held, chosen, wanted, sizes=sizes, opener=opener, step=progress)
    return Report(
        title=title or PurePath(data.source.name).name,
        parts=tuple(parts),
        command=chosen.write_command("report", *_list_words(title, sections)),
        version=evenhand.__version__,
        overview=write_overview(parts),
        notes=tuple(data.source.notes),
        excluded=exclude_from(data),
    )


def _check(data: object, sections: object, model: object) -> None:
    """Refuse what type checkers would."""
    if not isinstance(data, Comparisons | Rankings | Ratings):
        raise UnknownOption(
            f"a report is made of judgments, not of a {type(data).__name__}:"
            " make_report(evenhand.read(...))"
        )
    if isinstance(sections, str):
        raise UnknownOption(f"sections is a list of names, such as ['{sections}']")
    if model is not None and not isinstance(model, BradleyTerry):
        raise UnknownOption(
            f"the model of a report is a BradleyTerry, not a {type(model).__name__}:"
            " model=evenhand.BradleyTerry(ties='davidson')"
        )


def _list_words(title: str, sections: Sequence[str]) -> list[str]:
    """Return the words of the command that choose the title and the sections."""
    chosen = ["--sections", ",".join(sections)] if sections else []
    return [*chosen, *(["--title", title] if title else [])]


def _choose(known: Mapping[str, str], asked: Sequence[str]) -> dict[str, str]:
    """Return the sections that were asked for, in the order of the contents."""
    for name in asked:
        if name not in known:
            hint = end(suggest(name, known))
            raise UnknownOption(
                f"no section '{name}' in a report on these judgments{hint or ''}: there are"
                f" {', '.join(known)}"
            )
    return {name: title for name, title in known.items() if not asked or name in asked}
