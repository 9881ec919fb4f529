"""What models make of held-out votes, by how many votes they were trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing, require_option
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.votes import Votes
from evenhand.numerics.cluster_intervals import Clusters, Estimate, bound, leave_out
from evenhand.validation.clusters import count_effective, find_clusters
from evenhand.validation.learning_parts import CurvePoint, Refusal, TestSet
from evenhand.validation.perplexity import average, raise_bits
from evenhand.validation.trial_chance import find_chance, join_df

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurves(InNotebooks):
    """Perplexity on held-out votes by training size (Hopkins & May 2013, figures 2 to 5).

    A curve is the mean over trials and tasks, each task counting the same. Intervals are for other
    held-out votes like these and other training subsets of the same votes: held-out votes hang
    together by judge and item, trials differ by chance. They are not for other training judges.

    Intervals of perplexities are made on the scale of losses (bits), which cannot fall below 0, so
    that they end at 1; those of differences and gains are of perplexities as they are.

    Attributes:
        models: the M models.
        sizes: the S training sizes, ascending.
        losses: (M, T, S, R) mean loss (bits) by model, task, size and trial; NaN where refused.
        deviations: (M, S, n) how much higher the perplexity would be, were all of the task's
            held-out votes like this one, to first order; zero where a trial was refused.
        held_out: the n held-out votes of all tasks.
        test_sets: how each of the T tasks was divided.
        refusals: every training that came to nothing.
        seconds: model → CPU seconds of all its fits and predictions.
        level: of intervals (proportion).
        seed: of everything random.
        signature: one line that reproduces the numbers.
        left_out: task → why it could not be divided.

    """

    models: tuple[str, ...]
    sizes: tuple[int, ...]
    losses: Array
    deviations: Array
    held_out: Votes
    test_sets: tuple[TestSet, ...]
    refusals: tuple[Refusal, ...]
    seconds: Mapping[str, float]
    level: float
    seed: int
    signature: str
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The T tasks."""
        return tuple(one.task for one in self.test_sets)

    @cached_property
    def perplexities(self) -> Array:
        """(M, T, S, R) perplexity of each trial; NaN where a model refused."""
        return np.asarray(np.exp2(self.losses).round(12), dtype=np.float64)

    @cached_property
    def clusters(self) -> Clusters:
        """Which held-out votes hang together."""
        return find_clusters(self.held_out, self.seed)

    @property
    def effective_judges(self) -> float | None:
        """Effective number of judges of held-out votes, (Σ n)² / Σ n²; None where unknown."""
        return count_effective(self.held_out)

    @property
    def largest(self) -> int:
        """The largest size that the training votes of some task fill; the smallest if none is."""
        most = max(one.train for one in self.test_sets)
        return max((size for size in self.sizes if size <= most), default=self.sizes[0])

    @property
    def order(self) -> tuple[str, ...]:
        """The models, best at the largest filled size first; those without a mean there last."""
        at = self.sizes.index(self.largest)
        ends = {name: self.curve(name)[at].perplexity for name in self.models}
        return tuple(sorted(self.models, key=lambda name: (ends[name] is None, ends[name] or 0)))

    def of_tasks(self, tasks: Sequence[str]) -> LearningCurves:
        """Keep some tasks, such as those that no setting of a model was tuned on.

        Raises:
            UnknownOption: there is no such task.

        """
        for task in tasks:
            require_option("task", task, self.tasks)
        kept = [i for i, task in enumerate(self.tasks) if task in tasks]
        names = {self.tasks[i] for i in kept}
        codes = [i for i, task in enumerate(self.held_out.tasks) if task in names]
        rows = np.isin(self.held_out.task, codes)
        return replace(
            self,
            losses=self.losses[:, kept],
            deviations=self.deviations[:, :, rows],
            held_out=self.held_out.take(rows),
            test_sets=tuple(self.test_sets[i] for i in kept),
            refusals=tuple(one for one in self.refusals if one.task in names),
        )

    def curve(self, model: str) -> tuple[CurvePoint, ...]:
        """Return a model's points, by size.

        Raises:
            UnknownOption: there is no such model.

        """
        require_option("model", model, self.models)
        at = self.models.index(model)
        return tuple(self._point(at, s) for s in range(len(self.sizes)))

    def _point(self, at: int, s: int) -> CurvePoint:
        """Return one model at one size."""
        model, size = self.models[at], self.sizes[s]
        trials, losses = self.perplexities[at, :, s], self.losses[at, :, s]
        refused = int(np.isnan(losses).sum())
        if refused:
            return CurvePoint(model, size, None, None, None, None, None, refused, trials.size)
        own = self.estimate(model, size)
        spread = float(np.sqrt(trials.var(axis=1, ddof=1).mean())) if trials.shape[1] > 1 else None
        ends = own.value, own.lower, own.upper
        return CurvePoint(model, size, *ends, spread, average(losses), 0, trials.size)

    def estimate(self, model: str, size: int) -> Estimate:
        """Return a model's mean perplexity at a training size, with its interval.

        The interval is 2^(log₂ of the mean ± t times its standard error in bits), 1 at least.

        Raises:
            NotIdentified: some trial of it was refused.
            UnknownOption: there is no such model or size.

        """
        found = self._contrast([(1.0, *self._place(model, size))])
        if found.stderr == 0:
            return found
        bits, margin = np.log2(found.value), (found.upper / found.value - 1) / np.log(2)
        lower, upper = max(bits - margin, 0.0), bits + margin
        return replace(found, lower=raise_bits(lower), upper=raise_bits(upper))

    def difference(self, model: str, other: str, size: int) -> Estimate:
        """Return by how much a model's perplexity is above another's, trained on the same votes.

        Raises:
            NotIdentified: some trial of one was refused.
            UnknownOption: there is no such model or size.

        """
        parts = [(1.0, *self._place(model, size)), (-1.0, *self._place(other, size))]
        return self._contrast(parts)

    def gain(self, model: str, size: int, larger: int) -> Estimate:
        """Return by how much a model's perplexity falls from one training size to another.

        Raises:
            NotIdentified: some trial of one was refused.
            UnknownOption: there is no such model or size.

        """
        parts = [(1.0, *self._place(model, size)), (-1.0, *self._place(model, larger))]
        return self._contrast(parts)

    def _place(self, model: str, size: int) -> tuple[int, int]:
        """Return the codes of a model and a size.

        Raises:
            NotIdentified: some trial of the model was refused there.
            UnknownOption: there is no such model or size.

        """
        require_option("model", model, self.models)
        require_option("size", str(size), [str(one) for one in self.sizes])
        refused = [one for one in self.refusals if (one.model, one.size) == (model, size)]
        if refused:
            raise NotIdentified(
                f"{model} has no mean at {size:,} comparisons: {len(refused):,} trainings were"
                f" refused, the first because {refused[0].why}"
            )
        return self.models.index(model), self.sizes.index(size)

    def _contrast(self, parts: Sequence[tuple[float, int, int]]) -> Estimate:
        """Return a signed sum of mean perplexities, of models at sizes."""
        trials = np.sum([sign * self.perplexities[m, :, s] for sign, m, s in parts], axis=0)
        moved = np.sum([sign * self.deviations[m, s] for sign, m, s in parts], axis=0)
        found = leave_out(self.clusters, moved[None, :])
        votes = float(found.variance[0])
        chance, chance_df = find_chance(trials)
        df = join_df(votes, found.df, chance, chance_df)
        return bound(average(trials), votes + chance, df, self.level)

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        size, best = self.largest, self.order[0]
        if self.curve(best)[self.sizes.index(size)].perplexity is None:
            return (f"no model stands in every trial with {size:,} comparisons",)
        own = self.estimate(best, size)
        small = [one.task for one in self.test_sets if one.train < size]
        fewer = f" (fewer in {listing(small)})" if any(small) else " or fewer" if small else ""
        return (
            f"lowest perplexity with {size:,} training comparisons{fewer}: {best}, {own.value:.3f}"
            f" ({own.lower:.3f} to {own.upper:.3f})",
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, where training sets are small, and where items are on both sides."""
        notes = [f"task {task} is left out: {why}" for task, why in self.left_out.items()]
        small = [one for one in self.test_sets if one.train < self.sizes[-1]]
        if small:
            named = ", ".join(f"{one.task} {one.train:,}".strip() for one in small)
            notes.append(f"training sets smaller than {self.sizes[-1]:,}, taken whole: {named}")
        shared = sum(one.shared for one in self.test_sets)
        if shared:
            notes.append(
                f"{shared:,} training comparisons are on held-out items, by others: models of"
                " outputs may have seen these (overlap='drop' leaves them out)"
            )
        if self.losses.shape[3] == 1 and any(one.train > self.sizes[0] for one in self.test_sets):
            notes.append(
                "one random subset of each size: intervals leave out how much these differ"
                " (--trials, in Python trials=, draws several)"
            )
        if self.refusals:
            models = ", ".join(sorted({one.model for one in self.refusals}))
            many = len(self.refusals)
            notes.append(
                f"{many:,} training{' was' if many == 1 else 's were'} refused ({models}): a"
                " model has no mean at a size where any of its trainings was"
            )
        return (*notes, *self.clusters.notes)

    def records(self) -> list[dict[str, Any]]:
        """Return one row per model and size, with plain values."""
        return [asdict(point) for model in self.models for point in self.curve(model)]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of learning curves."""
        return {
            "signature": self.signature,
            "models": list(self.models),
            "sizes": list(self.sizes),
            "level": self.level,
            "largest": self.largest,
            "clusters": self.clusters.name,
            "effective_judges": self.effective_judges,
            "df": self.clusters.df,
            "test_sets": [asdict(one) for one in self.test_sets],
            "points": self.records(),
            "seconds": dict(self.seconds),
            "refusals": [asdict(one) for one in self.refusals],
            "says": list(self.says),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        width = max(map(len, self.models))
        lines = [" ".join([" " * width, *(f"{size:>7,}" for size in self.sizes)])]
        for model in self.order:
            shown = (one.perplexity for one in self.curve(model))
            row = ["      -" if value is None else f"{value:7.3f}" for value in shown]
            lines.append(" ".join([model.ljust(width), *row]))
        lines += [*self.says, *(f"note: {note}" for note in self.notes), self.signature]
        return "\n".join(lines)
