"""`evenhand test`: is there a preference at all, by the classical tests?"""

from __future__ import annotations

from typing import Any, Final

from evenhand.cli import options
from evenhand.cli.running import VerbResult, part_groups, remarks_on, work_on_groups

_test = options.under("Test")

_TIES_AS: Final = (
    *("ignore", "split", "against", "half-against", "trinomial"),
    *("ignore-normal", "split-normal"),
)


class TiesAs(options.OneOf):
    """A treatment of ties: one of the words, or split:SHARE or against:WEIGHT."""

    def parse(self, text: str) -> str:
        from evenhand.errors import EvenhandError
        from evenhand.ranking.sign_tests import choose_variant

        if text.partition(":")[0] == text:
            return super().parse(text)
        try:
            choose_variant(text)
        except EvenhandError as refusal:
            raise ValueError(str(refusal).removeprefix("ties_as ")) from None
        return text


class Asked(options.Options):
    variant: str = _test(
        "--ties-as NAME",
        "What a tie is in the sign test of a pair: ignore, split (half a preference for each),"
        " against (a vote against), half-against or trinomial (an outcome of its own); of the"
        " normal distribution ignore-normal and split-normal. split:0.25 gives a quarter of the"
        " ties to the first system, against:0.3 makes a tie 0.3 of a vote against it.",
        default="ignore",
        type=TiesAs(_TIES_AS),
    )
    new: str | None = _test(
        "--new SYSTEM", "The system that is to be preferred: only its pairs, one-sided."
    )
    blocks: str | None = _test(
        "--blocks judge|item|ranking",
        "Whose orders of all systems Friedman's test compares. Default: judges; of ratings, items.",
    )
    model: str | None = _test(
        "--model NAME",
        "What the clustered test of ratings compares: adjusted (the default), mean or z; with z all"
        " tests are of scores standardised by judge, as in WMT.",
    )
    seed: int = options.seed_option(_test, says="Random seed of the sign flips (ratings).")


@options.verb(
    "evenhand test votes.csv",
    "evenhand test scores.csv --criterion adequacy",
    "evenhand test votes.csv --new system-b --ties-as against",
    "evenhand test wmt12.RNK_results.csv --task fr-en --blocks ranking",
    doing="testing",
)
def test(
    run: options.Run,
    *,
    tables: options.Tables,
    groups: options.Grouping,
    scores: options.Scores,
    asked: Asked,
) -> VerbResult:
    """Test every pair of systems, and whether they differ at all.

    Comparisons: the sign test of each pair, adjusted for the number of pairs
    (Holm; Benjamini and Hochberg). One pair gets every variant of the test
    beside the log-linear model; three systems or more get Friedman's test.
    Ratings: t, signed ranks, permutation and rank sum of mean scores, each
    with Holm, and Friedman's or Skillings and Mack's test. Where judges or
    items give several answers each, p-values of pairs that account for it
    (clustered) stand beside those that do not.
    """
    from evenhand.data.controls import take_pairs
    from evenhand.data.groups import choose_criterion, choose_groups, tally_groups
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.score_tests import BLOCKS, GroupedTests, find_differences
    from evenhand.ranking.significance import count_clusters, find_repeats, run_tests

    of_ratings = {*options.Scores.list_options(), "model", "seed"} & options.given_options()
    opened = run.reading.open(("ratings",) if of_ratings else ("comparisons", "rankings"))
    if isinstance(opened, Ratings):
        joined = tables.join(opened, used=(groups.group_by,))
        options.refuse_given(["variant"], "is of comparisons; these are ratings: leave it out")
        ratings = choose_criterion(joined, scores.criterion)
        how = {name: getattr(asked, name) for name in ("new", "model", "seed")}
        how |= {**scores.settings, "criterion": None, "blocks": asked.blocks or BLOCKS[0]}
        found = find_differences(ratings, group_by=groups.group_by, **how)
        beside = found.document() if isinstance(found, GroupedTests) else None
        read = remarks_on(ratings, "controls")
        return VerbResult(*part_groups(found), read, side_by_side=beside)
    options.refuse_of_ratings("model", "seed")
    data = tables.join(take_pairs(opened), used=(groups.group_by, asked.blocks))
    if asked.blocks is not None:
        data.require(asked.blocks)
    repeats = find_repeats(data)
    over = asked.blocks or "judge"
    by = choose_groups(data, groups.group_by)
    tallies = tally_groups(data, by, [over] if data.has(over) else [])
    clustered = count_clusters(data, by, repeats)
    settings: dict[str, Any] = {"ties_as": asked.variant, "new": asked.new, "repeats": repeats}

    results, refused = work_on_groups(
        {name: name for name in tallies},
        lambda name: run_tests(tallies[name], over, clustered.get(name, {}), **settings),
        groups.group_by,
    )
    return VerbResult(results, refused, remarks_on(data))
