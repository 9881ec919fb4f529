"""May a new system replace an old one? Non-inferiority with a margin, fixed in advance.

The new system passes if d − q √V > −δ and is worse if d + q √V < −δ (docs/gate.md): d is its
distance to the old one, V the clustered variance of `rank`. Both hold at once: δ ≥ 0, so that a
system that is better passes at no further cost. Of votes chances of counts must show the same, and
with `anytime` evidence that holds however often it is looked at (`direct_votes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import replace as changed
from hashlib import sha256
from math import ceil, inf, log, tanh
from pathlib import Path
from typing import Any, Final, Literal

import narwhals as nw
import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.controls import Openable, judged_by_llm_alone, keep_all_judges, take
from evenhand.data.engine import fetch_columns
from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.references import find_references, reads_human
from evenhand.data.results import Shown
from evenhand.data.source import Source, write_log_check
from evenhand.data.tally import take_names
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption, listing, require_seed
from evenhand.models.rating_fit import RatingFit
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.numerics.multiple_tests import adjust_by_steps, holm
from evenhand.ranking import plans
from evenhand.ranking.clustering import (
    ENOUGH_JUDGES,
    MIN_EFFECTIVE,
    count_missing,
    join_limits,
    limit_to_levels,
    these,
    write_below,
)
from evenhand.ranking.direct_votes import (
    Evaluated,
    Evidence,
    Unanimous,
    Votes,
    count_votes,
    evaluate,
    require_known,
    say_never_met,
    weigh_votes,
)
from evenhand.ranking.intervals import find_root, find_times
from evenhand.ranking.ranking import (
    BETWEEN,
    MAX_TIMES,
    GroupedRankings,
    Ranking,
    say_counts,
    say_fused,
    say_why,
)
from evenhand.ranking.texts import say_of_gates as say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    join_names,
    plural,
    say_tally,
    take_findings,
    write_signature,
    write_value,
)

Decision = Literal["passed", "worse", "undecided"]
# Exit codes of the command
CODES: Final[Mapping[Decision, int]] = {"passed": 0, "worse": 1, "undecided": 3}
DRAWS: Final = 99_999  # of t, for several new systems
FEW_ITEMS: Final = frozenset(("one-item", "few-items"))  # notes of items that are no clusters
TIED: Final = 0.5  # share of comparisons that are ties all


def tail_above(t: float, df: float) -> float:
    half = t_tail(t, df) / 2
    return half if t >= 0 else 1 - half


def find_win_rate(gap: float) -> float:
    """Return how often a system wins by its distance in log-worth, a tie counting half."""
    return (1 + tanh(gap / 2)) / 2


@dataclass(frozen=True)
class Comparison:
    """One new system beside the old one, in one group."""

    new: str  # name
    group: str  # value of the column, or "" without groups
    decision: Decision = "undecided"
    superior: bool = False  # passed, and better than the old system
    equivalent: bool = False  # also shown to be better by less than the margin
    value: float | None = None  # share of comparisons won, a tie counting half; or points
    lower: float | None = None  # one-sided bounds of the value, each at 1 − α by itself
    upper: float | None = None
    limit: float | None = None  # the value that must be exceeded
    difference: float | None = None  # new less old, positive where better, in log-worth or points
    stderr: float | None = None  # its clustered standard error
    df: float | None = None  # degrees of freedom; None for the normal distribution
    delta: float | None = None  # δ, on the scale of the difference
    p: float | None = None  # of being worse by the margin or more, adjusted for several new systems
    p_worse: float | None = None  # of being worse by more than the margin, adjusted for all rows
    log_evidence: float | None = None  # log e of the anytime test; None without it
    log_evidence_worse: float | None = None  # the same of being worse by more than the margin
    judgments: float = 0.0  # that the ranking rests on
    judgments_needed: float | None = None  # that decide it with a chance of .8; None if unknown
    cost: float | None = None  # of these
    says: str = ""  # what was decided, in a sentence
    why: str | None = None  # what keeps it undecided, or None
    headline: str = ""  # for whom it holds, such as for these judges only; "" without such a limit


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Shown):
    """Whether new systems may replace an old one."""

    new: tuple[str, ...]
    old: str
    margin: float
    alpha: float
    anytime: bool
    plan_sha256: str | None  # of the file that stated all this before, or None
    by: str | None  # what tells groups apart, or None
    scale: str  # "win rate" or "points"
    comparisons: tuple[Comparison, ...]
    basis: str
    signature: str
    notes: tuple[Finding, ...]
    excluded: tuple[Exclusion, ...] = ()
    unplanned: tuple[str, ...] = ()  # what was chosen beside the plan, in words

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the notes, before them what was chosen beside the plan."""
        if not self.unplanned:
            return self.notes
        return (say("unplanned", "warning", what="; ".join(self.unplanned)), *self.notes)

    @property
    def decision(self) -> Decision:
        """All must pass; one that is worse is enough. Nothing is decided beside the plan."""
        if self.unplanned:
            return "undecided"
        decisions = [one.decision for one in self.comparisons]
        if "worse" in decisions:
            return "worse"
        return "undecided" if "undecided" in decisions else "passed"

    @property
    def exit_code(self) -> int:
        """0 passed, 1 worse, 3 undecided."""
        return CODES[self.decision]

    @property
    def says(self) -> tuple[str, ...]:
        """Return the decision in a sentence or two."""
        if self.unplanned:
            return (str(say("exploratory")), *changed(self, unplanned=()).says)
        if len({one.says for one in self.comparisons}) == 1:
            return (self.comparisons[0].says,)
        decisive = [one for one in self.comparisons if one.decision == self.decision]
        names = [f"{one.new} in {one.group}" if one.group else one.new for one in decisive]
        told = {"of": len(self.comparisons), "old": self.old}
        if self.decision != "passed":
            passed = sum(one.decision == "passed" for one in self.comparisons)
            verb = "is" if len(names) == 1 else "are"
            told |= {"which": join_names(names), "verb": verb, "passed": passed}
            return (str(say(f"several-{self.decision}", **told)), *(x.says for x in decisive[:3]))
        limits = [one for one in dict.fromkeys(one.headline for one in decisive) if one]
        groups = [one for one in dict.fromkeys(one.group for one in decisive) if one]
        told |= {"which": join_names(self.new), "headline": "".join(f" ({one})" for one in limits)}
        told["where"] = f" in {join_names(groups)}" if groups else ""
        return (str(say("several-passed", **told)),)

    def explore(self, *unplanned: str, moved: int) -> Gate:
        """Return it with what was chosen beside the plan, or moved after all answers were given."""
        more = [str(say("moved", moved=moved))] * (moved > 0)
        return changed(self, unplanned=(*self.unplanned, *unplanned, *more))

    def rows(self) -> list[dict[str, Any]]:
        """Return a mapping for each comparison, with plain numbers."""
        return [asdict(one) for one in self.comparisons]

    def to_dict(self) -> dict[str, Any]:
        """Return what it says as plain values, for JSON."""
        names = ("decision", "exit_code", "new", "old", "margin", "alpha", "anytime", "by", "scale")
        return {
            **write_contract(self, *names, "plan_sha256", "basis", findings=self.findings),
            "answer": list(self.says),
            "comparisons": self.rows(),
        }

    def document(self) -> Document:
        """Return what people read: the decision, and a row for each comparison."""
        rates = self.scale == "win rate"
        kinds = ("tenths", "interval tenths") if rates else ("signed", "interval")
        several = len({one.new for one in self.comparisons}) > 1
        columns = (
            *([Column("group", self.by or "", "name")] * (self.by is not None)),
            Column("new", "new", "name"),
            Column("value", "wins" if rates else "points better", kinds[0]),
            Column(("lower", "upper"), f"{100 * (1 - 2 * self.alpha):g} % interval", kinds[1]),
            Column("limit", "needed", kinds[0]),
            Column("p", "p, adjusted" if several else "p", "p"),
            *([Column("log_evidence", "log e", "two")] * self.anytime),
            Column("decision", "decision"),
            Column("judgments_needed", "more judgments", "integer", priority=3),
        )
        value = (
            "wins: share of comparisons that the new system wins; a tie counts half"
            if rates
            else ("points better: new less old, positive where the new system is better")
        )
        legend = [value, "needed: what the lower end must exceed to pass"]
        if self.anytime:
            needed = log(len(self.new) / self.alpha)
            legend.append(
                "log e: evidence of direct votes, a tie being half, less where judges differ;"
                f" {needed:.2f} passes"
            )
        caption = f"May {' or '.join(self.new)} replace {self.old}?"
        table = Table("comparisons", caption, columns, tuple(self.rows()), legend=tuple(legend))
        planned = "planned-else" if self.unplanned else "planned"
        plan = () if self.plan_sha256 is None else (say(planned, digest=self.plan_sha256),)
        findings = (*plan, *self.findings)
        return write_document(self, table, basis=self.basis, findings=findings)


def gate(
    data: Openable,
    *,
    new: str | Sequence[str] | None = None,
    old: str | None = None,
    margin: float | None = None,
    alpha: float | None = None,
    anytime: bool | None = None,
    group_by: str | None = None,
    criterion: str | None = None,
    lower_is_better: bool | None = None,
    cluster: str | None = None,
    llm: Openable | None = None,
    llm_judges: Sequence[str] = (),
    unpaired: str | None = None,
    seed: int = SEED,
    cost_judgment: float | None = None,
    plan: str | Path | None = None,
    plan_sha256: str | None = None,
) -> Gate:
    """Decide whether a new system may replace an old one.

    Args:
        data: comparisons, rankings or ratings, or what `read` opens.
        new: the new system, or several, which must all pass.
        old: the system that it may replace.
        margin: how much worse it may be: by so much below a half it may win comparisons (.05: it
            wins 45 %, a tie counting half); of ratings in points. 0 asks that it is better.
        alpha: how often a system that is worse by just the margin may pass (proportion; .05).
        anytime: whether the decision holds however often votes were looked at.
        group_by: a column of whose levels each must pass. Tasks and criteria are such groups too.
        criterion: of ratings, the one criterion to decide by.
        lower_is_better: of ratings, whether lower scores are better; as in `rank`.
        cluster: as in `rank`; "item" decides for these judges only, who may be few.
        llm: verdicts of LLM judges, which help people's judgments as in `rank`.
        llm_judges: the same where verdicts are among the judgments.
        unpaired: as in `rank`.
        seed: of what is drawn where several systems are new.
        cost_judgment: what a judgment costs; of what is still needed the cost is said.
        plan: a TOML file that states these settings, from `new` to `cluster`, before votes are
            known. Its SHA-256 stands in the result.
        plan_sha256: the SHA-256 of the plan as it was published; another is refused.

    Returns:
        The decision: passed, worse or undecided, with bounds of each comparison.

    Raises:
        InvalidJudgments: no such system.
        UnknownOption: settings that do not fit, or that differ from the plan.
        NotIdentified: the data determine no ranking in any group.

    Source: Wellek (2010), Testing Statistical Hypotheses of Equivalence and Noninferiority, 2nd
    ed.; Romano & Wolf (2005) for several systems; Ville's inequality for `anytime`.

    >>> votes = {"left": ["B", "A"] * 40, "right": ["A", "B"] * 40, "winner": ["left"] * 80}
    >>> gate(votes, new="B", old="A", margin=0.2).decision
    'passed'
    """
    given = {
        "new": None if new is None else take_names(new),
        "old": old,
        "margin": margin,
        "alpha": alpha,
        "anytime": anytime,
        "group_by": group_by,
        "criterion": criterion,
        "better": None if lower_is_better is None else "lower" if lower_is_better else "higher",
        "cluster": cluster,
    }
    digest = None
    if plan is not None:
        stated, digest = plans.read_gate_plan(plan)
        given = plans.join_plan(given, stated)
    plans.require_digest(plan, digest or "", plan_sha256)
    taken = take(data)
    source = getattr(taken, "source", None) or Source()
    moved = hold_to_plan(source, plan, digest)
    with plans.naming_plan(plan, UnknownOption):
        asked = plans.Asked.take(given, plan)
    require_seed(seed)
    if cost_judgment is not None and not 0 <= cost_judgment < inf:
        raise UnknownOption(f"cost_judgment cannot be {cost_judgment:g}: it is 0 or more")
    if asked.anytime and (llm is not None or llm_judges):
        raise UnknownOption("verdicts of LLM judges help no anytime decision: leave out one of two")
    settings: dict[str, Any] = {"llm": llm, "llm_judges": llm_judges, "unpaired": unpaired}
    settings |= {"group_by": asked.group_by, "cluster": asked.cluster, "seed": seed}
    if isinstance(taken, Ratings | RatingRows):
        lower = None if asked.better is None else asked.better == "lower"
        settings |= {"criterion": asked.criterion, "lower_is_better": lower}
        compared = {asked.old, *asked.new}
        if any(map(reads_human, compared)):  # one that is compared is a system like others
            systems = taken.list_names("system") if isinstance(taken, Ratings) else taken.systems
            settings["references"] = find_references(systems, kept=compared)
        if isinstance(taken, Ratings):
            with plans.naming_plan(plan, UnknownOption):
                refuse_wide_margin(taken, asked.margin)
    else:
        if names := [one for one in ("criterion", "better") if getattr(asked, one) is not None]:
            where = "" if plan is None else f"'{plan}': "
            kind = type(taken).__name__.lower()
            raise UnknownOption(f"{where}{kind} have no {' or '.join(names)}, so leave it out")
        with plans.naming_plan(plan, UnknownOption):
            plans.find_delta(asked.margin)
        settings["model"] = plans.SHARES
        taken = keep_all_judges(taken) if llm_judges else taken
    with plans.naming_plan(plan, UnknownColumn, UnknownOption, InvalidJudgments):
        found = decide(
            evaluate(taken, asked, settings),
            asked,
            digest,
            seed,
            cost_judgment=cost_judgment,
            of_these=judged_by_llm_alone(taken),
        )
    if source.log_head:
        check = write_log_check(source.name, source.log_head)
        found = changed(found, notes=(*found.notes, say("log", head=source.log_head, check=check)))
    if digest is None:
        return found
    if source.plan_sha256 and source.remaining and not asked.anytime:
        found = wait(found, source)
    unplanned = [*plans.list_chosen(found.excluded), *source.choices]
    unplanned += ["verdicts of LLM judges"] * (llm is not None or bool(llm_judges))
    unplanned += [f"seed {seed}"] * (seed != SEED)
    return found.explore(*unplanned, moved=moved)


def hold_to_plan(source: Source, plan: str | Path | None, digest: str | None) -> int:
    """Refuse another plan than was registered, or a log that does not hold; count moved answers."""
    if source.plan_sha256 not in ("", digest):
        began = f"{source.plan_sha256} was registered when the campaign began"
        if digest is None:
            raise UnknownOption(
                f"a plan with SHA-256 {began}: give that file (--plan FILE, in Python plan=)"
            )
        raise InvalidJudgments(f"'{plan}' has SHA-256 {digest}, and {began}: it was changed")
    fault, moved = ("", 0) if source.audit is None else source.audit()
    if fault:
        raise InvalidJudgments(
            f"'{source.name}' is not what was written, so that its answers say nothing: {fault}"
        )
    return moved


def wait(found: Gate, source: Source) -> Gate:
    """Decide nothing yet: a plan decides once, at the end, and answers are to come."""
    # a plan that were decided when judges are revoked could be ended where it passes
    counts = {"remaining": source.remaining, "vacant": source.vacant}
    code = "early-vacant" if source.vacant else "early"
    early = str(say(code, **counts, remains="is" if source.remaining == 1 else "are"))
    told: dict[str, Any] = {"decision": "undecided", "superior": False, "equivalent": False}
    told |= {"says": early, "judgments_needed": None, "cost": None}
    return changed(found, comparisons=tuple(changed(one, **told) for one in found.comparisons))


def refuse_wide_margin(taken: Ratings, margin: float) -> None:
    score = nw.col("score").cast(nw.Float64)
    scored = taken.frame.filter(~score.is_null())
    ends = fetch_columns(scored.select(low=score.min(), high=score.max(), n=nw.len()))
    if not margin or not ends["n"][0]:
        return
    low, high = (float(ends[one][0]) for one in ("low", "high"))
    if margin >= high - low:
        raise UnknownOption(
            f"margin cannot be {margin:g}: scores lie between {low:g} and {high:g}, and a margin is"
            " how many points worse the new system may be"
        )


def decide(
    ranked: Ranking | GroupedRankings | Evaluated,
    asked: plans.Asked,
    digest: str | None,
    seed: int,
    *,
    cost_judgment: float | None = None,
    of_these: bool = False,
) -> Gate:
    """Decide by groups, each of which must pass; of_these: about these judges, however few."""
    of_these = of_these or asked.cluster is not None or asked.group_by == "judge"
    known = Evaluated.of(ranked)
    groups, refused = known.groups, {**known.refused}
    rated = any(isinstance(one.fit, RatingFit) for one in groups.values())
    if rated:
        require_known({name for one in groups.values() for name in one.systems}, asked)
    found: list[Comparison] = []
    notes = []
    for name, ranking in groups.items():
        for note in ranking.notes:  # with the name of the group where others do not have it
            common = all(note in other.notes for other in groups.values())
            text = note if common else f"{name}: {note}"
            notes.append(Finding(note.code, text, note.severity, note.values))
    for name in [*groups, *(known.alike.keys() - groups.keys())]:
        alike, here = known.alike.get(name, {}), []
        for new, votes in alike.items():
            one, note = compare_alike(votes, new, name, asked, digest)
            here.append(one)
            notes.append(note)
        systems = groups[name].systems if name in groups else ()
        if asked.old in systems and {*asked.new} & {*systems}:
            few = None if of_these else say_few_groups(groups[name], digest)
            here += compare_in_group(groups[name], name, asked, seed, few=few, apart=bool(alike))
        if not here:
            lacking = [one for one in (*asked.new, asked.old) if one not in systems]
            refused[name] = say_lacking(lacking, asked, rated=rated)
            continue
        for new in asked.new:
            if new not in [one.new for one in here]:
                here.append(Comparison(new, name, why=say_lacking([new], asked, rated=rated)))
        found += sorted(here, key=lambda one: asked.new.index(one.new))
    if not found:
        whys = [f"{name}: {why}" if name else why for name, why in refused.items()]
        raise InvalidJudgments("; ".join(whys))
    found += [Comparison(new, name, why=why) for name, why in refused.items() for new in asked.new]
    scale = "points" if rated else "win rate"
    found = [
        changed(one, says=str(say_decision(one, asked, scale)))
        for one in adjust_worse(found, asked, cost_judgment)
    ]
    alone = [votes for some in known.alike.values() for votes in some.values()]
    held = [*(one.excluded for one in groups.values()), *(one.table.excluded for one in alone)]
    excluded = dict.fromkeys(line for lines in held for line in lines)
    return Gate(
        new=asked.new,
        old=asked.old,
        margin=asked.margin,
        alpha=asked.alpha,
        anytime=asked.anytime,
        plan_sha256=digest,
        by=known.by,
        scale=scale,
        comparisons=tuple(found),
        basis=say_basis(known, alone, asked, scale),
        signature=sign(groups, alone, asked, digest),
        notes=take_findings([*known.slips, *notes]),
        excluded=tuple(excluded),
    )


def compare_alike(
    votes: Unanimous, new: str, group: str, asked: plans.Asked, digest: str | None
) -> tuple[Comparison, Finding]:
    """Compare by votes that all say the same, however few need be."""
    limit, alpha, n, value = 0.5 - asked.margin, asked.alpha, votes.units, votes.value
    factor = "item" if "item" in votes.ways else "judgment"
    at_large = "judge" in votes.ways
    why = say_few(votes.judges, votes.judges, factor, digest) if at_large else None
    # how often one vote says so at most, where the new system wins no more, or no less, than limit
    most = min(1.0, limit / value) if value else 1.0
    least = min(1.0, (1 - limit) / (1 - value)) if value < 1 else 1.0
    times = len(asked.new)
    mine = Votes(float(value == 1), float(value == TIED), float(value == 0), n)
    p, worse = min(1.0, times * mine.find_p(limit)), mine.turn().find_p(1 - limit)
    rare = min(most, least)
    needed = ceil(log(alpha / times) / log(rare) - 1e-9) if rare < 1 else None
    short = needed is not None and n < needed <= MAX_TIMES * n and why is None
    one = Comparison(
        new,
        group,
        value=value,
        lower=mine.find_lower(alpha) if why is None else None,
        upper=1 - mine.turn().find_lower(alpha) if why is None else None,
        limit=limit,
        p=p if why is None else None,
        p_worse=worse if why is None else None,
        log_evidence=-n * log(most) if asked.anytime else None,
        log_evidence_worse=-n * log(least) if asked.anytime else None,
        judgments=votes.votes,
        judgments_needed=votes.votes * (needed / n - 1) if needed and short else None,
        why=why,
        headline="" if at_large else limit_to_levels("judge", votes.judges),
    )
    if shows(one.p, one.log_evidence, asked):
        better = times * mine.find_p(0.5) <= alpha
        one = changed(one, decision="passed", superior=better, equivalent=value == TIED)
    whose = " and ".join(f"{way}s" for way in votes.ways)
    told: dict[str, Any] = {
        "votes": votes.votes,
        "units": n,
        "needed": needed,
        "enough": "" if why or needed is None else f"; {needed:,} decide it",
        "whose": f" by different {whose}" if whose else "",
        "better": new if value else asked.old,
    }
    return one, say("all-ties" if value == TIED else "all-alike", **told)


def sign(
    groups: Mapping[str, Ranking], alone: list[Unanimous], asked: plans.Asked, digest: str | None
) -> str:
    signatures = [one.signature for one in groups.values()]
    for votes in alone:
        tally, alike = votes.tally, ["votes that are all alike"]
        counted = tally.n_judgments, tally.digest_by(())
        signatures.append(write_signature(alike, *counted, judges=votes.judges))
    if len(signatures) > 1:
        joined = sha256("\n".join(signatures).encode()).hexdigest()
        parts = f"rankings of {plural(len(signatures), 'group')}"
        signatures = [write_signature([parts], count_judgments(groups, alone), joined)]
    of = f"gate {' '.join(asked.new)} against {asked.old}, margin {asked.margin:g}"
    settings = [of, f"alpha {asked.alpha:g}", *["anytime"] * asked.anytime]
    planned = [f"plan {digest}"] * (digest is not None)
    return " | ".join([*signatures, *settings, *planned])


def count_judgments(groups: Mapping[str, Ranking], alone: Sequence[Unanimous]) -> float:
    return sum(one.n_judgments for one in groups.values()) + sum(one.votes for one in alone)


def compare_in_group(
    ranking: Ranking, group: str, asked: plans.Asked, seed: int, *, few: str | None, apart: bool
) -> list[Comparison]:
    """Compare by a ranking; few: why nothing is decided; apart: new systems are tested beside."""
    if ranking.pair_stderr is None:
        raise UnknownOption(
            f"{len(ranking.systems):,} systems are too many for errors of all: keep the new and the"
            " old ones and some others (--where)"
        )
    rated, sign = isinstance(ranking.fit, RatingFit), -1.0 if ranking.lower_is_better else 1.0
    place = {name: at for at, name in enumerate(ranking.systems)}
    # sorted, so that draws for several do not depend on the order in which these are named
    old, judged = place[asked.old], sorted(one for one in asked.new if one in place)
    at = np.array([place[one] for one in judged])
    gaps = sign * (ranking.estimate[at] - ranking.estimate[old])
    errors = ranking.pair_stderr[at, old]
    delta = asked.margin if rated else plans.find_delta(asked.margin)
    barred = [few or bars(ranking, (one, old)) for one in at.tolist()]
    tested = np.array([why is None for why in barred]) & (errors > 0) & np.isfinite(errors)
    spread = find_covariance(ranking.pair_stderr**2, at[tested], old)
    votes = {}
    for new in np.flatnonzero(tested).tolist():
        won = find_win_rate(gaps[new])  # changes by won (1 − won) for each unit of distance
        votes[new] = count_votes(ranking, (judged[new], asked.old), errors[new] * (won * (1 - won)))

    def measure(far: Array, share: float, *, turned: bool = False) -> Array:
        """Return t of claims that systems win more than a share; turned: that others do."""
        t = (far / errors)[tested].tolist()
        for place, one in enumerate(votes.values()):
            if one is not None:
                counted = one.turn() if turned else one
                t[place] = min(t[place], counted.find_t(share, ranking.df))
        return np.array(t)

    passes = measure(gaps + delta, 0.5 - asked.margin)
    worse = measure(-gaps - delta, 0.5 + asked.margin, turned=True)
    spent = len(asked.new) / len(judged) if apart else 1.0
    p, p_better, p_within = (
        np.minimum(1, spent * adjust_p(t, spread, ranking.df, seed)).tolist()
        for t in (
            passes,
            measure(gaps, 0.5),
            measure(delta - gaps, 0.5 - asked.margin, turned=True),
        )
    )
    write = float if rated else find_win_rate
    found, order, evidence = [], [*votes], None
    for new, name in enumerate(judged):
        gap, error = float(gaps[new]), float(errors[new])
        told: dict[str, Any] = {
            "value": write(gap),
            "limit": -delta if rated else 0.5 - asked.margin,
            "difference": gap,
            "delta": delta,
            "judgments": ranking.n_judgments,
            "why": barred[new],
            "headline": limit_to_judges(ranking) or "",
        }
        if asked.anytime:
            known = {"alpha": asked.alpha, "error": error if new in votes else inf}
            evidence = weigh_votes(ranking, (name, asked.old), asked.margin, **known)
            told |= {"log_evidence": evidence.passes, "log_evidence_worse": evidence.worse}
        if new in votes:
            mine, counted = order.index(new), votes[new]
            reach = t_quantile(1 - asked.alpha, ranking.df) * error
            lower, upper = write(gap - reach), write(gap + reach)
            if counted is not None:
                lower = min(lower, counted.find_lower(asked.alpha))
                upper = max(upper, 1 - counted.turn().find_lower(asked.alpha))
            shown = max(passes[mine], worse[mine])
            times = find_more((gap + delta) / error, shown, ranking.df, evidence, asked)
            told |= {
                "lower": lower,
                "upper": upper,
                "stderr": error,
                "df": ranking.df if np.isfinite(ranking.df) else None,
                "p": p[mine],
                "p_worse": tail_above(float(worse[mine]), ranking.df),
                "judgments_needed": None if times is None else times * ranking.n_judgments,
            }
            if shows(p[mine], told.get("log_evidence"), asked):
                better = shows(p_better[mine], evidence.better if evidence else None, asked)
                near = shows(p_within[mine], evidence.within if evidence else None, asked)
                told |= {"decision": "passed", "superior": better, "equivalent": near}
        found.append(Comparison(name, group, **told))
    return found


def find_more(
    t: float, shown: float, df: float, evidence: Evidence | None, asked: plans.Asked
) -> float | None:
    """Return how many times as many judgments more decide it; None if none do, or it is decided."""
    # t: of the distance to what is needed; shown: that of the wider bound, which tends to it
    critical = t_quantile(1 - asked.alpha, df)
    toward = min(abs(t), max(critical, shown))
    times = find_times(toward, toward, critical)
    if times is not None and evidence is not None:
        more = evidence.find_times(log(len(asked.new) / asked.alpha), turned=t < 0)
        times = None if more is None else max(times, more)
    return times - 1 if times is not None and 1 < times <= MAX_TIMES else None


def say_lacking(systems: Sequence[str], asked: plans.Asked, *, rated: bool) -> str:
    if rated:
        return f"{listing(systems)} {'was' if len(systems) == 1 else 'were'} not judged"
    return say_never_met(systems, asked.old)


def _say_cluster(factor: str, digest: str | None) -> str:
    """Say how to ask for clusters: in the plan, where there is one (its digest)."""
    if digest is not None:
        return f'cluster = "{factor}" in a plan that is stated before the votes'
    return f'--cluster {factor}, in Python cluster="{factor}"'


def say_few_groups(ranking: Ranking, digest: str | None) -> str | None:
    """Say why these judges or items do not stand for others; None if they do, or are not known."""
    judges, effective, items = ranking.n_judges, ranking.effective_judges, ranking.n_items
    codes = {(one.code, one.values.get("factor")) for one in ranking.notes}
    few = None
    if judges is not None and effective is not None:
        factor = "judgment" if (items or 0) < MIN_EFFECTIVE["item"] else "item"
        alike = ("no-clustering", "judge") in codes
        few = say_few(judges, effective, factor, digest, alike=alike)
    if few is None and items is not None and FEW_ITEMS & {code for code, _ in codes}:
        told = {"these": these("item", items), "how": _say_cluster("judge", digest)}
        return str(say("few-items", items=items, more=MIN_EFFECTIVE["item"] - items, **told))
    return few


def say_few(
    judges: int, effective: float, factor: str, digest: str | None, *, alike: bool = False
) -> str | None:
    told: dict[str, Any] = {"these": these("judge", judges), "how": _say_cluster(factor, digest)}
    least = MIN_EFFECTIVE["judge"]
    if effective >= least:
        return str(say("alike-judges", **told)) if alike else None
    uneven = f" ({write_below(effective, least)} effective)" if judges >= least else ""
    more = count_missing(judges, effective, least)
    told |= {"judges": judges, "uneven": uneven, "more": more}
    return str(say("few-judges", **told, better=more + ENOUGH_JUDGES - least))


def limit_to_judges(ranking: Ranking) -> str | None:
    """Say for whom it holds: where judges gave several answers and are no clusters, for these."""
    judges = ranking.n_judges
    clustered = not ranking.ways or any(way.name == "judge" for way in ranking.ways)
    limited = ranking.effective_judges is None or ranking.effective_judges < MIN_EFFECTIVE["judge"]
    if judges is None or clustered or limited or judges >= ranking.n_judgments * (1 - 1e-9):
        return ranking.headline
    return join_limits(limit_to_levels("judge", judges), ranking.headline)


def bars(ranking: Ranking, pair: tuple[int, int]) -> str | None:
    """Say what keeps a pair undecided whatever it shows, such as one judge alone."""
    sets = ranking.rank_sets
    if sets is None or not sets.barred[pair]:
        return None
    return say_why(ranking, [(min(pair), max(pair))], "decide it", BETWEEN)


def find_covariance(squares: Array, new: Integers, old: int) -> Array:
    """Return (N, N) covariances of the distances of new systems to the old one."""
    own = squares[new, old]
    return np.asarray((own[:, None] + own - squares[np.ix_(new, new)]) / 2)


def adjust_p(t: Array, covariance: Array, df: float, seed: int) -> Array:
    """Return (N,) one-sided p-values, adjusted by the largest t of those that are left."""
    if len(t) < 2:
        return np.array([tail_above(one, df) for one in t.tolist()])
    rng = np.random.default_rng(seed)
    sd = np.sqrt(np.diag(covariance))
    draws = rng.standard_normal((DRAWS, len(t))) @ find_root(covariance / sd[:, None] / sd).T
    if np.isfinite(df):
        draws /= np.sqrt(rng.chisquare(df, (DRAWS, 1)) / df)
    return adjust_by_steps(t, [draws])


def shows(p: float | None, log_evidence: float | None, asked: plans.Asked) -> bool:
    """Say whether a claim holds: by its adjusted p, and by evidence where that is asked for."""
    needed = log(len(asked.new) / asked.alpha)
    return p is not None and p <= asked.alpha and (log_evidence is None or log_evidence >= needed)


def adjust_worse(
    found: Sequence[Comparison], asked: plans.Asked, price: float | None
) -> list[Comparison]:
    """Decide which are worse: one of many is enough, so that p-values are adjusted for all."""
    tested = [one for one in found if one.p_worse is not None]
    p = dict(zip(map(id, tested), holm(np.array([one.p_worse for one in tested])), strict=True))
    needed = log(max(len(tested), 1) / asked.alpha)
    decided = []
    for one in found:
        adjusted = float(p[id(one)]) if id(one) in p else None
        worse = adjusted is not None and adjusted <= asked.alpha
        if one.log_evidence_worse is not None:
            worse = worse and one.log_evidence_worse >= needed
        decision: Decision = "worse" if worse else one.decision
        needed_more = one.judgments_needed if decision == "undecided" else None
        cost = None if price is None or needed_more is None else price * needed_more
        told: dict[str, Any] = {"judgments_needed": needed_more, "cost": cost}
        decided.append(changed(one, p_worse=adjusted, decision=decision, **told))
    return decided


def say_decision(one: Comparison, asked: plans.Asked, scale: str) -> Finding:
    kind = "tenths" if scale == "win rate" else "signed"
    written = {
        name: write_value(getattr(one, name), kind) for name in ("value", "lower", "upper", "limit")
    }
    if scale == "win rate":
        shown = f"it wins {written['value']} of comparisons"
    else:
        worse = one.value is not None and one.value < 0
        points = write_value(abs(one.value or 0.0), "two")
        shown = f"it is {points} points {'worse' if worse else 'better'}"
    code: str = one.decision
    evidence, clears, above = one.log_evidence, False, False
    if one.p_worse is not None and one.p_worse <= asked.alpha:
        evidence = one.log_evidence_worse
    if one.limit is not None and one.lower is not None and one.upper is not None:
        above = one.lower > one.limit
        clears = above or one.upper < one.limit  # one of its bounds by itself would decide it
    if code == "undecided":
        if any(p is not None and p <= asked.alpha for p in (one.p, one.p_worse)):
            code = "votes"  # by the intervals alone
        elif clears:
            code = "adjusted-pass" if above else "adjusted-worse"
    if one.value is None or one.lower is None:
        code = "unknown" if one.value is None else "barred"
    elif one.decision == "passed":
        code = "better" if one.superior else "equivalent" if one.equivalent else "passed"
    more = ""
    if one.decision == "undecided" and one.lower is not None:
        needed = say("too-close")
        if one.judgments_needed is not None:  # how many would decide it, and what
            rounded = float(f"{one.judgments_needed:.1e}")
            cost = "" if one.cost is None else f" (cost {one.cost:,.0f})"
            passes = one.value is not None and one.limit is not None and one.value > one.limit
            needed = say("needed-pass" if passes else "needed-worse", n=rounded, cost=cost)
        more = f" {needed}"
    return say(
        code,
        new=one.new,
        old=asked.old,
        where=f" in {one.group}" if one.group else "",
        shown=shown,
        why=one.why or "",
        headline=f" ({one.headline})" if one.headline else "",
        more=more,
        evidence=evidence,
        **{name: text for name, text in written.items() if name != "value"},
    )


def say_basis(known: Evaluated, alone: Sequence[Unanimous], asked: plans.Asked, scale: str) -> str:
    if known.by is None:
        counted = [*map(say_counts, known.groups.values())]
        for votes in alone:
            tied = votes.votes if votes.value == TIED else 0.0
            tally = say_tally(votes.votes, votes.votes, 2, tied)
            counted.append(f"{tally}, {plural(votes.judges, 'judge')}")
        rests = f"{'; '.join(counted)}. {''.join(map(say_fused, known.groups.values()))}"
    else:
        n, parts = count_judgments(known.groups, alone), {*known.groups, *known.alike}
        rests = f"{n:,.0f} judgments in {plural(len(parts), 'group')}; every group must pass. "
    points = f"{asked.margin:g} point{'s' * (asked.margin != 1)}"
    unit = f"{100 * asked.margin:g} % of comparisons" if scale == "win rate" else points
    looks = ", however often one looks" if asked.anytime else ""
    return f"{rests}Margin {unit}; α = {asked.alpha:g}{looks}."
