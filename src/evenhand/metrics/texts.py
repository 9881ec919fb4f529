"""What is said of metrics: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.document import Templates

say: Final = Templates(
    {
        "leads": "{metric} has the highest {statistic} ({value:three}); differences were not"
        " tested.",
        "single": "{metric}: {statistic} {value:three} with people.",
        "leads-alone": "{metric} agrees better with people than every other metric by {statistic}"
        " ({value:three}).",
        "leads-open": "{metric} has the highest {statistic}, but is not significantly better than"
        " {metrics}.",
        "shares-first": "No metric is significantly better than {metrics} by {statistic}"
        " ({decided} of {of:#pair} decided).",
        "none-decided": "No metric is significantly better than another by {statistic} (0 of"
        " {of:#pair} decided).",
        "tied-first": "{metrics:list} have the highest {statistic} ({value:three}); differences"
        " were not tested.",
        "untestable": "Metrics were not compared: {statistic} has no test here, and metrics are"
        " tested by the first statistic. Put one that has a test first, such as {first}.",
        "undefined": "Not among the tests: {metrics:list}, for which {statistic} is not defined.",
        "constant": "{who} all outputs the same score and {were} not tested. Check {them}, or"
        " exclude {them} ({remedy}).",
        "scores-merged": "Different scores by {who} count as equal ({one:.3g} and {other:.3g}),"
        " since others are so much larger: give logarithms of all scores, unless these are errors"
        " of rounding.",
        "gold-negated": "People's scores ({criterion}) were negated: lower is better.",
        "metric-negated": "Scores of {metrics:list} were negated: the name says that lower is"
        " better.",
        "metric-negated-asked": "Scores of {metrics:list} were negated: lower is better.",
        "metrics-read": "Scores of {metrics:list} are from {file}.",
        "numbered": "Metrics number items, and people name them: matched by the number in the test"
        " set ({item} is {number}).",
        "metrics-excluded": "Excluded by name: {metrics:list}.",
        "only-systems": "Not compared: {metrics:list}, of which {folder} has only .sys.score, and"
        " of others .seg.score.",
        "no-metrics": "Not taken for metrics, since an output has several values: {columns:list}.",
        "counts": "Columns of numbers were not read as metrics, by their names: {columns:list}. To"
        " use one, rename it, or give rows of metric, system, item and score.",
        "words": "Not read as metrics, since they hold words: {columns:list}. Where these are"
        " scores of a metric, write them as numbers.",
        "unread": "{first}{more}, and not used. Every output that people judged has a score.",
        "unjudged-systems": "Not used: scores of {n:#system} without judgments of people to compare"
        " with ({systems:list}).",
        "prefixed": "Names of systems begin with {prefix} in {where}, and were matched without it.",
        "no-scores": "Not compared, since there is no number: {columns:list}.",
        "unused-columns": "Metrics in {file} were not used beside files of scores: {columns:list}.",
        "scores-excluded": "Scores of metrics: {what}.",
        "unjudged": "{n:,} scores of metrics on outputs that people did not judge were not used.",
        "references": "Human references by name: {systems:list}. Metrics that use a reference"
        " score it too high: exclude it with {remedy}.",
        "incomplete": "{statistics} only {kept:,} of {n:,} items: people did not judge all systems"
        " on the others.",
        "single-outputs": "Statistics of segments use only {kept:,} of {n:,} items: people judged"
        " one output of each of the others.",
        "constant-groups": "{statistic} has no value in {lost:,} of {n:,} groups, where all scores"
        " of people, or of {metric}, are equal.",
        "no-accuracy": "acc-eq has no value, since ε of ties is chosen on other items: all compared"
        " outputs are of one {what}, or of a fifth of them. acc*-eq takes ε from the same items.",
        "too-many-pairs": "{n:,} pairs of scores are too many for acc-eq and kendall-like, which"
        " were not computed.",
        "limit-inside": "There is one {what}: ε of ties was chosen on it, and the share may be too"
        " high.",
        "few-systems": "Metrics were not compared: {test} needs {least} systems or more, and"
        " there are {systems:,}.{remedy}",
        "these-systems": "perm-both holds for these systems only: where each metric favours some"
        " systems, it calls equally good metrics different in a third to half of all cases.",
        "judges-as-given": "Tests do not account for judges: {why}.",
        "judges-undecided": "{pairs:#pair} {have} p ≤ .05 but {are} not decided: the difference is"
        " within the error due to judges.",
        "no-ceiling": "Agreement between people is not shown: fewer than half of the outputs were"
        " judged by two judges.",
        "against": "Scores of {metrics:list} correlate negatively with people's over systems: if"
        " lower is better, pass {remedy}.",
        "gold-against": "Scores of all metrics ({metrics:list}) correlate negatively with people's"
        " over systems: were people's scores ({gold}) read the wrong way round? Pass {remedy}.",
        "negated-against": "Scores of {metrics:list}, which were negated, correlate negatively with"
        " people's over systems: if higher is better, leave them out of --lower, or rename those"
        " whose names say that lower is better.",
        "chance": "acc-eq of random scores can reach {chance:three}.",
        "below-chance": "acc-eq of {metrics:list} is no better than random scores can reach"
        " ({chance:three}).",
    }
)
