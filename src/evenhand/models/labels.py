"""Majority vote, and what fits of labels have: a unit's label is what most answers say.

    share of c among the answers to unit i = n_ic / n_i

Where two labels have the largest share no label is chosen. A judge's agreement is how often the
other answers to the same units are the judge's own. When not to use it: docs/models/labels.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import Openable, carries_excluded
from evenhand.data.exclusions import Exclusion, write_document, write_excluded
from evenhand.data.results import Shown
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.answers import Answers, Codes, Judgments, code_answers
from evenhand.models.texts import say_labels
from evenhand.numerics import Array
from evenhand.numerics.distributions import entropy_terms
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    plural,
    write_percent,
    write_signature,
)

# How often each judge is right, as far as a model can tell, with an interval. Where answers are
# counted as right or wrong, the share is Beta. Where labels are themselves uncertain, an answer is
# right with a density r and wrong with a density w, given the other answers to its unit:
#
# p(q) ∝ q^(a − 1) (1 − q)^(b − 1) Π_i (q r_i + (1 − q) w_i)
#
# To count each answer at its probability of being right would take guesses for facts: intervals of
# 95 % then held 70 to 80 % of simulated competences.

LEVEL: Final = 0.95
PRIOR: Final = (0.5, 0.5)  # Jeffreys' prior of a share: half an answer on either side
POINTS: Final = 32
ROUNDS: Final = 3
# Points of a grid with less than this share of the highest density are left outside the next
MIN_DENSITY: Final = 1e-10


@dataclass(frozen=True)
class Skill:
    judge: str  # the name
    n: int  # answers
    value: float  # posterior mean of the share that the model speaks of (proportion)
    stderr: float  # posterior standard deviation
    lower: float  # lower end of the 95 % interval
    upper: float  # upper end

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def list_skills(answers: Answers, columns: Sequence[Array]) -> tuple[Skill, ...]:
    numbers = (answers.per_judge, *columns)
    rows = zip(answers.judges, *(column.tolist() for column in numbers), strict=True)
    return tuple(Skill(*row) for row in rows)


def integrate_skills(
    judge: NDArray[np.int64], right: Array, wrong: Array, prior: tuple[float, float] = PRIOR
) -> tuple[Array, Array, Array, Array]:
    """Return (J,) mean, sd and ends of the posterior of each judge's share."""
    # Shares are sin² of an angle, over which Jeffreys' prior is flat. The grid of each judge is
    # drawn three times, each time on the part of the last that holds all but nothing of the
    # density.
    judges = int(judge.max()) + 1
    start, width = np.zeros(judges), np.full(judges, np.pi / 2 / POINTS)
    for _ in range(ROUNDS):
        angle = start[:, None] + width[:, None] * (np.arange(POINTS) + 0.5)
        share = np.sin(angle) ** 2
        logs = (2 * prior[0] - 1) * np.log(np.sin(angle))
        logs += (2 * prior[1] - 1) * np.log(np.cos(angle))
        for g in range(POINTS):
            mixed = share[:, g][judge] * (right - wrong) + wrong
            logs[:, g] += np.bincount(judge, np.log(mixed), judges)
        # the posterior density, 1 at the highest of each judge
        density = np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))
        held = density > MIN_DENSITY
        first = np.maximum(held.argmax(axis=1) - 1, 0)
        last = np.minimum(POINTS + 1 - held[:, ::-1].argmax(axis=1), POINTS)
        drawn, step = start, width
        start, width = start + first * width, (last - first) * width / POINTS
    weight = density / density.sum(axis=1, keepdims=True)
    mean = (weight * share).sum(axis=1)
    stderr = np.sqrt((weight * (share - mean[:, None]) ** 2).sum(axis=1))
    below, rows, ends = weight.cumsum(axis=1), np.arange(judges), []
    for probability in ((1 - LEVEL) / 2, (1 + LEVEL) / 2):
        cell = (below < probability).sum(axis=1)
        place = cell + 1 - (below[rows, cell] - probability) / weight[rows, cell]
        ends.append(np.sin(drawn + step * place) ** 2)
    return mean, stderr, ends[0], ends[1]


NO_LABEL: Final = -1
# Probabilities that differ by no more are equal: the model does not say which label is right
MAX_TIED_DIFFERENCE: Final = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class LabelFit(Shown):
    """Labels of units, and judges."""

    model: object  # the settings: DawidSkene, MACE or the majority
    answers: Answers  # what was fitted; it names judges, units and labels
    posterior: Array  # (U, C) probability of each label (of the majority: share of answers)
    skills: tuple[Skill, ...]  # every judge, by name
    measure: str  # what a skill is: "accuracy", "competence" or "agreement"
    # further estimates by name, such as "shares" (C,), "confusion" (J, C, C) of Dawid and Skene's
    # model, "spamming" (J,) and "strategies" (J, C) of MACE
    parameters: Mapping[str, Array]
    loglik: float | None  # log-likelihood (nats); None where there is none
    objective: float | None  # what was climbed, as the bound of the evidence; None where nothing
    steps: int  # iterations of the fit that is returned
    converged: bool  # whether the last of them changed next to nothing
    notes: tuple[str, ...]  # what must stand beside it
    signature: str  # one line that reproduces it
    kept: NDArray[np.bool_] | None = None  # (U,) units whose label is not withheld; None: all
    # model → units to which it gives the same label, and units to which both give one
    others: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @cached_property
    def best(self) -> Codes:
        """(U,) code of the most probable label, −1 where two are equal or it is withheld."""
        best = choose_labels(self.posterior)
        return best if self.kept is None else np.where(self.kept, best, NO_LABEL)

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """Label of each unit: a score, a system, or "tie"; None where there is none."""
        name, best = self.answers.name_label, enumerate(self.best.tolist())
        return tuple(None if label == NO_LABEL else name(unit, label) for unit, label in best)

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
        counts = np.bincount(self.best[self.best != NO_LABEL], minlength=len(self.answers.labels))
        return dict(zip(self.answers.labels, (counts / len(self.best)).tolist(), strict=True))

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
        certain = self.most_certain(share)
        note = say_labels("threshold", share=share, n=int((~certain).sum()))
        return replace(self, kept=certain, notes=(*self.notes, note))

    def compare(self, other: LabelFit) -> tuple[int, int]:
        """Count units on which two models agree, and units to which both give a label.

        Args:
            other: a fit to the same answers.
        """
        both = (self.best != NO_LABEL) & (other.best != NO_LABEL)
        return int((self.best == other.best)[both].sum()), int(both.sum())

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        labelled = int((self.best != NO_LABEL).sum())
        sure = int((self.confidence >= SURE_PROBABILITY)[self.best != NO_LABEL].sum())
        units = plural(self.answers.units, *self._unit)
        values = np.array([one.value for one in self.skills])
        low, median, high = np.quantile(values, [0.1, 0.5, 0.9]).tolist()
        about = {"labelled": labelled, "units": units, "sure": sure, "level": SURE_PROBABILITY}
        spread = {"measure": self.measure.capitalize(), "low": low, "median": median, "high": high}
        none = 1 - sum(self.shares.values())
        named = {f"{name}:": part for name, part in self.shares.items()}
        if self.answers.of_pairs:
            tie = self.shares.get("tie", 0.0)
            named = {"a system preferred": 1 - none - tie, "tie": tie}
        named |= {"none": none} if (self.best == NO_LABEL).any() else {}
        shares = [f"{name} {write_percent(part)}" for name, part in named.items()]
        compared = [(name, same / both) for name, (same, both) in self.others.items() if both]
        others = ", ".join(f"{name} {write_percent(share)}" for name, share in compared)
        return (
            say_labels("label" if labelled == 1 else "labels", **about),
            say_labels("shares", shares=", ".join(shares)),
            say_labels("skills", **spread),
            *([say_labels("other-models", shares=others)] if others else []),
        )

    @property
    def _unit(self) -> tuple[str, str]:
        pair = ("pair of outputs", "pairs of outputs")
        return pair if self.answers.of_pairs else ("output", "outputs")

    def records(self, units: Codes | None = None) -> list[dict[str, Any]]:
        """Return a row for each unit: what it is, its label and how sure that is.

        Args:
            units: codes of the units that are wanted, in order; None for all.
        """
        codes = range(len(self.best)) if units is None else units.tolist()
        return [
            {
                **self.answers.describe_unit(unit),
                "label": None if label == NO_LABEL else self.answers.name_label(unit, label),
                "probability": float(self.confidence[unit]),
                "entropy": float(self.entropy[unit]),
                "answers": int(self.answers.per_unit[unit]),
            }
            for unit, label in zip(codes, self.best[list(codes)].tolist(), strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand labels --json`."""
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
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
            "says": list(map(str, self.says)),
            "findings": describe_findings(self.notes),
            "others": {n: {"same": same, "both": both} for n, (same, both) in self.others.items()},
            "judges": [one.to_dict() for one in self.skills],
            "units": self.records(),
        }

    def document(self) -> Document:
        """Return what people read: the least certain labels, judges at both ends, findings."""
        answers = self.answers
        low, high = answers.per_unit.min(), answers.per_unit.max()
        each = f"{low}" if low == high else f"{low} to {high}"
        units = f"{answers.units:,} {self._unit[answers.units != 1]}"
        counts = f"{plural(answers.size, 'answer')} of {plural(len(answers.judges), 'judge')}"
        names = [name for name, (values, _) in answers.columns.items() if len(values) > 1]
        columns = (
            *(Column(name, name, "name") for name in (*names, "label")),
            Column("probability", "probability", "two"),
            Column("answers", "answers", "count"),
        )
        rows = tuple(self.records(self.least_certain(MAX_UNITS_SHOWN)))
        caption = "Least certain labels" if answers.units > MAX_UNITS_SHOWN else "Labels"
        # judges whose reliability is surely low or high; all of them if they are few
        skills = sorted(self.skills, key=lambda one: (one.upper, one.judge))
        ends, border = f"Judges by {self.measure}", 0
        if len(skills) > 2 * MAX_JUDGES_SHOWN:
            rest = sorted(skills[MAX_JUDGES_SHOWN:], key=lambda one: (one.lower, one.judge))
            skills = [*skills[:MAX_JUDGES_SHOWN], *rest[-MAX_JUDGES_SHOWN:]]
            ends, border = f"Judges with the lowest and highest {self.measure}", MAX_JUDGES_SHOWN
        else:
            skills.sort(key=lambda one: one.value)
        of_skills = (
            Column("judge", "judge", "name"),
            Column("n", "answers", "count"),
            Column("value", self.measure, "two"),
            Column(("lower", "upper"), "95 % interval", "interval"),
        )
        shown = tuple(one.to_dict() for one in skills)
        judges = Table("judges", ends, of_skills, shown, (border,))
        return write_document(
            self,
            Table("labels", caption, columns, rows),
            judges,
            basis=f"{counts} to {units}, {each} each. Model {type(self.model).__name__}.",
            csv_rows=tuple(self.records()),
        )


MAX_UNITS_SHOWN: Final = 10
MAX_JUDGES_SHOWN: Final = 5  # Judges at either end who are shown
SURE_PROBABILITY: Final = 0.95  # Probability from which a label is called sure in words


def choose_labels(posterior: Array) -> Codes:
    second = np.partition(posterior, -2, axis=1)[:, -2] if posterior.shape[1] > 1 else 0.0
    alone = posterior.max(axis=1) - second > MAX_TIED_DIFFERENCE
    return np.where(alone, posterior.argmax(axis=1), NO_LABEL).astype(np.int64)


# What must stand beside labels, when there can be none, and the line that reproduces them.

# Answers of a judge from which labels that are called sure are right, 19 of 20 of them at least,
# but for judges who are hardly better than chance
MIN_ANSWERS_PER_JUDGE: Final = 200


class LabelModel:
    """Settings of a model of judges who are not equally reliable."""

    @carries_excluded("controls")
    def fit(self, data: Judgments | Answers | Openable) -> LabelFit:
        """Estimate labels, and how reliable judges are.

        Args:
            data: judgments that name judges (and items, where they compare), or answers that were
                read from them; tasks are pooled.

        Raises:
            NotIdentified: one judge, one label, or no unit that two judges answered.
            UnknownColumn: no judge, or comparisons without items.
            InvalidJudgments: what cannot be labels.
        """
        answers = code_answers(data)
        if len(answers.judges) < 2:
            raise NotIdentified(
                f"only {answers.judges[0]} answered: there is nobody to compare a judge with",
                ["collect answers of others", "take this judge's answers as they are"],
            )
        if not answers.shared:
            raise NotIdentified(
                "no unit was answered by two judges, so that nothing tells a good judge from a bad"
                " one",
                ["collect second answers", "say which column is the item (--column item=NAME)"],
            )
        if len(answers.labels) < 2:
            raise NotIdentified(
                f"every answer is {answers.labels[0]}: nothing tells a good judge from one who does"
                " not look",
                ["take that label for all", "collect answers that can differ"],
            )
        return self._fit(answers)

    def _fit(self, answers: Answers) -> LabelFit:
        raise NotImplementedError


def note_labels(
    answers: Answers, posterior: Array, *, counted: bool = False
) -> list[str | Finding]:
    """Note what answers lack, units without a label, and labels that seem surer than they are.

    The last not where answers are only `counted`.
    """
    notes: list[str | Finding] = [*answers.notes]
    if answers.repeated:
        notes.append(say_labels("repeated-answers", n=answers.repeated))
    alone = int((answers.per_unit == 1).sum())
    if alone:
        notes.append(say_labels("single-answers", n=alone))
    if answers.units and answers.per_unit.max() == 2:
        notes.append(say_labels("two-answers", "warning"))
    none = int((choose_labels(posterior) == NO_LABEL).sum())
    if none:
        notes.append(say_labels("no-label", n=none))
    # judges' reliability may be too weakly known for probabilities near 1
    usual = int(np.median(np.bincount(answers.judge)[answers.judge]))
    sure = (posterior.max(axis=1) >= SURE_PROBABILITY).any()
    if sure and usual < MIN_ANSWERS_PER_JUDGE and not counted:
        numbers = {"usual": usual, "needed": MIN_ANSWERS_PER_JUDGE, "level": SURE_PROBABILITY}
        notes.append(say_labels("few-answers-per-judge", "warning", **numbers))
    return notes


def sign_labels(answers: Answers, settings: Iterable[str]) -> str:
    parts = [*settings, f"{answers.units} units"]
    return write_signature(parts, answers.size, answers.digest, judges=len(answers.judges))


@dataclass(frozen=True)
class MajorityVote:
    @carries_excluded("controls")
    def fit(self, data: Judgments | Answers | Openable) -> LabelFit:
        from scipy.special import betaincinv

        answers = code_answers(data)
        posterior = answers.shares
        # an answer to a unit with m other answers, k of them the same, is k/m of an agreement
        rest = answers.per_unit[answers.unit] - 1
        same = answers.counts[answers.unit, answers.label] - 1
        met, j = rest > 0, len(answers.judges)
        agreed = np.bincount(answers.judge[met], same[met] / rest[met], j).astype(np.float64)
        others = np.bincount(answers.judge[met], minlength=j).astype(np.float64)
        a, b = agreed + PRIOR[0], others - agreed + PRIOR[1]
        mean = a / (a + b)
        stderr = np.sqrt(mean * (1 - mean) / (a + b + 1))
        lower, upper = (betaincinv(a, b, q) for q in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
        return LabelFit(
            model=self,
            answers=answers,
            posterior=posterior,
            skills=list_skills(answers, (mean, stderr, lower, upper)),
            measure="agreement",
            parameters={"shares": posterior.mean(axis=0)},
            loglik=None,
            objective=None,
            steps=0,
            converged=True,
            notes=tuple(note_labels(answers, posterior, counted=True)),
            signature=sign_labels(answers, ["majority vote"]),
        )
