"""What the judgments say so far, part by part: one that fails takes no other with it.

- `find`: judges who are flagged, and systems with and without them, from the tables that
  `evenhand judges` and `evenhand rank` read; with too few judgments each part says why there is
  none.
- `draw_map`: judges on a map, drawn as SVG; docs/serving.md says what its axes show.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    find_excluded,
    judged_by_llm_alone,
    leave_out_controls,
    take_pairs,
)
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.design.tasks import ScaledTask
from evenhand.errors import (
    ActionableError,
    EvenhandError,
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.by_model import find_one_way
from evenhand.ranking.direct_votes import Evaluated, evaluate
from evenhand.ranking.plans import SHARES, Asked, read_gate_plan
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking, write_ranks
from evenhand.ranking.sequential.leaderboard import Confirmation, LiveLeaderboard, confirm_pairs
from evenhand.web.downloads import Activity, AnswerTables, keep_free
from evenhand.web.site import Rates
from evenhand.web.store.log import NotStored

if TYPE_CHECKING:
    from evenhand.judges.cards import Card, Screening


# What a part that fails may raise; an interrupt and the like go through
FAULTS: Final = (
    *(ArithmeticError, AssertionError, AttributeError, EvenhandError, ImportError, LookupError),
    *(MemoryError, NameError, OSError, RuntimeError, TypeError, ValueError),
)
WHY: Final = "{} could not be computed: see the server's terminal for the reason"
Part = TypeVar("Part")
Judged = Comparisons | RatingRows
Try = Callable[[str, Callable[[], Any], Callable[[str], Any]], Any]  # `try_part` of some rates
_log: Final = logging.getLogger("evenhand")


def try_part(
    rates: Rates, what: str, compute: Callable[[], Part], instead: Callable[[str], Part]
) -> Part:
    # rates: of lines to the terminal, by what they say.
    try:
        return compute()
    except FAULTS as fault:
        if isinstance(fault, NotStored):
            raise
        last = traceback.extract_tb(fault.__traceback__)[-1]
        place = f"({Path(last.filename).name}, line {last.lineno})"
        line = f"{what} could not be computed: {type(fault).__name__}: {fault} {place}"
        if rates.take(line):
            _log.warning("evenhand: %s", line)
        return instead(WHY.format(what))


# Evidence that tells the agreement with the others, of ratings and of votes
ACROSS: Final = ("others' scores", "slope")
LEFT, RIGHT, TOP, BOTTOM = 40.0, 348.0, 26.0, 252.0  # Where the drawing lies in a box of 360 by 300
LINES_AWAY: Final = 7  # From its mark up to which the name of a flagged judge may stand
# Shapes of classes; habits are squares, others circles
SHAPES: Final = {"reversed": "diamond", "careless": "triangle"}


@dataclass(frozen=True)
class Mark:
    judge: str
    n: int  # judgments
    across: float  # agreement
    ends: tuple[float, float] | None  # interval of it
    up: float  # severity
    flags: tuple[str, ...]
    known: bool  # whether a careless judge with as many judgments would have been found
    x: float = 0.0  # where it is drawn
    y: float = 0.0
    shape: str = "circle"
    label: tuple[float, float, str] | None = None  # x, y and anchor of the name


@dataclass(frozen=True)
class JudgeMap:
    marks: tuple[Mark, ...]  # judges who have a place on it
    absent: tuple[tuple[str, int], ...]  # judges of whom too little is known, with their judgments
    across: tuple[tuple[float, str], ...]  # places of ticks and their texts
    up: tuple[tuple[float, str], ...]  # places of ticks and their texts
    title: str  # what stands upwards
    unit: str  # its unit


def draw_map(screening: Screening) -> JudgeMap:
    from evenhand.report.figures.style import Axis, place_names

    scores = screening.kind == "ratings"
    marks, absent = list[Mark](), list[tuple[str, int]]()
    for card in screening.cards:
        evidence = {clue.name: clue for clue in card.evidence}
        slope = next((evidence[name] for name in ACROSS if name in evidence), None)
        above = evidence.get("severity" if scores else "position")
        if slope is None or slope.value is None or above is None or above.value is None:
            absent.append((card.judge, card.n))
            continue
        up = -above.value if scores else 100 / (1 + exp(-above.value))
        ends = None
        if slope.lower is not None and slope.upper is not None:
            ends = (slope.lower, slope.upper)
        marks.append(Mark(card.judge, card.n, slope.value, ends, up, card.flags, card.testable))
    title = "severity: points below the others" if scores else "leaning to what is shown first"
    unit = "points" if scores else "%"
    if not marks:
        return JudgeMap((), tuple(absent), (), (), title, unit)
    wide = Axis.around([*(mark.across for mark in marks), 0.0, 1.0])
    high = Axis.around([*(mark.up for mark in marks), 0.0 if scores else 50.0])

    def place(axis: Axis, value: float) -> float:
        start, end = (LEFT, RIGHT) if axis is wide else (BOTTOM, TOP)
        return round(start + axis.place(value) * (end - start), 1)

    drawn = []
    for mark in sorted(marks, key=lambda one: not one.flags):  # these have their names first
        usual = "square" if mark.flags else "circle"
        shape = next((SHAPES[flag] for flag in mark.flags if flag in SHAPES), usual)
        x, y = place(wide, mark.across), place(high, mark.up)
        drawn.append(replace(mark, x=x, y=y, shape=shape))
    names = [" ".join((one.judge, *one.flags[:1])) for one in drawn]
    points = [(one.x - LEFT, one.y) for one in drawn]
    lines = [LINES_AWAY * bool(one.flags) for one in drawn]
    for name in place_names(points, names, RIGHT - LEFT, height=BOTTOM, lines=lines):
        one, side = drawn[name.at], (10, "start") if name.side == "right" else (-10, "end")
        label = (round(one.x + side[0], 1), round(one.y + 4 + name.below, 1), side[1])
        drawn[name.at] = replace(one, label=label)
    ticks = [tuple((place(one, at), text) for at, text in one.mark()) for one in (wide, high)]
    return JudgeMap(tuple(drawn), tuple(absent), ticks[0], ticks[1], title, unit)


LEVEL: Final = 0.05  # Share of honest judges among the flagged that is allowed
NOTHING: Final = "no judgments yet"
SMALLEST_SHOWN: Final = 0.0005  # Probability that is shown by three digits


@dataclass(frozen=True)
class Panel:
    screening: Screening | None = None  # None where nothing can be said
    map: JudgeMap | None = None
    why: str = ""  # why there is none
    rests: str = ""  # on which rows the judges are compared, where it is not all

    @property
    def flagged(self) -> list[str]:
        return [] if self.screening is None else [one.judge for one in self.screening.flagged]


@dataclass(frozen=True)
class Standing:
    system: str
    rank: str  # places by all judges, as "2-3"; "" where it has none
    value: float  # log-worth, or score
    rank_without: str  # the same without those who are flagged
    value_without: float | None  # None where nobody else judged it
    n: int  # judgments of it
    lower: float | None = None  # lower end of the interval of its value; None where it has none
    upper: float | None = None


@dataclass(frozen=True)
class Order:
    table: str  # which holds the pass
    flagged: tuple[str, ...] = ()  # who is left out beside
    rows: tuple[Standing, ...] = ()  # the best by all judges first
    says: str = ""  # what changes without them
    why: str = ""  # why there is no order
    chosen: str = ""  # how its pairs were chosen, where a policy runs
    sorted: str = ""  # how far the sort is, or its order, where it chooses the pairs
    prior: str = ""  # why the worths have a prior; "" where they have none
    excluded: tuple[str, ...] = ()  # from both orders, such as control items
    answer: str = ""  # what the ranking says, in a sentence
    ranking: Ranking | None = None  # by all judges
    of_gate: Ranking | Evaluated | None = None  # by which the plan of a gate decides
    by_llm: bool = False  # whether all judges are LLMs


@dataclass(frozen=True)
class Findings:
    panels: Mapping[str, Panel] = field(default_factory=dict)  # table → its judges
    orders: Mapping[str, Order] = field(default_factory=dict)  # pass → its systems
    confirmed: Mapping[str, Confirmation] = field(default_factory=dict)  # pass → its rank sets
    activity: tuple[Activity, ...] = ()  # what each judge did, who answered last first


def find(answers: AnswerTables, attempt: Try | None = None) -> Findings:
    """Analyse the judgments of a campaign that runs; a part that fails says so in its place."""
    attempt = attempt or partial(try_part, Rates(1 / 60, 1))
    nothing = find_fault(answers, NOTHING)
    panels, orders = {**nothing.panels}, {**nothing.orders}
    confirmed: dict[str, Confirmation] = {}
    for table, read in answers.open_tables().items():
        screen, what = partial(_screen, read), f"the diagnosis of judges by {table}"
        panels[table] = attempt(what, screen, lambda why: Panel(why=why))
        if table == "ratings":
            order = partial(_order_by_scores, read, answers, panels[table].flagged)
        else:
            order = partial(_order_by_votes, read, answers, panels[table].flagged, confirmed)
        orders |= attempt(f"the ranking by {table}", order, partial(find_nothing, answers, table))
    for name, words in answers.describe_choices().items():
        orders[name] = replace(orders[name], chosen=words)
    return Findings(panels, orders, confirmed, answers.list_activity())


@dataclass(frozen=True)
class MeasuredJudge:
    judge: str  # the login, or the person that several are joined to
    activity: Activity | None  # None of whom the login gave no answer
    # tables, what was seen in each, and whether it looks doubtful and cannot be decided
    cards: tuple[tuple[str, Card, bool], ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """What the judge is flagged for, by which table where there are several."""
        several = len(self.cards) > 1
        flags = ((flag, table) for table, card, _ in self.cards for flag in card.flags)
        return tuple(f"{flag}, by {table}" if several else flag for flag, table in flags)

    @property
    def marks(self) -> tuple[str, ...]:
        """What is to be looked at, for which no judge is excluded from a ranking."""
        did = self.activity
        timing = ["too fast"] if did is not None and did.is_fast else []
        timing += ["time overstated"] if did is not None and did.overstated else []
        doubts = [card.p_honest for _, card, undecided in self.cards if undecided]
        lowest = min(doubts, default=1.0)
        shown = "<0.001" if lowest < SMALLEST_SHOWN else f"{lowest:.3f}"
        doubt = [f"undecided, P(honest) {shown}"] if doubts else []
        return (*timing, *doubt)

    @property
    def unflagged(self) -> str:
        """What is said where there is no flag; "" where nothing can be."""
        if not self.cards:
            return ""
        return "none" if all(card.testable for _, card, _ in self.cards) else "too few to tell"


def measure_judges(findings: Findings) -> tuple[MeasuredJudge, ...]:
    """Return what is known of each judge who answered, for the table of judges."""
    from evenhand.judges.cards import list_suspects

    activity = {one.judge: one for one in findings.activity}
    cards: dict[str, list[tuple[str, Card, bool]]] = {name: [] for name in activity}
    for table, panel in findings.panels.items():
        if panel.screening is not None:
            found = panel.screening
            suspects = [] if found.abstains is None else list_suspects(found.cards)
            for card in found.cards:
                cards.setdefault(card.judge, []).append((table, card, card in suspects))
    return tuple(MeasuredJudge(name, activity.get(name), tuple(cards[name])) for name in cards)


def find_nothing(answers: AnswerTables, table: str, why: str) -> dict[str, Order]:
    tasks = answers.store.campaign.tasks
    return {task.name: Order(table, why=why) for task in tasks if task.table == table}


def find_fault(answers: AnswerTables, why: str) -> Findings:
    tasks = answers.store.campaign.tasks
    panels = {task.table: Panel(why=why) for task in tasks}
    return Findings(panels, {task.name: Order(task.table, why=why) for task in tasks})


def _screen(read: Callable[[], Any]) -> Panel:
    """Look at the judges of a table; under a policy, by answers that no answer led to."""
    from evenhand.judges.screening import screen_judges

    data = read().keep_asked()
    rests = ""
    try:
        if isinstance(data, Ratings):
            data = data.rows()
        else:
            data, rests = keep_free(data)
        screening = screen_judges(data, level=LEVEL)
    except EvenhandError as error:
        return Panel(why=str(error), rests=rests)
    return Panel(screening, draw_map(screening), rests=rests)


def _order_by_scores(
    read: Callable[[], Any], answers: AnswerTables, flagged: list[str]
) -> dict[str, Order]:
    data: Ratings = read()
    tasks = answers.store.campaign.tasks
    criteria = {task.criterion: task.name for task in tasks if isinstance(task, ScaledTask)}
    try:
        parts = leave_out_controls(data).rows().split(("criterion",))
        excluded = tuple(line.text for line in find_excluded(data))
    except EvenhandError as error:
        return find_nothing(answers, "ratings", str(error))
    orders = find_nothing(answers, "ratings", NOTHING)
    for (criterion,), part in parts.items():
        if criterion not in criteria:  # scores of whole documents, which are of no pass
            continue
        rest = part.take(~np.isin(part.judges, flagged)[part.judge])
        order, by_llm = compare("ratings", part, rest, flagged), judged_by_llm_alone(data)
        told = () if order.why else excluded
        orders[criteria[criterion]] = replace(
            order, excluded=told, of_gate=order.ranking, by_llm=by_llm
        )
    return orders


def _order_by_votes(
    read: Callable[[], Any],
    answers: AnswerTables,
    flagged: list[str],
    confirmed: dict[str, Confirmation],
) -> dict[str, Order]:
    data: Comparisons | Rankings = read()
    orders = find_nothing(answers, type(data).__name__.lower(), NOTHING)
    try:
        table = take_pairs(data)
    except InvalidJudgments:  # nothing but controls so far
        return orders
    stated = read_gate_plan(content=answers.store.plan.encode())[0] if answers.store.plan else {}
    for name in orders.keys() & {*table.tasks()}:
        part = table.select_task(name, recorded=False)
        rest = part.without(judges=flagged, recorded=False) if flagged else part
        order = compare("comparisons", part, rest, flagged)
        excluded = () if order.why else tuple(one.text for one in part.excluded)
        of_gate = None
        if stated:
            try:
                of_gate = evaluate(part, Asked.take(stated), {"model": SHARES})
            except EvenhandError as refusal:  # such as systems that nobody compared yet
                of_gate = Evaluated({}, refused={"": str(refusal)})
        by_llm, sorted_ = judged_by_llm_alone(part), ""
        if answers.store.campaign.design.policy == "sort" and isinstance(data, Comparisons):
            sorted_ = _describe_sort(part, answers.store.campaign.systems)
        order = replace(order, excluded=excluded, of_gate=of_gate, by_llm=by_llm)
        orders[name] = replace(order, sorted=sorted_)
        if (sets := confirm_pairs(part, LiveLeaderboard())) is not None:
            confirmed[name] = sets
    return orders


def _describe_sort(part: Comparisons, systems: Sequence[str]) -> str:
    """Say how far the sort is, as `evenhand next --policy sort` does, or its order."""
    from evenhand.design.next_pairs import choose_pairs, write_order
    from evenhand.design.policy import Policy
    from evenhand.design.sorting import count_most

    try:
        found = choose_pairs(part, Policy("sort", random_share=0), n=1, systems=systems)
    except EvenhandError as error:
        return str(error)
    if found.order is None:
        decided = 0 if found.sort is None else found.sort.decided
        most = count_most(len(systems))
        return f"the sort has not ended: the votes decide {decided} of at most {most} questions"
    order = write_order(found.order)
    return f"the sort has ended: {order}; how sure the votes are of it is said by current"


def compare(
    table: str,
    part: Judged,
    rest: Judged,
    flagged: list[str],
    settings: Mapping[str, Any] | None = None,
) -> Order:
    """Rank judgments with and without those who are flagged, as `evenhand rank` does."""
    from evenhand.design.next_pairs import count_judged
    from evenhand.ranking.without_judges import describe_change

    settings, prior = settings or {}, ""
    before, refusal = _rank(part, settings)
    if isinstance(refusal, NotIdentified) and isinstance(part, Comparisons):
        one_way = find_one_way(count_judged(part))
        if one_way is not None:
            prior, settings = one_way.fault, {**settings, "model": BradleyTerry(prior=1)}
            before, refusal = _rank(part, settings)
    if before is None:
        return Order(table, why=_say_refusal(refusal))
    after, lost = _rank(rest, settings) if flagged else (None, None)
    says = str(describe_change(before, after, "them")) if after is not None else ""
    says = f"without them there is no ranking: {_say_refusal(lost)}" if lost else says
    beside = {row["system"]: row for row in _list_rows(after)}
    standings = []
    for row in _list_rows(before):
        other = beside.get(row["system"], {"places": "", "estimate": None})
        n = row["ratings"] if table == "ratings" else row["wins"] + row["ties"] + row["losses"]
        mine = (row["system"], row["places"], row["estimate"])
        without = (other["places"], other["estimate"])
        standings.append(Standing(*mine, *without, int(n), row["lower"], row["upper"]))
    answer = str(before.document().answer[0])
    rows = (tuple(flagged), tuple(standings))
    return Order(table, *rows, says, prior=prior, answer=answer, ranking=before)


def _list_rows(ranking: Ranking | None) -> list[Mapping[str, Any]]:
    """Return a row for each system, best first; human references have no rank and come last."""
    if ranking is None:
        return []
    rows = [{**row, "places": write_ranks(row, "–")} for row in ranking.rows()]
    return [*rows, *({**row, "places": "reference"} for row in ranking.references)]


def _rank(part: Judged, settings: Mapping[str, Any]) -> tuple[Ranking | None, EvenhandError | None]:
    try:
        ranking = rank(part, **settings)
    except EvenhandError as error:
        return None, error
    if isinstance(ranking, Ranking):
        return ranking, None
    return None, UnknownOption("it holds several passes")


def _say_refusal(refusal: EvenhandError | None) -> str:
    """Say why there is no ranking, without options that the page does not have."""
    if isinstance(refusal, ActionableError):
        refusal = refusal.without_options()
    return str(refusal)
