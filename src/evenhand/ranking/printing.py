"""How results print: a ranking in a terminal and a notebook, tables of models and of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from evenhand.judgments.notebook import draw_table, tabulate
from evenhand.preference.coefficients import format_p

if TYPE_CHECKING:
    from evenhand.ranking.model_rows import ModelTable
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.significance import PreferenceTests

SHOWN: Final = 100
"""Most systems that are printed; `rows` and `to_dict` have them all."""
MARK: Final = "†"
LEGEND: Final = "some of its pairs stay open, however far apart: see note"
"""What the mark on a rank set says."""
NONE: Final = "-"


def table_rows(ranking: Ranking) -> list[tuple[str, ...]]:
    """Return the table as text, titles first."""
    titles = (title_ranks(ranking), "system", ranking.scale, "interval", "better than")
    rows: list[tuple[str, ...]] = [titles]
    others = len(ranking.systems) - 1
    for row, estimate in zip(ranking.rows()[:SHOWN], ranking.estimate, strict=False):
        better = "" if row["rank_lower"] is None else f"{row['better_than']} of {others}"
        ends = "" if ranking.lower is None else NONE
        if row["lower"] is not None:
            ends = f"{row['lower']:.2f} to {row['upper']:.2f}"
        rows.append((write_ranks(row), row["system"], f"{estimate:.3f}", ends, better))
    return rows


def title_ranks(ranking: Ranking) -> str:
    """Return what the ranks of a board are: sets that hold all at once, ranges, or places."""
    if ranking.rank_lower is None:
        return "rank"
    return "ranks" if ranking.rank_sets is None else "rank set"


def write_ranks(row: Mapping[str, Any], dash: str = "-", mark: str = MARK) -> str:
    """Write the places of a system, with a mark where some pairs may not be decided.

    Args:
        row: of `Ranking.rows`.
        dash: between the best and the worst place.
        mark: behind them.

    """
    low, high = row["rank_lower"], row["rank_upper"]
    if low is None:
        return str(row["rank"])
    return write_range(low, high, dash) + mark * bool(row["barred_pairs"])


def write_range(low: int, high: int, dash: str = "-") -> str:
    """Write a range of places.

    >>> write_range(2, 4), write_range(3, 3)
    ('2-4', '3')
    """
    return str(low) if low == high else f"{low}{dash}{high}"


def explain_mark(ranking: Ranking) -> list[str]:
    """Return what the mark says, if any system has it."""
    barred = ranking.barred_pairs
    return [] if barred is None or not barred.any() else [f"{MARK} {LEGEND}"]


def draw_text(ranking: Ranking) -> str:
    """Return the ranking for a terminal, a dot between clusters."""
    rows = table_rows(ranking)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [ranking.headline] if ranking.headline else []
    for place, row in enumerate(rows):
        if place > 1 and ranking.cluster is not None:
            lines += ["  ·"] if ranking.cluster[place - 1] > ranking.cluster[place - 2] else []
        cells = [
            cell.ljust(width) if i == 1 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join([*lines, *_below(ranking), "", *_said(ranking)])


def draw_html(ranking: Ranking) -> str:
    """Return the ranking for a notebook."""
    head, *body = table_rows(ranking)
    said = [*_below(ranking), *_said(ranking)]
    return draw_table(head, body, said, ranking.headline or "")


def _below(ranking: Ranking) -> list[str]:
    """Return what stands below the table: what is cut, and what the mark says."""
    more = len(ranking.systems) - SHOWN
    return [*([f"... and {more:,} more systems"] if more > 0 else []), *explain_mark(ranking)]


def _said(ranking: Ranking) -> list[str]:
    controlled = () if ranking.controlled is None else ranking.controlled.says
    notes = [f"note: {note}" for note in ranking.notes]
    return [ranking.says, *controlled, *notes, ranking.signature]


def draw_models(table: ModelTable) -> str:
    """Return a table of models, what the tests say, and what has no fit."""
    rows: list[tuple[str, ...]] = [("model", "parameters", "deviance", "df", "AIC", "BIC")]
    for row in table.rows:
        deviance = "" if row.deviance is None else f"{row.deviance:,.2f}"
        df = "" if row.df is None else f"{row.df:,}"
        cells = (deviance, df, f"{row.aic:,.2f}", f"{row.bic:,.2f}")
        rows.append((row.name, str(row.parameters), *cells))
    tests = [f"{one.answer}: p {format_p(one.p)}" for one in table.questions]
    notes = [f"note: {name}: no fit: {why}" for name, why in table.refused.items()]
    notes += [f"note: {note}" for note in table.notes]
    return "\n".join([*_align(rows, left=1), "", *tests, *table.says, *notes, table.signature])


def draw_models_html(table: ModelTable) -> str:
    """Return a table of models for a notebook."""
    head, body = tabulate([vars(row) for row in table.rows])
    tests = [f"{one.answer}: p {format_p(one.p)}" for one in table.questions]
    notes = [f"note: {name}: no fit: {why}" for name, why in table.refused.items()]
    notes += [f"note: {note}" for note in table.notes]
    return draw_table(head, body, [*tests, *table.says, *notes, table.signature])


def draw_tests(tests: PreferenceTests) -> str:
    """Return the sign tests of pairs, smallest p first, and what all tests say."""
    counts, chances = ("better", "ties", "worse"), ("p", "holm", "fdr")
    rows: list[tuple[str, ...]] = [("system", "against", *counts, "p", "Holm", "B-H")]
    pairs = tests.pairs.rows()
    for row in pairs[:SHOWN]:
        cells = [*(str(row[name]) for name in counts), *(format_p(row[name]) for name in chances)]
        rows.append((row["first"], row["second"], *cells))
    more, found = len(pairs) - SHOWN, tests.friedman
    said = [f"... and {more:,} more pairs"] if more > 0 else []
    if found is not None:
        over = f"Friedman over {found.blocks:,} {tests.blocks}s"
        said.append(f"{over}: {found.statistic:.4f} on {found.df} df, p {format_p(found.p)}")
    notes = [f"note: {note}" for note in tests.notes]
    return "\n".join([*_align(rows, left=2), "", *said, tests.says, *notes, tests.signature])


def _align(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Return lines; the first `left` columns stand left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
