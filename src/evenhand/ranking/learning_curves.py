"""How many comparisons are enough for a model, from its learning curve.

What is read off the curve is what was measured: how near smaller training sets come to the largest,
and what the last doubling gained. Beyond the largest size nothing was measured. Parameters of K
systems cost a mean loss of about K/(2n ln 2) bits, so that gains halve with every doubling once the
model is near its limit; models that share information more slowly gain like 1/√n. Both ends are
said: if each doubling gains a factor f of the one before, all that follow gain f/(1 − f) of it. A
power law fitted to six points would say more, and its exponent rests on the smallest of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import takewhile
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from evenhand import errors
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import OF_SYSTEMS, Openable, carries_excluded, takes_judgments
from evenhand.data.exclusions import Exclusion, list_findings, write_contract, write_document
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.data.votes import (
    Votes,
    digest_votes,
    recode_systems,
    sort_votes,
    split_tasks,
    take_task,
)
from evenhand.models.base import FittedModel
from evenhand.models.registry import Models, Wanted, make_models, say_models
from evenhand.numerics import Array, Flags
from evenhand.numerics.cluster_means import Estimate, bound, leave_out
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.by_model import UNIFORM_MODELS, estimate_abilities
from evenhand.ranking.cross_validation import (
    LEVEL,
    HeldOut,
    Progress,
    Rows,
    Trained,
    average,
    count_answers,
    count_sides,
    list_ends,
    open_comparisons,
    raise_bits,
    say_votes,
    train,
)
from evenhand.ranking.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    take_findings,
    write_signature,
)

# Which votes are held out (Hopkins & May 2013): of a task the comparisons of items that are in at
# most k comparisons, k the smallest number with 2,000 such comparisons; the rest trains. Items that
# few comparisons are on were not picked for any purpose, and come near to an even sample.

MIN_HELD_OUT: Final = 2000  # Held-out comparisons of a task, at least
SIZES: Final = (100, 200, 400, 800, 1600, 3200)
TRIALS: Final = 5


def hold_out_rare_items(votes: Votes, least: int = MIN_HELD_OUT) -> tuple[int, Flags]:
    """Return k and which votes of a task are held out: those on items with at most k."""
    if votes.items == ("",):
        raise errors.UnknownColumn(
            "there is no item column, and the test set is made of items with few comparisons: map"
            " one (--column item=NAME), or cross-validate"
        )
    if votes.size < least:
        raise errors.NotIdentified(
            f"{votes.size:,} comparisons are fewer than the {least:,} to hold out",
            ["hold out fewer (--hold-out)", "cross-validate (without --curves)"],
        )
    load = np.bincount(votes.item)[votes.item]
    most = int(np.sort(load)[least - 1])
    held = load <= most
    if held.all():
        raise errors.NotIdentified(
            f"no item has more than {most} comparisons: with {least:,} held out nothing is left to"
            " train on",
            ["hold out fewer (--hold-out)", "cross-validate (without --curves)"],
        )
    return most, held


def draw_subset(rows: Rows, size: int, seed: int, at: tuple[int, ...]) -> Rows:
    """Draw so many rows, in their order; all of them where there are no more."""
    if len(rows) <= size:
        return rows
    rng = np.random.Generator(np.random.PCG64([seed, *at]))
    return rows[np.sort(rng.choice(len(rows), size, replace=False))]


# How sure means over random training subsets are, beside how sure held-out votes leave them.
#
# V = V_votes + Σ_t s²_t / (R T²),   ν = V² / (V²_votes / ν_votes + V²_trials / (T′ (R − 1)))
#
# s²_t is the variance between the R trials of task t, T′ the tasks whose trials differ: those whose
# training votes are taken whole do not. ν is after Satterthwaite (1946), Biometrics Bulletin
# 2:110-114.


def find_chance(trials: Array) -> tuple[float, float]:
    """Return the variance of a mean over (T, R) values by trials, 0 of one trial, and its df."""
    tasks, each = trials.shape
    if each == 1:
        return 0.0, 0.0
    moved = trials - trials[:, :1]  # trials that are all alike have no variance at all
    variance = moved.var(axis=1, ddof=1)
    varying = int(np.count_nonzero(variance))
    return float(variance.sum()) / each / tasks**2, float(varying * (each - 1))


def join_df(votes: float, votes_df: float, chance: float, chance_df: float) -> float:
    if chance == 0:
        return votes_df
    return (votes + chance) ** 2 / (votes**2 / votes_df + chance**2 / chance_df)


@dataclass(frozen=True)
class TestSet:
    __test__ = False  # no test of ours, whatever its name

    task: str  # the task; "" where there are none
    most: int  # comparisons of a held-out item, at most: k of the rule
    items: int  # held-out items
    test: int  # held-out comparisons
    train: int  # comparisons that training subsets are drawn from
    shared: int = 0  # those of them that are on held-out items, by others


@dataclass(frozen=True)
class Refusal:
    model: str  # the model
    task: str  # the task
    size: int  # votes that it was to be trained on
    trial: int  # which of the random subsets, from 1
    why: str  # in words


@dataclass(frozen=True)
class CurvePoint:
    """A model at one training size, averaged over tasks and trials."""

    model: str  # the model
    size: int  # votes that it was trained on, or the whole set where that is smaller
    perplexity: float | None  # mean perplexity; None unless every trial stands
    lower: float | None  # lower end of its interval, 1 at least, or None
    upper: float | None  # upper end
    spread: float | None  # standard deviation between trials of a task, or None with one trial
    loss: float | None  # mean loss (bits)
    refused: int  # trials that came to nothing
    trials: int  # trials of all tasks


@dataclass(frozen=True)
class Ability:
    """A system by a model trained on each subset of one size, 0 the average system."""

    system: str  # the system
    ability: float  # mean over the subsets
    spread: float | None  # standard deviation between them, or None with one subset
    lower: float | None  # mean ends of the model's intervals; None of models without any
    upper: float | None


@dataclass(frozen=True, repr=False)
class Enough(Shown):
    """How many comparisons are enough for a model, as far as the largest training set shows."""

    model: str  # the model
    size: int  # the smallest size within the margin of the largest size's perplexity
    sure: int | None  # the smallest from which on it surely is, at the intervals' level, or None
    largest: int  # the largest training size that some task fills
    margin: float  # perplexity that is not worth collecting for
    gain: float | None  # by how much perplexity fell over the last doubling, or None with one size
    gain_lower: float | None  # lower end of its interval
    gain_upper: float | None  # upper end
    left_if_fast: float | None  # what more would gain if gains halve, as 1/n; None without a gain
    left_if_slow: float | None  # the same if it gains .71 of it, as 1/√n
    left_lower: float | None  # what they would gain fast, the last gain being the lower end
    left_upper: float | None  # and slowly, if it were the upper end
    tasks: int  # tasks whose training sets are that large, on which all of this rests
    smaller: tuple[str, ...]  # the other tasks, which are excluded
    sizes: tuple[int, ...]  # training sizes that were compared, ascending

    @property
    def says(self) -> tuple[str, ...]:
        sentences, one_size = [self._say_near()], len(self.sizes) == 1
        if self.gain is None:
            sentences.append(say("gain-unknown") if one_size else say("no-half", size=self.largest))
        else:
            ends = {"lower": self.gain_lower, "upper": self.gain_upper}
            sentences.append(say("gained", size=self.largest, gain=self.gain, **ends))
            if self.left_if_fast is None:
                perhaps = (self.gain_upper or 0.0) > 0
                sentences.append(say("perhaps-no-gain" if perhaps else "no-gain"))
            else:
                ends = {"lower": self.left_lower, "upper": self.left_upper}
                rates = {"fast": self.left_if_fast, "slow": self.left_if_slow}
                sentences.append(say("left", size=self.largest, **rates, **ends))
        if self.smaller:
            many = {"filled": self.tasks, "tasks": self.tasks + len(self.smaller)}
            smaller = errors.listing(self.smaller)
            sentences.append(say("some-tasks", size=self.largest, smaller=smaller, **many))
        return tuple(sentences)

    def document(self) -> Document:
        return Document(answer=self.says)

    def _say_near(self) -> Finding:
        if len(self.sizes) == 1:
            return say("one-size", model=self.model, size=self.largest)
        values = {"model": self.model, "margin": self.margin}
        if self.size == self.largest:
            return say("still-falling", size=self.largest, **values)
        values |= {"size": self.size, "largest": self.largest}
        if self.sure is None:
            return say("enough", **values)
        return say("enough-surely", sure=self.sure, **values)


# For every task, training size and trial a random subset of the training votes is drawn, every
# model is trained on it and predicts the task's held-out votes (Hopkins & May 2013, section 8).

OVERLAPS: Final = ("keep", "drop")


@dataclass(frozen=True)
class Protocol:
    sizes: tuple[int, ...] = SIZES  # training sizes, ascending
    trials: int = TRIALS  # random subsets of each
    least: int = MIN_HELD_OUT  # held-out comparisons of a task, at least
    overlap: str = "keep"  # "keep" training votes on held-out items, or "drop" them
    seed: int = 0  # of the subsets

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1 or list(self.sizes) != sorted(set(self.sizes)):
            raise errors.UnknownOption(
                f"sizes cannot be {list(self.sizes)}: they are whole numbers from 1, ascending"
            )
        for name, value in (("trials", self.trials), ("least", self.least)):
            if value < 1:
                raise errors.UnknownOption(f"{name} cannot be {value}: 1 is the least")
        if self.overlap not in OVERLAPS:
            raise errors.UnknownOption(f"overlap cannot be '{self.overlap}': choose keep | drop")


class Material(NamedTuple):
    """One task, divided; both parts name the same systems."""

    test_set: TestSet
    rows: Rows
    test: Votes
    train: Votes


@dataclass(frozen=True, eq=False)
class Division:
    tasks: tuple[Material, ...]  # those that could be
    held_out: Votes  # their held-out votes, task after task
    refused: Mapping[str, str]  # task → why it could not


def divide_tasks(votes: Votes, training: Votes | None, protocol: Protocol) -> Division:
    votes = votes.take(sort_votes(votes))
    training = None if training is None else training.take(sort_votes(training))
    others = {} if training is None else split_tasks(training)
    tasks: list[Material] = []
    refused: dict[str, str] = {}
    for task, rows in split_tasks(votes).items():
        part = take_task(votes, rows)
        if training is not None and task not in others:
            refused[task] = "there is nothing to train on"
            continue
        try:
            most, apart = hold_out_rare_items(part, protocol.least)
        except errors.NotIdentified as refusal:
            refused[task] = str(refusal)
            continue
        test, held, shared = part.take(apart), rows[apart], 0
        items = np.unique(test.item).tolist()
        rest = part.take(~apart)
        if training is not None:
            rest, names = take_task(training, others[task]), {part.items[i] for i in items}
            on_held = np.array([item in names for item in rest.items])[rest.item]
            shared = 0 if protocol.overlap == "drop" else int(on_held.sum())
            rest = rest.take(~on_held) if protocol.overlap == "drop" else rest
            if not rest.size:
                refused[task] = "all votes that could be trained on are on held-out items"
                continue
            systems = sorted({*part.systems, *rest.systems})
            test, rest = recode_systems(test, systems), recode_systems(rest, systems)
        test_set = TestSet(task, most, len(items), test.size, rest.size, shared)
        tasks.append(Material(test_set, held, test, rest))
    if not tasks:
        task, why = next(iter(refused.items()))
        raise errors.NotIdentified(f"{task}: {why}" if task else why)
    return Division(tuple(tasks), votes.take(np.concatenate([one.rows for one in tasks])), refused)


def trace(
    tasks: Sequence[Material], models: Models, protocol: Protocol, progress: Progress | None = None
) -> dict[str, Any]:
    """Train and predict; return what of it stands in `LearningCurves`."""
    runs = len(protocol.sizes), protocol.trials, len(models)
    losses = np.full((len(models), len(tasks), *runs[:2]), np.nan)
    deviations = [np.zeros((len(models), runs[0], task.test.size)) for task in tasks]
    refusals: list[Refusal] = []
    seconds, done = dict.fromkeys(models, 0.0), 0
    fits: dict[str, list[FittedModel]] = {name: [] for name in models}
    # The size whose fits are kept: only of one task are abilities those of the same systems
    kept = find_largest(protocol.sizes, [tasks[0].test_set]) if len(tasks) == 1 else None
    with one_blas_thread():
        for t, task in enumerate(tasks):
            rows, whole = np.arange(task.train.size), dict[str, Trained]()
            stream = int.from_bytes(sha256(task.test_set.task.encode()).digest()[:8])
            for s, r, m in np.ndindex(*runs):
                name, size = list(models)[m], protocol.sizes[s]
                if m == 0:  # all models see the same subset
                    subset = draw_subset(rows, size, protocol.seed, (stream, size, r))
                    votes = task.train.take(subset) if len(subset) < len(rows) else task.train
                if name in whole and votes is task.train:  # the whole set is trained on once
                    trained = replace(whole[name], seconds=0.0)
                else:
                    trained = train(models[name], votes, task.test)
                    if votes is task.train:
                        whole[name] = trained
                seconds[name] += trained.seconds
                if trained.losses is None:
                    refusals.append(Refusal(name, task.test_set.task, size, r + 1, trained.why))
                else:
                    losses[m, t, s, r] = mean = average(trained.losses)
                    moved = np.log(2) * np.exp2(mean) * (trained.losses - mean)
                    deviations[t][m, s] += moved / protocol.trials
                    if size == kept and name not in UNIFORM_MODELS:
                        fits[name].append(trained.fit)
                done += 1
                if progress is not None:
                    progress(done, len(tasks) * prod(runs))
            deviations[t][np.isnan(losses[:, t]).any(axis=2)] = 0.0
    every = {"losses": losses, "deviations": np.concatenate(deviations, axis=2)}
    return {**every, "refusals": tuple(refusals), "seconds": seconds, "fits": fits}


def find_largest(sizes: Sequence[int], test_sets: Sequence[TestSet]) -> int:
    most = max(one.train for one in test_sets)
    return max((size for size in sizes if size <= most), default=sizes[0])


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurves(HeldOut):
    """Perplexity on held-out votes by training size (Hopkins & May 2013, figures 2 to 5).

    A curve is the mean over trials and tasks, each task counting the same. Intervals are for other
    held-out votes like these and other training subsets of the same votes: held-out votes are
    correlated by judge and item, trials differ by chance. They are not for other training judges.

    Intervals of perplexities are made on the scale of losses (bits), which cannot fall below 0, so
    that they end at 1; those of differences and gains are of perplexities as they are.
    """

    models: tuple[str, ...]  # the M models
    sizes: tuple[int, ...]  # the S training sizes, ascending
    losses: Array  # (M, T, S, R) mean loss (bits) by model, task, size and trial; NaN where refused
    deviations: Array  # (M, S, n) change of perplexity were all votes like this one, or 0
    held_out: Votes  # the n held-out votes of all tasks
    test_sets: tuple[TestSet, ...]  # how each of the T tasks was divided
    refusals: tuple[Refusal, ...]  # every training that came to nothing
    seconds: Mapping[str, float]  # model → CPU seconds of all its fits and predictions
    level: float  # of intervals (proportion)
    seed: int  # of everything random
    signature: str  # one line that reproduces the numbers
    left_out: Mapping[str, str] = field(default_factory=dict)  # task → why it could not be divided
    transfer: tuple[str, str] | None = None  # who trained and who tested, in words, or None
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments
    # model → its fits to the subsets of the largest size; none where there are several tasks
    fits: Mapping[str, Sequence[FittedModel]] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The T tasks."""
        return tuple(one.task for one in self.test_sets)

    @cached_property
    def perplexities(self) -> Array:
        """(M, T, S, R) perplexity of each trial; NaN where a model refused."""
        return np.asarray(np.exp2(self.losses).round(12), dtype=np.float64)

    @property
    def largest(self) -> int:
        """The largest size that the training votes of some task fill; the smallest if none is."""
        return find_largest(self.sizes, self.test_sets)

    @property
    def order(self) -> tuple[str, ...]:
        """The models, best at the largest filled size first; those without a mean there last."""
        at = self.sizes.index(self.largest)
        ends = {name: self.curve(name)[at].perplexity for name in self.models}
        return tuple(sorted(self.models, key=lambda name: (ends[name] is None, ends[name] or 0)))

    @property
    def best_fits(self) -> Sequence[FittedModel]:
        """The fits of the best model to the subsets of the largest size, if it orders systems."""
        return self.fits.get(self.order[0], ())

    @cached_property
    def abilities(self) -> tuple[Ability, ...]:
        """The systems by the best model, best first; none where there are several tasks."""
        fits = self.best_fits
        trials = [estimate_abilities(fit, self.level)[0] for fit in fits]
        found = []
        for name, *own in zip(fits[0].systems if fits else (), *trials, strict=True):
            value, lower, upper = np.array(own, dtype=np.float64).T  # NaN without intervals
            ends = (None if np.isnan(one).any() else average(one) for one in (lower, upper))
            spread = float(value.std(ddof=1)) if len(value) > 1 else None
            found.append(Ability(name, average(value), spread, *ends))
        return tuple(sorted(found, key=lambda one: (-one.ability, one.system)))

    def of_tasks(self, tasks: Sequence[str]) -> LearningCurves:
        """Keep some tasks, such as those that no setting of a model was tuned on.

        Raises:
            UnknownOption: there is no such task.
        """
        for task in tasks:
            errors.require_option("task", task, self.tasks)
        chosen = [i for i, task in enumerate(self.tasks) if task in tasks]
        codes = [i for i, task in enumerate(self.held_out.tasks) if task in tasks]
        rows = np.isin(self.held_out.task, codes)
        return replace(
            self,
            losses=self.losses[:, chosen],
            deviations=self.deviations[:, :, rows],
            held_out=self.held_out.take(rows),
            test_sets=tuple(self.test_sets[i] for i in chosen),
            refusals=tuple(one for one in self.refusals if one.task in tasks),
        )

    def beside(self, other: LearningCurves, name: str) -> LearningCurves:
        """Add models that were trained on other judgments, to be compared with these.

        Args:
            other: their curves on the same held-out votes, as of `trace_learning` with `training`.
            name: what is written behind the names of these models.

        Raises:
            UnknownOption: sizes, trials or held-out votes differ.
        """
        tasks = [task for task in self.tasks if task in other.tasks]
        own, added = self.of_tasks(tasks), other.of_tasks(tasks)
        alike = (own.sizes, own.losses.shape[1:]) == (added.sizes, added.losses.shape[1:])
        if not (tasks and alike and digest_votes(own.held_out) == digest_votes(added.held_out)):
            raise errors.UnknownOption(
                "curves can stand beside others of the same sizes, trials and held-out votes only:"
                " trace both with the same data and settings"
            )
        rows = [at for at, model in enumerate(added.models) if model != "uniform"]
        names = {added.models[at]: f"{added.models[at]}, {name}" for at in rows}
        trained, tested = added.transfer or (name, "the tested judgments")
        return replace(
            own,
            models=(*own.models, *names.values()),
            losses=np.concatenate((own.losses, added.losses[rows])),
            deviations=np.concatenate((own.deviations, added.deviations[rows])),
            test_sets=tuple(
                replace(two, train=min(one.train, two.train))
                for one, two in zip(own.test_sets, added.test_sets, strict=True)
            ),
            refusals=(
                *own.refusals,
                *(replace(one, model=names[one.model]) for one in added.refusals),
            ),
            seconds={**own.seconds, **{names[one]: added.seconds[one] for one in names}},
            fits={**own.fits, **{names[one]: added.fits.get(one, ()) for one in names}},
            left_out={**added.left_out, **own.left_out},
            signature=f"{added.signature} | beside models trained on others of the tested votes",
            transfer=(f"{tested} and {trained}", tested),
        )

    def curve(self, model: str) -> tuple[CurvePoint, ...]:
        """Return a model's points, by size.

        Raises:
            UnknownOption: there is no such model.
        """
        errors.require_option("model", model, self.models)
        at, points = self.models.index(model), []
        for s, size in enumerate(self.sizes):
            trials, losses = self.perplexities[at, :, s], self.losses[at, :, s]
            refused, n = int(np.isnan(losses).sum()), trials.size
            if refused:
                points.append(CurvePoint(model, size, None, None, None, None, None, refused, n))
                continue
            mean, spread = self.estimate(model, size), None
            if trials.shape[1] > 1:
                spread = float(np.sqrt(trials.var(axis=1, ddof=1).mean()))
            ends = mean.value, mean.lower, mean.upper
            points.append(CurvePoint(model, size, *ends, spread, average(losses), 0, n))
        return tuple(points)

    def estimate(self, model: str, size: int) -> Estimate:
        """Return a model's mean perplexity at a training size, with its interval.

        The interval is 2^(log₂ of the mean ± t times its standard error in bits), 1 at least.

        Raises:
            NotIdentified: some trial of it was refused.
            UnknownOption: there is no such model or size.
        """
        mean = self._contrast([(1.0, *self._place(model, size))])
        if mean.stderr == 0:
            return mean
        bits, margin = np.log2(mean.value), (mean.upper / mean.value - 1) / np.log(2)
        lower, upper = max(bits - margin, 0.0), bits + margin
        return replace(mean, lower=raise_bits(lower), upper=raise_bits(upper))

    def difference(self, model: str, other: str, size: int) -> Estimate:
        """Return by how much a model's perplexity is above another's, trained on the same votes.

        Raises:
            NotIdentified: some trial of one was refused.
            UnknownOption: there is no such model or size.
        """
        return self._contrast([(1.0, *self._place(model, size)), (-1.0, *self._place(other, size))])

    def gain(self, model: str, size: int, larger: int) -> Estimate:
        """Return by how much a model's perplexity falls from one training size to another.

        Raises:
            NotIdentified: some trial of one was refused.
            UnknownOption: there is no such model or size.
        """
        ends = self._place(model, size), self._place(model, larger)
        return self._contrast([(1.0, *ends[0]), (-1.0, *ends[1])])

    def _place(self, model: str, size: int) -> tuple[int, int]:
        errors.require_option("model", model, self.models)
        errors.require_option("size", str(size), [str(one) for one in self.sizes])
        if refused := [one for one in self.refusals if (one.model, one.size) == (model, size)]:
            raise errors.NotIdentified(
                f"{model} has no mean at {size:,} comparisons: {len(refused):,} trainings were"
                f" refused, the first because {refused[0].why}"
            )
        return self.models.index(model), self.sizes.index(size)

    def _contrast(self, parts: Sequence[tuple[float, int, int]]) -> Estimate:
        trials = np.sum([sign * self.perplexities[m, :, s] for sign, m, s in parts], axis=0)
        moved = np.sum([sign * self.deviations[m, s] for sign, m, s in parts], axis=0)
        leaving = leave_out(self.clusters, moved[None, :])
        votes = float(leaving.variance[0])
        chance, chance_df = find_chance(trials)
        df = join_df(votes, leaving.df, chance, chance_df)
        return bound(average(trials), votes + chance, df, self.level)

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        size, best = self.largest, self.order[0]
        at = self.sizes.index(size)
        if self.curve(best)[at].perplexity is None:
            return (say("no-model", size=size),)
        mean = self.estimate(best, size)
        ends = {"value": mean.value, "lower": mean.lower, "upper": mean.upper}
        sentences = [say("lowest", size=size, model=best, **ends)]
        small = [one.task for one in self.test_sets if one.train < size]
        if any(small):
            sentences.append(say("fewer", tasks=errors.listing(small)))
        known = [one for one in self.order[1:] if self.curve(one)[at].perplexity is not None]
        apart = {model: self.difference(model, best, size) for model in known}
        near = [model for model, gap in apart.items() if gap.lower <= 0]
        if near:
            sentences.append(say("near", models=", ".join(near)))
        if worse := [model for model in apart if model not in near]:
            gap, more = apart[worse[0]], len(worse) - 1
            ends = {"value": gap.value, "lower": gap.lower, "upper": gap.upper}
            code, rest = ("worse-curves", {"more": more}) if more else ("worse-curve", {})
            sentences.append(say(code, model=worse[0], **ends, **rest))
        return tuple(sentences)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What was excluded, where training sets are small, and where items are on both sides."""
        refused: dict[str, list[Refusal]] = {}
        for one in self.refusals:
            refused.setdefault(one.model, []).append(one)
        findings = []
        for model, runs in refused.items():
            values = {"trainings": len(runs), "size": max(one.size for one in runs)}
            findings.append(say("trainings-refused", model=model, why=runs[0].why, **values))
        findings += [say("task-excluded", task=one, why=why) for one, why in self.left_out.items()]
        if small := [one for one in self.test_sets if one.train < self.sizes[-1]]:
            sets = ", ".join(f"{one.task} {one.train:,}".strip() for one in small)
            findings.append(say("small-sets", size=self.sizes[-1], sets=sets))
        if shared := sum(one.shared for one in self.test_sets):
            findings.append(say("on-held-out-items", shared=shared))
        if self.losses.shape[3] == 1 and any(one.train > self.sizes[0] for one in self.test_sets):
            findings.append(say("one-subset"))
        return take_findings((*findings, *self.clusters.notes))

    @property
    def enough(self) -> Enough | None:
        """How many comparisons are enough for the best model; None where curves do not show it."""
        try:
            return find_enough(self, self.order[0])
        except errors.NotIdentified:
            return None

    def records(self) -> list[dict[str, Any]]:
        """Return one row per model and size, with plain values.

        `above` is by how much the perplexity is above that of the model which is best at the
        largest size, trained on the same votes.
        """
        best = self.order[0]
        known = {point.size for point in self.curve(best) if point.perplexity is not None}
        rows = []
        for point in (one for model in self.models for one in self.curve(model)):
            apart = None
            if point.model != best and point.perplexity is not None and point.size in known:
                apart = self.difference(point.model, best, point.size)
            rows.append({**asdict(point), **list_ends("above", apart)})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of learning curves."""
        trained, tested = self.transfer or (None, None)
        enough = self.enough
        return {
            **write_contract(
                self,
                *("models", "sizes", "level", "largest", "effective_judges"),
                findings=list_findings(self.notes, self.excluded),
            ),
            "clusters": self.clusters.name,
            "df": self.clusters.df,
            "test_sets": [asdict(one) for one in self.test_sets],
            "points": self.records(),
            "systems": [asdict(one) for one in self.abilities],
            "seconds": dict(self.seconds),
            "refusals": [asdict(one) for one in self.refusals],
            **count_sides(self.held_out),
            "trained_on": trained,
            "tested_on": tested,
            "enough": None if enough is None else asdict(enough),
            "says": self._list_answers(enough),
        }

    def _list_answers(self, enough: Enough | None) -> list[str]:
        return [*self.says, *(() if enough is None else enough.says)]

    def document(self) -> Document:
        """Return what people read."""
        basis = f"Held out: {say_votes(self.held_out)}."
        if self.transfer:
            basis = f"Trained on {self.transfer[0]}, tested on {self.transfer[1]}. {basis}"
        elif self.held_out.judges != ("",):
            basis += " Items are new, judges may be on both sides."
        why = {(one.model, one.size): one.why for one in reversed(self.refusals)}
        points = tuple(
            {**one, "why": why.get((one["model"], one["size"]))} for one in self.records()
        )
        of_csv = Table("points", "", (), points, only=("csv",))
        counts = ("items", "test", "train")
        test_sets = Table(
            "test-sets",
            "Test sets: items with at most k comparisons are held out, the others train",
            (
                Column("task", "task", "name"),
                Column("most", "k", "count"),
                *(Column(one, one, "count") for one in counts),
            ),
            tuple({**asdict(one), "task": one.task or "all"} for one in self.test_sets),
        )
        trials, best = self.losses.shape[3], self.order[0]
        of_systems = Table(
            "systems",
            f"Abilities by {best}: means of {trials} training{'s' * (trials > 1)} on"
            f" {self.largest:,} comparisons",
            (
                Column("system", "system", "name"),
                Column("ability", "ability", "two"),
                Column("spread", "sd between trainings", "two"),
                Column(("lower", "upper"), "mean interval", "interval"),
            ),
            tuple(asdict(one) for one in self.abilities),
        )
        rows = []
        for model in self.order:
            values = {str(point.size): point.perplexity for point in self.curve(model)}
            rows.append({"model": model, **values, "seconds": self.seconds[model]})
        curves = Table(
            "curves",
            "Perplexity by training comparisons (3 is guessing, lower is better)",
            (
                Column("model", "model"),
                *(Column(str(size), f"{size:,}", "three") for size in self.sizes),
                Column("seconds", "CPU s", "one", priority=1, only=("text", "html")),
            ),
            tuple(rows),
        )
        systems = (of_systems,) if self.abilities else ()
        parts, answer = (of_csv, curves, *systems, test_sets), self._list_answers(self.enough)
        return write_document(self, *parts, basis=basis, answer=answer)


MARGIN: Final = 0.02  # Perplexity that is not worth collecting for; about .01 bits
FAST_RATIO: Final = 0.5
SLOW_RATIO: Final = 0.5**0.5
# What all further doublings gain beside the last, if each gains such a ratio of the one before
ALL_FAST: Final = FAST_RATIO / (1 - FAST_RATIO)
ALL_SLOW: Final = SLOW_RATIO / (1 - SLOW_RATIO)


def find_enough(curves: LearningCurves, model: str, margin: float = MARGIN) -> Enough:
    """Say how many comparisons are enough for a model.

    Only tasks whose training votes fill the largest size count; where none does, the largest that
    some task fills takes its place.

    Args:
        curves: learning curves.
        model: one of their models.
        margin: perplexity that is not worth collecting for.

    Raises:
        NotIdentified: the model has no mean at some size that is needed, or no task fills any.
        UnknownOption: there is no such model, or the margin is not positive.
    """
    if margin <= 0:
        raise errors.UnknownOption(f"margin cannot be {margin:g}: it is a perplexity above 0")
    largest = curves.largest
    if all(one.train < largest for one in curves.test_sets):
        raise errors.NotIdentified(
            f"no task has {largest:,} comparisons to train on: ask for smaller sizes"
        )
    filled = [one.task for one in curves.test_sets if one.train >= largest]
    of_filled = curves.of_tasks(filled)
    of_filled.estimate(model, largest)  # refuses where some trial of it was refused
    sizes = [size for size in of_filled.sizes if size <= largest]
    refused = [one.size for one in of_filled.refusals if one.model == model and one.size in sizes]
    least = max(refused, default=0)
    behind = {size: of_filled.gain(model, size, largest) for size in sizes if size > least}
    near = [size for size, change in behind.items() if change.value <= margin]
    sure = [size for size in near if behind[size].upper <= margin]
    gain = next((change for size, change in behind.items() if 2 * size == largest), None)
    left = gain if gain is not None and gain.lower > 0 else None
    return Enough(
        model=model,
        size=_first_of_run(near, list(behind)),
        sure=_first_of_run(sure, list(behind)) if len(sure) > 1 else None,
        largest=largest,
        margin=margin,
        **list_ends("gain", gain),
        tasks=len(filled),
        smaller=tuple(one.task for one in curves.test_sets if one.train < largest),
        sizes=tuple(behind),
        left_if_fast=left.value * ALL_FAST if left else None,
        left_if_slow=left.value * ALL_SLOW if left else None,
        left_lower=left.lower * ALL_FAST if left else None,
        left_upper=left.upper * ALL_SLOW if left else None,
    )


def _first_of_run(near: list[int], sizes: list[int]) -> int:
    run = [*takewhile(near.__contains__, reversed(sizes))]
    return run[-1] if run else sizes[-1]


@carries_excluded(*OF_SYSTEMS)
@takes_judgments("training")
def trace_learning(
    data: Comparisons | Rankings | Openable,
    *,
    training: Comparisons | Rankings | Openable | None = None,
    models: Wanted = "usual",
    sizes: Sequence[int] = SIZES,
    trials: int = TRIALS,
    least: int = MIN_HELD_OUT,
    overlap: str = "keep",
    level: float = LEVEL,
    seed: int = SEED,
    transfer: tuple[str, str] | None = None,
    progress: Progress | None = None,
) -> LearningCurves:
    """Trace perplexity on held-out votes by training size, as Hopkins & May (2013) did.

    Args:
        data: comparisons or rankings with an item column, of one task or several.
        training: other judgments to train on, such as a crowd's where `data` are experts'; the
            rest of `data` by default.
        models: "usual", "paper" (the eight of Hopkins & May) or "all", a name, several, or
            name → settings. Samplers run one chain of 200 sweeps.
        sizes: training sizes, ascending; a smaller training set is taken whole.
        trials: random subsets of each size.
        least: held-out comparisons of a task, at least.
        overlap: with `training`: "keep" its judgments on held-out items, as in the paper, or
            "drop" them.
        level: of intervals (proportion).
        seed: of subsets and samplers.
        transfer: what to call the judgments trained on and those tested on, such as
            ("group=crowd", "group=expert").
        progress: called with trainings done and to do.

    Raises:
        NotIdentified: no task has enough comparisons.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: there is no item column.
        UnknownOption: a model or setting that does not exist or does not fit.
    """
    errors.require_seed(seed)
    errors.require_level(level)
    protocol = Protocol(tuple(sizes), trials, least, overlap, seed)
    made = make_models(models, seed)
    votes = open_comparisons(data).votes()
    others = None if training is None else open_comparisons(training).votes()
    division = divide_tasks(votes, others, protocol)
    traced = trace(division.tasks, made, protocol, progress)
    tasks = [task.test_set.task for task in division.tasks]
    parts = [
        f"learning curves, size{'s' * (len(sizes) > 1)} {' '.join(map(str, sizes))},"
        f" {trials} trial{'s' * (trials > 1)}",
        f"held out {least:,} or more of items with few comparisons",
        *([f"task{'s' * (len(tasks) > 1)} {', '.join(tasks)}"] if any(tasks) else []),
        say_models(models, made),
        *([f"trained on {transfer[0]}, tested on {transfer[1]}"] if transfer else []),
    ]
    if others is not None:
        parts.append(f"trained on votes {digest_votes(others)[:12]}, held-out items {overlap}")
    parts.append(f"level {level:g} seed={seed}")
    return LearningCurves(
        models=tuple(made),
        sizes=protocol.sizes,
        held_out=division.held_out,
        test_sets=tuple(one.test_set for one in division.tasks),
        level=level,
        seed=seed,
        signature=write_signature(parts, count_answers(votes), digest_votes(votes)),
        left_out=division.refused,
        transfer=transfer,
        **traced,
    )
