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

from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    listing,
    require_option,
)
from evenhand.judgments.alike import say_alike
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.exclusions import carries_excluded, sign_excluded, write_excluded
from evenhand.judgments.groups import choose_groups, tally_groups
from evenhand.judgments.levels import count_levels
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.coefficients import Coefficient, format_p
from evenhand.ranking.ranking import SHOWN, align_columns
from evenhand.ranking.tests import (
    Friedman,
    PairTests,
    SignTest,
    score_blocks,
    sign_test_pairs,
    sign_tests,
)

BLOCKS: Final = ("judge", "item", "ranking")
USUAL: Final = 0.05  # P-value at which a preference is said to be there
# Comparisons of each judge, item or ranking, on average, that are no independent answers
MANY: Final = 2


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
            found = f"(p {format_p(float(pairs.p[0]))}, {pairs.title})"
            if pairs.p[0] > USUAL:
                return f"{first} is not shown to be preferred to {second} {found}"
            return f"{first} is preferred to {second} {found}{self._caveat}"
        differ = int((pairs.holm <= USUAL).sum())
        if not differ:
            return "no pair is told apart (Holm-adjusted p > .05)"
        said = f"{differ:,} of {_count(len(pairs.p), 'pair')} differ (Holm-adjusted p ≤ .05)"
        return said + self._caveat

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
        found = self.friedman
        if found is None:
            return None
        places = dict(zip(found.systems, found.mean_places.tolist(), strict=True))
        kept = ("statistic", "df", "p", "f", "f_df", "f_p", "kendall_w", "assumes", "ignores")
        values = {name: getattr(found, name) for name in kept}
        return {"by": self.blocks, "blocks": found.blocks, **values, "mean_places": places}

    def __str__(self) -> str:
        return draw_tests(self)

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
    found = run_tests(tally, blocks, ties_as=ties_as, new=new, repeated=tuple(repeats))
    said = (*say_left_out(data, table), *say_dependence(repeats))
    return replace(found, notes=(*said, *found.notes))


def run_tests(
    tally: Tally, blocks: str, *, ties_as: str, new: str | None, repeated: tuple[str, ...] = ()
) -> PreferenceTests:
    """Run the tests that these counts allow."""
    pairs = sign_test_pairs(tally, variant=ties_as, new=new)
    said = [*say_alike(tally.systems)]
    if pairs.untested:
        left = f" with {new}" if new else ""
        said.append(f"{_count(pairs.untested, 'pair')}{left} never compared: not tested")
    if len(tally.systems) == 2:
        variants = sign_tests(*(int(one[0]) for one in (pairs.better, pairs.ties, pairs.worse)))
        model, why = _fit_pair(tally, pairs)
        noted = (*said, *why)
        return PreferenceTests(tally, pairs, variants, model, None, blocks, noted, repeated)
    friedman, why = _test_blocks(tally, blocks)
    return PreferenceTests(tally, pairs, (), (), friedman, blocks, (*said, *why), repeated)


def find_repeats(table: Comparisons) -> dict[str, str]:
    """Find out which of judge, item and ranking give many comparisons each, and how many."""
    many: dict[str, str] = {}
    for role in BLOCKS:
        loads = count_levels(table, role) if table.has(role) else None
        if loads is not None and loads.sum() >= MANY * len(loads):
            mean = f"{loads.sum() / len(loads):,.1f}".removesuffix(".0")
            each = f"{mean} each on average" if len(loads) > 1 else f"all {mean}"
            many[role] = f"{_count(len(loads), role)} with {each}"
    return many


def say_dependence(repeats: Mapping[str, str]) -> tuple[str, ...]:
    """Say where one judge, item or ranking gives many comparisons; nothing where none does."""
    if not repeats:
        return ()
    verb = "is" if next(iter(repeats.values())).startswith("1 ") else "are"
    return (
        f"the tests take all comparisons for independent; there {verb}"
        f" {', '.join(repeats.values())}, so p-values are too small; rank allows for judges and"
        " items",
    )


def _fit_pair(tally: Tally, pairs: PairTests) -> tuple[tuple[Coefficient, ...], tuple[str, ...]]:
    """Return λ of the first system and γ, or why there are none."""
    second = pairs.systems[int(pairs.second[0])]
    try:
        fit = BradleyTerry(reference=second).fit(tally)
    except (NotIdentified, NotConverged) as refusal:
        why = str(refusal).partition(";")[0]  # what follows are options of fit
        return (), (f"no model beside the tests: {why}; evenhand fit says what to do",)
    return tuple(one for one in fit.coefficients if one.stderr is not None), fit.notes


def _test_blocks(tally: Tally, blocks: str) -> tuple[Friedman | None, tuple[str, ...]]:
    """Run Friedman's test, or say why not; name the blocks left out."""
    try:
        scored = score_blocks(tally, blocks)
    except UnknownColumn:
        return None, (f"no Friedman test: nothing tells apart one {blocks} from another here",)
    try:
        found = scored.test()
    except NotIdentified as refusal:
        why = str(refusal).removeprefix("Friedman's test ")
        return None, (f"no Friedman test: {'it ' * (why != str(refusal))}{why}",)
    if not scored.incomplete:
        return found, ()
    every = len(scored.names) + len(scored.incomplete)
    left = f"{len(scored.incomplete):,} of {every:,} {blocks}s did not see all systems"
    return found, (f"{left}: left out of Friedman's test ({listing(scored.incomplete)})",)


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'s' * (number != 1)}"


def draw_tests(tests: PreferenceTests) -> str:
    """Return the sign tests of pairs, smallest p first, and what all tests say."""
    counts, chances = ("better", "ties", "worse"), ("p", "holm", "fdr")
    rows: list[tuple[str, ...]] = [("system", "against", *counts, "p", "Holm", "B-H")]
    pairs = tests.pairs.rows()
    for row in pairs[:SHOWN]:
        cells = [*(str(row[name]) for name in counts), *(format_p(row[name]) for name in chances)]
        rows.append((row["first"], row["second"], *cells))
    more, found = len(pairs) - SHOWN, tests.friedman
    said = [f"... and {more:,} more pairs"] if more > 0 else []
    if found is not None:
        over = f"Friedman over {found.blocks:,} {tests.blocks}s"
        said.append(f"{over}: {found.statistic:.4f} on {found.df} df, p {format_p(found.p)}")
    notes = [f"note: {note}" for note in tests.notes]
    return "\n".join([*align_columns(rows, left=2), "", *said, tests.says, *notes, tests.signature])
