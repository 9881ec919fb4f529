"""A board as JSON, so that it can be taken up again after a restart.

What is decided after it is what would have been decided without it. A checksum tells whether the
file was changed; it keeps nobody from writing another one on purpose.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar, Final, Literal, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownFormat,
    UnknownOption,
    listing,
    require_option,
)
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.exclusions import write_excluded
from evenhand.judgments.labels import OUTCOMES
from evenhand.judgments.names import take_names
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.signature import write_signature
from evenhand.judgments.votes import TIE
from evenhand.numerics.graph import Graph, strong_components, weak_components
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.sequential.likelihood import (
    JUDGES,
    SHARE,
    Budget,
    Claim,
    Coded,
    Lookout,
    Numerator,
    decide_pairs,
    find_supremum,
)
from evenhand.ranking.sequential.votes import JudgeSigns, Vote, chain_digests, count_needed
from evenhand.ranking.sides import note_sides

# Where systems stand: by what is decided, and by what leads now.
#
# Who leads is read off log-worths, and log-worths of systems that no vote joins, directly or
# through others, cannot be compared: a group that met weaker opponents would seem to lead. They
# stand group by group, and nobody has a place.

Array = NDArray[np.float64]
Groups = tuple[tuple[str, ...], ...]  # Names of the systems that votes join

LEVEL: Final = 1e-9  # Log-worths no farther apart than this are level: what is left of rounding
# What systems were that no vote joins where ties are left out
ONLY_TIED: Final = "only ever tied, or never compared,"


@dataclass(frozen=True)
class Standing:
    """A system on the board."""

    system: str  # its name
    # its place by what leads now, from 1; level systems share one. None where votes do
    place: int | None
    # fitted to all votes with a weak prior; the mean of the board, or of a group that no vote
    # joins with others, is about 0
    log_worth: float
    wins: int  # votes that preferred it
    ties: int  # votes that preferred neither
    losses: int  # votes that preferred the other
    better_than: int  # systems that it is decided to be better than
    worse_than: int  # systems that are decided to be better
    better_by_judges: int | None  # the same by judges, one vote each; None without that column
    lower: int  # the best place that what is decided leaves it
    upper: int  # the worst


def list_standings(
    state: BoardState, worth: Array, decided: tuple[Claim, ...], groups: Groups
) -> tuple[Standing, ...]:
    """Return the systems, the leading one first; equals stand by name and share a place.

    Where votes do not join all systems they stand group by group, and have no place.

    worth: (K,) log-worths now.
    """
    names, k = state.systems, len(state.systems)
    better = Counter(one.better for one in decided)
    worse = Counter(one.worse for one in decided)
    judged = Counter(one.better for one in state.judge_claims)
    votes = _count(state)
    places = share_places(worth)
    found = []
    group = {name: i for i, part in enumerate(groups) for name in part}
    order = sorted(range(k), key=lambda code: (group[names[code]], places[code], names[code]))
    for code in order:
        name, place = names[code], places[code] if len(groups) < 2 else None
        won, tied, lost = votes[code]
        ends = (1 + worse[name], k - better[name])
        by_judges = None if state.signs is None else judged[name]
        sums = (better[name], worse[name], by_judges)
        found.append(Standing(name, place, float(worth[code]), won, tied, lost, *sums, *ends))
    return tuple(found)


def share_places(worth: Array) -> list[int]:
    """Return the place of each system, from 1; level systems share the first of theirs.

    >>> share_places(np.array([0.5, -1.0, 0.5 + 1e-12]))
    [1, 3, 1]
    """
    order = np.argsort(-worth, kind="stable")
    apart = np.diff(worth[order], prepend=np.inf) < -LEVEL
    first = np.maximum.accumulate(np.where(apart, np.arange(len(worth)), 0))
    places = np.empty(len(worth), dtype=np.intp)
    places[order] = first + 1
    found: list[int] = places.tolist()
    return found


def _count(state: BoardState) -> list[list[int]]:
    """Return wins, ties and losses of each system; ties also where they say nothing."""
    votes = np.zeros((len(state.systems), 3), dtype=np.int64)
    for (left, right), counts in state.shown.items():
        votes[left] += counts
        votes[right] += counts[::-1]
    found: list[list[int]] = votes.tolist()
    return found


def find_groups(state: BoardState) -> Groups:
    """Return the names of systems that votes join, the largest group first, names sorted."""
    source, target = np.array(state.numerator.ends, dtype=np.intp).reshape(-1, 2).T
    part = weak_components(Graph(len(state.systems), source, target)).tolist()
    groups: dict[int, list[str]] = {}
    for name, one in sorted(zip(state.systems, part, strict=True)):
        groups.setdefault(one, []).append(name)
    return tuple(sorted(map(tuple, groups.values()), key=lambda one: (-len(one), one)))


def say_unjoined(state: BoardState, groups: Groups) -> str:
    """Say which groups no vote joins; "" where there is one group."""
    from evenhand.models.existence import NEVER, say_apart

    if len(groups) < 2:
        return ""
    group = {name: i for i, part in enumerate(groups) for name in part}
    ends = ((state.systems[left], state.systems[right]) for left, right in state.shown)
    tied = any(group[one] != group[other] for one, other in ends)
    return say_apart(groups, ONLY_TIED if tied else NEVER)


# The settings of a board that may be looked at as often as one likes.
#
# settings --start--> state --observe--> state --look--> board

Ties = Literal["davidson", "discard"]
TIES: Final = get_args(Ties)
LEAST_SURE: Final = 0.5  # A lower level would let most boards decide something false


@dataclass(frozen=True)
class LiveBoard:
    """Settings of a board.

    Attributes:
        ties: "davidson", ties are an outcome of their own; or "discard", they are counted and say
            nothing.
        level: share of boards on which nothing that is ever decided is false (proportion).
        judge_votes: the first so many votes of each judge make one vote of that judge on each
            pair, for the column that is safe from judges with tastes; None for no such column.

    >>> LiveBoard().start(["a", "b"]).look().decided
    ()
    """

    ties: Ties = "davidson"
    level: float = 0.95
    judge_votes: int | None = None

    def __post_init__(self) -> None:
        """Refuse settings with which nothing could be decided for good."""
        if str(self.ties) == "half-win":
            raise UnknownOption(
                "ties as half a win give no probability of a vote, without which nothing stays"
                " decided: choose davidson (ties are an outcome) or discard"
            )
        require_option("ties", self.ties, TIES)
        if not isinstance(self.level, Real) or not LEAST_SURE <= self.level < 1:
            raise UnknownOption(
                f"level cannot be {self.level}: it is a share of boards on which nothing false is"
                f" decided, at least {LEAST_SURE:g} and below 1, as .95"
            )
        if self.judge_votes is not None and self.judge_votes < 1:
            raise UnknownOption(
                f"judge_votes cannot be {self.judge_votes}: a judge's batch holds 1 vote or more"
            )

    @property
    def alpha(self) -> float:
        """The chance that is allowed of anything false being decided, ever."""
        return 1 - self.level

    @property
    def says(self) -> str:
        """The settings in words."""
        column = "no column for judges"
        if self.judge_votes is not None:
            column = f"judges by {self.judge_votes} votes"
        return f"ties {self.ties}, level {self.level:g}, {column}"

    def start(self, systems: Sequence[str] = ()) -> BoardState:
        """Begin a board.

        Args:
            systems: those that are known to take part. Others may come later; only pairs of these
                can be decided by their direct votes, and by judges. Where none are named, the
                first 60 votes name them, or as many as the square of the systems if that is more;
                direct votes and judges count from then on.

        Raises:
            InvalidJudgments: a system without a name, or twice.

        """
        systems = take_names(systems)
        if "" in systems or len(set(systems)) < len(systems):
            raise InvalidJudgments(
                "systems of a board have names, each its own, and these have not:"
                f" {listing(systems)}"
            )
        return BoardState(self, systems)


# What the rank sets of these judges decide now, where judges are known.
#
# Rank sets need worths that exist. A system that no vote contradicts has none, and would leave all
# others without any; so where the whole has no worths, each strongly connected part of the systems
# is ranked by itself, from the votes inside it, and the level is shared by the parts.

Confirmed = tuple[str, str]  # Names of two systems, the better one first

OPEN: Final = "the rank sets of these judges do not confirm them now"
APART: Final = "no vote speaks against them, and rank sets need votes both ways"
THESE_JUDGES: Final = (
    "these judges are too few to stand for others: what is decided is about them alone, and other"
    " judges may decide otherwise"
)


@dataclass(frozen=True)
class Confirmation:
    """What rank sets decide, and why they say nothing of other pairs."""

    pairs: frozenset[Confirmed] = frozenset()  # names of systems, better and worse
    # two names → why no rank set holds both; other pairs are open
    silent: Mapping[frozenset[str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what must be said
    method: str = ""  # how rank sets were made; "" where there are none

    def explain(self, better: str, worse: str) -> str | None:
        """Say why a pair is not confirmed; None where it is."""
        if (better, worse) in self.pairs:
            return None
        return self.silent.get(frozenset((better, worse)), OPEN)


def refuse_too_sure(table: Comparisons, settings: LiveBoard) -> None:
    """Refuse a level that rank sets cannot show."""
    from evenhand.ranking.settings import MOST_SURE

    if table.has("judge") and settings.level > MOST_SURE:
        raise UnknownOption(
            f"level {settings.level:g} is more than the rank sets of known judges can show"
            f" ({MOST_SURE:g}), and they must confirm what is decided: ask for a lower level"
        )


def confirm_pairs(table: Comparisons, settings: LiveBoard) -> Confirmation | None:
    """Return the pairs that the rank sets of these judges decide now.

    None where judges are not known: then nobody has to confirm.
    """
    if not table.has("judge"):
        return None
    refuse_too_sure(table, settings)
    whole = _rank(table, settings, 1)
    if not isinstance(whole, str):
        return whole
    parts = _find_parts(table, settings)
    if len(parts) < 2:
        why = f"there are no rank sets: {whole}"
        systems = parts[0] if parts else ()
        return Confirmation(
            silent=_silence(systems, why), notes=(f"nothing is confirmed: {whole}",)
        )
    return _rank_parts(table, settings, parts)


def _rank(table: Comparisons, settings: LiveBoard, parts: int) -> Confirmation | str:
    """Return what rank sets decide with a share of the level, or why there are none."""
    from evenhand.models.bradley_terry import BradleyTerry
    from evenhand.ranking.rank import rank
    from evenhand.ranking.rank_sets import say_worlds
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.settings import MOST_SURE

    level = settings.level if parts == 1 else 1 - settings.alpha / parts
    if level > MOST_SURE:
        return f"{parts} groups share a level of which rank sets show {MOST_SURE:g} at most"
    model = BradleyTerry(ties=settings.ties)
    try:
        found = rank(table, model=model, level=level, seed=SEED)
        if _passes_over_judges(found):
            found = rank(table, model=model, level=level, seed=SEED, cluster="judge")
    except (NotIdentified, NotConverged) as refusal:
        return str(refusal.without_options())
    if not isinstance(found, Ranking) or found.rank_sets is None:
        return "so many systems have none"
    decided = found.rank_sets.to_dict(found.systems)["decided"]
    alone = () if "judge" in found.rank_sets.ways else (THESE_JUDGES,)
    pairs = frozenset((better, worse) for better, worse in decided)
    by = " and ".join(found.rank_sets.ways) or "judgment"
    method = f"rank sets by {by}, {say_worlds(found.rank_sets)}, seed={SEED}"
    return Confirmation(pairs, notes=alone, method=method)


def _passes_over_judges(found: object) -> bool:
    """Tell whether rank sets are of these judges only although there are enough to differ.

    Asked for, clusters of so few leave pairs open instead: nothing then confirms what the votes
    of five judges with tastes decide.
    """
    from evenhand.ranking.intervals import FEW
    from evenhand.ranking.ranking import Ranking

    if not isinstance(found, Ranking) or found.rank_sets is None or found.n_judges is None:
        return False
    return "judge" not in found.rank_sets.ways and found.n_judges >= FEW


def _find_parts(table: Comparisons, settings: LiveBoard) -> list[tuple[str, ...]]:
    """Return the names of systems in each strongly connected part; a tie joins both ways."""
    tally = table.tally()
    won, tied, lost = (tally.counts > 0).T
    tied &= settings.ties == "davidson"
    down, up = won | tied, lost | tied
    source = np.concatenate([tally.left[down], tally.right[up]]).astype(np.intp)
    target = np.concatenate([tally.right[down], tally.left[up]]).astype(np.intp)
    part = strong_components(Graph(len(tally.systems), source, target))
    names = np.array(tally.systems, dtype=object)
    return [tuple(names[part == one]) for one in range(int(part.max(initial=-1)) + 1)]


def _rank_parts(
    table: Comparisons, settings: LiveBoard, parts: list[tuple[str, ...]]
) -> Confirmation:
    """Rank each part by itself; no rank set holds systems of two of them."""
    several = [part for part in parts if len(part) > 1]
    silent = _silence([name for part in parts for name in part], APART)
    notes = [f"{_say_parts(table, len(parts))}: {_list_parts(several)}"]
    pairs: set[Confirmed] = set()
    method = ""
    for part in several:
        inside = nw.col("left").is_in(list(part)) & nw.col("right").is_in(list(part))
        found = _rank(table.where(inside, recorded=False), settings, len(several))
        if isinstance(found, str):
            silent |= _silence(part, f"there are no rank sets: {found}")
            continue
        silent = {two: why for two, why in silent.items() if not two <= set(part)}
        pairs, method = pairs | found.pairs, method or found.method
        notes += [note for note in found.notes if note not in notes]
    said = f"{method} of each of {len(several)} groups" if method else ""
    return Confirmation(frozenset(pairs), silent, tuple(notes if several else ()), said)


def _say_parts(table: Comparisons, parts: int) -> str:
    """Say what parts the groups that are ranked by themselves."""
    tally = table.tally()
    graph = Graph(len(tally.systems), tally.left.astype(np.intp), tally.right.astype(np.intp))
    if int(weak_components(graph).max()) + 1 == parts:
        return "these groups were never compared with each other, and each is ranked by itself"
    return "votes go both ways only inside these groups, each of which is ranked by itself"


def _list_parts(parts: list[tuple[str, ...]]) -> str:
    return "; ".join(listing(part, 8) for part in parts)


def _silence(systems: tuple[str, ...] | list[str], why: str) -> dict[frozenset[str], str]:
    return {frozenset(two): why for two in combinations(systems, 2)}


# The board as it is shown: what is decided, and who leads now.

PANEL: Final = "for this panel of judges and these items, votes being independent"


@dataclass(frozen=True, eq=False, repr=False)
class Board(InNotebooks):
    """What is decided and who leads now.

    Attributes:
        standings: systems, the leading one first; where nobody can lead, group by group.
        decided: what is decided, in the order in which it was.
        held: what the votes decide and the rank sets of these judges do not confirm now.
        held_since: why each of these is held back.
        by_judges: what judges decide, one vote each; None without that column.
        checked: whether rank sets had to confirm.
        n_votes: votes that count.
        n_ties: ties among them.
        n_revised: second answers, which do not count.
        log_numerator: how well the votes were predicted (nats).
        notes: what must stand beside the board.
        signature: what makes it again.
        digest: SHA-256 of the votes in their order.
        groups: names of the systems that votes join, the largest group first; one of all where
            somebody can lead.
        unjoined: which groups no vote joins, in words; "" where votes join all systems.

    """

    TABLE: ClassVar = "systems"

    standings: tuple[Standing, ...]
    decided: tuple[Claim, ...]
    held: tuple[Claim, ...]
    held_since: tuple[str, ...]
    by_judges: tuple[Claim, ...] | None
    checked: bool
    n_votes: int
    n_ties: int
    n_revised: int
    log_numerator: float
    notes: tuple[str, ...]
    signature: str
    digest: str
    groups: tuple[tuple[str, ...], ...] = ()
    unjoined: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, the leading one first."""
        return tuple(one.system for one in self.standings)

    @property
    def says(self) -> tuple[str, ...]:
        """What is decided, and who leads now."""
        k = len(self.standings)
        pairs = k * (k - 1) // 2
        lines = [f"{len(self.decided)} of {pairs} pairs are decided {PANEL}"]
        lines += self._say_held()
        if self.by_judges is not None:
            lines.append(
                f"{len(self.by_judges)} of {pairs} pairs are decided by judges, one vote each"
            )
        return (*lines, *self._say_leader())

    def _say_held(self) -> list[str]:
        """Say what is held back, by the reason."""
        pairs = [f"{one.better} over {one.worse}" for one in self.held]
        lines = []
        for why in dict.fromkeys(self.held_since):
            own = [two for two, since in zip(pairs, self.held_since, strict=True) if since == why]
            verb = "is" if len(own) == 1 else "are"
            lines.append(
                f"{len(own)} more {verb} decided by votes and held back, since {why}:"
                f" {listing(own, 3)}"
            )
        return lines

    def _say_leader(self) -> list[str]:
        """Say who leads, and whom not for certain."""
        if not self.n_votes:
            return ["nobody leads: there are no votes"]
        if self.unjoined:
            return [f"nobody leads now: {self.unjoined}"]
        ahead = [one.system for one in self.standings if one.place == 1]
        if len(ahead) > 1:
            return [f"nobody leads now: {listing(ahead, 3)} are level"]
        first, *others = self.standings
        below = {one.worse for one in self.decided if one.better == first.system}
        doubtful = [one.system for one in others if one.system not in below]
        if not doubtful:
            return [f"{first.system} is decided to be the best"]
        return [f"{first.system} leads now; not decided against {listing(doubtful, 3)}"]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        by_judges = None if self.by_judges is None else [asdict(one) for one in self.by_judges]
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            "systems": [asdict(one) for one in self.standings],
            "groups": [list(one) for one in self.groups],
            "decided": [asdict(one) for one in self.decided],
            "held": [
                {**asdict(one), "since": why}
                for one, why in zip(self.held, self.held_since, strict=True)
            ],
            "by_judges": by_judges,
            "checked": self.checked,
            "n_votes": self.n_votes,
            "n_ties": self.n_ties,
            "n_revised": self.n_revised,
            "log_numerator": self.log_numerator,
            "digest": self.digest,
            "says": list(self.says),
            "notes": list(self.notes),
        }


def make_board(state: BoardState, worth: Array, confirmed: Confirmation | None) -> Board:
    """Lay out a state.

    worth: (K,) log-worths now.
    """
    free = Confirmation(frozenset((one.better, one.worse) for one in state.claims))
    sets = free if confirmed is None else confirmed
    told = [(one, sets.explain(one.better, one.worse)) for one in state.claims]
    decided = tuple(one for one, why in told if why is None)
    by_judges = None if state.signs is None else tuple(state.judge_claims)
    groups = find_groups(state)
    return Board(
        standings=list_standings(state, worth, decided, groups),
        decided=decided,
        held=tuple(one for one, why in told if why is not None),
        held_since=tuple(why for _, why in told if why is not None),
        by_judges=by_judges,
        checked=confirmed is not None,
        n_votes=state.seen.counted,
        n_ties=state.seen.ties,
        n_revised=state.seen.revised,
        log_numerator=state.numerator.log_value,
        notes=(*sets.notes, *_note(state, checked=confirmed is not None)),
        signature=_sign(state, confirmed),
        digest=state.seen.digest,
        groups=groups,
        unjoined=say_unjoined(state, groups),
    )


def _note(state: BoardState, *, checked: bool) -> tuple[str, ...]:
    """Return what must stand beside a board."""
    notes = []
    if state.founders is None and state.seen.votes:
        notes.append(
            f"direct votes and judges count once {state.needed:,} votes have named the systems, or"
            " from the start where all are named there (--systems)"
        )
    late = state.systems[state.founders :] if state.founders is not None else []
    if late:
        notes.append(
            f"{listing(late, 3)} came later: direct votes and judges decide only pairs of systems"
            " that were named before; --systems names all at the start"
        )
    if state.seen.revised:
        also = "; the rank sets that must confirm hold them" if checked else ""
        notes.append(
            f"second answers to one question by one judge are not counted: {state.seen.revised:,}"
            f" of {state.seen.votes:,}{also}"
        )
    if state.sides_known:
        notes += note_sides(state.systems, state.shown)
    if state.signs is not None and state.budget.directions:
        needed, closed = count_needed(state.budget.judges), len(state.signs.closed)
        notes.append(
            f"{closed:,} judges have given {state.signs.size} votes; to decide a pair takes at"
            f" least {needed} of one mind"
        )
    return tuple(notes)


def _sign(state: BoardState, confirmed: Confirmation | None) -> str:
    """Return the line that reproduces the board."""
    own, founders = state.settings, state.founders
    alone = founders is not None and founders < 2
    shares = "e-process" if alone else f"e-process {SHARE:g} + direct votes {1 - SHARE:g}"
    judges = [] if own.judge_votes is None else [f"judges by {own.judge_votes} votes"]
    sets = [] if not confirmed or not confirmed.method else [f"confirmed by {confirmed.method}"]
    by = " named by votes" if founders is None or state.numerator.early else ""
    drawn = [] if state.seed is None else [f"rankings by seed {state.seed}"]
    ordered = [f"order {state.order}"] if state.order else []
    level = (
        f"level {own.level:g} systems={len(state.systems) if founders is None else founders}{by}"
    )
    parts = ("watch", own.ties, shares, *judges, level, *ordered, *drawn, *sets)
    return write_signature(parts, float(state.seen.votes), state.seen.digest or "0" * 12)


# A board while votes arrive: what was counted, and what is decided.
#
# It changes with every vote, for to copy it would cost more than the vote. A vote costs as much as
# its two systems have neighbours; a look costs a fit, a screen of all open pairs, and a fit for
# each pair that may be decided now. Whoever follows votes decides with each of them what a look
# would.

# Votes, or the square of the systems if that is more, that name the systems of a board
FIRST: Final = 60
# Digits of the digest that are kept of each vote, to find the first of another table
TRACE: Final = 4


@dataclass(frozen=True)
class Seen:
    """Which votes were seen."""

    votes: int = 0  # all of them
    ties: int = 0  # those that tied, of those that count
    revised: int = 0  # second answers, which are no new evidence and count nothing
    digest: str = ""  # SHA-256 of all in their order; "" of none

    @property
    def counted(self) -> int:
        """Votes that count; with ties that say nothing these are among them."""
        return self.votes - self.revised


class BoardState:
    """Votes so far.

    Attributes:
        settings: of the board.
        systems: names, in the order in which they came.
        founders: how many of them were there when direct votes began to count: from the start, or
            once votes had named them. None while nobody knows.
        seen: which votes were seen.
        numerator: how well they were predicted.
        signs: what each judge says, or None where nobody asked.
        claims: what is decided by the votes, in the order in which it was.
        judge_claims: what is decided by judges, one vote each.
        keys: what tells second answers.
        shown: codes of the system that stood first and of the other → votes that count, by what
            they said.
        sides_known: whether left really stood first.
        trace: first digits of the digest up to each vote.
        order: what a table's votes were ordered by, "" where they came one by one.
        seed: of the pairs that stand for rankings, None where there were none.

    """

    def __init__(self, settings: LiveBoard, systems: Sequence[str]) -> None:
        self.settings = settings
        self.systems = list(systems)
        self.founders = len(self.systems) or None
        self.seen = Seen()
        self.numerator = Numerator(len(self.systems), ties=settings.ties == "davidson")
        size = settings.judge_votes
        self.signs = None if size is None else JudgeSigns(size)
        self.claims: list[Claim] = []
        self.judge_claims: list[Claim] = []
        self.keys: set[str] = set()
        self.shown: dict[tuple[int, int], list[int]] = {}
        self.sides_known = True
        self.trace: list[str] = []
        self.order = ""
        self.seed: int | None = None
        self._lookout: Lookout | None = None
        self._closed = 0
        self._code = {name: i for i, name in enumerate(self.systems)}

    @property
    def budget(self) -> Budget:
        """How much may be wrong."""
        return Budget(self.settings.alpha, self.founders)

    def observe(self, votes: Sequence[Vote]) -> None:
        """Take in votes that arrived together.

        What is predicted of each rests on the votes before this call: hand over together only
        votes that nobody knew of when any of them was given, or one at a time.
        """
        self._take_in(votes)

    def follow(self, votes: Sequence[Vote]) -> None:
        """Take in votes that arrived together, and decide with them whatever a look would.

        A board that follows each vote by itself decides the same whenever somebody looks: what the
        first votes decide is decided too by them and more. It costs little more than to observe.
        """
        coded = self._take_in(votes)
        if self._lookout is None:
            self._lookout = Lookout(self.numerator, self._pairs(self.claims))
        made = self._lookout.follow(coded, self.budget)
        self.claims += [self._claim(pair, by) for pair, by in made]
        self._decide_by_judges()

    def _take_in(self, votes: Sequence[Vote]) -> list[Coded]:
        """Return votes that predictions learn from, coded."""
        fresh, revised = self._sort_out(votes)
        coded = []
        for vote in fresh:
            ends = (self._find(vote.left), self._find(vote.right))
            outcome = OUTCOMES.index(vote.outcome)
            coded.append((*ends, outcome))
            self.shown.setdefault(ends, [0, 0, 0])[outcome] += 1
            if self.signs is not None and vote.judge and max(ends) < (self.founders or 0):
                self.signs.observe(vote.judge, ends, 1 - outcome)
        ties = sum(outcome == TIE for _, _, outcome in coded)
        self._remember(votes, ties, revised)
        if self.settings.ties == "discard":
            coded = [vote for vote in coded if vote[2] != TIE]
        self.numerator.observe(coded)
        if self.founders is None and self.seen.counted >= self.needed:
            self.founders = len(self.systems)
            self.numerator.begin_direct()
        return coded

    @property
    def needed(self) -> int:
        """Votes that name the systems of a board where nobody did."""
        return max(FIRST, len(self.systems) ** 2)

    def _remember(self, votes: Sequence[Vote], ties: int, revised: int) -> None:
        """Note which votes were seen."""
        seen, digests = self.seen, list(chain_digests(self.seen.digest, votes))
        self.trace += [digest[:TRACE] for digest in digests]
        last = digests[-1] if digests else seen.digest
        self.seen = Seen(seen.votes + len(votes), seen.ties + ties, seen.revised + revised, last)

    def find_difference(self, votes: Sequence[Vote]) -> int | None:
        """Return the place, from 0, of the first vote that is not the one that was seen there.

        It is the number of votes where they end too early; None where they begin with those seen.
        """
        known = self.seen.votes
        digests = list(chain_digests("", votes[:known]))
        if len(digests) == known and (digests[-1] if digests else "") == self.seen.digest:
            return None
        pairs = enumerate(zip(digests, self.trace, strict=False))
        return next((i for i, (own, seen) in pairs if own[:TRACE] != seen), len(digests))

    def _sort_out(self, votes: Sequence[Vote]) -> tuple[list[Vote], int]:
        """Return the votes that count, and the number of the others."""
        fresh = []
        for vote in votes:
            key = vote.key
            if key is None or key not in self.keys:
                fresh.append(vote)
            if key is not None:
                self.keys.add(key)
        return fresh, len(votes) - len(fresh)

    def _find(self, name: str) -> int:
        code = self._code.get(name)
        return self.add_system(name) if code is None else code

    def add_system(self, name: str) -> int:
        """Let a system take part from now on; return its code."""
        code = self._code[name] = len(self.systems)
        self.systems.append(name)
        self.numerator.add_system()
        return code

    def decide(self) -> None:
        """Add what can be decided now to the claims."""
        with one_blas_thread():
            at = self.numerator.settle()
            known = self._pairs(self.claims)
            made = decide_pairs(self.numerator, at, self.budget, known)
        self.claims += [self._claim(pair, by) for pair, by in made]
        self._lookout = None if made else self._lookout
        self._decide_by_judges()

    def _decide_by_judges(self) -> None:
        """Add what judges decide now, one vote each."""
        if self.signs is None or not self.budget.directions:
            return
        closed = len(self.signs.closed)
        if closed == self._closed:
            return
        self._closed = closed
        known = self._pairs(self.judge_claims)
        reached = self.signs.reached(self.budget.judges)
        fresh = [pair for pair in reached if not {pair, pair[::-1]} & known]
        self.judge_claims += [self._claim(pair, JUDGES) for pair in fresh]

    def _pairs(self, claims: Sequence[Claim]) -> set[tuple[int, int]]:
        return {(self._code[one.better], self._code[one.worse]) for one in claims}

    def _claim(self, pair: tuple[int, int], by: str) -> Claim:
        better, worse = (self.systems[code] for code in pair)
        return Claim(better, worse, self.seen.counted, by)

    def look(self, confirmed: Confirmation | Collection[Confirmed] | None = None) -> Board:
        """Decide what can be decided, and return the board.

        Args:
            confirmed: what the rank sets of these judges decide now (`confirm_pairs`), or the
                names of such pairs, better and worse; None where judges are not known. What they
                do not confirm is held back.

        """
        self.decide()
        return self.show(confirmed)

    def show(self, confirmed: Confirmation | Collection[Confirmed] | None = None) -> Board:
        """Return the board of what is decided already; for votes that are followed.

        Args:
            confirmed: as for `look`.

        """
        if confirmed is not None and not isinstance(confirmed, Confirmation):
            confirmed = Confirmation(frozenset(confirmed))
        at = self.numerator.settle()
        return make_board(self, at[: len(self.systems)], confirmed)

    def log_evidence(self, better: str, worse: str) -> float:
        """Return log E (nats) of all votes for one system being better than another.

        −∞ where the votes prefer the other, or tell nothing for want of a maximum.

        Raises:
            InvalidJudgments: a system that is not on the board.

        """
        for name in (better, worse):
            if name not in self._code:
                raise InvalidJudgments(f"'{name}' is not on this board")
        at = self.numerator.settle()
        pair = self._code[better], self._code[worse]
        null = find_supremum(self.numerator.pairs(), pair, at)
        if null is None or null.lead <= 0:
            return -np.inf
        return self.numerator.log_value - null.value


KIND: Final = "evenhand board "
FORMAT: Final = f"{KIND}3"
KEY: Final = 16  # Digits of a vote's key


def write_board(state: BoardState) -> str:
    """Return a board as JSON.

    >>> state = LiveBoard().start(["a", "b"])
    >>> read_board(write_board(state)).systems
    ['a', 'b']
    """
    body = {
        "format": FORMAT,
        "settings": asdict(state.settings),
        "systems": state.systems,
        "founders": state.founders,
        "seen": asdict(state.seen),
        "keys": "".join(sorted(state.keys)),
        "trace": "".join(state.trace),
        "sides_known": state.sides_known,
        "order": state.order,
        "seed": state.seed,
        "shown": [[*ends, *counts] for ends, counts in state.shown.items()],
        "numerator": state.numerator.to_dict(),
        "signs": None if state.signs is None else state.signs.to_dict(),
        "claims": [asdict(one) for one in state.claims],
        "judge_claims": [asdict(one) for one in state.judge_claims],
    }
    whole = {**body, "sha256": _sum(body)}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False) + "\n"


def read_board(text: str) -> BoardState:
    """Read what `write_board` wrote.

    Raises:
        UnknownFormat: this is no board, or it was changed or cut since it was written.

    """
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnknownFormat(f"this is no board: it is no JSON ({error})") from None
    _check_format(body.get("format") if isinstance(body, dict) else None)
    if body.pop("sha256", None) != _sum(body):
        raise UnknownFormat(
            "this board was changed since it was written: begin again from the votes"
        )
    try:
        return _take_up(body)
    except (LookupError, AttributeError, ArithmeticError, TypeError, ValueError) as error:
        raise UnknownFormat(f"this board cannot be read: {type(error).__name__} {error}") from None


def _check_format(found: object) -> None:
    """Refuse what is no board, or one of another version."""
    if found == FORMAT:
        return
    if isinstance(found, str) and found.startswith(KIND):
        raise UnknownFormat(
            f'this board is of another version: "{found}", and this is "{FORMAT}"; begin again'
            " from the votes"
        )
    raise UnknownFormat(f'this is no board: it lacks "format": "{FORMAT}"')


def _sum(body: Mapping[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _take_up(body: Mapping[str, Any]) -> BoardState:
    systems = [str(name) for name in body["systems"]]
    state = LiveBoard(**body["settings"]).start(systems)
    state.founders = None if body["founders"] is None else int(body["founders"])
    state.seen = Seen(**body["seen"])
    keys = body["keys"]
    state.keys = {keys[i : i + KEY] for i in range(0, len(keys), KEY)}
    trace = body["trace"]
    state.trace = [trace[i : i + TRACE] for i in range(0, len(trace), TRACE)]
    state.sides_known = bool(body["sides_known"])
    state.order = str(body["order"])
    state.seed = None if body["seed"] is None else int(body["seed"])
    state.shown = {(s, t): list(counts) for s, t, *counts in body["shown"]}
    state.numerator = Numerator.from_dict(body["numerator"])
    state.signs = None if body["signs"] is None else JudgeSigns.from_dict(body["signs"])
    state.claims = [Claim(**one) for one in body["claims"]]
    state.judge_claims = [Claim(**one) for one in body["judge_claims"]]
    return state
