"""Campaigns of ratings in which all systems are equal, for the errors of tests of scores.

    y = 70 + severity_j + difficulty_i + (item x system)_is + taste_js + noise

K = 6 systems, J = 12 judges, I = 60 items, n = 900 ratings, standard deviations 8, 10, 5, `taste`
and 10, as in E26. "balanced": the judges of an item, two or three, score all systems on it.
"unequal": every judge scores systems in shares of their own (Dirichlet .6), on items drawn anew.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.data.rating_rows import RatingRows

SYSTEMS, JUDGES, ITEMS, RATINGS = 6, 12, 60, 900
SEVERITY, DIFFICULTY, CROSSED, NOISE = 8.0, 10.0, 5.0, 10.0


@dataclass(frozen=True)
class NullArm:
    """How a campaign without differences is drawn."""

    shown: str  # balanced or unequal
    taste: float  # standard deviation of what a judge likes about a system (points)

    def draw(self, rng: np.random.Generator) -> RatingRows:
        """Draw one campaign."""
        judge, item, system = self._show(rng)
        score = 70 + rng.normal(0, SEVERITY, JUDGES)[judge] + rng.normal(0, DIFFICULTY, ITEMS)[item]
        score += rng.normal(0, CROSSED, (ITEMS, SYSTEMS))[item, system]
        score += rng.normal(0, self.taste, (JUDGES, SYSTEMS))[judge, system]
        score += rng.normal(0, NOISE, RATINGS)
        return RatingRows(
            ("",),
            tuple(f"j{code:02}" for code in range(JUDGES)),
            tuple(f"i{code:02}" for code in range(ITEMS)),
            tuple("ABCDEF"),
            ("",),
            *(np.asarray(one, np.int32) for one in (0 * judge, judge, item, system, 0 * judge)),
            score,
        )

    def _show(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.shown == "unequal":
            judge = np.arange(RATINGS) % JUDGES
            shares = rng.dirichlet(np.full(SYSTEMS, 0.6), JUDGES)
            system = (rng.random(RATINGS)[:, None] > shares.cumsum(axis=1)[judge]).sum(axis=1)
            return judge, rng.integers(0, ITEMS, RATINGS), np.minimum(system, SYSTEMS - 1)
        pages = RATINGS // SYSTEMS
        item = np.arange(pages) % ITEMS
        # the second and third judge of an item are others than the first
        judge = (rng.permutation(ITEMS)[item] + 5 * (np.arange(pages) // ITEMS)) % JUDGES
        return (
            np.repeat(judge, SYSTEMS),
            np.repeat(item, SYSTEMS),
            np.tile(np.arange(SYSTEMS), pages),
        )


ARMS = {
    "balanced, no taste": NullArm("balanced", 0.0),
    "balanced, taste 6": NullArm("balanced", 6.0),
    "unequal, no taste": NullArm("unequal", 0.0),
    "unequal, taste 6": NullArm("unequal", 6.0),
}
