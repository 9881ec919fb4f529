"""How models of preference predict unseen votes, and which cannot be told from the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, require_option
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.votes import Votes
from evenhand.numerics.cluster_intervals import Clusters, Estimate, leave_out
from evenhand.validation.clusters import count_effective, find_clusters
from evenhand.validation.perplexity import raise_bits

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HeldOutScore:
    """A model's row.

    Attributes:
        model: the model.
        loss: mean loss of held-out votes (bits).
        perplexity: 2^loss.
        lower: lower end of its interval, 2 to the power of that of the loss; 1 at least.
        upper: upper end.
        difference: loss above that of the best model (bits); 0 for the best itself.
        difference_lower: lower end of its interval; of this pair alone, the best as if it had been
            named beforehand.
        difference_upper: upper end.
        p: of belonging to the set of the best: the model leaves it at every level above.
        among_best: whether it cannot be told from the best, all models looked at together.
        beaten_by: the model that it was farthest behind, in standard errors, when it left the set
            of the best, which need not be the best by estimate; None if it is in the set.
        behind: loss above that of this model (bits), or None.
        behind_lower: lower end of its interval, of this pair alone, or None.
        behind_upper: upper end.
        seconds: CPU seconds of all its fits and predictions.

    """

    model: str
    loss: float
    perplexity: float
    lower: float
    upper: float
    difference: float
    difference_lower: float
    difference_upper: float
    p: float
    among_best: bool
    beaten_by: str | None
    behind: float | None
    behind_lower: float | None
    behind_upper: float | None
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(InNotebooks):
    """Models compared by cross-validation: every vote is predicted once (per repeat), unseen.

    Attributes:
        models: the M models that predicted every vote, as they were asked for.
        losses: (M, n) loss of each vote (bits), averaged over repeats.
        held_out: the n votes.
        refused: model → why it has no loss, with how many of its trainings were refused.
        seconds: model → CPU seconds, also of those refused.
        blocks: what was never on both sides: judge, item, both, ranking or judgment.
        folds: trainings per model and repeat, the most of any; blocks without votes are no fold.
        repeats: how often the votes were divided anew.
        train: (least, most) votes that a model was trained on.
        set_p: model → p of belonging to the set of the best.
        left_behind: model → the one that it was farthest behind when it left that set, of all but
            the model that stays to the end.
        level: of intervals and of the set (proportion).
        seed: of everything random.
        signature: one line that reproduces the numbers.
        notes: what must be known.

    """

    models: tuple[str, ...]
    losses: Array
    held_out: Votes
    refused: Mapping[str, str]
    seconds: Mapping[str, float]
    blocks: str
    folds: int
    repeats: int
    train: tuple[int, int]
    set_p: Mapping[str, float]
    left_behind: Mapping[str, str]
    level: float
    seed: int
    signature: str
    notes: tuple[str, ...] = ()

    @cached_property
    def clusters(self) -> Clusters:
        """Which votes hang together."""
        return find_clusters(self.held_out, self.seed)

    @cached_property
    def means(self) -> Array:
        """(M,) mean loss (bits), tasks alike."""
        return self.clusters.strata.means(self.losses)

    @property
    def effective_judges(self) -> float | None:
        """Effective number of judges of held-out votes, (Σ n)² / Σ n²; None where unknown."""
        return count_effective(self.held_out)

    @cached_property
    def df(self) -> float:
        """Degrees of freedom of intervals."""
        return self.clusters.df

    @property
    def order(self) -> tuple[str, ...]:
        """The models, best first."""
        return tuple(self.models[i] for i in np.argsort(self.means, kind="stable"))

    @property
    def best(self) -> str:
        """The model with the smallest loss.

        Raises:
            UnknownOption: every model refused.

        """
        if not self.models:
            first, why = next(iter(self.refused.items()))
            raise UnknownOption(f"no model predicted every vote: {first}: {why}")
        return self.order[0]

    @property
    def best_set(self) -> tuple[str, ...]:
        """Models that cannot be told from the best, best first."""
        return tuple(name for name in self.order if self.set_p[name] > 1 - self.level)

    def estimate(self, model: str) -> Estimate:
        """Return a model's mean loss (bits) with its interval, which ends at 0 bits.

        Raises:
            UnknownOption: there is no such model here.

        """
        require_option("model", model, self.models)
        found = self._bound(self.losses[self.models.index(model)])
        return replace(found, lower=max(found.lower, 0.0))

    def difference(self, model: str, other: str) -> Estimate:
        """Return by how much a model's mean loss is above another's (bits), on the same votes.

        Raises:
            UnknownOption: there is no such model here.

        """
        for name in (model, other):
            require_option("model", name, self.models)
        one, two = (self.losses[self.models.index(name)] for name in (model, other))
        return self._bound(one - two)

    def _bound(self, values: Array) -> Estimate:
        strata = self.clusters.strata
        found = leave_out(self.clusters, strata.deviations(values[None, :]))
        return found.estimate(0, float(strata.means(values[None, :])[0]), self.level)

    @cached_property
    def scores(self) -> tuple[HeldOutScore, ...]:
        """One row per model, best first."""
        return tuple(self._score(name) for name in self.order)

    def _score(self, name: str) -> HeldOutScore:
        own, apart = self.estimate(name), self.difference(name, self.best)
        by = None if name in self.best_set else self.left_behind[name]
        behind = None if by is None else self.difference(name, by)
        return HeldOutScore(
            model=name,
            loss=own.value,
            perplexity=raise_bits(own.value),
            lower=raise_bits(own.lower),
            upper=raise_bits(own.upper),
            difference=apart.value,
            difference_lower=apart.lower,
            difference_upper=apart.upper,
            p=self.set_p[name],
            among_best=by is None,
            beaten_by=by,
            behind=None if behind is None else behind.value,
            behind_lower=None if behind is None else behind.lower,
            behind_upper=None if behind is None else behind.upper,
            seconds=self.seconds[name],
        )

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        if not self.models:
            return ("no model predicted every vote",)
        own, rest = self.scores[0], self.best_set[1:]
        which = "best on unseen votes" if len(self.models) > 1 else "compared with no other model"
        first = (
            f"{which}: {own.model}, perplexity {own.perplexity:.3f}"
            f" ({own.lower:.3f} to {own.upper:.3f})"
        )
        if len(self.models) == 1:
            return (first,)
        many = f"at {100 * self.level:g} %"
        if not rest:
            return first, f"no other model can pass for the best {many}"
        return first, f"cannot be told from the best {many}: {', '.join(rest)}"

    def records(self) -> list[dict[str, Any]]:
        """Return one row per model, best first, with plain values."""
        return [asdict(score) for score in self.scores]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of a comparison."""
        return {
            "signature": self.signature,
            "blocks": self.blocks,
            "folds": self.folds,
            "repeats": self.repeats,
            "train": list(self.train),
            "n_comparisons": self.held_out.size,
            "level": self.level,
            "clusters": self.clusters.name,
            "effective_judges": self.effective_judges,
            "df": self.df,
            "models": self.records(),
            "best_set": list(self.best_set),
            "refused": dict(self.refused),
            "says": list(self.says),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        width = max(map(len, self.models), default=5)
        lines = [f"{'model'.ljust(width)}  perplexity  difference in bits"]
        for one in self.scores:
            ends = f"{one.difference_lower:.4f} to {one.difference_upper:.4f}"
            apart = "" if one.model == self.best else f"{one.difference:.4f} ({ends})"
            lines.append(f"{one.model.ljust(width)}  {one.perplexity:10.3f}  {apart}".rstrip())
        lines += [f"{name} refused: {why}" for name, why in self.refused.items()]
        lines += [*self.says, *(f"note: {note}" for note in self.notes), self.signature]
        return "\n".join(lines)
