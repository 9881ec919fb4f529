"""Campaigns of scores whose truth is known, for rank sets of mean scores.

    y = 50 + worth + severity_j + difficulty_i + taste_js + (item x system)_is + noise

8 systems with worths gap·(7 − k), J judges, I items; every output is scored by `each` judges.
"together": the judges of an item score the outputs of all systems on it; "scattered": each output
has judges of its own, so that severity leaks into differences; "partial": each judge scores four
systems only. Loads are equal or Zipf's. Everything is drawn in the order of the formula.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.data.rating_rows import RatingRows
from experiments.campaign import part_of

SYSTEMS = 8
REPLICATES = part_of(400)
FLOOR = 0.95 - 3.09 * (0.0475 / REPLICATES) ** 0.5
"""What a coverage of .95 stays above but for one time in a thousand."""


@dataclass(frozen=True)
class ScoreArm:
    """How a campaign is drawn; standard deviations in points."""

    gap: float = 0.0
    judges: int = 20
    items: int = 40
    each: int = 3
    severity: float = 8.0
    difficulty: float = 6.0
    taste: float = 3.0
    crossed: float = 3.0
    noise: float = 10.0
    shown: str = "together"
    loads: str = "equal"

    @property
    def worth(self) -> np.ndarray:
        """(8,) true worths, best first."""
        return self.gap * np.arange(SYSTEMS)[::-1]

    def draw(self, rng: np.random.Generator) -> RatingRows:
        """Draw one campaign."""
        severity = rng.normal(0, self.severity, self.judges)
        difficulty = rng.normal(0, self.difficulty, self.items)
        taste = rng.normal(0, self.taste, (self.judges, SYSTEMS))
        crossed = rng.normal(0, self.crossed, (self.items, SYSTEMS))
        judge, item, system = self._show(rng)
        score = 50 + self.worth[system] + severity[judge] + difficulty[item] + taste[judge, system]
        score += crossed[item, system] + rng.normal(0, self.noise, len(judge))
        return RatingRows(
            ("",),
            tuple(f"j{code:02}" for code in range(self.judges)),
            tuple(f"i{code:02}" for code in range(self.items)),
            tuple("ABCDEFGH"),
            ("",),
            *(np.asarray(one, np.int32) for one in (0 * judge, judge, item, system, 0 * judge)),
            score,
        )

    def _show(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return judge, item and system of each score."""
        chance = 1 / np.arange(1, self.judges + 1) if self.loads == "zipf" else np.ones(self.judges)
        item = np.repeat(np.arange(self.items), SYSTEMS)
        system = np.tile(np.arange(SYSTEMS), self.items)
        if self.shown == "partial":
            seen = rng.permuted(np.tile(np.arange(SYSTEMS), (self.judges, 1)), axis=1)[:, :4]
            may = np.zeros((self.judges, SYSTEMS), bool)
            may[np.arange(self.judges)[:, None], seen] = True
            allowed = may[:, system].T * chance
        else:
            allowed = np.tile(chance, (len(item), 1))
        keys = -np.log(rng.random(allowed.shape)) / np.where(allowed > 0, allowed, 1e-300)
        if self.shown == "together":
            keys = np.repeat(keys[::SYSTEMS], SYSTEMS, axis=0)
        judge = np.argsort(keys, axis=1)[:, : self.each]
        return judge.ravel(), np.repeat(item, self.each), np.repeat(system, self.each)


ARMS = {
    1: ScoreArm(),
    2: ScoreArm(shown="scattered"),
    3: ScoreArm(gap=4.0),
    4: ScoreArm(shown="scattered", loads="zipf"),
    5: ScoreArm(shown="partial", items=60),
    6: ScoreArm(judges=8),
    7: ScoreArm(taste=0.0, crossed=0.0),
    8: ScoreArm(taste=6.0, crossed=0.0, each=5),
    9: ScoreArm(taste=0.0, crossed=8.0, items=15),
}
