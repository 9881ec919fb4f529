"""What rankings say beside their numbers: codes and texts of findings."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

say: Final = Templates(
    {
        # Which answers are correlated, and so what intervals are about
        "no-judges": "There is no judge column: intervals do not account for judges.",
        "no-judges-nor-items": (
            "There are no columns of judges and items: intervals account for neither. If they"
            " repeat, name them (--column item=NAME, in Python columns={{'item': 'NAME'}})."
        ),
        "independent": "Intervals assume independent {answers}.",
        "name-items": (
            "If items repeat, name them (--column item=NAME, in Python columns={{'item': 'NAME'}})."
        ),
        "one-item": "There is one item only: intervals do not account for items.",
        "own-level": "Every judgment has its own {factor}: no clustering by {factor}.",
        "few-items": "There are fewer than {least} items: no clustering by item.",
        "few-items-of-these-judges": (
            "{items} items are too few to cluster by: {enough} or more would do."
        ),
        "few-judges": (
            "{effective:.1f} effective judges: intervals are wide; {enough} or more would narrow"
            " them."
        ),
        "few-judges-with-items": (
            "{effective:.1f} effective judges: intervals are wide; {enough} or more would narrow"
            " them. With --cluster item they are about {these} only."
        ),
        "few-clusters": "Only {effective:.1f} effective {factor}s: intervals are unreliable.",
        "no-clustering": "No clustering by {factor}: {why}.",
        # Covariances
        "no-cells": (
            "So many judgments that cells of judge and item are not counted: intervals are a little"
            " wide."
        ),
        "all-ties": (
            "Every comparison is a tie, and answers that are all alike show no spread: intervals"
            " are those of the model there."
        ),
        "linked-by-ties": (
            "Some systems are linked by ties alone, and answers that are all alike show no spread:"
            " intervals are those of the model there."
        ),
        "narrow": (
            "Intervals are less than half as wide as independent answers would give: clusters"
            " answer suspiciously alike, or a few gave most answers. Compare rank --interval model."
        ),
        "lost-resamples": (
            "{lost:,} of {replicates:,} resamples determine no worths and are excluded."
        ),
        "too-many-systems": (
            "{systems:,} systems are too many for intervals of all. Differences of neighbours at"
            " the top {top} are given, with errors that assume independent judgments; fit.contrasts"
            " gives others."
        ),
        # Pairs and systems of which nothing can be said
        "one-cluster": (
            "{pairs:#pair} undecided, with {clusters} alone to link the systems: nothing shows how"
            " another {factor} would differ."
        ),
        "one-cluster-each": (
            "{pairs:#pair} undecided, each with one {factor} alone to link the two ({clusters}):"
            " nothing shows how another {factor} would differ."
        ),
        "thin-pairs": (
            "{pairs:#pair} undecided: fewer than {least:.0f} effective {factors} link the two"
            " (fewest: {fewest:.1f}, {one} and {other})."
        ),
        "no-intervals": "No intervals: too few {factors} link any two systems.",
        "no-interval": (
            "No interval for {systems:list}, which too few {factors} link to the other {inside:,}"
            " systems. Log-worths and intervals are relative to the mean of these {inside:,}."
        ),
        "no-spread": (
            "No interval for {systems:list}: clusters by {factors} answered so alike there that"
            " nothing shows how much others might differ."
        ),
        "no-intervals-at-level": (
            "No intervals at level {level:g}: clusters are so few that in too many replicates they"
            " agree by chance, and nothing shows how far apart they may be."
        ),
        # Other models
        "prior-alone": "The prior alone limits some differences: {why}.",
        "prior-alone-resampled": (
            "The prior alone limits some differences, since no resample contradicts that {why}."
            " Intervals of them are too short and rest on no spread of answers."
        ),
        "of-rankings": (
            "Comparisons of one ranking are not independent, as the model takes them to be:"
            " intervals are too short."
        ),
        "resamples-alike": (
            "No clustering by {factors}: all resamples by {factors} say the same of {one} and"
            " {other}, and nothing shows how much others might differ."
        ),
        "baseline-of-opponents": (
            "{model} is a baseline to compare models with: a system's own counts praise it for weak"
            " opponents."
        ),
        "baseline-of-pairs": (
            "{model} is a baseline to compare models with: it learns nothing of a pair from other"
            " pairs, so that systems are praised for whom they met."
        ),
        # Who stood first
        "one-sided": (
            "Sides were not randomised: {who}. A preference for what stands first then counts as"
            " worth, and more votes do not mend it."
        ),
        "one-order": (
            "Sides were not randomised: {who}. Every pair was always shown in one order, so that"
            " the order effect cannot be separated from the worths."
        ),
        "inseparable": (
            "Every pair was always shown in one order, so that the order effect cannot be separated"
            " from the worths."
        ),
        # Rules of scoring, and several methods side by side
        "limited": "Intervals are {limit}.",
        "method-refused": "{method} gives no scores: {why}.",
        "same-judgments": (
            "Methods share the same judgments: that they agree is no evidence that they are right."
        ),
        "pairs-ignored": "{missing:,} of {pairs:#pair} never decided: they do not count.",
        "pairs-zero": "{missing:,} of {pairs:#pair} never decided: they count 0 for both.",
        "pairs-by-coin": "{missing:,} of {pairs:#pair} never decided: a coin decides them.",
        "all-ties-zero": "All comparisons of {systems:list} are ties: the score is 0 by this rule.",
        "single-comparison": "No standard errors: {systems:list} had a single comparison.",
        "never-won": (
            "{systems:#system} won none of {tournaments:,} tournaments and share the last place."
        ),
        "simulation-luck": (
            "Within two standard errors of the simulation, so that another seed may reverse them:"
            " {pairs:list}."
        ),
        "sorted-pairs": "The sort asked {asked:,} of {pairs:#pair}.",
        "no-majority": "{pairs:#pair} asked had no majority: the vilar score decided.",
        "against-majority": "The order contradicts the majority of {pairs:#pair}.",
        "probability": "The order is right in all pairs with probability {probability}.",
        "not-proven-probable": (
            "The order is not proven to be the best: another may be up to 10^{gap:.2f} times as"
            " likely."
        ),
        "equally-probable": (
            "{orders:,} orders are equally probable: places of {systems:list} differ between them."
        ),
        "contradicted": "The order contradicts {cost}.",
        "not-proven": (
            "The order is not proven to be the best: systems are too many or too even, and a better"
            " order could contradict {gap:,.4g} less at most."
        ),
        "loose-bound": (
            "Of more than {systems} systems that are joined only pieces are bounded: most of that"
            " is what the bound misses."
        ),
        "several-orders": (
            "{orders:,} orders are equally good: places of {systems:list} differ between them."
        ),
        "no-decided": "No comparison of {systems:list} is decided: any place is as good.",
        "few-matches": (
            "{matches:,} matches a run instead of {wanted:,}: rank ranges are wider than with all."
        ),
        "absent": (
            "Without a comparison in some of {runs:,} resamples, counted as average there:"
            " {systems:list}."
        ),
        "thin-resamples": "{lost:,} of {runs:,} resamples, too thin for the rule, are excluded.",
        # Mean scores
        "score-alone": "{best} is the only system{about} beside human references.",
        "score-best": "{best} is the best of {n} systems{about}.",
        "score-second": "{best} is the best of {n} systems{about}; {second} comes second.",
        "scores-unknown": (
            "Undecided which of {names} is the best{about}: nothing shows how far other scores"
            " would differ."
        ),
        "scores-all-first": "All {n} systems share first place{about}: {names}.",
        "scores-share-first": "{names} share first place{about}; no other can be the best.",
        "scores-many-first": (
            "{first} of {n} systems share first place{about}, {best} by its mean score; no other"
            " can be the best."
        ),
        "reference": (
            "{name}, a human reference, is shown to be better{about} than {worse} of"
            " {of:#system}, and worse than {better}."
        ),
        "limited-scores": "This is {limit}.",
        "errors-of-scores": "Errors: {method}.",
        "few-scores": "{pairs:,} of {of:#pair} undecided: they rest on too few {factors}.",
        "no-spread-of-scores": (
            "{pairs:,} of {of:#pair} undecided: their scores do not vary, and nothing shows how"
            " much others might differ."
        ),
    }
)
