"""What is said of metrics: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

say: Final = Templates(
    {
        "leads": "{metric} agrees best with people by {statistic} ({value:three}).",
        "single": "{metric} agrees with people by {statistic} {value:three}.",
        "leads-alone": "{metric} agrees better with people than every other metric by {statistic}"
        " ({value:three}).",
        "shares-first": "{metrics:list} share first place by {statistic}: on {systems:#system}, not"
        " all differences between them are decided.",
        "tied-first": "{metrics:list} agree equally well with people by {statistic}"
        " ({value:three}).",
        "untestable": "Metrics were not compared: {statistic} has no test here. The first"
        " statistic is tested: put one that has a test first, such as --statistic spa. Pearson of"
        " segments has a test with --group none.",
        "wrong-test": "Metrics were not compared: {test} does not apply to {statistic}. SPA and"
        " acc-eq have perm-sys only. Put --statistic pearson first for the other tests (williams:"
        " four systems or more).",
        "undefined": "Metrics were not compared: {statistic} is not defined for {metrics:list}, for"
        " example because all scores are the same.",
        "gold-negated": "Lower is better under {criterion}, so scores were negated.",
        "metric-negated": "Lower is better: scores of {metrics:list} were negated.",
        "metrics-read": "read scores of {metrics:list} from {file}",
        "no-metrics": "Not compared, since not the same for an output: {columns:list}.",
        "scores-excluded": "Scores of metrics: {what}.",
        "unjudged": "{n:,} scores of metrics on outputs that people did not judge were not used.",
        "references": "Human references by name: {systems:list}. Metrics that use a reference"
        " score it too high: exclude it with {remedy}.",
        "unscored-references": "Human references without scores of metrics were excluded:"
        " {systems:list}.",
        "incomplete": "SPA uses {kept:,} of {n:,} items: people did not judge all systems on the"
        " others.",
        "few-systems": "Metrics were not compared: perm-sys needs {least} systems or more, and"
        " there are {systems:,}. --test perm-both --statistic pearson compares metrics on these"
        " systems only.",
        "these-systems": "perm-both holds for these systems only: where metrics favour different"
        " systems, it finds a difference between equally good metrics in a third to half of all"
        " cases.",
        "judges-as-given": "Intervals do not account for judges: {why}.",
        "judges-undecided": "{pairs:#pair} of metrics not decided despite a small p: other judges"
        " might not confirm the difference.",
        "no-ceiling": "Agreement between people is not shown: fewer than half of the outputs were"
        " judged by two judges.",
        "against": "The order of systems by {metrics:list} is rather the opposite of people's: if"
        " lower is better, negate the scores.",
        "chance": "acc-eq of random scores can reach {chance:three}.",
        "below-chance": "No better by acc-eq than random scores, which can reach {chance:three}:"
        " {metrics:list}.",
    }
)
