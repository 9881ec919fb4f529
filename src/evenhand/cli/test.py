"""`evenhand test`: is there a preference at all, by the classical tests?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any, Final

import click

from evenhand.cli.options import (
    OneOf,
    group_option,
    join_options,
    join_tables,
    output_options,
    reading_options,
    section,
    stack,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table, tabulate
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
)
from evenhand.cli.terminal import (
    block,
    label,
    plural,
    say_end,
    say_tally,
    shorten,
    tell_apart,
    whole,
    width,
)
from evenhand.models.coefficients import Coefficient, format_p
from evenhand.ranking.significance import PreferenceTests
from evenhand.ranking.tests import Friedman, PairTests, SignTest
from evenhand.report.latex import escape_control, number

VARIANTS: Final = ("ignore", "split", "against", "trinomial", "ignore-normal", "split-normal")
BLOCKS: Final = ("judge", "item", "ranking")

_test_option = section("Test")

test_options = stack(
    _test_option(
        "--ties-as",
        "variant",
        type=OneOf(VARIANTS),
        default="ignore",
        help="What a tie is in the sign test of a pair: passed over, half a preference for each,"
        " a vote against, or an outcome of its own.",
    ),
    _test_option(
        "--new",
        metavar="SYSTEM",
        help="The system that is to be preferred: only its pairs, one-sided.",
    ),
    _test_option(
        "--blocks",
        type=OneOf(BLOCKS),
        help="Whose orders of all systems Friedman's test compares. Default: judges.",
    ),
)


@verb(
    "evenhand test votes.csv",
    "evenhand test votes.csv --new system-b --ties-as against",
    "evenhand test wmt12.RNK_results.csv --task fr-en --blocks ranking",
)
@reading_options
@join_options
@group_option
@test_options
@output_options
def test(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    variant: str,
    new: str | None,
    blocks: str | None,
) -> None:
    """Test every pair of systems, and whether judges agree on any order.

    The sign test of each pair, adjusted for the number of pairs (Holm;
    Benjamini and Hochberg). One pair gets every variant of the test beside
    the log-linear model; three systems or more get Friedman's test. All of
    them take comparisons for independent.
    """
    reading, place = take_reading(), take_output(judges, items)
    with ProgressDisplay("testing"):
        from evenhand.ranking.significance import find_repeats, say_dependence

        data = reading.open_comparisons("test")
        data = join_tables(data, judges, items, used=(group_by, blocks))
        if blocks is not None:
            data.require(blocks)
        repeats = find_repeats(data)
        over = blocks or BLOCKS[0]
        from evenhand.data.groups import choose_groups, tally_groups
        from evenhand.ranking.significance import run_tests

        by = choose_groups(data, group_by)
        groups = tally_groups(data, by, [over] if data.has(over) else [])
        results, refused = work_on_groups(
            groups,
            lambda tally: run_tests(tally, over, ties_as=variant, new=new, repeated=tuple(repeats)),
            alone=group_by is None and len(groups) == 1,
        )
        remarks, cautions = remarks_on(data), say_dependence(repeats)

    place.deliver(SignificanceResult(results, refused, remarks, cautions))


# Tables of classical tests in a terminal: pairs, variants of one pair, Friedman's test.

MAX_PAIRS: Final = 60  # Most pairs that are listed; the files have all of them
MAX_PLACES: Final = 12  # Most mean places that are listed
PAIRS: Final = (
    Column("system", "first"),
    Column("against", "second"),
    *(
        Column.number(name, name, typeset=lambda count: f"${count}$")
        for name in ("better", "ties", "worse")
    ),
    Column.p("p", "p"),
    Column.p("Holm", "holm"),
    Column.p("B-H", "fdr"),
)
VARIANT_COLUMNS: Final = (
    Column("variant", "variant"),
    Column("of the test", "title"),
    Column.number("z", "z", ".3f"),
    Column.p("p", "p"),
    Column.p("one-sided p", "greater"),
)


def draw_pairs(pairs: PairTests, columns: int) -> list[str]:
    """Return the table of pairs, titles first, smallest p first."""
    rows = pairs.rows()
    names, without = call_systems(pairs, columns)
    called = [
        {**row, "first": names[row["first"]], "second": names[row["second"]]}
        for row in rows[:MAX_PAIRS]
    ]
    drawn = draw_table(PAIRS, called)
    if len(rows) > MAX_PAIRS:
        drawn.append(f" ... {plural(len(rows) - MAX_PAIRS, 'more pair')}: --csv has all of them")
    return [*drawn, click.style(f" {without}", dim=True)] if without else drawn


def call_systems(pairs: PairTests, columns: int) -> tuple[dict[str, str], str]:
    """Return what each system is called beside these numbers, and what that leaves out."""
    systems = pairs.systems
    numbers = draw_table(PAIRS[2:], pairs.rows()[:MAX_PAIRS])
    room = (columns - width(click.unstyle(numbers[0])) - 4) // 2
    if max(width(escape_control(name)) for name in systems) <= room:
        return {name: escape_control(name) for name in systems}, ""
    short, name_note = shorten(systems)
    shown = tell_apart(short, room)
    return {
        name: shown[short_name] for name, short_name in zip(systems, short, strict=True)
    }, name_note


def draw_variants(
    pairs: PairTests, variants: Sequence[SignTest], model: Sequence[Coefficient]
) -> list[str]:
    last = [
        {"variant": "model", "title": "log-linear, λ", "z": worth.z, "p": worth.p, "greater": None}
        for worth in model[:1]
        if worth.z is not None and worth.p is not None
    ]
    heads = VARIANT_COLUMNS if pairs.new is not None else VARIANT_COLUMNS[:-1]
    return draw_table(heads, [*variants, *last])


def say_share(variants: Sequence[SignTest]) -> list[str]:
    return [
        f"{one.better / (one.better + one.worse):.3f} of decided comparisons, exact 95 % interval"
        f" {one.interval[0]:.3f} to {one.interval[1]:.3f}"
        for one in variants
        if one.interval is not None and one.better + one.worse
    ]


def say_friedman(
    friedman: Friedman | None, blocks: str, names: Mapping[str, str] | None = None
) -> list[str]:
    if friedman is None:
        return []
    f = "every block gives the same order, exact"
    if friedman.f is not None:
        f = f"F {friedman.f:.4f} on {friedman.f_df[0]} and {friedman.f_df[1]} df"
    sentences = [
        f"Friedman over {plural(friedman.blocks, blocks)}: χ² {friedman.statistic:.4f} on"
        f" {friedman.df} df,"
        f" p {format_p(friedman.p)}; {f}, p {format_p(friedman.f_p)}; Kendall's W"
        f" {friedman.kendall_w:.3f}"
    ]
    called = names or {}
    places = sorted(zip(friedman.mean_places.tolist(), friedman.systems, strict=True))
    shown = [f"{called.get(name, name)} {place:.2f}" for place, name in places[:MAX_PLACES]]
    listed = ", ".join(shown)
    if len(places) > MAX_PLACES:
        more = plural(len(places) - MAX_PLACES, "more system")
        listed += f" and {more}: --json has all mean places"
    return [*sentences, f"mean places: {listed}"]


class SignificanceResult(GroupedResult[PreferenceTests]):
    lacking = "is not tested"

    def draw(self, part: PreferenceTests, columns: int) -> list[str]:
        tally, pairs = part.tally, part.pairs
        systems, ties = len(tally.systems), float(tally.ties.sum())
        counts = say_tally(tally.n_judgments, tally.n_comparisons, systems, ties)
        sides = f"one-sided: is {pairs.new} preferred?" if pairs.new else "two-sided"
        names, _ = call_systems(pairs, columns)
        table = draw_variants(pairs, part.variants, part.model) if part.variants else []
        # Say under which conditions p-values hold, those of each test in a line
        said = ["only if " + "; ".join(pairs.assumes)]
        if part.friedman is not None:
            said.append("Friedman's test only if " + "; ".join(part.friedman.assumes))
        estimates = []
        for one in part.model:
            if one.stderr is None or one.z is None or one.p is None:
                continue
            name = "γ" if one.label == "tie" else f"λ of {one.label}"
            numbers = (
                f"{one.estimate:z.4f} (s.e. {one.stderr:.4f}), z {one.z:.3f}, p {format_p(one.p)}"
            )
            odds = "" if one.label == "tie" else f"; odds {exp(2 * one.estimate):.2f} to 1"
            estimates.append(f"{name} {numbers}{odds}")
        return [
            label("", counts, columns),
            label("test", f"sign test, {pairs.title}; {sides}", columns),
            "",
            *draw_pairs(pairs, columns),
            *(["", *table] if table else []),
            "",
            *block("share", say_share(part.variants), columns),
            *block("model", estimates, columns),
            *block("blocks", say_friedman(part.friedman, part.blocks, names), columns),
            label("says", part.says, columns, colour="green"),
            *block("holds", said, columns),
            *say_end(part.notes, part.signature, columns),
        ]

    def describe(self, part: PreferenceTests) -> dict[str, Any]:
        contract = part.to_dict()
        return contract | {name: whole(contract[name]) for name in ("n_judgments", "n_comparisons")}

    def rows(self, part: PreferenceTests) -> list[dict[str, Any]]:
        return part.pairs.rows()

    def tabulate(self, part: PreferenceTests) -> str:
        comments = [part.signature, part.pairs.title, *part.notes]
        comments += say_friedman(part.friedman, part.blocks)
        for coefficient in part.model:
            errors = f"{number(coefficient.estimate, 4)} (s.e. {number(coefficient.stderr, 4)})"
            comments.append(f"{coefficient.label}: {errors}, p {format_p(coefficient.p or 0.0)}")
        return tabulate(PAIRS, [part.pairs.rows()], comments)

    def say(self, part: PreferenceTests) -> list[str]:
        return [*say_friedman(part.friedman, part.blocks), *part.notes]
