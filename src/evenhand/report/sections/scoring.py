"""Do judges give the same scores? n-agreement, κ, α and ICC with intervals in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.errors import NotIdentified
from evenhand.judges.agreement_table import AgreementPart, AgreementTable
from evenhand.judges.units import Coefficient
from evenhand.report.agreement_light import ASKS, find_state, rank_state, say_agreement
from evenhand.report.charts import take_chart
from evenhand.report.contents import RATING
from evenhand.report.document import (
    NOT_RUN,
    PASSED,
    UNDECIDED,
    Check,
    Column,
    Figure,
    Section,
    Table,
)
from evenhand.report.figures.agreement_curves import draw_curves
from evenhand.report.judge_fault import NAMELESS
from evenhand.report.numbers import write_value
from evenhand.report.rated import Rated, are_level
from evenhand.report.study import Study

# The first of these that there is decides
ALPHA: Final = ("alpha-ordinal", "alpha-interval", "alpha-nominal")
CURVE: Final = "n-agreement-"
# Coefficient → how the table calls it; others are left to the command line
NAMES: Final = {
    "fleiss": "Fleiss' κ",
    "cohen": "Cohen's κ, mean of pairs of judges",
    "cohen-quadratic": "Cohen's κ, quadratic weights",
    "alpha-nominal": "Krippendorff's α, nominal",
    "alpha-ordinal": "Krippendorff's α, ordinal",
    "alpha-interval": "Krippendorff's α, interval",
    "ac1": "Gwet's AC1",
    "icc-1-1": "ICC(1,1)",
    "icc-2-1": "ICC(2,1)",
    "icc-2-k": "ICC(2,k)",
    "icc-3-1": "ICC(3,1)",
    "kendall-w": "Kendall's W",
    "pearson": "correlation of two judges",
    "spearman": "rank correlation of two judges",
    "intra-n-agreement-0": "same score when asked again",
    "intra-alpha-interval": "α of a judge with oneself",
}
GLOSS: Final = (
    "κ, α and the ICC are 0 where judges agree as by chance and 1 where they always agree; n points"
    " apart is the share of pairs of judges of an output whose scores are at most so far apart"
)
ADVICE: Final = "Have two or more judges score some of the outputs."


def write_section(study: Study) -> Section:
    """Write how far judges agree."""
    command = study.write_command("agreement")
    try:
        found = study.rated.agreement
    except NotIdentified as refusal:
        why = f"it cannot be computed: {refusal.fault}"
        check = Check("agreement", ASKS, NOT_RUN, why, _advise(study.rated))
        says = (f"Agreement cannot be computed here: {refusal.fault}.",)
        return Section("scoring", RATING["scoring"], says, (check,), command=command)
    check = _check(found, level=are_level(study.rated.targets))
    return Section(
        "scoring",
        RATING["scoring"],
        says=tuple(f"{sentence}." for sentence in _say(found)),
        checks=(check,),
        figures=_draw(found),
        tables=(_tabulate(found),),
        notes=(GLOSS, f"intervals: {100 * found.level:g} %, items drawn again", *_note(found)),
        command=command,
    )


def _say(found: AgreementTable) -> list[str]:
    """Return what was found: under each criterion, and over all of them."""
    if len(found.parts) == 1:
        return [f"{sentence[:1].upper()}{sentence[1:]}" for sentence in found.says]
    heads = tuple(f"{part.name}: " for part in found.parts[:-1])
    return [
        f"For {sentence}" if sentence.startswith(heads) else f"Over all criteria {sentence}"
        for sentence in found.says
    ]


def _list_parts(found: AgreementTable) -> list[AgreementPart]:
    """Return the criteria, or all scores where there is one."""
    return [*found.parts[:-1]] or [found.whole]


def _find_alpha(part: AgreementPart) -> Coefficient | None:
    known = {one.name: one for one in part.coefficients if one.value is not None}
    return next((known[name] for name in ALPHA if name in known), None)


def _advise(rated: Rated) -> str:
    """Say what to do where agreement cannot be computed: name a column, or let judges share."""
    for role, names in (("judge", rated.rows.judges), ("item", rated.rows.items)):
        if tuple(names) == NAMELESS:
            return f"Name the column of {role}s, where there is one: --column {role}=NAME."
    return ADVICE


def _check(found: AgreementTable, *, level: bool) -> Check:
    """Say whether agreement is beyond chance under every criterion, by α."""
    if level:
        says = "all scores are the same: chance explains all agreement"
        advice = "Ask for scores that tell outputs apart."
        return Check("agreement", ASKS, UNDECIDED, says, advice)
    seen = [(part, _find_alpha(part)) for part in _list_parts(found)]
    sure = [(part, one) for part, one in seen if one is not None and one.lower is not None]
    if not sure:
        return Check("agreement", ASKS, UNDECIDED, _say_little(found, seen), ADVICE)
    found_ends = [(part, _take_ends(one)) for part, one in sure]
    worst, ends = min(found_ends, key=lambda pair: (rank_state(find_state(*pair[1])), pair[1][1]))
    about = f"{worst.name}: " if len(seen) > 1 else ""
    state, says = find_state(*ends), say_agreement("α", *ends)
    advice = "Read the question and the scale with the judges: scores may not mean the same to all."
    return Check("agreement", ASKS, state, f"{about}{says}", "" if state == PASSED else advice)


def _say_little(
    found: AgreementTable, seen: Sequence[tuple[AgreementPart, Coefficient | None]]
) -> str:
    """Say why agreement is not known: too few outputs, or too few items to draw again."""
    known = [one for _, one in seen if one is not None]
    if not known:
        return f"too few outputs were scored by two judges ({found.whole.units:,}) to tell"
    lowest = min(float(one.value or 0.0) for one in known)
    return f"too little is known: α {write_value(lowest, 'two')}, on too few items"


def _take_ends(one: Coefficient) -> tuple[float, float, float]:
    """Return a coefficient with the ends of its interval."""
    return (float(one.value or 0.0), float(one.lower or 0.0), float(one.upper or 0.0))


def _tabulate(found: AgreementTable) -> Table:
    """Return all coefficients of all criteria in one table."""
    parts = _list_parts(found)
    rows = [
        {
            "criterion": part.name,
            "coefficient": _name(one.name),
            "value": one.value,
            "lower": one.lower,
            "upper": one.upper,
            "units": one.units,
        }
        for part in parts
        for one in part.coefficients
        if one.value is not None and one.name in (*NAMES, *_find_steps(part))
    ]
    columns = (
        *((Column("criterion", "criterion"),) if len(parts) > 1 else ()),
        Column("coefficient", "agreement"),
        Column("value", "value", "three"),
        Column("lower", "from", "three", "lower end of the interval"),
        Column("upper", "to", "three", "upper end of the interval"),
        Column("units", "outputs", "count", "outputs that it rests on"),
    )
    return Table("coefficients", "How far judges agree", columns, tuple(rows))


def _find_steps(part: AgreementPart) -> list[str]:
    """Return the first two steps of n-agreement; the figure has all of them."""
    return [one.name for one in part.coefficients if one.name.startswith(CURVE)][:2]


def _name(coefficient: str) -> str:
    if not coefficient.startswith(CURVE):
        return NAMES[coefficient]
    apart = coefficient.removeprefix(CURVE)
    return "same score" if apart == "0" else f"at most {apart} apart"


def _draw(found: AgreementTable) -> tuple[Figure, ...]:
    """Draw n-agreement by n."""
    parts = _list_parts(found)
    rows: list[dict[str, Any]] = [
        {"criterion": part.name, "apart": float(one.name.removeprefix(CURVE)), "share": one.value}
        for part in parts
        for one in part.coefficients
        if one.name.startswith(CURVE) and one.value is not None
    ]
    if not rows:
        return ()
    names = [part.name for part in parts]
    same = ", ".join(
        write_value(row["share"], "share") + (f" for {row['criterion']}" if names[1:] else "")
        for row in rows
        if row["apart"] == 0
    )
    alt = f"Share of pairs of judges at most n points apart, rising with n. The same score: {same}."
    title = "How often two judges of an output are at most n points apart"
    return (take_chart(draw_curves(rows, names), "n-agreement", title, alt, table="coefficients"),)


def _note(found: AgreementTable) -> tuple[str, ...]:
    """Say what must stand beside the coefficients, each once."""
    of_parts = (note for part in _list_parts(found) for note in part.notes)
    return tuple(dict.fromkeys((*found.notes, *of_parts)))
