"""Several ways to rank the same judgments, side by side.

Besides the default ranking (`bradley-terry`) stand the rules of `evenhand.ranking.rules`. They
answer different questions, so they may differ on the same counts; the table says where and how
much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import OF_SYSTEMS, carries_excluded, require_pairs, say_left_out
from evenhand.data.groups import choose_groups, say_pooled, tally_groups
from evenhand.data.joining import say_names
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.taking import Openable
from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rules
from evenhand.ranking.clustering import FACTORS, wanted_factors
from evenhand.ranking.method_table import MODEL, GroupedMethodTables, MethodTable, read_scores
from evenhand.ranking.rank import rank_each
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import Progress, Settings, choose_log_linear


@dataclass(frozen=True)
class Rule:
    title: str  # a few words for a table
    score: Callable[..., Scores]  # scores a tally
    seeded: bool = False  # whether it draws something, and takes `seed=`
    ranged: bool = False  # whether it has ranges of its own, by resampling
    # whether `--method all` takes it; a costly variant of another is asked for by name
    in_all: bool = True


_by_raw = partial(rules.score_feedback_arc_set, weights="raw")
_by_share = partial(rules.score_feedback_arc_set, weights="share")
_as_wmt15 = partial(rules.score_trueskill, settings=rules.WMT15)

# The rules by the name that users ask for
RULES: Final[Mapping[str, Rule]] = {
    "origwmt": Rule("not worse, ties won", rules.score_origwmt),
    "bojar": Rule("wins of decided comparisons", rules.score_bojar),
    "win-rate": Rule("wins of all, ties lost", rules.score_win_rate),
    "expected-wins": Rule(
        "mean of wins by opponent, missing pairs excluded", rules.score_expected_wins
    ),
    "expected-wins-zero": Rule(
        "mean of wins by opponent, missing pairs 0", rules.score_expected_wins_zero
    ),
    "expected-net-wins": Rule(
        "mean of wins less losses by opponent", rules.score_expected_net_wins
    ),
    "soccer": Rule("mean by opponent, ties half a win", rules.score_soccer),
    "vilar": Rule("mean of +1, 0, -1", rules.score_vilar),
    "vilar-sort": Rule("sorted by majorities", rules.score_vilar_sort),
    "feedback-arc-set": Rule(
        "fewest net wins contradicted", rules.score_feedback_arc_set, seeded=True
    ),
    "feedback-arc-set-raw": Rule("fewest wins contradicted", _by_raw, seeded=True),
    "feedback-arc-set-share": Rule("smallest net shares contradicted", _by_share, seeded=True),
    "most-probable": Rule("all pairs most probably right", rules.score_most_probable, seeded=True),
    "playoffs": Rule("knockout wins", rules.score_playoffs, seeded=True),
    "trueskill": Rule("as WMT16", rules.score_trueskill, seeded=True, ranged=True),
    "trueskill-wmt15": Rule(
        "as WMT15: not resampled", _as_wmt15, seeded=True, ranged=True, in_all=False
    ),
}

# Why a method may have no scores for some judgments
REFUSALS: Final = (InvalidJudgments, NotConverged, NotIdentified, UnknownOption)


@carries_excluded(*OF_SYSTEMS)
def compare_methods(
    data: Comparisons | Rankings | Ratings | Openable,
    *,
    methods: str | Sequence[str] = "all",
    model: BradleyTerry | None = None,
    interval: str = "rank-sets",
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    group_by: str | None = None,
    criterion: str | None = None,
    lower_is_better: bool | None = None,
    references: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> MethodTable | GroupedMethodTables:
    """Rank systems by several methods, and say where these differ.

    Args:
        data: comparisons or rankings; several tasks are ranked task by task. Or ratings.
        methods: a name, several, or "all": "bradley-terry" is the default ranking (`rank`), the
            others are the rules of `evenhand.ranking.rules`. Of ratings "adjusted" is the default,
            and there are "mean", "z", "mixed" and "wmt-da".
        model: the model of "bradley-terry"; likewise interval, cluster and level, as for `rank`.
        interval: see model; "bootstrap" also gives rules rank ranges and clusters (Koehn 2012).
        cluster: see model; for rules, what is drawn whole: by default judges where they are known,
            else rankings.
        level: see model.
        seed: of everything random; it stands in the signatures.
        group_by: a column whose levels are ranked apart.
        criterion: of ratings, only this criterion; by default each by itself.
        lower_is_better: of ratings, as for `rank`; likewise references.
        references: see lower_is_better.
        progress: called with steps done and to do.

    Returns:
        A table of methods; one per group where `group_by` is given, one per task where there are
        several. A method that cannot rank a group says why in `refused`.

    Raises:
        NotIdentified: no method can rank anything; says why.
        InvalidJudgments: a value in the data that cannot be.
        UnknownOption: a method or setting that does not exist or does not fit.
        UnknownColumn: a column that was asked for is not there.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "y", "x", "x"], "right": ["y", "x", "y", "y"]}
    >>> data = read(pl.DataFrame(votes | {"winner": ["left", "left", "tie", "left"]}))
    >>> found = compare_methods(data, methods=["bradley-terry", "origwmt"])
    >>> found.systems, found.places.tolist()
    (('x', 'y'), [[1, 1], [2, 2]])

    """
    if isinstance(data, Ratings | RatingRows):
        from evenhand.ranking.rating_methods import compare_rating_methods

        if model is not None:
            raise UnknownOption("methods of ratings have models of their own: leave it out")
        return compare_rating_methods(
            data,
            methods,
            Settings(None, interval, cluster, level, seed, progress),
            group_by=group_by,
            criterion=criterion,
            lower_is_better=lower_is_better,
            references=references,
        )
    if criterion is not None or lower_is_better is not None or references is not None:
        raise UnknownOption(
            "criteria, references and the direction of scores are of ratings: leave them out"
        )
    table = require_pairs(data, "only comparisons and rankings can be ranked, not")
    names = choose_methods(methods)
    settings = Settings(choose_log_linear(model), interval, cluster, level, seed, progress)
    by = choose_groups(table, group_by)
    drawn: tuple[str, ...] | None = None
    if interval == "bootstrap":
        present = [name for name in ("judge", "ranking") if table.has(name) and name != by]
        drawn = tuple(present[:1])
        if cluster is not None:
            drawn = wanted_factors(cluster, {name for name in FACTORS if table.has(name)}, by)
            drawn = () if cluster == "judgment" else drawn
        own = [name for name in names if name in RULES and RULES[name].ranged]
        if own and ((drawn and cluster is not None) or level != rules.LEVEL):
            raise UnknownOption(
                f"{listing(own)} draws comparisons, as at WMT, and has ranges of {rules.LEVEL}:"
                " leave cluster and level out, or the method"
            )
    tallies = tally_groups(table, by, drawn or ())
    rankings: dict[str, Ranking | str] = {}
    if MODEL in names:
        ranked = rank_each(table, by, settings)
        rankings = {**ranked.groups, **ranked.refused}
    notes = (*say_left_out(data, table), *say_pooled(table, by))
    tables: dict[str, MethodTable] = {}
    for group, tally in tallies.items():
        before, total = len(tables) * len(names), len(tallies) * len(names)

        def step(done: int, before: int = before, total: int = total) -> None:
            if progress is not None:
                progress(before + done, total)

        table_of_group = _compare(
            tally, names, rankings.get(group), settings, drawn=drawn, step=step
        )
        tables[group] = replace(table_of_group, notes=(*notes, *table_of_group.notes))
    if not any(one.scores for one in tables.values()):
        reasons = [
            f"{f'{by} {group}: ' if by is not None else ''}{method}: {why}"
            for group, one in tables.items()
            for method, why in one.refused.items()
        ]
        raise NotIdentified("; ".join(reasons))
    if by is None or (group_by is None and len(tables) == 1):
        return next(iter(tables.values()))
    return GroupedMethodTables(tables, by)


def choose_methods(methods: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of methods, each once; "all" stands for the default and rules `in_all`."""
    every = (MODEL, *RULES)
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        require_option("method", name, ("all", *every))
    if not names:
        raise UnknownOption(f"no method is named: choose of {' | '.join(every)}, or all")
    if "all" not in names:
        return tuple(dict.fromkeys(names))
    usual = (MODEL, *(name for name, rule in RULES.items() if rule.in_all))
    return tuple(dict.fromkeys((*usual, *(name for name in names if name != "all"))))


def _compare(
    tally: Tally,
    methods: tuple[str, ...],
    ranked: Ranking | str | None,
    settings: Settings,
    *,
    drawn: tuple[str, ...] | None,
    step: Callable[[int], None],
) -> MethodTable:
    # drawn: the factors whose levels are drawn for ranges of rules; None for no ranges
    level, seed = settings.level, settings.seed
    scores: dict[str, Scores] = {}
    refused: dict[str, str] = {}
    names = say_names(tally.systems)
    if isinstance(ranked, str):
        refused[MODEL] = ranked
    for done, name in enumerate(methods):
        step(done)
        try:
            if name != MODEL:
                rule = RULES[name]
                score = partial(rule.score, seed=seed) if rule.seeded else rule.score
                if drawn is None or rule.ranged:
                    scored = score(tally)
                else:
                    scored = rules.score_with_clusters(
                        score, tally, by=drawn, level=level, seed=seed
                    )
                scores[name] = replace(scored, rule=name)
            elif isinstance(ranked, Ranking):
                scored = read_scores(ranked)  # what is said of all methods is said once
                scores[name] = replace(
                    scored, notes=tuple(n for n in scored.notes if n not in names)
                )
        except REFUSALS as refusal:
            refused[name] = str(refusal)
    return MethodTable(
        methods=methods,
        scores=scores,
        refused=refused,
        ranking=ranked if isinstance(ranked, Ranking) else None,
        n_judgments=tally.n_judgments,
        n_comparisons=tally.n_comparisons,
        ties=float(tally.ties.sum()),
        digest=tally.digest,
        known=tally.systems,
        notes=names,
        titles={name: rule.title for name, rule in RULES.items()},
    )
