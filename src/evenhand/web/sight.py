"""A campaign in sight: what the organiser's page shows of now, as one value for programs.

The same boards, the same findings and the same rights as the page; nothing is computed for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from evenhand.design.tasks import Task
from evenhand.ranking.sequential.leaderboard import Board
from evenhand.web.findings import NOTHING
from evenhand.web.looks import Look, Looks
from evenhand.web.overview import overlook, read_mark
from evenhand.web.store.readable import Readable
from evenhand.web.store.reading import make_line
from evenhand.web.store.record import JUDGMENTS, read_record
from evenhand.web.store.schema import log


@dataclass(frozen=True)
class Mean:
    """A system of a pass with scores."""

    system: str  # its name
    place: int  # its place by the mean, from 1
    mean: float  # mean score, on the scale of the pass
    n: int  # scores


@dataclass(frozen=True)
class PassSight:
    """A pass."""

    name: str  # of the pass
    # what is decided and who leads; None where nothing was judged, or it has scores
    board: Board | None = None
    says: tuple[str, ...] = ()  # the board in sentences
    # pairs, better and worse, that stood as decided and are held back now
    lapsed: tuple[tuple[str, str], ...] = ()
    # of a pass with scores, the best system first; nothing of them is decided
    means: tuple[Mean, ...] = ()
    why: str = ""  # why there is neither; "" where there is one


@dataclass(frozen=True)
class Flagged:
    """A judge who is to be doubted."""

    judge: str  # the pseudonym
    flags: tuple[str, ...]  # what for


@dataclass(frozen=True)
class PanelSight:
    """The judges of a table."""

    table: str  # comparisons, rankings or ratings
    flagged: tuple[Flagged, ...] = ()  # who is to be doubted
    why: str = ""  # why nobody can be flagged; "" where they can


@dataclass(frozen=True)
class Sight:
    """What can be said of judgments that come in."""

    title: str  # of the campaign
    judged: int  # judgments that stand
    now: int  # when this was seen, by the same clock
    remaining: int | None = None  # how many are still to come; None where nobody knows
    pace: str = ""  # how long they take at the pace of late, in words; "" where that is not known
    # when they are there at this pace, as ISO 8601; None where that is not known
    done_by: str | None = None
    paused: bool = False  # whether nothing is served
    # when the last judgment came, in milliseconds since 1970; None before the first
    last: int | None = None
    passes: tuple[PassSight, ...] = ()  # in the order of the campaign
    panels: tuple[PanelSight, ...] = ()  # judges, table by table
    whole: bool = True  # whether boards have counted everything
    faults: tuple[str, ...] = ()  # what failed
    head: str = ""  # the end of the log: NUMBER:HASH
    # of this state; whoever gives it back is told nothing as long as nothing is new. "" while
    # more is still to be computed.
    mark: str = ""


def take_sight(store: Readable, looks: Looks, known: str = "") -> Sight | None:
    """Look at a campaign; None where nothing is new to whoever has seen a state."""
    head, mark = read_mark(store)
    if known == mark:
        return None
    look, told = looks.look(), overlook(store)
    done_by = told["done_by"]
    return Sight(
        title=told["title"],
        judged=told["done"],
        remaining=told["total"] - told["done"],
        pace=told["pace"],
        done_by=None if done_by is None else done_by.isoformat(timespec="minutes"),
        paused=told["paused"],
        last=read_last(store),
        now=store.clock.now(),
        passes=tuple(_see_pass(look, task) for task in store.campaign.tasks),
        panels=_see_panels(look),
        whole=look.whole,
        faults=look.faults,
        head=str(told["head"]),
        mark=mark if look.whole and look.record >= head else "",
    )


def read_last(store: Readable) -> int | None:
    """Return when the last judgment came (milliseconds since 1970); None before the first."""
    wanted = select(log).where(log.c.kind.in_(JUDGMENTS)).order_by(log.c.number.desc()).limit(1)
    with store.reading() as connection:
        found = connection.execute(wanted).first()
    return None if found is None else read_record(make_line(found)).at


def _see_pass(look: Look, task: Task) -> PassSight:
    """Return a pass as the page shows it."""
    live, order = look.boards.get(task.name), look.findings.orders[task.name]
    if live is not None and live.board.n_votes:
        return PassSight(task.name, live.board, live.board.says, live.lapsed)
    if live is None and order.rows:
        rows = (Mean(one.system, int(one.rank), one.value, one.n) for one in order.rows)
        return PassSight(task.name, means=tuple(rows))
    return PassSight(task.name, why=order.why or NOTHING)


def _see_panels(look: Look) -> tuple[PanelSight, ...]:
    """Return who is flagged, and of which judges nothing can be said."""
    found = []
    for table, panel in look.findings.panels.items():
        if panel.screening is None:
            found.append(PanelSight(table, why=panel.why))
            continue
        flagged = (Flagged(one.judge, one.flags) for one in panel.screening.flagged)
        found.append(PanelSight(table, tuple(flagged), panel.screening.abstains or ""))
    return tuple(found)
