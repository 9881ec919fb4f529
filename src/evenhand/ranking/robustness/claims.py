"""What a ranking concludes, and how few votes, judges or items a conclusion rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, listing, suggest_or_list
from evenhand.ranking.ranking import Ranking, group_causes, say_barred
from evenhand.ranking.texts import say_of_robustness as say
from evenhand.render.document import Finding, join_names

HOLDS, FALLS, NO_RANKING = "", "falls", "no ranking"  # What became of a conclusion
REVERSED, UNDECIDED = "reversed", "undecided"
OUTCOMES: Final = (REVERSED, UNDECIDED)
MAX_BORDERS_ASKED: Final = 5  # Borders between clusters that are asked about by default
MAX_NAMES_IN_SENTENCE: Final = 5  # Judges, items or systems that are named
MAX_KINDS_IN_SENTENCE: Final = 3  # Kinds of votes that are counted
MAX_UNITS_FOR_ALL_SETS: Final = 8  # Units up to which all sets of them are tried, 254 fits
# How an outcome is called in a table, and what that means
OUTCOME_LEGEND: Final = {
    "reversed": "reversed: without so many, or fewer others, another system is ahead",
    "undecided": "undecided: it is no longer decided without so many, or fewer others",
    "unranked": "unranked: nothing is left to rank",
    "robust": "robust: not reversed without all that support it; larger sets were not tried",
    "robust, exactly": "robust, exactly: no set of them reverses it",
}


@dataclass(frozen=True)
class Removed:
    judge: str | None = None  # who gave them; None where unknown, or where any alike votes do
    item: str | None = None  # on what, or None likewise
    better: str | None = None  # the preferred system; of a tie the first by name
    worse: str | None = None  # the other
    tie: bool = False  # whether neither was preferred
    count: float = 1.0  # how many comparisons
    of: float | None = None  # votes of this kind: same systems, outcome, sides; None of a judge
    first: str | None = None  # the system shown first, where the model knows an order effect

    @property
    def kind(self) -> str:
        if self.better is None:
            return ""
        side = "" if self.first is None else f" ({self.first} first)"
        pair = f"{self.better} {'and' if self.tie else 'over'} {self.worse}{side}"
        return f"ties of {pair}" if self.tie else pair


@dataclass(frozen=True)
class Claim:
    name: str  # the claim in words
    above: tuple[str, ...]  # names of systems
    below: tuple[str, ...]  # names of systems
    subject: str = ""  # the system that the claim is about, where it is about one

    def across(self, systems: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return codes of the systems above and below, to index a (K, K) table by."""
        place = {name: i for i, name in enumerate(systems)}
        above, below = ([place[name] for name in names] for names in (self.above, self.below))
        rows, columns = np.ix_(above, below)
        return rows, columns


def count_leaders(ranking: Ranking) -> int:
    return int((ranking.rank == ranking.rank[0]).sum())


def find_claims(ranking: Ranking) -> tuple[Claim, ...]:
    # Who leads (alone, or level with others), the nearest system that the leader is decided to be
    # better than, and the borders between clusters.
    systems, ahead = ranking.systems, count_leaders(ranking)
    claims = []
    if ahead == 1:
        claims.append(Claim(f"{systems[0]} is first", systems[:1], systems[1:], systems[0]))
    elif ahead < len(systems):
        name = f"{listing(systems[:ahead])} are ahead of all others"
        claims.append(Claim(name, systems[:ahead], systems[ahead:]))
    sets = ranking.rank_sets
    if sets is not None:  # the leader is seldom decided to be first; whom it beats may be
        beaten = np.flatnonzero(sets.decided[0] > 0).tolist()
        if beaten and beaten[0] > ahead:
            claims.append(claim_pair(ranking, systems[0], systems[beaten[0]]))
    if ranking.cluster is not None:
        borders = (np.flatnonzero(np.diff(ranking.cluster)) + 1).tolist()
        claims += [
            claim_border(ranking, place) for place in borders[:MAX_BORDERS_ASKED] if place > ahead
        ]
    return tuple(claims)


def claim_pair(ranking: Ranking, better: str, worse: str) -> Claim:
    for one in (better, worse):
        if one not in ranking.systems:
            raise InvalidJudgments(f"no system '{one}'.{suggest_or_list(one, ranking.systems)}")
    if better == worse:
        raise UnknownOption(f"{better} and {worse} are one system: a pair is of two")
    above, below = (int(ranking.rank[ranking.systems.index(name)]) for name in (better, worse))
    if above == below:
        raise UnknownOption(f"the board has {better} and {worse} level: neither is ahead")
    if above > below:
        raise UnknownOption(
            f"the board does not have {better} ahead of {worse}: ask about {worse} ahead of"
            f" {better}"
        )
    return Claim(f"{better} is ahead of {worse}", (better,), (worse,), better)


def claim_pairs(ranking: Ranking, pairs: Sequence[Any]) -> list[Claim]:
    """Return the claims of pairs of systems, or of the two systems of one pair."""
    single = len(pairs) == 2 and all(name in ranking.systems for name in pairs)
    wanted = [tuple(pair) for pair in ([pairs] if single else pairs)]
    if any(len(pair) != 2 for pair in wanted):
        raise UnknownOption("pairs are (better, worse), two systems each: pairs=[('A', 'B')]")
    return [claim_pair(ranking, *pair) for pair in dict.fromkeys(wanted)]


def claim_border(ranking: Ranking, place: int) -> Claim:
    systems = ranking.systems
    if not 1 <= place < len(systems):
        raise UnknownOption(
            f"no border after place {place}: {len(systems)} systems have borders after places 1"
            f" to {len(systems) - 1}"
        )
    if ranking.rank[place - 1] == ranking.rank[place]:
        raise UnknownOption(
            f"no border after place {place}: {systems[place - 1]} and {systems[place]} are level"
        )
    return Claim(f"border after place {place}", systems[:place], systems[place:])


def note_barred(ranking: Ranking, claims: Sequence[Claim]) -> list[Finding]:
    sets = ranking.rank_sets
    if sets is None:
        return []
    notes = []
    for claim in claims:
        rows, columns = claim.across(ranking.systems)
        pairs = list(product(rows.ravel().tolist(), columns.ravel().tolist()))
        causes = group_causes(sets, [pair for pair in pairs if sets.barred[pair]])
        if not causes:
            continue
        several = "its {of} pairs" if len(claim.above) == 1 else "the {of} pairs across it"
        rest = say_barred(sets, causes, len(pairs), ("the pair", several))
        code = "pair-barred" if sum(map(len, causes.values())) == 1 else "pairs-barred"
        notes.append(say(code, "warning", claim=claim.name, why=rest))
    return notes


@dataclass(frozen=True)
class Flip:
    claim: str  # the conclusion in words
    how: str  # "reversed" (another system is then ahead) or "undecided"
    unit: str  # vote, ranking, judge or item
    fewest: int | None  # units without which it falls, an upper bound; None where it stands
    total: int  # units that there are
    tried: int  # units that were taken away, where it stands without them
    predicted: int | None  # the number that cumulated influence predicts, or None
    left: str | None  # what is left then: "falls", or "no ranking" where the rest determines none
    removed: tuple[Removed, ...]  # who and what, in the order in which they are taken away
    ahead: str | None = None
    behind: str | None = None
    gone: tuple[str, ...] = ()
    subject: str = ""  # the system that the claim is about, where it is about one

    @property
    def share(self) -> float | None:
        return None if self.fewest is None else self.fewest / self.total

    @property
    def exact(self) -> bool:
        return self.how == REVERSED and self.unit != "vote" and self.total <= MAX_UNITS_FOR_ALL_SETS

    @property
    def outcome(self) -> str:
        """What becomes of the conclusion, as a key of OUTCOME_LEGEND."""
        if self.fewest is None:
            return "robust, exactly" if self.exact else "robust"
        return "unranked" if self.left == NO_RANKING else self.how

    @property
    def says(self) -> str:
        return say("carried", "info", claim=self.claim, parts=say_part([self], whose=True))

    @property
    def few(self) -> str:
        unit = f"{self.unit}s" if self.total > 1 else self.unit
        return "" if self.fewest is None else f"{self.fewest:,} of {self.total:,} {unit}"

    @property
    def effect(self) -> str:
        if self.left == NO_RANKING:
            gone = listing(self.gone, MAX_NAMES_IN_SENTENCE)
            return say("nothing-left" if gone else "no-ranking-left", gone=gone)
        if self.ahead is None:
            return say("another-ahead" if self.how == REVERSED else "undecided")
        known = self.behind == self.subject
        return say("ahead" if known else "ahead-of", ahead=self.ahead, behind=self.behind)

    @property
    def whose(self) -> str:
        """Who and what is taken away, in a line; empty where the conclusion stands."""
        # Of votes their kinds: which judges gave them is beside the point, or chosen by what they
        # leave of the agreement between judges, and would read as an accusation.
        most = MAX_NAMES_IN_SENTENCE if self.unit in ("judge", "item") else MAX_KINDS_IN_SENTENCE
        return listing(self.named, most)

    @property
    def named(self) -> list[str]:
        """The judges or items that are taken away, or how many votes of each kind."""
        if self.unit in ("judge", "item"):
            names = [one.judge if self.unit == "judge" else one.item for one in self.removed]
            return [name for name in names if name is not None]
        kinds = Counter[tuple[str, int]]()
        for one in self.removed:
            if one.of is not None:
                kinds[one.kind, round(one.of)] += round(one.count)
        # The most first, equal numbers by name
        order = sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))
        some = "any " if self.how == REVERSED else ""
        return [
            f"all {count:,} {kind}" if count == of else f"{some}{count:,} of {of:,} {kind}"
            for (kind, of), count in order
        ]

    def to_dict(self) -> dict[str, Any]:
        fields = asdict(self)
        del fields["subject"]
        return {**fields, "removed": [asdict(one) for one in self.removed], "says": self.says}


def say_part(flips: Sequence[Flip], *, whose: bool = False) -> str:
    effects: dict[str, list[str]] = {}
    for flip in flips:
        if flip.fewest is not None:
            named = f" ({flip.whose})" if whose and flip.whose else ""
            effects.setdefault(flip.effect, []).append(f"{flip.few}{named}")
    parts: list[str] = [
        say("falls-without", few=join_names(few, "or"), effect=effect)
        for effect, few in effects.items()
    ]
    for flip in flips:
        if flip.fewest is None:
            code = {0: "holds-without-any", 1: "holds-without-one"}.get(flip.tried)
            units = {"unit": flip.unit, "units": f"{flip.unit}s"}
            parts.append(say(code or "holds-without-all", tried=flip.tried, **units))
    return "; ".join(parts)
