"""How sure: what is asked of a ranking, and how a fit and its clusters become intervals.

What cannot be asked is refused before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.exclusions import Exclusion, say_unweighted, sign_excluded
from evenhand.data.groups import Levels
from evenhand.data.tables import AppliedMix
from evenhand.data.tally import Tally, take_names
from evenhand.errors import UnknownOption, require_level, require_option, require_seed
from evenhand.models.base import Contrast, FittedModel, Posterior
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit, cautions
from evenhand.models.registry import MODELS, find_model, name_settings
from evenhand.numerics import Array
from evenhand.ranking import covariance
from evenhand.ranking.clustering import Clustering, Evidence, choose_clustering, limit_to_few
from evenhand.ranking.intervals import (
    REPLICATES,
    Intervals,
    Progress,
    find_clusters,
    rank_ranges,
    wald_intervals,
)
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.sandwich import is_controlled
from evenhand.ranking.sides import find_one_sided
from evenhand.ranking.texts import say
from evenhand.render.document import exactly, take_findings, write_signature

INTERVALS: Final = ("rank-sets", "sandwich", "model", "bootstrap")
MAX_LEVEL: Final = 0.999  # Highest level of rank sets: that of the largest of so many replicates
SAMPLED: Final = "sampling_probability"  # Probability that a pair of outputs was sampled


@dataclass(frozen=True)
class Settings:
    model: Any  # the model's settings
    interval: str | None  # as of `rank`; other models have posterior, or None for their own
    cluster: str | None = None  # what was asked for, or None for what the data have
    level: float = 0.95  # nominal level of intervals (proportion)
    seed: int = SEED  # of everything random
    progress: Progress | None = None  # called with steps done and to do
    mix: AppliedMix | None = None  # the stated mix that weights make, or None
    start: Any = None  # an earlier fit or ranking to start from, or None
    lower_is_better: bool | None = None  # of ratings; None for what the name of a criterion says
    references: Sequence[str] | None = None  # of ratings, as in `find_references`

    @property
    def name(self) -> str:
        return name_settings(self.model)

    @property
    def log_linear(self) -> bool:
        return isinstance(self.model, BradleyTerry)

    def __post_init__(self) -> None:
        if self.interval is not None:
            known = INTERVALS if self.log_linear else (*INTERVALS, "posterior")
            require_option("interval", self.interval, known)
        if self.interval == "model" and self.cluster is not None:
            raise UnknownOption(
                "interval 'model' assumes independent judgments and knows no clusters: leave out"
                " cluster, or choose interval 'sandwich' or 'bootstrap'"
            )
        require_level(self.level)
        require_seed(self.seed)
        if self.interval == "rank-sets" and self.level > MAX_LEVEL:
            raise UnknownOption(
                f"level {self.level:g} exceeds what {REPLICATES} replicates can show: rank sets go"
                f" to {MAX_LEVEL:g}; ask for less, or choose interval 'sandwich'"
            )
        model = self.model
        if not isinstance(model, BradleyTerry):
            return
        if self.interval == "bootstrap" and model.controls:
            raise UnknownOption(
                "with controls a resample is a fit to every row: use interval 'sandwich', or"
                " 'model' for independent judgments"
            )
        if model.judge_covariates:
            raise UnknownOption(
                "a ranking is one for all judges: leave out judge covariates, or rank each group"
                f" apart (--group-by {model.judge_covariates[0]})"
            )


def refuse_of_ratings(*given: object) -> None:
    """Refuse settings that apply to ratings alone, where they are given."""
    if any(one is not None for one in given):
        raise UnknownOption(
            "criteria, references and the direction of scores are of ratings: leave them out"
        )


def choose_model(model: Any, controls: Sequence[str], seed: int) -> Any:
    spec = BradleyTerry() if model is None else model
    if isinstance(model, str):
        spec = find_model(model).make()
        spec = replace(spec, seed=seed) if hasattr(spec, "seed") else spec
    if isinstance(spec, type) or not hasattr(spec, "fit"):
        names = " | ".join(MODELS)
        raise _refuse_model(model, f"settings such as evenhand.BradleyTerry(), or a name: {names}")
    if getattr(spec, "reference", None) is not None:
        raise UnknownOption(
            f"a ranking has no reference: its worths are less their mean. Leave reference="
            f"{spec.reference!r} out, or fit the model with it"
        )
    if not controls:
        return spec
    if not isinstance(spec, BradleyTerry):
        raise UnknownOption(f"{name_settings(spec)} knows no controls: take bradley-terry")
    return replace(spec, controls=take_names(controls))


def choose_log_linear(model: object) -> BradleyTerry:
    if model is None:
        return BradleyTerry()
    if not isinstance(model, BradleyTerry):
        raise _refuse_model(model, "settings of the log-linear model, evenhand.BradleyTerry()")
    return model


def _refuse_model(model: object, wanted: str) -> UnknownOption:
    if isinstance(model, type):
        name = model.__name__
        return UnknownOption(
            f"model is the class {name} and not settings of it: write {name}(), with parentheses"
        )
    return UnknownOption(f"model cannot be {model!r}: give {wanted}")


# The signature: one line that says what made a number, so that it can be made again.


def sign(
    fit: Fit | FittedModel,
    evidence: Evidence,
    levels: Levels,
    intervals: Intervals | None,
    settings: Settings,
) -> str:
    """Return the signature of a ranking; digests are of counts, never of the file."""
    tally, seed = evidence.whole, f"seed={settings.seed}"
    parts = [name_model(fit)] if isinstance(fit, Fit) else [settings.name, *fit.signature_parts]
    seeded = settings.log_linear or settings.interval == "bootstrap"
    seeds = [seed] if seeded and seed not in parts else []
    if settings.mix is not None:
        parts.append(settings.mix.name)
    elif tally.squares is not None:
        parts.append("importance weights")
    how = intervals.method if intervals is not None else "no intervals"
    parts += [f"{how}, level {exactly(settings.level)}", *seeds]
    parts += sign_data(fit, tally) if isinstance(fit, Fit) else []
    if settings.cluster is not None:
        parts.append(f"cluster {settings.cluster}")
    if evidence.tallies:
        digest = sha256()
        for name in sorted(evidence.tallies):
            digest.update(f"{name}\x1f{evidence.alone(name).digest_by((name,))}\x1e".encode())
        parts.append(f"clusters sha256 {digest.hexdigest()[:12]}")
    return write_signature(parts, tally.n_judgments, tally.digest, judges=levels.count("judge"))


def name_model(fit: Fit) -> str:
    """Return the settings of a model that change its numbers."""
    model = fit.model
    parts = [model.ties, *(["order effect"] if model.order_effect else [])]
    parts += [f"covariate {name}" for name in model.system_covariates]
    parts += [f"control {name}" for name in model.controls]
    parts += [f"prior {exactly(float(model.prior))} per system"] if model.prior else []
    return " + ".join(parts)


def sign_data(fit: Fit, tally: Tally) -> list[str]:
    """Return digests of what is joined or controlled for, which the counts do not show."""
    covariates = sign_covariates(tally, fit.model.covariates, fit.model.system_covariates)
    if not is_controlled(fit):
        return covariates
    from evenhand.data.streams import digest_rows

    return [*covariates, f"controls sha256 {digest_rows(fit.rows)[:12]}"]


def sign_covariates(
    tally: Tally, names: Iterable[str], of_systems: Mapping[str, Mapping[str, float | str]]
) -> list[str]:
    covariates = sorted(set(names))
    if not covariates and not of_systems:
        return []
    digest = sha256(tally.digest_by(covariates).encode())
    for name, values in sorted(of_systems.items()):
        levels = [f"{system}\x1f{values[system]}" for system in tally.systems]
        digest.update("\x1e".join([name, *levels]).encode())
    return [f"covariates sha256 {digest.hexdigest()[:12]}"]


Found = tuple[Clustering, Intervals | None]


def find_intervals(fit: Fit, evidence: Evidence, levels: Levels, settings: Settings) -> Found:
    if settings.interval == "model":
        if fit.vcov is not None and fit.tally.squares is not None:
            raise UnknownOption(
                "importance weights are no counts, so that the model knows no spread: use"
                " --interval sandwich"
            )
        method = "model, independent judgments"
        intervals = None
        if fit.vcov is not None:
            intervals = _from_vcovs(fit, [fit.raw_vcov], settings.level, np.inf, method)
        return Clustering((), limit_to_few(levels)), intervals
    clustering = choose_clustering(settings.cluster, evidence, levels)
    if fit.vcov is None:
        return clustering, None
    if settings.interval == "bootstrap":
        tally = evidence.together(clustering.clusterings)
        if fit.model.prior:
            raise UnknownOption(
                "resamples of unanimous answers are unanimous, and a prior hides it: with --prior"
                " use --interval sandwich or model"
            )
        if tally is None or tally.squares is not None:
            raise UnknownOption("importance weights cannot be resampled: use interval 'sandwich'")
        from evenhand.ranking.bootstrap import bootstrap_intervals, resample

        rng = Generator(PCG64(settings.seed))
        draws = resample(fit, tally, clustering.clusterings, rng=rng, progress=settings.progress)
        names = " and ".join(clustering.clusterings) or "judgment"
        covariance.refuse_no_spread(fit.systems, np.cov(draws.log_worth.T), fit.worth_vcov, names)
        return clustering, bootstrap_intervals(draws, evidence, clustering, settings.level)
    if settings.interval == "rank-sets":
        cluster: Callable[[str], covariance.ClusteredErrors] = partial(
            covariance.cluster_all_pairs, fit, evidence, settings.cluster, settings.progress
        )
    else:
        cluster = partial(covariance.cluster_plainly, fit, evidence)
    clustering, spread = covariance.find_spread(
        fit, evidence, clustering, requested=settings.cluster, estimate=cluster
    )
    if settings.interval == "rank-sets":
        return clustering, decide_all(
            covariance.gather_estimates(fit), spread, settings.level, settings.seed
        )
    df, method = spread.df if spread.clusterings else np.inf, f"sandwich {spread.method}"
    intervals = _from_vcovs(fit, spread.vcovs, settings.level, df, method)
    return clustering, replace(intervals, notes=spread.notes, ways=spread.ways)


def _from_vcovs(
    fit: Fit, vcovs: Sequence[Array], level: float, df: float, method: str
) -> Intervals:
    """Return intervals of worths, and errors of all parameters; each takes its largest variance."""
    variances = np.max([np.diag(vcov) for vcov in vcovs], axis=0)
    worths = [fit.to_worth(vcov) for vcov in vcovs]
    intervals = wald_intervals(fit.log_worth, worths, level, df, method)
    return replace(intervals, parameters=np.sqrt(variances))


# Putting everything in the order of the board, best first, equal estimates by name.

MAX_NEIGHBOURS: Final = 20  # Systems at the top whose neighbours are compared without intervals
EQUAL_LOG_WORTH: Final = 1e-9  # Difference in log-worth that is rounding and no difference


def order_systems(
    fit: Fit | FittedModel, evidence: Evidence, levels: Levels, found: Found, settings: Settings
) -> Ranking:
    (clustering, intervals), tally, mix = found, evidence.whole, settings.mix
    members = None if intervals is None else intervals.centred_on
    centre = fit.log_worth[slice(None) if members is None else members].mean()
    log_worth, ability = np.asarray(fit.log_worth - centre), None
    if isinstance(fit, Posterior) and fit.order_scale != "log-worth":  # draws are of abilities
        means = fit.order_draws.mean(axis=0)
        ability = np.asarray(means - means.mean())
    order, places = number_places(log_worth if ability is None else ability)
    wins, ties, losses = _count_outcomes(fit.tally if isinstance(fit, Fit) else tally)
    # of a mix the number before weighing
    n_comparisons = tally.n_comparisons if mix is None else mix.n_comparisons
    # sums of weights differ by their order
    of_pairs = tally.n_judgments >= n_comparisons * (1 - 1e-9)
    sides = find_one_sided(tally, settings.model, of_pairs=of_pairs)
    excluded = exclude_in_fit(fit, tally, mix)
    neighbours: tuple[Contrast, ...] = ()
    if intervals is None and isinstance(fit, Fit):
        names = [fit.systems[i] for i in order[: MAX_NEIGHBOURS + 1]]
        neighbours = fit.contrasts(list(pairwise(names)))
    notes = [*sides.notes, *fit.notes, *(() if intervals is None else intervals.notes)]
    if tally.zero_weight:
        notes.append(say_unweighted(tally.zero_weight))
    if intervals is None:
        notes.append(say("too-many-systems", systems=len(fit.systems), top=MAX_NEIGHBOURS))
    notes += clustering.notes
    if isinstance(fit, Fit) and settings.interval == "model":
        notes += cautions(fit)
    notes += () if mix is None else mix.notes
    return Ranking(
        systems=tuple(fit.systems[i] for i in order),
        log_worth=log_worth[order],
        rank=places,
        **reorder(intervals, order, levels, settings),
        wins=wins[order],
        ties=ties[order],
        losses=losses[order],
        n_judgments=tally.n_judgments,
        n_comparisons=n_comparisons,
        mix=mix,
        signature=sign_excluded(sign(fit, evidence, levels, intervals, settings), excluded),
        excluded=excluded,
        headline=clustering.headline,
        notes=take_findings(notes),
        one_sided=sides.uneven,
        answers="judgments" if of_pairs else "rankings",
        neighbours=neighbours,
        fit=fit,
        ability=None if ability is None else ability[order],
        tally=fit.tally if isinstance(fit, Fit) else tally,
    )


def exclude_in_fit(
    fit: Fit | FittedModel, tally: Tally, mix: AppliedMix | None
) -> tuple[Exclusion, ...]:
    excluded, every, ties = [], tally.n_comparisons, float(tally.ties.sum())
    if ties and every - fit.n_comparisons == ties:
        why = "ties, which the model does not take"
        excluded = [Exclusion("ties", why, ties, every, unit="comparison")]
    if mix is not None and mix.left_out:
        sentence = " ".join(mix.notes)
        why = "their share in the mix is 0"
        excluded.append(Exclusion("mix", why, mix.left_out, unit="comparison", sentence=sentence))
    return tuple(excluded)


def number_places(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order, largest first, and the place of each in it; equal values share a place."""
    order = np.argsort(-values, kind="stable")
    fresh = np.concatenate([[True], np.diff(values[order]) < -EQUAL_LOG_WORTH])
    run = np.cumsum(fresh) - 1
    return order[np.lexsort((order, run))], np.asarray(np.flatnonzero(fresh)[run] + 1)


def reorder(
    intervals: Intervals | None, order: NDArray[np.int64], levels: Levels, settings: Settings
) -> dict[str, Any]:
    """Return the fields of a ranking that its intervals, levels and settings make."""
    about = {
        "level": settings.level,
        "interval": settings.interval or "none",
        "model": settings.name,
        "n_judges": levels.count("judge"),
        "effective_judges": levels.effective("judge"),
        "n_items": levels.count("item"),
        "rank_interval": "marginal",
    }
    if intervals is None:
        names = ("stderr", "lower", "upper", "rank_lower", "rank_upper", "cluster", "better_than")
        return about | dict.fromkeys(names) | {"method": "no intervals"}
    decided = intervals.decided[np.ix_(order, order)]
    lowest, highest = rank_ranges(decided)
    pairs, sets = intervals.pairs, intervals.rank_sets
    return about | {
        "method": intervals.method,
        "ways": intervals.ways,
        "df": intervals.df,
        "rank_interval": "marginal" if sets is None else "simultaneous",
        "stderr": intervals.stderr[order],
        "lower": intervals.lower[order],
        "upper": intervals.upper[order],
        "rank_lower": lowest,
        "rank_upper": highest,
        "cluster": find_clusters(np.arange(len(order)), decided),
        "better_than": len(order) - highest,
        "decided": decided,
        "pair_stderr": None if pairs is None else pairs[np.ix_(order, order)],
        "rank_sets": None if sets is None else sets.reorder(order),
    }


def _count_outcomes(tally: Tally) -> Iterator[Array]:
    k = len(tally.systems)
    sides = (tally.wins, tally.losses), (tally.ties, tally.ties), (tally.losses, tally.wins)
    for as_left, as_right in sides:
        left = np.bincount(tally.left, as_left, minlength=k)
        yield np.asarray(left + np.bincount(tally.right, as_right, minlength=k))
