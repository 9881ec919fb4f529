"""`evenhand test`: is there a preference at all, by the classical tests?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.covariates import join_options, join_tables
from evenhand.cli.groups import work_on_groups
from evenhand.cli.options import (
    Section,
    Verb,
    examples,
    group_option,
    output_options,
    reading_options,
    stack,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import OneOf
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.ranking.significance import PreferenceTests

VARIANTS: Final = ("ignore", "split", "against", "trinomial", "ignore-normal", "split-normal")
BLOCKS: Final = ("judge", "item", "ranking")
EXAMPLES: Final = (
    "evenhand test votes.csv",
    "evenhand test votes.csv --new system-b --ties-as against",
    "evenhand test wmt12.RNK_results.csv --task fr-en --blocks ranking",
)


@dataclass(frozen=True)
class Asked:
    """Which tests, and what is known of the judgments beforehand."""

    blocks: str  # judge | item | ranking, whose orders Friedman's test compares
    variant: str  # what a tie is in a sign test
    new: str | None  # the system that is to be preferred, or None
    repeated: tuple[str, ...]  # which of judge, item and ranking give many comparisons each


class _Test(Section):
    heading = "Test"


test_options = stack(
    click.option(
        "--ties-as",
        "variant",
        cls=_Test,
        type=OneOf(VARIANTS),
        default="ignore",
        show_default=True,
        help="What a tie is in the sign test of a pair: passed over, half a preference for each,"
        " a vote against, or an outcome of its own.",
    ),
    click.option(
        "--new",
        cls=_Test,
        metavar="SYSTEM",
        help="The system that is to be preferred: only its pairs, one-sided.",
    ),
    click.option(
        "--blocks",
        cls=_Test,
        type=OneOf(BLOCKS),
        help="Whose orders of all systems Friedman's test compares. Default: judges.",
    ),
)


@click.command(
    cls=Verb,
    short_help="Is there a preference at all? Sign tests of pairs, Friedman's test.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@join_options
@group_option
@test_options
@output_options
def test(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    variant: str,
    new: str | None,
    blocks: str | None,
) -> None:
    """Test every pair of systems, and whether judges agree on any order.

    The sign test of each pair, adjusted for the number of pairs (Holm;
    Benjamini and Hochberg). One pair gets every variant of the test beside
    the log-linear model; three systems or more get Friedman's test. All of
    them take comparisons for independent.
    """
    reading, place = take_reading(), take_output(judges, items)
    with Patience("testing"):
        from evenhand.ranking.significance import find_repeats, say_dependence

        data = reading.open_comparisons("test")
        data = join_tables(data, judges, items, used=(group_by, blocks))
        if blocks is not None:
            data.require(blocks)
        repeats = find_repeats(data)
        asked = Asked(blocks or BLOCKS[0], variant, new, tuple(repeats))
        found, refused = _test_groups(data, group_by, asked)
        remarks, cautions = remarks_on(data), say_dependence(repeats)
    from evenhand.cli.significance_result import SignificanceResult

    place.deliver(SignificanceResult(found, refused, remarks, cautions))


def _test_groups(
    data: Comparisons, group_by: str | None, asked: Asked
) -> tuple[dict[str, PreferenceTests], dict[str, str]]:
    """Test each group, or all under the name "", from one tally."""
    from evenhand.judgments.groups import choose_groups, tally_groups
    from evenhand.ranking.significance import run_tests

    by = choose_groups(data, group_by)
    groups = tally_groups(data, by, [asked.blocks] if data.has(asked.blocks) else [])
    return work_on_groups(
        groups,
        lambda tally: run_tests(
            tally, asked.blocks, ties_as=asked.variant, new=asked.new, repeated=asked.repeated
        ),
        alone=group_by is None and len(groups) == 1,
    )
