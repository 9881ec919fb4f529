"""How much of a score is due to systems, judges and items, and how many judges are enough."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judges.variance import Study as Designs
from evenhand.judges.variance import VarianceComponents, Wishes, estimate_components, study_designs
from evenhand.report.charts import take_chart
from evenhand.report.contents import RATING
from evenhand.report.document import Column, Figure, Section, Table
from evenhand.report.figures.variance_bars import draw_parts
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

MOST: Final = 8_000  # Scores up to which variances come with intervals by themselves
CRITERIA: Final = 2  # Criteria up to which they do
WISHED: Final = 0.9  # Reliability that designs are asked for
DRAWN: Final = 5  # Most criteria that are drawn: as many as there are colours


def write_section(study: Study) -> Section:
    """Write what scores are due to."""
    quick = _choose_quick(study)
    found, refused = _estimate(study, quick=quick)
    if not found:
        raise NotIdentified("; ".join(dict.fromkeys(refused.values())), [])
    several = len(study.rated.parts) > 1
    rows = [row for name, one in found.items() for row in _list_parts(name, one.found)]
    said = [
        f"For {name}: {sentence}." if several else f"{sentence[:1].upper()}{sentence[1:]}."
        for name, one in found.items()
        for sentence in one.says
    ]
    return Section(
        "parts",
        RATING["parts"],
        says=tuple(said),
        figures=_draw(rows),
        tables=(
            _tabulate(rows, several=several),
            *_tabulate_designs(found, several=several, quick=quick),
        ),
        notes=_note(study, found, refused, quick=quick),
        command=study.write_command("variance", "--reliability", f"{WISHED:g}"),
    )


def _choose_quick(study: Study) -> bool:
    """Say whether moment estimates have to do: of several tasks, of many scores or criteria."""
    rated = study.rated
    many = rated.targets.size > MOST or len(rated.parts) > CRITERIA
    return not study.settings.full and (bool(study.task) or many)


def _estimate(study: Study, *, quick: bool) -> tuple[dict[str, Designs], dict[str, str]]:
    """Return what was found under each criterion, and why not under others."""
    found: dict[str, Designs] = {}
    refused: dict[str, str] = {}
    for name, part in study.rated.parts.items():
        try:
            one = estimate_components(part, level=study.settings.level, quick=quick)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = refusal.fault
            continue
        found[name] = study_designs(one, Wishes()) if quick else _wish(one)
    return found, refused


def _wish(found: VarianceComponents) -> Designs:
    """Ask for a design, if one can be planned."""
    try:
        return study_designs(found, Wishes(reliability=WISHED))
    except (NotIdentified, UnknownOption):
        return study_designs(found, Wishes())


def _list_parts(criterion: str, found: VarianceComponents) -> list[dict[str, Any]]:
    """Return a row for each source."""
    return [
        {
            "criterion": criterion,
            "source": one.name,
            "sd": one.sd,
            "lower": one.lower,
            "upper": None if one.upper is None or not isfinite(one.upper) else one.upper,
            "share": found.shares.get(one.name),
            "levels": one.levels,
        }
        for one in found.components
    ]


def _draw(rows: list[dict[str, Any]]) -> tuple[Figure, ...]:
    """Draw the shares of the first criteria."""
    criteria = list(dict.fromkeys(row["criterion"] for row in rows))[:DRAWN]
    keys = ("criterion", "source", "share", "sd")
    drawn = [
        {key: row[key] for key in keys}
        for row in rows
        if row["share"] is not None and row["criterion"] in criteria
    ]
    if not drawn:
        return ()
    sources = list(dict.fromkeys(row["source"] for row in drawn))
    largest = max(drawn, key=lambda row: float(row["share"]))
    alt = (
        f"A bar for each source of variance: {', '.join(sources)}. The longest is"
        f" {largest['source']}, {write_value(largest['share'], 'share')}."
    )
    title = "What the variance of one score is due to"
    return (take_chart(draw_parts(drawn, sources, criteria), "shares", title, alt, table="parts"),)


def _tabulate(rows: list[dict[str, Any]], *, several: bool) -> Table:
    known = any(row["lower"] is not None for row in rows)
    ends = (
        Column("lower", "from", "three", "lower end of the interval"),
        Column("upper", "to", "three", "upper end of the interval"),
    )
    columns = (
        *((Column("criterion", "criterion"),) if several else ()),
        Column("source", "source"),
        Column("share", "share", "share", "share of the variance of one score"),
        Column("sd", "standard deviation", "three", "in points of the scale"),
        *(ends if known else ()),
        Column("levels", "of", "count", "judges, items, systems or combinations of them"),
    )
    return Table("parts", "Sources of variance", columns, tuple(rows))


def _tabulate_designs(
    found: dict[str, Designs], *, several: bool, quick: bool
) -> tuple[Table, ...]:
    """Return how sure designs of more or fewer judges would be, and of items where not quick."""
    rows = _list_designs(found, quick=quick)
    if not rows:
        return ()
    columns = (
        *((Column("criterion", "criterion"),) if several else ()),
        Column("judges", "judges", "count"),
        Column("items", "items", "count"),
        Column("each", "per output", "one", "judges who score each output"),
        Column("judgments", "scores", "count", "in all"),
        Column("stderr", "standard error", "three", "of the difference of two systems"),
        Column(
            "reliability",
            "reliability",
            "two",
            "how far differences are those of systems: 1 is wholly",
        ),
    )
    return (Table("designs", "How sure more judges and items would be", columns, tuple(rows)),)


def _list_designs(found: dict[str, Designs], *, quick: bool) -> list[dict[str, Any]]:
    """Return a row for each design; where quick, of as many items as were judged."""
    return [
        {
            "criterion": name,
            **{
                key: getattr(plan, key)
                for key in ("judges", "items", "each", "judgments", "stderr", "reliability")
            },
        }
        for name, one in found.items()
        for line in one.designs
        for plan in line
        if not quick or plan.items == one.found.observed.items
    ]


def _note(
    study: Study, found: dict[str, Designs], refused: dict[str, str], *, quick: bool
) -> tuple[str, ...]:
    """Say what stands beside the estimates, and what was not computed."""
    several = len(study.rated.parts) > 1
    notes = [note for one in found.values() for note in one.notes]
    notes += [f"{name}: {why}" if several else why for name, why in refused.items()]
    if quick:
        notes.append(
            f"intervals are not run here, since they take long: {study.write_command('variance')}"
            " makes them, or evenhand report --full"
        )
    return tuple(dict.fromkeys(notes))
