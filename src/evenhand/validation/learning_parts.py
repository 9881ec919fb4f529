"""The parts of learning curves: how tasks were divided, points, and trainings that were refused."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import listing
from evenhand.judgments.notebook import draw_table


@dataclass(frozen=True)
class TestSet:
    """What one task was tested and trained on: a row of Hopkins & May's table 3.

    Attributes:
        task: the task; "" where there are none.
        most: comparisons of a held-out item, at most: k of the rule.
        items: held-out items.
        test: held-out comparisons.
        train: comparisons that training subsets are drawn from.
        shared: those of them that are on held-out items, by others.

    """

    __test__ = False  # no test of ours, whatever its name

    task: str
    most: int
    items: int
    test: int
    train: int
    shared: int = 0


@dataclass(frozen=True)
class Refusal:
    """A training that came to nothing.

    Attributes:
        model: the model.
        task: the task.
        size: votes that it was to be trained on.
        trial: which of the random subsets, from 1.
        why: in words.

    """

    model: str
    task: str
    size: int
    trial: int
    why: str


@dataclass(frozen=True)
class CurvePoint:
    """A model at one training size, averaged over tasks and trials.

    Attributes:
        model: the model.
        size: votes that it was trained on, or the whole set where that is smaller.
        perplexity: mean perplexity; None unless every trial stands.
        lower: lower end of its interval, 1 at least, or None.
        upper: upper end.
        spread: standard deviation between trials of a task, or None with one trial.
        loss: mean loss (bits).
        refused: trials that came to nothing.
        trials: trials of all tasks.

    """

    model: str
    size: int
    perplexity: float | None
    lower: float | None
    upper: float | None
    spread: float | None
    loss: float | None
    refused: int
    trials: int


@dataclass(frozen=True, repr=False)
class Enough:
    """How many comparisons are enough for a model, as far as the largest training set shows.

    Attributes:
        model: the model.
        size: the smallest training size whose perplexity is within the margin of the largest
            size's; always one, as the largest is.
        sure: the smallest from which on it surely is, at the level of the intervals, or None.
        largest: the largest training size that some task fills.
        margin: perplexity that is not worth collecting for.
        gain: by how much perplexity fell over the last doubling, or None with one size.
        gain_lower: lower end of its interval.
        gain_upper: upper end.
        left_if_fast: what more comparisons would gain if every further doubling gains half of
            what the one before did, as errors that fall like 1/n; None unless the last doubling
            surely gained.
        left_if_slow: the same if it gains .71 of it, as 1/√n.
        left_lower: what they would gain fast if the last gain were the lower end of its interval.
        left_upper: and slowly, if it were the upper end.
        tasks: tasks whose training sets are that large, on which all of this rests.
        smaller: the other tasks, which are left out.
        sizes: training sizes that were compared, ascending.

    """

    model: str
    size: int
    sure: int | None
    largest: int
    margin: float
    gain: float | None
    gain_lower: float | None
    gain_upper: float | None
    left_if_fast: float | None
    left_if_slow: float | None
    left_lower: float | None
    left_upper: float | None
    tasks: int
    smaller: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        rests: tuple[str, ...] = ()
        if self.smaller:
            many = f"{self.tasks:,} of {self.tasks + len(self.smaller):,} tasks"
            rests = (
                f"that rests on {many}: fewer than {self.largest:,} comparisons train"
                f" {listing(self.smaller)}",
            )
        return (*self._say_near(), *self._say_gain(), *rests)

    def _repr_html_(self) -> str:
        return draw_table((), (), self.says)

    def __repr__(self) -> str:
        return "\n".join(self.says)

    def _say_near(self) -> tuple[str, ...]:
        """Say which size comes near the largest."""
        if len(self.sizes) == 1:
            return (f"{self.model}: one training size, {self.largest:,}, shows no gain",)
        if self.size == self.largest:
            return (
                f"{self.model}: no smaller size comes within {self.margin:g} of the perplexity with"
                f" {self.largest:,} comparisons: the curve is still falling",
            )
        sure = f"; surely from {self.sure:,} on" if self.sure is not None else ""
        return (
            f"{self.model}: {self.size:,} comparisons come within {self.margin:g} of the perplexity"
            f" with {self.largest:,}{sure}",
        )

    def _say_gain(self) -> tuple[str, ...]:
        """Say what the last doubling gained, and what is left."""
        if len(self.sizes) == 1:
            return ("nothing is said of more comparisons",)
        if self.gain is None:
            return (
                f"no size is half of {self.largest:,}: what a doubling gains was not measured, and"
                " nothing is said of more comparisons",
            )
        gained = (
            f"the last doubling, to {self.largest:,}, gained {self.gain:z.3f}"
            f" ({self.gain_lower:z.3f} to {self.gain_upper:z.3f})"
        )
        if self.left_if_fast is None:
            doubt = "may be" if (self.gain_upper or 0.0) > 0 else "is"
            return (gained, f"that {doubt} no gain: what more comparisons would bring is not known")
        return (
            gained,
            f"what all further comparisons could gain is about {self.left_if_fast:.3f} to"
            f" {self.left_if_slow:.3f} ({self.left_lower:.3f} to {self.left_upper:.3f} over the"
            " interval of that gain), if gains go on falling as errors do; the curve itself ends at"
            f" {self.largest:,}",
        )
