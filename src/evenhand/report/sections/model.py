"""Does the model fit: pairs, rivals, circles; and what more judgments would decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from evenhand.design.power import PredictivePower, predict_more_judgments
from evenhand.models.log_linear import Fit
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.model_table import Counts, ModelTable, tabulate_counts, tabulate_models
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.cycles import Cycle, Cycles, find_sure_circle, find_visible
from evenhand.render.document import Column, Document, Finding, Table, begin_sentence, write_value
from evenhand.report.analysis import (
    MAX_DETECTABLE,
    PREFERENCE,
    REFUSALS,
    Analysis,
    choose_state,
    say_detectable,
    say_how,
    say_refusal,
)
from evenhand.report.answer import CIRCLES, ISSUES, LADDER, MINDS, PLACE, SIDES
from evenhand.report.document import NOT_RUN, PASSED, UNDECIDED, Check, Section, make_section
from evenhand.report.figures.predictions import draw_prospect
from evenhand.report.figures.style import take_chart

MAX_COMPARISONS: Final = 3_000  # Most comparisons of which the whole table is made by itself
MAX_SYSTEMS: Final = 10  # Most systems of which it is

# Does one ranking fit all judgments? All tests that bear on it, adjusted for their number.

ModelCheck: Final = partial(Check, "model", "Does one ranking fit all judgments?")
# Share of the differences between systems below which pairs that fit no scale do not matter
TRIFLE: Final = 0.02
SLIGHT: Final = 0.03  # How far from one half a share for the first output is slight
# What is found → where to look
SEE: Final = {
    LADDER: f"For two systems read their own comparisons under “{PREFERENCE['heads']}”.",
    PLACE: f"See “{PREFERENCE['order']}”.",
    SIDES: f"See “{PREFERENCE['order']}”.",
    CIRCLES: f"See “{PREFERENCE['circles']}”.",
    MINDS: f"The ranking is that of all judges together: see “{PREFERENCE['judges']}”.",
}


@dataclass(frozen=True)
class Doubt:
    issue: str  # what it finds if p is small: a key of `ISSUES`
    p: float  # not yet adjusted
    slight: bool = False  # whether what was found is too small to matter


def list_doubts(
    analysis: Analysis, cycles: Cycles | None, laws: ModelTable | None
) -> tuple[Doubt, ...]:
    doubts = []
    if cycles is not None and cycles.p is not None:
        doubts.append(Doubt(LADDER, cycles.p, cycles.share < TRIFLE))
    fit, bias = analysis.ranking.fit, analysis.known_bias
    if bias is not None and not (isinstance(fit, Fit) and fit.model.order_effect):
        doubts.append(Doubt(PLACE, bias.p, abs(bias.share - 0.5) < SLIGHT))
        if bias.heterogeneity_p is not None:
            doubts.append(Doubt(SIDES, bias.heterogeneity_p, not bias.stand_out))
    questions = () if laws is None else laws.questions
    return (*doubts, *(Doubt(MINDS, one.p) for one in questions if one.subject == "worths"))


def make_check(
    analysis: Analysis, cycles: Cycles | None, laws: ModelTable | None, why: str
) -> Check:
    tests = adjust_doubts(list_doubts(analysis, cycles, laws))
    alpha = 1 - analysis.settings.level
    sure = [(one, p) for one, p in tests if p <= alpha and not one.slight]
    if sure:
        says = ", ".join(f"{ISSUES[one.issue]} ({_say_p(p)})" for one, p in sure)
        found, reversals = analysis.reversals, {}
        for issue in dict.fromkeys(one.issue for one, _ in sure):
            if issue == LADDER:
                reversal, condition = found.pairs, ""
            elif issue == MINDS:
                reversal, condition = found.loads, "where busy judges are capped at the median "
            else:
                reversal, condition = found.order, "with the order effect in the model "
            reversals[issue] = f"{condition}{reversal}" if reversal else ""
        reversed_by = {issue: reversal for issue, reversal in reversals.items() if reversal}
        outcome = "; ".join(reversed_by.values())
        see = " ".join(dict.fromkeys(SEE[one.issue] for one, _ in sure))
        where = f"{begin_sentence(outcome or 'the decided order stays')}. {see}"
        issues = tuple(reversed_by) or tuple(reversals)
        return ModelCheck(choose_state(outcome), f"no: {says}", where, issues=issues)
    if cycles is not None and (circle := find_sure_circle(cycles, analysis.tally)) is not None:
        says = f"no: {ISSUES[CIRCLES]} (unadjusted {_say_p(cycles.p or 0.0)})"
        state = choose_state(analysis.reversals.find_circle(circle))
        return ModelCheck(state, says, SEE[CIRCLES], issues=(CIRCLES,))
    if cycles is None:
        return ModelCheck(NOT_RUN, why)
    perhaps = check_open(tests, alpha)
    if perhaps is not None or cycles.p is None:
        few = ModelCheck(UNDECIDED, "too few pairs were compared: any outcome fits")
        return perhaps or few
    least, p = min(tests, key=lambda one: one[1])
    summary = f"{_say_p(p)}{f' in {len(tests)} tests' if len(tests) > 1 else ''}"
    if p <= 1 - cycles.level:
        return ModelCheck(PASSED, f"nearly: {ISSUES[least.issue]}, but slightly ({summary})")
    return _check_silence(ModelCheck, find_visible(cycles, analysis.tally), summary)


def _say_p(p: float) -> str:
    return f"p {write_value(p, 'p')}"


def adjust_doubts(doubts: Sequence[Doubt]) -> list[tuple[Doubt, float]]:
    """Return tests with their p, allowing for how many they are (Holm)."""
    adjusted = holm(np.array([one.p for one in doubts])).tolist() if doubts else []
    return list(zip(doubts, adjusted, strict=True))


def check_open(tests: Sequence[tuple[Doubt, float]], alpha: float) -> Check | None:
    perhaps = [(one, p) for one, p in tests if one.p <= alpha and not one.slight]
    if not perhaps:
        return None
    says = ", ".join(
        f"{ISSUES[one.issue]} (unadjusted {_say_p(one.p)}, {write_value(p, 'p')} in {len(tests)}"
        " tests)"
        for one, p in perhaps
    )
    where = " ".join(dict.fromkeys(SEE[one.issue] for one, _ in perhaps))
    return ModelCheck(UNDECIDED, f"perhaps not: {says}", where)


def _check_silence(check: Callable[..., Check], visible: float | None, p: str) -> Check:
    if visible is None or visible > MAX_DETECTABLE:
        shows = "" if visible is None else f": only {say_detectable(visible)}"
        return check(UNDECIDED, f"too few judgments{shows} ({p})")
    return check(PASSED, f"not significant ({p}); {say_detectable(visible)}")


# Does the model fit: pairs of systems, and other models of the same judgments.


def write_section_model(analysis: Analysis) -> Section:
    cycles, why = _test(analysis)
    # Models of the same judgments side by side; with tests only where those are cheap
    few = analysis.tally.n_comparisons <= MAX_COMPARISONS
    few = few and len(analysis.tally.systems) <= MAX_SYSTEMS and not analysis.task
    tested, laws = analysis.settings.full or few, None
    with suppress(*REFUSALS):
        if tested:
            laws = tabulate_models(analysis.pairs)
        else:
            laws = replace(tabulate_counts(Counts(analysis.tally, {}, None)), questions=())
    models = Document() if laws is None else laws.document()
    tests = len(list_doubts(analysis, cycles, laws))
    notes = [f"p of the check are adjusted for its {tests} tests (Holm)."] if tests > 1 else []
    if laws is not None and not tested:
        command = analysis.write_command("compare --nested")
        notes.append(say_how(command, "Whether a model fits better than the one in it"))
    document = Document(
        basis=models.basis,
        answer=models.answer,
        parts=(*_take_tables(cycles, "deviations"), *models.parts),
        findings=(*(Finding("model", one) for one in notes), *models.findings),
    )
    check = make_check(analysis, cycles, laws, why)
    command = analysis.write_commands(("robustness",), ("compare --nested",))
    return make_section("model", document, checks=[check], command=command)


def _test(analysis: Analysis) -> tuple[Cycles | None, str]:
    try:
        return analysis.cycles, ""
    except REFUSALS as refusal:
        return None, say_refusal(analysis, refusal)


def _take_tables(cycles: Cycles | None, name: str) -> list[Table]:
    return [] if cycles is None else [one for one in cycles.document().tables if one.name == name]


# Are preferences intransitive: A before B, B before C, C before A?

ASKED: Final = "Are preferences intransitive: A before B, B before C, C before A?"
CirclesCheck: Final = partial(Check, "circles", ASKED)
INSTEAD: Final = (
    "No ranking fits such preferences. Say which of the systems are to be compared, or on which"
    " items, and judge those."
)


def write_section_circles(analysis: Analysis) -> Section:
    cycles, why = _test(analysis)
    command = analysis.write_command("robustness")
    if cycles is None:
        check = CirclesCheck(NOT_RUN, why)
        return Section("circles", checks=(check,), command=command)
    document = replace(cycles.document(), parts=tuple(_take_tables(cycles, "cycles")))
    check = replace(make_check_circles(analysis, cycles), p=cycles.p)
    return make_section("circles", document, checks=(check,), command=command)


def make_check_circles(analysis: Analysis, cycles: Cycles) -> Check:
    if cycles.p is None:
        return CirclesCheck(UNDECIDED, "too few pairs were compared to show a cycle")
    p = _say_p(cycles.p)
    if not cycles.real:
        return _check_silence(CirclesCheck, find_visible(cycles, analysis.tally), p)
    sure = find_sure_circle(cycles, analysis.tally)
    if sure is not None:
        against = analysis.reversals.find_circle(sure) if analysis.known_ranking else ""
        otherwise = f"{against}. {INSTEAD}" if against else INSTEAD
        return CirclesCheck(choose_state(against), f"yes: {_say_wins(sure)}", otherwise)
    closed = [one for one in cycles.cycles if one.closed]
    if closed:
        wins = _say_wins(closed[0])
        return CirclesCheck(UNDECIDED, f"perhaps: {wins}, of which the last majority may be chance")
    state = PASSED if cycles.cycles else UNDECIDED
    return CirclesCheck(state, f"no majority cycle, but {ISSUES[LADDER]} ({p})", SEE[LADDER])


def _say_wins(one: Cycle) -> str:
    weakest = min(range(3), key=lambda at: one.won[at])
    order = [(weakest + step) % 3 for step in (1, 2, 3)]
    return ", ".join(
        f"{one.systems[at]} over {one.systems[(at + 1) % 3]} ({write_value(one.won[at], 'share')})"
        for at in order
    )


# Would more judgments help: what more of the same kind would decide.

TWICE: Final = 2.0
# Share of the open pairs below which what twice as many judgments decide is little
LITTLE: Final = 0.05
COLUMNS: Final = (
    Column("judgments", "judgments in all", "count"),
    Column("times", "times today's", "one"),
    Column("decided", "decided pairs", "one", "on average"),
    Column("lower", "at least", "count", "in nine of ten replicates"),
    Column("upper", "at most", "count", "in nine of ten replicates"),
    Column("candidates", "may be the best", "one", "systems that may then be the best, on average"),
    Column("one_best", "one best", "share", "chance that no more than one may then be the best"),
)
NOTE_LEARNING: Final = (
    "Predicted: worths are drawn from today's estimates and their errors. It holds for more judges"
    " and items of the same kind; more answers of the same judges help less."
)


def write_section_learning(analysis: Analysis) -> Section:
    ranking = analysis.ranking
    predictions = predict_more_judgments(ranking, seed=analysis.settings.seed)
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    rounded = ("decided", "candidates", "one_best")
    written = ({key: round(getattr(one, key), 4) for key in rounded} for one in predictions)
    rows = tuple(asdict(one) | some for one, some in zip(predictions, written, strict=True))
    # Draw decided pairs by judgments
    first, last = rows[0], rows[-1]
    alt = (
        f"Decided pairs of {pairs:,} by number of judgments: {first['decided']:,.0f} with today's"
        f" {first['judgments']:,.0f}, {last['lower']:,.0f} to {last['upper']:,.0f} with"
        f" {last['judgments']:,.0f}."
    )
    title = "Pairs that more judgments would decide, with 80 % bands"
    chart = draw_prospect(list(rows), pairs)
    figure = take_chart(chart, "prospect", title, alt, table="prospect")
    table = Table("prospect", "What more judgments would decide", COLUMNS, rows)
    notes = [NOTE_LEARNING]
    if analysis.pairs.has("item") and predictions[0].decided < pairs:
        command = analysis.write_command("compare", "--curves")
        notes.append(f"How well held-out answers are predicted by training size: {command}")
    findings = tuple(Finding("learning", one) for one in notes)
    answer = say_prospect(predictions, ranking)
    document = Document(answer=answer, parts=(table,), findings=findings)
    command = analysis.write_command("report", "--sections", "learning", "--json")
    return make_section("learning", document, figures=(figure,), command=command)


def say_prospect(predictions: tuple[PredictivePower, ...], ranking: Ranking) -> tuple[str, ...]:
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    now, later = predictions[0], next(one for one in predictions if one.times == TWICE)
    if now.decided == pairs:
        return ("These judgments are enough: every pair of systems is decided.",)
    twice = f"Twice as many {ranking.answers} ({later.judgments:,.0f})"
    if pairs == 1:
        chance = write_value(later.decided, "share")
        return (f"Undecided. {twice} would decide the pair with a probability of {chance}.",)
    gained = later.decided - now.decided
    helps = "help little" if gained < LITTLE * (pairs - now.decided) else "help"
    range_ = f"{later.lower:,.0f} to {later.upper:,.0f}"
    some = range_ if later.lower < later.upper else f"{later.upper:,.0f}"
    some = "no more than that" if later.upper <= now.decided else some
    first = "The first place is decided already."
    if now.candidates != 1:
        first = (
            f"{now.candidates:,.0f} systems may be the best today; with twice as many judgments"
            f" about {later.candidates:,.0f} may be, and just one with a probability of"
            f" {write_value(later.one_best, 'share')}."
        )
    count = f"{now.decided:,.0f} of {pairs:,} pairs {'is' if now.decided == 1 else 'are'}"
    return (
        f"Today {count if now.decided else 'no pair is'} decided."
        f" {twice} would probably decide {some}: more would {helps}.",
        first,
    )
