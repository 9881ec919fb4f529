"""A board of systems while votes arrive, which may be looked at as often as one likes.

    settings --start--> state --observe--> state --look--> board

What is decided stays so, whatever comes (docs/peeking.md). A vote costs as much as its two systems
have neighbours; a look costs a fit, bounds of all open pairs, and a fit for each pair that may be
decided now. Whoever follows votes decides with each of them what a look would.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import chain, combinations
from numbers import Real
from typing import Any, Final, Literal, get_args

import narwhals as nw
import numpy as np

from evenhand import errors
from evenhand.data import exclusions
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.labels import OUTCOMES
from evenhand.data.results import Shown
from evenhand.data.tally import take_names
from evenhand.data.votes import TIE
from evenhand.numerics.graph import Graph, weak_components
from evenhand.ranking.rank_sets import name_critical_values
from evenhand.ranking.sequential import likelihood
from evenhand.ranking.sequential.votes import JudgeSigns, Vote, chain_digests, count_needed
from evenhand.ranking.sides import note_sides
from evenhand.ranking.texts import say_of_boards as say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    plural,
    share,
    write_signature,
)

Groups = tuple[tuple[str, ...], ...]  # Names of the systems that votes join
Confirmed = tuple[str, str]  # Names of two systems, the better one first
Ties = Literal["davidson", "discard"]

TIES: Final = get_args(Ties)
MIN_LEVEL: Final = 0.5  # A lower level would let most boards decide something false
LEVEL_TOLERANCE: Final = 1e-9  # Difference of log-worths that is rounding
MIN_NAMING_VOTES: Final = 60  # Votes that name the systems, or their square if larger
KIND: Final = "evenhand board "
FORMAT: Final = f"{KIND}3"
KEY_DIGITS: Final = 16  # of a vote's key
TRACE_DIGITS: Final = 4  # Digits of each vote's digest, to find the first that differs

# What systems were that no vote joins where ties are excluded
ONLY_TIED: Final = "only ever tied, or never compared,"
OPEN: Final = "the rank sets of these judges do not confirm them now"
APART: Final = "no vote contradicts it, and rank sets need votes in both directions"
PLAIN_KEYS: Final = (
    *("checked", "n_votes", "n_ties", "n_revised", "log_numerator", "digest"),
    *("plan_sha256", "withdrawn"),
)
MAX_NAMES: Final = 3  # Most systems or pairs that a sentence names
MAX_GROUP_NAMES: Final = 8


@dataclass(frozen=True)
class LiveLeaderboard:
    """Settings of a board.

    >>> LiveLeaderboard().start(["a", "b"]).look().decided
    ()
    """

    ties: Ties = "davidson"  # an outcome of their own; or "discard", counted and saying nothing
    level: float = 0.95  # share of boards on which nothing that is ever decided is false
    # the first so many votes of each judge make one vote of that judge on each pair, for the column
    # that is safe from judges with tastes; None for no such column
    judge_votes: int | None = None

    def __post_init__(self) -> None:
        if str(self.ties) == "half-win":
            raise errors.UnknownOption(
                "ties as half a win give no probability of a vote, without which nothing stays"
                " decided: choose davidson (ties are an outcome) or discard"
            )
        errors.require_option("ties", self.ties, TIES)
        if not isinstance(self.level, Real) or not MIN_LEVEL <= self.level < 1:
            raise errors.UnknownOption(
                f"level cannot be {self.level}: it is a share of boards on which nothing false is"
                f" decided, at least {MIN_LEVEL:g} and below 1, as .95"
            )
        if self.judge_votes is not None and self.judge_votes < 1:
            raise errors.UnknownOption(
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

    def start(self, systems: Sequence[str] = ()) -> SequentialState:
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
            raise errors.InvalidJudgments(
                "systems of a board have names, each its own, and these have not:"
                f" {errors.listing(systems)}"
            )
        return SequentialState(self, systems)


# What the rank sets of these judges decide now, where judges are known.
#
# Rank sets need worths that exist. A system that no vote contradicts has none, and would leave all
# others without any; so where the whole has no worths, each strongly connected part of the systems
# is ranked by itself, from the votes inside it, and the level is shared by the parts.


@dataclass(frozen=True)
class Confirmation:
    pairs: frozenset[Confirmed] = frozenset()  # names of systems, better and worse
    # two names → why no rank set holds both; other pairs are open
    silent: Mapping[frozenset[str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what must be said
    method: str = ""  # how rank sets were made; "" where there are none


def refuse_too_sure(table: Comparisons, settings: LiveLeaderboard) -> None:
    from evenhand.ranking.inference import MAX_LEVEL

    if table.has("judge") and settings.level > MAX_LEVEL:
        raise errors.UnknownOption(
            f"level {settings.level:g} is more than the rank sets of known judges can show"
            f" ({MAX_LEVEL:g}), and they must confirm what is decided: ask for a lower level"
        )


def confirm_pairs(table: Comparisons, settings: LiveLeaderboard) -> Confirmation | None:
    # None where judges are not known: then nobody has to confirm.
    if not table.has("judge"):
        return None
    refuse_too_sure(table, settings)
    whole = _rank(table, settings, 1)
    if not isinstance(whole, str):
        return whole
    tally = table.tally()
    counts = tally.counts * [1, settings.ties == "davidson", 1]
    part = likelihood.find_parts(
        likelihood.PairCounts(len(tally.systems), tally.left, tally.right, counts)
    )
    names = np.array(tally.systems, dtype=object)
    parts = [tuple(names[part == number]) for number in range(int(part.max(initial=-1)) + 1)]
    if len(parts) < 2:
        silent = _silence(parts[0] if parts else (), f"there are no rank sets: {whole}")
        return Confirmation(silent=silent, notes=(say("not-confirmed", "warning", why=whole),))

    # Each part is ranked by itself: no rank set holds systems of two of them
    several = [part for part in parts if len(part) > 1]
    apart = int(tally.find_groups().max()) + 1 == len(parts)
    code = "groups-apart" if apart else "groups-one-way"
    groups = "; ".join(errors.listing(part, MAX_GROUP_NAMES) for part in several)
    notes: list[str] = [say(code, "warning", groups=groups)]
    silent = _silence(tally.systems, APART)
    pairs: set[Confirmed] = set()
    method = ""
    for members in several:
        inside = nw.col("left").is_in(list(members)) & nw.col("right").is_in(list(members))
        result = _rank(table.where(inside, recorded=False), settings, len(several))
        if isinstance(result, str):
            silent |= _silence(members, f"there are no rank sets: {result}")
            continue
        silent = {pair: why for pair, why in silent.items() if not pair <= set(members)}
        pairs, method = pairs | result.pairs, method or result.method
        notes += [note for note in result.notes if note not in notes]
    method = f"{method} of each of {len(several)} groups" if method else ""
    return Confirmation(frozenset(pairs), silent, tuple(notes if several else ()), method)


def _silence(systems: Sequence[str], why: str) -> dict[frozenset[str], str]:
    return {frozenset(pair): why for pair in combinations(systems, 2)}


def _rank(table: Comparisons, settings: LiveLeaderboard, parts: int) -> Confirmation | str:
    from evenhand.models.bradley_terry import BradleyTerry
    from evenhand.ranking.inference import MAX_LEVEL
    from evenhand.ranking.intervals import MIN_CLUSTERS
    from evenhand.ranking.rank import rank
    from evenhand.ranking.ranking import Ranking

    level = settings.level if parts == 1 else 1 - settings.alpha / parts
    if level > MAX_LEVEL:
        return f"{parts} groups share a level of which rank sets show {MAX_LEVEL:g} at most"
    model = BradleyTerry(ties=settings.ties)
    # Judges may be enough to differ and still too few to stand for others. Asked for, clusters of
    # so few leave pairs open: nothing then confirms what the votes of five judges with tastes
    # decide.
    for cluster in (None, "judge"):
        try:
            ranking = rank(table, model=model, level=level, seed=SEED, cluster=cluster)
        except (errors.NotIdentified, errors.NotConverged) as refusal:
            return str(refusal.without_options())
        if not isinstance(ranking, Ranking) or ranking.rank_sets is None:
            return "so many systems have none"
        sets, n_judges = ranking.rank_sets, ranking.n_judges
        decided = sets.to_dict(ranking.systems)["decided"]
        if "judge" in sets.clusterings or n_judges is None or n_judges < MIN_CLUSTERS:
            break
    by = " and ".join(sets.clusterings) or "judgment"
    return Confirmation(
        frozenset((better, worse) for better, worse in decided),
        notes=() if "judge" in sets.clusterings else (say("few-judges", "warning"),),
        method=f"rank sets by {by}, {name_critical_values(sets)}, seed={SEED}",
    )


# The board as it is shown. Log-worths of systems that no vote joins, directly or through others,
# cannot be compared: such groups stand one by one, and nobody has a place.


@dataclass(frozen=True)
class Standing:
    system: str  # its name
    place: int | None  # its place by what leads now, from 1; None where votes do not join
    log_worth: float  # by all votes with a weak prior; its mean is about 0 in each group
    wins: int  # votes that preferred it
    ties: int  # votes that preferred neither
    losses: int  # votes that preferred the other
    better_than: int  # systems that it is decided to be better than
    worse_than: int  # systems that are decided to be better
    better_by_judges: int | None  # the same by judges, one vote each; None without that column
    lower: int  # the best place that what is decided leaves it
    upper: int  # the worst


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Shown):
    """What is decided and who leads now."""

    standings: tuple[Standing, ...]  # the leading one first; where nobody can lead, group by group
    decided: tuple[likelihood.Claim, ...]  # in the order in which it was
    held: tuple[likelihood.Claim, ...]  # decided by votes, not confirmed by rank sets now
    held_since: tuple[str, ...]  # why each of these is held back
    by_judges: tuple[likelihood.Claim, ...] | None  # what judges decide, one vote each; or None
    checked: bool  # whether rank sets had to confirm
    n_votes: int  # votes that count
    n_ties: int  # ties among them
    n_revised: int  # second answers, which do not count
    log_numerator: float  # how well the votes were predicted (nats)
    notes: tuple[str, ...]  # what must stand beside the board
    signature: str  # what makes it again
    digest: str  # SHA-256 of the votes in their order
    groups: tuple[tuple[str, ...], ...] = ()  # names of systems that votes join, largest first
    unjoined: str = ""  # which groups no vote joins, in words; "" where votes join all systems
    excluded: tuple[exclusions.Exclusion, ...] = ()  # what was excluded from the votes
    plan_sha256: str | None = None  # of the plan by which the board began
    withdrawn: tuple[str, ...] = ()  # systems that were taken from the board

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, the leading one first."""
        return tuple(standing.system for standing in self.standings)

    @property
    def says(self) -> tuple[str, ...]:
        """What is decided, and who leads now."""
        k = len(self.standings)
        pairs = k * (k - 1) // 2
        lines = [say("decided", "info", n=len(self.decided), pairs=pairs)]
        by_reason: dict[str, list[str]] = {}
        for claim, why in zip(self.held, self.held_since, strict=True):
            by_reason.setdefault(why, []).append(f"{claim.better} over {claim.worse}")
        for why, held in by_reason.items():
            if len(held) == 1:
                lines.append(say("held-one", "info", why=why, names=held))
            else:
                names = errors.listing(held, MAX_NAMES)
                lines.append(say("held-several", "info", n=len(held), why=why, names=names))
        if self.by_judges is not None:
            lines.append(say("decided-by-judges", "info", n=len(self.by_judges), pairs=pairs))
        return (*lines, self._say_leader())

    def _say_leader(self) -> Finding:
        if not self.n_votes:
            return say("no-votes", "info")
        if self.unjoined:
            return say("not-joined", "info", why=self.unjoined)
        ahead = [standing.system for standing in self.standings if standing.place == 1]
        if len(ahead) > 1:
            return say("level", "info", names=errors.listing(ahead, MAX_NAMES))
        first, *others = self.systems
        below = {claim.worse for claim in self.decided if claim.better == first}
        doubtful = [name for name in others if name not in below]
        if not doubtful:
            return say("best-left" if self.withdrawn else "best", "info", first=first)
        return say("leads", "info", first=first, names=errors.listing(doubtful, MAX_NAMES))

    @property
    def table(self) -> Table:
        """The systems: where each stands for good, and where now."""
        others = len(self.standings) - 1
        rows = tuple(
            {
                **asdict(one),
                "better": f"{one.better_than} of {others}",
                "by_judges": f"{one.better_by_judges} of {others}",
            }
            for one in self.standings
        )
        judged = [Column("by_judges", "by judges", "text")] if self.by_judges is not None else []
        columns = (
            Column(("lower", "upper"), "decided rank", "range"),
            Column("place", "now", "count"),
            Column("system", "system", "name"),
            Column("log_worth", "log-worth", "two", priority=1),
            Column("better", "better than"),
            *judged,
        )
        caption = "Systems by what is decided, and who leads now"
        return Table("standings", caption, columns, rows, without=("better", "by_judges"))

    def document(self) -> Document:
        """Return what people read: who leads, what is decided, the table."""
        counts = [plural(self.n_votes, "vote"), plural(len(self.systems), "system")]
        basis = f"{', '.join([*counts, f'{share(self.n_ties, self.n_votes)} ties'])}."
        *others, leader = self.says
        return exclusions.write_document(self, self.table, basis=basis, answer=(leader, *others))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        by_judges = self.by_judges
        return {
            "signature": self.signature,
            "excluded": exclusions.write_excluded(self.excluded),
            "systems": [asdict(standing) for standing in self.standings],
            "groups": [list(group) for group in self.groups],
            "decided": [asdict(claim) for claim in self.decided],
            "held": [
                {**asdict(claim), "since": why}
                for claim, why in zip(self.held, self.held_since, strict=True)
            ],
            "by_judges": None if by_judges is None else [asdict(claim) for claim in by_judges],
            **{name: getattr(self, name) for name in PLAIN_KEYS},
            "says": list(self.says),
            "findings": describe_findings(self.notes),
        }


@dataclass(frozen=True)
class Seen:
    votes: int = 0  # all of them
    ties: int = 0  # those that tied, of those that count
    revised: int = 0  # second answers, which are no new evidence and count nothing
    digest: str = ""  # SHA-256 of all in their order; "" of none

    @property
    def counted(self) -> int:
        """Votes that count; with ties that say nothing these are among them."""
        return self.votes - self.revised


class SequentialState:
    """Votes so far."""

    def __init__(self, settings: LiveLeaderboard, systems: Sequence[str]) -> None:
        self.settings = settings
        self.systems = list(systems)  # in the order in which they came
        # how many of them were there when direct votes began to count: from the start, or once
        # votes had named them. None while nobody knows
        self.founders = len(self.systems) or None
        self.seen = Seen()
        self.numerator = likelihood.Numerator(len(self.systems), ties=settings.ties == "davidson")
        size = settings.judge_votes
        self.signs = None if size is None else JudgeSigns(size)  # what each judge says
        self.claims: list[likelihood.Claim] = []  # what votes decide, in the order in which it was
        self.judge_claims: list[likelihood.Claim] = []  # what judges decide, one vote each
        self.keys: set[str] = set()  # what tells second answers
        # codes of the system that stood first and of the other → votes that count, by what they say
        self.shown: dict[tuple[int, int], list[int]] = {}
        self.sides_known = True  # whether left really stood first
        self.trace: list[str] = []  # first digits of the digest up to each vote
        self.order = ""  # what a table's votes were ordered by, "" where they came one by one
        self.seed: int | None = None  # of the pairs that stand for rankings, None without rankings
        self.plan_sha256 = ""  # of the plan by which the board began; "" without one
        # systems that were taken from the board; their votes go on counting
        self.withdrawn: tuple[str, ...] = ()
        self._screen: likelihood.OpenPairScreen | None = None
        self._closed_judges = 0
        self._code = {name: i for i, name in enumerate(self.systems)}

    @property
    def budget(self) -> likelihood.Budget:
        """How much may be wrong."""
        return likelihood.Budget(self.settings.alpha, self.founders)

    @property
    def needed(self) -> int:
        """Votes that name the systems of a board where nobody did."""
        return max(MIN_NAMING_VOTES, len(self.systems) ** 2)

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
        if self._screen is None:
            self._screen = likelihood.OpenPairScreen(self.numerator, self._pairs(self.claims))
        reached = self._screen.follow(coded, self.budget)
        self.claims += [self._claim(pair, by) for pair, by in reached]
        self._decide_by_judges()

    def _take_in(self, votes: Sequence[Vote]) -> list[likelihood.Coded]:
        coded, revised = [], 0
        for vote in votes:
            key = vote.key
            if key is not None:
                if key in self.keys:
                    revised += 1
                    continue
                self.keys.add(key)
            ends = (self._find(vote.left), self._find(vote.right))
            outcome = OUTCOMES.index(vote.outcome)
            coded.append((*ends, outcome))
            self.shown.setdefault(ends, [0, 0, 0])[outcome] += 1
            if self.signs is not None and vote.judge and max(ends) < (self.founders or 0):
                self.signs.observe(vote.judge, ends, 1 - outcome)
        ties = sum(outcome == TIE for _, _, outcome in coded)
        seen, digests = self.seen, list(chain_digests(self.seen.digest, votes))
        self.trace += [digest[:TRACE_DIGITS] for digest in digests]
        last = digests[-1] if digests else seen.digest
        self.seen = Seen(seen.votes + len(votes), seen.ties + ties, seen.revised + revised, last)
        if self.settings.ties == "discard":
            coded = [vote for vote in coded if vote[2] != TIE]
        self.numerator.observe(coded)
        if self.founders is None and self.seen.counted >= self.needed:
            self.founders = len(self.systems)
            self.numerator.early = [list(counts) for counts in self.numerator.counts]
        return coded

    def find_difference(self, votes: Sequence[Vote]) -> int | None:
        """Return the place, from 0, of the first vote that is not the one that was seen there.

        It is the number of votes where they end too early; None where they begin with those seen.
        """
        known = self.seen.votes
        digests = list(chain_digests("", votes[:known]))
        if len(digests) == known and (digests[-1] if digests else "") == self.seen.digest:
            return None
        for place, (digest, seen) in enumerate(zip(digests, self.trace, strict=False)):
            if digest[:TRACE_DIGITS] != seen:
                return place
        return len(digests)

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
        self._screen = likelihood.OpenPairScreen(self.numerator, self._pairs(self.claims))
        self.claims += [self._claim(pair, by) for pair, by in self._screen.look(self.budget)]
        self._decide_by_judges()

    def _decide_by_judges(self) -> None:
        signs = self.signs
        if signs is None or not self.budget.directions or len(signs.closed) == self._closed_judges:
            return
        self._closed_judges = len(signs.closed)
        known = self._pairs(self.judge_claims)
        reached = signs.reached(self.budget.judges)
        fresh = [pair for pair in reached if not {pair, pair[::-1]} & known]
        self.judge_claims += [self._claim(pair, likelihood.JUDGES) for pair in fresh]

    def _pairs(self, claims: Sequence[likelihood.Claim]) -> set[tuple[int, int]]:
        return {(self._code[claim.better], self._code[claim.worse]) for claim in claims}

    def _claim(self, pair: tuple[int, int], by: str) -> likelihood.Claim:
        better, worse = (self.systems[code] for code in pair)
        return likelihood.Claim(better, worse, self.seen.counted, by)

    def look(self, confirmed: Confirmation | None = None) -> Leaderboard:
        """Decide what can be decided, and return the board.

        Args:
            confirmed: what the rank sets of these judges decide now (`confirm_pairs`); None where
                judges are not known. What they do not confirm is held back.
        """
        self.decide()
        return self.show(confirmed)

    def show(self, confirmed: Confirmation | None = None) -> Leaderboard:
        """Return the board of what is decided already; for votes that are followed.

        Args:
            confirmed: as for `look`.
        """
        worth = self.numerator.settle()[: len(self.systems)]
        excluded = _list_excluded(self, checked=confirmed is not None)
        gone = {*self.withdrawn}
        claims, judge_claims = (
            [one for one in each if gone.isdisjoint((one.better, one.worse))]
            for each in (self.claims, self.judge_claims)
        )
        notes, held = _list_notes(self, excluded), {}
        if confirmed is not None:
            notes = [*confirmed.notes, *notes]
            pairs = {one: (one.better, one.worse) for one in claims}
            held = {
                one: confirmed.silent.get(frozenset(pair), OPEN)
                for one, pair in pairs.items()
                if pair not in confirmed.pairs
            }
        decided = tuple(claim for claim in claims if claim not in held)
        groups = find_groups(self)
        # The systems, the leading one first; equals stand by name and share a place
        names, shown = self.systems, [*map(self._code.__getitem__, chain(*groups))]
        better = Counter(claim.better for claim in decided)
        worse = Counter(claim.worse for claim in decided)
        judged = Counter(claim.better for claim in judge_claims)
        votes = np.zeros((len(names), 3), dtype=np.int64)  # ties also where they say nothing
        for (left, right), counts in self.shown.items():
            votes[left] += counts
            votes[right] += counts[::-1]
        order = np.array(sorted(shown, key=lambda code: (-worth[code], code)), dtype=np.intp)
        apart = np.diff(worth[order], prepend=np.inf) < -LEVEL_TOLERANCE
        first = np.maximum.accumulate(np.where(apart, np.arange(len(order)), 0))
        places = dict(zip(order.tolist(), (first + 1).tolist(), strict=True))
        group = {name: i for i, part in enumerate(groups) for name in part}
        standings = []
        for code in sorted(shown, key=lambda i: (group[names[i]], places[i], names[i])):
            name, (wins, ties, losses) = names[code], votes[code].tolist()
            standing = Standing(
                name,
                places[code] if len(groups) < 2 else None,
                float(worth[code]),
                wins,
                ties,
                losses,
                better_than=better[name],
                worse_than=worse[name],
                better_by_judges=None if self.signs is None else judged[name],
                lower=1 + worse[name],
                upper=len(shown) - better[name],
            )
            standings.append(standing)
        unjoined = ""  # which groups no vote joins
        if len(groups) > 1:
            from evenhand.models.existence import NEVER, say_apart

            both = ((group.get(names[left]), group.get(names[right])) for left, right in self.shown)
            tied = any(None not in pair and pair[0] != pair[1] for pair in both)
            unjoined = say_apart(groups, ONLY_TIED if tied else NEVER)
        return Leaderboard(
            standings=tuple(standings),
            decided=decided,
            held=tuple(held),
            held_since=tuple(held.values()),
            by_judges=None if self.signs is None else tuple(judge_claims),
            checked=confirmed is not None,
            n_votes=self.seen.counted,
            n_ties=self.seen.ties,
            n_revised=self.seen.revised,
            log_numerator=self.numerator.log_value,
            notes=tuple(notes),
            signature=exclusions.sign_excluded(_sign(self, confirmed), excluded),
            excluded=excluded,
            digest=self.seen.digest,
            groups=groups,
            unjoined=unjoined,
            plan_sha256=self.plan_sha256 or None,
            withdrawn=self.withdrawn,
        )

    def log_evidence(self, better: str, worse: str) -> float:
        """Return log E (nats) of all votes for one system being better than another.

        −∞ where the votes prefer the other, or tell nothing for want of a maximum.

        Raises:
            InvalidJudgments: a system that is not on the board.
        """
        for name in (better, worse):
            if name not in self._code:
                raise errors.InvalidJudgments(f"'{name}' is not on this board")
        at = self.numerator.settle()
        pair = self._code[better], self._code[worse]
        null = likelihood.find_supremum(self.numerator.pairs(), pair, at)
        if null is None or null.lead <= 0:
            return -np.inf
        return self.numerator.log_value - null.value


def find_groups(state: SequentialState) -> Groups:
    """Return systems that votes join, the largest group first, without those withdrawn."""
    source, target = np.array(state.numerator.ends, dtype=np.intp).reshape(-1, 2).T
    part = weak_components(Graph(len(state.systems), source, target)).tolist()
    groups: dict[int, list[str]] = {}
    for name, number in sorted(zip(state.systems, part, strict=True)):
        if name not in state.withdrawn:
            groups.setdefault(number, []).append(name)
    return tuple(sorted(map(tuple, groups.values()), key=lambda names: (-len(names), names)))


def _list_notes(state: SequentialState, excluded: Sequence[exclusions.Exclusion]) -> list[str]:
    notes: list[str] = []
    if state.founders is None and state.seen.votes:
        notes.append(say("systems-not-named", needed=state.needed))
    late = state.systems[state.founders :] if state.founders is not None else []
    if late and not state.plan_sha256:  # a plan names its own
        notes.append(say("came-later", names=errors.listing(late, MAX_NAMES)))
    notes += [exclusion.sentence for exclusion in excluded if exclusion.sentence]
    if state.sides_known:
        notes += note_sides(state.systems, state.shown)
    if state.signs is not None and state.budget.directions:
        needed, closed = count_needed(state.budget.judges), len(state.signs.closed)
        notes.append(say("judges-needed", closed=closed, size=state.signs.size, needed=needed))
    return notes


def _list_excluded(state: SequentialState, *, checked: bool) -> tuple[exclusions.Exclusion, ...]:
    """Return the votes that count nothing: second answers, and ties where they are discarded."""
    seen, excluded = state.seen, []
    if seen.revised:
        reason = "second answers to one question by one judge"
        also = "; the rank sets that must confirm hold them" if checked else ""
        sentence = f"{reason} are not counted: {seen.revised:,} of {seen.votes:,}{also}"
        excluded.append(
            exclusions.Exclusion(
                "again", reason, seen.revised, seen.votes, unit="vote", sentence=sentence
            )
        )
    if seen.ties and state.settings.ties == "discard":
        reason = "ties, which the model does not take"
        excluded.append(exclusions.Exclusion("ties", reason, seen.ties, seen.counted, unit="vote"))
    return tuple(excluded)


def _sign(state: SequentialState, confirmation: Confirmation | None) -> str:
    settings, founders, seen = state.settings, state.founders, state.seen
    alone = founders is not None and founders < 2
    direct = f" {likelihood.MODEL_SHARE:g} + direct votes {1 - likelihood.MODEL_SHARE:g}"
    systems = len(state.systems) if founders is None else founders
    named = " named by votes" if founders is None or state.numerator.early else ""
    if founders and not named:  # who was named decides which pairs direct votes may decide
        named = exclusions.sign_names(state.systems[:founders])
    parts = ["watch", settings.ties, f"e-process{'' if alone else direct}"]
    if settings.judge_votes is not None:
        parts.append(f"judges by {settings.judge_votes} votes")
    parts.append(f"level {settings.level:g} systems={systems}{named}")
    if state.order:
        parts.append(f"order {state.order}")
    if state.seed is not None:
        parts.append(f"rankings by seed {state.seed}")
    if state.plan_sha256:
        parts.append(f"plan {state.plan_sha256[:12]}")
    if state.withdrawn:
        parts.append(f"withdrawn {exclusions.sign_names(state.withdrawn).strip()}")
    if confirmation is not None and confirmation.method:
        parts.append(f"confirmed by {confirmation.method}")
    return write_signature(parts, float(seen.votes), seen.digest or "0" * 12)


# A board as JSON, so that it can be continued after a restart. What is decided after it is what
# would have been decided without it. A checksum tells whether the file was changed; it keeps nobody
# from writing another one on purpose.


def write_board(state: SequentialState) -> str:
    """Return a board as JSON.

    >>> state = LiveLeaderboard().start(["a", "b"])
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
        "plan_sha256": state.plan_sha256,
        "withdrawn": state.withdrawn,
        "shown": [[*ends, *counts] for ends, counts in state.shown.items()],
        "numerator": state.numerator.to_dict(),
        "signs": None if state.signs is None else state.signs.to_dict(),
        "claims": [asdict(claim) for claim in state.claims],
        "judge_claims": [asdict(claim) for claim in state.judge_claims],
    }
    return json.dumps({**body, "sha256": _sum(body)}, ensure_ascii=False, allow_nan=False) + "\n"


def read_board(text: str) -> SequentialState:
    """Read what `write_board` wrote.

    Raises:
        UnknownFormat: this is no board, or it was changed or cut since it was written.
    """
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.UnknownFormat(f"this is no board: it is no JSON ({error})") from None
    version = body.get("format") if isinstance(body, dict) else None
    if version != FORMAT:
        if isinstance(version, str) and version.startswith(KIND):
            raise errors.UnknownFormat(
                f'this board is of another version: "{version}", and this is "{FORMAT}"; begin'
                " again from the votes"
            )
        raise errors.UnknownFormat(f'this is no board: it lacks "format": "{FORMAT}"')
    if body.pop("sha256", None) != _sum(body):
        raise errors.UnknownFormat(
            "this board was changed since it was written: begin again from the votes"
        )
    try:
        state = LiveLeaderboard(**body["settings"]).start([str(name) for name in body["systems"]])
        state.founders = None if body["founders"] is None else int(body["founders"])
        state.seen = Seen(**body["seen"])
        keys = body["keys"]
        state.keys = {keys[i : i + KEY_DIGITS] for i in range(0, len(keys), KEY_DIGITS)}
        trace = body["trace"]
        state.trace = [trace[i : i + TRACE_DIGITS] for i in range(0, len(trace), TRACE_DIGITS)]
        state.sides_known = bool(body["sides_known"])
        state.order = str(body["order"])
        state.seed = None if body["seed"] is None else int(body["seed"])
        state.plan_sha256 = str(body.get("plan_sha256", ""))  # not in boards of before
        state.withdrawn = tuple(map(str, body.get("withdrawn", [])))
        state.shown = {(s, t): list(counts) for s, t, *counts in body["shown"]}
        state.numerator = likelihood.Numerator.from_dict(body["numerator"])
        state.signs = None if body["signs"] is None else JudgeSigns.from_dict(body["signs"])
        state.claims = [likelihood.Claim(**claim) for claim in body["claims"]]
        state.judge_claims = [likelihood.Claim(**claim) for claim in body["judge_claims"]]
    except (LookupError, AttributeError, ArithmeticError, TypeError, ValueError) as error:
        raise errors.UnknownFormat(
            f"this board cannot be read: {type(error).__name__} {error}"
        ) from None
    return state


def _sum(body: Mapping[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
