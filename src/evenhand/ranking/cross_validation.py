"""How models of preference predict unseen votes, and which cannot be told from the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.exclusions import Exclusion, list_findings, write_excluded
from evenhand.data.results import Shown
from evenhand.data.votes import Votes
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption, require_option
from evenhand.numerics.cluster_means import Clusters, Estimate, leave_out, number_groups
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.predictions import (
    Models,
    Progress,
    count_effective,
    count_sides,
    find_clusters,
    number_answers,
    raise_bits,
    say_votes,
    train,
)
from evenhand.ranking.texts import BLOCKS as SIDES
from evenhand.ranking.texts import say
from evenhand.render.document import Column, Document, Table
from evenhand.render.findings import Finding, describe_findings

# Cross-validation that never asks of a judge, or an item, what it was trained on.
#
# By judge and item at once (both) a fold's test votes are those of one block of judges on one block
# of items; it is trained on votes of neither. Blocks are of about equal load. An answer that is
# several votes, a ranking, is never split.

Rows = NDArray[np.intp]
Integers = NDArray[np.int64]
BLOCKS: Final = ("judge", "item", "both", "ranking", "judgment")
FOLDS: Final = 10
FOLDS_EACH_WAY: Final = 5
MIN_BLOCK_LEVELS: Final = 5  # Fewest judges, and items, for which both are blocks by default


@dataclass(frozen=True, eq=False)
class Fold:
    train: Rows  # rows that are trained on
    test: Rows  # rows that are predicted


@dataclass(frozen=True)
class Plan:
    by: str  # judge, item, both, ranking or judgment
    folds: int  # blocks, each way if there are two
    repeats: int = 1  # how often they are divided anew
    seed: int = 0  # of the divisions

    @property
    def trainings(self) -> int:
        return self.repeats * (self.folds**2 if self.by == "both" else self.folds)


def plan_folds(votes: Votes, by: str | None, folds: int | None, repeats: int, seed: int) -> Plan:
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


def _units(votes: Votes, name: str) -> Integers:
    """Return the unit of each vote: judges or items that share an answer are one."""
    answers = number_answers(votes)
    if name == "judgment" or (name == "ranking" and votes.answer is not None):
        return answers
    if name == "ranking" or getattr(votes, f"{name}s") == ("",):
        raise UnknownColumn(
            f"there is no {name} column to hold out by: map one (--column {name}=NAME), or choose"
            f" another of {' | '.join(BLOCKS)}"
        )
    codes = number_groups(getattr(votes, name))
    if votes.answer is None:
        return codes
    size = int(codes.max()) + 1
    graph = Graph(size + int(answers.max()) + 1, codes, size + answers)
    return number_groups(weak_components(graph)[codes])


def make_folds(votes: Votes, plan: Plan) -> Iterator[tuple[int, Fold]]:
    """Divide votes, repeat after repeat; yields the repeat, from 0, with every fold."""
    sides = [_units(votes, name) for name in _sides(plan.by)]
    for repeat in range(plan.repeats):
        blocks = [
            _block(units, plan.folds, [plan.seed, repeat, side]) for side, units in enumerate(sides)
        ]
        for fold in np.ndindex(*[plan.folds] * len(sides)):
            held = [block == number for block, number in zip(blocks, fold, strict=True)]
            test, train = np.logical_and.reduce(held), ~np.logical_or.reduce(held)
            if test.any():
                yield repeat, Fold(np.flatnonzero(train), np.flatnonzero(test))


def _block(units: Integers, folds: int, entropy: list[int]) -> Integers:
    """Return the block of each vote: by chance one each of the heaviest units, then the next."""
    loads = np.bincount(units)
    rng = np.random.Generator(np.random.PCG64(entropy))
    chance = rng.permutation(len(loads))
    order = chance[np.argsort(-loads[chance], kind="stable")]
    turns = -(-len(loads) // folds)
    places = rng.permuted(np.tile(np.arange(folds), (turns, 1)), axis=1).reshape(-1)
    block = np.empty(len(loads), dtype=np.int64)
    block[order] = places[: len(loads)]
    return block[units]


# Models trained on all folds but one predict that one, until every vote was predicted unseen.
#
# All models see the same folds. A model that refuses in any fold has no loss on some votes, and so
# no mean that could be compared: it is left out, with the reason.

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Validated:
    # model → (n,) loss of each vote (bits), averaged over repeats; of models that refused nowhere
    losses: Mapping[str, Array]
    refused: Mapping[str, str]  # model → why, and in how many trainings
    seconds: Mapping[str, float]  # model → CPU seconds
    train: tuple[int, int]  # (least, most) votes that were trained on
    folds: tuple[int, ...]  # trainings of a model in each repeat; blocks without votes are none


def cross_validate(
    votes: Votes, models: Models, plan: Plan, progress: Progress | None = None
) -> Validated:
    losses = {name: np.zeros(votes.size) for name in models}
    why: dict[str, list[str]] = {name: [] for name in models}
    seconds, sizes = dict.fromkeys(models, 0.0), set[int]()
    made = list(make_folds(votes, plan))
    folds = [fold for _, fold in made]
    with one_blas_thread():
        for done, fold in enumerate(folds):
            training, held_out = votes.take(fold.train), votes.take(fold.test)
            sizes.add(training.size)
            for name, model in models.items():
                trained = train(model, training, held_out)
                seconds[name] += trained.seconds
                if trained.losses is None:
                    why[name].append(trained.why)
                else:
                    losses[name][fold.test] += trained.losses
            if progress is not None:
                progress(done + 1, len(folds))
    refused = {
        name: f"{values[0]} ({len(values):,} of {len(folds):,} trainings refused)"
        for name, values in why.items()
        if values
    }
    mean_losses = {
        name: values / plan.repeats for name, values in losses.items() if name not in refused
    }
    counts = np.bincount([repeat for repeat, _ in made], minlength=plan.repeats)
    return Validated(
        mean_losses, refused, seconds, (min(sizes), max(sizes)), tuple(counts.tolist())
    )


# Which models cannot be told from the best: a model confidence set (Hansen, Lunde & Nason 2011).
#
# T = max over pairs of |mean(loss_i − loss_j)| / se_ij
#
# While T is larger than chance would make it among models that are equally good, the model that is
# farthest behind another leaves. What is left holds the best model with at least the level asked
# for. The distribution of T is that of a wild cluster bootstrap of the paired losses, studentised
# anew in every draw (`numerics.cluster_means`), by judge and by item, of which the larger p-value
# holds.
#
# When not to believe it: the folds of cross-validation share most of their training votes, and no
# variance estimate knows how losses would move with other training votes (Bengio & Grandvalet 2004,
# Journal of Machine Learning Research 5:1089-1105). What is covered are other held-out votes,
# judges and items like these, for models trained on about these votes.

REPLICATES: Final = 999
DIFFERENCE: Final = ("difference", "difference_lower", "difference_upper")
BITS: Final = ("bits", "bits_lower", "bits_upper")  # The same, where it is shown
MARK: Final = "≈"  # Stands beside models that cannot be told from the best
EQUAL_LOSS: Final = 1e-9  # Standard errors (bits) below which losses are the same but for rounding


@dataclass(frozen=True, eq=False)
class Leavers:
    # (M,) p-values of belonging to the set: at level 1 − α it is the models with a p-value above
    # α; the model that stays to the end has p 1
    p: Array
    # (M,) which model each was farthest behind when it left; −1 for the one that stays
    by: Integers


def find_leavers(losses: Array, clusters: Clusters, seed: int) -> Leavers:
    """Let models leave the set of the best, by (M, n) losses of votes (bits)."""
    many = len(losses)
    if many < 2:
        return Leavers(np.ones(many), np.full(many, -1, dtype=np.int64))
    one, other = (index.astype(np.int64) for index in np.triu_indices(many, 1))
    means, moved = clusters.strata.means(losses), clusters.strata.deviations(losses)
    of_models = leave_out(clusters, moved)
    of_pairs = leave_out(clusters, moved[one] - moved[other])
    differences = means[one] - means[other]
    stderr = np.sqrt(of_pairs.variance)
    sure = np.where(np.abs(differences) <= EQUAL_LOSS, 0.0, np.copysign(np.inf, differences))
    t = np.where(
        stderr > EQUAL_LOSS, differences / np.where(stderr > EQUAL_LOSS, stderr, 1.0), sure
    )
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
    return Leavers(p, by)


@dataclass(frozen=True)
class HeldOutScore:
    model: str  # the model
    loss: float  # mean loss of held-out votes (bits)
    perplexity: float  # 2^loss
    lower: float  # lower end of its interval, 2 to the power of that of the loss; 1 at least
    upper: float  # upper end
    difference: float  # loss above that of the best model (bits); 0 for the best itself
    # lower end of its interval; of this pair alone, the best as if it had been named beforehand
    difference_lower: float
    difference_upper: float  # upper end
    p: float  # of belonging to the set of the best: the model leaves it at every level above
    among_best: bool  # whether it cannot be told from the best, all models looked at together
    # the model that it was farthest behind, in standard errors, when it left the set of the best,
    # which need not be the best by estimate; None if it is in the set
    beaten_by: str | None
    behind: float | None  # loss above that of this model (bits), or None
    behind_lower: float | None  # lower end of its interval, of this pair alone, or None
    behind_upper: float | None  # upper end
    seconds: float  # CPU seconds of all its fits and predictions


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(Shown):
    """Models compared by cross-validation: every vote is predicted once (per repeat), unseen.

    Attributes:
        models: the M models that predicted every vote, as they were asked for.
        losses: (M, n) loss of each vote (bits), averaged over repeats.
        held_out: the n votes.
        refused: model → why it has no loss, with how many of its trainings were refused.
        seconds: model → CPU seconds, also of those refused.
        blocks: what was never on both sides: judge, item, both, ranking or judgment.
        folds: trainings per model and repeat, the most of any; blocks without votes are no fold.
        repeats: how often the votes were divided anew.
        train: (least, most) votes that a model was trained on.
        set_p: model → p of belonging to the set of the best.
        left_behind: model → the one that it was farthest behind when it left that set, of all but
            the model that stays to the end.
        level: of intervals and of the set (proportion).
        seed: of everything random.
        signature: one line that reproduces the numbers.
        notes: what must be known.
        excluded: what was excluded from the judgments.

    """

    models: tuple[str, ...]
    losses: Array
    held_out: Votes
    refused: Mapping[str, str]
    seconds: Mapping[str, float]
    blocks: str
    folds: int
    repeats: int
    train: tuple[int, int]
    set_p: Mapping[str, float]
    left_behind: Mapping[str, str]
    level: float
    seed: int
    signature: str
    notes: tuple[str, ...] = ()
    excluded: tuple[Exclusion, ...] = ()

    @cached_property
    def clusters(self) -> Clusters:
        """Which votes are correlated."""
        return find_clusters(self.held_out, self.seed)

    @cached_property
    def means(self) -> Array:
        """(M,) mean loss (bits), tasks alike."""
        return self.clusters.strata.means(self.losses)

    @property
    def effective_judges(self) -> float | None:
        """Effective number of judges of held-out votes, (Σ n)² / Σ n²; None where unknown."""
        return count_effective(self.held_out)

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

    def estimate(self, model: str) -> Estimate:
        """Return a model's mean loss (bits) with its interval, which ends at 0 bits.

        Raises:
            UnknownOption: there is no such model here.

        """
        require_option("model", model, self.models)
        estimate = self._bound(self.losses[self.models.index(model)])
        return replace(estimate, lower=max(estimate.lower, 0.0))

    def difference(self, model: str, other: str) -> Estimate:
        """Return by how much a model's mean loss is above another's (bits), on the same votes.

        Raises:
            UnknownOption: there is no such model here.

        """
        for name in (model, other):
            require_option("model", name, self.models)
        one, two = (self.losses[self.models.index(name)] for name in (model, other))
        return self._bound(one - two)

    def _bound(self, values: Array) -> Estimate:
        strata = self.clusters.strata
        leaving = leave_out(self.clusters, strata.deviations(values[None, :]))
        return leaving.estimate(0, float(strata.means(values[None, :])[0]), self.level)

    @cached_property
    def scores(self) -> tuple[HeldOutScore, ...]:
        """One row per model, best first."""
        return tuple(self._score(name) for name in self.order)

    def _score(self, name: str) -> HeldOutScore:
        loss, apart = self.estimate(name), self.difference(name, self.best)
        by = None if name in self.best_set else self.left_behind[name]
        behind = None if by is None else self.difference(name, by)
        return HeldOutScore(
            model=name,
            loss=loss.value,
            perplexity=raise_bits(loss.value),
            lower=raise_bits(loss.lower),
            upper=raise_bits(loss.upper),
            difference=apart.value,
            difference_lower=apart.lower,
            difference_upper=apart.upper,
            p=self.set_p[name],
            among_best=by is None,
            beaten_by=by,
            behind=None if behind is None else behind.value,
            behind_lower=None if behind is None else behind.lower,
            behind_upper=None if behind is None else behind.upper,
            seconds=self.seconds[name],
        )

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
            behind = self.difference(first.model, self.left_behind[first.model])
            ends = {"value": behind.value, "lower": behind.lower, "upper": behind.upper}
            sentences.append(say("worse", model=first.model, other=first.beaten_by, **ends))
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
        return [asdict(score) for score in self.scores]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of a comparison."""
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            "blocks": self.blocks,
            "folds": self.folds,
            "repeats": self.repeats,
            "train": list(self.train),
            "n_comparisons": self.held_out.size,
            "level": self.level,
            "clusters": self.clusters.name,
            "effective_judges": self.effective_judges,
            "df": self.df,
            "models": self.records(),
            "best_set": list(self.best_set),
            "refused": dict(self.refused),
            "says": list(self.says),
            "findings": describe_findings(self.findings),
            **count_sides(self.held_out),
        }

    def document(self) -> Document:
        """Return what people read."""
        times = f", divided {self.repeats} times" if self.repeats > 1 else ""
        folds = f"Predicted in {self.folds} folds{times}: {SIDES[self.blocks]}."
        return Document(
            basis=f"{say_votes(self.held_out)}. {folds}",
            answer=self.says,
            parts=(self._tabulate(),),
            findings=self.findings,
            signature=self.signature,
        )

    def _tabulate(self) -> Table:
        """Return the table of models, best first, those without a perplexity below."""
        rows = []
        for row in self.records():
            others = row["model"] != self.best  # the best has no distance from itself
            ends = [row[key] if others else None for key in DIFFERENCE]
            bits = dict(zip(BITS, ends, strict=True))
            rows.append({**row, "why": None, **bits, "mark": MARK * (row["among_best"] and others)})
        keys = (*HeldOutScore.__dataclass_fields__, "why", *BITS, "mark")
        rows += [
            {**dict.fromkeys(keys), "model": name, "seconds": self.seconds[name], "why": why}
            for name, why in self.refused.items()
        ]
        level, several = f"{100 * self.level:g} % interval", len(self.models) > 1
        marked = [f"{MARK} undecided, all models compared at once"] * any(r["mark"] for r in rows)
        scale = [
            "bits: mean loss above the best model's, each interval of its pair alone"
        ] * several
        return Table(
            "models",
            "Models by perplexity on held-out judgments, best first",
            (
                Column("model", "model"),
                *([Column("mark", "")] if marked else []),
                Column("perplexity", "perplexity", "three"),
                Column(("lower", "upper"), level, "interval three", priority=2),
                *([Column(BITS[0], "bits", "four")] * several),
                *([Column(BITS[1:], level, "interval four")] * several),
                Column("seconds", "CPU s", "one", priority=1),
            ),
            tuple(rows),
            legend=(*marked, *scale, "perplexity: 3 is guessing, lower is better"),
            without=(*BITS, "mark"),
        )
