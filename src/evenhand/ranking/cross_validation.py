"""Which analysis should we believe: models of preference compared on held-out judgments.

After Hopkins & May (2013), as docs/held-out.md says: every judgment is predicted once, by models
trained on others, and it is said which cannot be told from the best.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from time import process_time
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion, list_findings, write_contract, write_document
from evenhand.data.groups import choose_groups, group_ratings, say_pooled
from evenhand.data.joining import note_llm_names
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.references import note_references
from evenhand.data.results import Grouped, Shown
from evenhand.data.tally import snake
from evenhand.data.votes import (
    TIE,
    Predictor,
    Votes,
    digest_votes,
    sort_votes,
    split_tasks,
    take_task,
)
from evenhand.errors import (
    ActionableError,
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    require_level,
    require_option,
    require_seed,
)
from evenhand.models.rating_fit import take_scores
from evenhand.models.registry import Models, Wanted, make_models, say_models
from evenhand.numerics import Array, Flags, Integers, cluster_means
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.by_model import split_judgments
from evenhand.ranking.clustering import ENOUGH_JUDGES
from evenhand.ranking.ratings import name_groups
from evenhand.ranking.sides import REMEDY, OneSided, find_one_sided_votes
from evenhand.ranking.texts import BLOCKS as SIDES
from evenhand.ranking.texts import INSEPARABLE, say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    effective,
    plural,
    say_answers,
    share,
    write_signature,
)

# How surprised a model is by votes: the loss of each in bits, and perplexity.
#
# loss_i = −log₂ Q(π_i | s, t),   perplexity = 2^(mean loss)     (Hopkins & May 2013, section 4)
#
# A perplexity of 3 is that of guessing among three outcomes, of 1 that of perfect prediction.

# What is held out: votes, or ratings under one criterion
Judgments: TypeAlias = Votes | RatingRows
Rows = NDArray[np.intp]
CHANCE_TOLERANCE: Final = 1e-6  # By how much chances may miss adding up to one


def measure_losses(fit: Predictor, votes: Votes) -> Array:
    """Return the (n,) losses of votes (bits); each ordered pair of systems is predicted once."""
    k = len(votes.systems)
    pairs, at = np.unique(votes.left.astype(np.int64) * k + votes.right, return_inverse=True)
    names = [(votes.systems[p // k], votes.systems[p % k]) for p in pairs.tolist()]
    chances = np.asarray(fit.predict(names), dtype=np.float64)
    if chances.shape != (len(names), 3):
        raise InvalidJudgments(
            f"predictions have shape {chances.shape}, and {len(names)} pairs have chances of left,"
            " tie and right"
        )
    wrong = ~(np.isfinite(chances).all(axis=1) & (chances >= 0).all(axis=1))
    wrong |= ~(np.abs(chances.sum(axis=1) - 1) <= CHANCE_TOLERANCE)
    if wrong.any():
        at = int(np.argmax(wrong))
        row = ", ".join(f"{value:.6g}" for value in chances[at])
        raise InvalidJudgments(
            f"predictions are no distributions: {names[at][0]} against {names[at][1]} has chances"
            f" {row}, which must be 0 or more and add up to 1"
        )
    happened = chances[at.reshape(-1), votes.outcome]
    require_chances(happened > 0, "judgment", "choose a model with a prior")
    return np.asarray(-np.log2(happened))


def require_chances(possible: Flags, what: str, *remedies: str) -> None:
    """Refuse predictions by which some of (n,) held-out judgments are impossible."""
    if impossible := int(np.count_nonzero(~possible)):
        raise NotIdentified(
            f"gave probability 0 to {impossible:,} held-out {what}{'s' * (impossible > 1)} of"
            f" {len(possible):,}: its perplexity is infinite",
            [f"train it on more {what}s", *remedies],
        )


def raise_bits(bits: float) -> float:
    """Return 2^bits, to 12 decimals: beyond these are only roundings of logarithms and powers."""
    return round(float(np.exp2(bits)), 12)


def average(values: Array) -> float:
    """Return the mean; of values that are all alike exactly these, without rounding."""
    first = values.flat[0]
    return float(first + (values - first).mean())


# Correlated votes: those of one judge, and those on one item.
#
# What follows for means of them is in numerics/cluster_means.py.

MAX_CLUSTERS: Final = 400  # Most clusters of a way; more are put together at random, which is valid


def find_clusters(votes: Judgments, seed: int) -> cluster_means.Clusters:
    """Say which votes are correlated: by judge and item where known, else by answer."""
    task = cluster_means.number_groups(votes.task)
    tasks = int(task.max()) + 1
    strata = cluster_means.Strata(task, np.full(tasks, 1 / tasks))
    clusterings: dict[str, Integers] = {}
    notes: list[str] = []
    for name in ("judge", "item"):
        codes = cluster_means.number_groups(getattr(votes, name))
        why: str | None = say("no-such-column", name=name)
        if getattr(votes, f"{name}s") != ("",):
            why = cluster_means.why_not_clustered(name, codes, strata)
        if why is None:
            clusterings[name] = _merge(codes, strata, seed)
        else:
            notes.append(why)
    few = count_effective(votes)
    if "judge" in clusterings and few is not None and round(few) < ENOUGH_JUDGES:
        notes.append(say("few-judges-held-out", judges=few, enough=ENOUGH_JUDGES))
    if not clusterings:
        name = "judgment" if votes.answer is None else "ranking"
        clusterings[name] = _merge(number_answers(votes), strata, seed)
    return cluster_means.Clusters(clusterings, strata, tuple(notes))


def count_effective(votes: Judgments) -> float | None:
    """Return the effective number of judges, (Σ n)² / Σ n²; None where nobody names them."""
    if votes.judges == ("",):
        return None
    loads = np.bincount(votes.judge).astype(np.float64)
    return float(loads.sum() ** 2 / (loads**2).sum())


def count_sides(votes: Judgments) -> dict[str, Any]:
    known = {"judges": (votes.judges, votes.judge), "items": (votes.items, votes.item)}
    if isinstance(votes, RatingRows):
        systems = votes.system
    else:
        systems = np.concatenate([votes.left, votes.right])
    return {
        "n_judgments": int(count_answers(votes)),
        **{
            f"n_{name}": None if labels == ("",) else len(np.unique(codes))
            for name, (labels, codes) in known.items()
        },
        "n_systems": len(np.unique(systems)),
        "effective_judges": count_effective(votes),
    }


def say_votes(votes: Judgments) -> str:
    counts = count_sides(votes)
    answers = say_answers(counts["n_judgments"], votes.size, "answer")
    texts = [plural(votes.size, "rating") if isinstance(votes, RatingRows) else answers]
    for one in ("judge", "item", "system"):
        if (many := counts[f"n_{one}s"]) is not None:
            uneven = effective(many, counts["effective_judges"]) if one == "judge" else ""
            texts.append(plural(many, one) + uneven)
    if isinstance(votes, RatingRows):
        return ", ".join([*texts, f"{len(np.unique(votes.score))} different scores"])
    return ", ".join([*texts, f"{share(int((votes.outcome == TIE).sum()), votes.size)} ties"])


def _merge(codes: Integers, strata: cluster_means.Strata, seed: int) -> Integers:
    """Put clusters beyond the most that are kept together, heavy with light."""
    loads = np.bincount(codes).astype(np.float64)
    if len(loads) <= MAX_CLUSTERS:
        return codes
    merged = snake(loads, MAX_CLUSTERS, seed)[codes].astype(np.int64)
    return codes if cluster_means.holds_stratum(merged, strata) else merged


def number_answers(votes: Judgments) -> Integers:
    if votes.answer is None:
        return np.arange(votes.size)
    return cluster_means.number_groups(votes.answer)


Progress = Callable[[int, int], None]
# Why a model may have no loss on some votes
REFUSALS: Final = (InvalidJudgments, NotConverged, NotIdentified, UnknownColumn, UnknownOption)


@dataclass(frozen=True, eq=False)
class Trained:
    losses: Array | None  # (n,) losses of the test votes (bits); None if it was refused
    why: str  # why it was refused, else ""
    seconds: float  # CPU seconds, without the loading of modules
    misses: Array | None = None  # (n,) of ratings: score less what was expected
    fit: Any = None  # what predicted comparisons


def train(model: Any, votes: Judgments, test: Judgments, points: Array | None = None) -> Trained:
    loaded, began = len(sys.modules), process_time()
    losses, misses, fit, why = None, None, None, ""
    try:
        if points is not None and isinstance(test, RatingRows):
            predicted = model.fit(votes).predict(test, points)
            require_chances(np.isfinite(predicted.log_chance), "rating")
            losses = np.asarray(-predicted.log_chance / np.log(2))
            misses = np.asarray(test.score - predicted.mean)
        elif isinstance(test, Votes):
            fit = model.fit(votes)
            losses = measure_losses(fit, test)
    except REFUSALS as refusal:  # without options that are no help here
        why = str(refusal.without_options() if isinstance(refusal, ActionableError) else refusal)
    trained = Trained(losses, why, process_time() - began, misses, fit)
    # one that loads modules is done again, so that its seconds are those of any other
    return trained if len(sys.modules) == loaded else train(model, votes, test, points)


# Cross-validation that never asks of a judge, or an item, what it was trained on
# (docs/held-out.md). Blocks are of about equal load. An answer that is several votes, a ranking, is
# never split.

BLOCKS: Final = ("judge", "item", "both", "ranking", "judgment")
FOLDS: Final = 10
FOLDS_EACH_WAY: Final = 5
MIN_BLOCK_LEVELS: Final = 5  # Fewest judges, and items, for which both are blocks by default


@dataclass(frozen=True)
class Plan:
    by: str  # judge, item, both, ranking or judgment
    folds: int  # blocks, each way if there are two
    repeats: int = 1  # how often they are divided anew
    seed: int = 0  # of the divisions

    @property
    def trainings(self) -> int:
        return self.repeats * (self.folds**2 if self.by == "both" else self.folds)


def plan_folds(
    votes: Judgments, by: str | None, folds: int | None, repeats: int, seed: int
) -> Plan:
    """Settle how votes are divided: as asked, else so that judges and items are new where known."""
    if by is not None:
        require_option("by", by, BLOCKS)
    if repeats < 1:
        raise UnknownOption(f"repeats cannot be {repeats}: 1 is the least")
    if folds is not None and folds < 2:
        raise UnknownOption(f"folds cannot be {folds}: 2 is the least")
    if by is None:
        judges, items = (len(np.unique(codes)) for codes in (votes.judge, votes.item))
        by = "judgment" if votes.answer is None else "ranking"
        if max(judges, items) >= MIN_BLOCK_LEVELS:
            by = "judge" if judges >= MIN_BLOCK_LEVELS else "item"
        if min(judges, items) >= MIN_BLOCK_LEVELS:
            by = "both"
    units = {name: int(_units(votes, name).max()) + 1 for name in _sides(by)}
    for name, count in units.items():
        if count < 2:
            raise NotIdentified(
                f"there is one {name} only, and to be held out it takes two: hold out by something"
                " else"
            )
    wanted = folds or (FOLDS_EACH_WAY if by == "both" else FOLDS)
    return Plan(by, min(wanted, *units.values()), repeats, seed)


def _sides(by: str) -> tuple[str, ...]:
    return ("judge", "item") if by == "both" else (by,)


def _units(votes: Judgments, name: str) -> Integers:
    """Return the unit of each vote: judges or items that share an answer are one."""
    answers = number_answers(votes)
    if name == "judgment" or (name == "ranking" and votes.answer is not None):
        return answers
    if name == "ranking" or getattr(votes, f"{name}s") == ("",):
        raise UnknownColumn(
            f"there is no {name} column to hold out by: map one (--column {name}=NAME), or choose"
            f" another of {' | '.join(BLOCKS)}"
        )
    codes = cluster_means.number_groups(getattr(votes, name))
    if votes.answer is None:
        return codes
    size = int(codes.max()) + 1
    graph = Graph(size + int(answers.max()) + 1, codes, size + answers)
    return cluster_means.number_groups(weak_components(graph)[codes])


def make_folds(votes: Judgments, plan: Plan) -> Iterator[tuple[int, Rows, Rows]]:
    """Divide votes: yields the repeat, from 0, rows that train and rows that are predicted."""
    sides = [_units(votes, name) for name in _sides(plan.by)]
    for repeat in range(plan.repeats):
        blocks = []
        for side, units in enumerate(sides):
            loads = np.bincount(units)  # by chance one each of the heaviest units, then the next
            rng = np.random.Generator(np.random.PCG64([plan.seed, repeat, side]))
            chance = rng.permutation(len(loads))
            order = chance[np.argsort(-loads[chance], kind="stable")]
            turns = -(-len(loads) // plan.folds)
            places = rng.permuted(np.tile(np.arange(plan.folds), (turns, 1)), axis=1).reshape(-1)
            block = np.empty(len(loads), dtype=np.int64)
            block[order] = places[: len(loads)]
            blocks.append(block[units])
        for fold in np.ndindex(*[plan.folds] * len(sides)):
            held = [one == number for one, number in zip(blocks, fold, strict=True)]
            test, train = np.logical_and.reduce(held), ~np.logical_or.reduce(held)
            if test.any():
                yield repeat, np.flatnonzero(train), np.flatnonzero(test)


# Models trained on all folds but one predict that one, until every vote was predicted unseen.
#
# All models see the same folds. A model that refuses in any fold has no loss on some votes, and so
# no mean that could be compared: it is excluded, with the reason.


@dataclass(frozen=True, eq=False)
class Validated:
    losses: Mapping[str, Array]  # model → (n,) mean loss of each vote (bits), if never refused
    refused: Mapping[str, str]  # model → why, and in how many trainings
    seconds: Mapping[str, float]  # model → CPU seconds
    train: tuple[int, int]  # (least, most) votes that were trained on
    folds: tuple[int, ...]  # trainings of a model in each repeat; blocks without votes are none
    squares: Mapping[str, Array]  # model → (n,) of ratings: squared misses (points²)


def cross_validate(
    votes: Judgments, models: Models, plan: Plan, progress: Progress | None = None
) -> Validated:
    losses = {name: np.zeros(votes.size) for name in models}
    points = np.unique(votes.score) if isinstance(votes, RatingRows) else None
    squares = {name: np.zeros(votes.size) for name in models if points is not None}
    why: dict[str, list[str]] = {name: [] for name in models}
    seconds, sizes = dict.fromkeys(models, 0.0), set[int]()
    folds = list(make_folds(votes, plan))
    with one_blas_thread():
        for done, (_, rows, test) in enumerate(folds):
            training, held_out = votes.take(rows), votes.take(test)
            sizes.add(training.size)
            for name, model in models.items():
                trained = train(model, training, held_out, points)
                seconds[name] += trained.seconds
                if trained.losses is None:
                    why[name].append(trained.why)
                else:
                    losses[name][test] += trained.losses
                if trained.misses is not None:
                    squares[name][test] += trained.misses**2
            if progress is not None:
                progress(done + 1, len(folds))
    refused = {
        name: f"{values[0]} ({len(values):,} of {len(folds):,} trainings refused)"
        for name, values in why.items()
        if values
    }
    counts = np.bincount([repeat for repeat, *_ in folds], minlength=plan.repeats)
    return Validated(
        {name: values / plan.repeats for name, values in losses.items() if name not in refused},
        refused,
        seconds,
        (min(sizes), max(sizes)),
        tuple(counts.tolist()),
        {name: values / plan.repeats for name, values in squares.items()},
    )


# Which models cannot be told from the best: a model confidence set (Hansen, Lunde & Nason 2011).
#
# T = max over pairs of |mean(loss_i − loss_j)| / se_ij
#
# While T is larger than chance would make it among models that are equally good, the model that is
# farthest behind another leaves. What is left holds the best model with at least the level asked
# for. The distribution of T is that of a wild cluster bootstrap of the paired losses, studentised
# in every draw (`numerics.cluster_means`), by judge and by item, of which the larger p-value holds.
#
# Folds share most of their training votes, and no variance estimate knows how losses would move
# with other training votes (Bengio & Grandvalet 2004, Journal of Machine Learning Research
# 5:1089-1105): what is covered are other held-out votes, judges and items like these.

REPLICATES: Final = 999
DIFFERENCE: Final = ("difference", "difference_lower", "difference_upper")
BITS: Final = ("bits", "bits_lower", "bits_upper")  # The same, where it is shown
MARK: Final = "≈"  # Stands beside models that cannot be told from the best
EQUAL_LOSS: Final = 1e-9  # Standard errors (bits) below which losses are the same but for rounding


# (M,) p-values of belonging to the set: at level 1 − α it is the models with a p-value above α, 1
# of the model that stays to the end; and (M,) which model each was farthest behind when it left, or
# −1
Leavers = tuple[Array, Integers]


def find_leavers(losses: Array, clusters: cluster_means.Clusters, seed: int) -> Leavers:
    """Let models leave the set of the best, by (M, n) losses of votes (bits)."""
    many = len(losses)
    if many < 2:
        return np.ones(many), np.full(many, -1, dtype=np.int64)
    one, other = (index.astype(np.int64) for index in np.triu_indices(many, 1))
    means, moved = clusters.strata.means(losses), clusters.strata.deviations(losses)
    of_models = cluster_means.leave_out(clusters, moved)
    of_pairs = cluster_means.leave_out(clusters, moved[one] - moved[other])
    gap = means[one] - means[other]
    stderr = np.sqrt(of_pairs.variance)
    sure = np.where(np.abs(gap) <= EQUAL_LOSS, 0.0, np.copysign(np.inf, gap))
    t = np.where(stderr > EQUAL_LOSS, gap / np.where(stderr > EQUAL_LOSS, stderr, 1.0), sure)
    rng = np.random.Generator(np.random.PCG64(seed))
    varies, chance = of_pairs.variance > EQUAL_LOSS**2, []
    for clustering in of_models.changes:  # clusters turned round by chance
        changes = clustering.between(one, other)
        signs = rng.choice([-1.0, 1.0], size=(REPLICATES, len(changes.weight)))
        shift, variance = changes.redraw(signs)
        redrawn = np.abs(shift) / np.sqrt(np.where(variance > 0, variance, 1.0))
        chance.append(np.where(varies, redrawn, 0.0))
    return step_down(t, chance, (one, other), many)


def step_down(
    t: Array, chance: list[Array], pairs: tuple[Integers, Integers], many: int
) -> Leavers:
    """Let the worst model leave until one is left, by t of P pairs and (B, P) |t| by chance."""
    one, other = pairs
    inside, p, reached = np.ones(many, dtype=np.bool_), np.ones(many), 0.0
    by = np.full(many, -1, dtype=np.int64)
    behind = np.full((many, many), -np.inf)
    behind[one, other], behind[other, one] = t, -t
    while inside.sum() > 1:
        active = inside[one] & inside[other]
        largest = np.abs(t[active]).max()
        exceed = max((draws[:, active].max(axis=1) >= largest).sum() for draws in chance)
        reached = max(reached, (1 + exceed) / (1 + len(chance[0])))
        left = np.where(inside[:, None] & inside[None, :], behind, -np.inf)
        leaves = int(np.argmax(left.max(axis=1)))
        p[leaves], by[leaves] = reached, int(np.argmax(left[leaves]))
        inside[leaves] = False
    return p, by


class HeldOut(Shown):
    """A result on held-out votes."""

    held_out: Judgments
    seed: int

    @cached_property
    def clusters(self) -> cluster_means.Clusters:
        """Which held-out votes are correlated."""
        return find_clusters(self.held_out, self.seed)

    @property
    def effective_judges(self) -> float | None:
        """Effective number of judges of held-out votes, (Σ n)² / Σ n²; None where unknown."""
        return count_effective(self.held_out)


def list_ends(name: str, estimate: cluster_means.Estimate | None) -> dict[str, Any]:
    """Return an estimate and the ends of its interval by name; None each where there is none."""
    if estimate is None:
        return dict.fromkeys((name, f"{name}_lower", f"{name}_upper"))
    return {name: estimate.value, f"{name}_lower": estimate.lower, f"{name}_upper": estimate.upper}


@dataclass(frozen=True)
class HeldOutScore:
    """How well one model predicts votes that it has not seen, and how it stands to the best."""

    model: str  # the model
    loss: float  # mean loss of held-out votes (bits)
    perplexity: float  # 2^loss
    lower: float  # lower end of its interval, 2 to the power of that of the loss; 1 at least
    upper: float  # upper end
    difference: float  # loss above that of the best model (bits); 0 for the best itself
    difference_lower: float  # lower end of its interval; of this pair alone
    difference_upper: float  # upper end
    p: float  # of belonging to the set of the best: the model leaves it at every level above
    among_best: bool  # whether it cannot be told from the best, all models looked at together
    beaten_by: str | None  # model it was farthest behind when it left the best; None if in it
    behind: float | None  # loss above that of this model (bits), or None
    behind_lower: float | None  # lower end of its interval, of this pair alone, or None
    behind_upper: float | None  # upper end
    seconds: float  # CPU seconds of all its fits and predictions


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(HeldOut):
    """Models compared by cross-validation: every vote is predicted once (per repeat), unseen."""

    models: tuple[str, ...]  # the M models that predicted every vote, as they were asked for
    losses: Array  # (M, n) loss of each vote (bits), averaged over repeats
    held_out: Judgments  # the n votes, or ratings
    refused: Mapping[str, str]  # model → why it has no loss, and how many trainings were refused
    seconds: Mapping[str, float]  # model → CPU seconds, also of those refused
    blocks: str  # what was never on both sides: judge, item, both, ranking or judgment
    folds: int  # trainings per model and repeat, the most of any; blocks without votes are no fold
    repeats: int  # how often the votes were divided anew
    train: tuple[int, int]  # (least, most) votes that a model was trained on
    set_p: Mapping[str, float]  # model → p of belonging to the set of the best
    left_behind: Mapping[str, str]  # model → that which it was farthest behind when it left
    level: float  # of intervals and of the set (proportion)
    seed: int  # of everything random
    signature: str  # one line that reproduces the numbers
    notes: tuple[str, ...] = ()  # what must be known
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments
    squares: Array | None = None  # (M, n) of ratings: squared errors of prediction (points²)

    @property
    def guessing(self) -> int:
        """The perplexity of guessing: 3 outcomes, or as many scores as occur."""
        held_out = self.held_out
        return len(np.unique(held_out.score)) if isinstance(held_out, RatingRows) else 3

    @cached_property
    def means(self) -> Array:
        """(M,) mean loss (bits), tasks alike."""
        return self.clusters.strata.means(self.losses)

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

    def estimate(self, model: str) -> cluster_means.Estimate:
        """Return a model's mean loss (bits) with its interval, which ends at 0 bits.

        Raises:
            UnknownOption: there is no such model here.
        """
        estimate = self._bound(self._of(self.losses, model))
        return replace(estimate, lower=max(estimate.lower, 0.0))

    def difference(self, model: str, other: str) -> cluster_means.Estimate:
        """Return by how much a model's mean loss is above another's (bits), on the same votes.

        Raises:
            UnknownOption: there is no such model here.
        """
        return self._bound(self._of(self.losses, model) - self._of(self.losses, other))

    def error(self, model: str, other: str | None = None) -> cluster_means.Estimate:
        """Return a model's root mean squared error (points), or how much larger than another's.

        Raises:
            UnknownOption: there is no such model here, or what is held out are no ratings.
        """
        if self.squares is None:
            raise UnknownOption("comparisons have no scores, and models no errors in points")
        slopes = cluster_means.root_slopes(self._of(self.squares, model))
        if other is not None:
            slopes = slopes - cluster_means.root_slopes(self._of(self.squares, other))
        return self._bound(slopes)

    def _of(self, values: Array, model: str) -> Array:
        require_option("model", model, self.models)
        return np.asarray(values[self.models.index(model)])

    def _bound(self, values: Array) -> cluster_means.Estimate:
        strata = self.clusters.strata
        leaving = cluster_means.leave_out(self.clusters, strata.deviations(values[None, :]))
        return leaving.estimate(0, float(strata.means(values[None, :])[0]), self.level)

    @cached_property
    def scores(self) -> tuple[HeldOutScore, ...]:
        """One row per model, best first."""
        rows = []
        for name in self.order:
            loss = self.estimate(name)
            by = None if name in self.best_set else self.left_behind[name]
            score = HeldOutScore(
                model=name,
                loss=loss.value,
                perplexity=raise_bits(loss.value),
                lower=raise_bits(loss.lower),
                upper=raise_bits(loss.upper),
                **list_ends("difference", self.difference(name, self.best)),
                p=self.set_p[name],
                among_best=by is None,
                beaten_by=by,
                **list_ends("behind", None if by is None else self.difference(name, by)),
                seconds=self.seconds[name],
            )
            rows.append(score)
        return tuple(rows)

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        if not self.models:
            return (say("nothing"),)
        best, rest = self.scores[0], self.best_set[1:]
        ends = {"value": best.perplexity, "lower": best.lower, "upper": best.upper}
        if len(self.models) == 1:
            return (say("alone", model=best.model, **ends),)
        sentences = [say("lowest-perplexity" if rest else "best", model=best.model, **ends)]
        worse = [one for one in self.scores if not one.among_best]
        if rest:
            sentences.append(say("undecided", level=self.level, models=", ".join(rest)))
        elif len(worse) > 1:
            sentences.append(say("clear-best", level=self.level))
        if worse:
            first, *more = worse
            behind = {"lower": first.behind_lower, "upper": first.behind_upper}
            values = {"model": first.model, "other": first.beaten_by, "value": first.behind}
            sentences.append(say("worse", **values, **behind))
            names = ", ".join(one.model for one in more)
            sentences += [say("worse-too", models=names)] if more else []
        return tuple(sentences)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What must stand beside the numbers."""
        refused = [say("model-refused", model=name, why=why) for name, why in self.refused.items()]
        return list_findings([*refused, *self.notes], self.excluded)

    def records(self) -> list[dict[str, Any]]:
        """Return one row per model, best first, with plain values."""
        rows = [asdict(score) for score in self.scores]
        for row in rows if self.squares is not None else ():
            row.update(list_ends("rmse", self.error(row["model"])))
            row.update(list_ends("rmse_difference", self.error(row["model"], self.best)))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of a comparison."""
        names = ("says", "blocks", "folds", "repeats", "train", "level", "effective_judges", "df")
        return {
            **write_contract(self, *names, "best_set", findings=self.findings),
            **(
                {"n_comparisons": self.held_out.size}
                if self.squares is None
                else {"n_ratings": self.held_out.size, "guessing": self.guessing}
            ),
            "clusters": self.clusters.name,
            "models": self.records(),
            "refused": dict(self.refused),
            **count_sides(self.held_out),
        }

    def document(self) -> Document:
        """Return what people read."""
        times = f", divided {self.repeats} times" if self.repeats > 1 else ""
        folds = f"Predicted in {self.folds} folds{times}: {SIDES[self.blocks]}."
        rows = []
        for row in self.records():
            others = row["model"] != self.best  # the best has no distance from itself
            ends = [row[key] if others else None for key in DIFFERENCE]
            bits = dict(zip(BITS, ends, strict=True))
            rows.append({**row, "why": None, **bits, "mark": MARK * (row["among_best"] and others)})
        rated = self.squares is not None
        keys = (*(rows[0] if rows else HeldOutScore.__dataclass_fields__), "why", *BITS, "mark")
        rows += [
            {**dict.fromkeys(keys), "model": name, "seconds": self.seconds[name], "why": why}
            for name, why in self.refused.items()
        ]
        level, several = f"{100 * self.level:g} % interval", len(self.models) > 1
        marked = [f"{MARK} undecided, all models compared at once"] * any(r["mark"] for r in rows)
        bits_are = "bits: mean loss above the best model's, each interval of its pair alone"
        table = Table(
            "models",
            f"Models by perplexity on held-out {'ratings' if rated else 'judgments'}, best first",
            (
                Column("model", "model"),
                *([Column("mark", "")] if marked else []),
                Column("perplexity", "perplexity", "three"),
                Column(("lower", "upper"), level, "interval three", priority=2),
                *([Column(BITS[0], "bits", "four")] * several),
                *([Column(BITS[1:], level, "interval four")] * several),
                *([Column("rmse", "error in points", "two")] * rated),
                Column("seconds", "CPU s", "one", priority=1, only=("text", "html")),
            ),
            tuple(rows),
            legend=(
                *marked,
                *[bits_are] * several,
                f"perplexity: {self.guessing} is guessing, lower is better",
            ),
            without=(*BITS, "mark"),
        )
        basis = f"{say_votes(self.held_out)}. {folds}"
        return write_document(self, table, basis=basis, findings=self.findings)


LEVEL: Final = 0.95
MIN_JUDGMENTS: Final = 30  # Comparisons from which models are compared: three in each of ten folds
NEAR_BORDER: Final = 3.0  # Times the level that a p of the best set may be, to be near its border


@controls.carries_excluded(*controls.OF_SYSTEMS)
def compare_models(
    data: Comparisons | Rankings | Ratings | controls.Openable,
    *,
    models: Wanted = "usual",
    by: str | None = None,
    folds: int | None = None,
    repeats: int = 1,
    level: float = LEVEL,
    seed: int = SEED,
    group_by: str | None = None,
    progress: Progress | None = None,
) -> ModelComparison | Grouped[ModelComparison]:
    """Compare models of preference, or of ratings, on judgments that they have not seen.

    Args:
        data: comparisons, rankings or ratings; several tasks and criteria are compared apart.
        models: "usual", "paper" (the eight of Hopkins & May, of comparisons) or "all", a name,
            several, or name → settings. Samplers run one chain of 200 sweeps.
        by: what is never on both sides: judge, item, both, ranking or judgment; by default both
            where there are five of each, else what the data have.
        folds: blocks; by default ten, or five each way.
        repeats: how often the votes are divided anew.
        level: of intervals and of the set of the best (proportion).
        seed: of divisions, samplers and the bootstrap.
        group_by: a column whose levels are compared apart.
        progress: called with trainings done and to do.

    Returns:
        A comparison; one per group where `group_by` is given, one per task where there are several.

    Raises:
        NotIdentified: no group can be divided, or each holds fewer than 30 comparisons.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: a column that was asked for is not there.
        UnknownOption: a model or setting that does not exist or does not fit.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "y"] * 20, "right": ["y", "x"] * 20}
    >>> data = read(pl.DataFrame(votes | {"winner": ["left", "left", "tie", "left"] * 10}))
    >>> found = compare_models(data, models=["uniform", "adjusted-uniform"], folds=4)
    >>> found.order, round(found.scores[1].perplexity, 6)
    (('adjusted-uniform', 'uniform'), 3.0)
    """
    require_seed(seed)
    require_level(level)
    groups: Mapping[str, Judgments]
    notes: tuple[str, ...]
    if isinstance(data, Ratings):
        rows = controls.leave_out_controls(data).rows(
            factors=[] if group_by is None else [group_by]
        )
        if not rows.size:
            raise NotIdentified("there are no scores", ["collect some"])
        parts = {  # in an order that does not depend on that of the table
            name: part.take(np.lexsort((part.score, part.system, part.judge, part.item, part.task)))
            for name, part in group_ratings(rows, group_by).items()
        }
        groups, notes = parts, rows.notes
        column: str | None = name_groups(rows, group_by) if len(groups) > 1 else group_by
        made_of = {name: make_models(models, seed, part) for name, part in parts.items()}
    else:
        table = open_comparisons(data)
        column = choose_groups(table, group_by)
        groups = _split(table, column)
        judges = sorted({one for part in groups.values() for one in part.judges})
        asked = note_llm_names(judges, table.columns)
        notes = (*controls.say_left_out(data, table), *say_pooled(table, column), *asked)
        made_of = dict.fromkeys(groups, make_models(models, seed))
    settle = partial(plan_folds, by=by, folds=folds, repeats=repeats, seed=seed)
    compared: dict[str, ModelComparison] = {}
    refused: dict[str, str] = {}
    for name, votes in groups.items():

        def step(done: int, total: int, before: int = len(compared) + len(refused)) -> None:
            if progress is not None:
                progress(before * total + done, len(groups) * total)

        try:
            made = made_of[name]
            named = say_models(models, made), f"level {level:g} seed={seed}"
            compared[name] = _compare(votes, made, settle, level, named, notes=notes, progress=step)
        except NotIdentified as refusal:
            refused[name] = str(refusal)
    if not compared:
        name, why = next(iter(refused.items()))
        raise NotIdentified(f"{name}: {why}" if name else why)
    if column is None or (group_by is None and len(groups) == 1):
        return next(iter(compared.values()))
    return Grouped(compared, column, refused)


def open_comparisons(data: Comparisons | Rankings) -> Comparisons:
    refusal = "models of preference are compared on comparisons or rankings, not on"
    return controls.require_pairs(data, refusal, "compare_processes compares models of scores")


def _split(table: Comparisons, column: str | None) -> dict[str, Votes]:
    if column not in (None, "task"):
        parts = {name: part.votes() for name, part in split_judgments(table, str(column)).items()}
        return {name: part.take(sort_votes(part)) for name, part in parts.items()}
    votes = table.votes()
    votes = votes.take(sort_votes(votes))
    return {task: take_task(votes, rows) for task, rows in split_tasks(votes).items()}


def _compare(
    votes: Judgments,
    models: Models,
    settle: Callable[[Judgments], Plan],
    level: float,
    named: tuple[str, ...],
    *,
    notes: tuple[str, ...],
    progress: Progress,
) -> ModelComparison:
    rated = isinstance(votes, RatingRows)
    if isinstance(votes, RatingRows):
        take_scores(votes)  # refuses scores of one system
    if votes.size < MIN_JUDGMENTS:
        what = "ratings" if rated else "comparisons"
        fault = f"too few {what} ({votes.size:,}) to tell which model predicts others"
        raise NotIdentified(fault, [f"collect {MIN_JUDGMENTS} at least"])
    plan = settle(votes)
    if isinstance(votes, RatingRows):
        if (votes.score == votes.score[0]).all():
            raise NotIdentified("all scores are equal: there is nothing to predict")
        sides, digest = OneSided(), digest_ratings(votes)
    else:
        sides, digest = find_one_sided_votes(votes), digest_votes(votes)
    blind = {
        name: f"{INSEPARABLE}; {REMEDY}"
        for name, model in models.items()
        if getattr(model, "order_effect", False) and not sides.separable
    }
    able = {name: model for name, model in models.items() if name not in blind}
    validated = cross_validate(votes, able, plan, progress)
    clusters = find_clusters(votes, plan.seed)
    losses = np.array([*validated.losses.values()]).reshape(-1, votes.size)
    names, (p, behind) = tuple(validated.losses), find_leavers(losses, clusters, plan.seed)
    times = f", {plan.repeats} times" if plan.repeats > 1 else ""
    blocks = f"{plan.folds}x{plan.folds}" if plan.by == "both" else f"{plan.folds}"
    parts = [f"held out by {plan.by}, {blocks} folds{times}", *named]
    pairs = zip(names, behind.tolist(), strict=True)
    return ModelComparison(
        models=names,
        losses=losses,
        held_out=votes,
        refused={**validated.refused, **blind},
        seconds={**validated.seconds, **dict.fromkeys(blind, 0.0)},
        blocks=plan.by,
        folds=max(validated.folds),
        repeats=plan.repeats,
        train=validated.train,
        set_p=dict(zip(names, p.tolist(), strict=True)),
        left_behind={name: names[other] for name, other in pairs if other >= 0},
        level=level,
        seed=plan.seed,
        signature=write_signature(parts, count_answers(votes), digest),
        squares=np.stack([validated.squares[name] for name in names]) if rated and names else None,
        notes=(
            *_note(votes, plan, validated, p, level),
            *sides.notes,
            *notes,
            *(note_references(votes) if isinstance(votes, RatingRows) else ()),
            *clusters.notes,
        ),
    )


def _note(
    votes: Judgments, plan: Plan, validated: Validated, p: Array, level: float
) -> tuple[Finding, ...]:
    low, high = validated.train
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    trainings = sum(validated.folds)
    what = "ratings" if isinstance(votes, RatingRows) else "comparisons"
    findings = [say("training", "info", times=trainings, many=many, of=votes.size, what=what)]
    if empty := plan.trainings - trainings:
        blocks = {"empty": empty, "blocks": plan.trainings}
        findings.append(say("empty-blocks", "info", what=what.removesuffix("s"), **blocks))
    findings.append(say("shared-training", "info"))
    if plan.repeats == 1 and len(validated.losses) > 1:
        # another division matters where some model is near the border of the set of the best
        near = np.abs(np.log(p / (1 - level))) < np.log(NEAR_BORDER)
        findings.append(say("one-division", "note" if near.any() else "info"))
    if plan.by == "judgment":
        findings.append(say("blocks-judgment"))
    return tuple(findings)


def count_answers(votes: Judgments) -> float:
    return float(votes.size if votes.answer is None else len(np.unique(votes.answer)))
