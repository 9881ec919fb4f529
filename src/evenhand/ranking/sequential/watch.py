"""A table of votes replayed as it arrived: what was decided when? And one that grows.

With each vote is decided what can be. Nothing rests on the end of the table, so that a longer table
with the same beginning decides all that a shorter one does, and a file that is followed has the
board of one that is looked at once. A plan states what could else be chosen by who sees votes; what
a board decides holds at all looks, so that it states no looks and no end.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from evenhand import errors
from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion
from evenhand.data.query_log import name_originals
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.data.tally import take_names
from evenhand.formats.files import QUOTED, GrowingCopy
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.plans import Kinds, join_plan, list_chosen, read_plan, require_digest
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.ratings import refuse_of_votes
from evenhand.ranking.sequential import leaderboard
from evenhand.ranking.sequential.votes import Arrival, arrange_votes
from evenhand.ranking.texts import say_of_boards as say
from evenhand.render.document import Document, Finding

OF_BOARDS: Final = ("ties", "level", "judge_votes")  # fields of `LiveLeaderboard`
KINDS: Final[Kinds] = {
    "systems": (list,),
    "level": (int, float),
    "ties": (str,),
    "order": (str,),
    "judge_votes": (int,),
    "seed": (int,),
    "may_withdraw": (list,),
    "variants": (dict,),
}


@dataclass(frozen=True)
class BoardPlan:
    """What a file states of a board before its first vote."""

    systems: tuple[str, ...]
    settings: leaderboard.LiveLeaderboard
    order: str | None = None
    seed: int | None = None
    may_withdraw: tuple[str, ...] = ()  # systems that may be taken from the board later
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # owner → systems
    sha256: str = ""

    def start(self, state: leaderboard.SequentialState | None) -> leaderboard.SequentialState:
        if state is None:
            state = self.settings.start(sorted(self.systems))
            state.plan_sha256 = self.sha256
        elif state.plan_sha256 != self.sha256:
            before = state.plan_sha256
            other = f"with another plan, {before}" if before else "without one"
            raise errors.InvalidJudgments(
                f"the plan has SHA-256 {self.sha256}, and this board was begun {other}: begin a"
                " new board"
            )
        return state

    def withdraw(self, state: leaderboard.SequentialState, names: Sequence[str]) -> None:
        """Take systems from a board; their votes go on counting in what is decided of others."""
        if barred := [name for name in names if name not in self.may_withdraw]:
            allowed = errors.listing(self.may_withdraw, len(self.may_withdraw)) or "no system"
            raise errors.InvalidJudgments(
                f"{errors.listing(barred)} may not be withdrawn: the plan allows {allowed} to be"
                " withdrawn"
            )
        withdrawn = {*state.withdrawn, *names}
        if len({*self.systems} - withdrawn) < 2:
            raise errors.InvalidJudgments(
                f"without {errors.listing(sorted(withdrawn))} fewer than two systems are on the"
                " board: withdraw fewer"
            )
        state.withdrawn = tuple(sorted(withdrawn))

    def require_whole(self, excluded: Sequence[Exclusion]) -> None:
        """Refuse votes from which systems of the plan were excluded."""
        if gone := [one for each in excluded for one in each.system_names if one in self.systems]:
            way = "keep all votes"
            if {*gone} <= {*self.may_withdraw}:
                way += f"; --withdrawn {','.join(gone)} takes {_them(gone)} off the board"
            raise errors.InvalidJudgments(
                f"votes on {errors.listing(gone)} were excluded, and the plan names"
                f" {_them(gone)}: {way}"
            )

    def describe(
        self, state: leaderboard.SequentialState, excluded: Sequence[Exclusion] = ()
    ) -> tuple[Finding, ...]:
        voted = {state.systems[code] for pair in state.shown for code in pair}
        silent = [name for name in self.systems if name not in {*voted, *state.withdrawn}]
        notes = [say("planned", digest=self.sha256)]
        if chosen := list_chosen(excluded):
            notes.append(say("unplanned-rows", "warning", what=chosen))
        if later := [name for name in state.systems if name not in self.systems]:
            notes.append(say("unplanned-systems", names=later))
        for code, names in (("withdrawn", state.withdrawn), ("no-votes-yet", silent)):
            if names:
                notes.append(say(code, names=names))
        notes += [say("variants", owner=one, names=names) for one, names in self.variants.items()]
        return tuple(notes)


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def read_board_plan(path: str | Path, published: str | None, given: Mapping[str, Any]) -> BoardPlan:
    """Read the plan of a board; published: its SHA-256; given: settings, which must be the same."""
    stated, digest = read_plan(path, "board", KINDS)
    require_digest(path, digest, published)
    asked = {k: one for k, one in given.items() if k in stated or not is_usual(k, one)}
    if asked.get("systems") is not None and isinstance(stated.get("systems"), list):
        named = sorted(asked["systems"]) == sorted(map(str, stated["systems"]))
        asked["systems"] = stated["systems"] if named else [*asked["systems"]]
    stated = join_plan(asked, stated)
    systems = _take_systems(stated.get("systems", []), path, "systems")
    if len(systems) < 2:
        raise errors.UnknownOption(f'\'{path}\': a plan names the systems: systems = ["A", "B"]')
    variants = {
        owner: _take_systems(names, path, f"variants.{owner}", among=systems)
        for owner, names in stated.get("variants", {}).items()
    }
    owned = Counter(name for names in variants.values() for name in names)
    if several := [name for name, owners in owned.items() if owners > 1]:
        raise errors.UnknownOption(
            f"'{path}': {errors.listing(several)} cannot have two owners in variants"
        )
    return BoardPlan(
        systems,
        leaderboard.LiveLeaderboard(**{name: stated[name] for name in OF_BOARDS if name in stated}),
        stated.get("order"),
        stated.get("seed"),
        _take_systems(stated.get("may_withdraw", []), path, "may_withdraw", among=systems),
        variants,
        digest,
    )


def is_usual(name: str, value: object) -> bool:
    return name in OF_BOARDS and value == getattr(leaderboard.LiveLeaderboard(), name)


def _take_systems(
    names: object, path: str | Path, key: str, among: Sequence[str] | None = None
) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(one, str) and one for one in names):
        raise errors.UnknownOption(f"'{path}': {key} cannot be {names!r}: it is a list of names")
    unknown = [] if among is None else [one for one in names if one not in among]
    if unknown:
        raise errors.UnknownOption(
            f"'{path}': {key} names {errors.listing(unknown)}, which systems does not"
        )
    if len({*names}) < len(names):
        raise errors.UnknownOption(f"'{path}': {key} names a system twice: once will do")
    return tuple(names)


REST_FACTOR: Final = 19.0  # Rank sets are made anew after so many times what they took
Open = Callable[[Path], Comparisons]


@dataclass(frozen=True, eq=False, repr=False)
class Watched(Shown):
    board: leaderboard.Leaderboard  # what is decided, and who leads now
    state: leaderboard.SequentialState  # the votes, to go on with
    arrival: Arrival  # the votes of the table
    confirmed: leaderboard.Confirmation | None  # by rank sets; None without judges

    @property
    def signature(self) -> str:
        return self.board.signature

    def document(self) -> Document:
        return self.board.document()


@controls.takes_judgments("data")
def watch(
    data: Comparisons | Rankings | Ratings | controls.Openable,
    settings: leaderboard.LiveLeaderboard | None = None,
    *,
    state: leaderboard.SequentialState | None = None,
    order: str | None = None,
    systems: Sequence[str] | None = None,
    seed: int | None = None,
    plan: str | Path | None = None,
    plan_sha256: str | None = None,
    withdrawn: Sequence[str] = (),
) -> Watched | Ranking | GroupedRankings:
    """Replay votes in the order in which they were given, and decide with each what can be.

    What some votes decide, the same votes and more decide too. Where judges are known,
    what the votes decide must also be decided now by the rank sets of these judges (`rank`); else
    it is held back.

    Args:
        data: comparisons, or rankings, of which each is one vote; of one task. Ratings are ranked,
            as `rank` does with its defaults: a ranking that holds for one look.
        settings: of the board; `LiveLeaderboard()` by default.
        state: a board to go on with, which is changed: the table must begin with the votes that it
            has seen. Its own settings hold.
        order: a column of times or numbers, "rows" for the order of the table, or None for the
            column that tells when answers were given, else when questions were put, and for the
            rows where there is none. With a state take the order of answers: one that comes late
            would else stand before votes that were seen.
        systems: those that take part, where that is known before the first vote; else the first
            votes name them (`LiveLeaderboard.start`). A state has named them.
        seed: of the pair that stands for a ranking; by default that of the state, else 20131.
        plan: a TOML file that states systems, level, ties, order, judge_votes, seed, may_withdraw
            and variants before the first vote; what is given beside it must be the same.
        plan_sha256: the SHA-256 of the plan as it was published; another is refused.
        withdrawn: systems that are taken from the board, as the plan allows. Votes on them go on
            counting in what is decided of others, which therefore holds.

    Raises:
        InvalidJudgments: a plan that was changed, or a system that may not be withdrawn; several
            tasks; votes that are not those the state has seen; a bad cell.
        NotIdentified: fewer than two systems.
        UnknownOption: settings, systems or a seed beside a state that has others, or a level that
            the rank sets of known judges cannot show.
        UnknownColumn: no such column.
    """
    if isinstance(data, Ratings):
        of_votes = {"settings": settings, "state": state, "order": order, "systems": systems}
        of_plans = {"plan": plan, "plan_sha256": plan_sha256, "withdrawn": withdrawn or None}
        refuse_of_votes({**of_votes, "seed": seed, **of_plans})
        return rank(data)
    # of settings as a whole it is not known which were given: those that are not the usual ones
    fields = {} if settings is None else asdict(settings)
    given = {name: value for name, value in fields.items() if not is_usual(name, value)}
    how = Beginning(settings, state, order, systems).follow(
        plan, plan_sha256, {**given, "seed": seed}, withdrawn=take_names(withdrawn)
    )
    return replay_votes(data, how, seed=seed)


@dataclass(frozen=True)
class Beginning:
    """How a board begins, or goes on."""

    # of the board; None for those of the state, or the usual ones
    settings: leaderboard.LiveLeaderboard | None = None
    state: leaderboard.SequentialState | None = None  # a board to go on with, or None
    order: str | None = None  # as for `watch`
    systems: Sequence[str] | None = None  # those that take part, where that is known
    plan: BoardPlan | None = None  # instead of these settings
    withdrawn: Sequence[str] = ()  # systems that are taken from the board

    def follow(
        self,
        path: str | Path | None,
        published: str | None,
        given: Mapping[str, Any],
        *,
        withdrawn: Sequence[str] = (),
    ) -> Beginning:
        """Return the same by a plan, where there is one; what was given must be what it states."""
        if path is None:
            if withdrawn:
                raise errors.UnknownOption(
                    "systems are withdrawn from a board that has a plan, which says who may: name"
                    " it (--plan FILE, in Python plan=)"
                )
            require_digest(None, "", published)
            return self
        beside = {**given, "order": self.order, "systems": self.systems}
        plan = read_board_plan(path, published, beside)
        return Beginning(state=self.state, plan=plan, withdrawn=withdrawn)

    def start(self) -> leaderboard.SequentialState:
        if self.plan is not None:
            planned = self.plan.start(self.state)
            self.plan.withdraw(planned, self.withdrawn)
            return planned
        state, systems = self.state, self.systems
        if state is None:
            settings = self.settings or leaderboard.LiveLeaderboard()
            return settings.start([] if systems is None else sorted(systems))
        if state.plan_sha256:
            raise errors.UnknownOption(
                "this board was begun with a plan, the file with SHA-256"
                f" {state.plan_sha256}: name it (--plan FILE, in Python plan=)"
            )
        if self.settings not in (None, state.settings):
            raise errors.UnknownOption(
                f"this board has settings of its own: {state.settings.says}; leave out other ones,"
                " or begin a new board"
            )
        named = state.systems[: state.founders or 0]
        if systems is not None and sorted(systems) != sorted(named):
            raise errors.UnknownOption(
                "this board has systems of its own"
                f" ({errors.listing(named) or 'its first votes name them'}): leave out --systems,"
                " or begin a new board"
            )
        return state

    @property
    def asked_order(self) -> str | None:
        return self.order if self.plan is None else self.plan.order

    def describe(
        self, state: leaderboard.SequentialState, excluded: Sequence[Exclusion] = ()
    ) -> tuple[Finding, ...]:
        return () if self.plan is None else self.plan.describe(state, excluded)


@controls.carries_excluded(*controls.OF_SYSTEMS)
def replay_votes(
    data: Comparisons | Rankings | controls.Openable, how: Beginning, *, seed: int | None = None
) -> Watched:
    table = controls.require_pairs(data, "only comparisons and rankings can be watched, not")
    if len(table.tasks()) > 1:
        raise errors.InvalidJudgments("the table holds several tasks: choose one with task=...")
    state, excluded = how.start(), () if how.plan is None else controls.find_excluded(data)
    if how.plan is not None:
        how.plan.require_whole(excluded)
        seed = how.plan.seed if seed is None else seed
    if seed is not None:
        errors.require_seed(seed)
        if table.has("ranking") and state.seed not in (None, seed):
            raise errors.UnknownOption(
                f"this board drew the pairs that stand for rankings with seed {state.seed}, not"
                f" {seed}: leave out --seed, or begin a new board"
            )
    else:
        seed = SEED if state.seed is None else state.seed
    arrival = arrange_votes(table, how.asked_order, seed)
    if len(arrival.systems) < 2:
        raise errors.NotIdentified("there is nothing to decide: there are fewer than two systems")
    leaderboard.refuse_too_sure(table, state.settings)
    difference = state.find_difference(arrival.votes)
    if difference is not None:
        raise errors.InvalidJudgments(_say_difference(arrival, state, difference))
    with one_blas_thread():
        for vote in arrival.votes[state.seen.votes :]:
            state.follow([vote])
    state.sides_known &= arrival.sides_known
    state.order, state.seed = arrival.order, seed if table.has("ranking") else state.seed
    confirmed = leaderboard.confirm_pairs(table, state.settings)
    board = state.show(confirmed)
    notes = (
        *how.describe(state, excluded),
        *controls.say_left_out(data, table),
        *arrival.notes,
        *board.notes,
    )
    return Watched(replace(board, notes=notes), state, arrival, confirmed)


def _say_difference(arrival: Arrival, state: leaderboard.SequentialState, place: int) -> str:
    votes, known, ordered = arrival.votes, state.seen.votes, f"ordered by {arrival.order}"
    if state.order not in ("", arrival.order):
        ordered += f" where the board was by {state.order}"
    if place == len(votes):
        return (
            f"the board has seen {known:,} votes, and this table holds the first {place:,} of them:"
            " give it all votes, old ones first, or begin a new board"
        )
    vote = votes[place]
    judge = f", by {vote.judge}" if vote.judge else ""
    question = f" on {vote.question}" if vote.question else ""
    return (
        f"vote {place + 1:,} of this table, {ordered}, is not the one that the board has seen"
        f" there: {vote.left} against {vote.right}: {vote.outcome}{judge}{question}. What came"
        f" later must stand behind the {known:,} votes that it has seen: order by when answers came"
        " in, undo the change, or begin a new board"
    )


class GrowingVotes:
    """The votes of a file that grows: each is read and counted once, in the order of the file."""

    # Where a piece cannot be counted by itself (a vote that is older than one before it, or nothing
    # but controls), the whole file is replayed, which says what is wrong or goes on.

    def __init__(
        self,
        path: Path,
        open_table: Open,
        beginning: Beginning,
        *,
        rest: float = REST_FACTOR,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.file, self.state = GrowingCopy(path), beginning.state
        self.board: leaderboard.Leaderboard | None = None
        self._open, self._beginning, self._rest, self._clock = open_table, beginning, rest, clock
        self._copy = self.file.copy
        self._header = b""
        self._notes: tuple[str, ...] = ()
        self._chosen = False  # whether rows are excluded, which the whole file alone can count
        self._confirmed: leaderboard.Confirmation | None = None
        self._latest: float | None = None
        self._stale, self._due_at = False, 0.0  # whether rank sets lack votes, and when to make any

    def look(self) -> bool:
        """Count what is new, and say whether the board changed."""
        fresh = self.file.read_new()
        try:
            return self._take_in(fresh)
        except errors.EvenhandError as fault:
            raise type(fault)(name_originals(str(fault))) from None

    def close(self) -> None:
        self.file.close()

    def _take_in(self, fresh: bytes) -> bool:
        state = self.state
        if self.board is None or state is None:
            return self._begin()
        if fresh:
            self._stale = True
            if self._chosen or not self._count(state, fresh):
                self._replay()
                return True
        due = self._stale and self._clock() >= self._due_at
        if due:
            begun = self._clock()
            self._confirmed = leaderboard.confirm_pairs(self._read(self._copy), state.settings)
            self._rest_from(begun)
        if fresh or due:
            board = state.show(self._confirmed)
            planned = self._beginning.describe(state)
            self.board = replace(board, notes=(*planned, *self._notes, *board.notes))
        return bool(fresh) or due

    def _begin(self) -> bool:
        """Replay the file once it holds a judgment."""
        whole = self._copy.read_bytes() if self._copy.exists() else b""
        if self._copy.suffix.lower() not in (*QUOTED, ".tsv"):
            self._header = b""
        elif not self._header:
            self._header = whole[: whole.find(b"\n") + 1]
        if len(whole) == len(self._header):
            return False
        self._replay()
        return True

    def _replay(self) -> None:
        begun, how = self._clock(), self._beginning
        table = self._read(self._copy)
        settings = how.settings if self.state is None else None
        watched = replay_votes(table, replace(how, settings=settings, state=self.state))
        self.state, self.board = watched.state, watched.board
        span, self._notes = watched.arrival.span, watched.arrival.notes
        self._latest = None if span is None else span[1]
        self._confirmed, self._chosen = watched.confirmed, bool(table.source.exclusions)
        self._rest_from(begun)

    def _rest_from(self, begun: float) -> None:
        now = self._clock()
        self._stale, self._due_at = False, now + self._rest * (now - begun)

    def _read(self, path: Path) -> Comparisons:
        table = self._open(path)
        if table.has("ranking") or table.rankings is not None:
            raise errors.UnknownFormat(
                f"'{self.file.path}' holds rankings, whose rows could come apart while it grows:"
                " look at it without --live, or watch the database of the campaign"
            )
        return table

    def _count(self, state: leaderboard.SequentialState, fresh: bytes) -> bool:
        """Count new lines by themselves; say whether that could be done."""
        piece = self._copy.with_name(f"new{self._copy.suffix}")
        piece.write_bytes(self._header + fresh)
        try:
            arrival = arrange_votes(self._read(piece), self._beginning.asked_order, SEED)
        except errors.EvenhandError:  # the whole file says it, with the right numbers of rows
            return False
        if arrival.order != state.order:
            return False
        if arrival.span is not None:
            first, last = arrival.span
            latest, self._latest = self._latest, last
            if latest is not None:
                self._latest = max(last, latest)
                if first < latest:  # older than a vote that was counted
                    return False
        with one_blas_thread():
            for vote in arrival.votes:
                state.follow([vote])
        state.sides_known &= arrival.sides_known
        return True
