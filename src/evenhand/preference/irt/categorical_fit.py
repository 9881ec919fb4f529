"""What a fit of the categorical item-response model holds: abilities, chances, mixing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.numerics.chains import AGREED, bulk_size, split_r_hat
from evenhand.preference.coefficients import Coefficient
from evenhand.preference.irt.categorical_draws import (
    Single,
    draw_log_worths,
    log_worths,
    mean_qualities,
)
from evenhand.preference.tables import find_system

if TYPE_CHECKING:
    from evenhand.preference.irt_categorical import IRTCategorical

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

SHOWN: Final = 5


@dataclass(frozen=True, eq=False)
class CategoricalFit:
    """A fitted categorical item-response model.

    Attributes:
        model: the settings.
        systems: the K systems, sorted by name.
        ability: (K, Λ) posterior mean of each system's distribution over qualities.
        quality: (K,) its mean quality, from 1 (worst) to Λ.
        quality_sd: (K,) posterior standard deviation of that.
        chances: (K, K, 3) chances of left, tie, right for new outputs of two systems.
        ability_draws: (chains, kept, K, Λ) draws of abilities.
        outputs: (K,) outputs of each system that were compared.
        loglik: log-likelihood (nats) of the comparisons by `chances`.
        n_judgments: answers, a ranking being one.
        n_comparisons: comparisons.
        said: what must be said of the data.

    """

    model: IRTCategorical
    systems: tuple[str, ...]
    ability: Array
    quality: Array
    quality_sd: Array
    chances: Array
    ability_draws: Single
    outputs: Numbers
    loglik: float
    n_judgments: float
    n_comparisons: float
    said: tuple[str, ...]

    @cached_property
    def log_worth(self) -> Array:
        """(K,) mean of ln(P(win)/P(loss)) against all systems seen, 0 against itself."""
        return log_worths(self.chances, self.outputs > 0)

    @cached_property
    def worth_draws(self) -> Array:
        """(chains, kept, K) log-worths of the drawn abilities."""
        return draw_log_worths(self.ability_draws, self.model.law.chances, self.outputs > 0)

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) posterior covariance of log-worths; comparisons are independent in the model."""
        k = len(self.systems)
        return np.cov(self.worth_draws.reshape(-1, k), rowvar=False)

    @property
    def order_draws(self) -> Array:
        """(S, K) draws of log-worths, by which systems are ordered."""
        return self.worth_draws.reshape(-1, len(self.systems)).astype(np.float64)

    @property
    def scale(self) -> str:
        """What the estimates of `coefficients` are."""
        return "mean quality"

    @property
    def order_scale(self) -> str:
        """What systems are ordered by: mean qualities mix too slowly to order by."""
        return "log-worth"

    @cached_property
    def quality_draws(self) -> Array:
        """(chains, kept, K) mean qualities of the drawn abilities."""
        return mean_qualities(self.ability_draws)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """(K,) systems that were compared."""
        return np.asarray(self.outputs > 0)

    @cached_property
    def r_hat(self) -> Array:
        """(K,) split R̂ of log-worths: 1 where chains agree."""
        return split_r_hat(self.worth_draws)

    @cached_property
    def effective_draws(self) -> Array:
        """(K,) how many independent draws those of log-worths are worth."""
        return bulk_size(self.worth_draws)

    @cached_property
    def quality_r_hat(self) -> Array:
        """(K,) split R̂ of mean qualities less their mean over the systems seen."""
        qualities = self.quality_draws
        return split_r_hat(qualities - qualities[:, :, self.seen].mean(axis=2, keepdims=True))

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Mean quality of each system with its posterior standard deviation."""
        rows = zip(self.systems, self.quality.tolist(), self.quality_sd.tolist(), strict=True)
        return tuple(
            Coefficient(f"o{i}", system, mean, sd, None, None)
            for i, (system, mean, sd) in enumerate(rows, start=1)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside the numbers."""
        worths, qualities = self._apart(self.r_hat), self._apart(self.quality_r_hat)
        notes = list(self.said)
        if worths:
            notes.append(
                f"chains do not agree yet on log-worths, R-hat above {AGREED}: {worths}; take more"
                f" sweeps than {self.model.sweeps:,}, in Python"
                f" IRTCategorical(sweeps={4 * self.model.sweeps})"
            )
        if qualities:
            notes.append(
                f"chains do not agree on mean qualities, R-hat above {AGREED}: {qualities};"
                " judgments hardly say where on the scale all systems lie together, and log-worths"
                " hardly depend on it"
            )
        return tuple(notes)

    def _apart(self, r_hat: Array) -> str:
        """Name the systems seen on which chains do not agree."""
        high = np.flatnonzero(self.seen & (r_hat > AGREED)).tolist()
        return listing([f"{self.systems[i]} {r_hat[i]:.2f}" for i in high], SHOWN)

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: who is best, what the scale is, how the chains mixed."""
        model, best = self.model, int(np.argmax(np.where(self.seen, self.quality, 0)))
        kept, seen = model.chains * (model.sweeps - model.burn_in), self.seen
        return (
            f"best mean quality: {self.systems[best]} {self.quality[best]:.2f} of"
            f" {model.categories}, posterior sd {self.quality_sd[best]:.2f}",
            f"qualities are steps of a scale of {model.categories}, seen by judges with noise of sd"
            f" {model.noise_sd:g} step; no preference within {model.radius:g}",
            f"{kept:,} draws: R-hat of log-worths at most {self.r_hat[seen].max():.3f}, worth"
            f" {self.effective_draws[seen].min():,.0f} independent draws or more; R-hat of"
            f" differences in mean quality at most {self.quality_r_hat[seen].max():.3f}",
            "posterior spread takes answers for independent given qualities: judges are not told"
            " apart",
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        model = self.model
        return (
            f"{model.categories} categories",
            f"concentration {model.concentration:g}",
            f"noise sd {model.noise_sd:g}",
            f"radius {model.radius:g}",
            f"{model.chains} x {model.sweeps} sweeps, burn-in {model.burn_in}",
            f"seed={model.seed}",
        )

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the coefficients, for machines."""
        return {
            "ability": self.ability.tolist(),
            "quality": self.quality.tolist(),
            "quality_sd": self.quality_sd.tolist(),
            "r_hat": self.r_hat.tolist(),
            "effective_draws": self.effective_draws.tolist(),
            "quality_r_hat": self.quality_r_hat.tolist(),
            "highest_r_hat": float(self.r_hat[self.seen].max()),
            "fewest_effective_draws": float(self.effective_draws[self.seen].min()),
            "n_outputs": float(self.outputs.sum()),
        }

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right for new outputs.

        Args:
            pairs: systems (left, right).

        Raises:
            InvalidJudgments: a system that the fit does not know.

        """
        known = {name for pair in pairs for name in pair}
        codes = {name: find_system(self.systems, name) for name in sorted(known)}
        left = [codes[one] for one, _ in pairs]
        right = [codes[other] for _, other in pairs]
        return self.chances[left, right].reshape(-1, 3).copy()

    def __repr__(self) -> str:
        return (
            f"CategoricalFit({len(self.systems)} systems, {self.model.categories} qualities,"
            f" {int(self.outputs.sum()):,} outputs, {self.n_comparisons:,.0f} comparisons)"
        )
