"""The judges of ratings: who is to be doubted, and the figures of Hamon et al. (2007)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from evenhand.judges.cards import Screening, advise, say_shortly
from evenhand.judges.removal import describe_change
from evenhand.report.answer import join_names
from evenhand.report.charts import take_chart
from evenhand.report.contents import RATING
from evenhand.report.document import (
    PASSED,
    UNDECIDED,
    Check,
    Column,
    Figure,
    Section,
    Table,
)
from evenhand.report.figures.file_names import name_files
from evenhand.report.figures.judge_figures import draw_judges
from evenhand.report.figures.scorer_map import draw_scorers
from evenhand.report.judge_fault import ASKS, find_fault, write_fault
from evenhand.report.rated import Rated, are_level
from evenhand.report.reversal import choose_state
from evenhand.report.study import Study

# Most criteria whose judges are drawn as in the paper; of several tasks the first one of each
FIGURED: Final = 3
MAPPED: Final = 5  # Most criteria on the map of judges: as many as there are colours
SHOWN: Final = 200  # Most rows of the table of judges, but for the full report
FEW: Final = 12  # The same of each of several tasks: flagged judges and those who scored most
NAMED: Final = 12  # Most judges whose names stand in a cell
OUTSIDE: Final = (
    "judges outside by the methods of Hamon et al. (2007) diverge, which is not to say that they"
    " are bad: of honest judges about a third are outside one standard deviation by their mean"
    " score; flags have a controlled error rate"
)
CARDS: Final = 10  # Most flagged judges whose evidence is shown
# Figure of the paper → its title, and what is seen
DRAWN: Final = {
    "judges-mean": (
        "Mean score of each judge, beside the others' on the same outputs",
        "Judges from the lowest mean score to the highest, each beside the mean of the others on"
        " the same outputs; dashed lines are the centre and one standard deviation around it.",
    ),
    "judges-distance": (
        "Mean distance of each judge from the others",
        "Judges from the nearest to the others to the farthest, in points of the scale; dashed"
        " lines are the centre and the limit.",
    ),
    "removal": (
        "Systems scored again without the judges outside",
        "Mean scores of systems by all judges, and without those whom each method puts outside.",
    ),
}


def write_section(study: Study) -> Section:
    """Write who is to be doubted."""
    rated, command = study.rated, study.write_command("judges", "--cards")
    fault = _find_fault(rated)
    if fault[0]:
        return write_fault("scorers", RATING["scorers"], fault, command)
    found = rated.screening
    check = _check(rated, found)
    flags = {card.judge: ", ".join(card.flags) for card in found.flagged}
    rows = [{**row, "flags": flags.get(row["judge"], "")} for row in rated.diagnosis.records()]
    tables = (
        *((_make_cards(found),) if flags else ()),
        _tabulate(rated, rows, study),
        _tabulate_outside(rated),
    )
    return Section(
        "scorers",
        RATING["scorers"],
        says=tuple(_say(found, check)),
        checks=(check,),
        figures=(*_draw_map(rated, rows), *_draw_paper(study)),
        tables=tables,
        notes=(*found.notes, OUTSIDE, *rated.diagnosis.notes, *_note_figures(study)),
        command=command,
    )


def _find_fault(rated: Rated) -> tuple[str, str]:
    """Return why judges cannot be looked at and what to do; two empty texts where they can."""
    fault = find_fault(rated.rows.judges)
    if not fault[0] and are_level(rated.rows):
        return "all scores are the same", "Ask for scores that tell outputs apart."
    return fault


def _check(rated: Rated, found: Screening) -> Check:
    """Say whether judges are to be doubted; failed where the boards are reversed without them."""
    judges, flagged = len(found.cards), [card.judge for card in found.flagged]
    seen = sum(card.testable for card in found.cards)
    if flagged:
        change = describe_change(rated.rows, flagged)
        change += " (the higher mean score first)" if rated.lower else ""
        says = f"{len(flagged):,} flagged of {judges:,}"
        otherwise = f"Without {join_names(flagged)}: {change}."
        return Check("judges", ASKS, choose_state(rated.reversal), says, otherwise)
    if found.abstains is not None:
        says = f"none flagged of {judges:,}, but {say_shortly(found.abstains)}"
        return Check("judges", ASKS, UNDECIDED, says, advise(found.abstains, found.cards))
    if not seen:
        says = f"none flagged of {judges:,}, but too little is known of each to tell"
        advice = "Let judges share more outputs, score more each, or answer controls and repeats."
        return Check("judges", ASKS, UNDECIDED, says, advice)
    says = f"none flagged of {judges:,}; {seen:,} scored enough to be found out"
    return Check("judges", ASKS, PASSED, says)


def _say(found: Screening, check: Check) -> list[str]:
    """Say who is flagged for what, what it changes, and how severe judges are."""
    said = [f"{_begin(sentence)}." for sentence in found.says]
    if found.flagged:
        said.append(check.otherwise)
    if found.abstains is not None and not any(found.abstains in one for one in said):
        said.append(f"Nobody is called careless or reversed: {found.abstains}.")
    return [*said, f"{_begin(found.detectable)}."]


def _begin(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _tabulate_outside(rated: Rated) -> Table:
    """Return whom the methods of the paper put outside, and what leaving them out changes."""
    found, rows = rated.diagnosis, []
    for one in found.outliers:
        if one.why is not None and one.method == "easy-items" and not found.easy:
            continue  # no output is known to be good: nothing was asked
        removal = found.removal_of(one.method, one.criterion)
        rows.append(
            {
                "criterion": one.criterion,
                "method": one.method.replace("-", " "),
                "outside": len(one.judges) if one.why is None else None,
                "judges": ", ".join(one.judges[:NAMED]) + ", ..." * (len(one.judges) > NAMED),
                "lost": None if removal is None else removal.share_lost,
                "correlation": None if removal is None else removal.kept.pearson,
                "why": one.why or "",
            }
        )
    columns = (
        *((Column("criterion", "criterion"),) if len(found.criteria) > 1 else ()),
        Column("method", "by"),
        Column("outside", "outside", "count", "judges outside the limits of the method"),
        Column("judges", "judges"),
        Column("lost", "scores lost", "share", "share of the scores that they gave"),
        Column(
            "correlation", "correlation", "three", "of systems' mean scores with and without them"
        ),
        Column("why", "why not"),
    )
    caption = "Judges outside by the methods of Hamon et al. (2007)"
    return Table("outside", caption, columns, tuple(rows))


def _draw_map(rated: Rated, rows: list[dict[str, Any]]) -> tuple[Figure, ...]:
    """Draw judges by severity and distance."""
    criteria = list(rated.diagnosis.criteria)
    criteria = criteria if len(criteria) <= MAPPED else criteria[:1]
    keys = ("judge", "criterion", "gap", "shared", "flags")
    drawn = [
        {**{key: row[key] for key in keys}, "distance": row["mean_agreement"]}
        for row in rows
        if row["criterion"] in criteria and row["gap"] is not None
    ]
    if not drawn:
        return ()
    flagged = sorted({row["judge"] for row in drawn if row["flags"]})
    who = f"Flagged: {join_names(flagged)}." if flagged else "Nobody is flagged."
    alt = (
        f"{len({row['judge'] for row in drawn})} judges as points: across, how much higher each"
        f" scores than the others on the same outputs; upwards, how far from them. {who}"
    )
    title = rated.head(
        "Judges by severity and distance from the others", criteria[0] if len(criteria) == 1 else ""
    )
    return (take_chart(draw_scorers(drawn, criteria), "map", title, alt, table="judges"),)


def _draw_paper(study: Study) -> tuple[Figure, ...]:
    """Draw the figures of the paper on judges, criterion by criterion."""
    found, figures = study.rated.diagnosis, []
    drawn = found.criteria[: _count_drawn(study)]
    charts = draw_judges(replace(found, criteria=drawn))
    files = name_files(filter(None, drawn))
    for criterion in drawn:
        tail = f"-{files[criterion]}" if criterion else ""
        for kind, (title, alt) in DRAWN.items():
            name = f"{kind}{tail}"
            if name in charts:
                head = study.rated.head(title, criterion)
                figures.append(take_chart(charts[name], name, head, alt, table="judges"))
    return tuple(figures)


def _count_drawn(study: Study) -> int:
    """Return how many criteria are drawn as in the paper."""
    if study.settings.full:
        return len(study.rated.diagnosis.criteria)
    return 1 if study.task else FIGURED


def _note_figures(study: Study) -> tuple[str, ...]:
    """Say which criteria are not drawn."""
    drawn, criteria = _count_drawn(study), len(study.rated.diagnosis.criteria)
    if drawn >= criteria:
        return ()
    command = study.write_command("judges", "--figures", "FOLDER")
    return (f"figures of the paper are of {drawn} of {criteria} criteria; {command} draws all",)


def _make_cards(found: Screening) -> Table:
    """Return the cards of flagged judges, a row for each line."""
    rows: list[dict[str, Any]] = []
    for card in found.flagged[:CARDS]:
        lines = [(one.name, one.says) for one in card.evidence]
        lines += [("left out", card.effect)] if card.effect else []
        head = ("verdict", f"{', '.join(card.flags)}; {card.n:,} scores")
        rows += [{"judge": card.judge, "about": a, "says": s} for a, s in (head, *lines)]
    more = len(found.flagged) - CARDS
    rest = f"; {more:,} more are flagged" if more > 0 else ""
    columns = (Column("judge", "judge"), Column("about", "looked at"), Column("says", "found"))
    return Table("cards", f"Why judges are flagged{rest}", columns, tuple(rows))


def _tabulate(rated: Rated, rows: list[dict[str, Any]], study: Study) -> Table:
    """Return the table of judges under each criterion."""
    most = FEW if study.task else SHOWN
    first = sorted(rows, key=lambda row: (not row["flags"], -row["n"]))
    shown = first if study.settings.full else first[:most]
    several = len(rated.diagnosis.criteria) > 1
    columns = (
        Column("judge", "judge"),
        *((Column("criterion", "criterion"),) if several else ()),
        Column("n", "scores", "count"),
        Column("shared", "shared", "count", "scores of outputs that another judge scored too"),
        Column("mean", "mean", "two", "mean score"),
        Column("others_mean", "others'", "two", "mean score of the others on the shared outputs"),
        Column("gap", "gap", "two", "own mean less the others' on the shared outputs"),
        Column("mean_agreement", "distance", "two", "mean distance from the others' scores"),
        Column("flags", "flagged as"),
    )
    cut = "" if len(shown) == len(rows) else f" ({len(shown):,} of {len(rows):,} rows)"
    kept = tuple({column.key: row[column.key] for column in columns} for row in shown)
    return Table("judges", f"Judges beside the others{cut}", columns, kept)
