"""Options of `evenhand judges`, and what they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evenhand.cli.options import OneOf, figure_options, is_given, section, stack
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows, Scale
    from evenhand.judges.diagnosis_result import Diagnosis

METHODS: Final = ("mean-score", "mean-agreement", "easy-items")
READINGS: Final = ("mean", "gap")
MATCHES: Final = ("any", "all")
ACROSS: Final = ("each", "any", "all")
VERSIONS: Final = ("first", "last", "both")

_ratings_option = section("What the ratings are", stored=True)
_outside_option = section("Rules of Hamon et al. (ratings)", stored=True)
_flags_option = section("Flags")
_output_option = section("Output")

rating_options = stack(
    _ratings_option(
        "--scale",
        metavar="LOW-HIGH",
        help="The scale: 1-5 (whole steps), 0..1 (no steps) or 1,2,3,5. Default: the scores in the"
        " data.",
    ),
    _ratings_option(
        "--input-type",
        metavar="COLUMN",
        help="Kinds of input to show separately, such as speech and text.",
    ),
    _ratings_option(
        "--reference-system",
        "references",
        multiple=True,
        metavar="SYSTEM",
        help="A human reference among the systems, the ceiling. Repeatable.",
    ),
    _ratings_option(
        "--easy",
        metavar="FILE",
        help="A list of items, one per line, whose outputs are known to be good. Without it, rows"
        " of kind control are used.",
    ),
    _ratings_option(
        "--version",
        type=OneOf(VERSIONS),
        default="first",
        help="Which score counts where a judge scored an output again.",
    ),
    _ratings_option("--merge", metavar="POINTS", help="Also use a coarser scale, such as 1+2,4+5."),
)

outside_options = stack(
    _outside_option(
        "--sd",
        "k",
        type=float,
        default=1.0,
        help="Standard deviations from the centre at which a judge is outside.",
    ),
    _outside_option(
        "--ddof",
        type=int,
        default=1,
        metavar="0|1",
        help="Degrees of freedom subtracted in the standard deviation over judges.",
    ),
    _outside_option(
        "--mean-score",
        "reading",
        type=OneOf(READINGS),
        default="mean",
        help="Use each judge's mean, or its gap to the others' mean on the same outputs.",
    ),
    _outside_option(
        "--remove",
        "methods",
        multiple=True,
        type=OneOf(METHODS),
        help="Methods that decide who is removed. Default: all three. Repeatable.",
    ),
    _outside_option(
        "--match",
        type=OneOf(MATCHES),
        default="any",
        help="By how many of them: any, or all.",
    ),
    _outside_option(
        "--across",
        type=OneOf(ACROSS),
        default="each",
        help="Remove under each criterion separately, or everywhere if outside under any or all.",
    ),
)

flag_options = stack(
    _flags_option(
        "--fdr",
        type=float,
        default=0.05,
        metavar="PROPORTION",
        help="Allowed share of honest judges among the flagged (false discovery rate).",
    ),
    _flags_option(
        "--hamon",
        is_flag=True,
        help="Also the tables and rules of Hamon et al. (2007), for ratings.",
    ),
)

diagnosis_figure_options = figure_options(
    _output_option, "Draw the figures into a folder (ratings)."
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
    "hamon": "--hamon",
}
# Those that say how the diagnosis is made, and so ask for it
OF_DIAGNOSIS: Final = tuple(name for name in OF_RATINGS if name not in ("scale", "hamon"))


def refuse_rating_options() -> None:
    for name, option in OF_RATINGS.items():
        if is_given(name):
            raise UnknownOption(
                f"{option} is for ratings; these are comparisons, whose judges are screened over"
                " all tasks: leave it out, or choose rows with --task or --where"
            )


@dataclass(frozen=True)
class Asked:
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
        from evenhand.data.rating_rows import read_scale

        return None if self.scale is None else read_scale(self.scale)

    def items(self) -> tuple[str, ...]:
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
