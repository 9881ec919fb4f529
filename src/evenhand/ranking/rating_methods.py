"""Systems by several models of ratings side by side, with the clusters that WMT would draw.

`wmt-da` is how WMT ranked by direct assessments (Bojar et al. 2016, Findings of the 2016 Conference
on Machine Translation, section 3): scores are standardised by judge, averaged within an output and
then over outputs; two systems differ where Wilcoxon's rank sum test of their outputs' means has
p < .05, one-sided; a line stands where every system above it is better than every one below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from evenhand.data.controls import leave_out_controls
from evenhand.data.groups import choose_criterion, group_ratings
from evenhand.data.joining import say_names
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.votes import Scores
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, require_option
from evenhand.models.means import standardise
from evenhand.models.rating_fit import take_scores
from evenhand.models.registry import RATING_MODELS
from evenhand.numerics.pair_tests import rank_sum_tests
from evenhand.ranking.intervals import find_clusters, rank_ranges
from evenhand.ranking.method_table import GroupedMethodTables, MethodTable, read_scores
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.ratings import find_references, name_groups, rank_scores, reads_lower_of
from evenhand.ranking.score_tests import MeanScores
from evenhand.ranking.settings import Settings
from evenhand.render.counts import plural

DEFAULT: Final = "adjusted"
WMT: Final = "wmt-da"
WMT_LEVEL: Final = 0.05  # p-value below which WMT calls a difference significant
# Method → what it is, in a few words; all of them but the ordinal model are of "all"
METHODS: Final = {
    **{name: entry.title for name, entry in RATING_MODELS.items()},
    WMT: "z-scores, with WMT's clusters by rank sum tests",
}
IN_ALL: Final = ("adjusted", "mean", "z", "mixed", WMT)


def compare_rating_methods(
    data: Ratings | RatingRows,
    methods: str | Sequence[str],
    settings: Settings,
    *,
    group_by: str | None = None,
    criterion: str | None = None,
) -> MethodTable | GroupedMethodTables:
    names = choose_rating_methods(methods)
    if isinstance(data, Ratings):
        table = leave_out_controls(choose_criterion(data, criterion))
        data = table.rows(factors=[] if group_by is None else [group_by])
    parts = group_ratings(data, group_by)
    tables = {name: _compare(part, names, settings) for name, part in parts.items()}
    if not any(one.scores for one in tables.values()):
        reasons = (f"{m}: {why}" for one in tables.values() for m, why in one.refused.items())
        raise NotIdentified("; ".join(dict.fromkeys(reasons)))
    if [*parts] == [""]:
        return tables[""]
    return GroupedMethodTables(tables, name_groups(data, group_by))


def choose_rating_methods(methods: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of methods, each once.

    Raises:
        UnknownOption: no method of ratings.

    """
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        require_option("method", name, ("all", *METHODS))
    if not names:
        raise UnknownOption(f"no method is named: choose of {' | '.join(METHODS)}, or all")
    usual = IN_ALL if "all" in names else ()
    return tuple(dict.fromkeys((*usual, *(name for name in names if name != "all"))))


def _compare(rows: RatingRows, names: Sequence[str], settings: Settings) -> MethodTable:
    lower = reads_lower_of(rows)
    scores: dict[str, Scores] = {}
    refused: dict[str, str] = {}
    usual: Ranking | None = None
    for name in names:
        try:
            if name == WMT:
                scores[name] = score_as_wmt(rows, lower_is_better=lower)
                continue
            own = name not in (DEFAULT, "mean", "z")  # errors of the model's own, without clusters
            model = RATING_MODELS[name].make()
            how = replace(settings, model=model, cluster=None if own else settings.cluster)
            ranking = rank_scores(rows, how, lower_is_better=lower)
            scored = read_scores(ranking)  # its settings begin with the name of the model
            scores[name] = replace(scored, rule=name, settings=scored.settings[1:])
            usual = ranking if name == DEFAULT else usual
        except (NotIdentified, NotConverged, UnknownOption) as refusal:
            refused[name] = str(refusal)
    n = float(len(rows.score))
    systems = next((one.systems for one in scores.values()), rows.systems)
    return MethodTable(
        methods=tuple(names),
        scores=scores,
        refused=refused,
        ranking=usual,
        n_judgments=n,
        n_comparisons=n,
        ties=0.0,
        digest=digest_ratings(rows),
        known=systems,
        notes=(*rows.notes, *say_names(systems)),
        default=DEFAULT,
        counted=f"{plural(n, 'rating')}, {plural(len(systems), 'system')}",
        titles=METHODS,
    )


def score_as_wmt(rows: RatingRows, *, lower_is_better: bool = False) -> Scores:
    """Return mean z-scores with the clusters of WMT; human references are excluded.

    Raises:
        NotIdentified: judges or items are not known, or a judge gave equal scores to all outputs.

    """
    scores = take_scores(rows)
    if "item" not in scores.factors:
        raise NotIdentified(
            "WMT's tests are of outputs, and no column names the items",
            ["name it (--column item=NAME)"],
        )
    apart = [rows.systems.index(name) for name in find_references(scores.systems)]
    standard = replace(rows, score=standardise(scores)).take(~np.isin(rows.system, apart))
    means = MeanScores.of(standard, -1.0 if lower_is_better else 1.0)
    k = len(means.systems)
    higher = rank_sum_tests(means.system, means.score, k, one_sided=True) < WMT_LEVEL
    better = (higher & ~np.eye(k, dtype=np.bool_)).astype(np.int8)
    decided = better - better.T
    order = np.argsort(-means.mean, kind="stable")
    cluster = np.empty(k, dtype=np.int64)
    cluster[order] = find_clusters(order, decided)
    lower, upper = rank_ranges(decided)
    return Scores(
        rule=WMT,
        systems=means.systems,
        values=means.mean,
        unit="minus z" if lower_is_better else "z",
        rank_lower=lower,
        rank_upper=upper,
        cluster=cluster,
        settings=(f"rank sum p < {WMT_LEVEL:g}", *["lower is better"] * lower_is_better),
    )
