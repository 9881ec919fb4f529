"""Who is better by preferences and by scores: boards, pairs, outcomes, criteria."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import inf, isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import RatingRows
from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified
from evenhand.judges.removal import correlate
from evenhand.ranking.by_model import tabulate_chances
from evenhand.ranking.ranking import Ranking, write_ranks
from evenhand.ranking.score_board import ScoreBoard
from evenhand.render.document import Column, Table
from evenhand.render.values import MAX_NAMES, begin_sentence, join_names, write_value
from evenhand.report.analysis import Analysis, Rated
from evenhand.report.document import Figure, Section
from evenhand.report.figures.drawing import name_files
from evenhand.report.figures.style import take_chart
from evenhand.report.figures.systems import (
    KINDS,
    draw_forest,
    draw_heads,
    draw_outcomes,
    draw_systems,
)

# What a step of log-worth means: log 2 = 0.69
TWICE: Final = "0.7 further right is preferred twice as often"
MAX_DRAWN: Final = 100  # Most systems that the forest plot shows: the best


def write_section_ranking(analysis: Analysis) -> Section:
    ranking = analysis.ranking
    met = count_opponents(analysis.tally)
    rows = [{**row, "opponents": met[row["system"]]} for row in tabulate(ranking)]
    drawn = draw_forest(rows[:MAX_DRAWN], ranking.scale)
    figure = take_chart(drawn, "forest", _title(ranking), _describe(ranking), table="board")
    # Say how to read the board, and why the answer is open where it is
    said = []
    if ranking.rank_sets is not None:
        said.append(
            f"Rank sets hold the places that each system may have, with {100 * ranking.level:g} %"
            " confidence in all of them together."
        )
    if ranking.rank_upper is None or ranking.rank_upper[0] > 1:
        why = ranking.says
        said.append(f"N{why[1:]}." if why.startswith("no system ") else f"{why}.")
    return Section(
        "ranking",
        says=tuple(said or [f"Systems stand by their {ranking.scale}."]),
        figures=(figure,),
        tables=(make_board(ranking, rows),),
        notes=ranking.notes,
        command=analysis.write_command("rank"),
    )


def tabulate(ranking: Ranking) -> list[dict[str, Any]]:
    """Return a row for each system, best first."""
    estimates = ranking.estimate.tolist()
    keys = ("lower", "upper", "stderr", "cluster", "better_than", "wins", "ties", "losses")
    return [
        {
            "system": row["system"],
            "places": write_ranks(row, "–", ""),
            "estimate": estimate,
            **{key: row[key] for key in keys},
        }
        for row, estimate in zip(ranking.rows(), estimates, strict=True)
    ]


def count_opponents(tally: Tally) -> dict[str, int]:
    met: dict[int, set[int]] = {code: set() for code in range(len(tally.systems))}
    for left, right in zip(tally.left.tolist(), tally.right.tolist(), strict=True):
        met[left].add(right)
        met[right].add(left)
    return {tally.systems[code]: len(others) for code, others in met.items()}


def make_board(ranking: Ranking, rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("places", "rank set"),
        Column("system", "system"),
        Column("estimate", ranking.scale, "two"),
        Column("lower", "from", "two", "lower end of the interval"),
        Column("upper", "to", "two", "upper end of the interval"),
        Column("better_than", "better than", "count", "systems it is decided to be better than"),
        *(Column(key, key, "count") for key in ("wins", "ties", "losses")),
    )
    clusters = [row["cluster"] for row in rows]
    lines = tuple(
        place
        for place in range(1, len(rows))
        if clusters[place] is not None and clusters[place] != clusters[place - 1]
    )
    caption = f"Systems, best first{f' ({ranking.headline})' if ranking.headline else ''}"
    return Table("board", caption, columns, tuple(rows), lines)


def _title(ranking: Ranking) -> str:
    held = " that hold all at once" if ranking.rank_interval == "simultaneous" else ""
    shown = "" if len(ranking.systems) <= MAX_DRAWN else f", the best {MAX_DRAWN}"
    level = f"{100 * ranking.level:g} % intervals{held}"
    places = "" if ranking.rank_lower is None else "; at the right the places that each may have"
    zero = "0 is the average" if ranking.bounded.all() else ""
    step = TWICE if ranking.scale == "log-worth" else ""
    means = "; ".join(filter(None, (zero, step)))
    return (
        f"Systems by {ranking.scale}{f' ({means})' if means else ''}{shown}, with {level}{places}"
    )


def _describe(ranking: Ranking) -> str:
    return f"{len(ranking.systems)} systems from best to worst with intervals. {ranking.says}."


# Each system against each: what was counted, beside what the ranking expects.

MAX_SYSTEMS_IN_MAP: Final = 60  # Most systems that are drawn whole
MAX_BEST_IN_MAP: Final = 40  # Systems that are drawn of more
MAX_SYSTEMS_ON_PHONE: Final = 7  # Most systems whose map fits on a small screen
STATES: Final = {True: "decided", False: "open", None: None}
NOTE: Final = (
    "A share counts a tie as half a win. A pair is decided if the ranking says which of the two is"
    " better; it uses all comparisons, those with other systems too, so that a pair that hardly"
    " ever met can be decided."
)
BESIDE: Final = (
    "Intervals of neighbours hold for all pairs of systems at once. That of a decided pair may hold"
    " zero: pairs are decided step by step, which decides more, and these intervals are not."
)
ALONE: Final = "Each interval of neighbours holds by itself."


def write_section_heads(analysis: Analysis) -> Section:
    ranking = analysis.ranking
    counts = count_pairs(analysis)
    drawn = len(ranking.systems) if len(ranking.systems) <= MAX_SYSTEMS_IN_MAP else MAX_BEST_IN_MAP
    # A row for each cell of the map: pairs that met, each from both sides
    systems = ranking.systems[:drawn]
    chances = tabulate_chances(ranking.fit, systems)
    pairs = [
        {
            **_count(counts[i, j]),
            "first": systems[i],
            "second": systems[j],
            "row": i + 1,
            "against": j + 1,
            "expected": float(chances[i, j, 0] + chances[i, j, 1] / 2),
            "decided": _is_decided(ranking, i, j),
        }
        for i in range(drawn)
        for j in range(drawn)
        if i != j and counts[i, j].sum() > 0
    ]
    if not pairs:
        raise NotIdentified("no two systems were compared")
    neighbours = _list_neighbours(ranking, counts)
    held = BESIDE if ranking.rank_sets is not None else ALONE
    return Section(
        "heads",
        says=(_say_met(ranking, counts), _say_decided(ranking, neighbours)),
        figures=(_draw(ranking, pairs, drawn),),
        tables=(_tabulate(ranking, neighbours),),
        notes=(NOTE, *([] if ranking.pair_stderr is None else [held])),
        command=analysis.write_command("rank", "--json"),
    )


def count_pairs(analysis: Analysis) -> np.ndarray:
    """Return (K, K, 3) wins, ties and losses of the row's system, in the order of the board."""
    tally, systems = analysis.tally, analysis.ranking.systems
    place = {system: at for at, system in enumerate(systems)}
    board = np.array([place.get(system, -1) for system in tally.systems])
    left, right = board[tally.left], board[tally.right]
    both = (left >= 0) & (right >= 0)
    counts = np.zeros((len(systems), len(systems), 3))
    np.add.at(counts, (left[both], right[both]), tally.counts[both])
    np.add.at(counts, (right[both], left[both]), tally.counts[both][:, ::-1])
    return counts


def _count(cell: np.ndarray) -> dict[str, Any]:
    wins, ties, losses = (float(count) for count in cell)
    n = wins + ties + losses
    share = (wins + ties / 2) / n if n else None
    return {"wins": wins, "ties": ties, "losses": losses, "n": n, "share": share}


def _is_decided(ranking: Ranking, one: int, other: int) -> bool | None:
    """Whether it is decided who of two is better; None where the ranking decides no pairs."""
    if ranking.rank_sets is None:
        return None
    return bool(ranking.rank_sets.decided[one, other] != 0)


def _list_neighbours(ranking: Ranking, counts: np.ndarray) -> list[dict[str, Any]]:
    """Return a row for each system and the next, with intervals for all pairs at once if known."""
    from evenhand.numerics.distributions import t_quantile

    sets, rows = ranking.rank_sets, []
    critical = float(sets.critical[0]) if sets is not None and sets.critical else None
    for one, two in pairwise(range(len(ranking.systems))):
        apart, margin = float(ranking.estimate[one] - ranking.estimate[two]), inf
        if ranking.pair_stderr is not None:
            reach = critical or t_quantile((1 + ranking.level) / 2, ranking.df)
            margin = reach * float(ranking.pair_stderr[one, two])
        bounded, decided = isfinite(margin), _is_decided(ranking, one, two)
        first, second = ranking.systems[one : two + 1]
        rows.append(
            {
                "pair": f"{first} – {second}",
                "first": first,
                "second": second,
                **_count(counts[one, two]),
                "apart": apart,
                "lower": apart - margin if bounded else None,
                "upper": apart + margin if bounded else None,
                "decided": decided,
                "state": STATES[decided],
            }
        )
    return rows


def _say_met(ranking: Ranking, counts: np.ndarray) -> str:
    n = counts.sum(axis=2)[np.triu_indices(len(ranking.systems), 1)]
    met, size = int((n > 0).sum()), len(n)
    if size == 1:
        return f"The two met in {write_value(float(n[0]), 'count')} comparisons."
    seen = n[n > 0]
    least, middle, most = (
        write_value(float(one), "count") for one in (seen.min(), np.median(seen), seen.max())
    )
    all_met = f"All {size:,} pairs" if met == size else f"{met:,} of {size:,} pairs"
    if least == most:
        return f"{all_met} of systems met, each {least} times."
    return f"{all_met} of systems met, {least} to {most} times, as a rule {middle}."


def _say_decided(ranking: Ranking, neighbours: list[dict[str, Any]]) -> str:
    if ranking.rank_sets is None:
        return "Which pairs are decided is not known in this ranking."
    upper = np.triu_indices(len(ranking.systems), 1)
    decided, size = int((ranking.rank_sets.decided[upper] != 0).sum()), len(upper[0])
    near = sum(bool(row["decided"]) for row in neighbours)
    if size == 1:
        return "It is decided who is better." if decided else "It is open who is better."
    if not decided:
        return f"None of the {size:,} pairs is decided."
    verb = "is" if decided == 1 else "are"
    return (
        f"Of {size:,} pairs {decided:,} {verb} decided ({write_value(decided / size, 'share')}); of"
        f" the {len(neighbours):,} neighbours on the board, {near:,}."
    )


def _draw(ranking: Ranking, pairs: list[dict[str, Any]], drawn: int) -> Figure:
    whole = len(ranking.systems)
    cut = "" if drawn == whole else f", the best {drawn} of {whole} systems"
    marked = "" if ranking.rank_sets is None else " A dot marks a decided pair."
    seen = (
        f"A square for each of {drawn} systems against each. Blue: the row's system was preferred"
        f" more often; brown: the column's; empty: they never met.{marked}"
    )
    chart = draw_heads(ranking.systems[:drawn], pairs, wide=drawn > MAX_SYSTEMS_ON_PHONE)
    title = f"How often the row's system was preferred to the column's{cut}"
    return take_chart(chart, "heads", title, seen, table="", wide=drawn > MAX_SYSTEMS_ON_PHONE)


def _tabulate(ranking: Ranking, rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("pair", "better – next"),
        Column("n", "comparisons", "count", "of these two with each other"),
        *(Column(key, key, "count", "of the better placed") for key in ("wins", "ties", "losses")),
        Column("apart", f"apart, {ranking.scale}", "two"),
        Column("lower", "from", "two", "lower end of the interval"),
        Column("upper", "to", "two", "upper end of the interval"),
        Column("state", "who is better"),
    )
    return Table("neighbours", "Neighbours on the board", columns, tuple(rows))


# Wins, ties and losses: what was counted, before any model.

NOTE_OUTCOMES: Final = (
    "These shares depend on whom a system met: one that met strong systems wins less often. The"
    " ranking allows for that."
)
WEIGHED: Final = "Judgments have weights: counts are sums of weights."


def write_section_outcomes(analysis: Analysis) -> Section:
    rows = count_outcomes(analysis)
    if not rows:
        raise NotIdentified("there is no comparison to count")
    weighed = any(row["n"] != round(row["n"]) for row in rows)
    columns = (
        Column("system", "system"),
        Column("n", "comparisons", "count"),
        Column("wins", "wins", "count"),
        Column("ties", "ties", "count"),
        Column("losses", "losses", "count"),
        Column("share", "share won", "share", "wins and half of the ties, of all comparisons"),
    )
    cut = "" if len(rows) <= MAX_DRAWN else f", the best {MAX_DRAWN} of {len(rows)} systems"
    seen = (
        f"Stacked bars for {min(len(rows), MAX_DRAWN)} systems: the share of comparisons won, tied"
        " and lost."
    )
    return Section(
        "outcomes",
        says=(_say_ties(rows), _say_most(rows)),
        figures=(
            take_chart(
                draw_outcomes(rows[:MAX_DRAWN]),
                "outcomes",
                f"Won, tied and lost{cut}",
                f"{seen} {_say_most(rows)}",
                table="outcomes",
            ),
        ),
        tables=(
            Table("outcomes", "What became of each system's comparisons", columns, tuple(rows)),
        ),
        notes=(NOTE_OUTCOMES, *([WEIGHED] if weighed else [])),
        command=analysis.write_command("rank"),
    )


def count_outcomes(analysis: Analysis) -> list[dict[str, Any]]:
    """Return what became of each system's comparisons: best first, or by share if none is best."""
    tally = analysis.tally
    size = len(tally.systems)
    sides = ((tally.wins, tally.losses), (tally.ties, tally.ties), (tally.losses, tally.wins))
    wins, ties, losses = (
        np.bincount(tally.left, left, size) + np.bincount(tally.right, right, size)
        for left, right in sides
    )
    rows_by_system = {
        system: {"system": system, **_count(np.array([won, tied, lost]))}
        for system, won, tied, lost in zip(tally.systems, wins, ties, losses, strict=True)
        if won + tied + lost > 0
    }
    if analysis.known_ranking is None:
        return sorted(rows_by_system.values(), key=lambda row: (-row["share"], row["system"]))
    return [
        rows_by_system[system]
        for system in analysis.known_ranking.systems
        if system in rows_by_system
    ]


def _say_ties(rows: list[dict[str, Any]]) -> str:
    n, ties = (sum(row[key] for row in rows) / 2 for key in ("n", "ties"))
    all_of = write_value(n, "count")
    if n == 1:
        return f"There is one comparison, {'a' if ties else 'no'} tie."
    if not ties:
        return f"None of the {all_of} comparisons is a tie."
    share = write_value(ties / n, "share")
    if ties == n:
        return f"All {all_of} comparisons are ties: judges preferred nothing."
    text = f"{write_value(ties, 'count')} of {all_of} comparisons ({share}) are ties"
    most = max(rows, key=lambda row: (row["ties"] / row["n"], row["system"]))
    if len(rows) == 2:
        return f"{text}."
    often = write_value(most["ties"] / most["n"], "share")
    return f"{text}; {most['system']} ties most often, in {often} of its own."


def _say_most(rows: list[dict[str, Any]]) -> str:
    best, worst = (choose(rows, key=lambda row: row["share"]) for choose in (max, min))
    half = "With ties half a win, " if any(row["ties"] for row in rows) else ""
    if best["share"] == worst["share"]:
        return f"{half}{'all' if half else 'All'} systems win equally often."
    high, low = (write_value(row["share"], "share") for row in (best, worst))
    return (
        f"{half}{best['system']} wins most often ({high} of its comparisons) and"
        f" {worst['system']} least often ({low})."
    )


# Which system scores higher: mean scores with rank sets, under each criterion.

# How the plot is read
HELD: Final = (
    "; at the right the places that each may have. Intervals of systems that are"
    " decided may overlap: a difference is surer than two means, which share judges and items"
)
MAX_PLOTS: Final = 8  # Most criteria that have a plot; all have a table


def write_section_scores(analysis: Analysis) -> Section:
    if len(analysis.rated.systems) == 1:
        return _write_alone(analysis)
    boards = analysis.rated.boards
    files = name_files(name or "scores" for name in boards)
    tables, figures, says = [], [], []
    for place, (criterion, board) in enumerate(boards.items()):
        name, rows = files[criterion or "scores"], tabulate_scores(board)
        says += [say_board(board, criterion), *say_references(board, criterion)]
        tables.append(_make_table(board, rows, name, analysis.rated.head("Mean scores", criterion)))
        if place < MAX_PLOTS:
            title = analysis.rated.head("Mean scores", criterion)
            # Draw the board of one criterion
            lower = board.lower_is_better
            scale = "mean score (lower is better)" if lower else "mean score"
            chart = draw_forest(rows[:MAX_DRAWN], scale, "mean", reverse=lower)
            shown = "" if len(rows) <= MAX_DRAWN else f", the best {MAX_DRAWN} of {len(rows)}"
            bounded = any(row["upper"] is not None for row in rows)
            held = f", with {100 * board.level:g} % intervals{HELD}" if bounded else ""
            alt = f"{len(rows)} systems from best to worst by mean score. {say_board(board)}"
            figures.append(take_chart(chart, name, f"{title}{shown}{held}", alt, table=name))
    # Say under which criteria lower scores are better, and which are penalties taken off
    said = []
    if analysis.rated.lower:
        names = join_names(sorted(analysis.rated.lower))
        said.append(f"Lower scores are better for {names}, as the name says.")
    if len(analysis.rated.lower) < len(analysis.rated.parts):
        others = "" if not analysis.rated.lower else " for the other criteria"
        said.append(f"Higher scores are better{others}.")
    return Section(
        "scores",
        says=(*says, *said),
        figures=tuple(figures),
        tables=tuple(tables),
        notes=_note(analysis.rated),
        command=analysis.write_command("report", "--sections", "scores", "--json"),
    )


def _write_alone(analysis: Analysis) -> Section:
    (system,), rows = analysis.rated.systems, []
    for criterion, part in analysis.rated.parts.items():
        mean, n = float(part.score.mean()), part.size
        rows.append({"criterion": criterion or "score", "mean": mean, "scores": n})
    columns = (
        Column("criterion", "criterion"),
        Column("mean", "mean score", "two"),
        Column("scores", "scores", "count"),
    )
    sentence = (
        f"There is one system only, {system}: there is nothing to compare it with, so no ranking."
    )
    return Section(
        "scores",
        says=(sentence,),
        tables=(Table("scores", f"Mean scores of {system}", columns, tuple(rows)),),
        command=analysis.write_command("inspect"),
    )


def tabulate_scores(board: ScoreBoard) -> list[dict[str, Any]]:
    """Return a row for each system, best first; references have no rank."""
    better, rows = (board.decided > 0)[:, board.ranked].sum(axis=1), []
    for at, system in enumerate(board.systems):
        low, high = int(board.rank_lower[at]), int(board.rank_upper[at])
        places = f"{low}" if low == high else f"{low}–{high}"
        known = bool(np.isfinite(board.upper[at]))
        rows.append(
            {
                "system": system,
                "kind": [*KINDS][not board.ranked[at]],
                "places": places if board.ranked[at] else "reference",
                "mean": float(board.mean[at]),
                "lower": float(board.lower[at]) if known else None,
                "upper": float(board.upper[at]) if known else None,
                "better_than": int(better[at]),
                "scores": int(board.scores[at]),
                "cluster": int(board.cluster[at]) or None,
            }
        )
    return rows


def _make_table(board: ScoreBoard, rows: list[dict[str, Any]], name: str, title: str) -> Table:
    columns = (
        Column("places", "rank set", says="ranks that the scores leave open, all at once"),
        Column("system", "system"),
        Column("mean", "mean score", "two"),
        Column("lower", "from", "two", "lower end of the interval"),
        Column("upper", "to", "two", "upper end of the interval"),
        Column("better_than", "better than", "count", "systems it is decided to be better than"),
        Column("scores", "scores", "count"),
    )
    clusters = [row["cluster"] for row in rows]
    lines = tuple(
        place
        for place in range(1, len(rows))
        if board.ranked.all() and clusters[place] != clusters[place - 1]
    )
    return Table(name, f"{title}, best first", columns, tuple(rows), lines)


def _note(rated: Rated) -> tuple[str, ...]:
    boards = rated.boards
    notes = [
        "intervals and rank sets hold all at once, under each criterion; an interval is of a"
        " system's distance to the mean of all systems, so that severity which judges show to all"
        " systems alike is not in it",
        *(f"errors: {method}" for method in dict.fromkeys(one.method for one in boards.values())),
    ]
    for criterion, board in boards.items():
        about = f"{criterion}: " if criterion and len(boards) > 1 else ""
        limit = (f"this is {board.headline}",) if board.headline else ()
        notes += [f"{about}{note}" for note in (*limit, *board.notes)]
    if rated.references:
        notes.append(
            f"taken for human references by their names, and given no rank:"
            f" {join_names(list(rated.references))}"
        )
    single = [name for name in rated.parts if name not in boards]
    if single:
        notes.append(f"one system only is scored for {join_names(single)}: no board")
    if len(boards) > MAX_PLOTS:
        notes.append(f"the first {MAX_PLOTS} of {len(boards)} criteria are drawn; all have a table")
    return tuple(notes)


# Systems under several criteria: figure 1 of Hamon et al. (2007), and how criteria go together.

MAX_CRITERIA_PAIRS: Final = 45  # Most pairs of criteria in the table: the first ones
MAX_PAIRS_SAID: Final = 6  # Most pairs of criteria that are spoken of
MIN_SYSTEMS: Final = 3  # Systems from which on a correlation of their scores means something


def write_section_criteria(analysis: Analysis) -> Section:
    rated = analysis.rated
    criteria = list(rated.parts)
    if len(criteria) < 2:
        sentence = f"One criterion only, {criteria[0]}." if criteria[0] else "One criterion only."
        return Section("criteria", says=(f"{sentence} Nothing to compare.",))
    if len(rated.systems) < 2:
        sentence = f"One system only, {rated.systems[0]}: systems cannot be set beside each other."
        return Section("criteria", says=(sentence,))
    every = list(combinations(criteria, 2))
    rows = [_compare(rated, *pair) for pair in every[:MAX_CRITERIA_PAIRS]]
    more = len(every) - len(rows)
    columns = (
        Column("first", "criterion"),
        Column("second", "and"),
        Column("pearson", "systems", "two", "correlation of the systems' mean scores"),
        Column("spearman", "order", "two", "rank correlation of the systems' mean scores"),
        Column("systems", "of", "count", "systems under both"),
        Column("outputs_pearson", "outputs", "two", "correlation of the outputs' mean scores"),
        Column("outputs", "of", "count", "outputs under both"),
        Column("against", "contrary", "count", "pairs of systems that are decided contrariwise"),
    )
    return Section(
        "criteria",
        says=tuple(_say_criteria(row) for row in rows[:MAX_PAIRS_SAID]),
        figures=_draw_criteria(rated),
        tables=(Table("correlations", "How criteria go together", columns, tuple(rows)),),
        notes=(
            "outputs: correlation of mean scores of the same output, which noise of single scores"
            " lowers; systems: correlation of mean scores of systems, human references aside",
            *((f"{more:,} more pairs of criteria are not shown",) if more else ()),
        ),
        command=analysis.write_command("report", "--sections", "criteria", "--json"),
    )


def _compare(rated: Rated, first: str, second: str) -> dict[str, Any]:
    one, other = (_score_systems(rated, name) for name in (first, second))
    correlation = correlate(one, other)
    outputs = correlate(*_score_outputs(rated, first, second))
    boards = [rated.boards.get(name) for name in (first, second)]
    known = correlation.systems >= MIN_SYSTEMS
    return {
        "first": first,
        "second": second,
        "pearson": correlation.pearson if known else None,
        "spearman": correlation.spearman if known else None,
        "systems": correlation.systems,
        "outputs_pearson": outputs.pearson,
        "outputs": outputs.systems,
        "against": _count_against(*boards) if boards[0] and boards[1] else None,
    }


def _score_systems(rated: Rated, criterion: str) -> NDArray[np.float64]:
    """Return (S,) mean scores of systems, larger better; NaN of references and of no scores."""
    part = rated.parts[criterion]
    mean = _average(part, part.system.astype(np.int64), len(part.systems))
    mean[[name in rated.references for name in part.systems]] = np.nan
    return -mean if criterion in rated.lower else mean


def _score_outputs(
    rated: Rated, first: str, second: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean scores of outputs under two criteria, larger better; NaN where there are none."""
    size = len(rated.targets.items) * len(rated.targets.systems)
    one, other = (
        (-1.0 if name in rated.lower else 1.0)
        * _average(rated.parts[name], rated.parts[name].output, size)
        for name in (first, second)
    )
    return one, other


def _average(part: RatingRows, codes: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    count = np.bincount(codes, minlength=size)
    means = np.full(size, np.nan)
    np.divide(np.bincount(codes, part.score, minlength=size), count, out=means, where=count > 0)
    return means


def _count_against(one: ScoreBoard | None, other: ScoreBoard | None) -> int:
    if one is None or other is None:
        return 0
    common = [name for name in one.systems if name in other.systems]
    grids = []
    for board in (one, other):
        places = [board.systems.index(name) for name in common]
        grids.append(board.decided[np.ix_(places, places)].astype(np.int64))
    return int((grids[0] * grids[1] < 0).sum()) // 2


def _say_criteria(row: dict[str, Any]) -> str:
    both, against = f"{row['first']} and {row['second']}", row["against"]
    clauses = []
    if row["pearson"] is not None:
        clauses.append(
            f"over {row['systems']} systems the mean scores for {both} correlate"
            f" {write_value(row['pearson'], 'two')} (1 is the same order and distances)"
        )
    elif row["outputs_pearson"] is not None:
        clauses.append(
            f"over {row['outputs']:,} outputs the scores for {both} correlate"
            f" {write_value(row['outputs_pearson'], 'two')}"
        )
    if against == 0:
        clauses.append(
            "no two systems are decided to stand one way for the one and the other way for"
            " the other"
        )
    elif against:
        pairs = "pair of systems is" if against == 1 else "pairs of systems are"
        clauses.append(
            f"{against:,} {pairs} decided one way for the one and the other way for the other"
        )
    return f"{begin_sentence('; '.join(clauses) or f'nothing can be said of {both} together')}."


def _draw_criteria(rated: Rated) -> tuple[Figure, ...]:
    try:
        diagnosis = rated.diagnosed_targets
    except NotIdentified:
        return ()
    across, up = diagnosis.criteria[:2]
    chart = draw_systems(diagnosis)
    alt = f"Systems as points: across, the mean score for {across}; upwards, for {up}."
    beside = " (the first two criteria)" if len(diagnosis.criteria) > 2 else ""
    title = f"Systems by mean score for {across} and for {up}{beside}"
    return (take_chart(chart, "systems", title, alt, wide=True),)


# What ratings decide: a sentence or two for each criterion, in words that need no statistics.

MAX_CRITERIA_ANSWERED: Final = 4  # Most criteria that are answered one by one on the first screen


def find_answer_of_ratings(analysis: Analysis) -> tuple[tuple[str, ...], str]:
    try:
        boards = analysis.rated.boards
    except NotIdentified as refusal:
        return (f"No ranking: {refusal.fault}. What can be said is of the judges.",), ""
    sentences = [
        say_board(board, name) for name, board in list(boards.items())[:MAX_CRITERIA_ANSWERED]
    ]
    if len(boards) > MAX_CRITERIA_ANSWERED:
        sentences.append(f"{len(boards) - MAX_CRITERIA_ANSWERED} more criteria stand below.")
    limits = dict.fromkeys(board.headline for board in boards.values() if board.headline)
    sentences += [f"This is {limit}." for limit in limits]
    return tuple(sentences), " ; ".join(board.signature for board in boards.values())


def say_board(board: ScoreBoard, criterion: str = "") -> str:
    about = f" for {criterion}" if criterion else ""
    ranked = np.flatnonzero(board.ranked)
    systems = [board.systems[at] for at in ranked.tolist()]
    lower, upper = board.rank_lower[ranked], board.rank_upper[ranked]
    if len(systems) == 1:
        return f"{systems[0]} is the only system{about} beside human references."
    first = [name for name, low in zip(systems, lower.tolist(), strict=True) if low == 1]
    if upper[0] == 1:
        return f"{systems[0]} is the best of {len(systems)} systems{about}{_say_rest(board)}."
    if len(first) == len(systems):
        sentence = _say_open(board, about)
        words = sentence.startswith(("the ", "it is open "))
        return f"{sentence[0].upper()}{sentence[1:]}" if words else sentence
    if len(first) > MAX_NAMES:
        return (
            f"{len(first)} of {len(systems)} systems may each be the best{about},"
            f" {systems[0]} by its mean score; no other can be."
        )
    together = "may each be the best" if len(first) > 1 else "is the best"
    return f"{join_names(first)} {together}{about}; no other can be."


def _say_open(board: ScoreBoard, about: str) -> str:
    ranked = np.flatnonzero(board.ranked)
    systems = [board.systems[at] for at in ranked.tolist()]
    names = join_names(systems) if len(systems) <= MAX_NAMES else f"the {len(systems)} systems"
    if not np.isfinite(board.upper[ranked]).any():
        return (
            f"it is open which of {names} is the best{about}: nothing shows how far other scores"
            " would differ from these."
        )
    if (board.decided[np.ix_(ranked, ranked)] == 0).all():
        return f"{names} cannot be told apart{about}."
    return f"{names} may each be the best{about}: no one leads all others."


def _say_rest(board: ScoreBoard) -> str:
    """Say who comes behind the best, where it is two systems or more."""
    ranked = np.flatnonzero(board.ranked)[1:]
    if len(ranked) < 2:
        return ""
    second = ranked[board.rank_lower[ranked] == 2]
    names = [board.systems[at] for at in second.tolist()]
    if len(names) == 1:
        return f"; {names[0]} comes second"
    if not board.decided[np.ix_(second, second)].any():
        return f"; {_count_or_name(names)} cannot be told apart"
    return f"; {_count_or_name(names)} may each be second"


def _count_or_name(names: list[str]) -> str:
    return join_names(names) if len(names) <= MAX_NAMES else f"{len(names)} others"


def say_references(board: ScoreBoard, criterion: str = "") -> list[str]:
    about = f" for {criterion}" if criterion else ""
    ranked, sentences = np.flatnonzero(board.ranked), []
    for at in np.flatnonzero(~board.ranked).tolist():
        against = board.decided[at][ranked]
        better = [board.systems[place] for place in ranked[against < 0].tolist()]
        above = join_names(better) if better else "none"
        verb = "are" if len(better) > 1 else "is"
        sentences.append(
            f"{board.systems[at]}, a human reference, is shown to be better{about} than"
            f" {_say_worse(board, against > 0)}; {above} {verb} shown to be better than it."
        )
    return sentences


def _say_worse(board: ScoreBoard, below: NDArray[np.bool_]) -> str:
    worse = f"{int(below.sum())}" if below.any() else "none"
    if len(below) > 1:
        return f"{worse} of the {len(below)} systems"
    (only,) = np.flatnonzero(board.ranked).tolist()
    return board.systems[only] if below.any() else "no system"
