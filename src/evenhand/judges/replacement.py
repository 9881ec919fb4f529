"""May an LLM judge replace a human judge? The alternative annotator test, and a stricter one.

docs/llm-judges.md says what is compared. d = 1 where a judge alone is closer to the others, −1
where the LLM is, 0 where both are alike; the claim is that E d < ε. The published test (Calderon,
Reichart and Dror 2025, ACL) is a t test for each judge, as if outputs were independent. Ours is of

    D = mean over judges of the mean of d,   V = max(V_J, V_I, V_J + V_I − V_JI)

with V_J a jackknife over judges, who are left out as references too, V_I over items and V_JI by
their cells; t = (D − ε)/√V on min(J, I) − 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from itertools import product
from math import sqrt
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    Openable,
    advise_bias,
    carries_excluded,
    join_verdicts,
    keep_all_judges,
    leave_out_controls,
    split_people,
    take,
    take_pairs,
    write_bias_command,
)
from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.groups import group_ratings, split_table
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.data.tally import take_names
from evenhand.data.votes import Votes, digest_votes
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
    suggest_or_list,
)
from evenhand.judges.cards import MIN_SHOWN
from evenhand.judges.texts import say
from evenhand.judges.units import sum_groups
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.numerics.multiple_tests import benjamini_hochberg, holm
from evenhand.render.document import Column, Document, Finding, Table, plural, write_signature

Codes = NDArray[np.integer[Any]]

ALPHA: Final = 0.05
MIN_JUDGES: Final = 3
SHORT: Final = 0.1  # Share of people's range below which scores may be on a shorter scale
MIN_OUTPUTS: Final = 30  # Outputs of a judge for the published test
MAX_CLASSES: Final = 11  # Different scores of which each is a constant answer by itself
SAME: Final = 1e-12  # Distances that are level
SCORES: Final = ("rmse", "abs", "accuracy")
# Labels of comparisons, which names of systems do not change
SIDES: Final = (
    "the system that people prefer less often to the other",
    "a tie",
    "the system that people prefer more often to the other",
)
FIRST: Final = "the output shown first"


@dataclass(frozen=True, eq=False)
class Panel:
    """What people said of outputs, (n,) one row an answer, and what the LLMs said."""

    judges: tuple[str, ...]
    judge: Integers  # (n,)
    output: Integers  # (n,) number of the output, or pair of outputs
    value: Array  # (n,) score, or code of a label
    item: Integers  # (U,) item of each output
    # LLM → of each output its mean score (U,), or the share of its answers that are each of
    # `points` (U, P) where answers agree or not; NaN for none
    verdicts: Mapping[str, Array]
    # LLM → what answers would be that always name the output shown first; empty if unknown
    first: Mapping[str, Array]
    points: Array  # (P,) different scores, or codes of labels, ascending
    labels: tuple[str, ...] | None  # names of labels; None of scores
    score: str  # how far answers agree: accuracy, rmse or abs
    n_later: int = 0  # answers of a person on an output after the first, which are not used
    # LLM → the lowest and the highest score that it gave
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Rows:
    judge: Integers  # (n,)
    item: Integers  # (n,)
    output: Integers  # (n,)
    answer: Array  # (n,) score, or code of a label
    value: Array  # (n,) the number, such as d
    weight: Array  # (n,)


def compare(panel: Panel, verdict: Array) -> Rows:
    """Return d for each answer on an output of two judges or more."""
    size = len(panel.item)
    judged = np.bincount(panel.output, minlength=size)
    given = ~np.isnan(verdict.reshape(size, -1)[:, 0])
    kept = (judged[panel.output] >= 2) & given[panel.output]
    judge, output, own = panel.judge[kept], panel.output[kept], panel.value[kept]
    theirs, others = verdict[output], judged[output] - 1.0
    rest = np.bincount(panel.output, panel.value, minlength=size)[output] - own
    by_judge: Array
    by_llm: Array
    if panel.score == "accuracy":
        # the LLM is as close as its answers are on average, such as half where orders disagree
        points, code = len(panel.points), np.searchsorted(panel.points, panel.value)
        counts = np.bincount(panel.output * points + code, minlength=size * points)
        counts = counts.reshape(size, points)
        mine = code[kept]
        by_judge = (counts[output, mine] - 1) / others
        rows = np.arange(len(mine))
        by_llm = ((theirs * counts[output]).sum(axis=1) - theirs[rows, mine]) / others
    elif panel.score == "abs":
        mean = rest / others
        by_judge, by_llm = -np.abs(own - mean), -np.abs(theirs - mean)
    else:
        squares = np.bincount(panel.output, panel.value**2, minlength=size)[output] - own**2

        def distance(x: Array) -> Array:
            return np.sqrt(np.maximum(x**2 - 2 * x * rest / others + squares / others, 0.0))

        by_judge, by_llm = -distance(own), -distance(theirs)
    apart = by_judge - by_llm
    d = np.where(np.abs(apart) <= SAME, 0.0, np.sign(apart))
    return Rows(judge, panel.item[output], output, own, d, np.ones(len(d)))


@dataclass(frozen=True)
class Estimate:
    """A mean over judges, with its error by judges and items."""

    value: float
    stderr: float
    df: float
    judges: int
    items: int

    def upper(self, level: float) -> float:
        return self.value + t_quantile(level, self.df) * self.stderr

    def lower(self, level: float) -> float:
        return self.value - t_quantile(level, self.df) * self.stderr


def average(rows: Rows, judges: int) -> float:
    n = np.bincount(rows.judge, rows.weight, minlength=judges)
    sums = np.bincount(rows.judge, rows.weight * rows.value, minlength=judges)
    return float((sums[n > 0] / n[n > 0]).mean())


def estimate(panel: Panel, make: Callable[[Panel], Rows]) -> Estimate:
    """Average what `make` gives each answer of a panel, with errors by judges and items."""
    rows = make(panel)
    j = len(panel.judges)
    present = np.unique(rows.judge)
    whole = average(rows, j)
    code, item = np.unique(rows.item, return_inverse=True)
    n = np.bincount(rows.judge, rows.weight, minlength=j)
    sums = np.bincount(rows.judge, rows.weight * rows.value, minlength=j)
    cells, cell = np.unique(rows.judge * len(code) + item, return_inverse=True)
    of_judge, of_item = np.divmod(cells, len(code))
    cell_n = np.bincount(cell, rows.weight)
    cell_sums = np.bincount(cell, rows.weight * rows.value)
    # leaving an item out changes the means of those who judged it
    left = n[of_judge] - cell_n
    means = sums[of_judge] / n[of_judge]
    moved = np.where(left > 0, (sums[of_judge] - cell_sums) / np.where(left > 0, left, 1.0), means)
    shares = (moved - means) / len(present)
    by_item = np.bincount(of_item, shares, minlength=len(code)).astype(np.float64)
    v_item = spread(by_item)
    within = (cell_sums - cell_n * means) / n[of_judge] / len(present)
    v_cell = float((within**2).sum())
    leave = (panel.judge != one for one in present)
    parts = [  # without each judge, who then is no reference either
        changed(panel, judge=panel.judge[kept], output=panel.output[kept], value=panel.value[kept])
        for kept in leave
    ]
    without = np.array([average(make(part), j) for part in parts])
    v_judge = spread(without - whole)
    variance = max(v_judge, v_item, v_judge + v_item - v_cell)
    df = max(min(len(present), len(code)) - 1.0, 1.0)
    return Estimate(whole, sqrt(max(variance, 0.0)), df, len(present), len(code))


def spread(changes: Array) -> float:
    n = len(changes)
    return float((n - 1) / n * ((changes - changes.mean()) ** 2).sum())


def weigh_classes(panel: Panel, rows: Rows) -> Rows:
    """Weigh outputs so that labels of judges count alike: mean over judges of 1/(C share)."""
    points, code = np.unique(rows.answer, return_inverse=True)
    share = np.bincount(code) / len(code)
    each = 1.0 / (len(points) * share[code])
    n = np.bincount(rows.output, minlength=len(panel.item))
    means = np.bincount(rows.output, each, minlength=len(panel.item)) / np.maximum(n, 1)
    return changed(rows, weight=means[rows.output])


def measure_kappa(panel: Panel) -> Estimate:
    """Return Fleiss' κ of labels, or Krippendorff's α of scores, with a jackknife over items."""
    judged = np.bincount(panel.output, minlength=len(panel.item))
    kept = judged[panel.output] >= 2
    output, value = panel.output[kept], panel.value[kept]
    code, item = np.unique(panel.item[output], return_inverse=True)
    m = judged[output].astype(np.float64)
    points, label = np.unique(value, return_inverse=True)
    if panel.labels is not None:
        counts = np.bincount(output * len(points) + label, minlength=len(judged) * len(points))
        same = (counts.reshape(len(judged), -1)[output, label] - 1.0) / (m - 1)
        differ = 1.0 - same
        columns = np.zeros((len(code), len(points)))
        np.add.at(columns, (item, label), 1.0)
    else:
        sums = np.bincount(output, value, minlength=len(judged))[output] - value
        squares = np.bincount(output, value**2, minlength=len(judged))[output] - value**2
        differ = value**2 - 2 * value * sums / (m - 1) + squares / (m - 1)
        columns = sum_groups(item, np.column_stack([value, value**2]), len(code))
    n = np.bincount(item, minlength=len(code)).astype(np.float64)
    observed = np.bincount(item, differ, minlength=len(code))

    def kappa(n: Array, observed: Array, columns: Array) -> Array:
        n = np.where(n > 0, n, np.nan)  # nothing is left without the only item
        if panel.labels is not None:
            expected = 1.0 - ((columns / n[:, None]) ** 2).sum(axis=1)
        else:
            expected = 2 * (columns[:, 1] / n - (columns[:, 0] / n) ** 2)
        return 1.0 - observed / n / np.where(expected > 0, expected, np.nan)

    whole = kappa(n.sum(keepdims=True), observed.sum(keepdims=True), columns.sum(axis=0)[None])
    without = kappa(n.sum() - n, observed.sum() - observed, columns.sum(axis=0) - columns)
    error = sqrt(spread(without - whole)) if np.isfinite(without).all() else float("nan")
    return Estimate(float(whole[0]), error, max(len(code) - 1.0, 1.0), 0, len(code))


# The published test.


@dataclass(frozen=True)
class JudgeTest:
    judge: str  # name
    outputs: int  # outputs that are compared
    # share of them where the LLM is as close to the others as the judge, or closer
    llm_closer: float
    judge_closer: float  # share where the judge is
    p: float | None  # one-sided; None with fewer than 30 outputs
    rejected: bool  # whether the LLM is as good, by all judges' tests together


def run_judge_tests(
    panel: Panel, verdict: Array, epsilon: float, least: int = MIN_OUTPUTS
) -> list[JudgeTest]:
    """Test each judge by himself, as if outputs were independent."""
    rows = compare(panel, verdict)
    tests = []
    for code in np.unique(panel.judge).tolist():
        d = rows.value[rows.judge == code]
        n, p = len(d), None
        if n >= max(least, 2):
            p = find_p(float(d.mean()), epsilon, float(d.std(ddof=1)) / sqrt(n), n - 1)
        near = (float((d <= 0).mean()), float((d >= 0).mean())) if n else (0.0, 0.0)
        tests.append(JudgeTest(panel.judges[code], n, *near, p, rejected=False))
    return tests


def find_p(mean: float, limit: float, stderr: float, df: float) -> float:
    """Return the one-sided p-value of a mean being the limit or more; exact without any error."""
    if stderr == 0:
        return 0.0 if mean < limit else 1.0
    t = (mean - limit) / stderr
    half = t_tail(t, df) / 2
    return 1.0 - (half if t > 0 else 1.0 - half)


def reject(p: Sequence[float], q: float) -> list[bool]:
    """Return which are rejected at a rate under any dependence (Benjamini & Yekutieli 2001)."""
    harmonic = float((1.0 / np.arange(1, len(p) + 1)).sum())
    rejected: list[bool] = (benjamini_hochberg(np.asarray(p)) * harmonic <= q).tolist()
    return rejected


# One LLM judge, and the result of all.


@dataclass(frozen=True)
class Replacement:
    """Whether one LLM judge may replace a human judge."""

    llm: str  # its name
    group: str  # the task or criterion; "" where there is one
    judges: int
    items: int
    outputs: int  # outputs, or pairs of outputs, that two judges or more and the LLM judged
    epsilon: float  # how much less often it may be closer than a judge
    # D: share of outputs where a judge is closer to the others, less that where the LLM is
    difference: float
    stderr: float
    df: float
    upper: float  # upper end of a one-sided 95 % interval of D
    p: float  # one-sided, of D ≥ ε
    p_holm: float  # adjusted for all LLM judges and groups
    constant: str  # the constant answer that comes closest to the LLM
    over_constant: float  # lower end of how much closer the LLM is than it, classes alike
    kappa: float  # agreement of judges beyond chance
    kappa_lower: float  # lower end of its one-sided 95 % interval
    tests: tuple[JudgeTest, ...]  # published, by judge
    winning_rate: float | None = None  # published: share of judges for whom it is as good
    # published: mean share of outputs where it is as close, or closer
    advantage: float | None = None

    @property
    def informative(self) -> bool:
        """Whether it is shown to be closer than every constant answer."""
        return self.over_constant > 0

    @property
    def judges_agree(self) -> bool:
        """Whether judges are shown to agree beyond chance."""
        return self.kappa_lower > 0

    @property
    def passes(self) -> bool:
        """Whether it may: it is close enough, informative, and judges agree."""
        return self.p_holm < ALPHA and self.informative and self.judges_agree

    @property
    def passes_published(self) -> bool | None:
        """Whether it passes the published test; None where judges have too few outputs for it."""
        return None if self.winning_rate is None else self.winning_rate >= 0.5

    @property
    def says_published(self) -> str:
        """The decision of the published test in a line; "" where there is none."""
        if self.winning_rate is None or self.advantage is None:
            return ""
        values: dict[str, Any] = {
            "llm": self.llm,
            "where": f" ({self.group})" if self.group else "",
            "rejected": sum(test.rejected for test in self.tests),
            "tested": sum(test.p is not None for test in self.tests),
            "rate": self.winning_rate,
            "advantage": self.advantage,
        }
        return str(
            say("published-passes" if self.passes_published else "published-fails", **values)
        )

    @property
    def says(self) -> Finding:
        """The answer in a sentence."""
        values = {
            "llm": self.llm,
            "where": f" ({self.group})" if self.group else "",
            "epsilon": self.epsilon,
            "upper": self.upper,
            "p": self.p_holm,
        }
        if not self.judges_agree:
            return say("judges-by-chance", "warning", **values)
        if self.p_holm >= ALPHA:
            return say("no-replacement", **values)
        if not self.informative:
            return say("no-better-than-constant", constant=self.constant, **values)
        return say("replaces", **values)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        values = {name: value for name, value in vars(self).items() if name != "tests"}
        values |= {name: getattr(self, name) for name in ("informative", "judges_agree", "passes")}
        published = {"passes": self.passes_published, "judges": [vars(one) for one in self.tests]}
        for name in ("winning_rate", "advantage"):
            published[name] = values.pop(name)
        return values | {"published": published}


@dataclass(frozen=True, eq=False, repr=False)
class Replacements(Shown):
    """Whether LLM judges may replace people."""

    replacements: tuple[Replacement, ...]
    signature: str
    notes: tuple[Finding, ...] = ()
    excluded: tuple[Exclusion, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all LLM judges may, in all groups; one that cannot be tested may not."""
        tested = all(one.code != "replacement-untested" for one in self.notes)
        return tested and all(one.passes for one in self.replacements)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand replace --json`."""
        return {
            **write_contract(self),
            "says": [one.says for one in self.replacements],
            "passed": self.passed,
            "replacements": [one.to_dict() for one in self.replacements],
        }

    def document(self) -> Document:
        """Return what people read: the answer, a row for each LLM judge, the published test."""
        words = {True: "yes", False: "no", None: None}
        rows = tuple(
            {name: value for name, value in one.to_dict().items() if name != "published"}
            | {
                "decision": words[one.passes],
                "winning_rate": one.winning_rate,
                "passes_published": one.passes_published,
                "published": words[one.passes_published],
            }
            for one in self.replacements
        )
        first = self.replacements[0]
        groups = {one.group for one in self.replacements}
        grouped = groups != {""}
        llm = [Column("llm", "LLM judge", "name")]
        llm += [Column("group", "of", "name")] if grouped else []
        columns = (
            *llm,
            *([Column("outputs", "outputs", "count")] if grouped else []),
            Column("difference", "difference", "two"),
            Column("upper", "upper 95 %", "two"),
            Column("p_holm", "p, adjusted", "p"),
            Column("over_constant", "above constant", "two"),
            Column("decision", "may replace"),
            Column("published", "published test", priority=2),
        )
        every = ((one, test) for one in self.replacements for test in one.tests)
        judges = [{"llm": one.llm, "group": one.group, **vars(test)} for one, test in every]
        judges.sort(key=lambda row: row["p"] is None)
        tested = sum(row["p"] is not None for row in judges)
        of_judges = (
            *llm,
            Column("judge", "judge", "name"),
            Column("outputs", "outputs", "count"),
            Column("llm_closer", "LLM as close", "share"),
            Column("judge_closer", "judge as close", "share"),
            Column("p", "p", "p"),
        )
        legend = (
            "difference: share of outputs where the judge is closer to the others, less that where"
            " the LLM is",
            "above constant: by so much, at least, the LLM is closer more often than any constant"
            " answer",
        )
        counts = f"{first.judges} judges, {first.items:,} items, {first.outputs:,} outputs compared"
        if grouped:
            counts = f"{len(groups)} groups, each tested by itself"
        answered = "May an LLM replace a human judge?"
        few = (f"–: fewer than {MIN_OUTPUTS} outputs, not tested",) if tested < len(judges) else ()
        decided = tuple(one.says_published for one in self.replacements)
        if len(decided) > MAX_ANSWERS:
            passing = sum(bool(one.passes_published) for one in self.replacements)
            decided = (f"published test: {passing:,} of {len(decided):,} pass",)
        published = "The published test, judge by judge"
        return write_document(
            self,
            Table("replacements", answered, columns, rows, legend=legend),
            Table(
                *("judges", published, of_judges, tuple(judges)),
                limit=max(MIN_SHOWN, tested),
                legend=(*few, *filter(None, decided)),
            ),
            basis=f"{counts}; ε = {first.epsilon:g}. Errors account for judges and items.",
            answer=count_answers(self.replacements),
        )


MAX_ANSWERS: Final = 3  # LLM judges and groups of which each has a sentence of its own


def count_answers(all_tested: Sequence[Replacement]) -> tuple[Finding, ...]:
    """Return the answers in a sentence each; of many how many are alike, with up to 3 names."""
    if len(all_tested) <= MAX_ANSWERS:
        return tuple(one.says for one in all_tested)
    alike: dict[bool, list[Replacement]] = {}
    for one in all_tested:
        alike.setdefault(one.judges_agree, []).append(one)
    of, epsilon, answers = len(all_tested), all_tested[0].epsilon, list[Finding]()
    for known, some in alike.items():
        named = some if not known else [one for one in some if one.passes]
        names = [f"{one.llm} ({one.group})" if one.group else one.llm for one in named]
        told = f": {listing(names)}" if 0 < len(names) <= MAX_ANSWERS else ""
        what = "pairs of LLM judge and group" if all_tested[0].group else "LLM judges"
        values = {"n": len(named), "of": of, "what": what, "names": told, "epsilon": epsilon}
        code = "replaces-some" if named else "replaces-none"
        by_chance = ("many-by-chance", "warning")
        answers.append(say(*((code,) if known else by_chance), **values))
    return tuple(answers)


def replace(
    data: Comparisons | Rankings | Ratings | Openable,
    *,
    llm: Openable | None = None,
    llm_judges: str | Sequence[str] = (),
    epsilon: float,
    balanced: bool = False,
    score: str | None = None,
    criterion: str | None = None,
    by: str | None = None,
) -> Replacements:
    """Test whether LLM judges may replace people.

    Args:
        data: judgments of people and of LLM judges on the same outputs: ratings, or comparisons,
            whose pairs of outputs are what is judged.
        llm: verdicts of LLM judges, where they are in a table of their own.
        llm_judges: names of the judges who are LLMs; by default those whom a column judge_type
            marks.
        epsilon: how much less often than a judge an LLM may be closer to the other judges
            (proportion), since it costs less: the authors advise .2 where judges are experts, .15
            where skilled, .1 for crowds.
        balanced: weight outputs so that all labels count the same.
        score: of ratings, how closeness is measured: "rmse" (the default) or "abs" (to the mean of
            the others), or "accuracy" (the same score).
        criterion: of ratings, only this one; by default all, one by one.
        by: a column, such as the domain: each of its values is tested by itself, all together being
            one family of tests.

    Raises:
        InvalidJudgments: no such judge, or judgments without judges or items.
        NotIdentified: of no LLM judge are there outputs that it and two of three people judged, on
            one scale. One that cannot be tested where another can is named.
        UnknownOption: a setting that cannot be.

    >>> judges = ["ann", "bob", "cem", "gpt"]
    >>> says = {"ann": [1, 2, 3, 2], "bob": [1, 2, 3, 1], "cem": [1, 2, 2, 2], "gpt": [1, 2, 3, 2]}
    >>> rows = [(j, f"i{i}", "s", says[j][i]) for j in judges for i in range(4)]
    >>> table = dict(zip(("judge", "item", "system", "score"), zip(*rows), strict=True))
    >>> table = {name: list(values) for name, values in table.items()}
    >>> tested = replace(table, llm_judges="gpt", epsilon=0.2)
    >>> round(tested.replacements[0].difference, 3)
    -0.167
    """
    if not 0 <= epsilon < 1:
        raise UnknownOption(f"epsilon must be at least 0 and below 1, such as .1, not {epsilon:g}")
    if score is not None:
        require_option("score", score, SCORES)
    data, names = take(data), tuple(dict.fromkeys(take_names(llm_judges)))
    known = isinstance(data, Comparisons | Rankings | Ratings) and data.has("judge")
    if llm is not None or not names or known:
        table: Any = keep_all_judges(data)
        table = table if isinstance(table, Ratings) else take_pairs(table)
        if llm is None:
            names, people, _ = split_people(table, names)
            if names and people is None:
                raise NotIdentified(
                    "all judges are LLM judges: there are no people to compare them with",
                    ["give people's judgments, with these as verdicts (--llm VERDICTS)"],
                )
        else:
            data, names = join_verdicts(table, llm, names)
    if not names:
        raise UnknownOption(
            "say which judges are LLMs: --llm-judges NAME, or a column judge_type; or give their"
            " verdicts (--llm VERDICTS)"
        )
    settings: Any = {"epsilon": epsilon, "balanced": balanced, "score": score, "by": by}
    return examine_all(data, llm_judges=names, criterion=criterion, **settings)


@carries_excluded("controls", "llm-judges")
def examine_all(
    data: Any,
    *,
    llm_judges: tuple[str, ...],
    epsilon: float,
    balanced: bool,
    score: str | None,
    criterion: str | None,
    by: str | None,
) -> Replacements:
    """Test all LLM judges, and all groups."""
    panels, digest = make_panels(data, llm_judges, score, criterion, by)
    tested, refused = list[Replacement](), dict[str, NotIdentified]()
    for group, panel in panels.items():
        for llm in panel.verdicts:
            try:
                advice = advise_bias(data, llm)
                one = examine_llm(panel, group, llm, epsilon, balanced=balanced, advice=advice)
                tested.append(one)
            except NotIdentified as refusal:
                refused[f"{llm} ({group})" if group else llm] = refusal
    if not tested:
        raise next(iter(refused.values()))
    notes = [
        say("replacement-untested", "warning", which=which, why=str(why.without_options()))
        for which, why in refused.items()
    ]
    told: dict[Finding, None] = {}
    for panel, llm in product(panels.values(), llm_judges):
        if llm not in panel.ends or not len(panel.value):
            continue
        # scores that all lie at the low end of people's, as those of a shorter scale do
        (first, last), low, high = panel.ends[llm], panel.value.min(), panel.value.max()
        if first != last < low + SHORT * (high - low):
            bounds = {"first": first, "last": last, "low": float(low), "high": float(high)}
            told[say("other-scale", "warning", llm=llm, **bounds)] = None
    notes += told
    later = sum(panel.n_later for panel in panels.values())
    notes += [say("later-answers", n=later)] if later else []
    adjusted = holm(np.array([one.p for one in tested])).tolist()
    tested = [changed(one, p_holm=p) for one, p in zip(tested, adjusted, strict=True)]
    tested = [decide_published(one, tested) for one in tested]
    if by is None and isinstance(data, Comparisons | Rankings):
        pairs = take_pairs(keep_all_judges(data))
        passing = [one.llm for one in tested if one.passes]
        notes += compare_firsts(pairs, llm_judges, passing) if passing else []
    parts = [f"replace by {listing(llm_judges)}", f"ε {epsilon:g}", *["balanced"] * balanced]
    parts += [] if by is None else [f"by {by}"]
    n = sum(len(panel.value) for panel in panels.values())
    return Replacements(tuple(tested), write_signature(parts, n, digest), tuple(notes))


def compare_firsts(
    pairs: Comparisons, names: Sequence[str], passing: Sequence[str]
) -> list[Finding]:
    """Name the LLM judges by whose verdicts alone another system is first than by people."""
    _, people, verdicts = split_people(pairs, names)

    def find_first(table: Comparisons | None) -> str | None:
        try:
            fit = None if table is None else BradleyTerry(ties="half-win").fit(table.tally())
        except (NotIdentified, NotConverged):
            return None
        return None if fit is None else str(fit.systems[int(np.argmax(fit.log_worth))])

    first, notes = find_first(people), []
    for llm in passing:
        other = find_first(verdicts[llm])
        if first is not None and other not in (None, first):
            command = write_bias_command(pairs, llm)
            notes.append(say("another-first", llm=llm, other=other, first=first, command=command))
    return notes


def examine_llm(
    panel: Panel,
    group: str,
    llm: str,
    epsilon: float,
    *,
    balanced: bool,
    advice: Sequence[str] = (),
) -> Replacement:
    """Test one LLM judge on one task and criterion; advice: where people judged other outputs."""
    verdict, value = panel.verdicts[llm], panel.value
    if llm in panel.ends and len(value):
        (first, last), low, high = panel.ends[llm], value.min(), value.max()
        room = (high - low) / 2
        apart = first < last and (last < low or first > high)
        if apart or first < low - room or last > high + room:
            how = "0 to 100 becomes 1 to 5 by 1 + score / 25"
            if last - first < high - low:
                how = "1 to 5 becomes 0 to 100 by 25 * (score - 1)"
            raise NotIdentified(
                f"scores of {llm} go from {first:g} to {last:g}, and people's from {low:g} to"
                f" {high:g}",
                [
                    f"write the scores of {llm} in the file as they would be on people's scale"
                    f" ({how})"
                ],
            )

    def of_llm(part: Panel) -> Rows:
        rows = compare(part, verdict)
        return weigh_classes(part, rows) if balanced else rows

    present = np.unique(of_llm(panel).judge)
    if len(present) < MIN_JUDGES:
        refuse_few(panel, llm, len(present), advice)
    d = estimate(panel, of_llm)
    # constant answers by name: the labels; of many scores their median
    given = np.unique(value)
    if panel.labels is None and len(given) > MAX_CLASSES:
        given = np.array([np.median(value)])
    constants = {}
    for one in given.tolist():
        name = f"{one:g}" if panel.labels is None else panel.labels[int(one)]
        same = (panel.points == one).astype(np.float64) if panel.score == "accuracy" else one
        constants[name] = np.where(np.isnan(verdict), np.nan, same)
    constants |= {FIRST: panel.first[llm]} if panel.first else {}
    over = {}
    for constant, answers in constants.items():

        def beyond(part: Panel, same: Array = answers) -> Rows:
            rows = compare(part, same)
            rows = changed(rows, value=rows.value - compare(part, verdict).value)
            return weigh_classes(part, rows)

        over[constant] = estimate(panel, beyond).lower(1 - ALPHA)
    nearest = min(over, key=lambda one: over[one])
    kappa = measure_kappa(panel)
    p = find_p(d.value, epsilon, d.stderr, d.df)
    return Replacement(
        llm=llm,
        group=group,
        **{name: getattr(d, name) for name in ("judges", "items", "stderr", "df")},
        outputs=len(np.unique(panel.output[np.isin(panel.judge, present)])),
        epsilon=epsilon,
        difference=d.value,
        upper=d.upper(1 - ALPHA),
        p=p,
        p_holm=p,
        constant=nearest,
        over_constant=over[nearest],
        kappa=kappa.value,
        kappa_lower=kappa.lower(1 - ALPHA),
        tests=tuple(run_judge_tests(panel, verdict, epsilon)),
    )


def refuse_few(panel: Panel, llm: str, judges: int, advice: Sequence[str]) -> NoReturn:
    """Refuse fewer judges than it takes, of those who judged outputs with another and the LLM."""
    if judges:
        raise NotIdentified(
            f"{judges} people judged outputs with another and {llm}: it takes {MIN_JUDGES} to tell"
            " whether an LLM is like one of them",
            ["collect judgments of more people on the same outputs"],
        )
    alone = ~np.isnan(panel.verdicts[llm].reshape(len(panel.item), -1)[panel.output, 0])
    if not alone.any():
        raise NotIdentified(
            f"no output was judged by two people and {llm}",
            ["give outputs the same names of items and systems for all judges"],
        )
    if len(panel.judges) == 1 < len(panel.verdicts):
        advice = [*advice, "exchange the two files, if --llm was given people's"]
    raise NotIdentified(
        f"each of the {plural(int(alone.sum()), 'output')} that people and {llm} judged was judged"
        f" by one person only: it takes {MIN_JUDGES} people, and outputs that two of them or more"
        " judged",
        ["have people judge outputs again that others judged", *advice],
    )


def decide_published(one: Replacement, others: Sequence[Replacement]) -> Replacement:
    """Return the published decision: all groups of an LLM judge are one family of tests."""
    family = [other for other in others if other.llm == one.llm]
    tested = [(each.group, test) for each in family for test in each.tests if test.p is not None]
    if not any(group == one.group for group, _ in tested):
        return one
    rejected = reject([float(test.p or 0.0) for _, test in tested], ALPHA)
    by_judge = {
        (group, test.judge): known for (group, test), known in zip(tested, rejected, strict=True)
    }
    tests = tuple(
        changed(test, rejected=by_judge.get((one.group, test.judge), False)) for test in one.tests
    )
    of_group = [test for test in tests if test.p is not None]
    return changed(
        one,
        tests=tests,
        winning_rate=sum(test.rejected for test in of_group) / len(of_group),
        advantage=sum(test.llm_closer for test in of_group) / len(of_group),
    )


# From a table to panels: people on one side, LLM judges on the other.


def make_panels(
    data: Any, names: Sequence[str], score: str | None, criterion: str | None, by: str | None
) -> tuple[dict[str, Panel], str]:
    if isinstance(data, Ratings):
        kept = leave_out_controls(keep_all_judges(data))
        rows = kept.rows(factors=[] if by is None else [kept.require(by)])
        panels = {}
        for group, part in group_ratings(rows, by).items():
            codes, how = (part.judge, part.unit, part.item), score or "rmse"
            panels[group] = make_panel(part.judges, codes, part.score, names, None, score=how)
        return panels, digest_ratings(rows)
    if not isinstance(data, Comparisons | Rankings):
        raise InvalidJudgments(
            "LLM judges are tested on judgments that evenhand.read opens, not"
            f" {type(data).__name__}"
        )
    if score is not None or criterion is not None:
        raise UnknownOption("score and criterion apply to ratings only: leave them out")
    pairs = take_pairs(keep_all_judges(data))
    votes = pairs.votes()
    if by is None:
        return {"": panel_of_votes(votes, names)}, digest_votes(votes)
    levels = split_table(pairs, pairs.require(by))
    return {k: panel_of_votes(one.votes(), names) for k, one in levels.items()}, digest_votes(votes)


def panel_of_votes(votes: Votes, names: Sequence[str]) -> Panel:
    # +1 where people prefer the system first by name to the other, else −1; of two that are
    # preferred as often, the one that is preferred more often to all systems
    k = len(votes.systems)
    of_llm = np.isin(votes.judge, [at for at, one in enumerate(votes.judges) if one in names])
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    net = np.where(of_llm, 0, votes.preferred)
    _, at = np.unique(low.astype(np.int64) * k + high, return_inverse=True)
    between = np.bincount(at, net)[at]
    overall = np.bincount(low, net, minlength=k) - np.bincount(high, net, minlength=k)
    side = np.where(np.where(between != 0, between, overall[low] - overall[high]) >= 0, 1, -1)
    first = None
    if votes.positions_known:
        first = 1 + np.where(votes.left < votes.right, side, -side).astype(np.float64)
    codes = (votes.judge, votes.pair, votes.item)
    value = 1 + (votes.preferred * side).astype(np.float64)
    return make_panel(votes.judges, codes, value, names, SIDES, score="accuracy", first=first)


def make_panel(
    judges: tuple[str, ...],
    codes: tuple[Codes, Codes, Codes],
    value: Array,
    names: Sequence[str],
    labels: tuple[str, ...] | None,
    *,
    score: str,
    first: Array | None = None,
) -> Panel:
    """Take answers of people and of LLM judges apart; codes: of judge, output and item."""
    judge, unit, item = codes
    if judges == ("",):
        raise InvalidJudgments(
            "no column says who judged: name it (--column judge=NAME), and the LLM judges by"
            " --llm-judges"
        )
    for name in names:
        if name not in judges:
            raise InvalidJudgments(f"no judge '{name}'.{suggest_or_list(name, judges)}")
    _, first_rows, output = np.unique(unit, return_index=True, return_inverse=True)
    points, size = np.unique(value), len(first_rows)
    verdicts, at_first, ends = dict[str, Array](), dict[str, Array](), {}
    for name in names:
        of_llm = judge == judges.index(name)
        n = np.bincount(output[of_llm], minlength=size)
        for answers, means in ((value, verdicts), (first, at_first)):
            if answers is None:
                continue
            given = answers[of_llm][:, None]
            each = (given == points).astype(np.float64) if score == "accuracy" else given
            mean = sum_groups(output[of_llm], each, size) / np.where(n > 0, n, np.nan)[:, None]
            means[name] = mean if score == "accuracy" else mean[:, 0]
        if labels is None and of_llm.any():
            ends[name] = (float(value[of_llm].min()), float(value[of_llm].max()))
    # the first answer of a person counts
    of_people = np.flatnonzero(~np.isin(judge, [judges.index(name) for name in names]))
    answered = judge[of_people].astype(np.int64) * size + output[of_people]
    kept = of_people[np.unique(answered, return_index=True)[1]]
    present, code = np.unique(judge[kept], return_inverse=True)
    return Panel(
        judges=tuple(judges[one] for one in present.tolist()),
        judge=code,
        output=output[kept],
        value=value[kept],
        item=np.asarray(item[first_rows], dtype=np.int64),
        verdicts=verdicts,
        first=at_first,
        points=points,
        labels=labels,
        score=score,
        n_later=len(of_people) - len(kept),
        ends=ends,
    )
