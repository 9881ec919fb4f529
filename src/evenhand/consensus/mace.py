"""MACE: every judge either knows the label, or spams in a way of one's own.

    P(a_il = a | T_i = c) = (1 − s_l) 1[a = c] + s_l ξ_l[a],    T_i uniform on the C labels

s_l is how often judge l spams, 1 − s_l the competence, ξ_l what the judge says then (Hovy,
Berg-Kirkpatrick, Vaswani & Hovy 2013, Learning whom to trust with MACE, NAACL-HLT, 1120-1130).
A spammer's answer is what stood on the screen: left, tie or right, whichever system that was.

Variational Bayes, the default, has s_l ~ Beta(.5, .5) and ξ_l ~ Dirichlet(m/C, ..., m/C), m = 10,
and climbs a lower bound of the evidence, from random starts. The highest end is climbed on until
next to nothing changes. Where different ends are equally high, no start is to decide, and they are
averaged. EM, as in the first version of the authors' program, climbs the likelihood, with .01/C of
an answer added to each count.

C numbers a judge are few: it suits many judges with few answers each. Do not use it for labels with
an order where near misses are common, since an honest judge who is one grade off then looks like a
spammer. Spammers who all answer the same look competent to one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answer_reading import Judgments, code_answers
from evenhand.consensus.answers import Answers
from evenhand.consensus.label_fit import LabelFit
from evenhand.consensus.mace_steps import (
    Knowing,
    Odds,
    State,
    bound,
    climb,
    keep_highest,
    settle,
    start_odds,
)
from evenhand.consensus.remarks import note_answers, note_labels, require_others, sign_labels
from evenhand.consensus.skill import PRIOR, integrate_skills, list_skills
from evenhand.errors import UnknownOption, require_option
from evenhand.judgments.coding import SEED

Array = NDArray[np.float64]
METHODS: Final = ("vb", "em")
STEADY: Final = 1e-6
"""Nats per answer; a last iteration that rises by less is called converged."""
MORE: Final = 20
"""The highest end may take so many times the iterations of a start."""


@dataclass(frozen=True)
class MACE:
    """Settings.

    Attributes:
        method: vb (variational Bayes) | em.
        restarts: random starts.
        iterations: of each start; the highest end may take twenty times as many.
        know: first parameter of the Beta prior, of knowing; of vb.
        spam: second parameter, of spamming; of vb.
        strategy: m, answers that the prior of ξ is worth, all labels together; of vb. The authors'
            program has 10 for each label.
        smoothing: answers added to each count, of em; None for .01/C.
        noise: how far starts are apart: weights before scaling are 1 to 1 + noise.
        seed: of the starts.

    """

    method: str = "vb"
    restarts: int = 10
    iterations: int = 50
    know: float = 0.5
    spam: float = 0.5
    strategy: float = 10.0
    smoothing: float | None = None
    noise: float = 0.5
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: names the setting.

        """
        require_option("method", self.method, METHODS)
        for name in ("restarts", "iterations"):
            if getattr(self, name) < 1:
                raise UnknownOption(f"{name} must be at least 1")
        for name in ("know", "spam", "strategy", "noise"):
            if not getattr(self, name) > 0:
                raise UnknownOption(f"{name} must be above 0")
        if self.smoothing is not None and not self.smoothing > 0:
            raise UnknownOption("smoothing must be above 0, or None for .01 by number of labels")

    def fit(self, data: Judgments | Answers) -> LabelFit:
        """Estimate labels and competences.

        Args:
            data: judgments that name judges (and items, where they compare), or answers that were
                read from them; tasks are pooled.

        Raises:
            NotIdentified: one judge, one label, or no unit that two judges answered.
            UnknownColumn: no judge, or comparisons without items.
            InvalidJudgments: what cannot be labels.

        """
        answers = code_answers(data)
        require_others(answers)
        knowing = Knowing.of(answers)
        best, ends = self._climb_all(knowing)
        strategies = np.mean([self._strategies(knowing, one) for one in best], axis=0)
        right = np.mean([one.judge_answers(answers) for one in best], axis=0)
        wrong = strategies[answers.judge, answers.said]
        posterior = np.mean([one.posterior for one in best], axis=0)
        return LabelFit(
            model=self,
            answers=answers,
            posterior=posterior,
            skills=list_skills(answers, integrate_skills(answers.judge, right, wrong, self._coin)),
            measure="competence",
            parameters={
                "spamming": np.mean([self._spamming(knowing, one) for one in best], axis=0),
                "strategies": strategies,
            },
            loglik=None if self.method == "vb" else best[0].objective,
            objective=best[0].objective,
            steps=best[0].steps,
            converged=bool(best[0].rise < STEADY * answers.size),
            notes=(
                *note_answers(answers),
                *note_labels(answers, posterior),
                *self._note_ends(best, ends, answers.size),
            ),
            signature=sign_labels(answers, self._sign(knowing)),
        )

    def _climb_all(self, knowing: Knowing) -> tuple[list[State], list[float]]:
        """Climb from all starts; return the different ends that are highest, and all heights."""
        rng = np.random.default_rng(self.seed)
        best: list[State] = []
        ends = []
        for _ in range(self.restarts):
            start = start_odds(knowing, self.noise, rng)
            end = climb(knowing, start, self._maximise, self.iterations)
            ends.append(end.objective)
            best = keep_highest(best, end)
        most = MORE * self.iterations
        settled: list[State] = []
        for end in best:
            settled = keep_highest(settled, settle(knowing, end, self._maximise, most))
        return settled, ends

    def _maximise(self, knowing: Knowing, know: Array, spam: Array) -> Odds:
        """Return the log-weights that follow from expected counts."""
        if self.method == "em":
            return Odds.of_counts(know.sum(axis=1), spam, self._smooth(knowing))
        return bound(know.sum(axis=1), spam, (self.know, self.spam), self._pseudo(knowing))

    @property
    def _coin(self) -> tuple[float, float]:
        """The Beta prior of competence; Jeffreys' beside EM, which has none."""
        return (self.know, self.spam) if self.method == "vb" else PRIOR

    def _spamming(self, knowing: Knowing, best: State) -> Array:
        """Return the (J,) estimate of s: its mean under VB, its share of smoothed counts in EM."""
        added = [self._smooth(knowing)] * 2 if self.method == "em" else self._coin
        spammed, said = best.spam.sum(axis=1), knowing.said.sum(axis=1)
        return np.asarray((spammed + added[1]) / (said + sum(added)))

    def _strategies(self, knowing: Knowing, best: State) -> Array:
        """Return the (J, C) estimate of ξ."""
        counts = best.spam + self._pseudo(knowing)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def _smooth(self, knowing: Knowing) -> float:
        return 0.01 / knowing.labels if self.smoothing is None else self.smoothing

    def _pseudo(self, knowing: Knowing) -> float:
        """Return the answers that are added to each label of a judge's strategy."""
        return self.strategy / knowing.labels if self.method == "vb" else self._smooth(knowing)

    def _sign(self, knowing: Knowing) -> list[str]:
        starts = f"{self.restarts} x {self.iterations} iterations, noise {self.noise:g}"
        prior = f"Beta({self.know:g}, {self.spam:g}), Dirichlet({self._pseudo(knowing):.6g})"
        if self.method == "em":
            prior = f"smoothing {self._smooth(knowing):.6g}"
        return [f"MACE {self.method}, {prior}", starts, f"seed={self.seed}"]

    def _note_ends(self, best: list[State], ends: list[float], n: int) -> list[str]:
        """Say whether iterations and starts were enough, and the end is the only one."""
        notes, rise, heights = [], best[0].rise, sorted(ends, reverse=True)
        if len(best) > 1:
            notes.append(
                f"{len(best)} different ends are equally high: probabilities are their mean"
            )
        if rise >= STEADY * n:
            notes.append(
                f"the last of {best[0].steps:,} iterations still rose by {rise:.2g} nats:"
                " allow it more"
            )
        near = sum(heights[0] - end < 1 for end in heights)
        if near == 1 and len(ends) > 1:
            nearest = heights[0] - heights[1]
            notes.append(
                f"only one of {len(ends)} starts came to this end, the next to one {nearest:,.1f}"
                " nats lower: allow more starts"
            )
        return notes
