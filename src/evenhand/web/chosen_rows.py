"""How pairs were chosen where a policy runs, and the rows by which judges can be compared there.

A pair that earlier answers led to is one on which judges disagree more, or less, than on others:
what is said of judges rests on pairs that were fixed before, or drawn without regard to the rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evenhand.errors import NotIdentified

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings
    from evenhand.web.gathered import Gathered

# How pairs are chosen that the rule of a policy did not want
FREE: Final = ("random", "start-up", "design")
COLUMN: Final = "chosen"


def describe_choices(gathered: Gathered) -> dict[str, str]:
    """Say of each pass whose pairs a policy chooses how many it chose; no other pass is named."""
    design = gathered.store.campaign.design
    if not design.policy:
        return {}
    counted = gathered.count_choices()
    found = {}
    for task in gathered.store.campaign.tasks:
        n = counted.get(task.name, Counter())
        if n.keys() <= {"design"}:
            continue
        asked = (
            ""
            if design.policy == "random"
            else f" ({100 * design.random_share:.0f} % is asked for)"
        )
        fixed = f", {n['narrowed']:,} of the pairs that were left" if n["narrowed"] else ""
        fixed += f", {n['design']:,} of the design" if n["design"] else ""
        found[task.name] = (
            f"pairs are chosen by the policy {design.policy}: {n['policy']:,} by the policy,"
            f" {n['random']:,} at random{asked}, {n['start-up']:,} of the start-up phase{fixed};"
            " so how often a system won says little, for some were asked about more in hard pairs"
        )
    return found


def keep_free(data: Comparisons | Rankings) -> tuple[Comparisons | Rankings, str]:
    """Return the rows that no answer led to, and a sentence on them; "" where that is all rows."""
    import narwhals as nw

    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.exclusions import Exclusion

    if not isinstance(data, Comparisons) or COLUMN not in data.columns:
        return data, ""
    whole = data.count_judgments()
    kept = data.where(nw.col(COLUMN).is_in(FREE), recorded=False)
    n = kept.count_judgments()
    if not n:
        raise NotIdentified(
            "the policy chose every pair that was judged, and on such pairs judges cannot be"
            " compared",
            ("ask for a random_share in the next campaign",),
        )
    if n == whole:
        return data, ""
    reason = "pairs that the policy chose by answers"
    chosen = Exclusion("policy", reason, whole - n, whole, unit="answer")
    kept = replace(kept, source=kept.source.excluding(chosen))
    return kept, (
        f"judges are compared on {n:,.0f} of {whole:,.0f} answers: those to pairs that no answer"
        " led to (at random, start-up, or of the design)"
    )
