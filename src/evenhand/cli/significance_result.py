"""Classical tests, or those of each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from typing import Any

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.significance_tables import (
    TITLES,
    call_systems,
    draw_pairs,
    draw_variants,
    say_conditions,
    say_friedman,
    say_model_of_pair,
    say_share,
)
from evenhand.cli.terminal import label, whole
from evenhand.cli.words import block, say_answers, say_systems, sign
from evenhand.models.coefficients import format_p
from evenhand.ranking.significance import PreferenceTests
from evenhand.report.tables.latex import escape, number, tabular


class SignificanceResult(GroupedResult[PreferenceTests]):
    """What `evenhand test` found: the tests of each group."""

    lacking = "is not tested"

    def draw(self, part: PreferenceTests, columns: int) -> list[str]:
        """Return everything about one set of judgments."""
        return _draw(part, columns)

    def describe(self, part: PreferenceTests) -> dict[str, Any]:
        """Return the JSON of one set of tests."""
        return _contract(part)

    def rows(self, part: PreferenceTests) -> list[dict[str, Any]]:
        """Return one row for each pair."""
        return part.pairs.rows()

    def tabulate(self, name: str, part: PreferenceTests) -> str:
        """Return the table of pairs for a paper."""
        return _tabulate(name, part)

    def say(self, part: PreferenceTests) -> list[str]:
        """Return what Friedman's test says, and what must stand beside the numbers."""
        return [*say_friedman(part.friedman, part.blocks), *part.notes]


def _draw(one: PreferenceTests, columns: int) -> list[str]:
    """Return everything about one set of judgments."""
    tally, pairs = one.tally, one.pairs
    counts = [say_answers(tally.n_judgments, tally.n_comparisons)]
    counts += say_systems(len(tally.systems), tally.ties.sum(), tally.n_comparisons)
    sides = f"one-sided: is {pairs.new} preferred?" if pairs.new else "two-sided"
    names, _ = call_systems(pairs, columns)
    table = draw_variants(pairs, one.variants, one.model) if one.variants else []
    return [
        label("", ", ".join(counts), columns),
        label("test", f"sign test, {pairs.title}; {sides}", columns),
        "",
        *draw_pairs(pairs, columns),
        *(["", *table] if table else []),
        "",
        *block("share", say_share(one.variants), columns),
        *block("model", say_model_of_pair(one.model), columns),
        *block("blocks", say_friedman(one.friedman, one.blocks, names), columns),
        label("says", one.says, columns, colour="green"),
        *block("holds", say_conditions(pairs, one.friedman), columns),
        *(label("note", note, columns, colour="yellow") for note in one.notes),
        sign(one.signature, columns),
    ]


def _contract(one: PreferenceTests) -> dict[str, Any]:
    """Return the JSON of one set of tests, counts that are whole without a decimal point."""
    contract = one.to_dict()
    return contract | {name: whole(contract[name]) for name in ("n_judgments", "n_comparisons")}


def _tabulate(name: str, one: PreferenceTests) -> str:
    """Return the table of pairs for a paper."""
    rows = [
        (
            escape(row["first"]),
            escape(row["second"]),
            *(f"${row[count]}$" for count in ("better", "ties", "worse")),
            *(f"${format_p(row[p])}$" for p in ("p", "holm", "fdr")),
        )
        for row in one.pairs.rows()
    ]
    said = [*([name] if name else []), one.signature, one.pairs.title, *one.notes]
    said += say_friedman(one.friedman, one.blocks)
    for coefficient in one.model:
        errors = f"{number(coefficient.estimate, 4)} (s.e. {number(coefficient.stderr, 4)})"
        said.append(f"{coefficient.label}: {errors}, p {format_p(coefficient.p or 0.0)}")
    return tabular("ll" + "r" * 6, TITLES, [rows], said)
