"""What must stand beside labels of units: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

say: Final = Templates(
    {
        "labels": "{labelled:,} of {units} have a label, {sure:,} of them with a probability of"
        " {level:g} or more.",
        "label": "{labelled:,} of {units} has a label, {sure:,} of them with a probability of"
        " {level:g} or more.",
        "shares": "Labels: {shares}.",
        "skills": "{measure} of judges: median {median:.2f}, 10th percentile {low:.2f}, 90th"
        " percentile {high:.2f}.",
        "other-models": "Share of labels that other models give too: {shares}.",
        "controls": "{n:#judgment} of controls excluded.",
        "ties": "{n:#tie} excluded",
        "pairs-of-rankings": "Pairs of one ranking count as independent answers, which they are"
        " not: labels look more certain than they are.",
        "positions-unknown": "It is not known which output stood first: half of the pairs are"
        " reversed.",
        "no-items": "No column names the item: each system counts as one output.",
        "repeated-answers": "{n:#answer repeats/answers repeat} one of the same judge to the same"
        " unit. Each counts, so labels look more certain than they are.",
        "single-answers": "{n:#unit has/units have} one answer only.",
        "two-answers": "No unit has more than two answers. Where they differ, the label rests on"
        " the judges' other answers and on the prior, and is uncertain.",
        "no-label": "{n:#unit has/units have} no label: two labels are equally probable.",
        "few-answers-per-judge": "Half of all answers come from judges who gave {usual:,} or fewer."
        " Below {needed} answers each, the reliability of judges is uncertain, and probabilities"
        " near 1 are too high: in simulations with two labels, up to 15 % of the labels called"
        " {level:%} probable were wrong at 50 answers per judge, up to 8 % at 100.",
        "threshold": "Threshold {share:g}: the labels of the {n:,} least certain units are"
        " withheld.",
        "label-switching": "Where the label is '{label}', most answers are '{other}'. Labels may"
        " be swapped: do not use them.",
        "reversed-judges": "Where the label is '{label}', {n:,} of {judges:#judge} more often gave"
        " another answer: {names:list}.",
        "not-converged": "The fit had not converged after {steps:#iteration}: allow more.",
        "equal-optima": "{n:,} different solutions fit equally well: probabilities are their mean.",
        "single-optimum": "Only one of {starts} starts reached this solution; the next is"
        " {difference:,.1f} nats lower. Allow more starts.",
    }
)
