"""The tables of agreement: its measures, and the systems on which judges agree least."""

from __future__ import annotations

from typing import Any, Final

from evenhand.judges.agreement_table import AgreementTable
from evenhand.judges.expected_agreement import ExpectedAgreement
from evenhand.judges.preferences import PreferenceAgreement, SystemAgreement
from evenhand.judges.tabulation import OWN_PAIRS
from evenhand.judges.units import Coefficient
from evenhand.report.document import Column, Table
from evenhand.report.study import Study

# Output pairs below which an interval from drawing them says too little to be shown
FEW: Final = 10
SEVERAL: Final = 3  # Systems from which shares can differ: two have one pair
SHOWN: Final = 15  # Most systems in the table: those on which judges agree least
# Coefficient → what it is, in words
MEANS: Final = {
    "n-agreement-0": "same answer by two judges, each output pair counting alike",
    "fleiss": "agreement beyond chance, each output pair counting alike: 0 none, 1 complete",
    "alpha-nominal": "the same, corrected for few answers",
    "ac1": "the same with another notion of chance, which common ties move less",
    "kappa-strict": "agreement beyond chance of two judges, each pair of answers counting alike",
    "kappa-intra": "of a judge's answers to the same outputs, given twice",
    "kappa-intra-same-order": "of these, shown in the same order",
    "kappa-intra-exchanged": "of these, shown in exchanged order",
    "kappa-wmt": "as the WMT papers count: same order on the screen, repeats of one judge included",
    "kappa-wmt-intra": "of a judge's answers given twice, as the WMT papers count",
}


def tabulate_measures(
    table: AgreementTable, shared: PreferenceAgreement, expected: ExpectedAgreement | None = None
) -> Table:
    """Return the coefficients that exist, below the share of answers that κ is made of."""
    columns = (
        Column("title", "measure"),
        Column("value", "value", "three"),
        Column("lower", "from", "three", f"lower end of its {100 * table.level:g} % interval"),
        Column("upper", "to", "three", "upper end"),
        Column("units", "output pairs", "count", "pairs of outputs that two votes or more are on"),
        Column("ratings", "votes", "count", "votes on them"),
        Column("means", "what it is"),
    )
    found = [_describe(one) for one in table.whole.coefficients if one.value is not None]
    rows = (_describe_shared(shared), *_describe_expected(shared, expected), *found)
    return Table("coefficients", "Measures of agreement; intervals draw items", columns, rows)


def _describe_shared(shared: PreferenceAgreement) -> dict[str, Any]:
    """Return the row of the share that is told in words."""
    return {
        "title": "same answer, all pairs of votes",
        "value": shared.observed,
        "lower": None,
        "upper": None,
        "units": shared.units,
        "ratings": shared.votes,
        "means": "same answer by two judges, each pair of votes counting alike: κ is made of it",
    }


def _describe_expected(
    shared: PreferenceAgreement, expected: ExpectedAgreement | None
) -> list[dict[str, Any]]:
    """Return rows of what judges who follow the worths would reach on the same votes."""
    if expected is None:
        return []
    counts = {"lower": None, "upper": None, "units": shared.units, "ratings": shared.votes}
    means = "if every judge followed the fitted worths, on the same pairs of votes"
    known = {
        "same answer, expected": expected.expected,
        "pairwise κ, expected": expected.expected_kappa,
    }
    rows = [{"title": name, "value": one, **counts, "means": means} for name, one in known.items()]
    apart = {"lower": expected.lower, "upper": expected.upper}
    means = "κ of different judges less the expected one; below 0 they agree less than worths allow"
    title = "pairwise κ, observed less expected"
    row = {"title": title, "value": expected.difference, **counts, "means": means, **apart}
    return [*rows, row]


def _describe(one: Coefficient) -> dict[str, Any]:
    keys = ("title", "value", "lower", "upper", "units", "ratings")
    row = {key: getattr(one, key) for key in keys}
    if one.units < FEW:
        row |= {"lower": None, "upper": None}
    own = [note for note in one.notes if note.endswith(OWN_PAIRS)]
    return {**row, "means": ": ".join([MEANS.get(one.name, ""), *own])}


def tabulate_systems(systems: tuple[SystemAgreement, ...], study: Study) -> tuple[Table, ...]:
    """Return the systems on whose outputs judges agree least; two systems share all outputs."""
    if len(systems) < SEVERAL:
        return ()
    level = f"{100 * study.settings.level:g} %"
    columns = (
        Column("system", "system"),
        Column("share", "same answer", "share", "by two judges on the same two outputs"),
        Column("lower", "from", "share", f"lower end, {level} for all systems at once"),
        Column("upper", "to", "share", "upper end"),
        Column("comparable", "of", "count", "pairs of votes of different judges"),
    )
    rows = tuple(
        {
            "system": one.system,
            "share": one.share,
            "lower": one.lower,
            "upper": one.upper,
            "comparable": one.comparable,
        }
        for one in (systems if study.settings.full else systems[:SHOWN])
    )
    cut = "" if len(rows) == len(systems) else f", {len(rows)} of {len(systems)}"
    return (Table("systems", f"Systems on which judges agree least{cut}", columns, rows),)
