"""`evenhand variance`: what is due to systems, judges, items and chance; how many are enough?"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli.options import (
    OneOf,
    group_option,
    level_option,
    output_options,
    reading_options,
    section,
    stack,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table, first_fitting, fits, tabulate
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    split_groups,
    take_output,
    take_reading,
    work_on_groups,
)
from evenhand.cli.terminal import block, label, plural, say_answers, say_end
from evenhand.data.results import Component
from evenhand.errors import UnknownOption
from evenhand.judges.variance import Plan, Study, VarianceComponents, say_number, say_proportion

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.judges.variance import Judgments, Method
    from evenhand.ratings.variance_components import Systems

_design_option = section("Design")
_model_option = section("Model")

design_options = stack(
    _design_option("--judges", type=int, help="So many judges."),
    _design_option("--items", type=int, help="So many items."),
    _design_option(
        "--per-output", type=float, help="Of ratings: judges per output. Default: as there were."
    ),
    _design_option(
        "--per-judge",
        type=float,
        help="Of comparisons: so many of each judge. Default: as there were.",
    ),
    _design_option(
        "--stderr",
        type=float,
        help="How many judges and items give this standard error of a difference?",
    ),
    _design_option(
        "--reliability",
        type=float,
        metavar="PROPORTION",
        help="How many give this reliability (generalizability coefficient)?",
    ),
)

variance_options = stack(
    _model_option("--criterion", metavar="NAME", help="Only this criterion (ratings)."),
    _model_option(
        "--systems",
        type=OneOf(("random", "fixed")),
        default="random",
        help="Ratings: a sample of systems, or these only.",
    ),
    _model_option(
        "--method",
        type=OneOf(("moments", "likelihood")),
        help="Comparisons: moments (the default), or judges' tastes by likelihood, which takes"
        " seconds.",
    ),
    level_option(_model_option),
)


@verb(
    "evenhand variance scores.csv --reliability .9",
    "evenhand variance scores.csv --criterion adequacy --judges 10 --items 200",
    "evenhand variance votes.csv --stderr .2",
)
@reading_options
@group_option
@design_options
@variance_options
@output_options
def variance(
    *,
    group_by: str | None,
    judges: int | None,
    items: int | None,
    per_output: float | None,
    per_judge: float | None,
    stderr: float | None,
    reliability: float | None,
    criterion: str | None,
    systems: Systems,
    method: Method | None,
    level: float,
) -> None:
    """Take the variance of judgments apart, and say how many judges are enough.

    Each task and criterion apart. Components of ratings are by restricted
    likelihood; of comparisons, the tastes of judges and items, by moments.
    """
    reading, place = take_reading(), take_output()
    from evenhand.judges.variance import (
        DesignRequest,
        check_request,
        estimate_components,
        study_designs,
    )

    with ProgressDisplay("taking apart"):
        data = _choose(reading.open(), criterion)
        each = _choose_each(data, per_output, per_judge)
        request = DesignRequest(judges, items, each, stderr, reliability)
        check_request(request)
        parts = _split(data, group_by)
        results, refused = work_on_groups(
            parts,
            lambda part: study_designs(
                estimate_components(part, systems=systems, method=method, level=level), request
            ),
            alone=[*parts] == [""],
        )
        remarks = remarks_on(data, "controls", "repeats")

    place.deliver(VarianceResult(results, refused, remarks))


def _choose_each(
    data: Comparisons | Rankings | Ratings, per_output: float | None, per_judge: float | None
) -> float | None:
    """Return judges per output of ratings, or comparisons per judge; refuse the other option."""
    from evenhand.data.ratings import Ratings

    if isinstance(data, Ratings):
        if per_judge is not None:
            raise UnknownOption("--per-judge is of comparisons: for ratings say --per-output")
        return per_output
    if per_output is not None:
        raise UnknownOption("--per-output is of ratings: for comparisons say --per-judge")
    return per_judge


def _choose(
    data: Comparisons | Rankings | Ratings, criterion: str | None
) -> Comparisons | Rankings | Ratings:
    from evenhand.data.groups import choose_criterion
    from evenhand.data.ratings import Ratings

    if isinstance(data, Ratings):
        return choose_criterion(data, criterion)
    if criterion is not None:
        raise UnknownOption("--criterion is of ratings; these are comparisons: leave it out")
    return data


def _split(data: Comparisons | Rankings | Ratings, group_by: str | None) -> dict[str, Judgments]:
    from evenhand.data.groups import group_ratings
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings

    if isinstance(data, Ratings):
        by = None if group_by is None else data.require(group_by)
        roles = ("task", "judge", "item", "system", "criterion")
        rows = data.rows(factors=[] if by is None or by in roles else [by])
        return {**group_ratings(rows, by)}
    table = data.comparisons() if isinstance(data, Rankings) else data
    parts, alone = split_groups(table, group_by)
    return {"": next(iter(parts.values()))} if alone else {**parts}


LEGEND: Final = (
    "sd in {unit}; {variance}of error is the share in the variance of a difference of two systems,"
    " as judged; p is of sd = 0"
)
OF_SCORE: Final = "variance is the share of one score's; "
STARRED: Final = "; * is with what this design cannot tell from it"


class VarianceResult(GroupedResult[Study]):
    lacking = "has no components"

    def draw(self, part: Study, columns: int) -> list[str]:
        estimates = part.found
        legend = LEGEND.format(unit=estimates.unit, variance=OF_SCORE if estimates.shares else "")
        starred = any(one.carries for one in estimates.components)
        designs = _designs(part, columns)
        # The table of components, with fewer figures where it would be too wide
        tables = [
            draw_table(_choose_columns(estimates, figures), estimates.components)
            for figures in (3, 2)
        ]
        return [
            label("", _say_counts(estimates), columns),
            label("model", _say_model(estimates), columns),
            "",
            *first_fitting(tables, columns),
            "",
            label("table", legend + STARRED * starred, columns),
            *block("says", part.says, columns),
            *(["", *designs, "", label("design", _legend(part), columns)] if designs else []),
            *say_end(part.notes, estimates.signature, columns),
        ]

    def rows(self, part: Study) -> list[dict[str, Any]]:
        contract = part.to_dict()
        designs = [*contract["designs"], *([contract["plan"]] if contract["plan"] else [])]
        components = [
            {**row, "carries": "; ".join(row["carries"]), "what": "component"}
            for row in contract["components"]
        ]
        records = [*components, *({**one, "what": "design"} for one in designs)]
        return [{key: row.get(key) for key in KEYS} for row in records]

    def tabulate(self, part: Study) -> str:
        estimates = part.found
        comments = [estimates.signature, *part.says, *part.notes]
        return tabulate(_choose_columns(estimates, 3), [estimates.components], comments)


# Columns of CSV
KEYS: Final = (
    *("what", "name", "levels", "sd", "lower", "upper", "variance", "share", "adds", "p"),
    *("carries", "how", "judges", "items", "each", "judgments", "stderr", "reliability"),
    "dependability",
)


def _say_counts(estimates: VarianceComponents) -> str:
    seen = estimates.observed
    if estimates.per_vote is None:
        answers = plural(seen.judgments, "score")
    else:
        answers = say_answers(seen.judgments, seen.comparisons)
    judges = plural(seen.judges, "judge")
    return f"{answers}, {judges}, {plural(seen.items, 'item')}, {plural(seen.systems, 'system')}"


def _say_model(estimates: VarianceComponents) -> str:
    if estimates.per_vote is None:
        return f"crossed random effects, {estimates.method}"
    how = {one.how for one in estimates.components}
    return f"tastes around pooled log-worths, {' and '.join(sorted(how, reverse=True))}"


def _choose_columns(estimates: VarianceComponents, figures: int) -> list[Column]:
    """Return the columns of components, numbers with so many figures."""
    total, parts = sum(estimates.parts.values()), estimates.parts
    shares = estimates.shares
    errors = {name: one / total for name, one in parts.items() if total}

    def write_ends(one: Component) -> str | None:
        if one.lower is None or one.upper is None:
            return None
        upper = "no bound" if one.upper == inf else say_number(one.upper, figures)
        return f"{say_number(one.lower, figures)} to {upper}"

    return [
        Column("source", lambda one: one.name + " *" * bool(one.carries), only="text"),
        Column("source", "title", only="latex"),
        Column.number("levels", "levels", ",", typeset=".0f"),
        Column.number("sd", "sd", lambda sd: say_number(sd, figures), "s.d.", typeset=".3f"),
        Column.number("interval", write_ends, only="text"),
        Column.number("lower", "lower", ".3f", only="latex"),
        Column.number("upper", "upper", ".3f", only="latex"),
        Column.percent(r"\% of variance", lambda one: shares.get(one.name), only="latex"),
        *[Column.percent("variance", lambda one: shares.get(one.name), only="text")] * bool(shares),
        Column.percent("of error", lambda one: errors.get(one.name), only="text"),
        Column.p("p", "p", "$p$"),
    ]


def _designs(part: Study, columns: int) -> list[str]:
    """Return a row for each number of judges; for want of room the fewest items go."""
    if not part.designs:
        return []
    shown = list(range(len(part.designs[0])))
    while True:
        header = ["judges", *(f"{part.designs[0][at].items:,} items" for at in shown)]
        body = [[f"{row[0].judges:,}", *(_design(row[at]) for at in shown)] for row in part.designs]
        lines = draw_table(header, body)
        if fits(lines, columns) or len(shown) == 1:
            return lines
        judged = part.found.observed.items
        shown.remove(next(at for at in shown if part.designs[0][at].items != judged))


def _design(one: Plan) -> str:
    if one.reliability is None:
        return f"{one.stderr:.2g}"
    return f"{one.stderr:#.2g} {say_proportion(one.reliability)}"


def _legend(part: Study) -> str:
    first = part.designs[-1][0]
    shown = "standard error of a difference of two systems"
    shown += ", and reliability" if first.reliability is not None else ""
    if part.found.per_vote is not None:
        return f"{shown}; {first.each:,.0f} comparisons of each judge (--per-judge)"
    if first.each >= first.judges:
        return f"{shown}; every judge scores every output (--per-output says otherwise)"
    return (
        f"{shown}; {plural(first.each, 'judge')} per output, all systems of an item (--per-output)"
    )
