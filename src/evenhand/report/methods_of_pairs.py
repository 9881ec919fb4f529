"""How systems were ranked by preferences, in sentences for a paper; only what was done is said."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from evenhand.judgments.rankings import Rankings
from evenhand.models.base import Fit
from evenhand.numerics.graph import Graph, weak_components
from evenhand.ranking.intervals import FEW, RankSets
from evenhand.ranking.ranking import Ranking
from evenhand.report.numbers import write_value
from evenhand.report.references import cite
from evenhand.report.study import Study

Sentence = tuple[str, tuple[str, ...]]  # A sentence, and the keys of what it cites

# Treatment of ties → how it is said, and the paper it is from
TIES: Final = {
    "davidson": ("with Davidson's ties", "davidson-1970"),
    "rao-kupper": ("with Rao and Kupper's ties", "rao-kupper-1967"),
    "glenn-david": ("with Glenn and David's ties", ""),
    "half-win": ("with ties as half a win for each", ""),
    "discard": ("without ties, which are left out", ""),
    "none": ("with tie cells kept and a tie parameter of zero", ""),
}
# How a method says that clusters were merged
MERGED: Final = re.compile(r"\(([\d,]+) (\w+?)s in (\d+)\)")


def say_ranking(ranking: Ranking, study: Study) -> list[Sentence]:
    """Say the model, the errors and the rank sets."""
    said = [_say_model(ranking, study), *_say_prior(ranking), *_say_spread(ranking)]
    if ranking.rank_sets is not None:
        said += [_say_sets(ranking, ranking.rank_sets), *_say_barred(ranking.rank_sets)]
    limit = ranking.headline
    return [*said, (f"The statements are {limit}.", ())] if limit else said


def _say_model(ranking: Ranking, study: Study) -> Sentence:
    """Say what was fitted to what."""
    unit = "rankings" if isinstance(study.data, Rankings) else "comparisons"
    n = write_value(ranking.n_judgments, "count")
    model, keys = _name_model(ranking)
    expanded = ", each as the comparisons of all its pairs," if unit == "rankings" else ""
    return (
        f"We fitted the {model} to {n} {unit}{expanded} of {len(ranking.systems)} systems"
        f" {cite(*keys)}.",
        keys,
    )


def _name_model(ranking: Ranking) -> tuple[str, tuple[str, ...]]:
    """Name the model as it was fitted, which is not always as it was asked for."""
    if not isinstance(ranking.fit, Fit):
        return f"{ranking.model} model", ("dras-2015",)
    model = ranking.fit.model
    probit = model.ties == "glenn-david"
    name = "paired-comparison model on the probit scale" if probit else ""
    name = name or "log-linear Bradley-Terry model"
    ties, source = TIES[model.ties]
    if not ranking.ties.any():
        ties, source = "without ties (none were seen)", ""
    extra = ["an effect of the order of presentation"] if model.order_effect else []
    extra += [f"worths by {one}" for one in model.judge_covariates]
    extra += [f"tie parameters by {one}" for one in model.tie_covariates]
    extra += ["worths as sums of covariates of systems"] if model.system_covariates else []
    extra += [f"{one} held constant" for one in model.controls]
    more = "".join(f", {one}" for one in extra)
    keys = (*([] if probit else ["bradley-terry-1952"]), *([source] if source else []), "dras-2015")
    return f"{name} {ties}{more}", keys


def _say_prior(ranking: Ranking) -> list[Sentence]:
    """Say the prior, and which differences rest on nothing else."""
    if not isinstance(ranking.fit, Fit) or not ranking.fit.model.prior:
        return []
    met = f"{ranking.fit.model.prior:g} comparison{'' if ranking.fit.model.prior == 1 else 's'}"
    said = (
        f"A prior was added: every system also met an imaginary one in {met}, half of them won,"
        " which draws estimates towards each other; stated confidence does not allow for this."
    )
    groups = _count_groups(ranking.fit)
    if groups > 1:
        said += (
            f" The systems fall into {groups} groups that were never compared: any difference"
            " between groups comes from the prior alone, and is no finding."
        )
    return [(said, ())]


def _count_groups(fit: Fit) -> int:
    """Count the groups of systems that no comparison joins."""
    tally = fit.tally
    left, right = tally.left.astype(np.intp), tally.right.astype(np.intp)
    graph = Graph(len(tally.systems), left, right)
    return int(weak_components(graph).max()) + 1


def _say_spread(ranking: Ranking) -> list[Sentence]:
    """Say how the errors were found, and which clusters were merged."""
    method, sets = ranking.method, ranking.rank_sets
    named = ("judge", "item", "ranking")
    ways = [way for way in named if way in (sets.ways if sets else method.split(",")[0])]
    keys = ["mackinnon-2023"] if "CV3" in method else ["liang-zeger-1986"] if "CR" in method else []
    if not keys:
        return []
    kind = "jackknife (CV3)" if "CV3" in method else "sandwich"
    by = " and ".join(f"by {way}" for way in ways) or "by judgment"
    if len(ways) == 2:
        keys.append("cameron-2011")
    merged = "".join(
        f" The {many} {name}s were merged at random into {few} clusters of about equal load."
        for many, name, few in MERGED.findall(method)
    )
    said = f"Standard errors are from the cluster {kind}, clustered {by} {cite(*keys)}.{merged}"
    return [(said, tuple(keys))]


def _say_sets(ranking: Ranking, sets: RankSets) -> Sentence:
    """Say how pairs were decided, and what the rank sets hold."""
    how, keys = "Holm's method", ["mogstad-2024", "romano-wolf-2005"]
    if sets.replicates:
        law, drawn = _name_law(ranking.method)
        how = f"max-|t| with step-down over {sets.replicates} draws of {law}"
        keys += drawn
    pairs = "All pairs of systems were" if len(ranking.systems) > 2 else "The pair of systems was"
    at_once = " at once" if len(ranking.systems) > 2 else ""
    return (
        f"{pairs} tested{at_once} by {how}; the rank set of a system holds the places that the"
        f" decided pairs leave to it, and all sets hold the true ranks together with"
        f" {100 * ranking.level:g} % confidence {cite(*keys)}.",
        tuple(keys),
    )


def _name_law(method: str) -> tuple[str, tuple[str, ...]]:
    """Say what worlds were drawn from, and whose way of drawing it is.

    >>> _name_law("rank sets CR1 by judgment")
    ("Student's t with that covariance", ())
    """
    if "CV3" not in method:
        return "Student's t with that covariance", ()
    wild = "a wild cluster bootstrap of scores"
    if "CR" in method:
        wild += ", and of Student's t where clusters are too many or too small to be left out"
    return wild, ("webb-2023",)


def _say_barred(sets: RankSets) -> list[Sentence]:
    """Say how many pairs were open from the start, for want of judges or items."""
    upper = np.triu_indices(len(sets.decided), 1)
    barred, size = int(sets.barred[upper].sum()), len(upper[0])
    if not barred:
        return []
    ways = " or ".join(f"{way}s" for way in sets.ways)
    verb = "was" if barred == 1 else "were"
    return [
        (
            f"Of {size:,} pairs {barred:,} {verb} left open whatever the answers, since the"
            f" difference rests on fewer than {FEW:g} effective {ways} or on one alone.",
            (),
        )
    ]
