"""One component of variance: how much of what was said is due to one source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

SYSTEM, JUDGE, ITEM = "system", "judge", "item"
ITEM_SYSTEM, JUDGE_SYSTEM, JUDGE_ITEM = "item x system", "judge x system", "judge x item"
RESIDUAL = "residual"

# Sources in the order in which they are printed
NAMES: Final = (SYSTEM, JUDGE, ITEM, ITEM_SYSTEM, JUDGE_SYSTEM, JUDGE_ITEM, RESIDUAL)

MEANINGS: Final = {
    SYSTEM: "how far systems are from each other",
    JUDGE: "severity: how far judges' mean scores are from each other",
    ITEM: "difficulty: how far items are from each other",
    ITEM_SYSTEM: "outputs: a system does better on some items than on others",
    JUDGE_SYSTEM: "taste: a judge likes some systems more than other judges do",
    JUDGE_ITEM: "a judge likes some items more than other judges do",
    RESIDUAL: "what is left: one judge's score of one output, by chance",
}


@dataclass(frozen=True)
class Component:
    """How far from each other the levels of one source are."""

    name: str  # one of NAMES
    # standard deviation between levels, in points of the scale (ratings) or log-worth
    # (comparisons); 0 where the data show none
    sd: float
    levels: int  # how many levels were seen, such as judges
    lower: float | None = None  # lower end of the interval of sd; None where there is none
    upper: float | None = None  # upper end; infinite where the data set no bound
    # one-sided p-value of sd = 0, on the boundary; None where it is not tested
    p: float | None = None
    # sources that this design cannot tell from it, so that their variance is in it
    carries: tuple[str, ...] = ()
    how: str = "REML"  # what made the estimate, "REML", "moments" or "likelihood"

    @property
    def variance(self) -> float:
        """The component itself, sd²."""
        return self.sd**2

    @property
    def title(self) -> str:
        """Return the name, with what cannot be told from it.

        >>> Component("residual", 9.5, 800, carries=("judge x item",)).title
        'residual (with judge x item)'
        """
        return f"{self.name} (with {', '.join(self.carries)})" if self.carries else self.name

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            **vars(self),
            "variance": self.variance,
            "carries": list(self.carries),
            "means": MEANINGS[self.name],
        }
