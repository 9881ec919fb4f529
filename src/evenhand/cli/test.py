"""`evenhand test`: is there a preference at all, by the classical tests?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.cli.options import (
    OneOf,
    group_option,
    join_options,
    join_tables,
    output_options,
    reading_options,
    section,
    stack,
    verb,
)
from evenhand.cli.result import VerbResult
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
)

if TYPE_CHECKING:
    from evenhand.ranking.significance import PreferenceTests

VARIANTS: Final = ("ignore", "split", "against", "trinomial", "ignore-normal", "split-normal")
BLOCKS: Final = ("judge", "item", "ranking")

_test_option = section("Test")

test_options = stack(
    _test_option(
        "--ties-as",
        "variant",
        type=OneOf(VARIANTS),
        default="ignore",
        help="What a tie is in the sign test of a pair: ignored, half a preference for each, a vote"
        " against, or an outcome of its own.",
    ),
    _test_option(
        "--new",
        metavar="SYSTEM",
        help="The system that is to be preferred: only its pairs, one-sided.",
    ),
    _test_option(
        "--blocks",
        type=OneOf(BLOCKS),
        help="Whose orders of all systems Friedman's test compares. Default: judges.",
    ),
)


@verb(
    "evenhand test votes.csv",
    "evenhand test votes.csv --new system-b --ties-as against",
    "evenhand test wmt12.RNK_results.csv --task fr-en --blocks ranking",
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
    the log-linear model; three systems or more get Friedman's test. Where
    judges or items give several answers each, p-values of pairs that account
    for it (clustered) stand beside those that do not.
    """
    reading, place = take_reading(), take_output(judges, items)
    with ProgressDisplay("testing"):
        from evenhand.data.groups import choose_groups, tally_groups
        from evenhand.ranking.significance import count_clusters, find_repeats, run_tests

        data = reading.open_comparisons("test")
        data = join_tables(data, judges, items, used=(group_by, blocks))
        if blocks is not None:
            data.require(blocks)
        repeats = find_repeats(data)
        over = blocks or BLOCKS[0]
        by = choose_groups(data, group_by)
        groups = tally_groups(data, by, [over] if data.has(over) else [])
        clustered = count_clusters(data, by, repeats)

        def work(name: str) -> PreferenceTests:
            ways = clustered.get(name, {})
            tally = groups[name]
            return run_tests(tally, over, ways, ties_as=variant, new=new, repeats=repeats)

        alone = group_by is None and len(groups) == 1
        results, refused = work_on_groups({name: name for name in groups}, work, alone=alone)
        remarks = remarks_on(data)
    place.deliver(VerbResult(results, refused, remarks))
