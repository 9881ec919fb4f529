"""Campaigns of ratings whose judges are known: honest, random, reversed, coarse or extreme.

8 systems with worths linspace(1, -1, 8), 4 of them at random on each item; item effects N(0, .5²),
output effects N(0, .8²); every output is scored by 3 judges who follow each other in random
permutations of all. A judge has a severity N(0, .5²), a scale exp(N(0, .25²)), tastes N(0, .2²) for
systems and noise of standard deviation .8 exp(N(0, .25²));

    y = severity + scale (worth + taste + item + output) + noise.

On five points the score is 3 + 1.2 y, on a hundred 75 + 18 y (95 + 18 y at the ceiling), rounded
(on a hundred to ones by half of the judges, to fives by three in ten, to tens by the rest) and cut
off. Answers come every
exp(N(3, .7²)) seconds times exp(N(0, .4²)) of the judge. A random judge gives any point, a reversed
one has -y, a coarse one gives two points, a quarter from each end, by the sign of y, an extreme one
the two ends.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.data.rating_rows import RatingRows

HONEST = "honest"
BAD = ("random", "reversed", "coarse", "extreme")


@dataclass(frozen=True)
class RatingPanel:
    """How a simulated campaign is made."""

    judges: int = 30
    each: int = 60
    bad: tuple[tuple[str, int], ...] = ()
    points: int = 5
    per_output: int = 3
    systems: int = 8
    severity: float = 0.5
    spread: float = 0.25
    taste: float = 0.2
    middle: int = 75
    steps: tuple[tuple[int, float], ...] = ((1, 0.5), (5, 0.3), (10, 0.2))

    def kinds(self) -> list[str]:
        """What each judge is, bad ones first."""
        made = [kind for kind, many in self.bad for _ in range(many)]
        return made + [HONEST] * (self.judges - len(made))

    def draw(self, rng: np.random.Generator) -> RatingRows:
        """Draw one campaign."""
        outputs = self.judges * self.each // self.per_output
        item = np.arange(outputs) // 4
        lots = rng.permuted(np.tile(np.arange(self.systems), (item.max() + 1, 1)), axis=1)
        system = lots[item, np.arange(outputs) % 4]
        worth = np.linspace(1, -1, self.systems)[system]
        latent = worth + rng.normal(0, 0.5, item.max() + 1)[item] + rng.normal(0, 0.8, outputs)
        judge = self._assign(rng, outputs)
        output = np.repeat(np.arange(outputs), self.per_output)
        severity = rng.normal(0, self.severity, self.judges)
        scale, noise = np.exp(rng.normal(0, self.spread, (2, self.judges)))
        taste = rng.normal(0, self.taste, (self.judges, self.systems))
        y = scale[judge] * (latent[output] + taste[judge, system[output]]) + severity[judge]
        y += rng.normal(0, 0.8 * noise[judge])
        score = self._answer(rng, judge, y)
        return self._rows(rng, (judge, output), (item, system), score)

    def _assign(self, rng: np.random.Generator, outputs: int) -> np.ndarray:
        """Judges of the outputs, three in a row from permutations of all; none twice."""
        line = np.empty(0, dtype=int)
        while len(line) < outputs * self.per_output:
            more = rng.permutation(self.judges)
            free = -len(line) % self.per_output
            open_triple = line[len(line) - (self.per_output - free) :] if free else line[:0]
            if not np.isin(more[:free], open_triple).any():
                line = np.concatenate([line, more])
        return line[: outputs * self.per_output]

    def _answer(self, rng: np.random.Generator, judge: np.ndarray, y: np.ndarray) -> np.ndarray:
        kind = np.array(self.kinds())[judge]
        low, high, middle, unit = (1, 5, 3, 1.2) if self.points == 5 else (0, 100, self.middle, 18)
        sizes, shares = zip(*self.steps, strict=True)
        step = rng.choice(sizes, size=self.judges, p=shares)[judge]
        step = np.where(self.points == 5, 1, step)
        y = np.where(kind == "reversed", -y, y)
        score = np.clip(step * np.round((middle + unit * y) / step), low, high)
        anything = rng.integers(low, high + 1, size=len(y))
        quarter = (high - low) / 4
        for name, odd in (
            ("random", anything),
            ("coarse", np.where(y > 0, high - quarter, low + quarter)),
            ("extreme", np.where(y > 0, high, low)),
        ):
            score = np.where(kind == name, odd, score)
        return score.astype(float)

    def _rows(self, rng, who, place, score) -> RatingRows:
        (judge, output), (item, system) = who, place
        pace = np.exp(rng.normal(0, 0.4, self.judges))
        seconds = pace[judge] * np.exp(rng.normal(3, 0.7, len(judge)))
        zero = np.zeros(len(judge), np.int32)
        return RatingRows(
            tasks=("",),
            judges=tuple(f"J{j:03}" for j in range(self.judges)),
            items=tuple(f"i{i:05}" for i in range(item.max() + 1)),
            systems=tuple(f"s{s:02}" for s in range(self.systems)),
            criteria=("",),
            task=zero,
            judge=judge.astype(np.int32),
            item=item[output].astype(np.int32),
            system=system[output].astype(np.int32),
            criterion=zero,
            score=score,
            seconds=seconds,
            moment=np.cumsum(seconds) / self.judges,
        )
