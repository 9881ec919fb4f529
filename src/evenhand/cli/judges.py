"""`evenhand judges`: are the judges any good, and what changes without those who are not?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.judge_options import (
    Asked,
    diagnosis_figure_options,
    flag_options,
    outside_options,
    rating_options,
    refuse_rating_options,
)
from evenhand.cli.options import group_option, output_options, reading_options, take_kept, verb
from evenhand.cli.result import Column, GroupedResult, draw_parts, draw_table, tabulate
from evenhand.cli.running import (
    ProgressDisplay,
    check_figures,
    remarks_on,
    take_output,
    take_reading,
    write_figures,
)
from evenhand.cli.terminal import block, cut, hang, label, plural, say_notes, sign, width
from evenhand.errors import UnknownOption
from evenhand.judges.cards import CLASSES, Card, Screening
from evenhand.judges.diagnosis_result import AgreementRow, Diagnosis
from evenhand.ranking.without_judges import JudgePanel
from evenhand.report.latex import NONE as LATEX_NONE
from evenhand.report.latex import comment, escape, escape_control, tabular

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings


Panels = tuple[dict[str, "JudgePanel"], dict[str, str]]


@verb(
    "evenhand judges scores.csv --scale 1-5 --figures figures", "evenhand judges votes.csv --cards"
)
@reading_options
@group_option
@flag_options
@rating_options
@outside_options
@diagnosis_figure_options
@output_options
def judges(
    *, group_by: str | None, fdr: float, cards: bool, figures: str | None, forms: tuple[str, ...]
) -> None:
    """Say which judges are to be doubted, with the evidence on a card.

    Flags are controlled: about one in twenty of them (--fdr) falls on an honest
    judge. For ratings also the diagnosis of Hamon, Mostefa and Arranz (2007):
    agreement, judges outside by three methods, systems scored without them.
    """
    options = take_kept(Asked)
    taken, place = take_reading(), take_output(options.easy)
    check_figures(figures, forms)
    with ProgressDisplay("looking"):
        data = taken.open()
        panels, refused = _examine(data, options, group_by, fdr)
        remarks = remarks_on(data)
        drawn = _draw(panels, figures, forms)

    place.deliver(JudgesResult(panels, refused, [*remarks, *drawn], every=cards))


def _examine(
    data: Comparisons | Rankings | Ratings, options: Asked, group_by: str | None, level: float
) -> Panels:
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.without_judges import examine_comparisons, examine_ratings

    if not isinstance(data, Ratings):
        refuse_rating_options()
        return {"": examine_comparisons(data, level=level)}, {}
    by = None if group_by is None else data.require(group_by)
    if by is None and data.has("task"):
        by = "task"
    known = ("task", "judge", "item", "system", "criterion")
    factors = [name for name in (by, options.input_type) if name is not None and name not in known]
    rows = data.rows(factors=factors)
    return examine_ratings(rows, options.diagnose, by=by, level=level, scale=options.declared())


def _draw(panels: dict[str, JudgePanel], folder: str | None, forms: tuple[str, ...]) -> list[str]:
    if folder is None:
        return []
    from evenhand.report.figures.judges import draw_judges

    figures = {
        group: draw_judges(panel.diagnosis)
        for group, panel in panels.items()
        if panel.diagnosis is not None
    }
    if not any(figures.values()):
        raise UnknownOption("--figures draws ratings, and there is no diagnosis of any here")
    return write_figures(figures, folder, forms)


# Cards of judges for people: the flagged ones with all evidence, a line for the most doubtful.

LEGEND: Final = (
    "P(honest) is against careless and reversed, given all that was seen; habits, such as coarse,"
    " are tested apart. seen: whether a careless judge with as many judgments would be flagged"
)
MIN_SHOWN: Final = 8  # Judges in the table where fewer are flagged
# What a judge's number counts, by kind; comparisons otherwise
COUNTED: Final = {"ratings": "scores", "rankings": "rankings"}


def draw_cards(screening: Screening, columns: int, *, every: bool) -> list[str]:
    lines = []
    if screening.abstains is not None:
        is_stated = any(screening.abstains in one for one in screening.says)  # it stands above
        why = "" if is_stated else f": {screening.abstains}"
        lines.append(label("flags", f"not decided{why}", columns, colour="yellow"))
    lines += [label("power", screening.detectable, columns), "", *_table(screening, columns)]
    lines += ["", label("table", LEGEND, columns)]
    chosen = screening.cards if every else screening.flagged
    for card in chosen:
        title = f" {escape_control(card.judge)}: {', '.join(card.flags) or 'not flagged'}"
        drawn = [click.style(title, bold=True)]
        seen = [(one.name, one.says) for one in card.evidence]
        if card.effect is not None:
            seen.append(("without", card.effect))
        wide = max((width(name) for name, _ in seen), default=0)
        for name, says in seen:
            drawn += hang(f"   {name.ljust(wide)}  ", says, columns)
        lines += ["", *drawn]
    return lines


def _table(screening: Screening, columns: int) -> list[str]:
    chosen = screening.cards[: max(MIN_SHOWN, len(screening.flagged))]
    lines = draw_table(_choose_columns(screening), chosen, columns, least=8)
    more = len(screening.cards) - len(chosen)
    return lines + [f" ... and {more:,} more judges, less doubtful"] * bool(more)


def _choose_columns(screening: Screening) -> list[Column]:
    """Return the columns of judges; flags stand last in a terminal."""
    counted = COUNTED.get(screening.kind, "comparisons")
    not_seen = "no" if screening.abstains is None else "no: undecided"
    return [
        Column.names("judge", "judge"),
        Column.number(counted, "n", ",", "$n$", typeset=".0f"),
        Column("flags", lambda card: ", ".join(card.flags) or "none", only="latex"),
        Column.number("P(honest)", "p_honest", _show, "$P$(honest)", typeset=".3f"),
        Column.number(
            "seen if careless", "testable", lambda seen: "yes" if seen else not_seen, only="text"
        ),
        Column("flags", lambda card: ", ".join(card.flags) or None, only="text"),
    ]


def _show(p: float) -> str:
    """Write a probability.

    >>> _show(0.5), _show(1e-9), _show(1.0)
    ('0.500', '<0.001', '1.000')
    """
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


# Tables 1 to 4 of Hamon, Mostefa & Arranz (2007) on the user's data, for people and for papers.

NAME: Final = 16  # Most columns that a criterion or an input takes
MAX_STEPS: Final = 5  # Most columns of n-agreement
NONE: Final = "—"

_METHODS: Final = {
    "mean-score": "mean score",
    "mean-agreement": "agreement",
    "easy-items": "easy items",
}

Table = tuple[str, Sequence[Sequence[str]], str]  # Title, rows with the header first, legend

_IS_NUMBER: Final = re.compile(r"-?[\d,]+(\.\d+)?")
_SIGNS: Final = {"κ": r"$\kappa$", "ρ": r"$\rho$", NONE: LATEX_NONE}


def draw_diagnosis(diagnosis: Diagnosis, columns: int) -> list[str]:
    lines: list[str] = []
    for title, rows, legend in _tables(diagnosis):
        lines += ["", click.style(f" {title}", bold=True), *_lay_out(rows, columns)]
        lines += [label("", legend, columns)] if legend else []
    if diagnosis.merged is not None:
        lines += ["", click.style(" On the merged scale ".ljust(columns, "┈"), dim=True)]
        lines += [
            label("" if i else "says", one, columns) for i, one in enumerate(diagnosis.merged.says)
        ]
        lines += draw_diagnosis(diagnosis.merged, columns)
    return lines


def tabulate_diagnosis(diagnosis: Diagnosis) -> list[str]:
    parts = []
    for title, (header, *rows), legend in _tables(diagnosis):
        comments = [diagnosis.signature, title, legend]
        cells = [[escape(row[0]), *(_typeset(cell) for cell in row[1:])] for row in rows]
        aligned = "l" + "r" * (len(header) - 1)
        head = [_typeset(cell) for cell in header]
        parts.append(tabular(aligned, head, [cells], [one for one in comments if one]))
    return parts


def _typeset(cell: str) -> str:
    r"""Write a cell for LaTeX: numbers and Greek letters in mathematics.

    >>> _typeset("-0.302"), _typeset("10,180"), _typeset("n = 0"), _typeset("r of removed")
    ('$-0.302$', '$10{,}180$', '$n = 0$', '$r$ of removed')
    """
    if _IS_NUMBER.fullmatch(cell) or cell.startswith("n = "):
        return f"${cell.replace(',', '{,}')}$"
    written = "".join(_SIGNS.get(sign, sign) for sign in escape(cell))
    return re.sub(r"^r\b", "$r$", written)


def _tables(diagnosis: Diagnosis) -> list[Table]:
    every = (_agreement(diagnosis), _kappa(diagnosis), _outside(diagnosis), _removal(diagnosis))
    return [table for table in every if len(table[1]) > 1]


def _lay_out(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    header, *body = rows
    heads = [Column(title, itemgetter(at), left=not at) for at, title in enumerate(header)]
    keys = 1 + header.index("without") if "without" in header else 1
    return [*chain(*draw_parts(heads, body, columns, keys=keys, indent="  "))]


def _where(row: AgreementRow) -> str:
    """Name a row: its criterion, and its input or "all" where there are inputs."""
    name = row.criterion or "all scores"
    return cut(f"{name}, {row.input}" if row.input else name, 2 * NAME)


def _agreement(diagnosis: Diagnosis) -> Table:
    held = [row for row in diagnosis.agreement if row.n_agreement]
    steps = sorted({step for row in held for step in row.steps})
    if len(steps) > MAX_STEPS:
        steps = [*steps[: MAX_STEPS - 1], steps[-1]]
    rows = [
        (_where(row), f"{row.outputs:,}", *(_share(row, n) for n in steps))
        for row in diagnosis.agreement
    ]
    header = ("", "outputs", *(f"n = {step:g}" for step in steps))
    legend = "share of pairs of judges whose scores of an output are at most n points apart"
    return "1  n-agreement", [header, *rows] if held else [header], legend


def _share(row: AgreementRow, step: float) -> str:
    if step not in row.steps:
        return NONE
    return f"{row.n_agreement[row.steps.index(step)]:.3f}"


def _kappa(diagnosis: Diagnosis) -> Table:
    rows = [
        (_where(row), *(_write(value, 3) for value in (row.observed, row.expected, row.kappa)))
        for row in diagnosis.agreement
        if row.outputs
    ]
    return "2  Fleiss' κ", [("", "observed", "by chance", "κ"), *rows], ""


def _outside(diagnosis: Diagnosis) -> Table:
    """Table 3, with how many are too high and too low."""
    titles = [method.replace("-", " ") for method in diagnosis.methods]
    rows = []
    for criterion, counts in diagnosis.deleted.items():
        cells = [_count(diagnosis, method, criterion, counts) for method in diagnosis.methods]
        rows.append((cut(criterion or "all scores", 2 * NAME), *cells))
    common = [
        f"{len(one.judges)} by both {' and '.join(one.methods).replace('-', ' ')}"
        + (f" under {one.criterion}" if one.criterion else "")
        for one in diagnosis.common
        if one.judges
    ]
    legend = (
        f"of {plural(diagnosis.n_judges, 'judge')}; in brackets above and below the limits. Whoever"
        " is"
        " only severe or lenient may be here: act on flags, these rules are the paper's"
    )
    return "3  Judges outside", [("", *titles), *rows], "; ".join([legend, *common])


def _count(diagnosis: Diagnosis, method: str, criterion: str, counts: dict[str, int]) -> str:
    if method not in counts:
        return NONE
    if criterion not in diagnosis.criteria:
        return f"{counts[method]}"
    one = diagnosis.outliers_of(method, criterion)
    sides = f" ({len(one.high)}, {len(one.low)})" if one.lower is not None else ""
    return f"{counts[method]}{sides}"


def _removal(diagnosis: Diagnosis) -> Table:
    """Table 4, with what else becomes of the systems' scores."""
    rows = [
        (
            cut(one.criterion or "all scores", NAME),
            name,
            f"{100 * one.share_lost:.0f} %",
            _write(one.kept.pearson, 3),
            _write(one.kept.spearman, 3),
            _write(one.removed.pearson, 3),
            _write(one.kept_mean, 2),
            _write(one.removed_mean, 2),
        )
        for name, one in (
            *((_METHODS[one.method], one) for one in diagnosis.removals),
            *(("the choice", one) for one in diagnosis.chosen),
        )
    ]
    header = ("", "without", "lost", "r", "ρ", "r of removed", "kept", "removed")
    legend = (
        "systems scored without them: share of scores lost, Pearson's r and Spearman's ρ with the"
        " scores by all, r of the removed judges' own scores, mean scores of kept and removed"
        f"; the choice: outside by {diagnosis.choice.replace('-', ' ')}"
    )
    return "4  Systems scored again", [header, *rows], legend


def _write(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


# Columns of a card in CSV
CSV_KEYS: Final = ("judge", "n", "flags", "p_honest", "p_careless", "p_reversed", "testable")
# Columns of a profile in CSV
PROFILE: Final = ("criterion", "mean", "others_mean", "gap", "mean_agreement", "outside")

RULES: Final = "by the rules of Hamon et al. (2007), which are no reason to remove anybody:"


@dataclass(frozen=True, eq=False)
class JudgesResult(GroupedResult[JudgePanel]):
    every: bool = False  # whether all cards are shown, and not only those of the flagged
    lacking = "has no diagnosis"

    def draw(self, part: JudgePanel, columns: int) -> list[str]:
        lines = [label("", _say_counts(part), columns)]
        sentences = part.says if part.screening is None else part.screening.says
        if sentences:
            lines += ["", *block("says", sentences, columns)]
        if part.screening is not None:
            lines += ["", *draw_cards(part.screening, columns, every=self.every)]
        if part.diagnosis is not None:
            lines += draw_diagnosis(part.diagnosis, columns)
            if part.screening is not None:
                lines += ["", *block("paper", [RULES, *part.diagnosis.says], columns)]
        signed = [one.signature for one in (part.screening, part.diagnosis) if one is not None]
        return [
            *lines,
            *say_notes(part.notes, columns),
            *(sign(signature, columns) for signature in signed),
        ]

    def rows(self, part: JudgePanel) -> list[dict[str, Any]]:
        cards = {} if part.screening is None else {one.judge: one for one in part.screening.cards}
        if part.diagnosis is None:
            return [{**_card(one), **dict.fromkeys(PROFILE)} for one in cards.values()]
        return [
            {
                **_card(cards.get(row["judge"])),
                **{name: row[name] for name in ("judge", "n", *PROFILE[:-1])},
                "outside": " ".join(method for method in part.diagnosis.methods if row[method]),
            }
            for row in part.diagnosis.records()
        ]

    def latex(self) -> str:
        return "\n".join(
            comment([name] if name else []) + table
            for name, part in self.groups.items()
            for table in _tabulate(part)
        )

    def tabulate(self, part: JudgePanel) -> str:
        return "\n".join(_tabulate(part))


def _tabulate(part: JudgePanel) -> list[str]:
    tables = [] if part.screening is None else [_tabulate_flags(part.screening)]
    return tables if part.diagnosis is None else [*tables, *tabulate_diagnosis(part.diagnosis)]


def _say_counts(part: JudgePanel) -> str:
    if part.diagnosis is not None:
        scores = plural(part.diagnosis.n_judgments, "score")
        return f"{scores} by {plural(part.diagnosis.n_judges, 'judge')}"
    if part.screening is None:
        return "no judges are screened"
    screening = part.screening
    what = {"comparisons": "comparison", "rankings": "ranking"}.get(screening.kind, "score")
    return f"{plural(screening.n_judgments, what)} by {plural(len(screening.cards), 'judge')}"


def _card(card: Card | None) -> dict[str, Any]:
    """Return what CSV holds of a card; empty where there is none."""
    if card is None:
        return dict.fromkeys(CSV_KEYS)
    return {
        "judge": card.judge,
        "n": card.n,
        "flags": " ".join(card.flags),
        **{f"p_{one}": card.posterior[one] for one in CLASSES},
        "testable": card.testable,
    }


def _tabulate_flags(screening: Screening) -> str:
    """Return the flagged judges, or all where nobody is flagged."""
    chosen = screening.flagged or screening.cards
    comments = [screening.signature, *screening.says, *screening.notes]
    return tabulate(_choose_columns(screening), [chosen], comments)
