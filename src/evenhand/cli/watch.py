"""`evenhand watch`: what is decided already, however often one looks, and who leads now?"""

from __future__ import annotations

import time
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli import options, running
from evenhand.errors import EvenhandError, UnknownFormat, UnknownOption, sentence_hint, suggest

if TYPE_CHECKING:
    from evenhand.cli.watch_screen import Looks, Source
    from evenhand.data.comparisons import Comparisons
    from evenhand.ranking.sequential.leaderboard import SequentialState
    from evenhand.ranking.sequential.watch import Beginning, GrowingVotes
    from evenhand.web.dashboard import CampaignStatus

TIES: Final = ("davidson", "discard")
HALF_WIN: Final = (
    "ties as half a win give no probability of a vote, without which nothing stays decided: choose"
    " davidson (ties are an outcome) or discard"
)
PACE: Final = 2.0  # Seconds between two looks, if not said otherwise

_board = options.under("What is decided")
_plan = options.under("A plan")
_live = options.under("While votes come in")


class Board(options.Options):
    order: str | None = _board(
        "--order COLUMN|rows",
        "What tells the order in which votes were given. Default: the column that tells when"
        " answers came in, else when questions were put, else the rows.",
    )
    ties: Any = _board(
        "--ties",
        "How ties are modelled. Default: davidson.",
        type=options.OneOf(TIES, {"half-win": HALF_WIN}),
    )
    level: float | None = _board(
        "--level PROPORTION",
        "Share of boards on which nothing false is ever decided. Default: .95.",
    )
    judge_votes: int | None = _board(
        "--judge-votes",
        "Also a column for any judges: the first so many votes of each make one vote of that"
        " judge on each pair.",
    )
    systems: str | None = _board(
        "--systems NAME,NAME",
        "Systems that take part, where that is known beforehand. Default: those of the first 60"
        " votes, or of as many as the square of the systems; direct votes and judges count from"
        " then on.",
    )
    state: str | None = _board(
        "--state FILE",
        "Go on with the board in this file, if it is there, and keep it there.",
        reads=True,
    )
    plan: str | None = _plan(
        "--plan FILE",
        "A TOML file that states systems, level, ties, order, judge_votes, seed, may_withdraw and"
        " variants before the first vote.",
        reads=True,
    )
    sha256: str | None = _plan(
        "--sha256 DIGEST", "The published SHA-256 of the plan; a file with another one is refused."
    )
    withdrawn: tuple[str, ...] = _plan(
        "--withdrawn NAME,NAME",
        "Systems to take off the board, if the plan allows it. Votes on them still count towards"
        " decisions about the others. Repeatable.",
    )
    seed: int | None = _board(
        "--seed",
        f"Of the pair that stands for a ranking. Default: that of --state, else {options.SEED}.",
    )

    @property
    def names(self) -> list[str] | None:
        return None if self.systems is None else [one.strip() for one in self.systems.split(",")]


class Live(options.Options):
    live: bool = _live(
        "--live",
        "Redraw the board until interrupted; in a pipe, and with --json, a line per change.",
    )
    every: float | None = _live(
        "--every SECONDS",
        f"Seconds between two looks of --live. Default: {PACE:g}.",
        type=click.FloatRange(min=0.1),
    )
    insecure: bool = _live(
        "--insecure",
        "Send the organiser's secret over http to another machine, where others can read it.",
    )


# What `evenhand watch` looks at: a campaign that runs, or a file of votes that grows.

WEB: Final = ("http://", "https://")
_SQLITE: Final = b"SQLite format 3\0"
_LINKS: Final = b"role,judge,link"
_LOG: Final = b'{"body":{'


class Campaign:
    def __init__(self, title: str, open_looks: Callable[[], Looks], task: str | None) -> None:
        self.title, self._looks, self._task = title, open_looks(), task
        self._seen: tuple[CampaignStatus, CampaignStatus] | None = None

    def look(self) -> CampaignStatus:
        whole = self._looks.look()
        if self._seen is None or self._seen[0] is not whole:
            passes = tuple(one for one in whole.passes if self._task in (None, one.name))
            if self._task is not None and not passes:
                hint = sentence_hint(suggest(self._task, [one.name for one in whole.passes]))
                raise UnknownOption(f"--task {self._task}: this campaign has no such pass{hint}")
            self._seen = (whole, replace(whole, passes=passes) if self._task else whole)
        return self._seen[1]

    def close(self) -> None:
        self._looks.close()


class File:
    def __init__(
        self,
        path: Path,
        open_table: Callable[[Path], Comparisons],
        beginning: Beginning,
        keep: Callable[[SequentialState], None] | None,
    ) -> None:
        from evenhand.ranking.sequential.watch import GrowingVotes

        self.title = path.name
        self._votes: GrowingVotes = GrowingVotes(path, open_table, beginning)
        self._keep, self._decided = keep, -1
        self._seen: CampaignStatus | None = None
        self._last: int | None = None

    def look(self) -> CampaignStatus:
        from evenhand.web.dashboard import CampaignStatus, PassStatus

        votes, waiting = self._votes, self._votes.file.waiting
        if not votes.look() and self._seen is not None and waiting == votes.file.waiting:
            return self._seen
        board = votes.board
        if self._seen is None or (board is not None and board.n_votes != self._seen.judged):
            self._last = int(votes.file.path.stat().st_mtime * 1000) if board else None
        if board is not None and len(board.decided) + len(board.held) != self._decided:
            self._decided = len(board.decided) + len(board.held)
            self._write()
        half = [f"{votes.file.waiting:,} bytes of a line that is not whole wait for the rest of it"]
        one = PassStatus("votes", why="there are no judgments yet")
        if board is not None:
            one = PassStatus("votes", board, board.says)
        self._seen = CampaignStatus(
            title=self.title,
            judged=0 if board is None else board.n_votes,
            now=int(time.time() * 1000),
            last=self._last,
            passes=(one,),
            faults=tuple(half if votes.file.waiting else ()),
        )
        return self._seen

    def _write(self) -> None:
        if self._keep is not None and self._votes.state is not None:
            self._keep(self._votes.state)

    def close(self) -> None:
        self._write()
        self._votes.close()


class RatedFile:
    """A file of ratings that grows, ranked anew when it has more whole lines."""

    def __init__(
        self,
        path: Path,
        open_table: Callable[[Path], Any],
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        from evenhand.formats.files import GrowingCopy

        self.title, self._open, self._file = path.name, open_table, GrowingCopy(path)
        self._settings = settings or {}  # of `describe_ratings`
        self._seen: CampaignStatus | None = None

    def look(self) -> CampaignStatus:
        from evenhand.data.query_log import name_originals
        from evenhand.web.dashboard import describe_ratings

        if self._file.read_new() or self._seen is None:
            last = int(self._file.path.stat().st_mtime * 1000)
            try:
                data = self._open(self._file.copy)
                self._seen = describe_ratings(data, self.title, last=last, **self._settings)
            except EvenhandError as fault:
                raise type(fault)(name_originals(str(fault))) from None
        return self._seen

    def close(self) -> None:
        self._file.close()


class Undecided:
    """A file of votes, as long as its first rows are not ratings."""

    def __init__(self, votes: File, open_ratings: Callable[[], RatedFile | None]) -> None:
        self.title, self._open_ratings = votes.title, open_ratings
        self._file: File | RatedFile = votes

    def look(self) -> CampaignStatus:
        try:
            return self._file.look()
        except EvenhandError:
            rated = self._open_ratings() if isinstance(self._file, File) else None
            if rated is None:
                raise
        self._file.close()
        self._file = rated
        return rated.look()

    def close(self) -> None:
        self._file.close()


def find_campaign(name: str, *, insecure: bool, task: str | None) -> Campaign | None:
    """Return the campaign that is at an address or in a file; None for a file of votes."""
    if name.startswith(WEB):
        return _visit(name, insecure=insecure, task=task)
    path, begins, elsewhere = Path(name), b"", "://" in name
    if not elsewhere and path.is_file():
        with path.open("rb") as file:
            begins = file.read(max(map(len, (_SQLITE, BOM_UTF8 + _LINKS, _LOG))))
    if elsewhere or begins.startswith(_SQLITE):
        from evenhand.web.dashboard import ReadOnlyClient

        title = "campaign" if elsewhere else path.name
        return Campaign(title, partial(ReadOnlyClient, name), task)
    if begins.removeprefix(BOM_UTF8).replace(b";", b",").startswith(_LINKS):
        from evenhand.web.links import find_admin_link

        return _visit(find_admin_link(path), insecure=insecure, task=task)
    if begins.startswith(_LOG):
        raise UnknownOption(
            f"'{name}' is the log of a campaign, which holds no texts, systems and passes of it:"
            " watch the campaign's database, its file of links, or the table comparisons.csv"
        )
    return None


def _visit(address: str, *, insecure: bool, task: str | None) -> Campaign:
    from evenhand.web.dashboard import HttpClient, read_link

    link = read_link(address, insecure=insecure)
    return Campaign(link.host, partial(HttpClient, link), task)


READING: Final = ("layout", "where", "without", "columns", "weight", "outcomes", "system_separator")


@options.verb(
    "evenhand watch votes.csv",
    "evenhand watch votes.csv --order answered_at --state board.json",
    "evenhand watch votes.csv --judge-votes 40",
    "evenhand watch --live votes.csv",
    "evenhand watch --live campaign.db",
    "evenhand watch --live campaign.links.csv",
)
def watch(
    run: options.Run, *, groups: options.Grouping, scores: options.Scores, board: Board, live: Live
) -> running.Result | None:
    """Say what is decided while votes still come in, and who leads now.

    FILE holds votes or ratings; or it is the database of a campaign that is
    served, its file of links, or the organiser's link itself. --live goes on
    looking. Ratings are ranked anew at each look: their ranks hold for one.

    What is decided stays right however often one looks, and whatever chose
    the pairs: for this panel of judges, under independent votes. A file that
    goes on keeps what its first votes decided. Where judges are known, rank
    sets must agree, and hold back what they do not confirm. Each task apart.
    """
    reading = run.reading
    _refuse_unfit(live, board, run.place, len(reading.files))
    settings = {**scores.settings}  # of `describe_ratings`
    criterion = settings.pop("criterion")  # it is chosen when the file is read
    how = {"group_by": groups.group_by, "settings": settings}
    campaign = find_campaign(reading.files[0], insecure=live.insecure, task=reading.task)
    if campaign is not None:
        _refuse_settings(reading, {**vars(board), **vars(groups), **vars(scores)})
        if not live.live:
            from evenhand.cli.watch_screen import SightResult, Status

            try:
                with running.ProgressDisplay("looking"):
                    sight = campaign.look()
            finally:
                campaign.close()
            now = time.time()
            return SightResult(sight, Status(now, now - sight.now / 1000))
    elif live.insecure:
        raise UnknownOption("--insecure is for an organiser's link, and this is a file")
    if not live.live:
        return _look_once(reading, board, criterion, how)
    from evenhand.cli.watch_screen import follow

    open_ratings = partial(_open_ratings, reading, board, criterion, how)
    source: Source | None = campaign or open_ratings()
    if source is None:
        if groups.group_by is not None:
            raise UnknownOption("--group-by is for several boards: leave out --live")
        options.refuse_of_ratings()

        def open_votes(path: Path) -> Comparisons:
            return _read_again(reading, path).open_comparisons("watch")

        keep = None if board.state is None else partial(_keep, Path(board.state))
        votes = File(Path(reading.files[0]), open_votes, _take_up(board), keep)
        source = Undecided(votes, open_ratings)
    follow(source, live.every or PACE, as_json=run.place.form == "json")
    return None


def _open_ratings(
    reading: options.Reading, board: Board, criterion: str | None, how: Mapping[str, Any]
) -> RatedFile | None:
    """Return a file of ratings that grows; what cannot be read yet is said by who reads it."""
    from evenhand.data.groups import choose_criterion
    from evenhand.data.ratings import Ratings

    try:
        data = reading.open()
    except EvenhandError:
        return None
    if not isinstance(data, Ratings):
        return None
    _refuse_of_votes(board)

    def open_table(path: Path) -> Any:
        return choose_criterion(_read_again(reading, path).open(), criterion)  # type: ignore[arg-type]

    return RatedFile(Path(reading.files[0]), open_table, how)


def _read_again(reading: options.Reading, path: Path) -> options.Reading:
    return options.Reading({**vars(reading), "files": (str(path),)})


def _refuse_of_votes(board: Board) -> None:
    given = [name for name, value in vars(board).items() if value]
    if given:
        raise UnknownOption(
            f"{options.write_option(given[0])} is for votes; these are ratings, which are ranked"
            " anew at each look: leave it out"
        )


def _look_once(
    reading: options.Reading, board: Board, criterion: str | None, how: Mapping[str, Any]
) -> running.Result | running.VerbResult:
    from evenhand.cli.watch_screen import SightResult, Status
    from evenhand.data.controls import require_systems, take_pairs
    from evenhand.data.groups import choose_criterion
    from evenhand.data.ratings import Ratings
    from evenhand.web.dashboard import describe_ratings

    of_ratings = any(map(options.is_given, options.OF_RATINGS))
    read = reading.open(options.kinds_of(ratings=of_ratings))
    require_systems(read)
    if isinstance(read, Ratings):
        _refuse_of_votes(board)
        with running.ProgressDisplay("ranking"):
            path = Path(reading.files[0])
            last = int(path.stat().st_mtime * 1000) if path.is_file() else None
            chosen = choose_criterion(read, criterion)
            sight = describe_ratings(chosen, path.name, last=last, **how)
        return SightResult(sight, Status(time.time()))
    options.refuse_of_ratings()
    data, group_by = take_pairs(read), how["group_by"]
    with running.ProgressDisplay("watching"):
        from evenhand.ranking.sequential.watch import replay_votes as replay

        beginning = _take_up(board)
        parts = running.split_groups(data, group_by)
        if board.plan is not None and group_by is not None:
            raise UnknownOption("a plan is of one board: leave out --group-by")
        if board.state is not None and (group_by is not None or len(parts) > 1):
            raise UnknownOption("--state holds one board: choose one task (--task)")
        results, refused = running.work_on_groups(
            parts, lambda part: replay(part, beginning, seed=board.seed), group_by
        )
        remarks = running.remarks_on(data)
    if board.state is not None:
        _keep(Path(board.state), results[""].state)
    return running.VerbResult({name: one.board for name, one in results.items()}, refused, remarks)


def _refuse_unfit(live: Live, board: Board, place: running.Output, files: int) -> None:
    if not live.live:
        if live.every is not None:
            raise UnknownOption("--every is the pace of --live: say that too")
        return
    if place.path is not None or place.form not in ("text", "json"):
        raise UnknownOption(
            "--live shows a board on the terminal, or with --json a line for each change: for a"
            " file or a table look once, without --live"
        )
    if files > 1:
        raise UnknownOption("--live watches one file, campaign or link at a time")
    if board.seed is not None:
        raise UnknownOption("--seed is for rankings, which are not followed: leave out --live")


def _refuse_settings(reading: options.Reading, settings: Mapping[str, Any]) -> None:
    of_reading = {name: getattr(reading, name) for name in READING}
    for name, value in {**settings, **of_reading}.items():
        if value:
            raise UnknownOption(
                f"{options.write_option(name)} is for files of votes: a campaign has one board for"
                " all who look, as its organiser's page shows it; for another one take the table"
                " comparisons.csv home"
            )
    if len(reading.files) > 1:
        raise UnknownOption("one campaign at a time can be watched")


def _take_up(asked: Board) -> Beginning:
    """Return how the board begins: by a plan, or as the kept one, if there is one."""
    from evenhand.ranking.sequential.leaderboard import LiveLeaderboard, read_board
    from evenhand.ranking.sequential.watch import Beginning

    saved, path = None, Path(asked.state or "")
    if asked.state is not None and path.exists():
        try:
            saved = read_board(path.read_text(encoding="utf-8"))
        except (UnknownFormat, UnicodeDecodeError) as fault:
            raise UnknownFormat(f"{path}: {fault}") from None
    chosen = {name: getattr(asked, name) for name in ("ties", "level", "judge_votes")}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    settings = replace(saved.settings if saved else LiveLeaderboard(), **chosen)
    return Beginning(settings, saved, asked.order, asked.names).follow(
        asked.plan,
        asked.sha256,
        {**chosen, "seed": asked.seed},
        withdrawn=options.split_names(asked.withdrawn),
    )


def _keep(path: Path, state: SequentialState) -> None:
    from evenhand.ranking.sequential.leaderboard import write_board

    running.write_file(path, write_board(state))
