"""What a model of labels found: a label for each unit, how sure, and how good each judge is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answers import Answers, Codes
from evenhand.consensus.skill import Skill
from evenhand.errors import UnknownOption
from evenhand.judgments.notebook import InNotebooks
from evenhand.numerics.distributions import entropy_terms

if TYPE_CHECKING:
    from evenhand.consensus.dawid_skene import DawidSkene
    from evenhand.consensus.mace import MACE
    from evenhand.consensus.majority import MajorityVote

Array = NDArray[np.float64]
NONE: Final = -1
EQUAL: Final = 1e-3
"""Probabilities that differ by no more are equal: the model does not say which label is right."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelFit(InNotebooks):
    """Labels of units, and judges.

    Attributes:
        model: the settings.
        answers: what was fitted; it names judges, units and labels.
        posterior: (U, C) probability of each label (of the majority: share of answers).
        skills: every judge, by name.
        measure: what a skill is: "accuracy", "competence" or "agreement".
        parameters: further estimates by name: "shares" (C,), "confusion" (J, C, C), "spamming"
            (J,), "strategies" (J, C), as far as the model has them.
        loglik: log-likelihood (nats); None where there is none.
        objective: what was climbed, such as the lower bound of the evidence; None where nothing.
        steps: iterations of the fit that is returned.
        converged: whether the last of them changed next to nothing.
        notes: what must stand beside it.
        signature: one line that reproduces it.
        kept: (U,) mask of the units whose label is not withheld; None where all are kept.

    """

    model: DawidSkene | MACE | MajorityVote
    answers: Answers
    posterior: Array
    skills: tuple[Skill, ...]
    measure: str
    parameters: Mapping[str, Array]
    loglik: float | None
    objective: float | None
    steps: int
    converged: bool
    notes: tuple[str, ...]
    signature: str
    kept: NDArray[np.bool_] | None = None

    @cached_property
    def best(self) -> Codes:
        """(U,) code of the most probable label, −1 where two are equal or it is withheld."""
        best = choose_labels(self.posterior)
        return best if self.kept is None else np.where(self.kept, best, NONE)

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """Label of each unit: a score, a system, or "tie"; None where there is none."""
        name = self.answers.name_label
        return tuple(name(u, c) if c != NONE else None for u, c in enumerate(self.best.tolist()))

    @cached_property
    def confidence(self) -> Array:
        """(U,) probability of the most probable label."""
        return np.asarray(self.posterior.max(axis=1))

    @cached_property
    def entropy(self) -> Array:
        """(U,) entropy of the labels' probabilities (nats); 0 is certainty."""
        return np.asarray(np.maximum(-entropy_terms(self.posterior).sum(axis=1), 0.0))

    @cached_property
    def shares(self) -> dict[str, float]:
        """Share of units with each label; what is lacking to 1 has none."""
        found = np.bincount(self.best[self.best != NONE], minlength=len(self.answers.labels))
        return dict(zip(self.answers.labels, (found / len(self.best)).tolist(), strict=True))

    def most_certain(self, share: float) -> NDArray[np.bool_]:
        """Find the units of which the model is surest, as MACE's `--threshold` does.

        Units are sorted by entropy; all are kept whose entropy is at most that of number
        ⌊share · U⌋ (from 0), so that equal units stand or fall together.

        Args:
            share: proportion of units to keep.

        Returns:
            (U,) mask.

        Raises:
            UnknownOption: not a proportion.

        """
        if not 0 <= share <= 1:
            raise UnknownOption(f"threshold {share:g} is no share of the units: give 0 to 1")
        at = min(int(len(self.entropy) * share), len(self.entropy) - 1)
        return np.asarray(self.entropy <= np.partition(self.entropy, at)[at])

    def least_certain(self, number: int) -> Codes:
        """Return the codes of some units, those whose label is least probable first.

        Among equally probable ones the higher entropy comes first, then the order of units.

        Args:
            number: how many.

        """
        return np.lexsort((-self.entropy, self.confidence))[:number]

    def keep(self, share: float) -> LabelFit:
        """Withhold the labels of all but the most certain units; see `most_certain`.

        Raises:
            UnknownOption: not a proportion.

        """
        kept = self.most_certain(share)
        note = f"threshold {share:g}: labels of the {(~kept).sum():,} least certain are withheld"
        return replace(self, kept=kept, notes=(*self.notes, note))

    def compare(self, other: LabelFit) -> tuple[int, int]:
        """Count units on which two models agree, and units to which both give a label.

        Args:
            other: a fit to the same answers.

        """
        both = (self.best != NONE) & (other.best != NONE)
        return int((self.best == other.best)[both].sum()), int(both.sum())

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        units, found = len(self.best), int((self.best != NONE).sum())
        sure = int((self.confidence >= SURE)[self.best != NONE].sum())
        values = np.array([one.value for one in self.skills])
        low, middle, high = np.quantile(values, [0.1, 0.5, 0.9]).tolist()
        have = "has" if found == 1 else "have"
        return (
            f"{found:,} of {units:,} unit{'' if units == 1 else 's'} {have} a label; {sure:,}"
            f" label{' is' if sure == 1 else 's are'} at least {100 * SURE:g} % probable",
            f"{self.measure} of the middle judge {middle:.2f}, of the lowest tenth below {low:.2f},"
            f" of the highest above {high:.2f}",
        )

    def records(self, units: Codes | None = None) -> list[dict[str, Any]]:
        """Return a row for each unit: what it is, its label and how sure that is.

        Args:
            units: codes of the units that are wanted, in order; None for all.

        """
        rows = range(len(self.best)) if units is None else units.tolist()
        return [self._record(unit) for unit in rows]

    def _record(self, unit: int) -> dict[str, Any]:
        label = int(self.best[unit])
        return {
            **self.answers.describe_unit(unit),
            "label": self.answers.name_label(unit, label) if label != NONE else None,
            "probability": float(self.confidence[unit]),
            "entropy": float(self.entropy[unit]),
            "answers": int(self.answers.per_unit[unit]),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand labels --json`."""
        return {
            "signature": self.signature,
            "model": repr(self.model),
            "n_answers": self.answers.size,
            "n_units": self.answers.units,
            "n_judges": len(self.answers.judges),
            "shares": self.shares,
            "loglik": self.loglik,
            "objective": self.objective,
            "steps": self.steps,
            "converged": self.converged,
            "measure": self.measure,
            "says": list(self.says),
            "notes": list(self.notes),
            "judges": [one.to_dict() for one in self.skills],
            "units": self.records(),
        }

    def __repr__(self) -> str:
        return "\n".join([*self.says, *(f"note: {note}" for note in self.notes), self.signature])


SURE: Final = 0.95
"""Probability from which a label is called sure in words."""


def choose_labels(posterior: Array) -> Codes:
    """Return the most probable label of each unit, −1 where two are equally probable.

    >>> choose_labels(np.array([[0.2, 0.8], [0.5, 0.5]])).tolist()
    [1, -1]
    """
    best = posterior.argmax(axis=1)
    second = np.partition(posterior, -2, axis=1)[:, -2] if posterior.shape[1] > 1 else 0.0
    return np.where(posterior.max(axis=1) - second > EQUAL, best, NONE).astype(np.int64)
