"""Does the model fit: pairs of systems, chances, and other models of the same judgments."""

from __future__ import annotations

from typing import Any, Final

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import MAX_THIN_SHARE, Fit
from evenhand.models.coefficients import format_p
from evenhand.ranking.robustness.calibration import CalibrationPart, find_calibration
from evenhand.ranking.robustness.cycles import Cycles, Deviation, find_visible
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import NOT_RUN, Check, Column, Figure, Section, Table
from evenhand.report.figures.calibration import draw_calibration
from evenhand.report.model_laws import compare_laws, note_tests, say_models, tabulate_laws
from evenhand.report.model_light import ASKS, list_doubts, make_check, say_tests
from evenhand.report.numbers import write_value
from evenhand.report.refused import say_refused
from evenhand.report.study import Study
from evenhand.report.visible import ENOUGH, say_refusal, say_visible

NO_MODEL: Final = "There is no model of these judgments whose fit could be tested."
NOTE_PAIRS: Final = (
    "Votes and shares of pairs are of decided comparisons. z is the deviation in units of what"
    " chance makes of it; p says how likely the largest of all pairs deviates so far by chance."
)
NOTE_PARTS: Final = (
    "Comparisons are sorted by the share that the model expects and cut into parts. The intervals"
    " hold for all parts at once. The model was made from these judgments, so that it is seen here"
    " in a slightly too good light."
)
LAWLESS: Final = "The fit of this kind of model is not tested here: evenhand compare does."


def write_section(study: Study) -> Section:
    """Write how well the model describes the judgments."""
    try:
        fit = study.ranking.fit
    except (NotIdentified, NotConverged) as refusal:
        check = Check("model", ASKS, NOT_RUN, say_refused(refusal))
        return Section("model", PREFERENCE["model"], (NO_MODEL,), (check,))
    cycles, why = _test(study)
    deviations = () if cycles is None else cycles.deviations
    parts = _calibrate(study, fit)
    laws = compare_laws(study)
    check = make_check(study, cycles, laws, why)
    return Section(
        "model",
        PREFERENCE["model"],
        says=(
            *_say_fit(study, cycles, why),
            *_say_pairs(study, deviations),
            *_say_parts(parts),
            *say_models(study, laws),
        ),
        checks=(check,),
        figures=_draw(parts),
        tables=(*_tabulate_pairs(deviations), *_tabulate_parts(parts), *tabulate_laws(laws)),
        notes=(
            *_note_deviance(fit),
            *_note_reading(deviations, parts),
            *say_tests(len(list_doubts(study, cycles, laws))),
            *note_tests(study, laws),
        ),
        command=study.write_command("doubt"),
    )


def _test(study: Study) -> tuple[Cycles | None, str]:
    """Return what is left of pairs, or None and why that is refused."""
    try:
        return study.cycles, ""
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        return None, say_refusal(study, refusal)


def _say_fit(study: Study, cycles: Cycles | None, why: str) -> tuple[str, ...]:
    """Say what the test of pairs found, in a sentence."""
    if cycles is None:
        return (f"Whether pairs fit one scale cannot be tested: {why}.",)
    if cycles.p is None:
        return ("Whether pairs fit one scale cannot be tested: any outcome fits so few pairs.",)
    whose = f"This is {cycles.headline}." if cycles.headline else ""
    p = f"p {format_p(cycles.p)}"
    if cycles.real:
        share = "less than 1 %" if cycles.share < 0.01 else write_value(cycles.share, "share")
        said = f"Pairs deviate from one scale more than by chance ({p}): {share} of the"
        return (f"{said} differences between systems do not fit it. {whose}".strip(),)
    visible = find_visible(cycles, study.tally)
    shows = "" if visible is None else f" {say_visible(visible).capitalize()}."
    few = "" if visible is not None and visible <= ENOUGH else " That is too little to tell."
    said = f"Pairs deviate from one scale no more than by chance ({p}).{shows}{few}"
    return (f"{said} {whose}".strip(),)


def _say_pairs(study: Study, deviations: tuple[Deviation, ...]) -> tuple[str, ...]:
    """Say which pairs stand out by themselves."""
    if not deviations:
        return ()
    sure = [one for one in deviations if one.p <= 1 - study.settings.level]
    if not sure:
        return ("No single pair of systems deviates more than chance makes the worst of them.",)
    worst = sure[0]
    won, expected = (write_value(share, "share") for share in (worst.won, worst.expected))
    more = f" {len(sure)} of the pairs listed do." if len(sure) > 1 else ""
    return (
        f"{worst.first} won {won} of its decided comparisons with {worst.second}, where"
        f" {expected} were expected (p {format_p(worst.p)} over all pairs).{more}",
    )


def _calibrate(study: Study, fit: Any) -> tuple[CalibrationPart, ...]:
    """Return the parts; none where the model has judge groups, or is of another kind."""
    if not isinstance(fit, Fit) or fit.groups != ("",):
        return ()
    table = study.pairs
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    return find_calibration(fit, table.tally(by=present), level=study.settings.level)


def _say_parts(parts: tuple[CalibrationPart, ...]) -> tuple[str, ...]:
    """Say whether chances are right."""
    if len(parts) < 2:
        return ()
    off = [one for one in parts if one.off]
    if not off:
        return (
            "Where the model expects a share of wins, that share is seen, as far as can be told.",
        )
    worst = max(off, key=lambda one: abs(one.observed - one.expected))
    seen, expected = (write_value(share, "share") for share in (worst.observed, worst.expected))
    return (
        f"In {len(off)} of {len(parts)} parts the favoured system won another share than expected,"
        f" such as {seen} instead of {expected}.",
    )


def _draw(parts: tuple[CalibrationPart, ...]) -> tuple[Figure, ...]:
    if len(parts) < 2:
        return ()
    rows = _list_parts(parts)
    seen = (
        f"{len(rows)} points with intervals: the share of wins observed against the share expected."
        f" On the dashed diagonal both are the same. {' '.join(_say_parts(parts))}"
    )
    title = "Share of wins of the favoured system, ties half"
    return (take_chart(draw_calibration(rows), "calibration", title, seen, table="calibration"),)


def _list_parts(parts: tuple[CalibrationPart, ...]) -> list[dict[str, Any]]:
    return [
        {
            "expected": one.expected,
            "observed": one.observed,
            "lower": one.lower,
            "upper": one.upper,
            "n": one.n,
            "kind": "off" if one.off else "as expected",
        }
        for one in parts
    ]


def _tabulate_parts(parts: tuple[CalibrationPart, ...]) -> tuple[Table, ...]:
    columns = (
        Column("expected", "expected share", "share"),
        Column("observed", "observed share", "share"),
        Column("lower", "from", "share"),
        Column("upper", "to", "share"),
        Column("n", "comparisons", "count"),
        Column("kind", "so"),
    )
    rows = tuple(_list_parts(parts))
    caption = "Expected and observed shares of the favoured system"
    return (Table("calibration", caption, columns, rows),) if len(parts) > 1 else ()


def _tabulate_pairs(deviations: tuple[Deviation, ...]) -> tuple[Table, ...]:
    columns = (
        Column("pair", "pair"),
        Column("votes", "votes", "count"),
        Column("won", "first won", "share"),
        Column("expected", "expected", "share"),
        Column("z", "z", "one"),
        Column("p", "p", "chance", "adjusted for all pairs"),
    )
    rows = tuple(
        {
            "pair": f"{one.first} – {one.second}",
            "first": one.first,
            "second": one.second,
            "votes": one.votes,
            "won": one.won,
            "expected": one.expected,
            "z": one.z,
            "p": one.p,
        }
        for one in deviations
    )
    caption = "Pairs that the model describes worst"
    return (Table("pairs", caption, columns, rows),) if rows else ()


def _note_deviance(fit: Any) -> tuple[str, ...]:
    """Say what the deviance is, and how little it may say."""
    if not isinstance(fit, Fit):
        return (LAWLESS,)
    if fit.gof_p is None:
        return ()
    said = f"Deviance {fit.deviance:,.1f} on {fit.df:,} degrees of freedom"
    if fit.thin > MAX_THIN_SHARE:
        thin = write_value(fit.thin, "share")
        return (f"{said}; {thin} of its cells expect fewer than five judgments: no p is given.",)
    return (
        f"{said}, p {format_p(fit.gof_p)}; this p takes judgments for independent, which those of"
        " one judge are not. The check above allows for that where judges are known.",
    )


def _note_reading(
    deviations: tuple[Deviation, ...], parts: tuple[CalibrationPart, ...]
) -> tuple[str, ...]:
    return (*([NOTE_PAIRS] if deviations else []), *([NOTE_PARTS] if len(parts) > 1 else []))
