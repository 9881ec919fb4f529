"""What is said of metrics: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

say: Final = Templates(
    {
        "leads": "{metric} has the highest {statistic} ({value:three}); no difference between"
        " metrics was tested.",
        "single": "{metric} agrees with people by {statistic} {value:three}.",
        "leads-alone": "{metric} agrees better with people than every other metric by {statistic}"
        " ({value:three}).",
        "leads-open": "{metric} ranks first by {statistic}, since every other metric is worse than"
        " some metric, but is not separated from {metrics:list}.",
        "shares-first": "{metrics:list} share first place by {statistic}: {systems:#system} cannot"
        " separate them ({decided} of {of:#pair} of metrics decided).",
        "tied-first": "{metrics:list} have the highest {statistic} ({value:three}); no difference"
        " between metrics was tested.",
        "untestable": "Metrics were not compared: {statistic} has no test here, and metrics are"
        " tested by the first statistic. Put one that has a test first, such as --statistic spa;"
        " Pearson of segments has a test with --group none.",
        "undefined": "Not among the tests: {metrics:list}, for which {statistic} is not defined.",
        "constant": "Not among the tests: {metrics:list}, since all outputs have the same score."
        " Check the scores, or leave them out ({remedy}).",
        "gold-negated": "Lower is better under {criterion}, so scores were negated.",
        "metric-negated": "Lower is better by the name, with a mean above 0: scores of"
        " {metrics:list} were negated.",
        "metrics-read": "Scores of {metrics:list} are from {file}.",
        "metrics-excluded": "Left out by name: {metrics:list}.",
        "only-systems": "Not compared: {metrics:list}, of which {folder} has only .sys.score, and"
        " of others .seg.score.",
        "no-metrics": "Not taken for metrics, since an output has several values: {columns:list}.",
        "counts": "Not taken for metrics, since the names are of counts: {columns:list}. For a"
        " metric, give rows of metric, system, item and score.",
        "unused-columns": "Metrics in {file} were not used beside files of scores: {columns:list}.",
        "scores-excluded": "Scores of metrics: {what}.",
        "unjudged": "{n:,} scores of metrics on outputs that people did not judge were not used.",
        "references": "Human references by name: {systems:list}. Metrics that use a reference"
        " score it too high: exclude it with {remedy}.",
        "incomplete": "SPA uses {kept:,} of {n:,} items: people did not judge all systems on the"
        " others.",
        "few-systems": "Metrics were not compared: {test} needs {least} systems or more, and"
        " there are {systems:,}.{remedy}",
        "these-systems": "perm-both holds for these systems only: where each metric favours some"
        " systems, it calls equally good metrics different in a third to half of all cases.",
        "judges-as-given": "Intervals do not account for judges: {why}.",
        "judges-undecided": "{pairs:#pair} of metrics not decided despite a small p: other judges"
        " might not confirm the difference.",
        "no-ceiling": "Agreement between people is not shown: fewer than half of the outputs were"
        " judged by two judges.",
        "against": "Scores of {metrics:list} correlate negatively with people's over systems: if"
        " lower is better, negate them.",
        "gold-against": "Scores of all metrics ({metrics:list}) correlate negatively with people's"
        " over systems: were people's scores ({gold}) read the wrong way round? Pass {remedy}.",
        "chance": "acc-eq of random scores can reach {chance:three}.",
        "below-chance": "By acc-eq no better than random scores, which can reach {chance:three}:"
        " {metrics:list}.",
    }
)
