"""Is there a preference at all? The classical tests of judgments, and the model beside them.

Every pair has its sign test. A single pair has every variant of the test, and λ and γ of the
log-linear model; three systems or more have Friedman's test of agreement between blocks.

Source: Dras (2015), sections 3 and 5. When not to use it: all of these tests take comparisons for
independent, and none of them says how much better a system is; `evenhand.rank` does both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Final

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, require_pairs, say_left_out
from evenhand.data.exclusions import sign_excluded, write_excluded
from evenhand.data.groups import choose_groups, count_levels, tally_groups
from evenhand.data.joining import say_alike
from evenhand.data.rankings import Rankings
from evenhand.data.results import InNotebooks, write_signature
from evenhand.data.tally import Tally
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    listing,
    require_option,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.coefficients import Coefficient, format_p
from evenhand.ranking.ranking import MAX_SYSTEMS_SHOWN, align_columns
from evenhand.ranking.tests import (
    Friedman,
    PairTests,
    SignTest,
    score_blocks,
    sign_test_pairs,
    sign_tests,
)

BLOCKS: Final = ("judge", "item", "ranking")
SIGNIFICANT: Final = 0.05  # P-value at which a preference is said to be there
# Comparisons of each judge, item or ranking, on average, that are no independent answers
MIN_REPEATED: Final = 2


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceTests(InNotebooks):
    """The tests of one set of judgments.

    Attributes:
        tally: the counts.
        pairs: the sign tests of all pairs.
        variants: every variant, where there is one pair.
        model: λ of the first system and γ, where there is one pair and they exist.
        friedman: Friedman's test, where there are three systems and complete blocks.
        blocks: what its blocks are.
        notes: what is not there and why, what was left out, what speaks against the assumptions.
        repeated: which of judge, item and ranking give many comparisons each, so that comparisons
            are not independent.

    """

    TABLE: ClassVar = "pairs"

    tally: Tally
    pairs: PairTests
    variants: tuple[SignTest, ...]
    model: tuple[Coefficient, ...]
    friedman: Friedman | None
    blocks: str
    notes: tuple[str, ...]
    repeated: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """One line that reproduces the tests."""
        pairs = self.pairs
        parts = [f"sign test {pairs.variant}" + (f", new {pairs.new}" if pairs.new else "")]
        parts += [f"Friedman by {self.blocks}"] if self.friedman else []
        signature = write_signature(parts, self.tally.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def says(self) -> str:
        """The result in a sentence."""
        pairs = self.pairs
        if len(pairs.p) == 1:
            first, second = (pairs.systems[int(side[0])] for side in (pairs.first, pairs.second))
            test = f"(p {format_p(float(pairs.p[0]))}, {pairs.title})"
            if pairs.p[0] > SIGNIFICANT:
                return f"{first} is not shown to be preferred to {second} {test}"
            return f"{first} is preferred to {second} {test}{self._caveat}"
        differ = int((pairs.holm <= SIGNIFICANT).sum())
        if not differ:
            return "no pair is told apart (Holm-adjusted p > .05)"
        sentence = f"{differ:,} of {_count(len(pairs.p), 'pair')} differ (Holm-adjusted p ≤ .05)"
        return sentence + self._caveat

    @property
    def _caveat(self) -> str:
        """What a difference that was found rests on."""
        if not self.repeated:
            return ""
        # rankings are allowed for wherever judges are not known
        known = [f"{role}s" for role in self.repeated if role != "ranking"] or ["rankings"]
        return f" if all judgments were independent; rank allows for {' and '.join(known)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand test --json`, one group."""
        pairs = self.pairs
        # a direction that was read off the data has no one-sided p-value
        turned = {} if pairs.new else {"greater": None}
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            "ties_as": pairs.variant,
            "sides": 1 if pairs.new else 2,
            "new": pairs.new,
            "pairs": pairs.rows(),
            "untested": pairs.untested,
            "variants": [asdict(variant) | turned for variant in self.variants],
            "model": [asdict(coefficient) for coefficient in self.model],
            "friedman": self._describe_friedman(),
            "assumes": list(pairs.assumes),
            "ignores": list(pairs.ignores),
            "n_judgments": self.tally.n_judgments,
            "n_comparisons": self.tally.n_comparisons,
            "says": self.says,
            "notes": list(self.notes),
        }

    def _describe_friedman(self) -> dict[str, Any] | None:
        friedman = self.friedman
        if friedman is None:
            return None
        places = dict(zip(friedman.systems, friedman.mean_places.tolist(), strict=True))
        fields = ("statistic", "df", "p", "f", "f_df", "f_p", "kendall_w", "assumes", "ignores")
        values = {name: getattr(friedman, name) for name in fields}
        return {"by": self.blocks, "blocks": friedman.blocks, **values, "mean_places": places}

    def __str__(self) -> str:
        counts, chances = ("better", "ties", "worse"), ("p", "holm", "fdr")
        rows: list[tuple[str, ...]] = [("system", "against", *counts, "p", "Holm", "B-H")]
        pairs = self.pairs.rows()
        for row in pairs[:MAX_SYSTEMS_SHOWN]:
            cells = [
                *(str(row[name]) for name in counts),
                *(format_p(row[name]) for name in chances),
            ]
            rows.append((row["first"], row["second"], *cells))
        more, friedman = len(pairs) - MAX_SYSTEMS_SHOWN, self.friedman
        lines = [f"... and {more:,} more pairs"] if more > 0 else []
        if friedman is not None:
            over = f"Friedman over {friedman.blocks:,} {self.blocks}s"
            lines.append(
                f"{over}: {friedman.statistic:.4f} on {friedman.df} df, p {format_p(friedman.p)}"
            )
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join(
            [*align_columns(rows, left=2), "", *lines, self.says, *notes, self.signature]
        )

    __repr__ = __str__


@carries_excluded("controls")
def find_preferences(
    data: Comparisons | Rankings,
    *,
    ties_as: str = "ignore",
    new: str | None = None,
    blocks: str = "judge",
) -> PreferenceTests:
    """Run the classical tests that the judgments allow.

    Args:
        data: comparisons or rankings, of one task.
        ties_as: what a tie is in the sign test of a pair: ignore | ignore-normal | split |
            split-normal | against | trinomial.
        new: the system that is to be preferred: only its pairs, one-sided. Otherwise all pairs,
            two-sided.
        blocks: whose orders Friedman's test compares: judge | item | ranking.

    Raises:
        UnknownOption: there is no such treatment of ties or kind of block, or importance weights.
        NotIdentified: nobody compared the new system.
        InvalidJudgments: a value in the data that cannot be, or several tasks.

    >>> from evenhand import datasets, read
    >>> import polars as pl
    >>> one = datasets.load("dras2015_table1")
    >>> data = read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))
    >>> found = find_preferences(data)
    >>> print(found.says)
    6 of 6 pairs differ (Holm-adjusted p ≤ .05) if all judgments were independent; rank allows for
    judges
    >>> round(found.friedman.statistic, 1)
    10.2
    """
    require_option("blocks", blocks, BLOCKS)
    table = require_pairs(data, "preferences are tested in comparisons or rankings, not in")
    groups = tally_groups(table, choose_groups(table, None), [blocks] if table.has(blocks) else [])
    if len(groups) > 1:
        raise InvalidJudgments(
            f"{table.source.name} has {len(groups)} tasks: choose one, data.select_task('...')"
        )
    tally = next(iter(groups.values()))
    repeats = find_repeats(table)
    tests = run_tests(tally, blocks, ties_as=ties_as, new=new, repeated=tuple(repeats))
    notes = (*say_left_out(data, table), *say_dependence(repeats))
    return replace(tests, notes=(*notes, *tests.notes))


def run_tests(
    tally: Tally, blocks: str, *, ties_as: str, new: str | None, repeated: tuple[str, ...] = ()
) -> PreferenceTests:
    pairs = sign_test_pairs(tally, variant=ties_as, new=new)
    notes = [*say_alike(tally.systems)]
    if pairs.untested:
        partner = f" with {new}" if new else ""
        notes.append(f"{_count(pairs.untested, 'pair')}{partner} never compared: not tested")
    if len(tally.systems) != 2:
        friedman, why = _test_blocks(tally, blocks)
        return PreferenceTests(tally, pairs, (), (), friedman, blocks, (*notes, *why), repeated)
    variants = sign_tests(*(int(side[0]) for side in (pairs.better, pairs.ties, pairs.worse)))
    model: tuple[Coefficient, ...] = ()  # λ of the first system and γ
    try:
        fit = BradleyTerry(reference=pairs.systems[int(pairs.second[0])]).fit(tally)
        model = tuple(one for one in fit.coefficients if one.stderr is not None)
        notes += fit.notes
    except (NotIdentified, NotConverged) as refusal:
        reason = str(refusal).partition(";")[0]  # what follows are options of fit
        notes.append(f"no model beside the tests: {reason}; evenhand fit says what to do")
    return PreferenceTests(tally, pairs, variants, model, None, blocks, tuple(notes), repeated)


def find_repeats(table: Comparisons) -> dict[str, str]:
    many: dict[str, str] = {}
    for role in BLOCKS:
        loads = count_levels(table, role) if table.has(role) else None
        if loads is not None and loads.sum() >= MIN_REPEATED * len(loads):
            mean = f"{loads.sum() / len(loads):,.1f}".removesuffix(".0")
            each = f"{mean} each on average" if len(loads) > 1 else f"all {mean}"
            many[role] = f"{_count(len(loads), role)} with {each}"
    return many


def say_dependence(repeats: Mapping[str, str]) -> tuple[str, ...]:
    if not repeats:
        return ()
    verb = "is" if next(iter(repeats.values())).startswith("1 ") else "are"
    return (
        f"the tests take all comparisons for independent; there {verb}"
        f" {', '.join(repeats.values())}, so p-values are too small; rank allows for judges and"
        " items",
    )


def _test_blocks(tally: Tally, blocks: str) -> tuple[Friedman | None, tuple[str, ...]]:
    try:
        scored = score_blocks(tally, blocks)
        friedman = scored.test()
    except UnknownColumn:
        return None, (f"no Friedman test: nothing tells apart one {blocks} from another here",)
    except NotIdentified as refusal:
        why = str(refusal).removeprefix("Friedman's test ")
        return None, (f"no Friedman test: {'it ' * (why != str(refusal))}{why}",)
    if not scored.incomplete:
        return friedman, ()
    every = len(scored.names) + len(scored.incomplete)
    left = f"{len(scored.incomplete):,} of {every:,} {blocks}s did not see all systems"
    return friedman, (f"{left}: left out of Friedman's test ({listing(scored.incomplete)})",)


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'s' * (number != 1)}"
