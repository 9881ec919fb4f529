"""`evenhand watch`: what is decided already, however often one looks, and who leads now?"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.groups import work_on_groups
from evenhand.cli.kept import kept
from evenhand.cli.options import Verb, examples, group_option, output_options, reading_options
from evenhand.cli.output import take_output, write_file
from evenhand.cli.patience import Patience
from evenhand.cli.reading import Reading, remarks_on, take_reading
from evenhand.cli.watch_options import PACE, board_options, live_options
from evenhand.cli.watch_sources import find_campaign
from evenhand.errors import UnknownFormat, UnknownOption

if TYPE_CHECKING:
    from evenhand.cli.output import Output
    from evenhand.cli.watch_campaign import SightResult
    from evenhand.cli.watch_looks import Source
    from evenhand.cli.watch_result import WatchResult
    from evenhand.cli.watch_sources import Campaign
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.ranking.sequential.leaderboard import BoardState, LiveBoard
    from evenhand.ranking.sequential.watch import Watched

EXAMPLES: Final = (
    "evenhand watch votes.csv",
    "evenhand watch votes.csv --order answered_at --state board.json",
    "evenhand watch votes.csv --judge-votes 40",
    "evenhand watch --live votes.csv",
    "evenhand watch --live campaign.db",
    "evenhand watch --live campaign.links.csv",
)

SETTINGS: Final = ("order", "ties", "level", "judge_votes", "systems", "state", "seed", "group_by")
READING: Final = ("layout", "where", "columns", "weight", "outcomes", "merged")


@click.command(
    cls=Verb,
    short_help="What is decided already, however often one looks, and who leads now?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@board_options
@live_options
@output_options
@click.pass_context
def watch(
    context: click.Context,
    *,
    group_by: str | None,
    order: str | None,
    ties: Any,
    level: float | None,
    judge_votes: int | None,
    systems: str | None,
    state: str | None,
    seed: int | None,
    live: bool,
    every: float | None,
    insecure: bool,
) -> None:
    """Say what is decided while votes still come in, and who leads now.

    FILE holds votes; or it is the database of a campaign that is served, its
    file of links, or the organiser's link itself. --live goes on looking.

    What is decided stays right however often one looks, and whatever chose
    the pairs: for this panel of judges, under independent votes. A file that
    goes on keeps what its first votes decided. Where judges are known, rank
    sets must agree, and hold back what they do not confirm. Each task apart.
    """
    reading, place = take_reading(), take_output(state)
    _refuse_unfit(context, place, len(reading.files))
    asked = Asked(order, ties, level, judge_votes, _list(systems))
    campaign = find_campaign(reading.files[0], insecure=insecure, task=reading.task)
    if campaign is not None:
        _refuse_settings(context)
        if not live:
            place.deliver(_look_at(campaign))
            return
    elif insecure:
        raise UnknownOption("--insecure is for an organiser's link, and this is a file")
    if live:
        from evenhand.cli.watch_live import follow

        source = campaign or _open_file(reading, asked, state)
        follow(source, every or PACE, as_json=place.form == "json")
        return
    place.deliver(_replay(reading, asked, state, group_by, seed=seed))


@dataclass(frozen=True)
class Asked:
    """What was asked of a board; None for what was not."""

    order: str | None
    ties: Any
    level: float | None
    judge_votes: int | None
    systems: list[str] | None


def _replay(
    reading: Reading, asked: Asked, state: str | None, group_by: str | None, *, seed: int | None
) -> WatchResult:
    """Replay the votes of files, each task apart."""
    with Patience("watching"):
        from evenhand.cli.watch_result import WatchResult
        from evenhand.ranking.sequential.watch import watch as replay

        kept = None if state is None else _take_up(Path(state))
        settings, order, systems = _settle(kept, asked), asked.order, asked.systems
        data = reading.open_comparisons("watch")
        parts = _split(data, group_by)
        alone = group_by is None and len(parts) == 1
        if state is not None and not alone:
            raise UnknownOption("--state holds one board: choose one task (--task)")

        def work(part: Comparisons) -> Watched:
            return replay(part, settings, state=kept, order=order, systems=systems, seed=seed)

        found, refused = work_on_groups(parts, work, alone=alone)
        remarks = remarks_on(data)
    if state is not None:
        _keep(Path(state), found[""].state)
    return WatchResult({name: one.board for name, one in found.items()}, refused, remarks)


def _look_at(campaign: Campaign) -> SightResult:
    """Look at a campaign once."""
    from evenhand.cli.watch_campaign import SightResult
    from evenhand.cli.watch_screen import Status

    try:
        with Patience("looking"):
            sight = campaign.look()
    finally:
        campaign.close()
    now = time.time()
    return SightResult(sight, Status(now, now - sight.now / 1000))


def _open_file(reading: Reading, asked: Asked, state: str | None) -> Source:
    """Open a file of votes that grows."""
    from evenhand.cli.watch_sources import File
    from evenhand.ranking.sequential.watch import Beginning

    kept = None if state is None else _take_up(Path(state))
    settings = _settle(kept, asked)
    beginning = Beginning(settings, kept, asked.order, asked.systems)

    def open_table(path: Path) -> Comparisons:
        return replace(reading, files=(str(path),)).open_comparisons("watch")

    keep = None if state is None else partial(_keep, Path(state))
    return File(Path(reading.files[0]), open_table, beginning, keep)


def _refuse_unfit(context: click.Context, place: Output, files: int) -> None:
    """Refuse words that do not go together."""
    said = context.params
    if not said["live"]:
        if said["every"] is not None:
            raise UnknownOption("--every is the pace of --live: say that too")
        return
    if place.path is not None or place.form not in ("text", "json"):
        raise UnknownOption(
            "--live shows a board on the terminal, or with --json a line for each change: for a"
            " file or a table look once, without --live"
        )
    if files > 1:
        raise UnknownOption("--live watches one file, campaign or link at a time")
    for name, why in (("seed", "rankings, which are not followed"), ("group_by", "several boards")):
        if said[name] is not None:
            raise UnknownOption(f"--{name.replace('_', '-')} is for {why}: leave out --live")


def _refuse_settings(context: click.Context) -> None:
    """Refuse settings of a board, or of files, beside a campaign."""
    own = {name: context.params[name] for name in SETTINGS}
    own |= {name: kept(name) for name in READING}
    for name, value in own.items():
        if value:
            raise UnknownOption(
                f"{_name_option(context, name)} is for files of votes: a campaign has one board for"
                " all who look, as its organiser's page shows it; for another one take the table"
                " comparisons.csv home"
            )
    if len(kept("files")) > 1:
        raise UnknownOption("one campaign at a time can be watched")


def _name_option(context: click.Context, name: str) -> str:
    return next(max(one.opts, key=len) for one in context.command.params if one.name == name)


def _list(systems: str | None) -> list[str] | None:
    return None if systems is None else [name.strip() for name in systems.split(",")]


def _split(data: Comparisons, group_by: str | None) -> dict[str, Comparisons]:
    from evenhand.judgments.groups import choose_groups
    from evenhand.judgments.levels import split_table

    by = choose_groups(data, group_by)
    return {"": data} if by is None else split_table(data, by)


def _settle(kept: BoardState | None, asked: Asked) -> LiveBoard:
    """Return the settings that were asked for; where nothing was asked, those of the kept board."""
    from evenhand.ranking.sequential.leaderboard import LiveBoard

    base = LiveBoard() if kept is None else kept.settings
    return LiveBoard(
        base.ties if asked.ties is None else asked.ties,
        base.level if asked.level is None else asked.level,
        base.judge_votes if asked.judge_votes is None else asked.judge_votes,
    )


def _take_up(path: Path) -> BoardState | None:
    """Read the board in a file; None where there is no file yet."""
    from evenhand.ranking.sequential.leaderboard import read_board

    if not path.exists():
        return None
    try:
        return read_board(path.read_text(encoding="utf-8"))
    except (UnknownFormat, UnicodeDecodeError) as fault:
        raise UnknownFormat(f"{path}: {fault}") from None


def _keep(path: Path, state: BoardState) -> None:
    from evenhand.ranking.sequential.leaderboard import write_board

    write_file(path, write_board(state))
