"""Evidence of direct votes between two systems, which holds however often it is looked at.

Of votes between the two, S for the new and F for the old system, each with half of the ties, and
p₀ = ½ − margin,

    e = ∫ p^S (1 − p)^F dp over p₀ < p < 1, with weight 1/(1 − p₀), / (p₀^S (1 − p₀)^F)

has a mean of at most 1, at any time, wherever the new system wins p₀ or less (Ville): with x of a
vote 1, ½ or 0, (p/p₀)^x ((1 − p)/(1 − p₀))^(1 − x) is convex in x. Where judges or items are known,
votes count as so many independent ones as have the same error: S and F are multiplied by
min(1, V_model/V) (z/q)², with z and q the 1 − α quantiles of the normal and of Student's t. V is
estimated, so that this is no proof, and the clustered test is asked as well (experiment E23).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import inf, log, sqrt
from operator import or_
from typing import Any, Final

import narwhals as nw
import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import judged_by_llm_alone, leave_out_second_answers, take, take_pairs
from evenhand.data.engine import count_rows
from evenhand.data.groups import choose_groups, list_levels
from evenhand.data.rankings import Rankings
from evenhand.data.slips import MAX_ROWS_IN_PASSING, find_slips
from evenhand.data.tally import Tally
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, listing, suggest_or_list
from evenhand.models.log_linear import Fit
from evenhand.models.rating_fit import RatingFit
from evenhand.numerics.distributions import MIN_P, net_wins_chances, normal_quantile, t_quantile
from evenhand.ranking.plans import Asked
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import MAX_TIMES, GroupedRankings, Ranking
from evenhand.render.document import Finding

# What remedies of `rank` ask for and a gate does not have
LACKING: Final = ("--prior", "--ties", "--model", "--interval", "rank them apart", "merge groups")


def find_log_evidence(wins: float, losses: float, least: float) -> float:
    """Return log e against every share of wins up to `least`, p₀.

    >>> round(find_log_evidence(60, 52, 0.45), 6)
    0.071699
    """
    from scipy.special import betainc, betaln

    tail = float(betainc(1 + losses, 1 + wins, 1 - least))
    mean = float(betaln(1 + wins, 1 + losses)) + (log(tail) if tail > 0 else -inf)
    return mean - log(1 - least) - wins * log(least) - losses * log(1 - least)


@dataclass(frozen=True)
class Evidence:
    """Log e of direct votes for what a gate may say."""

    wins: float  # of the new system, with half of the ties, as so many independent votes
    losses: float
    least: float  # share of wins that does not suffice
    passes: float  # not worse by the margin
    worse: float  # worse by more than it
    better: float  # better than the old system
    within: float  # better by less than the margin

    def find_times(self, needed: float, *, turned: bool = False) -> float | None:
        """Return how many times as many votes pass, turned: show that it is worse; None if none."""
        from scipy.optimize import brentq

        one, other, least = self.wins, self.losses, self.least
        if turned:
            one, other, least = other, one, 1 - least

        def lack(times: float) -> float:
            return needed - find_log_evidence(times * one, times * other, least)

        if lack(1.0) <= 0:
            return 1.0
        most = float(MAX_TIMES)
        return None if lack(most) > 0 else float(brentq(lack, 1.0, most))


def weigh_votes(
    ranking: Ranking, pair: tuple[str, str], margin: float, *, alpha: float, error: float
) -> Evidence:
    """Weigh direct votes of two systems; error: the clustered one of their difference."""
    if isinstance(ranking.fit, RatingFit) or ranking.tally is None:
        raise UnknownOption("an anytime decision needs comparisons: leave it out for ratings")
    if ranking.tally.squares is not None:
        raise UnknownOption("an anytime decision counts votes, and these have weights")
    part = 1.0  # of themselves, as which clustered votes count, were they independent
    if isinstance(ranking.fit, Fit) and any(way.name != "judgment" for way in ranking.ways):
        (alone,) = ranking.fit.contrasts([pair])
        z, q = (t_quantile(1 - alpha, df) for df in (inf, ranking.df))
        part = float(min(1.0, (alone.stderr / error) ** 2) * (z / q) ** 2)
    wins, ties, losses = ranking.tally.between(*pair)
    wins, losses = part * (wins + ties / 2), part * (losses + ties / 2)
    least = 0.5 - margin
    return Evidence(
        wins,
        losses,
        least,
        find_log_evidence(wins, losses, least),
        find_log_evidence(losses, wins, 1 - least),
        find_log_evidence(wins, losses, 0.5),
        find_log_evidence(losses, wins, least),
    )


@dataclass(frozen=True)
class Unanimous:
    """Direct votes that all say the same of two systems: no worths fit them.

    Where votes of different judges on different items are independent, and a system wins a share s
    of all, it wins n of these with probability s^n, and ties n with at most (2 s)^n: that it did
    shows s > α^(1/n), or half of it, at 1 − α. So it does at any time, since n grows with votes
    that nobody has seen the answers of.
    """

    table: Comparisons
    tally: Tally
    value: float  # share that the new system wins: 1, 0, or a half where all are ties
    votes: float
    judges: int
    ways: tuple[str, ...]  # in which no two of the votes that count are alike
    units: int  # n, the most votes that have no judge and no item in common


WAYS: Final = ("judge", "item")


@dataclass(frozen=True)
class Evaluated:
    """What is known of new systems beside the old one, in each group, or under "" of all."""

    groups: Mapping[str, Ranking]
    by: str | None = None  # what tells groups apart
    refused: Mapping[str, str] = field(default_factory=dict)  # group → why nothing is known
    # group → new system → its votes, where no worths fit these
    alike: Mapping[str, Mapping[str, Unanimous]] = field(default_factory=dict)
    slips: tuple[Finding, ...] = ()  # rows that stand twice, each of which counts

    @classmethod
    def of(cls, ranked: Ranking | GroupedRankings | Evaluated) -> Evaluated:
        if isinstance(ranked, Evaluated):
            return ranked
        if isinstance(ranked, Ranking):
            return cls({"": ranked})
        whys = ranked.refused.items()
        refused = {name: str(one.refusal.without_options(*LACKING)) for name, one in whys}
        return cls(ranked.groups, ranked.by, refused)


def evaluate(data: Any, asked: Asked, settings: Mapping[str, Any]) -> Evaluated:
    """Rank new systems and the old one, by the comparisons of these with each other alone.

    What others show of two systems holds of these two only as far as one worth describes each.
    Where all votes on one are alike, no worths fit, and these are returned. Ratings are ranked as
    they are.
    """
    table = take_pairs(data) if isinstance(data, Rankings) else data
    if isinstance(table, Tally):
        pairs = np.array(table.systems)[np.stack([table.left, table.right])]
        if not ((pairs == asked.old).any(axis=0) & np.isin(pairs, asked.new).any(axis=0)).all():
            raise InvalidJudgments(
                f"these counts hold more than {listing(asked.new)} against {asked.old}: give the"
                " judgments themselves"
            )
    if not isinstance(table, Comparisons):
        return _rank(table, settings)
    sides = (list_levels(table, side) for side in ("left", "right"))
    require_known({one for side in sides for one in side if one is not None}, asked)
    by = choose_groups(table, asked.group_by)
    names = [""] if by is None else [one for one in list_levels(table, by) if one is not None]
    if asked.group_by is None and len(names) == 1:
        by, names = None, [""]
    settings = {**settings, "group_by": by}
    direct = keep_pairs(table, asked.new, asked.old)
    reason = f"not of {asked.old} and {' or '.join(asked.new)}"
    direct = table.keep_rows(direct.frame, "other-pairs", reason)
    if settings.get("llm") is not None:
        llm = take_pairs(take(settings["llm"]))
        if isinstance(llm, Comparisons):  # `rank` refuses others
            llm = keep_pairs(llm, asked.new, asked.old)
        settings = {**settings, "llm": llm}
    slips: tuple[Finding, ...] = ()
    if asked.anytime:  # evidence counts each answer once
        direct = leave_out_second_answers(direct, asked.group_by)
    else:
        slips = find_slips(direct, pasted=count_rows(direct.frame) <= MAX_ROWS_IN_PASSING)
    never = say_never_met(asked.new, asked.old)
    refusal = NotIdentified(never, ["collect comparisons of these two"])
    ranked = Evaluated({})
    if count_rows(direct.frame.head(1)):
        try:
            ranked = _rank(direct, settings)
        except NotIdentified as fault:
            refusal = fault
    groups, refused, alike = {**ranked.groups}, {**ranked.refused}, {}
    for name in [one for one in names if one not in groups or _has_only_ties(groups[one], asked)]:
        level = None if by is None else nw.col(by).cast(nw.String) == name
        part = direct if level is None else direct.where(level, recorded=False)
        if not count_rows(part.frame.head(1)):
            refused[name] = never
        elif found := find_alike(part, asked, settings):
            alike[name] = found
            for known in (groups, refused):
                known.pop(name, None)
            rest = keep_pairs(part, [one for one in asked.new if one not in found], asked.old)
            if count_rows(rest.frame.head(1)):
                groups |= _rank(rest, settings).groups
    if not groups and not alike:
        raise refusal
    return Evaluated(groups, by, refused, alike, slips)


def _has_only_ties(ranking: Ranking, asked: Asked) -> bool:
    """Say whether a new system has only ties with the old one: a half fits them without error."""
    if ranking.tally is None:
        return False
    judged = [one for one in asked.new if one in ranking.systems]
    votes = [ranking.tally.between(one, asked.old) for one in judged]
    return any(not wins and not losses for wins, _, losses in votes)


def _rank(data: Any, settings: Mapping[str, Any]) -> Evaluated:
    try:
        return Evaluated.of(rank(data, **settings))
    except NotIdentified as fault:
        raise fault.without_options(*LACKING) from None


def keep_pairs(table: Comparisons, new: Sequence[str], old: str) -> Comparisons:
    left, right = (nw.col(side).cast(nw.String) for side in ("left", "right"))
    none = (left == old) & (right == old)
    pairs = [((left == one) & (right == old)) | ((left == old) & (right == one)) for one in new]
    return table.where(reduce(or_, pairs, none), recorded=False)


def find_alike(
    table: Comparisons, asked: Asked, settings: Mapping[str, Any]
) -> dict[str, Unanimous]:
    """Return the votes on each new system of which all votes are alike, where judges are known."""
    if settings.get("llm") is not None or settings.get("llm_judges"):
        return {}
    ways: tuple[str, ...] = WAYS
    if asked.cluster is not None:
        ways = tuple(asked.cluster.split("+"))
    elif judged_by_llm_alone(table) or asked.group_by == "judge":
        ways = ("item",)
    table = take_pairs(table)
    if not table.has("judge") or len(table.tasks()) > 1:
        return {}
    tally = table.tally(by=[name for name in WAYS if table.has(name)])
    if tally.squares is not None or not tally.of_pairs:
        return {}
    left, right, found = tally.left, tally.right, {}
    held = tuple(name for name in ways if name in tally.factors)
    for new in asked.new:
        if not {new, asked.old} <= {*tally.systems}:
            continue
        wins, ties, losses = tally.between(new, asked.old)
        if sum(one > 0 for one in (wins, ties, losses)) != 1:
            continue
        one, other = map(tally.systems.index, (new, asked.old))
        direct = ((left == one) & (right == other)) | ((left == other) & (right == one))
        codes = {name: tally.factor(name).codes[direct] for name in (*held, "judge")}
        judges, votes = len(np.unique(codes["judge"])), wins + ties + losses
        units = int(votes)
        if len(held) == 1:
            units = len(np.unique(codes[held[0]]))
        elif held:  # the most votes of which no two are alike in either code
            from scipy.sparse import csr_array
            from scipy.sparse.csgraph import maximum_bipartite_matching

            cells = (np.ones(int(direct.sum()), dtype=np.int8), (codes[held[0]], codes[held[1]]))
            matching = maximum_bipartite_matching(csr_array(cells), perm_type="column")
            units = int((matching >= 0).sum())
        value = (wins + ties / 2) / votes
        found[new] = Unanimous(table, tally, value, votes, judges, held, units)
    return found


def require_known(known: Collection[str], asked: Asked) -> None:
    for name in (*asked.new, asked.old):
        if name not in known:
            apart = [one.strip() for one in name.split(",")]
            hint = suggest_or_list(name, sorted({*known}.difference(asked.new, [asked.old])))
            if {*apart} <= {*known}:
                hint = f" Name each by itself: {' '.join(f'--new {one}' for one in apart)}"
            raise InvalidJudgments(f"no system '{name}'.{hint}")


def say_never_met(new: Sequence[str], old: str) -> str:
    return f"{listing(new)} and {old} were never compared with each other"


# Bounds of the share of votes that a system wins, a tie being half, from chances of counts.
#
# Of n independent votes with w wins, t ties and l losses
#
# p(s) = P(W − L ≥ w − l),   W, T, L ~ Multinomial(n; the chances that make w, t, l most likely
# of those with P(win) + P(tie)/2 = s)
#
# tests whether the share is s at most, and the lower bound at 1 − α is the s where p(s) = α. Where
# all votes are alike, or none is a tie, it is the exact binomial one (Clopper & Pearson); else the
# share of ties is the likeliest under the hypothesis (Newcombe 1998, method 5). Student's t alone
# passes too much where votes are few and most are ties: as few as go against a system, so small its
# error seems. Experiment E22 measures both.
#
# Votes of the same judges or items count as as many independent ones, n at most, as have their
# error. Source: Newcombe (1998), Statistics in Medicine 17:2635-2650, on differences of paired
# proportions, as wins less losses are. When not to use it: votes with a trend, such as of systems
# that change.

MOST_COUNTED: Final = 10_000  # Votes up to which counts are summed; of more, t holds
HALVINGS: Final = 30  # Of the interval in which a bound lies: to the ninth digit
PROBES: Final = 10  # Before them, which leave few halves open
NEAR: Final = 3e-10  # How close probes are to each other


@dataclass(frozen=True)
class Votes:
    """Votes between two systems, as so many independent ones."""

    wins: float  # shares of the three, which add up to 1
    ties: float
    losses: float
    units: int  # n

    def turn(self) -> Votes:
        """Return them as the other system sees them."""
        return replace(self, wins=self.losses, losses=self.wins)

    def find_p(self, share: float) -> float:
        """Return p of the claim that the system wins more than a share.

        >>> abs(Votes(0.0, 1.0, 0.0, 20).find_p(0.45) - 0.9**20) < 1e-12
        True
        """
        half = find_half_ties(self, share)
        chances = np.array([[share - half, 2 * half, 1 - share - half]])
        each = net_wins_chances(np.maximum(chances, 0.0), np.array([self.units]))
        tails = np.cumsum(each[::-1])[::-1]
        steps = np.arange(0, len(tails), 1 if self.ties else 2)  # a net of wins is even or odd
        place = self.units * (1 + self.wins - self.losses)
        return float(np.clip(np.interp(place, steps, tails[steps]), MIN_P, 1.0))

    def find_t(self, share: float, df: float) -> float:
        """Return the t of that p; infinite where p is as small as can be told."""
        p = self.find_p(share)
        return inf if p <= MIN_P else t_quantile(max(1 - p, MIN_P), df)

    def find_lower(self, alpha: float) -> float:
        """Return the lower bound at 1 − α.

        >>> round(Votes(0.0, 1.0, 0.0, 20).find_lower(0.05) * 2, 6) == round(0.05**0.05, 6)
        True
        """
        low, high = 0.0, self.wins + self.ties / 2
        below, above = self._enclose(alpha)
        for _ in range(HALVINGS):  # scipy.optimize takes as long to import as all of these
            middle = (low + high) / 2
            if below < middle < above:
                below, above = self._narrow(middle, alpha, below, above)[:2]
            low, high = (middle, high) if middle <= below else (low, middle)
        return low

    def _enclose(self, alpha: float) -> tuple[float, float]:
        """Return two shares close to where p = α, a probe on either side; p rises with the share.

        The normal quantiles of p are nearly a straight line, whose slope is that of the errors.
        """
        below, above = 0.0, self.wins + self.ties / 2
        slope = sqrt(self.units / max(self.wins + self.ties / 4 - above**2, 1 / self.units))
        share, goal = above + normal_quantile(alpha) / slope, normal_quantile(alpha)
        last = None
        for _ in range(PROBES):
            if above - below < 4 * NEAR:
                break
            if not below < share < above:
                share = (below + above) / 2
            below, above, p = self._narrow(share, alpha, below, above)
            z = normal_quantile(min(p, 1 - MIN_P))
            if last is not None and z != last[1]:
                slope = (z - last[1]) / (share - last[0])
            last = share, z
            # a little beyond, so that the next probe is on the other side
            share += (goal - z) / slope + (NEAR if share == below else -NEAR)
        return below, above

    def _narrow(
        self, share: float, alpha: float, below: float, above: float
    ) -> tuple[float, float, float]:
        p = self.find_p(share)
        return (share, above, p) if p <= alpha else (below, share, p)


def find_half_ties(votes: Votes, share: float) -> float:
    """Return half of the chance of a tie that makes votes most likely where a share is won.

    With y that half, the chances are s − y, 2y and 1 − s − y, and y solves
    y² − (t + w(1 − s) + l s) y + t s (1 − s) = 0.
    """
    middle = (votes.ties + votes.wins * (1 - share) + votes.losses * share) / 2
    root = sqrt(max(middle**2 - votes.ties * share * (1 - share), 0.0))
    return min(max(middle - root, 0.0), share, 1 - share)


def count_votes(ranking: Ranking, pair: tuple[str, str], error: float) -> Votes | None:
    """Return votes on two systems as so many independent ones as have the error of their share.

    None where the estimate is no share of votes, as with verdicts of LLM judges, or they are many.
    """
    if ranking.tally is None or ranking.fused is not None:
        return None
    counts = np.array(ranking.tally.between(*pair))
    n = ranking.tally.count_effective(*pair)
    wins, ties, losses = (counts / counts.sum()).tolist()
    variance = wins + ties / 4 - (wins + ties / 2) ** 2
    if counts.max() == counts.sum():  # all alike: no error of theirs is known
        units = min(n, ranking.df + 1)
    else:
        units = min(n, variance / error**2 * n / (n - 1))
    known = units <= MOST_COUNTED
    return Votes(wins, ties, losses, max(1, int(units + 1e-9))) if known else None
