"""Would more judgments help: what more of the same kind would decide."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from evenhand.design.more_judgments import Prospect, look_ahead
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.judgments.ratings import Ratings
from evenhand.ranking.held_out import trace_learning
from evenhand.ranking.learning_curves import LearningCurves
from evenhand.ranking.ranking import Ranking
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Figure, Section, Table
from evenhand.report.effort import say_how
from evenhand.report.figures.held_out_figures import draw_curves
from evenhand.report.figures.prospect import draw_prospect
from evenhand.report.numbers import write_value
from evenhand.report.refused import say_refused
from evenhand.report.study import Study

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
NOTE: Final = (
    "What more judgments would decide is foreseen, not seen: worths as they may be are drawn from"
    " today's estimates and their errors. It holds for as many more judges and items of the same"
    " kind; the same judges giving more answers help less, as far as their tastes differ."
)


def write_section(study: Study) -> Section:
    """Write what more judgments would decide."""
    ranking, settings = study.ranking, study.settings
    found = look_ahead(ranking, seed=settings.seed)
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    rows = [_describe(one) for one in found]
    curves = study.write_command("compare", "--curves")
    table = Table("prospect", "What more judgments would decide", COLUMNS, tuple(rows))
    says, figures, notes = [*say_prospect(found, ranking)], [_draw(rows, pairs)], [NOTE]
    if settings.full:
        more, drawn, noted = _trace(study)
        says, figures, notes = [*says, *more], [*figures, *drawn], [*notes, *noted]
    elif study.pairs.has("item") and found[0].decided < pairs:
        says.append(say_how(curves, "How well answers of others are foreseen with more judgments"))
    return Section(
        "learning",
        PREFERENCE["learning"],
        says=tuple(says),
        figures=tuple(figures),
        tables=(table,),
        notes=tuple(notes),
        command=study.write_command("report", "--sections", "learning"),
    )


def _describe(one: Prospect) -> dict[str, Any]:
    """Return the row of a number of judgments, without digits that mean nothing."""
    return {
        **asdict(one),
        **{key: round(getattr(one, key), 4) for key in ("decided", "candidates", "one_best")},
    }


def say_prospect(found: tuple[Prospect, ...], ranking: Ranking) -> tuple[str, ...]:
    """Say whether more judgments would help."""
    pairs = len(ranking.systems) * (len(ranking.systems) - 1) // 2
    now, later = found[0], next(one for one in found if one.times == TWICE)
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
        _say_first(now, later, found[-1]),
    )


def _count_decided(number: float, pairs: int) -> str:
    """Write how many pairs are decided.

    >>> _count_decided(0, 3), _count_decided(1, 3), _count_decided(2, 3)
    ('no pair is', '1 of 3 pairs is', '2 of 3 pairs are')
    """
    if number == 0:
        return "no pair is"
    return f"{number:,.0f} of {pairs:,} pairs {'is' if number == 1 else 'are'}"


def _say_first(now: Prospect, later: Prospect, last: Prospect) -> str:
    """Say what becomes of the first place."""
    if now.candidates == 1:
        return "The first place is decided already."
    alone = write_value(later.one_best, "share")
    far = write_value(last.one_best, "share")
    return (
        f"{now.candidates:,.0f} systems may be the best today; with twice as many judgments about"
        f" {later.candidates:,.0f} may be, and just one with a chance of {alone}"
        f" ({last.times:,.0f} times as many: {far})."
    )


def _draw(rows: list[dict[str, Any]], pairs: int) -> Figure:
    """Draw decided pairs by judgments."""
    first, last = rows[0], rows[-1]
    alt = (
        f"Decided pairs of {pairs:,} by number of judgments: {first['decided']:,.0f} with today's"
        f" {first['judgments']:,.0f}, {last['lower']:,.0f} to {last['upper']:,.0f} with"
        f" {last['judgments']:,.0f}."
    )
    title = "Pairs that more judgments would decide, with 80 % bands"
    return take_chart(draw_prospect(rows, pairs), "prospect", title, alt, table="prospect")


def _trace(study: Study) -> tuple[tuple[str, ...], tuple[Figure, ...], tuple[str, ...]]:
    """Trace perplexity on answers that were held out: what it says, its figure and its notes."""
    if isinstance(study.data, Ratings):
        return (), (), ()
    try:
        found = trace_learning(study.data, seed=study.settings.seed)
    except (NotIdentified, UnknownColumn, UnknownOption) as refusal:
        return (), (), (f"no learning curve on answers held out: {say_refused(refusal)}",)
    return found.says, (_draw_curves(found),), found.notes


def _draw_curves(found: LearningCurves) -> Figure:
    """Draw the learning curves."""
    alt = "Perplexity on held-out answers by number of training comparisons, a line for each model."
    title = "How well answers are foreseen, by training size: lower is better"
    return take_chart(draw_curves(found), "curves", title, alt)
