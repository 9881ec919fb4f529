"""What is said of metrics: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

say: Final = Templates(
    {
        "leads": "{metric} agrees best with people by {statistic} ({value:three}).",
        "leads-alone": "{metric} agrees better with people than every other metric by {statistic}"
        " ({value:three}).",
        "shares-first": "{metrics:list} share first place by {statistic}: on {systems:#system}, not"
        " all of them can be told apart.",
        "tied-first": "{metrics:list} agree equally well with people by {statistic}"
        " ({value:three}).",
        "untestable": "Metrics were not compared: {statistic} has no test here. The first"
        " statistic is tested: name another first, such as --statistic spa; Pearson of segments has"
        " one with --group none.",
        "wrong-test": "Metrics were not compared: {test} does not apply to {statistic}. SPA and"
        " acc-eq have perm-sys only; williams is of Pearson's r of four systems or more.",
        "undefined": "Metrics were not compared: {statistic} is not defined of {metrics:list}, as"
        " of scores that are all the same.",
        "gold-negated": "Lower is better under {criterion}, so scores were negated.",
        "metric-negated": "Lower is better: scores of {metrics:list} were negated.",
        "metrics-read": "read scores of {metrics:list} from {file}",
        "unjudged": "{n:,} scores of metrics are of outputs that people did not judge; they were"
        " not used.",
        "references": "Human references by name: {systems:list}. Metrics that compare with one"
        " rate it too high: leave out with {remedy}.",
        "unscored-references": "Human references without scores of metrics were left out:"
        " {systems:list}.",
        "incomplete": "SPA uses {kept:,} of {n:,} items: people did not judge all systems on the"
        " others.",
        "few-systems": "{systems:#system} are too few to speak of other systems: it takes"
        " {least}. --test perm-both compares metrics on these systems only.",
        "these-systems": "perm-both holds for these systems only: it calls metrics different that"
        " are equally good, and favour different systems, in a third to half of all cases.",
        "judges-as-given": "Intervals do not account for judges: {why}.",
        "judges-undecided": "{pairs:#pair} of metrics differ by p, but not beyond what other judges"
        " could change: they are not decided.",
        "no-ceiling": "There is no ceiling of people: fewer than half of the outputs were"
        " judged by two judges.",
        "against": "Of systems, people's order is rather the opposite of that by {metrics:list}: if"
        " lower is better there, write scores with a minus.",
        "chance": "acc-eq of noise can reach {chance:three}.",
        "below-chance": "By acc-eq, noise can reach {chance:three}, and no more is reached by"
        " {metrics:list}.",
    }
)
