"""What is said of classical tests, position bias, sides and borders: code → text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.render.findings import Templates
from evenhand.render.values import begin_sentence

_FIRST: Final = (
    "between equals the output shown first wins {share:.1f} % of decided comparisons"
    " ({low:.1f} to {high:.1f} %; p {p:p})."
)
ONE_RANKING: Final = "the likelihood ratio takes comparisons of one ranking as independent"
# Why `compare` and `bias` have no order effect
INSEPARABLE: Final = (
    "every pair of systems was always shown in one order, so that the order effect cannot be"
    " separated from the worths"
)

say: Final = Templates(
    {
        # Classical tests. `{of:#pair}` are those that were compared.
        "pairs-differ": "{n:,} of {of:#pair} differ (p ≤ .05 after Holm's adjustment).",
        "pairs-differ-if-independent": (
            "{n:,} of {of:#pair} differ (p ≤ .05 after Holm's adjustment) if all judgments are"
            " independent."
        ),
        "pairs-differ-clustered": (
            "{n:,} of {of:#pair} differ (p ≤ .05 after Holm's adjustment), with judgments"
            " correlated by {ways}; {independent:,} if all judgments were independent."
        ),
        "no-pair-differs": "No pair differs significantly (p > .05 after Holm's adjustment).",
        "preferred": "{first} is preferred to {second} (p {p:p}, {how}).",
        "preferred-if-independent": (
            "{first} is preferred to {second} (p {p:p}, {how}) if all judgments are independent."
        ),
        "preferred-clustered": (
            "{first} is preferred to {second} (p {p:p}, with judgments correlated by {ways};"
            " {independent:p} if all were independent)."
        ),
        "not-preferred": "{first} is not shown to be preferred to {second} (p {p:p}, {how}).",
        "not-preferred-clustered": (
            "{first} is not shown to be preferred to {second} (p {p:p}, with judgments correlated"
            " by {ways}; {independent:p} if all were independent)."
        ),
        "share-preferred": (
            "{first} wins {share:.1f} % of decided comparisons (exact 95 % interval {low:.1f} to"
            " {high:.1f} %)."
        ),
        "order-agreed": (
            "{blocks} agree on an order (Friedman's test, p {p:p}; Kendall's W {w:.2f})."
        ),
        "order-not-agreed": (
            "{blocks} do not agree significantly on any order (Friedman's test, p {p:p};"
            " Kendall's W {w:.2f})."
        ),
        "correlated-unclustered": (
            "Judgments are not independent: {repeats:list}. All p-values take them as independent"
            " and are too small; none that accounts for it can be given here ({why})."
        ),
        "correlated-few": (
            "Judgments are not independent: {repeats:list}. There are too few of them for clustered"
            " p-values: what is said is {limit}."
        ),
        "limited": "Clustered p-values are {limit}.",
        "pairs-never-compared": "{n:#pair} never compared: not tested.",
        "pairs-never-compared-with": "{n:#pair} with {new} never compared: not tested.",
        "pairs-without-spread": (
            "{n:#pair} without a clustered p: all decided comparisons agree, or one {way} made"
            " them."
        ),
        "no-model": "No model beside the tests: {why}; evenhand fit says what to do.",
        "no-blocks": "No Friedman test: nothing tells one {by} from another here.",
        "no-friedman": "Not run: {why}.",
        "blocks-incomplete": (
            "{n:,} of {of:,} {by}s did not see all systems and are excluded from Friedman's test"
            " ({names:list})."
        ),
        # Clustered tests of covariates
        "one-each": "every group is one {by}: no test by {by}",
        "no-test-by": "no test by {by}: {why}",
        "never-tied": "{names:list} never tied: no clustered test",
        "numbers-as-groups": "{name} has {n} values for {of} {by}s, taken as groups",
        "one-ranking": ONE_RANKING,
        # Borders
        "border-holds": "Borders hold after {places:list}.",
        "border-holds-marginally": "Borders hold marginally only after {places:list}.",
        "border-not-shown": "No border is shown after {places:list}.",
        # Position bias and sides
        "position-bias": f"Position bias: {_FIRST}",
        "no-position-bias": f"No significant position bias: {_FIRST}",
        "judges-differ": (
            "Judges differ: the sd of their biases is {sd:.2f} in log-odds (p {p:p})."
        ),
        "judges-alike": "Judges do not differ significantly (p {p:p}).",
        "judges-equal": (
            "Judges do not differ detectably (p {p:p}): the common estimate stands for each."
        ),
        "judges-took-sides": (
            "Judges nearly always took one side each (p {p:p}): the sd of their biases has no"
            " finite estimate below {limit:.0f} in log-odds, and judges are not compared."
        ),
        "judges-stand-out": "Different from the others: {names:list}.",
        "judges-not-fitted": "Nothing is said of single judges: {why}",
        "judges-shrunk": (
            "Estimates of judges are drawn to the common one as by a sd of {sd:.0f} in log-odds."
        ),
        "judges-weighted": "Importance weights are no counts: judges are not tested one by one.",
        "correlated-in-rankings": (
            "Comparisons of one ranking count for 1/{inflation:.2f} in what is said of judges."
        ),
        "sides-uneven": (
            "Sides were not randomised: {named}. {both:%} of the comparisons are of pairs shown in"
            " both orders, and the bias is taken to be the same in the others."
        ),
        "order-effect-inseparable": f"{begin_sentence(INSEPARABLE)}.",
    }
)


def say_clusterings(clusterings: Sequence[str]) -> str:
    """Say what intervals account for.

    >>> say_clusterings(("judge", "item")), say_clusterings(())
    ('Intervals account for judges and items.', 'Intervals take judgments as independent.')
    """
    known = [f"{one}s" for one in clusterings if one != "judgment"]
    if not known:
        return "Intervals take judgments as independent."
    return f"Intervals account for {' and '.join(known)}."
