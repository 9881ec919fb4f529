"""What README.md says in figures about cost, and the rows that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.row import Row
from benchmarks.table import aligned
from benchmarks.targets import BIG, MILLION

FIT, INTERVALS = "fit", "intervals"


@dataclass(frozen=True)
class Claim:
    """A figure of the README.

    Attributes:
        text: the words around the figure, which stands at {}.
        suite: of the row; likewise `case` and `contender`.
        case: see suite.
        contender: see suite.
        column: of the row.
        style: how the figure is rounded.

    """

    text: str
    suite: str
    case: str
    contender: str
    column: str = "cpu_s"
    style: str = ".2f"

    def row(self, rows: Sequence[Row]) -> Row:
        """The row it rests on. Raises `KeyError` where it was not measured."""
        return {row.key: row for row in rows}[self.suite, self.case, self.contender]

    def figure(self, rows: Sequence[Row]) -> str:
        """The figure as it is to be printed."""
        return format(getattr(self.row(rows), self.column), self.style)

    def says(self, rows: Sequence[Row]) -> str:
        """The words with the figure in them."""
        return self.text.format(self.figure(rows))


CLAIMS = (
    Claim("{} s of CPU from Parquet to a ranking with model intervals", FIT, BIG, "evenhand"),
    Claim("the bare GROUP BY of the file takes {} s", FIT, BIG, "floor"),
    Claim("evalica, given the label columns, {} s", FIT, BIG, "evalica", style=".0f"),
    Claim("{} s with intervals clustered by judge", FIT, BIG, "evenhand-judges", style=".1f"),
    Claim(
        "999 refits for bootstrap intervals take {} s",
        INTERVALS,
        MILLION,
        "evenhand, 999 refits by judgment",
    ),
    Claim(
        "{} s with FastChat's method",
        INTERVALS,
        MILLION,
        "multinomial refits, 999",
        style=".0f",
    ),
)


def as_table(rows: Sequence[Row]) -> str:
    """Claims, where they were measured, and what was measured."""
    body = []
    for claim in CLAIMS:
        value = getattr(claim.row(rows), claim.column)
        place = f"`{claim.suite}`, {claim.case}: {claim.contender}, `{claim.column}`"
        body.append([claim.says(rows), place, f"{value:.4g}"])
    return aligned(("README says", "suite, case, contender, column", "measured"), body, (0, 1))
