"""Dawid and Skene's model: every judge has a table of errors, and labels follow from all of them.

    P(T_i = c) = π_c,    P(a_il = d | T_i = c) = θ_l[c, d]

By EM (Dawid & Skene 1979, Applied Statistics 28:20-28, equations 2.3 to 2.5) from the shares of
answers, which say what label is which: every permutation of labels fits as well. Pseudo-answers
keep one mistake from outweighing everybody else, so that what climbs is the likelihood times
Dirichlet priors. When not to use it: docs/models/labels.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.errors import UnknownOption
from evenhand.models import labels
from evenhand.models.answers import Answers, Incidence, softmax
from evenhand.models.texts import say_labels

ITERATIONS: Final = 2000
STEP: Final = 1e-6
# Expected answers where a label is right, below which nothing is said of them
MIN_ANSWERS: Final = 5


@dataclass(frozen=True)
class DawidSkene(labels.LabelModel):
    """Settings.

    Attributes:
        prior: p, units added to the shares of labels, all labels together.
        smoothing: ε, answers added to each cell of a judge's table.
        diagonal: δ, right answers added to each label of a judge's table.
        tolerance: EM stops when the log-posterior rises by less, per answer (nats).
        iterations: most iterations.
    """

    prior: float = 1.0
    smoothing: float = 0.01
    diagonal: float = 1.0
    tolerance: float = STEP
    iterations: int = ITERATIONS

    def __post_init__(self) -> None:
        for name, least in (("prior", 0.0), ("smoothing", 0.0)):
            if not getattr(self, name) > least:
                raise UnknownOption(f"{name} must be above 0, however small: 1e-10 is next to none")
        if self.diagonal < 0 or self.tolerance < 0 or self.iterations < 1:
            raise UnknownOption("diagonal and tolerance are not negative, iterations at least 1")

    def _fit(self, answers: Answers) -> labels.LabelFit:
        incidence, c = Incidence.of(answers), len(answers.labels)
        posterior, before, steps = answers.shares, -np.inf, 0
        while True:
            steps += 1
            expected = incidence.to_judges(posterior).swapaxes(1, 2)  # (J, C, C) at [l, c, d]
            shares = posterior.sum(axis=0) + self.prior / c
            log_shares = np.log(shares / shares.sum())
            counts = expected + self.smoothing + self.diagonal * np.eye(c)
            log_theta = np.log(counts / counts.sum(axis=2, keepdims=True))
            posterior, log_sums = softmax(log_shares + incidence.to_units(log_theta.swapaxes(1, 2)))
            loglik = float(log_sums.sum())
            # the logs of the Dirichlet priors whose modes the pseudo-answers make
            diagonal = self.diagonal * np.einsum("lcc->", log_theta)
            priors = self.prior * log_shares.mean() + self.smoothing * log_theta.sum() + diagonal
            objective = loglik + float(priors)
            converged = bool(objective - before < self.tolerance * answers.size)
            if converged or steps == self.iterations:
                break
            before = objective
        confusion = np.exp(log_theta)
        # how probable it is that each answer is right by what the others say: what the answer
        # itself adds to its unit's label is taken out again
        table = confusion.swapaxes(1, 2)[answers.judge, answers.shown]  # (n, C), as shown
        table = np.where(answers.swapped[:, None], table[:, ::-1], table)
        others = posterior[answers.unit] / table
        right = others[np.arange(answers.size), answers.label] / others.sum(axis=1)
        skills = labels.integrate_skills(answers.judge, right, (1 - right) / (c - 1))
        notes = labels.note_labels(answers, posterior)
        # All judges together are looked at first: labels may have changed places. Labels that are
        # right for less than five expected answers, of all or of a judge, are passed over.
        pooled = expected.sum(axis=0)
        for at, label in enumerate(answers.spoken):
            if pooled[at].sum() >= MIN_ANSWERS and pooled[at].max() > pooled[at, at]:
                other = answers.spoken[int(pooled[at].argmax())]
                notes.append(say_labels("label-switching", "warning", label=label, other=other))
        turned = confusion.max(axis=2) > np.einsum("lcc->lc", confusion)
        turned &= expected.sum(axis=2) >= MIN_ANSWERS
        for at, label in enumerate(answers.spoken):
            names = [answers.judges[i] for i in np.flatnonzero(turned[:, at]).tolist()]
            if names:
                count = {"n": len(names), "judges": len(answers.judges)}
                notes.append(say_labels("reversed-judges", label=label, names=names, **count))
        if not converged:
            notes.append(say_labels("not-converged", "warning", steps=steps))
        prior = f"prior {self.prior:g}, smoothing {self.smoothing:g}, diagonal {self.diagonal:g}"
        stop = f"tolerance {self.tolerance:g}, at most {self.iterations} iterations"
        return labels.LabelFit(
            model=self,
            answers=answers,
            posterior=posterior,
            skills=labels.list_skills(answers, skills),
            measure="accuracy",
            parameters={"shares": np.exp(log_shares), "confusion": confusion},
            loglik=loglik,
            objective=objective,
            steps=steps,
            converged=converged,
            notes=tuple(notes),
            signature=labels.sign_labels(answers, [f"Dawid-Skene, {prior}", stop]),
        )
