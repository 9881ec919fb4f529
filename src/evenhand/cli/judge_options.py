"""Options of `evenhand judges`, and what they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from evenhand.cli.options import OneOf, Options, under
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows, Scale
    from evenhand.judges.diagnosis_result import Diagnosis

METHODS: Final = ("mean-score", "mean-agreement", "easy-items")
READINGS: Final = ("mean", "gap")
MATCHES: Final = ("any", "all")
ACROSS: Final = ("each", "any", "all")
VERSIONS: Final = ("first", "last", "both")

_ratings = under("What the ratings are")
_outside = under("Rules of Hamon et al. (ratings)")
_flags = under("Flags")


class Flags(Options):
    fdr: float = _flags(
        "--fdr PROPORTION",
        "Allowed share of honest judges among the flagged (false discovery rate).",
        default=0.05,
    )
    hamon: bool = _flags(
        "--hamon", "Also the tables and rules of Hamon et al. (2007), for ratings."
    )


class Asked(Options):
    """What the diagnosis of Hamon et al. is asked."""

    scale: str | None = _ratings(
        "--scale LOW-HIGH",
        "The scale: 1-5 (whole steps), 0..1 (no steps) or 1,2,3,5. Default: the scores in the"
        " data.",
    )
    input_type: str | None = _ratings(
        "--input-type COLUMN", "Kinds of input to show separately, such as speech and text."
    )
    references: tuple[str, ...] = _ratings(
        "--reference-system SYSTEM",
        "A human reference among the systems, the ceiling. Repeatable.",
    )
    easy: str | None = _ratings(
        "--easy FILE",
        "A list of items, one per line, whose outputs are known to be good. Without it, rows of"
        " kind control are used.",
    )
    version: str = _ratings(
        "--version",
        "Which score counts where a judge scored an output again.",
        type=OneOf(VERSIONS),
        default="first",
    )
    merge: str | None = _ratings("--merge POINTS", "Also use a coarser scale, such as 1+2,4+5.")
    k: float = _outside(
        "--sd", "Standard deviations from the centre at which a judge is outside.", default=1.0
    )
    ddof: int = _outside(
        "--ddof 0|1",
        "Degrees of freedom subtracted in the standard deviation over judges.",
        default=1,
    )
    reading: str = _outside(
        "--mean-score",
        "Use each judge's mean, or its gap to the others' mean on the same outputs.",
        type=OneOf(READINGS),
        default="mean",
    )
    methods: tuple[str, ...] = _outside(
        "--remove",
        "Methods that decide who is removed. Default: all three. Repeatable.",
        type=OneOf(METHODS),
    )
    match: str = _outside(
        "--match", "By how many of them: any, or all.", type=OneOf(MATCHES), default="any"
    )
    across: str = _outside(
        "--across",
        "Remove under each criterion separately, or everywhere if outside under any or all.",
        type=OneOf(ACROSS),
        default="each",
    )

    @property
    def inputs(self) -> tuple[str | None, ...]:
        return (self.easy,)

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
