"""`evenhand report`: all that the judgments show, on one page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli import options
from evenhand.cli.main import open_elsewhere
from evenhand.cli.metrics import Asked as AskedOfMetrics
from evenhand.cli.metrics import advising_metrics, choose_settings, take_metrics
from evenhand.cli.running import ProgressDisplay, refuse_overwriting, refuse_unwritable, write_file
from evenhand.errors import UnknownOption, listing
from evenhand.render.document import plural
from evenhand.render.text import PLAIN, label

if TYPE_CHECKING:
    from evenhand.metrics.scores import MetricScores
    from evenhand.report.html import Report

PAGE: Final = "report.html"

_said = options.under("What is said")
_placed = options.under("Where it goes")


class Said(options.Options):
    title: str = _said(
        "--title TEXT",
        "What stands above it. Default: the name of the file.",
        default="",
        show_default=False,
    )
    sections: str | None = _said(
        "--sections NAME,NAME",
        "Only these sections, such as ranking,judges; a wrong name lists them all.",
    )
    full: bool = _said("--full", "Also the checks that take minutes.")
    level: float = options.level_option(_said, says="Of intervals, rank sets and tests.")
    seed: int = options.seed_option(_said)


class RankingModel(options.Options):
    models: tuple[str, ...] = options.model_option
    ties: str = options.ModelOptions.ties
    order_effect: bool = options.ModelOptions.order_effect
    prior: float = options.ModelOptions.prior
    control: tuple[str, ...] = options.Controls.control


class Scores(options.Options):
    better: str | None = options.Scores.better
    rank_references: bool = options.Scores.rank_references
    metrics: tuple[str, ...] = _said(
        "--metrics SCORES",
        "Scores of metrics to compare with people, as evenhand metrics takes them. Repeatable."
        " Default: columns of metrics beside the scores.",
    )
    lower: tuple[str, ...] = AskedOfMetrics.lower


class Apart(options.Options):
    group_by: str | None = options.under("Reading")(
        "--group-by COLUMN",
        "Also each value of this column by itself, side by side. Each task is a part anyway.",
    )
    cluster: str | None = options.Cluster.cluster
    scale: str | None = options.scale_option(options.under("Ratings"))


class Placed(options.Figures):
    output: str | None = _placed(
        "-o --output FILE",
        "The page, report.html by default; a name that ends in .json takes all its numbers.",
    )
    as_json: bool = _placed(
        "--json", "Every number of the report as JSON, a stable contract, and no page."
    )
    tables: str | None = _placed(
        "--tables FOLDER", "Also each table as .tex, .md and .csv, into a folder."
    )

    @property
    def page(self) -> Path | None:
        """The file of the page or of its JSON; None where JSON is printed."""
        return None if self.output is None and self.as_json else Path(self.output or PAGE)

    def check_places(self, files: tuple[str, ...]) -> None:
        from evenhand.report.figures.style import check_folder
        from evenhand.report.html import find_form

        page = self.page
        if page is not None:
            refuse_overwriting(files, str(page))
            if not self.as_json:
                find_form(page)
            elif page.suffix.lower() in (".html", ".htm"):
                raise UnknownOption(
                    f"-o {page} is a page, and --json writes none: leave one of them out"
                )
        if page is not None:
            check_folder(page.parent, "the report")
            if not page.parent.is_dir():
                raise UnknownOption(f"'{page}' cannot be written: no such folder")
            refuse_unwritable(page)
        if self.tables is not None:
            check_folder(Path(self.tables), "tables")
        self.check()

    def deliver(self, report: Report) -> None:
        from evenhand.report.figures.style import name_files
        from evenhand.report.html import find_form, write_tables
        from evenhand.report.html import write_report_json as write_json

        if self.page is None:
            click.echo(write_json(report).encode(), nl=False)
        else:
            write = write_json if self.as_json else find_form(self.page)
            write_file(self.page, write(report))
            _say("wrote", str(self.page))
        if self.tables is not None:
            written = write_tables(report, Path(self.tables))
            _say("wrote", f"{plural(len(written), 'file')} of tables to {Path(self.tables)}")
        files = name_files(report.charts)
        self.write({"": {files[name]: chart for name, chart in report.charts.items()}})


def _say(what: str, text: str) -> None:
    click.echo(label(what, text, PLAIN), err=True)


@options.verb(
    "evenhand report votes.csv -o report.html",
    "evenhand report wmt12.RNK_results.csv --task fr-en -o fr-en.html",
    "evenhand report votes.csv --sections ranking,judges --title Summer",
    "evenhand report votes.csv --tables tables --figures figures --figures-as pdf",
    "evenhand report ratings.csv --metrics scores.csv",
    "evenhand report people.csv --llm verdicts.csv",
    "evenhand report votes.csv --json",
)
def report(
    *,
    reading: options.Reading,
    said: Said,
    ranking: RankingModel,
    scores: Scores,
    verdicts: options.Verdicts,
    apart: Apart,
    placed: Placed,
) -> None:
    """Write a report: who is better, how sure that is, and what would change it.

    One page that needs nothing else: it can be mailed, printed, read on a phone.
    Where the judgments determine no ranking it says why, and what to do.
    """
    placed.check_places((*reading.files, *scores.metrics, *verdicts.inputs))
    wanted = [] if said.sections is None else [name.strip() for name in said.sections.split(",")]
    from evenhand.cli.rank import choose_model
    from evenhand.models.registry import RATING_MODELS
    from evenhand.ranking.ratings import choose_rating_model
    from evenhand.report.analysis import Settings

    # what ranks unasked is chosen by the judgments
    given, model = options.given_options() & vars(ranking).keys(), None
    of_ratings = [name for name in ranking.models if name in RATING_MODELS]
    of_comparisons = [options.write_option(one) for one in sorted(given - {"models"})]
    if of_ratings and of_comparisons:
        raise UnknownOption(
            f"--model {of_ratings[0]} is of ratings and {listing(of_comparisons)} of comparisons:"
            " leave one out"
        )
    if len(of_ratings) == len(ranking.models) == 1:
        model = choose_rating_model(of_ratings[0])
    elif given:
        model = choose_model(ranking.models, (), vars(ranking), options.given_options())
    left_out, settings = take_metrics(reading), choose_settings(reading)
    chosen = Settings((), said.level, said.seed, model, said.full, **vars(apart))
    chosen = replace(
        chosen,
        **vars(scores),
        llm=verdicts.llm,
        llm_judges=tuple(verdicts.names),
        unpaired=verdicts.unpaired,
        without_metrics=left_out,
        of_scores=settings,
    )
    if verdicts.llm is not None:
        chosen = replace(chosen, verdicts=partial(reading.open_beside, verdicts.llm))
    # a campaign may go on meanwhile, and every section is to say the same
    opener = None if reading.is_database else partial(open_elsewhere, reading.open, reading.files)

    def read_scores() -> MetricScores:
        from evenhand.metrics.evaluation import find_beside
        from evenhand.metrics.scores import gather_scores

        if scores.metrics:
            return gather_scores(scores.metrics, settings=settings)
        return find_beside(None, reading.open(), None, settings=settings)

    with advising_metrics(reading, read_scores):
        data = reading.open()
    chosen = replace(chosen, words=reading.words, llm_columns=reading.words_beside)
    with ProgressDisplay("reporting") as patience:
        from evenhand.report.assemble import make_report

        made = make_report(
            data, chosen, title=said.title, sections=wanted, opener=opener, progress=patience.tell
        )
    placed.deliver(made)
    for one in made.excluded:
        _say("note", one.text)
    for warning in made.warnings:
        _say("note" if warning.severity == "note" else "warning", warning)
    for part in made.parts:  # the answer; where a task has none, why
        name = f"{part.name}: " if part.name else ""
        if part.refused or len(made.parts) == 1:
            _say("note" if part.refused else "says", f"{name}{' '.join(part.answer)}")
