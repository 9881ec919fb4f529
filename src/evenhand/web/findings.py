"""What the judgments say so far: judges who are to be doubted, and systems with and without them.

Computed from the tables that `evenhand judges` and `evenhand rank` read; with too few judgments
each part says why there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from evenhand.design.tasks import ScaledTask
from evenhand.errors import EvenhandError, InvalidJudgments
from evenhand.web.activity import Activity
from evenhand.web.attempts import Attempts
from evenhand.web.chosen_rows import describe_choices, keep_free
from evenhand.web.gathered import Gathered
from evenhand.web.judge_map import JudgeMap, draw_map

if TYPE_CHECKING:
    from evenhand.judges.cards import Screening
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.ratings import Ratings
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.sequential.leaderboard import Confirmation

LEVEL: Final = 0.05  # Share of honest judges among the flagged that is allowed
NOTHING: Final = "nothing was judged yet"


@dataclass(frozen=True)
class Panel:
    """The judges of one table."""

    # cards with flags and evidence; None where nothing can be said
    screening: Screening | None = None
    map: JudgeMap | None = None  # where the judges stand; None without a screening
    why: str = ""  # why there is none
    rests: str = ""  # on which rows the judges are compared, where it is not all; "" for all

    @property
    def flagged(self) -> list[str]:
        """Who is flagged."""
        return [] if self.screening is None else [one.judge for one in self.screening.flagged]


@dataclass(frozen=True)
class Standing:
    """A system by all judges, and without those who are flagged."""

    system: str  # its name
    rank: str  # places by all judges, as "2-3"; "" where it has none
    value: float  # log-worth, or mean score
    rank_without: str  # places without them; "" where it has none
    value_without: float | None  # the value; None where nobody else judged it
    n: int  # judgments of it


@dataclass(frozen=True)
class Order:
    """The systems of one pass."""

    table: str  # which holds the pass
    flagged: tuple[str, ...] = ()  # who is left out beside
    rows: tuple[Standing, ...] = ()  # systems, the best by all judges first
    says: str = ""  # what changes without them
    why: str = ""  # why there is no order
    chosen: str = ""  # how its pairs were chosen, where a policy runs; "" where none does
    # what is excluded from the order, and from the one without flagged judges
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True)
class Findings:
    """What the judgments say so far."""

    panels: Mapping[str, Panel] = field(default_factory=dict)  # table → its judges
    orders: Mapping[str, Order] = field(default_factory=dict)  # pass → its systems
    # pass → what rank sets decide, for its board
    confirmed: Mapping[str, Confirmation] = field(default_factory=dict)
    activity: tuple[Activity, ...] = ()  # what each judge did, who answered last first


def find(gathered: Gathered, attempts: Attempts | None = None) -> Findings:
    """Look at the judgments of a campaign that runs; a part that fails says so in its place."""
    attempts = attempts or Attempts()
    tasks = gathered.store.campaign.tasks
    panels = {task.table: Panel(why=NOTHING) for task in tasks}
    orders = {task.name: Order(task.table, why=NOTHING) for task in tasks}
    confirmed: dict[str, Confirmation] = {}
    with TemporaryDirectory(prefix="evenhand-") as folder:
        for table, path in gathered.write(Path(folder)).items():
            panels[table] = attempts.try_for(
                f"the diagnosis of judges by {table}",
                partial(_screen, path),
                lambda why: Panel(why=why),
            )
            orders |= attempts.try_for(
                f"the ranking by {table}",
                partial(_order, path, gathered, panels[table].flagged, confirmed),
                partial(find_nothing, gathered, table),
            )
    for name, told in describe_choices(gathered).items():
        orders[name] = replace(orders[name], chosen=told)
    return Findings(panels, orders, confirmed, gathered.list_activity())


def find_nothing(gathered: Gathered, table: str, why: str) -> dict[str, Order]:
    """Say of each pass of a table why it has no order."""
    return {name: Order(table, why=why) for name in _list_passes(gathered, table)}


def find_fault(gathered: Gathered, why: str) -> Findings:
    """Say of everything why there is nothing."""
    tables = {task.table for task in gathered.store.campaign.tasks}
    orders = [find_nothing(gathered, table, why) for table in tables]
    panels = {table: Panel(why=why) for table in tables}
    return Findings(panels, {name: one for found in orders for name, one in found.items()})


def _screen(path: Path) -> Panel:
    """Look at the judges of a table; under a policy, by answers that no answer led to."""
    from evenhand.formats.reading import read
    from evenhand.judges.screening import screen_judges
    from evenhand.judgments.ratings import Ratings

    data: Any = read(path)
    rests = ""
    try:
        if isinstance(data, Ratings):
            data = data.rows()
        else:
            data, rests = keep_free(data)
        found = screen_judges(data, level=LEVEL)
    except EvenhandError as error:
        return Panel(why=str(error), rests=rests)
    return Panel(found, draw_map(found), rests=rests)


def _order(
    path: Path, gathered: Gathered, flagged: list[str], confirmed: dict[str, Confirmation]
) -> dict[str, Order]:
    """Put the systems of the passes of a table in order."""
    if path.stem == "ratings":
        return _order_by_scores(path, gathered, flagged)
    return _order_by_votes(path, gathered, flagged, confirmed)


def _order_by_votes(
    path: Path, gathered: Gathered, flagged: list[str], confirmed: dict[str, Confirmation]
) -> dict[str, Order]:
    """Rank the systems of the passes of a table, and say what rank sets decide."""
    from evenhand.formats.reading import read
    from evenhand.judgments.controls import take_pairs
    from evenhand.ranking.sequential.leaderboard import LiveBoard, confirm_pairs

    data: Any = read(path)
    try:
        table = take_pairs(data)
    except InvalidJudgments:  # nothing but controls so far
        return find_nothing(gathered, path.stem, NOTHING)
    found: dict[str, Order] = {}
    for name in _list_passes(gathered, path.stem):
        if name not in table.tasks():
            found[name] = Order(path.stem, why=NOTHING)
            continue
        part = table.select_task(name, recorded=False)
        found[name] = _compare_rankings(part, flagged)
        sets = confirm_pairs(part, LiveBoard())
        if sets is not None:
            confirmed[name] = sets
    return found


def _compare_rankings(part: Comparisons, flagged: list[str]) -> Order:
    """Rank systems by all judges, and without those who are flagged."""
    from evenhand.ranking.without_judges import describe_change

    before, why = _rank(part)
    if before is None:
        return Order("comparisons", why=why)
    rest, after, lost = part, None, ""
    if flagged:
        rest = part.without(judges=flagged, recorded=False)
        rest = part.keep_rows(rest.frame, "flagged", "flagged judges")
        after, lost = _rank(rest)
    says = describe_change(before, after) if after is not None else ""
    says = f"without them there is no ranking: {lost}" if lost else says
    says = says.replace("with the judge)", "with them)")
    excluded = tuple(one.text for one in rest.excluded)
    return Order("comparisons", tuple(flagged), _lay_out(before, after), says, excluded=excluded)


def _rank(part: Comparisons) -> tuple[Ranking | None, str]:
    """Rank systems, or say why they cannot be ranked."""
    from evenhand.ranking.rank import rank
    from evenhand.ranking.ranking import Ranking

    try:
        found = rank(part)
    except EvenhandError as error:
        return None, str(error)
    return (found, "") if isinstance(found, Ranking) else (None, "it holds several passes")


def _lay_out(before: Ranking, after: Ranking | None) -> tuple[Standing, ...]:
    """Put two rankings side by side."""
    from evenhand.ranking.ranking import write_ranks

    beside = {} if after is None else {row["system"]: row for row in after.rows()}
    found = []
    for row in before.rows():
        system, other = row["system"], beside.get(row["system"])
        rank, value = "", None
        if other is not None:
            rank, value = write_ranks(other, "–"), other["log_worth"]
        n = int(row["wins"] + row["ties"] + row["losses"])
        found.append(Standing(system, write_ranks(row, "–"), row["log_worth"], rank, value, n))
    return tuple(found)


def _order_by_scores(path: Path, gathered: Gathered, flagged: list[str]) -> dict[str, Order]:
    """Score the systems of each pass by mean score, with and without flagged judges."""
    from evenhand.formats.reading import read
    from evenhand.judgments.exclusions import find_excluded

    data: Ratings = read(path)  # type: ignore[assignment]
    tasks = gathered.store.campaign.tasks
    criteria = {one.criterion: one.name for one in tasks if isinstance(one, ScaledTask)}
    try:
        parts = data.rows().targets().split(("criterion",))
        excluded = tuple(one.text for one in find_excluded(data, ("controls", "repeats")))
    except EvenhandError as error:
        return {name: Order("ratings", why=str(error)) for name in criteria.values()}
    found = {name: Order("ratings", why=NOTHING) for name in criteria.values()}
    for (criterion,), part in parts.items():
        told = (*excluded, *_tell_flagged(part, flagged))
        found[criteria[criterion]] = replace(_compare_scores(part, flagged), excluded=told)
    return found


def _tell_flagged(part: Any, flagged: list[str]) -> list[str]:
    """Say how many scores the order without flagged judges excludes; nothing where none."""
    import numpy as np

    from evenhand.judgments.exclusions import Exclusion

    judges = [part.judges[code] for code in np.unique(part.judge)]
    names = tuple(name for name in flagged if name in judges)
    codes = [part.judges.index(name) for name in names]
    lost = int(np.isin(part.judge, codes).sum())
    whose: dict[str, Any] = {"judges": len(names), "judge_names": names, "of_judges": len(judges)}
    reason = "flagged judges"
    excluded = Exclusion("flagged", reason, lost, part.size, unit="score", **whose)
    return [excluded.text] if lost else []


def _compare_scores(part: Any, flagged: list[str]) -> Order:
    """Score the systems of one pass."""
    from evenhand.judges.removal import ScoreTable, describe_change, rescore

    held = rescore(ScoreTable.of(part), flagged, "flags")
    full = _place({one.system: one.full for one in held.systems})
    kept = {one.system: one.kept for one in held.systems if one.kept is not None and flagged}
    after = _place(kept)
    rows = [
        Standing(name, full[name], one.full, after.get(name, ""), kept.get(name), one.n)
        for name, one in ((one.system, one) for one in held.systems)
    ]
    says = describe_change(part, flagged) if flagged else ""
    return Order("ratings", tuple(flagged), tuple(rows), says)


def _place(means: Mapping[str, float]) -> dict[str, str]:
    """Return the place of each system by its mean; equal means share one."""
    import numpy as np

    from evenhand.ranking.sequential.leaderboard import share_places

    places = share_places(np.array([*means.values()]))
    return {system: str(place) for system, place in zip(means, places, strict=True)}


def _list_passes(gathered: Gathered, table: str) -> list[str]:
    return [one.name for one in gathered.store.campaign.tasks if one.table == table]
