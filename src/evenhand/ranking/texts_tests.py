"""What is said of classical tests, position bias, sides and borders: code → text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.render.document import begin_sentence
from evenhand.render.findings import Templates

_FIRST: Final = (
    "between equals the output shown first wins {share:.1f} % of decided comparisons"
    " ({low:.1f} to {high:.1f} %; p {p:p})."
)
# Why `compare` and `bias` have no order effect
INSEPARABLE: Final = (
    "every pair of systems was always shown in one order, so that the order effect cannot be"
    " separated from the worths"
)

say: Final = Templates(
    {
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
        "sides-confounded": (
            "Sides were not randomised: {named}. A preference for what stands first then counts as"
            " worth, and more votes of this kind do not fix that."
        ),
        "sides-inseparable": f"Sides were not randomised: {{named}}; {INSEPARABLE}.",
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
