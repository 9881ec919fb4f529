"""Options of `evenhand judges`, and what they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from evenhand.cli.options import Section, stack
from evenhand.cli.parameters import OneOf
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.judges.diagnosis_result import Diagnosis
    from evenhand.judgments.rating_rows import RatingRows
    from evenhand.judgments.scale import Scale

METHODS: Final = ("mean-score", "mean-agreement", "easy-items")
READINGS: Final = ("mean", "gap")
MATCHES: Final = ("any", "all")
ACROSS: Final = ("each", "any", "all")
VERSIONS: Final = ("first", "last", "both")
FORMS: Final = ("svg", "png", "pdf", "json")


class _Ratings(Section):
    heading = "What the ratings are"


class _Outside(Section):
    heading = "Who is outside, and what is removed (ratings)"


class _Flags(Section):
    heading = "Flags"


class _Output(Section):
    heading = "Where the result goes"


rating_options = stack(
    click.option(
        "--scale",
        cls=_Ratings,
        metavar="LOW-HIGH",
        help="The scale: 1-5 in whole steps, 0..1 without steps, or 1,2,3,5. Default: what occurs.",
    ),
    click.option(
        "--input-type",
        cls=_Ratings,
        metavar="COLUMN",
        help="Kinds of input that are shown apart, such as speech and text.",
    ),
    click.option(
        "--reference-system",
        "references",
        cls=_Ratings,
        multiple=True,
        metavar="SYSTEM",
        help="A human reference among the systems, the ceiling. Repeatable.",
    ),
    click.option(
        "--easy",
        cls=_Ratings,
        metavar="FILE",
        help="A list of items, one a line, whose outputs are known to be good. Rows of kind control"
        " are used without it.",
    ),
    click.option(
        "--version",
        cls=_Ratings,
        type=OneOf(VERSIONS),
        default="first",
        show_default=True,
        help="Where a judge scored an output again: which of the scores counts.",
    ),
    click.option(
        "--merge",
        cls=_Ratings,
        metavar="POINTS",
        help="Also on a coarser scale, such as 1+2,4+5.",
    ),
)

outside_options = stack(
    click.option(
        "--sd",
        "k",
        cls=_Outside,
        type=float,
        default=1.0,
        show_default=True,
        metavar="NUMBER",
        help="Standard deviations from the centre at which a judge is outside.",
    ),
    click.option(
        "--ddof",
        cls=_Outside,
        type=int,
        default=1,
        show_default=True,
        metavar="0|1",
        help="What is taken from the number of judges below the line of the standard deviation.",
    ),
    click.option(
        "--mean-score",
        "reading",
        cls=_Outside,
        type=OneOf(READINGS),
        default="mean",
        show_default=True,
        help="Of each judge: the mean, or its gap to the others' on the same outputs.",
    ),
    click.option(
        "--remove",
        "methods",
        cls=_Outside,
        multiple=True,
        type=OneOf(METHODS),
        help="Which methods decide who is removed in the end. Default: all three. Repeatable.",
    ),
    click.option(
        "--match",
        cls=_Outside,
        type=OneOf(MATCHES),
        default="any",
        show_default=True,
        help="Whether one of them is enough.",
    ),
    click.option(
        "--across",
        cls=_Outside,
        type=OneOf(ACROSS),
        default="each",
        show_default=True,
        help="Each criterion by itself, or everywhere if outside under any, or under all.",
    ),
)

flag_options = stack(
    click.option(
        "--fdr",
        cls=_Flags,
        type=float,
        default=0.05,
        show_default=True,
        metavar="PROPORTION",
        help="Share of honest judges among the flagged that is allowed.",
    ),
    click.option("--cards", cls=_Flags, is_flag=True, help="The cards of all judges."),
)

figure_options = stack(
    click.option(
        "--figures",
        cls=_Output,
        metavar="FOLDER",
        help="Draw the figures into a folder (ratings).",
    ),
    click.option(
        "--figure-format",
        "forms",
        cls=_Output,
        multiple=True,
        type=OneOf(FORMS),
        help="svg and png by default. Repeatable.",
    ),
)


# What the diagnosis alone is asked: parameter → option
OF_RATINGS: Final = {
    "scale": "--scale",
    "input_type": "--input-type",
    "references": "--reference-system",
    "easy": "--easy",
    "version": "--version",
    "merge": "--merge",
    "k": "--sd",
    "ddof": "--ddof",
    "reading": "--mean-score",
    "methods": "--remove",
    "match": "--match",
    "across": "--across",
    "group_by": "--group-by",
}


def refuse_rating_options() -> None:
    """Refuse options that were given and mean nothing for comparisons and rankings."""
    context = click.get_current_context()
    for name, option in OF_RATINGS.items():
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT):
            raise UnknownOption(
                f"{option} is for ratings; these are comparisons, whose judges are screened over"
                " all tasks: leave it out, or choose rows with --task or --where"
            )


@dataclass(frozen=True)
class Asked:
    """What was asked of the diagnosis."""

    k: float  # standard deviations to the limits
    ddof: int  # of the standard deviation
    reading: str  # of the mean score
    methods: tuple[str, ...]  # that decide on removal
    match: str  # "any" or "all" of them
    across: str  # "each", "any" or "all" criteria
    version: str  # of scores given again
    references: tuple[str, ...]  # human references
    input_type: str | None  # a column, or None
    easy: str | None  # a file of items, or None
    scale: str | None  # the scale in words, or None
    merge: str | None  # points to merge, in words, or None

    def diagnose(self, rows: RatingRows) -> Diagnosis:
        """Diagnose the judges of some ratings; errors as in `diagnose_judges`."""
        from evenhand.judges.diagnosis import diagnose_judges

        return diagnose_judges(
            rows,
            k=self.k,
            ddof=self.ddof,
            reading=self.reading,
            easy=self.items(),
            methods=self.methods or METHODS,
            match=self.match,
            across=self.across,
            version=self.version,
            references=self.references,
            input_type=self.input_type,
            scale=self.declared(),
            merge=self.merge,
        )

    def declared(self) -> Scale | None:
        """Return the scale that was declared."""
        from evenhand.judgments.scale import read_scale

        return None if self.scale is None else read_scale(self.scale)

    def items(self) -> tuple[str, ...]:
        """Return the items of the list of easy ones."""
        if self.easy is None:
            return ()
        try:
            lines = Path(self.easy).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise UnknownOption(f"--easy {self.easy} cannot be read: {reason}") from None
        items = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
        if not items:
            raise UnknownOption(f"--easy {self.easy} names no item: write one a line")
        return items
