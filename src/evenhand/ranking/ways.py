"""By which ways of clustering a hypothesis about a fit is tested: judges, items, rankings.

The ways are those of a ranking (`clustering`, INFERENCE B6): judges and items where they are
enough; items alone, and a statement about these judges only, where judges are fewer than five or
are what the hypothesis is about. Where no other way gives a test the answers themselves are
clusters, if they are rankings: a likelihood ratio takes comparisons of one ranking for independent,
and at level .05 it rejected two true hypotheses in .38 and .67 of simulated campaigns, the test by
ranking in .08 and .03 (tests/ranking/test_ways.py).

When not to use it: for intervals, which `inference` makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.groups import tally_groups
from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Tally, merge_levels
from evenhand.preference.fit import Fit
from evenhand.preference.groups import Hypothesis
from evenhand.ranking.clustering import FACTORS, choose_ways, single_answers
from evenhand.ranking.evidence import CLUSTERS, Evidence
from evenhand.ranking.rank import of_one_judge
from evenhand.ranking.robust import WaldTest, wald_test

Found = tuple[tuple[WaldTest, ...], tuple[str, ...]]
ONE_RANKING: Final = "the likelihood ratio takes comparisons of one ranking for independent"


def count_ways(
    table: Comparisons, by: str | None, covariates: Sequence[str]
) -> dict[str, dict[str, Tally]]:
    """Count the same judgments by each way in which they may hang together.

    Args:
        table: comparisons.
        by: the column that tells groups apart, or None.
        covariates: what a model tells apart besides.

    Returns:
        Group → way → tally by covariates and that way; more than 200 clusters are merged.

    """
    found: dict[str, dict[str, Tally]] = {}
    for way in FACTORS:
        if not table.has(way) or (way == by and way != "judge"):
            continue
        for name, tally in _count(table, by, covariates, way).items():
            found.setdefault(name, {})[way] = tally if way in covariates else _merge(tally, way)
    return found


def note_numbers(ways: Mapping[str, Tally], covariates: Sequence[str]) -> tuple[str, ...]:
    """Say which covariates are numbers that nearly every judge (or item) has one of.

    Each number is then a group by itself, as a name would be.

    Args:
        ways: way → tally by the covariates and that way.
        covariates: the covariates of a model.

    """
    notes = []
    for name in (one for one in covariates if one not in ways):
        for way, tally in ways.items():
            values, factor = tally.factor(name).labels, tally.factor(way)
            cells = join_codes(
                [(tally.factor(name).codes, len(values)), (factor.codes, factor.size)]
            )
            of_each = not factor.merged and len(np.unique(cells)) == factor.size
            if of_each and 2 * len(values) > factor.size > 2 and all(map(_is_number, values)):
                n = f"{len(values)} values for {factor.size} {way}s"
                notes.append(f"{name} has {n}, taken as groups")
    return tuple(notes)


def _is_number(word: str) -> bool:
    """Say whether a level is written as a number."""
    return word.removeprefix("-").replace(".", "", 1).isdecimal()


def _count(
    table: Comparisons, by: str | None, covariates: Sequence[str], way: str
) -> dict[str, Tally]:
    """Count by covariates and by a way, whose levels are merged at once if there are no groups."""
    factors = tuple(dict.fromkeys((*covariates, way)))
    if by is None:
        return {"": table.tally(by=factors, limits={} if way in covariates else {way: CLUSTERS})}
    found = tally_groups(table, by, factors)
    return {name: of_one_judge(one, name) for name, one in found.items()} if way == by else found


def _merge(tally: Tally, way: str) -> Tally:
    factor = tally.factor(way)
    merged = factor if factor.merged else merge_levels(factor, CLUSTERS, SEED)
    return replace(tally, factors={**tally.factors, way: merged})


def walds_by_ways(
    fit: Fit, ways: Mapping[str, Tally], at: NDArray[np.intp], besides: str = ""
) -> Found:
    """Test that parameters are zero by each way of clustering, or say why there is no test.

    Args:
        fit: the fit.
        ways: way → the same judgments, told apart by the covariates of the model and that way.
        at: (q,) places of the parameters in `fit.estimate`.
        besides: the covariate whose levels are compared: they are no clusters of one another.

    """
    evidence, of_judges = Evidence(ways, fit.tally), besides == "judge"
    chosen = choose_ways(evidence, of_these_judges=of_judges)
    notes = [f"every group is one {besides}: no test by {besides}"] * (besides in ways)
    notes += [*chosen.notes, *([chosen.headline] if chosen.headline else [])]
    tests: list[WaldTest] = []
    for way in chosen.ways:
        if way != besides:
            _try(fit, ways[way], way, at, (tests, notes))
    answers = [one for one in single_answers(evidence) if one not in (*chosen.ways, besides)]
    for way in answers if not tests else []:
        _try(fit, ways[way], way, at, (tests, notes))
    if not tests:
        notes += say_of_rankings(ways, fit.tally)
    return tuple(tests), tuple(notes)


def _try(
    fit: Fit,
    tally: Tally,
    way: str,
    at: NDArray[np.intp],
    found: tuple[list[WaldTest], list[str]],
) -> None:
    """Add a test, or why there is none."""
    tests, notes = found
    try:
        tests.append(wald_test(fit, tally, way, at))
    except NotIdentified as refusal:
        notes.append(f"no test by {way}: {refusal}")


def walds_of(one: Hypothesis, ways: Mapping[str, Tally]) -> Found:
    """Test by clusters that a covariate makes no difference."""
    if one.tieless:
        never = f"{', '.join(one.tieless)} never tied: no clustered test"
        return (), (never, *say_of_rankings(ways, one.fit.tally))
    return walds_by_ways(one.fit, ways, one.at, besides=one.covariate)


def say_of_rankings(ways: Mapping[str, Tally], whole: Tally) -> tuple[str, ...]:
    """Say so where answers are rankings, which a likelihood ratio knows nothing of."""
    return (ONE_RANKING,) if single_answers(Evidence(ways, whole)) else ()
