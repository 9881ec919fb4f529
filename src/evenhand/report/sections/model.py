"""Does the model fit: pairs, chances, rivals, circles; and what more judgments would decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from evenhand.data.ratings import Ratings
from evenhand.data.tally import Tally
from evenhand.design.more_judgments import PredictivePower, predict_more_judgments
from evenhand.errors import NotConverged, NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.base import MAX_THIN_SHARE, Fit
from evenhand.models.coefficients import format_p
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.held_out import trace_learning
from evenhand.ranking.model_table import (
    Counts,
    ModelTable,
    answer_questions,
    tabulate_counts,
    tabulate_models,
)
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.calibration import CalibrationPart, find_calibration
from evenhand.ranking.robustness.cycles import (
    Contribution,
    Cycle,
    Cycles,
    Deviation,
    find_sure_circle,
    find_visible,
)
from evenhand.render.document import Column, Table
from evenhand.render.values import write_value
from evenhand.report.analysis import (
    MAX_DETECTABLE,
    Analysis,
    Reversals,
    choose_state,
    say_detectable,
    say_how,
    say_refusal,
)
from evenhand.report.answer import CIRCLES, LADDER, MINDS, PLACE, SIDES, say_refused
from evenhand.report.document import NOT_RUN, PASSED, UNDECIDED, Check, Figure, Section, pick
from evenhand.report.figures.predictions import draw_calibration, draw_curves, draw_prospect
from evenhand.report.figures.style import take_chart

MAX_COMPARISONS: Final = 3_000  # Most comparisons of which the whole table is made by itself
MAX_SYSTEMS: Final = 10  # Most systems of which it is
WEAK: Final = "; where judges are not known they take judgments for independent"
BASES: Final = (
    "Models that add something to worths and ties tell more cells apart, by side or judge: their"
    " deviance cannot be set beside the others', and is left out."
)


def compare_laws(analysis: Analysis) -> ModelTable | None:
    """Return models of the same judgments side by side; with tests only where those are cheap."""
    try:
        if tests_all(analysis):
            return tabulate_models(analysis.pairs)
        return tabulate_counts(Counts(analysis.tally, {}, None))
    except (NotIdentified, NotConverged, UnknownOption):
        return None


def tests_all(analysis: Analysis) -> bool:
    """Whether models are tested too: asked for, or few judgments of one task."""
    small = (
        analysis.tally.n_comparisons <= MAX_COMPARISONS
        and len(analysis.tally.systems) <= MAX_SYSTEMS
    )
    return analysis.settings.full or (small and not analysis.task)


def say_models(analysis: Analysis, table: ModelTable | None) -> tuple[str, ...]:
    if table is None:
        return ()
    if tests_all(analysis):
        answers = answer_questions(table.questions)
        return tuple(
            f"{one.says[:1].upper()}{one.says[1:]} (p {format_p(one.p)})." for one in answers
        )
    return (
        f"Of the models compared below the closest for its size is “{table.best}” (AIC, which takes"
        " judgments for independent).",
    )


def note_tests(analysis: Analysis, table: ModelTable | None) -> tuple[str, ...]:
    if table is None:
        return ()
    if tests_all(analysis):
        questions = table.questions
        weak = "" if all(one.walds for one in questions) else WEAK
        return (f"p of the models are adjusted for {len(questions)} tests (Holm){weak}.", BASES)
    command = analysis.write_command("compare --nested")
    return (f"Tests between models take longer: `{command}`, or the report with --full.", BASES)


def tabulate_laws(laws: ModelTable | None) -> tuple[Table, ...]:
    """Return the table of models, smallest AIC at 0."""
    if laws is None:
        return ()
    least = min(row.aic for row in laws.rows)
    rows = tuple(
        {
            "model": row.name,
            "parameters": row.parameters,
            "deviance": row.deviance if row.name[:1] != "+" else None,
            "df": row.df if row.name[:1] != "+" else None,
            "aic": row.aic,
            "above": row.aic - least,
        }
        for row in laws.rows
    )
    columns = (
        Column("model", "model"),
        Column("parameters", "parameters", "count"),
        Column("deviance", "deviance", "one"),
        Column("df", "df", "count", "degrees of freedom of the deviance"),
        Column("aic", "AIC", "one"),
        Column(
            "above",
            "above the smallest",
            "one",
            "small is good; it takes judgments for independent",
        ),
    )
    return (Table("models", "Models of the same judgments", columns, rows),)


# Do judgments fit one ladder of systems? All tests that bear on it, adjusted for their number.

ASKS: Final = "Do all judgments fit one ladder, from best to worst?"
# Share of the differences between systems below which pairs that fit no scale do not matter
TRIFLE: Final = 0.02
SLIGHT: Final = 0.03  # How far from one half a share for the first output is slight
SEE_PAIRS: Final = "For two systems read their own comparisons under “Each against each”."
SEE_ORDER: Final = "See “Does the place of an output matter?”."
SEE_CIRCLES: Final = "See “Do preferences go round in circles?”."
SEE_JUDGES: Final = "The ranking is that of all judges together: see “The judges” for who differs."


@dataclass(frozen=True)
class Doubt:
    """A test of what one number for each system leaves out."""

    says: str  # what it found if p is small
    p: float  # not yet adjusted
    slight: bool  # whether what was found is too small to matter
    where: str  # where to look
    issue: str = LADDER  # what the answer says of it


def list_doubts(
    analysis: Analysis, cycles: Cycles | None, laws: ModelTable | None
) -> tuple[Doubt, ...]:
    doubts = []
    if cycles is not None and cycles.p is not None:
        doubts.append(
            Doubt("pairs fit no single ladder", cycles.p, cycles.share < TRIFLE, SEE_PAIRS)
        )
    doubts += _doubt_sides(analysis)
    if laws is not None and tests_all(analysis):
        doubts += [
            Doubt(MINDS, one.p, slight=False, where=SEE_JUDGES, issue=MINDS)
            for one in laws.questions
            if one.subject == "worths"
        ]
    return tuple(doubts)


def _doubt_sides(analysis: Analysis) -> list[Doubt]:
    fit = analysis.ranking.fit
    if isinstance(fit, Fit) and fit.model.order_effect:
        return []
    bias = analysis.known_bias
    if bias is None:
        return []
    slight = abs(bias.share - 0.5) < SLIGHT
    doubts = [Doubt("the place of an output counts", bias.p, slight, SEE_ORDER, PLACE)]
    if bias.heterogeneity_p is not None:
        says = "judges favour different places"
        slight = not bias.stand_out
        doubts.append(Doubt(says, bias.heterogeneity_p, slight, SEE_ORDER, SIDES))
    return doubts


def make_check(
    analysis: Analysis, cycles: Cycles | None, laws: ModelTable | None, why: str
) -> Check:
    tests = adjust_doubts(list_doubts(analysis, cycles, laws))
    alpha = 1 - analysis.settings.level
    sure = [(one, p) for one, p in tests if p <= alpha and not one.slight]
    if sure:
        return _check_sure(analysis, sure)
    if cycles is not None and (circle := find_sure_circle(cycles, analysis.tally)) is not None:
        says = f"no: preferences go round in circles (p {format_p(cycles.p or 0.0)} by itself)"
        state = choose_state(analysis.reversals.find_circle(circle))
        return Check("model", ASKS, state, says, SEE_CIRCLES, issues=(CIRCLES,))
    if cycles is None:
        return Check("model", ASKS, NOT_RUN, why)
    if (perhaps := check_open(tests, alpha)) is not None:
        return perhaps
    if cycles.p is None:
        return Check("model", ASKS, UNDECIDED, "too few pairs were compared: any outcome fits")
    return _check_silence(cycles, find_visible(cycles, analysis.tally), tests)


def _check_sure(analysis: Analysis, sure: Sequence[tuple[Doubt, float]]) -> Check:
    """Return the check where tests found something: failed where one of them changes the answer."""
    says = ", ".join(f"{one.says} (p {format_p(p)})" for one, p in sure)
    reversals = {one.issue: _find_reversal(analysis, one) for one, _ in sure}
    reversed_by = {fault: reversal for fault, reversal in reversals.items() if reversal}
    outcome = "; ".join(reversed_by.values()) or "The decided order stays"
    where = f"{outcome[:1].upper()}{outcome[1:]}. {_say_where([one for one, _ in sure])}"
    state = choose_state("; ".join(reversed_by.values()))
    faults = tuple(reversed_by) or tuple(reversals)
    return Check("model", ASKS, state, f"no: {says}", where, issues=faults)


def _find_reversal(analysis: Analysis, doubt: Doubt) -> str:
    if doubt.issue in (PLACE, SIDES):
        reversal, condition = analysis.reversals.order, "with the order effect in the model"
    elif doubt.issue == MINDS:
        reversal, condition = analysis.reversals.loads, "where busy judges are capped at the median"
    else:
        return analysis.reversals.pairs
    return f"{condition} {reversal}" if reversal else ""


def adjust_doubts(doubts: Sequence[Doubt]) -> list[tuple[Doubt, float]]:
    """Return tests with their p, allowing for how many they are (Holm)."""
    adjusted = holm(np.array([one.p for one in doubts])).tolist() if doubts else []
    return list(zip(doubts, adjusted, strict=True))


def _say_where(doubts: list[Doubt]) -> str:
    return " ".join(dict.fromkeys(one.where for one in doubts))


def check_open(tests: Sequence[tuple[Doubt, float]], alpha: float) -> Check | None:
    """Return the check where a test finds something by itself and not beside the others."""
    perhaps = [(one, p) for one, p in tests if one.p <= alpha and not one.slight]
    if not perhaps:
        return None
    says = ", ".join(
        f"{one.says} (p {format_p(one.p)} by itself, {format_p(p)} in {len(tests)} tests)"
        for one, p in perhaps
    )
    where = _say_where([one for one, _ in perhaps])
    return Check("model", ASKS, UNDECIDED, f"perhaps not: {says}", where)


def _check_silence(
    cycles: Cycles, visible: float | None, tests: list[tuple[Doubt, float]]
) -> Check:
    least, p = min(tests, key=lambda one: one[1])
    of = f" in {len(tests)} tests" if len(tests) > 1 else ""
    if p <= 1 - cycles.level:
        says = f"hardly more is needed: {least.says}, yet slightly (p {format_p(p)}{of})"
        return Check("model", ASKS, PASSED, says)
    summary = f"p {format_p(p)}{of}"
    if visible is None or visible > MAX_DETECTABLE:
        shows = "" if visible is None else f": only {say_detectable(visible)}"
        return Check("model", ASKS, UNDECIDED, f"too few judgments to tell{shows} ({summary})")
    return Check(
        "model", ASKS, PASSED, f"no sign against it ({summary}); {say_detectable(visible)}"
    )


def say_tests(tests: int) -> tuple[str, ...]:
    if tests < 2:
        return ()
    return (f"p of the light are adjusted for its {tests} tests (Holm).",)


# Does the model fit: pairs of systems, chances, and other models of the same judgments.

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


def write_section_model(analysis: Analysis) -> Section:
    try:
        fit = analysis.ranking.fit
    except (NotIdentified, NotConverged) as refusal:
        check = Check("model", ASKS, NOT_RUN, say_refused(refusal))
        return Section("model", says=(NO_MODEL,), checks=(check,))
    cycles, why = _test(analysis)
    deviations = () if cycles is None else cycles.deviations
    parts = _calibrate(analysis, fit)
    figures, shares = _show_parts(parts)
    laws = compare_laws(analysis)
    check = make_check(analysis, cycles, laws, why)
    return Section(
        "model",
        says=(
            *_say_fit(analysis, cycles, why),
            *_say_pairs(analysis, deviations),
            *_say_parts(parts),
            *say_models(analysis, laws),
        ),
        checks=(check,),
        figures=figures,
        tables=(*_tabulate_pairs(deviations), *shares, *tabulate_laws(laws)),
        notes=(
            *_note_deviance(fit),
            *([NOTE_PAIRS] if deviations else []),
            *([NOTE_PARTS] if len(parts) > 1 else []),
            *say_tests(len(list_doubts(analysis, cycles, laws))),
            *note_tests(analysis, laws),
        ),
        command=analysis.write_command("robustness"),
    )


def _test(analysis: Analysis) -> tuple[Cycles | None, str]:
    """Return what is left of pairs, or None and why that is refused."""
    try:
        return analysis.cycles, ""
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        return None, say_refusal(analysis, refusal)


def _say_fit(analysis: Analysis, cycles: Cycles | None, why: str) -> tuple[str, ...]:
    if cycles is None:
        return (f"Whether pairs fit one scale cannot be tested: {why}.",)
    if cycles.p is None:
        return ("Whether pairs fit one scale cannot be tested: any outcome fits so few pairs.",)
    whose = f"This is {cycles.headline}." if cycles.headline else ""
    p = f"p {format_p(cycles.p)}"
    if cycles.real:
        text = (
            f"Pairs deviate from one scale more than by chance ({p}): {_say_share(cycles)} of the"
        )
        return (f"{text} differences between systems do not fit it. {whose}".strip(),)
    visible = find_visible(cycles, analysis.tally)
    shows = "" if visible is None else f" {say_detectable(visible).capitalize()}."
    few = (
        "" if visible is not None and visible <= MAX_DETECTABLE else " That is too little to tell."
    )
    text = f"Pairs deviate from one scale no more than by chance ({p}).{shows}{few}"
    return (f"{text} {whose}".strip(),)


def _say_pairs(analysis: Analysis, deviations: tuple[Deviation, ...]) -> tuple[str, ...]:
    if not deviations:
        return ()
    sure = [one for one in deviations if one.p <= 1 - analysis.settings.level]
    if not sure:
        return ("No single pair of systems deviates more than chance makes the worst of them.",)
    worst = sure[0]
    won, expected = (write_value(share, "share") for share in (worst.won, worst.expected))
    more = f" {len(sure)} of the pairs listed do." if len(sure) > 1 else ""
    return (
        f"{worst.first} won {won} of its decided comparisons with {worst.second}, where"
        f" {expected} were expected (p {format_p(worst.p)} over all pairs).{more}",
    )


def _calibrate(analysis: Analysis, fit: Any) -> tuple[CalibrationPart, ...]:
    """Return the parts; none where the model has judge groups, or is of another kind."""
    if not isinstance(fit, Fit) or fit.groups != ("",):
        return ()
    table = analysis.pairs
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    return find_calibration(fit, table.tally(by=present), level=analysis.settings.level)


def _say_parts(parts: tuple[CalibrationPart, ...]) -> tuple[str, ...]:
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


def _show_parts(parts: tuple[CalibrationPart, ...]) -> tuple[tuple[Figure, ...], tuple[Table, ...]]:
    if len(parts) < 2:
        return (), ()
    rows = tuple(
        {
            **pick(one, "expected", "observed", "lower", "upper", "n"),
            "kind": "off" if one.off else "as expected",
        }
        for one in parts
    )
    columns = (
        Column("expected", "expected share", "share"),
        Column("observed", "observed share", "share"),
        Column("lower", "from", "share"),
        Column("upper", "to", "share"),
        Column("n", "comparisons", "count"),
        Column("kind", "so"),
    )
    caption = "Expected and observed shares of the favoured system"
    seen = (
        f"{len(rows)} points with intervals: the share of wins observed against the share expected."
        f" On the dashed diagonal both are the same. {' '.join(_say_parts(parts))}"
    )
    title = "Share of wins of the favoured system, ties half"
    figure = take_chart(draw_calibration(rows), "calibration", title, seen, table="calibration")
    return (figure,), (Table("calibration", caption, columns, rows),)


def _tabulate_pairs(deviations: tuple[Deviation, ...]) -> tuple[Table, ...]:
    columns = (
        Column("pair", "pair"),
        Column("votes", "votes", "count"),
        Column("won", "first won", "share"),
        Column("expected", "expected", "share"),
        Column("z", "z", "one"),
        Column("p", "p", "p", "adjusted for all pairs"),
    )
    rows = tuple(
        {
            "pair": f"{one.first} – {one.second}",
            **pick(one, "first", "second", "votes", "won", "expected", "z", "p"),
        }
        for one in deviations
    )
    caption = "Pairs that the model describes worst"
    return (Table("pairs", caption, columns, rows),) if rows else ()


def _note_deviance(fit: Any) -> tuple[str, ...]:
    if not isinstance(fit, Fit):
        return (LAWLESS,)
    if fit.gof_p is None:
        return ()
    text = f"Deviance {fit.deviance:,.1f} on {fit.df:,} degrees of freedom"
    if fit.thin > MAX_THIN_SHARE:
        thin = write_value(fit.thin, "share")
        return (f"{text}; {thin} of its cells expect fewer than five judgments: no p is given.",)
    return (
        f"{text}, p {format_p(fit.gof_p)}; this p takes judgments for independent, which those of"
        " one judge are not. The check above allows for that where judges are known.",
    )


# Do preferences go round in circles: A before B, B before C, C before A?

ASKS_CIRCLES: Final = "Do preferences go round in circles, A before B before C before A?"
INSTEAD: Final = (
    "No ranking holds such preferences. Say which of the systems are to be compared, or on which"
    " items, and judge those."
)
NOTE: Final = "Ties are left out of this test."
FEW_CIRCLES: Final = "With so few pairs compared no circle can be seen."
NO_SCALE: Final = "what pairs show fits no single scale: see “Does the model fit?”"


def write_section_circles(analysis: Analysis) -> Section:
    command = analysis.write_command("robustness")
    try:
        cycles = analysis.cycles
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        check = Check("circles", ASKS_CIRCLES, NOT_RUN, say_refusal(analysis, refusal))
        says: tuple[str, ...] = ("Circles were not looked for.",)
        return Section("circles", says=says, checks=(check,), command=command)
    named = cycles.clusterings
    by = f"by {' and '.join(named)}" if named else "votes taken for independent"
    noise = (
        f"X² over pairs is {cycles.statistic:,.1f}; chance alone makes {cycles.noise:,.1f} of it"
        f" ({by}; {cycles.replicates:,} drawn worlds)."
    )
    reversals = analysis.reversals if analysis.known_ranking else None
    check = make_check_circles(cycles, analysis.tally, reversals)
    return Section(
        "circles",
        says=(*say_circles(cycles, analysis.tally), *_say_decided(analysis, cycles)),
        checks=(replace(check, p=cycles.p),),
        tables=_tabulate(cycles),
        notes=(NOTE, noise, *cycles.notes),
        command=command,
    )


def make_check_circles(cycles: Cycles, tally: Tally, reversals: Reversals | None = None) -> Check:
    if cycles.p is None:
        return Check(
            "circles", ASKS_CIRCLES, UNDECIDED, "too few pairs were compared to show a circle"
        )
    p = f"p {format_p(cycles.p)}"
    if not cycles.real:
        return _check_silence_circles(find_visible(cycles, tally), p)
    sure = find_sure_circle(cycles, tally)
    if sure is not None:
        against = reversals.find_circle(sure) if reversals else ""
        otherwise = f"{against}. {INSTEAD}" if against else INSTEAD
        return Check(
            "circles", ASKS_CIRCLES, choose_state(against), f"yes: {_say_wins(sure)}", otherwise
        )
    closed = [one for one in cycles.cycles if one.closed]
    if closed:
        says = f"perhaps: {_say_wins(closed[0])}, of which the last majority may be chance"
        return Check("circles", ASKS_CIRCLES, UNDECIDED, says)
    state = PASSED if cycles.cycles else UNDECIDED
    return Check(
        "circles", ASKS_CIRCLES, state, f"no circle of majorities is seen, yet {NO_SCALE} ({p})"
    )


def _check_silence_circles(visible: float | None, p: str) -> Check:
    """Return the check where the test found no more than chance makes."""
    if visible is None or visible > MAX_DETECTABLE:
        shows = "" if visible is None else f": only {say_detectable(visible)}"
        return Check("circles", ASKS_CIRCLES, UNDECIDED, f"too few judgments to tell{shows} ({p})")
    return Check("circles", ASKS_CIRCLES, PASSED, f"no sign of it ({p}); {say_detectable(visible)}")


def say_circles(cycles: Cycles, tally: Tally) -> tuple[str, ...]:
    if cycles.p is None:
        return (FEW_CIRCLES,)
    about = f" This is {cycles.headline}." if cycles.headline else ""
    if not cycles.real:
        return (f"{_say_silence(find_visible(cycles, tally))}{about}",)
    closed = [one for one in cycles.cycles if one.closed]
    if find_sure_circle(cycles, tally) is not None:
        opening = "Preferences go round in circles: "
    elif closed:
        opening = "Preferences may go round in a circle: "
    else:
        opening = "No circle of majorities is seen, yet one scale does not hold all preferences: "
    whole = f"{opening}{_say_share(cycles)} of the differences between systems fit no single scale."
    if not cycles.cycles:
        return (f"{whole}{about}", "No three systems stand out by themselves.")
    return (f"{whole}{about}", _say_circle((closed or list(cycles.cycles))[0]))


def _say_silence(visible: float | None) -> str:
    shows = "" if visible is None else f" {say_detectable(visible).capitalize()}."
    if visible is None or visible > MAX_DETECTABLE:
        return f"Too little is known to tell whether preferences go round in circles.{shows}"
    return f"There is no sign of circles: no more than chance makes.{shows}"


def _say_decided(analysis: Analysis, cycles: Cycles) -> tuple[str, ...]:
    if any(one.closed for one in cycles.cycles) or cycles.p is None:
        return ()
    ranking = analysis.known_ranking
    if ranking is None or ranking.rank_sets is None:
        return ()
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    decided = int(np.triu(ranking.rank_sets.decided, 1).sum())
    if decided == pairs:
        return ("The ranking decides each pair of systems.",)
    if 2 * decided < pairs:
        return (f"No order is known either: the ranking decides {decided:,} of {pairs:,} pairs.",)
    return ()


def _say_share(cycles: Cycles) -> str:
    return "less than 1 %" if cycles.share < 0.01 else write_value(cycles.share, "share")


def _say_wins(one: Cycle) -> str:
    """Say who was preferred to whom, the narrowest majority last."""
    weakest = min(range(3), key=lambda at: one.won[at])
    order = [(weakest + step) % 3 for step in (1, 2, 3)]
    return ", ".join(
        f"{one.systems[at]} over {one.systems[(at + 1) % 3]} ({write_value(one.won[at], 'share')})"
        for at in order
    )


def _say_circle(one: Cycle) -> str:
    names = (*one.systems, one.systems[0])
    wins = [
        f"{names[at]} over {names[at + 1]} ({write_value(share, 'share')})"
        for at, share in enumerate(one.won)
    ]
    kind = (
        "The strongest circle is"
        if one.closed
        else "Farthest from one scale, though majorities make no circle, are"
    )
    return f"{kind} {', '.join(wins)}; p {format_p(one.p)} over all circles of three."


def _tabulate(cycles: Cycles) -> tuple[Table, ...]:
    rows = tuple(_row(one) for one in cycles.cycles)
    columns = (
        Column(
            "circle", "three systems", "text", "each was preferred more than one scale explains"
        ),
        *(
            Column(f"won{at}", title, "share", "share of decided comparisons won")
            for at, title in enumerate(("1st over 2nd", "2nd over 3rd", "3rd over 1st"), start=1)
        ),
        Column("kind", "circle", "text", "whether three majorities make it one"),
        Column("z", "z", "one", "excess in units of what chance makes of it"),
        Column("p", "p", "p", "adjusted for all circles of three"),
        Column("judges", "judges who add most"),
        Column("items", "items that add most"),
    )
    return (Table("circles", "Threes that fit no single scale", columns, rows),) if rows else ()


def _row(one: Cycle) -> dict[str, Any]:
    return {
        "circle": " → ".join(one.systems),
        **{f"won{at}": share for at, share in enumerate(one.won, start=1)},
        "closed": one.closed,
        "kind": "of majorities" if one.closed else "none",
        "z": one.z,
        "p": one.p,
        "judges": _name(one.judges),
        "items": _name(one.items),
    }


def _name(parts: tuple[Contribution, ...]) -> str | None:
    return ", ".join(f"{one.name} ({write_value(one.share, 'share')})" for one in parts[:3]) or None


# Would more judgments help: what more of the same kind would decide.

TWICE: Final = 2.0
# Share of the open pairs below which what twice as many judgments decide is little
LITTLE: Final = 0.05
COLUMNS: Final = (
    Column("judgments", "judgments in all", "count"),
    Column("times", "times today's", "one"),
    Column("decided", "decided pairs", "one", "on average"),
    Column("lower", "at least", "count", "in nine of ten worlds"),
    Column("upper", "at most", "count", "in nine of ten worlds"),
    Column("candidates", "may be the best", "one", "systems that may then be the best, on average"),
    Column("one_best", "one best", "share", "chance that no more than one may then be the best"),
)
NOTE_LEARNING: Final = (
    "What more judgments would decide is foreseen, not seen: worths as they may be are drawn from"
    " today's estimates and their errors. It holds for as many more judges and items of the same"
    " kind; the same judges giving more answers help less, as far as their tastes differ."
)


def write_section_learning(analysis: Analysis) -> Section:
    ranking, settings = analysis.ranking, analysis.settings
    predictions = predict_more_judgments(ranking, seed=settings.seed)
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    rows = [
        {
            **asdict(one),
            **{key: round(getattr(one, key), 4) for key in ("decided", "candidates", "one_best")},
        }
        for one in predictions
    ]
    curves = analysis.write_command("compare", "--curves")
    table = Table("prospect", "What more judgments would decide", COLUMNS, tuple(rows))
    # Draw decided pairs by judgments
    first, last = rows[0], rows[-1]
    alt = (
        f"Decided pairs of {pairs:,} by number of judgments: {first['decided']:,.0f} with today's"
        f" {first['judgments']:,.0f}, {last['lower']:,.0f} to {last['upper']:,.0f} with"
        f" {last['judgments']:,.0f}."
    )
    title = "Pairs that more judgments would decide, with 80 % bands"
    says, figures, notes = (
        [*say_prospect(predictions, ranking)],
        [take_chart(draw_prospect(rows, pairs), "prospect", title, alt, table="prospect")],
        [NOTE_LEARNING],
    )
    if settings.full:
        more, drawn, noted = _trace(analysis)
        says, figures, notes = [*says, *more], [*figures, *drawn], [*notes, *noted]
    elif analysis.pairs.has("item") and predictions[0].decided < pairs:
        says.append(say_how(curves, "How well answers of others are foreseen with more judgments"))
    return Section(
        "learning",
        says=tuple(says),
        figures=tuple(figures),
        tables=(table,),
        notes=tuple(notes),
        command=analysis.write_command("report", "--sections", "learning"),
    )


def say_prospect(predictions: tuple[PredictivePower, ...], ranking: Ranking) -> tuple[str, ...]:
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    now, later = predictions[0], next(one for one in predictions if one.times == TWICE)
    if now.decided == pairs:
        return ("These judgments are enough: every pair of systems is decided.",)
    what = ranking.answers
    if pairs == 1:
        chance = write_value(later.decided, "share")
        return (
            f"The two are not told apart yet. Twice as many {what} ({later.judgments:,.0f}) would"
            f" tell them apart with a chance of {chance}.",
        )
    gained = later.decided - now.decided
    helps = "help little" if gained < LITTLE * (pairs - now.decided) else "help"
    range_ = f"{later.lower:,.0f} to {later.upper:,.0f}"
    some = range_ if later.lower < later.upper else f"{later.upper:,.0f}"
    some = "no more than that" if later.upper <= now.decided else some
    return (
        f"Today {_count_decided(now.decided, pairs)} decided."
        f" Twice as many {what} ({later.judgments:,.0f}) would probably decide {some}:"
        f" more would {helps}.",
        _say_first(now, later, predictions[-1]),
    )


def _count_decided(number: float, pairs: int) -> str:
    """Write how many pairs are decided.

    >>> _count_decided(0, 3), _count_decided(1, 3), _count_decided(2, 3)
    ('no pair is', '1 of 3 pairs is', '2 of 3 pairs are')
    """
    if number == 0:
        return "no pair is"
    return f"{number:,.0f} of {pairs:,} pairs {'is' if number == 1 else 'are'}"


def _say_first(now: PredictivePower, later: PredictivePower, last: PredictivePower) -> str:
    if now.candidates == 1:
        return "The first place is decided already."
    alone = write_value(later.one_best, "share")
    far = write_value(last.one_best, "share")
    return (
        f"{now.candidates:,.0f} systems may be the best today; with twice as many judgments about"
        f" {later.candidates:,.0f} may be, and just one with a chance of {alone}"
        f" ({last.times:,.0f} times as many: {far})."
    )


def _trace(analysis: Analysis) -> tuple[tuple[str, ...], tuple[Figure, ...], tuple[str, ...]]:
    if isinstance(analysis.data, Ratings):
        return (), (), ()
    try:
        curves = trace_learning(analysis.data, seed=analysis.settings.seed)
    except (NotIdentified, UnknownColumn, UnknownOption) as refusal:
        return (), (), (f"no learning curve on answers held out: {say_refused(refusal)}",)
    alt = "Perplexity on held-out answers by number of training comparisons, a line for each model."
    title = "How well answers are foreseen, by training size: lower is better"
    return curves.says, (take_chart(draw_curves(curves), "curves", title, alt),), curves.notes
