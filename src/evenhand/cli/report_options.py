"""Options of `evenhand report`: what is said, by which model, and where it goes."""

from __future__ import annotations

from typing import Any, Final

import click

from evenhand.cli.kept import kept
from evenhand.cli.options import (
    SEED,
    Section,
    order_option,
    prior_option,
    stack,
    ties_option,
)
from evenhand.cli.parameters import SEEDS, SomeOf

TABLES: Final = ("latex", "markdown", "csv")
FIGURES: Final = ("svg", "png", "pdf", "json")


class _Said(Section):
    heading = "What is said"


class _Placed(Section):
    heading = "Where it goes"


said_options = stack(
    click.option(
        "--title",
        cls=_Said,
        metavar="TEXT",
        default="",
        help="What stands above it. Default: the name of the file.",
    ),
    click.option(
        "--sections",
        cls=_Said,
        metavar="NAME,NAME",
        help="Only these sections, such as ranking,judges; a wrong name lists them all.",
    ),
    click.option(
        "--full",
        cls=_Said,
        is_flag=True,
        help="Also the checks that take minutes.",
    ),
    click.option(
        "--level",
        cls=_Said,
        type=float,
        default=0.95,
        show_default=True,
        metavar="PROPORTION",
        help="Of intervals, rank sets and tests.",
    ),
    click.option(
        "--seed",
        cls=_Said,
        type=SEEDS,
        default=SEED,
        show_default=True,
        metavar="NUMBER",
        help="Of everything random.",
    ),
)

ranking_options = stack(ties_option, order_option, prior_option)

place_options = stack(
    click.option(
        "-o",
        "--output",
        cls=_Placed,
        metavar="FILE",
        help="The page, report.html by default; a name that ends in .json takes all its numbers.",
    ),
    click.option(
        "--json",
        "as_json",
        cls=_Placed,
        is_flag=True,
        help="Every number of the report as JSON, a stable contract, and no page.",
    ),
    click.option(
        "--tables",
        cls=_Placed,
        metavar="FOLDER",
        help="Also each table as a file of a folder.",
    ),
    click.option(
        "--tables-as",
        "table_forms",
        cls=_Placed,
        type=SomeOf(TABLES),
        help="Forms of the tables, with commas between. Default: all three.",
    ),
    click.option(
        "--figures",
        cls=_Placed,
        metavar="FOLDER",
        help="Also each figure as a file of a folder.",
    ),
    click.option(
        "--figures-as",
        "figure_forms",
        cls=_Placed,
        type=SomeOf(FIGURES),
        help="Forms of the figures, with commas between. Default: svg,png.",
    ),
)


def say_reading() -> tuple[str, ...]:
    """Return the words of the command that read the same judgments again, without secrets."""
    from evenhand.formats.source_names import show_source

    words: list[str] = [*map(show_source, kept("files"))]
    for name, option, usual in (
        ("task", "--task", None),
        ("where", "--where", None),
        ("layout", "--from", None),
        ("weight", "--weight", None),
        ("weights", "--weights", "frequency"),
        ("merged", "--merged", None),
    ):
        words += [] if kept(name) == usual else [option, kept(name)]
    return (*words, *_repeat("--column", kept("columns")), *_repeat("--outcome", kept("outcomes")))


def _repeat(option: str, pairs: tuple[tuple[str, str], ...]) -> list[Any]:
    """Write an option once for each pair."""
    return [word for name, value in pairs for word in (option, f"{name}={value}")]
